package admin_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
	"vitrine/admin/api/body"
	"vitrine/internal/shop"
)

// input is a field that a request may set, and how to set it.
type input struct {
	name  string
	query bool
	kind  reflect.Type
	bound body.Bound
	way   []string // its path in the body, "[]" for the entry of a list
	alone bool     // within a type with its own UnmarshalJSON, which checks the bounds itself
}

// inputsOf lists the strings, lists and maps of a request type, including those within lists
// and within types with their own UnmarshalJSON.
func inputsOf(t reflect.Type, way []string) (list []input) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, query := f.Tag.Lookup("query")
		inBody, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		kind := f.Type
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		way := slices.Concat(way, []string{inBody})
		it := input{inBody, false, kind, body.BoundOf(f), way, reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())}
		bounded := slices.Contains([]reflect.Kind{reflect.String, reflect.Slice, reflect.Map}, kind.Kind()) &&
			kind != reflect.TypeFor[json.RawMessage]() && !kind.Implements(reflect.TypeFor[interface{ Shape() reflect.Type }]()) // the handler reads it
		switch {
		case f.Anonymous && kind.Kind() == reflect.Struct && inBody == "":
			list = append(list, within(it, inputsOf(kind, way[:len(way)-1]))...)
		case query && bounded:
			it.name, it.query = name, true
			list = append(list, it)
		case inBody == "" || inBody == "-":
		case kind.Kind() == reflect.Struct:
			list = append(list, within(it, inputsOf(kind, way))...)
		case bounded:
			list = append(list, it)
			if kind.Kind() == reflect.Slice && kind.Elem().Kind() == reflect.Struct {
				list = append(list, within(it, inputsOf(kind.Elem(), append(slices.Clone(way), "[]")))...)
			}
		}
	}
	return list
}

// within marks the fields below a type with its own UnmarshalJSON, at any depth.
func within(outer input, list []input) []input {
	for i := range list {
		list[i].alone = list[i].alone || outer.alone
	}
	return list
}

// with returns a body that has a JSON value in the field and nothing else.
func (f input) with(value string) string {
	for _, name := range slices.Backward(f.way) {
		if name == "[]" {
			value = "[" + value + "]"
		} else {
			value = fmt.Sprintf(`{%q:%s}`, name, value)
		}
	}
	return value
}

// counted returns n entries of a list or a map.
func (f input) counted(n int) string {
	var entries []string
	for i := range n {
		entry := `0`
		switch {
		case f.kind.Kind() == reflect.Map:
			entry = fmt.Sprintf(`"%d":""`, i)
		case f.kind.Elem().Kind() == reflect.String:
			entry = `""`
		case f.kind.Elem().Kind() == reflect.Struct:
			entry = `{}`
		}
		entries = append(entries, entry)
	}
	if f.kind.Kind() == reflect.Map {
		return "{" + strings.Join(entries, ",") + "}"
	}
	return "[" + strings.Join(entries, ",") + "]"
}

// send calls an endpoint with a text or a number of entries in the field.
func (f input) send(a *apitest.API, session string, e api.Endpoint, text string, n int) apitest.Answer {
	a.Clock.Advance(time.Minute)
	path, body := address(e, segmentOf(e)), "{}"
	switch {
	case f.query && f.kind.Kind() == reflect.Slice:
		path += "?" + url.Values{strings.Replace(f.name, "[i]", "[0]", 1): slices.Repeat([]string{"1"}, n)}.Encode()
	case f.query:
		path += "?" + url.Values{strings.Replace(f.name, "[i]", "[0]", 1): {text}}.Encode()
	case f.kind.Kind() == reflect.String:
		body = f.with(`"` + text + `"`)
	default:
		body = f.with(f.counted(n))
	}
	return a.Send(apitest.Request{Method: e.Method, Path: path, Key: credential(a, session, e), Body: body})
}

// Every string, list and map of every endpoint is refused one beyond its bound, with the code
// that its tag names, and accepted at the bound, to which the white space around a text does not
// count. A new field is bounded by its tags or by the defaults, and is tested here as well.
func TestEveryFieldIsRefusedOneBeyondItsBound(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	tried := 0
	seen := map[string]bool{}
	for _, e := range a.Admin.Table() {
		for _, f := range inputsOf(e.Do.In, nil) {
			text := f.kind.Kind() == reflect.String
			most, code := f.bound.Max, shop.ErrInvalidRequest.Code
			if text {
				most, code = f.bound.Len, body.ErrTextTooLong.Code
			}
			if f.bound.Code != "" {
				code = f.bound.Code
			}
			key := fmt.Sprint(f, e.Auth, e.MaxBody)
			if text && most == body.NoLen || seen[key] || f.alone || strings.Contains(f.name, "[i]") ||
				f.query && e.Auth == api.Link && e.Class == api.Free {
				continue
			}
			seen[key] = true
			tried++
			session := a.Session(a.OwnerID)
			over := func(got apitest.Answer) bool {
				detail, _ := got.JSON["error"].(string)
				return strings.Contains(detail, fmt.Sprintf("at most %d", most)) && strings.Contains(detail, ": "+code+": ") ||
					strings.Contains(detail, fmt.Sprintf(" %s: ", code)) && strings.Contains(detail, fmt.Sprintf("at most %d", most))
			}
			for n := most - 1; n <= most; n++ {
				if got := f.send(a, session, e, strings.Repeat("x", n), n); got.Status >= 500 ||
					over(got) && apitest.Code(got.JSON) == body.ErrTextTooLong.Code {
					t.Errorf("%s %s %s of %d: %d %.200s", e.Method, e.Path, f.name, n, got.Status, got.Body)
				}
			}
			if text && !f.bound.Kept {
				exact := strings.Repeat("x", most)
				if got := f.send(a, session, e, "  "+exact+" \u00a0", most); over(got) && !over(f.send(a, session, e, exact, most)) {
					t.Errorf("%s %s %s of %d and white space: %d %.200s", e.Method, e.Path, f.name, most, got.Status, got.Body)
				}
			}
			if got := f.send(a, session, e, strings.Repeat("я", most+1), most+1); got.Status != 400 || apitest.Code(got.JSON) != code || !over(got) {
				t.Errorf("%s %s %s of %d: %d %.200s, want %s", e.Method, e.Path, f.name, most+1, got.Status, got.Body, code)
			}
		}
	}
	if tried < 100 {
		t.Errorf("only %d fields were tried", tried)
	}
}

// The code that a tag names is a refusal of the endpoint, free JSON is kept as json.RawMessage,
// and a body cannot set fields of the path or query.
func TestBoundsNameRefusalsOfTheirEndpoint(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for _, e := range a.Admin.Table() {
		for _, f := range inputsOf(e.Do.In, nil) {
			if !f.alone && f.bound.Code != "" && f.bound.Code != shop.ErrInvalidRequest.Code && !e.Errors.Has(f.bound.Code, 400) &&
				!e.Errors.Has(f.bound.Code, 401) {
				t.Errorf("%s %s: %s is refused with %s, which the endpoint does not list", e.Method, e.Path, f.name, f.bound.Code)
			}
		}
		checkFields(t, e, e.Do.In)
	}
}

func checkFields(t *testing.T, e api.Endpoint, in reflect.Type) {
	for in.Kind() == reflect.Pointer || in.Kind() == reflect.Slice || in.Kind() == reflect.Map {
		in = in.Elem()
	}
	if in.Kind() == reflect.Interface {
		t.Errorf("%s %s has an interface field: keep free JSON as a json.RawMessage", e.Method, e.Path)
	}
	if in.Kind() != reflect.Struct || in == reflect.TypeFor[time.Time]() {
		return
	}
	for i := range in.NumField() {
		f := in.Field(i)
		_, path := f.Tag.Lookup("path")
		_, query := f.Tag.Lookup("query")
		if (path || query) && f.Tag.Get("json") != "-" {
			t.Errorf("%s %s: a body could set %s, which belongs to the path or query", e.Method, e.Path, f.Name)
		}
		if name := f.Tag.Get("json"); f.Anonymous || name != "" && name != "-" {
			checkFields(t, e, f.Type)
		}
	}
}

// The OpenAPI document shows the bounds of fields.
func TestOpenAPIPrintsBounds(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	components := a.OK("GET", "/openapi.json", "", nil)["components"].(apitest.Map)["schemas"].(apitest.Map)
	at := func(schema, field string) apitest.Map {
		return components[schema].(apitest.Map)["properties"].(apitest.Map)[field].(apitest.Map)
	}
	for _, c := range []struct {
		schema, field, word string
		want                float64
	}{
		{"CatalogProductItemInput", "name", "maxLength", 255},
		{"CatalogProductItemInput", "description", "maxLength", 100000},
		{"CatalogProductItemInput", "tags", "maxItems", 64},
		{"CatalogSeoItemInput", "meta_title", "maxLength", 1000},
		{"CatalogArticleItemInput", "badge", "maxLength", 48},
		{"CatalogVariantItemInput", "options", "maxProperties", 20},
		{"SiteFormFieldInput", "options", "maxItems", 100},
		{"ShopTaxesInput", "rates", "maxItems", 500},
	} {
		if got := at(c.schema, c.field)[c.word]; got != c.want {
			t.Errorf("%s.%s: %s %v, want %v", c.schema, c.field, c.word, got, c.want)
		}
	}
	if items := at("CatalogProductItemInput", "tags")["items"].(apitest.Map); items["maxLength"] != 64.0 {
		t.Errorf("a tag: %v", items)
	}
}

// Fields that nothing read are named in a header, whether the call succeeds or not.
func TestIgnoredFieldsAreListedInAHeader(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for _, c := range []struct{ method, path, body, want string }{
		{"POST", "/products", `{"item":{"name":"Tea"}}`, ""},
		{"POST", "/products", `{"item":{"name":"Tea","nmae":1,"seo":{"title":"x"}},"dry":true}`, "item.nmae,item.seo.title,dry"},
		{"POST", "/products", `{"item":{"nmae":1}}`, "item.nmae"},
		{"POST", "/products?dry_run=1", `{"item":{"name":"Tea"}}`, "dry_run"},
		{"POST", "/products/batch", `{"items":[{"name":"a","x":1},{"name":"b","x":1,"tags":["c"]}]}`, "items[0].x"},
		{"GET", "/products?page.number=1&page.limit=5&page.size=3&filter.query=tea", "", "page.size"},
		{"GET", "/products?attribute_filters[0].attribute_id=1&attribute_filters[0].values=a", "", ""},
		{"GET", "/products?x%0d%0aX-Evil:1=2&a,b=1", "", "x%0D%0AX-Evil%3A1,a%2Cb"},
		{"POST", "/docs/validate", `{"item":{"sections":[{"type":"text"}]}}`, ""},
	} {
		got := a.Send(apitest.Request{Method: c.method, Path: c.path, Key: a.Owner, Body: c.body})
		if header := got.Header.Get("X-Ignored-Fields"); header != c.want || got.Header.Get("X-Evil") != "" {
			t.Errorf("%s %s %s: %q, want %q (%d)", c.method, c.path, c.body, header, c.want, got.Status)
		}
	}
}

// No error echoes a long text.
func TestNoRefusalEchoesALongText(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	long := strings.Repeat("é", 300_000)
	for path, body := range map[string]string{
		"/products":             `{"item":{"name":"x","stock_quantity":` + strings.Repeat("9", 900_000) + `}}`,
		"/html-documents":       `{"item":{"name":"x","level":"` + long + `"}}`,
		"/categories/move":      `{"type":"` + long + `"}`,
		"/storefront-redirects": `{"item":{"kind":"` + long + `"}}`,
	} {
		if got := a.Send(apitest.Request{Method: "POST", Path: path, Key: a.Owner, Body: body}); got.Status != 400 || len(got.Body) > 4<<10 {
			t.Errorf("%s: %d, %d bytes", path, got.Status, len(got.Body))
		}
	}
}
