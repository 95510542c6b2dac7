package sitefile_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
)

const filesPath = "/site-files"

func newFile(a *apitest.API, fields m) m {
	if fields["body"] == nil {
		fields["body"] = "words"
	}
	return a.OK("POST", filesPath, a.Owner, fields)
}

func fileAt(f m) string { return filesPath + "/" + f["id"].(string) }

func names(a *apitest.API, query string) string {
	var list []string
	for _, f := range a.OK("GET", filesPath+query, a.Owner, nil)["items"].(l) {
		list = append(list, f.(m)["path"].(string))
	}
	return strings.Join(list, " ")
}

func TestSiteFileHasTheSpecifiedFields(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	f := newFile(a, m{"name": "Ads.txt", "body": "привет"})
	for field, want := range (m{
		"id": "1", "category_id": 0.0, "name": "Ads.txt", "path": "/Ads.txt", "url": "http://tea.shops.test/Ads.txt", "size": "12", "body": "привет",
		"content_type": "text/plain; charset=utf-8", "is_published": false, "in_sitemap": false, "orphaned": false, "row_version": "1", "last_build": nil,
	}) {
		if f[field] != want {
			t.Errorf("%s is %v, want %v", field, f[field], want)
		}
	}
	if at, err := time.Parse(time.RFC3339, f["created_at"].(string)); err != nil || at.Location() != time.UTC {
		t.Errorf("created_at %v", f["created_at"])
	}
	f = a.OK("PATCH", fileAt(f), a.Owner, m{"is_published": true})
	if f["row_version"] != "2" || f["body"] != "привет" || f["is_published"] != true {
		t.Errorf("after a change: %v", f)
	}
	listed := a.OK("GET", filesPath, a.Owner, nil)["items"].(l)[0].(m)
	if _, has := listed["body"]; has || listed["size"] != "12" {
		t.Errorf("listed: %v", listed)
	}
	if deleted := a.OK("DELETE", fileAt(f), a.Owner, nil); len(deleted) != 0 {
		t.Errorf("DELETE answers %v", deleted)
	}
	a.Refused("GET", fileAt(f), a.Owner, nil, 404, "SITE_FILE_NOT_FOUND")
	a.Refused("DELETE", fileAt(f), a.Owner, nil, 404, "SITE_FILE_NOT_FOUND")
	newFile(a, m{"name": "Ads.txt"}) // the name is available again
}

func TestNamesOfSiteFiles(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for _, name := range []string{
		strings.Repeat("n", 119) + ".xml", strings.Repeat("n", 120) + ".xml", strings.Repeat("n", 120) + ".html", "a.yml", "a.csv", "A_b-c.d.txt",
		"a.json", "ads.txt", "app-ads.txt", "google1234567890.html", "0.txt", "....txt",
	} {
		newFile(a, m{"name": name})
	}
	for _, name := range []string{
		"", "a", ".xml", "a.XML", "a.pdf", "a.xml/", "b/a.xml", "a b.xml", "é.xml", "a.xml\n", strings.Repeat("n", 121) + ".xml", strings.Repeat("n", 126) + ".xml",
	} {
		a.Refused("POST", filesPath, a.Owner, m{"name": name, "body": "x"}, 400, "SITE_FILE_NAME_INVALID")
	}
	long := a.Refused("POST", filesPath, a.Owner, m{"name": strings.Repeat("n", 127) + ".xml", "body": "x"}, 400, "INVALID_REQUEST")
	if !strings.Contains(long["error"].(string), "name") {
		t.Error(long)
	}
	tea := section(a, "tea", 0)
	for _, name := range []string{"Robots.txt", "sitemap.xml", "yandex-token.html", "favicon.txt", "icon.json", "icons.html", "Icon-192.txt", "indexnow-key.txt"} {
		a.Refused("POST", filesPath, a.Owner, m{"name": name, "body": "x"}, 400, "SITE_FILE_PATH_RESERVED")
		f := newFile(a, m{"name": name, "category_id": tea})
		a.Refused("PATCH", fileAt(f), a.Owner, m{"category_id": 0}, 400, "SITE_FILE_PATH_RESERVED")
	}
	f := newFile(a, m{"name": "free.txt"})
	a.Refused("PATCH", fileAt(f), a.Owner, m{"name": "robots.txt"}, 400, "SITE_FILE_PATH_RESERVED")
}

func TestPlacesOfSiteFiles(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	tea := section(a, "tea", 0)
	green := section(a, "green", tea)
	home := a.Result("POST", "/categories", a.Owner, m{"item": m{"name": "Home", "type": "page", "is_home": true}})["id"]
	f := newFile(a, m{"name": "feed.xml", "category_id": green})
	if f["path"] != "/tea/green/feed.xml" || f["category_id"] != green {
		t.Errorf("%v", f)
	}
	a.Refused("POST", filesPath, a.Owner, m{"name": "FEED.xml", "category_id": green, "body": "x"}, 409, "SITE_FILE_PATH_TAKEN")
	if at := newFile(a, m{"name": "root.xml", "category_id": home}); at["category_id"] != 0.0 || at["path"] != "/root.xml" {
		t.Errorf("in the home category: %v", at)
	}
	a.Refused("PATCH", fileAt(f), a.Owner, m{"category_id": 0, "name": "ROOT.xml"}, 409, "SITE_FILE_PATH_TAKEN")
	for _, id := range []any{99, "2147483648", "9223372036854775807"} {
		a.Refused("PATCH", fileAt(f), a.Owner, m{"category_id": id}, 404, "SITE_FILE_CATEGORY_NOT_FOUND")
	}
	for _, call := range [][2]string{{"POST", filesPath}, {"PATCH", fileAt(f)}} {
		body := a.Refused(call[0], call[1], a.Owner, m{"name": "x.txt", "category_id": -1}, 400, "INVALID_REQUEST")
		if !strings.Contains(body["error"].(string), "category_id") {
			t.Error(body)
		}
	}
	a.Refused("GET", filesPath+"?category_id=-1", a.Owner, nil, 400, "INVALID_REQUEST")
	newFile(a, m{"name": "A.csv", "category_id": tea})
	for query, want := range map[string]string{
		"": "/root.xml /tea/A.csv /tea/green/feed.xml", "?category_id=0": "/root.xml", fmt.Sprint("?category_id=", tea): "/tea/A.csv",
		"?q=FEED": "/tea/green/feed.xml", "?q=/tea/": "/tea/A.csv /tea/green/feed.xml", "?q=nothing": "",
		"?q=" + strings.Repeat("x", 200): "",
	} {
		if got := names(a, query); got != want {
			t.Errorf("%s lists %q, want %q", query, got, want)
		}
	}
	a.Refused("GET", filesPath+"?q="+strings.Repeat("x", 201), a.Owner, nil, 400, "INVALID_REQUEST")
	moved := a.OK("PATCH", fileAt(f), a.Owner, m{"category_id": "0"})
	if moved["path"] != "/feed.xml" || moved["row_version"] != "2" {
		t.Errorf("moved: %v", moved)
	}
}

func TestSiteFilesFollowTheirSection(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	tea, gifts := section(a, "tea", 0), section(a, "gifts", 0)
	green := section(a, "green", tea)
	f := newFile(a, m{"name": "feed.xml", "category_id": green, "is_published": true})
	page := newFile(a, m{"name": "page.html", "category_id": green, "is_published": true})
	changes := a.OK("POST", "/categories/move", a.Owner, m{"from_id": green, "to_id": gifts})["url_changes"].(l)
	var files []string
	for _, c := range changes {
		if c := c.(m); c["kind"] == "file" {
			files = append(files, fmt.Sprint(c["old_path"], " ", c["new_path"], " ", c["covered_by"]))
		}
	}
	if got := strings.Join(files, ", "); got != "/tea/green/feed.xml /gifts/green/feed.xml none, /tea/green/page.html /gifts/green/page.html auto" &&
		got != "/tea/green/feed.xml /gifts/green/feed.xml none, /tea/green/page.html /gifts/green/page.html none" {
		t.Errorf("url_changes of files: %s", got)
	}
	if got := a.OK("GET", fileAt(f), a.Owner, nil); got["path"] != "/gifts/green/feed.xml" {
		t.Errorf("after a move: %v", got["path"])
	}
	a.OK("PUT", fmt.Sprint("/categories/", green), a.Owner, m{"item": m{"seo": m{"slug": "jade"}}})
	if got := a.OK("GET", fileAt(f), a.Owner, nil); got["path"] != "/gifts/jade/feed.xml" {
		t.Errorf("after a rename: %v", got["path"])
	}
	a.OK("DELETE", fmt.Sprint("/categories/", gifts), a.Owner, nil)
	if got := a.OK("GET", fileAt(f), a.Owner, nil); got["orphaned"] != true || got["path"] != "" || got["url"] != "" ||
		got["category_id"] != green {
		t.Errorf("an orphan: %v", got)
	}
	a.Refused("POST", filesPath, a.Owner, m{"name": "x.txt", "body": "", "category_id": green}, 404, "SITE_FILE_CATEGORY_NOT_FOUND")
	if got := a.OK("PATCH", fileAt(f), a.Owner, m{"category_id": tea}); got["orphaned"] != false || got["path"] != "/tea/feed.xml" {
		t.Errorf("moved out: %v", got)
	}
	a.OK("DELETE", fileAt(page), a.Owner, nil)
	a.OK("PUT", fmt.Sprint("/categories/", tea), a.Owner, m{"item": m{"is_home": true}})
	if got := a.OK("GET", fileAt(f), a.Owner, nil); got["category_id"] != 0.0 || got["path"] != "/feed.xml" {
		t.Errorf("in a section that became the home page: %v", got)
	}
}

func TestBodiesOfSiteFiles(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for _, n := range []int{0, 65_535, 65_536} {
		newFile(a, m{"name": fmt.Sprint("b", n, ".txt"), "body": strings.Repeat("x", n)})
	}
	f := newFile(a, m{"name": "f.xml", "body": "<a/>"})
	for _, call := range [][2]string{{"POST", filesPath}, {"PATCH", fileAt(f)}, {"POST", filesPath + "/preview"}} {
		send := func(body any, status int, code string) m {
			t.Helper()
			fields := m{"name": "new.xml", "body": body}
			if strings.HasSuffix(call[1], "preview") {
				fields = m{"path": "/new.xml", "body": body}
			}
			return a.Refused(call[0], call[1], a.Owner, fields, status, code)
		}
		send(strings.Repeat("x", 65_537), 400, "SITE_FILE_BODY_TOO_LARGE")
		send(strings.Repeat("я", 32_769), 400, "SITE_FILE_BODY_TOO_LARGE")
		send("a\x00b", 400, "SITE_FILE_BODY_INVALID")
		if call[1] != filesPath+"/preview" {
			broken := send("<a>\n{{nope}}</a>", 400, "SITE_FILE_TEMPLATE_INVALID")
			if broken["line"] != 2.0 || !strings.Contains(broken["error"].(string), "line 2") {
				t.Error(broken)
			}
			send(`{{define "a"}}{{template "b"}}{{end}}{{define "b"}}{{template "a"}}{{end}}`, 400, "SITE_FILE_TEMPLATE_INVALID")
		}
		for body, want := range map[string]string{"{\"name\":\"n.txt\",\"body\":\"\xff\"}": "SITE_FILE_BODY_INVALID", "{\"name\":\"\xff.txt\",\"body\":\"x\"}": "SITE_FILE_NAME_INVALID", `{"title":"x"}`: "INVALID_REQUEST"} {
			answer := a.Send(apitest.Request{Method: call[0], Path: call[1], Key: a.Owner, Body: body})
			if answer.Status != 400 || apitest.Code(answer.JSON) != want {
				t.Errorf("%s: %d %s", body, answer.Status, answer.Body)
			}
			if want == "INVALID_REQUEST" && !strings.Contains(answer.JSON["error"].(string), "invalid request body: title") {
				t.Errorf("%s", answer.Body)
			}
		}
	}
	newFile(a, m{"name": "late.txt", "body": `{{range products "nope=1"}}{{.Foo}}{{end}}`}) // unknown fields and options are reported when rendering
}

func TestKnowVersionGuardsAgainstLostEdits(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	f := newFile(a, m{"name": "f.txt"})
	a.OK("PATCH", fileAt(f), a.Owner, m{"body": "one", "know_version": "1"})
	for _, known := range []any{1, "3", -1} {
		a.Refused("PATCH", fileAt(f), a.Owner, m{"body": "late", "know_version": known}, 409, "SITE_FILE_VERSION_CONFLICT")
	}
	a.OK("PATCH", fileAt(f), a.Owner, m{"body": "two", "know_version": 0})
	if got := a.OK("PATCH", fileAt(f), a.Owner, m{}); got["row_version"] != "4" || got["body"] != "two" {
		t.Errorf("%v", got)
	}
}

func TestOfConcurrentCreatesOfOneNameOneSucceeds(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	other := newFile(a, m{"name": "other.txt"})
	third := newFile(a, m{"name": "third.txt"})
	var wins, losses sync.Map
	var all sync.WaitGroup
	for i, call := range []apitest.Request{
		{Method: "POST", Path: filesPath, Body: m{"name": "one.txt", "body": "a"}},
		{Method: "POST", Path: filesPath, Body: m{"name": "ONE.txt", "body": "b"}},
		{Method: "PATCH", Path: fileAt(other), Body: m{"name": "one.txt"}},
		{Method: "PATCH", Path: fileAt(third), Body: m{"name": "oNe.txt", "category_id": 0}},
	} {
		call.Key = a.Owner
		all.Go(func() {
			switch answer := a.Send(call); {
			case answer.Status == 200:
				wins.Store(i, true)
			case apitest.Code(answer.JSON) == "SITE_FILE_PATH_TAKEN":
				losses.Store(i, true)
			}
		})
	}
	all.Wait()
	if count(&wins) != 1 || count(&losses) != 3 {
		t.Errorf("%d succeeded and %d were refused", count(&wins), count(&losses))
	}
}

func count(of *sync.Map) (n int) {
	of.Range(func(any, any) bool { n++; return true })
	return n
}

func TestThePlanLimitsSiteFiles(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	a.Limit(company.Limits{store.LimitSiteFiles: 5})
	var first m
	for i := range 4 {
		first = newFile(a, m{"name": fmt.Sprint("f", i, ".txt")})
	}
	var all sync.WaitGroup
	var made sync.Map
	for i := range 4 {
		all.Go(func() {
			answer := a.Send(apitest.Request{Method: "POST", Path: filesPath, Key: a.Owner, Body: m{"name": fmt.Sprint("g", i, ".txt"), "body": ""}})
			if answer.Status == 200 {
				made.Store(i, true)
			}
		})
	}
	all.Wait()
	if count(&made) != 1 {
		t.Errorf("%d of four were created", count(&made))
	}
	answer := a.Send(apitest.Request{Method: "POST", Path: filesPath, Key: a.Owner, Body: m{"name": "late.txt", "body": ""}})
	if answer.Status != 429 || apitest.Code(answer.JSON) != "SITE_FILE_LIMIT_REACHED" || answer.JSON["limit_code"] != "site_files_max" ||
		answer.Header.Get("Retry-After") != "" {
		t.Errorf("%d %s %v", answer.Status, answer.Body, answer.Header)
	}
	a.OK("PATCH", fileAt(first), a.Owner, m{"name": "renamed.txt"})
	a.OK("DELETE", fileAt(first), a.Owner, nil)
	newFile(a, m{"name": "place.txt"})
	a.Limit(company.Limits{store.LimitSiteFiles: 0})
	newFile(a, m{"name": "unlimited.txt"})
}

func TestWhoMayUseSiteFiles(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	f := newFile(a, m{"name": "f.txt"})
	editor := a.Key(a.EditorID, shop.Editor, shop.Prod)
	reader := a.Key(a.OwnerID, shop.Owner, shop.Prod, "site-files:read")
	for _, c := range []struct {
		method, path string
		body         m
		write        bool
	}{
		{"GET", filesPath, nil, false}, {"GET", filesPath + "/templates", nil, false}, {"GET", fileAt(f), nil, false},
		{"POST", filesPath + "/preview", m{"path": "/a.txt", "body": ""}, false},
		{"POST", filesPath, m{"name": "new.txt", "body": ""}, true}, {"PATCH", fileAt(f), m{"body": "x"}, true}, {"DELETE", fileAt(f), nil, true},
	} {
		a.Refused(c.method, c.path, editor, c.body, 403, "SITE_FILES_FORBIDDEN")
		a.Refused(c.method, c.path, a.Session(a.EditorID), c.body, 403, "SITE_FILES_FORBIDDEN")
		a.Refused(c.method, c.path, a.Key(a.OwnerID, shop.Owner, shop.Prod, "catalog:write"), c.body, 403, "PAT_SCOPE_MISSING")
		if !c.write {
			a.OK(c.method, c.path, reader, c.body)
			a.OK(c.method, c.path, a.Dev, c.body)
			continue
		}
		a.Refused(c.method, c.path, reader, c.body, 403, "PAT_SCOPE_MISSING")
		a.Refused(c.method, c.path, a.Dev, c.body, 403, "PAT_CONTOUR_MISMATCH")
		answer := a.Send(
			apitest.Request{
				Method: c.method, Path: c.path, Key: a.Session(a.OwnerID), Body: c.body,
				Header: map[string]string{"X-Service-Contour": "dev"},
			},
		)
		if answer.Status != 400 || apitest.Code(answer.JSON) != "DEV_MODE_UNAVAILABLE" {
			t.Errorf("%s %s in the draft: %d %s", c.method, c.path, answer.Status, answer.Body)
		}
	}
	for _, path := range []string{fileAt(f), filesPath + "/999"} {
		a.Refused("GET", path, a.Stranger, nil, 404, "SITE_FILE_NOT_FOUND")
		a.Refused("PATCH", path, a.Stranger, m{"body": "x"}, 404, "SITE_FILE_NOT_FOUND")
		a.Refused("DELETE", path, a.Stranger, nil, 404, "SITE_FILE_NOT_FOUND")
	}
	for key, want := range map[string][2]bool{a.Owner: {true, true}, reader: {true, false}, editor: {false, false}, a.Dev: {true, false}} {
		can := a.Result("GET", "/v1/account/token", key, nil)["capabilities"].(m)
		if can["site_files_read"] != want[0] || can["site_files_write"] != want[1] {
			t.Errorf("capabilities %v, want %v", can, want)
		}
	}
}
