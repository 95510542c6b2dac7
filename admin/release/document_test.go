package release_test

import (
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
)

func TestDocumentsGetTheirContentByReleases(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := a.Result("POST", "/html-documents", a.Owner, m{"item": m{"name": " Landing ", "level": 3}})
	id := doc["id"].(string)
	if doc["name"] != "Landing" || doc["level"] != 3.0 || doc["source"].(m)["url"] != "" || doc["active_release_id"] != "0" {
		t.Errorf("created: %v", doc)
	}
	doc = a.Result("PUT", "/html-documents/"+id, a.Owner, m{"item": m{"description": "Spring"}})
	if doc["name"] != "Landing" || doc["description"] != "Spring" {
		t.Errorf("absent fields changed: %v", doc)
	}
	for _, field := range []string{"html", "css", "js", "source", "files"} {
		for _, c := range []struct{ method, path string }{{"PUT", "/html-documents/" + id}, {"POST", "/html-documents"}} {
			a.Refused(c.method, c.path, a.Owner, m{"item": m{"name": "x", field: nil}}, 400, "HTML_PROJECT_USE_RELEASE")
		}
	}
	for _, c := range []struct {
		item m
		code string
	}{
		{m{}, "HTML_DOCUMENT_NAME_INVALID"},
		{m{"name": " "}, "HTML_DOCUMENT_NAME_INVALID"},
		{m{"name": strings.Repeat("é", 256)}, "HTML_DOCUMENT_NAME_INVALID"},
		{m{"name": "n", "description": strings.Repeat("é", 2001)}, "HTML_DOCUMENT_DESCRIPTION_TOO_LONG"},
		{m{"name": "n", "level": 2}, "HTML_DOCUMENT_LEVEL_INVALID"},
	} {
		a.Refused("POST", "/html-documents", a.Owner, m{"item": c.item}, 400, c.code)
	}
	release := publish(a, id, files{"index.html": html("one")})
	doc = a.Result("GET", "/html-documents/"+id, a.Owner, nil)
	if want := "http://tea.shops.test/_html/" + id + "/" + release + "/index.html"; doc["source"].(m)["url"] != want {
		t.Errorf("source: %v, want %s", doc["source"], want)
	}

	a.OK("DELETE", "/html-documents/"+id, a.Owner, nil)
	a.Refused("GET", "/html-documents/"+id, a.Owner, nil, 404, "HTML_DOCUMENT_NOT_FOUND")
	if list := a.OK("GET", "/html-documents", a.Owner, nil)["result"].(l); len(list) != 0 {
		t.Errorf("a deleted document is listed: %v", list)
	}
	if used := a.Result("GET", "/tariff/usage", a.Owner, nil)["storage_bytes"].(m)["used"]; used != "0" {
		t.Errorf("a deleted document still uses %v bytes", used)
	}
}

// everyDocumentCall returns each endpoint of a document with a release, and whether it writes.
func everyDocumentCall(doc, release string) []struct {
	method, path string
	body         m
	writes       bool
} {
	base := "/html-documents/" + doc
	return []struct {
		method, path string
		body         m
		writes       bool
	}{
		{"GET", base, nil, false},
		{"PUT", base, m{"item": m{"name": "x"}}, true},
		{"GET", base + "/releases", nil, false},
		{"POST", base + "/releases", m{"files": l{}}, true},
		{"POST", base + "/releases/zip", nil, true},
		{"GET", base + "/releases/" + release, nil, false},
		{"POST", base + "/releases/" + release + "/validate", nil, true},
		{"POST", base + "/releases/" + release + "/publish", nil, true},
		{"POST", base + "/rollback", m{"release_id": release}, true},
		{"DELETE", base + "/releases/" + release, nil, true},
		{"DELETE", base, nil, true},
	}
}

func TestDocumentsOfAnotherShopDoNotExist(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := newDocument(a)
	release := publish(a, doc, files{"index.html": html("one")})
	for _, c := range everyDocumentCall(doc, release) {
		a.Refused(c.method, c.path, a.Stranger, c.body, 404, "HTML_DOCUMENT_NOT_FOUND")
	}
	if active(a, doc) != release {
		t.Error("another shop changed the live release")
	}
	// A release belongs to one document only.
	other := newDocument(a)
	for _, c := range []struct{ method, path string }{
		{"GET", path(other, release)}, {"POST", path(other, release) + "/publish"}, {"POST", path(other, release) + "/validate"}, {"DELETE", path(other, release)},
	} {
		a.Refused(c.method, c.path, a.Owner, nil, 404, "RELEASE_NOT_FOUND")
	}
	a.Refused("POST", "/html-documents/"+other+"/rollback", a.Owner, m{"release_id": release}, 404, "RELEASE_NOT_FOUND")
	a.Refused("POST", "/html-documents/"+other+"/releases", a.Owner, m{"base": release, "files": l{}}, 404, "RELEASE_NOT_FOUND")
}

func TestWhoMayPublishScripts(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := newDocument(a)
	release := send(a, doc, files{"index.html": html("one")})
	item := m{"item": m{"name": "n", "level": 3}}
	a.Refused("POST", "/html-documents", a.Editor, item, 403, "HTML_SCRIPT_ROLE_REQUIRED")
	for _, c := range everyDocumentCall(doc, release) {
		if c.writes {
			a.Refused(c.method, c.path, a.Editor, c.body, 403, "HTML_SCRIPT_ROLE_REQUIRED")
			if c.method == "DELETE" { // deletions of releases have no draft
				a.Refused(c.method, c.path, a.Dev, c.body, 403, "PAT_CONTOUR_MISMATCH")
			}
			a.Refused(c.method, c.path, a.Scoped("catalog:read"), c.body, 403, "PAT_SCOPE_MISSING")
		} else {
			a.OK(c.method, c.path, a.Editor, nil)
			a.OK(c.method, c.path, a.Dev, nil)
			a.Refused(c.method, c.path, a.Scoped("storage:write"), nil, 403, "PAT_SCOPE_MISSING")
		}
	}
	answer := a.Refused("POST", path(doc, release)+"/publish", a.Scoped("catalog:read", "catalog:write"), nil, 403, "PAT_SCOPE_MISSING")
	if answer["required_scope"] != "storage:write" {
		t.Errorf("required_scope: %v", answer)
	}
	admin := a.Key(a.Member(shop.Admin), shop.Admin, shop.Prod)
	a.OK("POST", path(doc, release)+"/publish", admin, nil)
}
