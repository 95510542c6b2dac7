package release_test

import (
	"fmt"
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

// A document names the places that show it.
func TestADocumentSaysWhereItIsUsed(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := newDocument(a)
	used := func() m { return a.Result("GET", "/html-documents/"+doc, a.Owner, nil) }
	if got := used(); len(got["used_in"].(l)) != 0 || got["used_total"] != 0.0 {
		t.Errorf("unused: %v", got)
	}
	block := a.Result("POST", "/content-blocks", a.Owner, m{"item": m{"name": "B", "sections": l{m{"type": "text", "payload": m{"v": 2, "kind": "html", "props": m{"html": m{"documentId": doc}}}}}}})["id"]
	page := a.Result("POST", "/categories", a.Owner, m{"item": m{"name": "Spring", "type": "page"}})["id"]
	a.OK("PUT", fmt.Sprintf("/categories/%v/content-blocks", page), a.Owner, m{"items": l{m{"block_id": block}}})
	got := used()
	use := got["used_in"].(l)[0].(m)
	if got["used_total"] != 1.0 || use["type"] != "category" || use["name"] != "Spring" || use["id"] != fmt.Sprint(page) {
		t.Errorf("used: %v", got)
	}
	other := newDocument(a)
	for _, d := range a.OK("GET", "/html-documents", a.Owner, nil)["result"].(l) {
		if d := d.(m); d["id"] == other && d["used_total"] != 0.0 || d["id"] == doc && (d["used_total"] != 1.0 || d["used_in"].(l)[0].(m)["name"] != "Spring") {
			t.Errorf("listed: %v", d)
		}
	}
	a.OK("DELETE", fmt.Sprintf("/categories/%v", page), a.Owner, nil)
	if got := used(); got["used_total"] != 0.0 {
		t.Errorf("a deleted page: %v", got)
	}
}

// Releases of all kinds of holders are compared in one way.
func TestReleasesOfEveryHolderAreCompared(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	layout := a.Result("POST", "/content-blocks", a.Owner, m{"item": m{"name": "L", "group_type": "theme"}})["id"]
	section := a.Result("POST", "/categories", a.Owner, m{"item": m{"name": "Docs", "type": "site"}})["id"]
	for _, root := range []string{"/html-documents/" + newDocument(a), fmt.Sprintf("/themes/%v/site", layout), fmt.Sprintf("/site-folders/%v", section)} {
		var ids []string
		for _, f := range []files{{"index.html": html("one"), "a.css": "a{}", "b.css": "b{}"}, {"index.html": html("two"), "b.css": "b{}", "c.css": "c{}"}} {
			got := a.Send(apitest.Request{Method: "POST", Path: root + "/releases/zip?base=none&publish=1", Key: a.Owner, Body: packed(t, f), Header: map[string]string{"Content-Type": "application/zip"}})
			if got.Status != 200 {
				t.Fatalf("%s: %d %s", root, got.Status, got.Body)
			}
			ids = append(ids, got.JSON["release_id"].(string))
		}
		d := a.Result("GET", root+"/releases/"+ids[0]+"/diff", a.Owner, nil)
		if d["to"] != ids[1] || d["added_total"] != 1.0 || d["removed_total"] != 1.0 || d["changed_total"] != 1.0 || len(d["text"].(l)) != 2 {
			t.Errorf("%s: %v", root, d)
		}
	}
}
