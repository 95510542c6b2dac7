package admin_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/admin/openapi"
)

// lacking is a body without one of its fields.
type lacking struct {
	place string
	body  any
}

// omit returns the bodies that lack one field of v; of a list its first entry is tried.
func omit(v any, place string, put func(any) any) (all []lacking) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			without := maps.Clone(v)
			delete(without, name)
			at := strings.TrimPrefix(place+"."+name, ".")
			all = append(all, lacking{at, put(without)})
			all = append(all, omit(v[name], at, func(value any) any {
				copied := maps.Clone(v)
				copied[name] = value
				return put(copied)
			})...)
		}
	case []any:
		if len(v) > 0 {
			all = omit(v[0], place+"[0]", func(value any) any {
				copied := slices.Clone(v)
				copied[0] = value
				return put(copied)
			})
		}
	}
	return all
}

// needed are fields that the endpoints refuse to do without in the story, and that are not required
// in general, with the reason.
var needed = map[string]string{
	"PUT /v1/shop/settings tax.name":                    "a table of rates has none",
	"POST /pricing-rules item.product_ids":              "category_ids may stand in its place",
	"POST /pricing-rules item.tiers[0].percent":         "price may stand in its place",
	"POST /galleries item.items[0].file":                "an item of the kind html has none",
	"POST /galleries item.items[0].file.id":             "an item of the kind html has none",
	"POST /galleries item.name":                         "the fields may stand at the top of the body",
	"POST /content-blocks item.sections[0].type":        "/docs/widgets describes sections",
	"PUT /content-blocks/{id} item.sections[0].type":    "/docs/widgets describes sections",
	"POST /v1/storages/collections/{id}/files file_ids": "file_id may stand in its place",
	"POST /docs/validate sections":                      "item.sections may stand in its place",
	"PUT /v1/shop/assistants/platforms profile":         "id may stand in its place",
	"POST /drafts/publish items":                        "all may stand in its place",
}

// requires reports whether the schema of a body requires the field at a place.
func requires(root, schema object, place string) (required bool) {
	for name := range strings.SplitSeq(strings.ReplaceAll(place, "[0]", ".[]"), ".") {
		if schema, required = step(root, schema, name); schema == nil {
			return false
		}
	}
	return required
}

// step returns the schema of a field or of the entries of a list, and whether the field is required.
func step(root, schema object, name string) (field object, required bool) {
	if ref, ok := schema["$ref"].(string); ok {
		schema = root["components"].(object)["schemas"].(object)[strings.TrimPrefix(ref, "#/components/schemas/")].(object)
	}
	names, _ := schema["required"].([]any)
	required = slices.Contains(names, any(name))
	if name == "[]" {
		field, _ = schema["items"].(object)
	} else if properties, ok := schema["properties"].(object); ok {
		field, _ = properties[name].(object)
	}
	for _, word := range []string{"allOf", "anyOf"} {
		parts, _ := schema[word].([]any)
		for _, part := range parts {
			if inner, also := step(root, part.(object), name); inner != nil {
				field, required = inner, required || also
			}
		}
	}
	return field, required
}

// What the document requires of a body is what the endpoint refuses to do without.
func TestTheDocumentRequiresWhatEndpointsRefuseToDoWithout(t *testing.T) {
	t.Parallel()
	s := &spoiler{recorder: &recorder{API: apitest.New(t, anyPicture), t: t, calls: map[string]openapi.Recorded{}}}
	root := s.OK("GET", "/openapi.json", "", nil)
	required, optional := 0, 0
	s.recorder.after = func(q apitest.Request) {
		body, row := request(s.t, q.Body), s.Row(q.Method, q.Path)
		if body == nil || q.Method == "DELETE" || row == "POST /products/{id}/reviews" || row == "POST /orders/manual" { // see spoiler.after
			return
		}
		method, path, _ := strings.Cut(row, " ")
		schema, ok := root["paths"].(object)[path].(object)[strings.ToLower(method)].(object)["requestBody"].(object)["content"].(object)["application/json"].(object)["schema"].(object)
		if !ok {
			return
		}
		send := s.sender(q)
		again := send(body)
		for _, one := range omit(body, "", func(v any) any { return v }) {
			got := send(one.body)
			place, _ := got.JSON["place"].(string)
			failed, _ := got.JSON["failed"].(float64) // of a batch
			switch must := requires(root, schema, one.place); {
			case must:
				if required++; got.Status < 400 && failed == 0 {
					t.Errorf("%s does without %s, which the document requires", row, one.place)
				}
			case got.Status == 400 && place == one.place && apitest.Code(got.JSON) != apitest.Code(again.JSON) && needed[row+" "+one.place] == "" && !strings.HasPrefix(one.place, "values."):
				t.Errorf("%s is refused without %s, which the document does not require: %s", row, one.place, got.Body)
			default:
				optional++
			}
		}
		send(body)
	}
	s.story()
	if required < 100 || optional < 300 {
		t.Errorf("only %d required fields and %d optional ones were tried", required, optional)
	}
}
