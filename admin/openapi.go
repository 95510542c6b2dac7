package admin

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"vitrine/admin/api"
)

// openAPI describes the picked rows of the table. Shapes come from the request
// and answer types of the handlers, so they cannot drift from the code.
func openAPI(table []api.Endpoint, serverURL string, pick func(api.Endpoint) bool) ([]byte, error) {
	doc := &openapi3.T{
		OpenAPI: "3.0.3",
		Info:    &openapi3.Info{Title: "vitrine admin API", Version: "1"},
		Servers: openapi3.Servers{{URL: serverURL}},
		Paths:   openapi3.NewPaths(),
		Components: &openapi3.Components{
			SecuritySchemes: openapi3.SecuritySchemes{"key": {Value: openapi3.NewSecurityScheme().WithType("http").WithScheme("bearer")}},
			Schemas:         openapi3.Schemas{},
		},
	}
	s := schemas{known: doc.Components.Schemas}
	for _, e := range table {
		if !pick(e) {
			continue
		}
		item := doc.Paths.Value(e.Path)
		if item == nil {
			item = &openapi3.PathItem{}
			doc.Paths.Set(e.Path, item)
		}
		item.SetOperation(e.Method, s.operation(e))
	}
	return json.Marshal(doc)
}

func (s schemas) operation(e api.Endpoint) *openapi3.Operation {
	op := openapi3.NewOperation()
	op.Summary = e.Summary
	op.OperationID = operationID(e)
	if e.Auth != api.Link {
		op.Security = &openapi3.SecurityRequirements{{"key": []string{}}}
		if e.Auth == api.Public {
			op.Security.With(openapi3.SecurityRequirement{})
		}
	}
	if len(e.Scopes) > 0 {
		op.Extensions = map[string]any{"x-scopes": e.Scopes}
	}
	body := openapi3.NewObjectSchema()
	s.address(op, e.Do.In, body)
	if len(body.Properties) > 0 && e.Method != "GET" {
		op.RequestBody = &openapi3.RequestBodyRef{Value: openapi3.NewRequestBody().WithJSONSchema(body)}
	}
	answer := openapi3.NewResponse().WithDescription("Success")
	if e.Do.Out == reflect.TypeFor[api.Raw]() {
		answer = answer.WithContent(openapi3.Content{"*/*": openapi3.NewMediaType()})
	} else {
		answer = answer.WithJSONSchemaRef(s.of(e.Do.Out))
	}
	refused := openapi3.NewResponse().WithDescription("Refused: the error text carries the code").
		WithJSONSchema(openapi3.NewObjectSchema().WithProperty("error", openapi3.NewStringSchema()))
	op.Responses = openapi3.NewResponses(
		openapi3.WithStatus(max(e.Status, 200), &openapi3.ResponseRef{Value: answer}),
		openapi3.WithName("default", refused))
	return op
}

// address turns path and query fields into parameters and the rest into the
// properties of the body.
func (s schemas) address(op *openapi3.Operation, in reflect.Type, body *openapi3.Schema) {
	for i := range in.NumField() {
		f := in.Field(i)
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			s.address(op, f.Type, body)
			continue
		}
		if name, ok := f.Tag.Lookup("path"); ok {
			op.AddParameter(openapi3.NewPathParameter(name).WithSchema(s.of(f.Type).Value))
		} else if name, ok := f.Tag.Lookup("query"); ok {
			op.AddParameter(openapi3.NewQueryParameter(name).WithSchema(s.of(f.Type).Value))
		} else if name := jsonName(f); name != "" {
			body.WithPropertyRef(name, s.of(f.Type))
		}
	}
}

var notWord = regexp.MustCompile(`[^A-Za-z0-9]+`)

// operationID is method and path as one word: get_storefrontRedirects_id. Only a
// slash is an underscore, so that /storefront/redirects is another.
func operationID(e api.Endpoint) string {
	id := strings.ToLower(e.Method)
	for segment := range strings.SplitSeq(strings.Trim(e.Path, "/"), "/") {
		id += "_"
		for i, word := range strings.Fields(notWord.ReplaceAllString(segment, " ")) {
			if i > 0 {
				word = strings.ToUpper(word[:1]) + word[1:]
			}
			id += word
		}
	}
	return strings.TrimSuffix(id, "_")
}

// schemas turns Go types into JSON Schemas. Named structs become components, so
// that trees end.
type schemas struct{ known openapi3.Schemas }

func (s schemas) of(t reflect.Type) *openapi3.SchemaRef {
	switch {
	case t.Kind() == reflect.Pointer:
		return s.nullable(t.Elem())
	case t == reflect.TypeFor[time.Time]():
		return openapi3.NewDateTimeSchema().NewRef()
	case t == reflect.TypeFor[json.RawMessage](), t.Kind() == reflect.Interface:
		return (&openapi3.Schema{}).NewRef()
	case readsItself(t):
		return openapi3.NewStringSchema().WithNullable().NewRef()
	case t.Implements(reflect.TypeFor[json.Marshaler]()) && t.Kind() == reflect.Int64:
		return openapi3.NewStringSchema().WithFormat("int64").NewRef()
	}
	switch t.Kind() {
	case reflect.String:
		return openapi3.NewStringSchema().NewRef()
	case reflect.Bool:
		return openapi3.NewBoolSchema().NewRef()
	case reflect.Float64, reflect.Float32:
		return openapi3.NewFloat64Schema().NewRef()
	case reflect.Slice, reflect.Array:
		if t.Name() != "" && t.Elem().Kind() == reflect.Uint8 {
			return openapi3.NewStringSchema().NewRef()
		}
		list := openapi3.NewArraySchema()
		list.Items = s.of(t.Elem())
		return list.NewRef()
	case reflect.Map:
		m := openapi3.NewObjectSchema()
		m.AdditionalProperties = openapi3.AdditionalProperties{Schema: s.of(t.Elem())}
		return m.NewRef()
	case reflect.Struct:
		return s.object(t)
	}
	return openapi3.NewIntegerSchema().NewRef()
}

// readsItself finds structs that JSON shows no fields of, such as a file id that
// may be empty: they stand for text or null.
func readsItself(t reflect.Type) bool {
	if t.Kind() != reflect.Struct || !reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return false
	}
	for i := range t.NumField() {
		if jsonName(t.Field(i)) != "" {
			return false
		}
	}
	return true
}

// nullable allows null beside the type; a component is wrapped, since a
// reference can carry nothing beside itself.
func (s schemas) nullable(t reflect.Type) *openapi3.SchemaRef {
	ref := s.of(t)
	if ref.Ref != "" {
		return (&openapi3.Schema{AllOf: openapi3.SchemaRefs{ref}, Nullable: true}).NewRef()
	}
	return ref.Value.WithNullable().NewRef()
}

func (s schemas) object(t reflect.Type) *openapi3.SchemaRef {
	name := strings.NewReplacer("vitrine/", "", "[]", "list_").Replace(t.String())
	name = strings.Trim(notWord.ReplaceAllString(name, "_"), "_")
	if t.Name() == "" {
		name = ""
	}
	if known, ok := s.known[name]; ok && name != "" {
		return openapi3.NewSchemaRef("#/components/schemas/"+name, known.Value)
	}
	schema := openapi3.NewObjectSchema()
	if name != "" {
		s.known[name] = schema.NewRef()
	}
	s.properties(t, schema)
	if name == "" {
		return schema.NewRef()
	}
	return openapi3.NewSchemaRef("#/components/schemas/"+name, schema)
}

func (s schemas) properties(t reflect.Type, into *openapi3.Schema) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous && f.Tag.Get("json") == "" {
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct {
				s.properties(inner, into)
				continue
			}
		}
		if name := jsonName(f); name != "" {
			into.WithPropertyRef(name, s.of(f.Type))
		}
	}
}

// jsonName is the name of a field in JSON, empty when it is not there.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" || !f.IsExported() {
		return ""
	}
	if name == "" {
		return f.Name
	}
	return name
}
