package release_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/golden"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	releasedb "vitrine/internal/store/release"
)

// newSection creates a section of type site and returns the path of its folder.
func newSection(a *apitest.API, slug string) string {
	made := a.Result("POST", "/categories", a.Owner, m{"item": m{"name": slug, "type": "site", "seo": m{"slug": slug}}})
	return "/site-folders/" + fmt.Sprint(made["id"])
}

// put creates a release of a folder and uploads what is missing.
func put(a *apitest.API, at, key, base string, f files, gone ...string) (id string, answer m) {
	answer = a.OK("POST", at+"/releases", key, m{"base": base, "files": f.manifest(), "delete": gone})
	for _, u := range answer["upload"].(l) {
		a.OK("PUT", u.(m)["upload_url"].(string), "", f[u.(m)["path"].(string)])
	}
	return answer["release_id"].(string), answer
}

// show puts a release and publishes it.
func show(a *apitest.API, at, key string, f files) string {
	id, _ := put(a, at, key, "none", f)
	a.OK("POST", at+"/releases/"+id+"/publish", key, nil)
	return id
}

// The sitemap lists a site folder and a page of the site files unless their latest text asks
// search engines not to index them.
func TestTheSitemapOmitsUploadedPagesWithNoindex(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	hosts, err := shop.ParseStorefronts("http://{shop}.shops.test")
	if err != nil {
		t.Fatal(err)
	}
	const away, open = `<meta name="robots" content="noindex"><p>a`, `<p>a`
	listed := func() []string {
		site, err := load.Site(t.Context(), a.Store.Shop(a.Shop.ID), hosts)
		if err != nil {
			t.Fatal(err)
		}
		var urls []string
		for url := range site.Listed(0, 50_000) {
			urls = append(urls, url)
		}
		return urls
	}
	is := func(when string, want ...string) {
		t.Helper()
		if got := listed(); !slices.Equal(got, append([]string{"/"}, want...)) {
			t.Errorf("%s: %q, want %q in addition to the home page", when, got, want)
		}
	}
	at := newSection(a, "docs")
	a.OK(
		"PUT", "/categories/"+strings.TrimPrefix(at, "/site-folders/"), a.Owner,
		m{"item": m{"name": "docs", "type": "site", "seo": m{"slug": "docs"}, "is_published": true}},
	)
	is("a folder without a release")
	first := show(a, at, a.Owner, files{"index.html": open, "other.html": away})
	is("a page inside with noindex", "/docs")
	show(a, at, a.Owner, files{"index.html": away})
	is("the start page has noindex")
	a.OK("POST", at+"/rollback", a.Owner, m{"release_id": first})
	is("rolled back", "/docs")

	file := a.OK("POST", "/site-files", a.Owner, m{"name": "a.html", "body": away, "is_published": true, "in_sitemap": true})
	is("a file with noindex", "/docs")
	one := "/site-files/" + file["id"].(string)
	a.OK("PATCH", one, a.Owner, m{"name": "b.html"})
	is("renamed", "/docs")
	a.OK("PATCH", one, a.Owner, m{"body": open})
	is("edited", "/docs", "/b.html")
	a.OK("PATCH", one, a.Owner, m{"body": away, "name": "c.txt"})
	is("not a page", "/docs")
	a.OK("PATCH", one, a.Owner, m{"name": "c.html"})
	is("a page again", "/docs")
}

func zipTo(a *apitest.API, at, query string, body []byte) apitest.Answer {
	return a.Send(
		apitest.Request{
			Method: "POST", Path: at + "/releases/zip" + query, Key: a.Owner, Body: body,
			Header: map[string]string{"Content-Type": "application/zip"},
		},
	)
}

func TestTheFirstReleaseOfASiteFolder(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	at := newSection(a, "docs")
	v := a.Result("GET", at, a.Owner, nil)
	if v["document_id"] != "0" || v["active_release_id"] != "0" || len(v["files"].(l)) != 0 || v["contour"] != "prod" ||
		v["path"] != "/docs/" {
		t.Errorf("before the first release: %v", v)
	}
	if got := fmt.Sprint(v["limits"]); got != "map[editor_bytes:2097152 file_bytes:104857600 files:2000 html_bytes:20971520 index_bytes:20971520 path_bytes:512 raster_bytes:10485760 release_bytes:0 zip_bytes:62914560 zip_entries:2000 zip_expanded_bytes:536870912]" {
		t.Errorf("limits: %s", got)
	}
	if got := fmt.Sprint(v["storage_usage"]); got != "map[active_bytes:0 release_count:0 retained_bytes:0 retained_files:0]" {
		t.Errorf("usage: %s", got)
	}
	if list := a.OK("GET", at+"/releases", a.Owner, nil)["result"].(l); len(list) != 0 {
		t.Errorf("releases: %v", list)
	}
	a.Refused("GET", at+"/releases/1", a.Owner, nil, 404, "RELEASE_NOT_FOUND")
	a.Refused("POST", at+"/rollback", a.Owner, m{"release_id": "1"}, 404, "RELEASE_NOT_FOUND")

	// Pending uploads keep the release from being published.
	first := files{"index.html": "<p>one", "a.css": "a{}", "copy.css": "a{}", "empty.txt": ""}
	answer := a.OK("POST", at+"/releases", a.Owner, m{"base": "active", "files": first.manifest()})
	id := answer["release_id"].(string)
	a.Refused("POST", at+"/releases/"+id+"/publish", a.Owner, nil, 409, "FILES_PENDING")
	a.Refused("POST", at+"/releases/"+id+"/validate", a.Owner, nil, 409, "FILES_PENDING")
	for _, u := range answer["upload"].(l) {
		a.Refused("PUT", u.(m)["upload_url"].(string), "", "other bytes", 400, "hash.mismatch")
		a.OK("PUT", u.(m)["upload_url"].(string), "", first[u.(m)["path"].(string)])
	}
	published := a.OK("POST", at+"/releases/"+id+"/publish", a.Owner, nil)
	if published["path"] != "/docs/" || published["url"] != "http://tea.shops.test/docs/" || published["embed_prefix"] != "" {
		t.Errorf("publish: %v", published)
	}
	v = a.Result("GET", at, a.Owner, nil)
	if v["active_release_id"] != id || apitest.Values(v["files"], "path") != "a.css copy.css index.html" || apitest.Values(v["files"], "mime") == "" {
		t.Errorf("after the first publish: %v", v)
	}
	if got := fmt.Sprint(v["storage_usage"]); got != "map[active_bytes:12 release_count:1 retained_bytes:12 retained_files:3]" {
		t.Errorf("usage: %s", got)
	}
}

func TestReleasesOfASiteFolder(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	at := newSection(a, "docs")
	one := show(a, at, a.Owner, files{"index.html": "<p>one", "old.css": "a{}"})

	// A rename is the same bytes under the new path and a deletion. Files that the request does
	// not contain are kept.
	renamed := a.OK("POST", at+"/releases", a.Owner, m{
		"base": "active", "delete": l{"old.css"}, "note": "renamed", "files": l{m{"path": "new.css", "sha256": sum("a{}"), "size": 3}},
	})
	if fmt.Sprint(renamed["reused"], renamed["inherited"], renamed["upload"]) != "[new.css] [index.html] []" {
		t.Errorf("a rename: %v", renamed)
	}
	two := renamed["release_id"].(string)
	if report := a.Result("POST", at+"/releases/"+two+"/validate", a.Owner, nil); len(report["errors"].(l)) != 0 {
		t.Errorf("validate: %v", report)
	}
	if a.Result("GET", at, a.Owner, nil)["active_release_id"] != one {
		t.Error("validation published the release")
	}
	a.Refused("POST", at+"/rollback", a.Owner, m{"release_id": two}, 400, "RELEASE_NOT_LIVE")
	a.OK("POST", at+"/releases/"+two+"/publish", a.Owner, nil)

	// The base is a string: active, none, or the id of any release of this folder.
	for base, want := range map[string]string{"": "index.html new.css x.txt", "active": "index.html new.css x.txt", one: "index.html old.css x.txt", "none": "x.txt"} {
		id, _ := put(a, at, a.Owner, base, files{"x.txt": "x"})
		if got := apitest.Values(a.Result("GET", at+"/releases/"+id, a.Owner, nil)["files"], "path"); got != want {
			t.Errorf("base %q: %s, want %s", base, got, want)
		}
	}
	a.Refused("POST", at+"/releases", a.Owner, m{"base": "999", "files": files{"x.txt": "x"}.manifest()}, 404, "RELEASE_NOT_FOUND")
	for _, base := range []any{"latest", "-1", "1.5"} {
		a.Refused("POST", at+"/releases", a.Owner, m{"base": base, "files": files{"x.txt": "x"}.manifest()}, 400, "RELEASE_BASE_INVALID")
	}
	a.Refused("POST", at+"/releases", a.Owner, m{"base": 1, "files": l{}}, 400, "INVALID_REQUEST") // a string, not a number

	if v := a.Result("POST", at+"/rollback", a.Owner, m{"release_id": one}); v["active_release_id"] != one ||
		apitest.Values(v["files"], "path") != "index.html old.css" {
		t.Errorf("rollback: %v", v)
	}
	if answer := a.Refused("DELETE", at+"/releases/"+one, a.Owner, nil, 400, "RELEASE_IN_USE"); answer["in_use"] != true {
		t.Errorf("in_use: %v", answer)
	}
	used := func() m { return a.Result("GET", at, a.Owner, nil)["storage_usage"].(m) }
	// index.html, old.css, new.css, x.txt: each content is counted once per path.
	if got := fmt.Sprint(used()); got != "map[active_bytes:9 release_count:6 retained_bytes:13 retained_files:4]" {
		t.Errorf("usage: %s", got)
	}
	a.OK("DELETE", at+"/releases/"+two, a.Owner, nil)
	a.Refused("GET", at+"/releases/"+two, a.Owner, nil, 404, "RELEASE_NOT_FOUND")
	a.Refused("POST", at+"/rollback", a.Owner, m{"release_id": two}, 404, "RELEASE_NOT_FOUND")
	if got := used()["release_count"]; got != 5.0 {
		t.Errorf("releases: %v", got)
	}
}

func TestTheListHasTheLatestFiftyReleases(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	at := newSection(a, "docs")
	var all []string
	for n := range 52 {
		id, _ := put(a, at, a.Owner, "none", files{"index.html": fmt.Sprint(n)})
		all = append(all, id)
		if n >= 48 { // 49, 50, 51, 52 releases
			slices.Reverse(all)
			if got := apitest.Values(a.OK("GET", at+"/releases", a.Owner, nil)["result"], "id"); got != strings.Join(all[:min(len(all), 50)], " ") {
				t.Errorf("of %d releases: %s", n+1, got)
			}
			slices.Reverse(all)
		}
	}
	if got := a.Result("GET", at, a.Owner, nil)["storage_usage"].(m)["release_count"]; got != 52.0 {
		t.Errorf("release_count %v", got)
	}
}

func TestReadingOneFileOfARelease(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	at := newSection(a, "docs")
	most := strings.Repeat("x", 2<<20)
	id, _ := put(
		a, at, a.Owner, "none",
		files{"index.html": "<script>1</script>", "pic.png": "png", "n-1.txt": most[1:], "n.txt": most, "n+1.txt": most + "x"},
	)
	read := func(path string) apitest.Answer {
		return a.Send(apitest.Request{Method: "GET", Path: at + "/releases/" + id + "/file?path=" + path, Key: a.Owner})
	}
	for path, kind := range map[string]string{"index.html": "text/plain; charset=utf-8", "pic.png": "application/octet-stream"} {
		got := read(path)
		if got.Status != 200 || got.Header.Get("Content-Type") != kind ||
			!strings.Contains(got.Header.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s: %d %v", path, got.Status, got.Header)
		}
	}
	for path, status := range map[string]int{"n-1.txt": 200, "n.txt": 200, "n%2B1.txt": 400, "none": 404, "": 404, "../index.html": 404, "INDEX.html": 404} {
		if got := read(path); got.Status != status {
			t.Errorf("%q: %d, want %d", path, got.Status, status)
		}
	}
	a.Refused("GET", at+"/releases/"+id+"/file?path=n%2B1.txt", a.Owner, nil, 400, "RELEASE_FILE_TOO_LARGE")
}

func TestInvalidSiteFoldersAreNotPublished(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	at := newSection(a, "docs")
	live := show(a, at, a.Owner, files{"index.html": "live"})
	for _, c := range []struct {
		name  string
		files files
		want  string
	}{
		{"index missing", files{"page.html": "x"}, "ref.missing index.html:0"},
		{"an index elsewhere", files{"docs/index.html": "x"}, "ref.missing index.html:0"},
		{"server script", files{"index.html": "x", "a/shell.PHP": "<?php"}, "file.forbidden a/shell.PHP:0"},
		{"executable", files{"index.html": "x", "setup.exe": "MZ"}, "file.forbidden setup.exe:0"},
		{"server configuration", files{"index.html": "x", "sub/.htaccess": "x"}, "file.forbidden sub/.htaccess:0"},
		{"service worker", files{"index.html": "x", "a.js": "\nnavigator.serviceWorker.register('/sw.js')"}, "sw.register a.js:2"},
		{"service worker in a page", files{"index.html": "x", "b.html": "<script>navigator.serviceWorker.register('/sw.js')</script>"}, "sw.register b.html:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			id, _ := put(a, at, a.Owner, "none", c.files)
			if got := codes(a.Result("POST", at+"/releases/"+id+"/validate", a.Owner, nil), "errors"); got != c.want {
				t.Errorf("validate: %s, want %s", got, c.want)
			}
			answer := a.Refused("POST", at+"/releases/"+id+"/publish", a.Owner, nil, 422, "RELEASE_INVALID")
			if got := codes(answer["report"], "errors"); got != c.want {
				t.Errorf("publish: %s, want %s", got, c.want)
			}
		})
	}
	// Many pages and broken references are allowed: a static host serves them as they are.
	fine, _ := put(a, at, a.Owner, "none", files{"index.html": `<a href="/gone"><img src="no.png">`, "b.html": "b", "docs/index.html": "c"})
	if report := a.Result("POST", at+"/releases/"+fine+"/validate", a.Owner, nil); len(report["errors"].(l))+len(report["warnings"].(l)) != 0 {
		t.Errorf("a plain website: %v", report)
	}
	if got := a.Result("GET", at, a.Owner, nil)["active_release_id"]; got != live {
		t.Errorf("live is %v, not %s", got, live)
	}
}

// Features and references that do not work in a site folder do not prevent publishing. The dry run,
// the publish and a ZIP upload report them.
func TestUnavailableFeaturesInASiteFolderAreReported(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	at := newSection(a, "docs")
	vite := files{
		"index.html": "<!doctype html>\n<link rel=stylesheet href=/assets/a.css>\n<script type=module src=assets/a.js></script>", "assets/a.css": "p{}",
		"assets/a.js": "document.cookie\nlocalStorage.a\nsessionStorage.a",
	}
	const want = "sandbox.storage assets/a.js:1 sandbox.storage assets/a.js:2 sandbox.storage assets/a.js:3 ref.root index.html:2"
	id, _ := put(a, at, a.Owner, "none", vite)
	told := map[string]any{
		"validate": a.Result("POST", at+"/releases/"+id+"/validate", a.Owner, nil),
		"publish":  a.OK("POST", at+"/releases/"+id+"/publish", a.Owner, nil)["report"],
		"zip":      zipTo(a, at, "?base=none&publish=1", packed(t, vite)).JSON["report"],
	}
	for door, report := range told {
		if got := codes(report, "warnings"); got != want {
			t.Errorf("%s: %s", door, got)
		}
	}
}

// everyFolderCall returns each endpoint of a folder with a release, the scopes it needs (document
// 3, section 5) and whether it writes.
func everyFolderCall(at, release string) []struct {
	method, path string
	body         m
	scopes       []shop.Scope
} {
	read, change := []shop.Scope{"catalog:read"}, []shop.Scope{"catalog:write", "storage:write"}
	one := at + "/releases/" + release
	return []struct {
		method, path string
		body         m
		scopes       []shop.Scope
	}{
		{"GET", at, nil, read},
		{"GET", at + "/releases", nil, read},
		{"GET", one, nil, read},
		{"GET", one + "/file?path=index.html", nil, read},
		{"POST", at + "/releases", m{"files": l{}}, change},
		{"POST", at + "/releases/zip", nil, change},
		{"POST", one + "/validate", nil, change},
		{"POST", one + "/publish", m{}, change},
		{"POST", at + "/rollback", m{"release_id": release}, change[:1]},
		{"DELETE", one, nil, change},
	}
}

func TestWhoMayUseSiteFolders(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	at := newSection(a, "docs")
	live := show(a, at, a.Owner, files{"index.html": "one"})
	for _, c := range everyFolderCall(at, live) {
		what := c.method + " " + c.path
		a.Refused(c.method, c.path, a.Editor, c.body, 403, "HTML_SCRIPT_ROLE_REQUIRED")
		a.Refused(c.method, c.path, a.Stranger, c.body, 404, "SITE_FOLDER_NOT_FOUND")
		if out := a.Send(apitest.Request{Method: c.method, Path: c.path, Body: c.body}); out.Status != 401 {
			t.Errorf("%s without a key: %d", what, out.Status)
		}
		needs := c.scopes
		for i, scope := range needs {
			rest := slices.Delete(slices.Clone(needs), i, i+1)
			answer := a.Refused(c.method, c.path, a.Scoped(append(rest, "redirects:read")...), c.body, 403, "PAT_SCOPE_MISSING")
			if answer["required_scope"] != string(scope) {
				t.Errorf("%s: required_scope %v, want %s", what, answer["required_scope"], scope)
			}
		}
		if c.method == "GET" {
			a.Send(apitest.Request{Method: c.method, Path: c.path, Key: a.Dev})
		}
		if got := a.Send(apitest.Request{Method: c.method, Path: c.path, Body: c.body, Key: a.Scoped(needs...)}); got.Status == 403 {
			t.Errorf("%s with %s: %s", what, c.scopes, got.Body)
		}
	}
	admin := a.Key(a.Member(shop.Admin), shop.Admin, shop.Prod)
	a.OK("GET", at, admin, nil)
	page := a.Result("POST", "/categories", a.Owner, m{"item": m{"name": "Page", "type": "page"}})
	for _, other := range []string{fmt.Sprint(page["id"]), "999999", "0", "99999999999"} {
		a.Refused("GET", "/site-folders/"+other, a.Owner, nil, 404, "SITE_FOLDER_NOT_FOUND")
		a.Refused(
			"POST", "/site-folders/"+other+"/releases", a.Owner, m{"files": files{"index.html": "x"}.manifest()}, 404,
			"SITE_FOLDER_NOT_FOUND",
		)
	}
}

func TestTheContoursOfASiteFolder(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	at := newSection(a, "docs")
	live := show(a, at, a.Owner, files{"index.html": "live"})
	draft := show(a, at, a.Dev, files{"index.html": "the draft"})
	active := func(key string) string {
		v := a.Result("GET", at, key, nil)
		return fmt.Sprint(v["contour"], " ", v["active_release_id"], " ", v["storage_usage"].(m)["active_bytes"])
	}
	if active(a.Owner) != "prod "+live+" 4" || active(a.Dev) != "dev "+draft+" 9" {
		t.Errorf("prod %s, dev %s", active(a.Owner), active(a.Dev))
	}
	if answer := a.Refused("POST", at+"/rollback", a.Owner, m{"release_id": draft}, 400, "RELEASE_NOT_LIVE"); answer["was_live"] != false {
		t.Errorf("was_live: %v", answer)
	}
	a.Refused("DELETE", at+"/releases/"+draft, a.Owner, nil, 400, "RELEASE_IN_USE")
	a.Refused("DELETE", at+"/releases/"+live, a.Dev, nil, 403, "PAT_CONTOUR_MISMATCH")
	a.Result("POST", at+"/rollback", a.Dev, m{"release_id": live})
	a.Result("POST", at+"/rollback", a.Dev, m{"release_id": draft}) // it was published in the draft before
	folders, err := releasedb.LiveFolders(t.Context(), a.Store.Shop(a.Shop.ID))
	if err != nil || len(folders) != 1 || folders[0].Release.String() != live {
		t.Errorf("visitors get %v, %v", folders, err)
	}
	a.OK("POST", "/drafts/publish", a.Owner, m{"all": true})
	if got := active(a.Owner); got != "prod "+draft+" 9" {
		t.Errorf("after publishing the draft: %s", got)
	}
	if v := a.Result("GET", at+"/releases/"+draft, a.Owner, nil); v["was_live"] != true || v["preview_base"] != "" {
		t.Errorf("the release: %v", v)
	}
	// A section that exists only in the draft has a folder only in the draft.
	made := a.Result("POST", "/categories", a.Dev, m{"item": m{"name": "New", "type": "site"}})
	fresh := "/site-folders/" + fmt.Sprint(made["id"])
	show(a, fresh, a.Dev, files{"index.html": "fresh"})
	a.Refused("GET", fresh, a.Owner, nil, 404, "SITE_FOLDER_NOT_FOUND")
}

func TestExceedingTheStorageLimitKeepsTheLiveFolder(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	at := newSection(a, "docs")
	live := show(a, at, a.Owner, files{"index.html": "live"})
	for more, status := range map[int]int{99: 200, 100: 200, 101: 429} {
		a.Limit(company.Limits{store.LimitStorage: 104})
		got := zipTo(a, at, "?base=none&publish=1", packed(t, files{"index.html": "live", "x.txt": strings.Repeat(strconv.Itoa(more%10), more)}))
		if got.Status != status ||
			status == 429 && (apitest.Code(got.JSON) != "STORAGE_LIMIT_REACHED" || got.JSON["limit_code"] != "storage_bytes") {
			t.Errorf("%d more bytes: %d %s", more, got.Status, got.Body)
		}
		a.Limit(nil)
		a.OK("POST", at+"/rollback", a.Owner, m{"release_id": live})
		for _, r := range a.OK("GET", at+"/releases", a.Owner, nil)["result"].(l) {
			if id := r.(m)["id"].(string); id != live {
				a.OK("DELETE", at+"/releases/"+id, a.Owner, nil)
			}
		}
	}
}

// leftovers lists temporary files of the program.
func leftovers(t testing.TB) (left []string) {
	t.Helper()
	for _, pattern := range []string{"vitrine-*.zip", "vitrine-packed-*"} {
		found, err := filepath.Glob(filepath.Join(os.TempDir(), pattern))
		if err != nil {
			t.Fatal(err)
		}
		left = append(left, found...)
	}
	return left
}

// A saved website may refer to files without an extension. Publishing records the type that its
// pages use them as in the manifest, from which the edge serves them.
func TestAPublishedFileHasTheTypeOfItsUse(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	website := files{"index.html": `<!doctype html><title>a</title><link rel=stylesheet href=look><script src=load></script>`, "look": "p{color:red}", "load": "1", "rest": "?"}
	for _, at := range []string{newSection(a, "docs"), "/html-documents/" + newDocument(a)} {
		release := show(a, at, a.Owner, website)
		types := map[string]string{}
		for _, f := range a.Result("GET", at+"/releases/"+release, a.Owner, nil)["files"].(l) {
			types[f.(m)["path"].(string)] = f.(m)["mime"].(string)
		}
		want := map[string]string{
			"index.html": "text/html; charset=utf-8", "look": "text/css; charset=utf-8", "load": "text/javascript; charset=utf-8", "rest": "application/octet-stream",
		}
		golden.Map(t, at, types, want)
	}
}
