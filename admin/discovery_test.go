package admin_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
	"vitrine/internal/golden"
	"vitrine/internal/shop"
)

// official loads the JSON Schema of OpenAPI 3.1 documents as the OpenAPI Initiative
// publishes it (https://spec.openapis.org/oas/3.1/schema/2022-10-07).
func official(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile("testdata/openapi-3.1-schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("oas31.json", schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("oas31.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// document loads an OpenAPI document, validates it against the official schema, and resolves
// and validates it with an independent reader.
func document(t *testing.T, a *apitest.API, path, key string) *openapi3.T {
	t.Helper()
	answer := a.Send(apitest.Request{Method: "GET", Path: path, Key: key})
	if answer.Status != 200 {
		t.Fatalf("%s: %d %s", path, answer.Status, answer.Body)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(answer.Body))
	if err != nil {
		t.Fatal(err)
	}
	if err := official(t).Validate(value); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(answer.Body)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	// TestExamplesAreRealCalls validates the examples against their schemas.
	if err := doc.Validate(loader.Context, openapi3.DisableExamplesValidation()); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return doc
}

func operation(doc *openapi3.T, e api.Endpoint) *openapi3.Operation {
	if item := doc.Paths.Value(e.Path); item != nil {
		return item.GetOperation(e.Method)
	}
	return nil
}

func operations(doc *openapi3.T) (n int) {
	for _, item := range doc.Paths.Map() {
		n += len(item.Operations())
	}
	return n
}

func TestTheOpenAPIDocumentListsEveryRow(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for _, path := range []string{"/openapi.json", "/v1/openapi.json", "/compiled.swagger.json"} {
		doc := document(t, a, path, "")
		if operations(doc) != len(a.Admin.Table()) || doc.OpenAPI != "3.1.0" || doc.Servers[0].URL != apitest.AdminURL || doc.Info.Version == "" {
			t.Errorf("%s: %d operations for %d endpoints", path, operations(doc), len(a.Admin.Table()))
		}
		for _, e := range a.Admin.Table() {
			op := operation(doc, e)
			if op == nil || op.Summary != e.Summary || len(op.Tags) != 1 || doc.Tags.Get(op.Tags[0]) == nil {
				t.Errorf("%s lacks %s %s, or its tag", path, e.Method, e.Path)
				continue
			}
			if parameters := strings.Count(e.Path, "{"); len(op.Parameters) < parameters {
				t.Errorf("%s %s: %d parameters, want %d and more", e.Method, e.Path, len(op.Parameters), parameters)
			}
		}
	}
}

func TestOperationsNameTheirScopesHeadersAndRefusals(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := document(t, a, "/openapi.json", "")
	for _, e := range a.Admin.Table() {
		op, name := operation(doc, e), e.Method+" "+e.Path
		if scopes := scopesOf(op); len(scopes) != len(e.Scopes) || len(e.Scopes) > 0 && scopes[0] != string(e.Scopes[0]) {
			t.Errorf("%s: scopes %v, want %v", name, scopes, e.Scopes)
		}
		success := op.Responses.Status(e.Success()).Value
		if (op.Parameters.GetByInAndName("header", "Idempotency-Key") != nil) != e.Idempotent() ||
			(success.Headers["Idempotent-Replayed"] != nil) != e.Idempotent() {
			t.Errorf("%s: Idempotency-Key", name)
		}
		if (op.Parameters.GetByInAndName("header", "X-Service-Contour") != nil) != (e.Auth != api.Link) ||
			success.Headers["X-Request-Id"] == nil {
			t.Errorf("%s: X-Service-Contour or X-Request-Id", name)
		}
		if (op.Parameters.GetByInAndName("header", "If-Match") != nil) != (e.Edits != "") ||
			(op.Parameters.GetByInAndName("header", "X-Vitrine-Shop") != nil) != (e.Auth != api.Link) || e.HasVersion() && success.Headers["ETag"] == nil {
			t.Errorf("%s: If-Match, X-Vitrine-Shop or ETag", name)
		}
		for _, r := range e.Refusals() {
			answer := op.Responses.Status(r.Status())
			code, _, _ := strings.Cut(r.Code, ":")
			if answer == nil || answer.Value.Content["application/json"].Examples[code] == nil ||
				!strings.Contains(*answer.Value.Description, r.Meaning) ||
				r.Meaning == "" {
				t.Errorf("%s: %d %s is not described, or does not name its cause", name, r.Status(), r.Code)
			} else if r.Status() == 429 && answer.Value.Headers["Retry-After"] == nil {
				t.Errorf("%s: 429 without Retry-After", name)
			}
		}
	}
}

func scopesOf(op *openapi3.Operation) (scopes []string) {
	if op.Security == nil {
		return nil
	}
	for _, alternative := range *op.Security {
		scopes = append(scopes, alternative["key"]...)
	}
	return scopes
}

func TestACodeHasOneStatusClass(t *testing.T) {
	t.Parallel()
	seen := map[string]*shop.Refusal{}
	for _, e := range apitest.New(t).Admin.Table() {
		for _, r := range e.Refusals() {
			if r.Code == "PRODUCT_NOT_FOUND" && (strings.HasPrefix(e.Path, "/cart/") || e.Path == "/orders/manual") {
				continue // a product that cannot be put into a cart is a bad request (CONTRACT-COMMERCE, "Cart")
			}
			if r.Code == "IMPORT_TOO_LARGE" && e.Path == "/v1/imports" {
				continue // too much for the server, not for a table (CONTRACT, "Imports from other systems")
			}
			if first := seen[r.Code]; first != nil && (first.Class != r.Class || first.Status() != r.Status()) {
				t.Errorf("%s %s: %s is %s and %s", e.Method, e.Path, r.Code, r.Class, first.Class)
			}
			seen[r.Code] = r
		}
	}
}

func TestFiltersAreTyped(t *testing.T) {
	t.Parallel()
	doc := document(t, apitest.New(t), "/openapi.json", "")
	list := doc.Paths.Value("/products").Get.Parameters
	ids := list.GetByInAndName("query", "filter.ids")
	if ids == nil || !ids.Schema.Value.Type.Is("array") || !ids.Schema.Value.Items.Value.Type.Is("integer") || !*ids.Explode {
		t.Errorf("filter.ids: %+v", ids)
	}
	for _, name := range []string{"attribute_filters[0].attribute_id", "attribute_filters[0].values", "attribute_filters[19].min", "attribute_filters[19].max"} {
		if list.GetByInAndName("query", name) == nil {
			t.Errorf("%s is missing", name)
		}
	}
	if order := list.GetByInAndName("query", "sort.order"); order == nil || len(order.Schema.Value.Enum) != 2 {
		t.Errorf("sort.order: %+v", order)
	}
	for _, p := range list {
		if p.Value.In == "query" && p.Value.Description == "" {
			t.Errorf("%s has no description", p.Value.Name)
		}
	}
}

func TestThePartnerDocumentListsWhatKeysMayCall(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := document(t, a, "/partner/openapi.json", "")
	for _, e := range a.Admin.Table() {
		if listed := operation(doc, e) != nil; listed != (e.Auth != api.SessionOnly) {
			t.Errorf("%s %s: listed %v", e.Method, e.Path, listed)
		}
	}
	reader := a.Scoped("catalog:read")
	doc = document(t, a, "/partner/openapi.json", reader)
	for _, e := range a.Admin.Table() {
		may := e.Auth != api.SessionOnly &&
			(e.Auth != api.Private && e.Auth != api.Person || !slices.ContainsFunc(e.Scopes, func(s shop.Scope) bool { return s != "catalog:read" }))
		if listed := operation(doc, e) != nil; listed != may {
			t.Errorf("a key that reads the catalogue, %s %s: listed %v", e.Method, e.Path, listed)
		}
	}
	keyed := a.Send(apitest.Request{Method: "GET", Path: "/partner/openapi.json", Key: reader})
	if keyed.Header.Get("Cache-Control") != "no-store" || keyed.Header.Get("Vary") != "Authorization" {
		t.Errorf("a key's document may be cached for others: %v", keyed.Header)
	}
	a.Refused("GET", "/partner/openapi.json", "vt_nonsense", nil, 401, "UNAUTHENTICATED")
}

func TestTheDocumentOfOneArea(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := document(t, a, "/openapi.json?scope=redirects", "")
	for _, e := range a.Admin.Table() {
		want := len(e.Scopes) > 0 && strings.HasPrefix(string(e.Scopes[0]), "redirects:")
		if listed := operation(doc, e) != nil; listed != want {
			t.Errorf("%s %s: listed %v", e.Method, e.Path, listed)
		}
	}
	if whole := document(t, a, "/openapi.json", ""); len(doc.Components.Schemas) >= len(whole.Components.Schemas)/2 {
		t.Errorf("one area has %d schemas of %d", len(doc.Components.Schemas), len(whole.Components.Schemas))
	}
	for _, s := range shop.Scopes {
		area, _, _ := strings.Cut(string(s.Scope), ":")
		document(t, a, "/openapi.json?scope="+area, "")
	}
	a.Refused("GET", "/openapi.json?scope=nothing", "", nil, 400, "INVALID_REQUEST")
}

func TestSchemasDescribeAnswers(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := document(t, a, "/openapi.json", "")
	create := doc.Paths.Value("/categories").Post
	item := create.RequestBody.Value.Content["application/json"].Schema.Value.Properties["item"].Value.AllOf[0].Value
	answer := create.Responses.Status(200).Value.Content["application/json"].Schema.Value.Properties["result"].Value
	for _, c := range []struct {
		schema *openapi3.Schema
		field  string
		kinds  string
	}{
		{item, "preview_id", "string null"}, {item, "name", "string null"}, {item, "parent_id", "integer string null"},
		{answer, "id", "integer"}, {answer, "parent_id", "string"}, {answer, "is_published", "boolean"}, {answer, "gallery_ids", "array"},
		{answer, "preview_id", "string null"}, {answer, "created_at", "string null"},
	} {
		property := c.schema.Properties[c.field]
		if property == nil || property.Value == nil || strings.Join(property.Value.Type.Slice(), " ") != c.kinds {
			t.Errorf("%s is not %s", c.field, c.kinds)
		}
	}
	if !slices.Contains(answer.Required, "parent_id") {
		t.Errorf("required fields: %v", answer.Required)
	}
}

// Every path of document 1, section 1 answers without a key.
func TestEveryDocumentedPathAnswers(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for path := range strings.FieldsSeq(`/ /docs/index.json /llms.txt /docs/quickstart /docs/catalogue /docs/catalog-import /docs/orders /docs/stock
		/docs/webhooks /docs/news /docs/feeds /docs/feeds-reference /docs/redirects /docs/redirects-reference /docs/file-storage /docs/transfer
		/docs/widgets-area /docs/webcoding /docs/skills /docs/scopes.json /docs/events.json /docs/widgets /docs/vz-keys /docs/vz-keys.json
		/openapi.json /v1/openapi.json /compiled.swagger.json /openapi.json?scope=site-files /partner/openapi.json`) {
		first := a.Send(apitest.Request{Method: "GET", Path: path})
		etag := first.Header.Get("ETag")
		if first.Status != 200 || len(first.Body) == 0 || first.Header.Get("Cache-Control") != "public, max-age=300" || etag == "" {
			t.Errorf("%s: %d %v", path, first.Status, first.Header)
		}
		again := a.Send(apitest.Request{Method: "GET", Path: path, Header: map[string]string{"If-None-Match": `"other", W/` + etag}})
		if again.Status != 304 || len(again.Body) != 0 || again.Header.Get("ETag") != etag {
			t.Errorf("%s: %d with the ETag of the answer", path, again.Status)
		}
		if changed := a.Send(apitest.Request{Method: "GET", Path: path, Header: map[string]string{"If-None-Match": `"other"`}}); changed.Status != 200 {
			t.Errorf("%s: %d with another ETag", path, changed.Status)
		}
	}
	for _, path := range []string{"/docs/feeds-reference?section=nonsense", "/docs/redirects-reference?section=nonsense"} {
		if body := a.Refused("GET", path, "", nil, 404, "DOCS_SECTION_NOT_FOUND"); len(body["sections"].([]any)) == 0 {
			t.Errorf("%s: no list of sections: %v", path, body)
		}
	}
	a.OK("POST", "/docs/validate", "", apitest.Map{"sections": []any{}})
}

// Browsers that open the address of the API get a page with links; programs get the map,
// whatever else they accept.
func TestTheRootShowsBrowsersAPageWithLinks(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for _, path := range []string{"/", "/docs"} {
		checkRootPage(t, a, path)
	}
}

func checkRootPage(t *testing.T, a *apitest.API, path string) {
	t.Helper()
	page := a.Send(apitest.Request{Method: "GET", Path: path, Header: map[string]string{"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}})
	for _, link := range []string{`href="/docs/quickstart"`, `href="/docs/scopes.json"`, `href="/openapi.json"`, "key issue", "/v1/account/token"} {
		if !strings.Contains(string(page.Body), link) {
			t.Errorf("the page lacks %s", link)
		}
	}
	if page.Header.Get("Content-Security-Policy") == "" || !strings.Contains(page.Header.Get("Vary"), "Accept") {
		t.Errorf("%v", page.Header)
	}
	for _, accept := range []string{"", "*/*", "application/json", "text/html;q=0"} {
		if got := a.Send(apitest.Request{Method: "GET", Path: path, Header: map[string]string{"Accept": accept}}); got.JSON["passport"] == nil {
			t.Errorf("%q is answered %s", accept, got.Body)
		}
	}
}

func TestTheRootAndTheScopesAreListed(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for name, link := range a.OK("GET", "/", "", nil) {
		if url := link.(string); strings.HasPrefix(url, apitest.AdminURL) {
			if status := a.Send(apitest.Request{Method: "GET", Path: url, Key: a.Owner}).Status; status != 200 {
				t.Errorf("%s: %s answers %d", name, url, status)
			}
		}
	}
	var scopes struct {
		Scopes []shop.ScopeInfo `json:"scopes"`
		Max    int              `json:"max_scopes"`
	}
	if err := json.Unmarshal(a.Send(apitest.Request{Method: "GET", Path: "/docs/scopes.json"}).Body, &scopes); err != nil {
		t.Fatal(err)
	}
	var sensitive []string
	for _, s := range scopes.Scopes {
		if s.Opens == "" {
			t.Errorf("%s opens no endpoint", s.Scope)
		}
		if s.Sensitive {
			sensitive = append(sensitive, string(s.Scope))
		}
	}
	golden.Rows(t, "sensitive scopes", sensitive, strings.Fields(
		"access:read access:write customers:read customers:write leads:read leads:write orders:read orders:write pricing:read pricing:write publish:write",
	))
	if len(scopes.Scopes) != len(shop.Scopes) || scopes.Max != 32 {
		t.Errorf("%d scopes, at most %d", len(scopes.Scopes), scopes.Max)
	}
}
