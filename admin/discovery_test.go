package admin_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"vitrine/admin/api"
	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
)

// document loads and validates an OpenAPI document.
func document(t *testing.T, a *apitest.API, path string) *openapi3.T {
	t.Helper()
	answer := a.Send(apitest.Request{Method: "GET", Path: path})
	if answer.Status != 200 || answer.Header.Get("Cache-Control") != "public, max-age=300" {
		t.Fatalf("%s: %d %v", path, answer.Status, answer.Header)
	}
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(answer.Body)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if err := doc.Validate(loader.Context); err != nil {
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
		doc := document(t, a, path)
		if operations(doc) != len(a.Admin.Table()) {
			t.Errorf("%s: %d operations for %d rows", path, operations(doc), len(a.Admin.Table()))
		}
		for _, e := range a.Admin.Table() {
			op := operation(doc, e)
			if op == nil || op.Summary != e.Summary {
				t.Errorf("%s lacks %s %s", path, e.Method, e.Path)
				continue
			}
			if parameters := strings.Count(e.Path, "{"); len(op.Parameters) < parameters {
				t.Errorf("%s %s: %d parameters, want %d and more", e.Method, e.Path, len(op.Parameters), parameters)
			}
		}
	}
}

func TestThePartnerDocumentListsWhatKeysMayCall(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := document(t, a, "/partner/openapi.json")
	for _, e := range a.Admin.Table() {
		if listed := operation(doc, e) != nil; listed != (e.Auth != api.SessionOnly) {
			t.Errorf("%s %s: listed %v", e.Method, e.Path, listed)
		}
	}
}

func TestOneAreaAlone(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := document(t, a, "/openapi.json?scope=redirects")
	for _, e := range a.Admin.Table() {
		want := len(e.Scopes) > 0 && strings.HasPrefix(string(e.Scopes[0]), "redirects:")
		if listed := operation(doc, e) != nil; listed != want {
			t.Errorf("%s %s: listed %v", e.Method, e.Path, listed)
		}
	}
	document(t, a, "/openapi.json?scope=site-files")
	a.Refused("GET", "/openapi.json?scope=nothing", "", nil, 400, "INVALID_REQUEST")
}

func TestSchemasSayWhatAnswersAre(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := document(t, a, "/openapi.json")
	create := doc.Paths.Value("/categories").Post
	item := create.RequestBody.Value.Content["application/json"].Schema.Value.Properties["item"].Value
	answer := create.Responses.Status(200).Value.Content["application/json"].Schema.Value.Properties["result"].Value
	for _, c := range []struct {
		schema     *openapi3.Schema
		field, typ string
	}{
		{item, "preview_id", "string"}, {item, "name", "string"}, {item, "parent_id", "string"},
		{answer, "id", "integer"}, {answer, "parent_id", "string"}, {answer, "is_published", "boolean"}, {answer, "gallery_ids", "array"},
	} {
		property := c.schema.Properties[c.field]
		if property == nil || property.Value == nil || !property.Value.Type.Is(c.typ) {
			t.Errorf("%s is no %s", c.field, c.typ)
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
	sensitive := 0
	for _, s := range scopes.Scopes {
		if s.Opens == "" {
			t.Errorf("%s opens nothing", s.Scope)
		}
		if s.Sensitive {
			sensitive++
		}
	}
	if len(scopes.Scopes) != len(shop.Scopes) || sensitive == 0 || scopes.Max != 32 {
		t.Errorf("%d scopes, %d sensitive, at most %d", len(scopes.Scopes), sensitive, scopes.Max)
	}
}
