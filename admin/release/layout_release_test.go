package release_test

import (
	"testing"

	"vitrine/admin/api/apitest"
)

func TestALayoutHasTheSameReleasesAsADocument(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	theme := group(a, "theme")
	at := "/themes/" + theme + "/site"
	if list := a.OK("GET", at+"/releases", a.Owner, nil)["result"].(l); len(list) != 0 {
		t.Errorf("before the first release: %v", list)
	}
	a.Refused("GET", at+"/releases/1", a.Owner, nil, 404, "RELEASE_NOT_FOUND")
	first := zipTo(a, at, "?base=none&publish=1", packed(t, files{"look/index.html": html(""), "look/a.css": "a{}"}))
	if first.Status != 200 || first.JSON["path"] != "/" || apitest.Values(layoutSite(a, theme)["files"], "path") != "a.css index.html" {
		t.Fatalf("a ZIP: %d %s", first.Status, first.Body)
	}
	live := first.JSON["release_id"].(string)
	next := sendLayout(a, theme, "active", files{"b.css": "b{}"})
	if report := a.Result("POST", at+"/releases/"+next+"/validate", a.Owner, nil); len(report["errors"].(l)) != 0 {
		t.Errorf("validate: %v", report)
	}
	if got := apitest.Values(a.OK("GET", at+"/releases", a.Owner, nil)["result"], "id"); got != next+" "+live {
		t.Errorf("list: %s", got)
	}
	a.Refused("DELETE", at+"/releases/"+live, a.Owner, nil, 400, "RELEASE_IN_USE")
	a.Refused("DELETE", at+"/releases/"+next, a.Editor, nil, 403, "HTML_SCRIPT_ROLE_REQUIRED")
	a.OK("DELETE", at+"/releases/"+next, a.Owner, nil)
	a.Refused("GET", at+"/releases/"+next, a.Owner, nil, 404, "RELEASE_NOT_FOUND")
	bad := zipTo(a, at, "?base=none&publish=1", packed(t, files{"index.html": html(`<img src="no.png" width="1" height="1">`)}))
	if bad.Status != 422 || layoutSite(a, theme)["active_release_id"] != live {
		t.Errorf("a faulty ZIP: %d %s", bad.Status, bad.Body)
	}
	for _, c := range []struct{ method, path string }{{"GET", at + "/releases"}, {"DELETE", at + "/releases/" + live}, {"POST", at + "/releases/zip"}} {
		a.Refused(c.method, c.path, a.Stranger, nil, 404, "BLOCK_NOT_FOUND")
	}
}
