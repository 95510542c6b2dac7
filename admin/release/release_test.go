package release_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/blob"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	"vitrine/internal/store/media"
)

func TestAReleaseUploadsOnlyWhatIsMissing(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := newDocument(a)
	first := publish(a, doc, files{"index.html": html("one"), "a.css": "a{}", "b.css": "b{}"})

	answer := a.OK("POST", "/html-documents/"+doc+"/releases", a.Owner, m{
		"base": "active", "note": "second", "delete": l{"b.css"},
		"files": files{"index.html": html("two"), "copy.css": "a{}", "new.css": "n{}", "twin.css": "n{}"}.manifest(),
	})
	var upload []string
	for _, u := range answer["upload"].(l) {
		upload = append(upload, u.(m)["path"].(string))
	}
	got := fmt.Sprint(upload, answer["reused"], answer["inherited"])
	if got != "[index.html new.css] [copy.css twin.css] [a.css]" {
		t.Errorf("upload, reused, inherited: %s", got)
	}
	id := answer["release_id"].(string)
	details := a.Result("GET", path(doc, id), a.Owner, nil)
	if details["pending"] != 3.0 || details["preview_base"] != "http://tea.shops.test/_html/"+doc+"/"+id+"/" || details["note"] != "second" {
		t.Errorf("pending release: %v", details)
	}
	pending := a.Refused("POST", path(doc, id)+"/publish", a.Owner, nil, 409, "FILES_PENDING")
	if fmt.Sprint(pending["pending"]) != "[index.html new.css twin.css]" {
		t.Errorf("pending: %v", pending)
	}
	a.Refused("POST", path(doc, id)+"/validate", a.Owner, nil, 409, "FILES_PENDING")
	a.Refused("POST", "/html-documents/"+doc+"/releases", a.Owner, m{"base": id, "files": l{}}, 409, "FILES_PENDING")
	for _, u := range answer["upload"].(l) {
		content := map[string]string{"index.html": html("two"), "new.css": "n{}"}[u.(m)["path"].(string)]
		a.OK("PUT", u.(m)["upload_url"].(string), "", content)
	}
	a.OK("POST", path(doc, id)+"/publish", a.Owner, nil)
	if active(a, doc) != id {
		t.Error("the published release is not live")
	}
	list := a.OK("GET", "/html-documents/"+doc+"/releases", a.Owner, nil)["result"].(l)
	var rows []string
	for _, r := range list {
		rows = append(rows, fmt.Sprintf("%v %v %v", r.(m)["id"], r.(m)["active"], r.(m)["was_live"]))
	}
	if want := []string{id + " true true", first + " false true"}; !slices.Equal(rows, want) {
		t.Errorf("releases: %v, want %v", rows, want)
	}
}

func TestAReleaseCanBeBasedOnAnyOther(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := newDocument(a)
	old := publish(a, doc, files{"index.html": html("old"), "old.css": "o{}"})
	publish(a, doc, files{"index.html": html("new"), "new.css": "n{}"})
	unpublished := send(a, doc, files{"index.html": html("third"), "third.css": "t{}"})
	for _, c := range []struct{ base, inherited string }{
		{"active", "[index.html new.css]"}, {"", "[index.html new.css]"}, {old, "[index.html old.css]"}, {unpublished, "[index.html third.css]"}, {"none", "[]"},
	} {
		answer := a.OK("POST", "/html-documents/"+doc+"/releases", a.Owner, m{"base": c.base, "files": files{"more.txt": "x"}.manifest()})
		if got := fmt.Sprint(answer["inherited"]); got != c.inherited {
			t.Errorf("base %q inherits %s, want %s", c.base, got, c.inherited)
		}
	}
	// A rename is the same bytes under another path; a path that is both added and deleted is
	// kept; deleting an unknown path has no effect.
	answer := a.OK("POST", "/html-documents/"+doc+"/releases", a.Owner, m{
		"base": old, "files": files{"css/old.css": "o{}", "index.html": html("old")}.manifest(), "delete": l{"old.css", "index.html", "none.txt"},
	})
	if got := fmt.Sprint(answer["upload"], answer["reused"], answer["inherited"]); got != "[] [css/old.css index.html] []" {
		t.Errorf("a rename: %s", got)
	}
	a.OK("POST", path(doc, answer["release_id"].(string))+"/publish", a.Owner, nil)
}

func TestAHashDoesNotRevealOtherShops(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	publish(a, newDocument(a), files{"index.html": html("secret")})
	theirs := a.Result("POST", "/html-documents", a.Stranger, m{"item": m{"name": "n"}})["id"].(string)
	answer := a.OK(
		"POST", "/html-documents/"+theirs+"/releases", a.Stranger,
		m{"base": "none", "files": files{"index.html": html("secret")}.manifest()},
	)
	if len(answer["upload"].(l)) != 1 {
		t.Errorf("bytes of another shop were reused: %v", answer)
	}
}

func TestInvalidManifestsAreRefused(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := newDocument(a)
	publish(a, doc, files{"index.html": html("one")})
	row := func(path string, size any) m { return m{"path": path, "sha256": sum(path), "size": size} }
	many := l{}
	for i := range 501 {
		many = append(many, row(fmt.Sprintf("f%d.txt", i), 1))
	}
	for _, c := range []struct {
		name string
		body m
		code string
	}{
		{"climbing path", m{"files": l{row("../index.html", 1)}}, "RELEASE_PATH_INVALID"},
		{"absolute path", m{"files": l{row("/etc/passwd", 1)}}, "RELEASE_PATH_INVALID"},
		{"backslash", m{"files": l{row(`a\..\b`, 1)}}, "RELEASE_PATH_INVALID"},
		{"control character", m{"files": l{row("a\nb", 1)}}, "RELEASE_PATH_INVALID"},
		{"cases of one path", m{"files": l{row("A.css", 1), row("a.css", 1)}}, "RELEASE_PATH_CONFLICT"},
		{"negative size", m{"files": l{row("index.html", -1)}}, "RELEASE_FILE_INVALID"},
		{"size missing", m{"files": l{m{"path": "index.html", "sha256": sum("index.html")}}}, "RELEASE_FILE_INVALID"},
		{"empty file with another hash", m{"files": l{row("index.html", 0)}}, "RELEASE_FILE_INVALID"},
		{"hash missing", m{"files": l{m{"path": "index.html", "sha256": "x", "size": 1}}}, "RELEASE_FILE_INVALID"},
		{"known bytes, wrong size", m{"files": l{m{"path": "index.html", "sha256": sum(html("one")), "size": 5}}}, "RELEASE_FILE_INVALID"},
		{"large index", m{"files": l{row("index.html", 2<<20+1)}}, "RELEASE_TOO_LARGE"},
		{"large file", m{"files": l{row("film.mp4", 50<<20+1)}}, "RELEASE_TOO_LARGE"},
		{"large sum", m{"files": l{row("a.mp4", 40<<20), row("b.mp4", 40<<20)}}, "RELEASE_TOO_LARGE"},
		{"501 files", m{"files": many}, "RELEASE_TOO_LARGE"},
		{"nothing", m{"base": "none", "files": l{}}, "RELEASE_EMPTY"},
		{"unknown base", m{"base": "latest", "files": l{}}, "RELEASE_BASE_INVALID"},
		{"base that is not a string", m{"base": 1, "files": l{}}, "INVALID_REQUEST"},
		{"long note", m{"note": strings.Repeat("é", 501), "files": l{}}, "INVALID_REQUEST"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, given := c.body["base"]; !given {
				c.body["base"] = "none"
			}
			a.Refused("POST", "/html-documents/"+doc+"/releases", a.Owner, c.body, 400, c.code)
		})
	}
	said := a.Refused("POST", "/html-documents/"+doc+"/releases", a.Owner, m{"base": 5, "files": l{}}, 400, "INVALID_REQUEST")
	if !strings.HasSuffix(said["error"].(string), ": base: expected text, got number") {
		t.Errorf("the field has another name than in the body: %v", said["error"])
	}
	if n := len(a.OK("GET", "/html-documents/"+doc+"/releases", a.Owner, nil)["result"].(l)); n != 1 {
		t.Errorf("refused manifests made releases: %d", n)
	}
}

func TestUploadsMustMatchTheirHash(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := newDocument(a)
	content := html("one")
	id, upload := announce(a, doc, "none", files{"index.html": content})
	url := upload["index.html"]
	if !strings.HasPrefix(url, apitest.AdminURL+"/uploads/") {
		t.Fatalf("upload_url: %s", url)
	}
	other := strings.Replace(content, "one", "two", 1)
	for name, body := range map[string]any{
		"other bytes": other, "shorter": content[1:], "longer": content + " ", "none": "",
		"longer without a length": chunked(content + " ")} {
		answer := a.Refused("PUT", url, "", body, 400, "hash.mismatch")
		if answer["path"] != "index.html" {
			t.Errorf("%s: %v", name, answer)
		}
	}
	for _, wrong := range []string{other, content[1:], content + " "} {
		if there, err := a.Blobs.Has(t.Context(), sum(wrong)); err != nil || there {
			t.Errorf("refused bytes are stored: %v %v", there, err)
		}
	}
	a.Refused("POST", path(doc, id)+"/publish", a.Owner, nil, 409, "FILES_PENDING")
	for range 2 {
		if got := a.OK("PUT", url, "", content); got["path"] != "index.html" {
			t.Errorf("upload: %v", got)
		}
	}
	a.OK("PUT", url, "", chunked(content))
	a.OK("POST", path(doc, id)+"/publish", a.Owner, nil)
}

// chunked returns a body without a length.
func chunked(text string) any {
	return struct{ *strings.Reader }{strings.NewReader(text)}
}

func TestUploadURLsExpire(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := newDocument(a)
	_, upload := announce(a, doc, "none", files{"index.html": html("one")})
	url := upload["index.html"]
	a.Refused("PUT", apitest.AdminURL+"/uploads/x", "", "x", 404, "UPLOAD_NOT_FOUND")
	a.Refused("PUT", url[:len(url)-1]+"_", "", html("one"), 404, "UPLOAD_NOT_FOUND")
	a.Clock.Advance(23 * time.Hour)
	a.OK("PUT", url, "", html("one"))
	a.Clock.Advance(2 * time.Hour)
	a.Refused("PUT", url, "", html("one"), 404, "UPLOAD_NOT_FOUND")

	_, upload = announce(a, doc, "none", files{"index.html": html("two")})
	a.OK("DELETE", "/html-documents/"+doc, a.Owner, nil)
	a.Refused("PUT", upload["index.html"], "", html("two"), 404, "UPLOAD_NOT_FOUND")
}

func TestRollbackAndDeletion(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := newDocument(a)
	one := publish(a, doc, files{"index.html": html("one"), "own.css": "one{}"})
	two := publish(a, doc, files{"index.html": html("two")})
	draft := send(a, doc, files{"index.html": html("draft")})

	if answer := a.Refused("DELETE", path(doc, two), a.Owner, nil, 400, "RELEASE_IN_USE"); answer["in_use"] != true {
		t.Errorf("in_use: %v", answer)
	}
	if answer := a.Refused("POST", "/html-documents/"+doc+"/rollback", a.Owner, m{"release_id": draft}, 400, "RELEASE_NOT_LIVE"); answer["was_live"] != false {
		t.Errorf("was_live: %v", answer)
	}
	a.Refused("POST", "/html-documents/"+doc+"/rollback", a.Owner, m{"release_id": "999"}, 404, "RELEASE_NOT_FOUND")
	if got := a.Result("POST", "/html-documents/"+doc+"/rollback", a.Owner, m{"release_id": one}); got["active_release_id"] != one {
		t.Errorf("rollback: %v", got)
	}
	a.OK("DELETE", path(doc, two), a.Owner, nil)
	a.Refused("DELETE", path(doc, two), a.Owner, nil, 404, "RELEASE_NOT_FOUND")
	a.Refused("POST", "/html-documents/"+doc+"/rollback", a.Owner, m{"release_id": two}, 404, "RELEASE_NOT_FOUND")
	a.OK("DELETE", path(doc, draft), a.Owner, nil)
	owned, err := media.OwnedBlobs(t.Context(), a.Store.Shop(a.Shop.ID), []string{sum(html("one")), sum(html("two")), sum("one{}")})
	if err != nil || len(owned) != 2 {
		t.Errorf("blobs of deleted releases are still owned: %v %v", owned, err)
	}
}

func TestExceedingTheStorageLimitKeepsTheLiveRelease(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	doc := newDocument(a)
	live := publish(a, doc, files{"index.html": html("one")})
	used := int64(len(html("one")))
	large := files{"index.html": html("one"), "large.txt": strings.Repeat("x", 200)}
	early, upload := announce(a, doc, "none", large)
	ready := send(a, doc, files{"index.html": html("two")})
	used += int64(len(html("two")))

	a.Limit(company.Limits{store.LimitStorage: used + 199})
	answer := a.Refused(
		"POST", "/html-documents/"+doc+"/releases", a.Owner, m{"base": "none", "files": large.manifest()}, 429,
		"STORAGE_LIMIT_REACHED",
	)
	if answer["limit_code"] != "storage_bytes" {
		t.Errorf("limit_code: %v", answer)
	}
	a.Refused("PUT", upload["large.txt"], "", large["large.txt"], 429, "STORAGE_LIMIT_REACHED")
	if there, err := a.Blobs.Has(t.Context(), blob.Sum([]byte(large["large.txt"]))); err != nil || there {
		t.Errorf("bytes beyond the plan are stored: %v %v", there, err)
	}
	a.Refused("POST", path(doc, early)+"/publish", a.Owner, nil, 409, "FILES_PENDING")
	if got := zipped(a, doc, "?base=none&publish=1", packed(t, large)); got.Status != 429 ||
		apitest.Code(got.JSON) != "STORAGE_LIMIT_REACHED" {
		t.Errorf("zip: %d %s", got.Status, got.Body)
	}
	a.Limit(company.Limits{store.LimitStorage: used - 1})
	a.Refused("POST", path(doc, ready)+"/publish", a.Owner, nil, 429, "STORAGE_LIMIT_REACHED")
	if active(a, doc) != live {
		t.Error("the live release was switched")
	}
	a.Limit(company.Limits{store.LimitStorage: used})
	a.OK("POST", path(doc, ready)+"/publish", a.Owner, nil) // bytes that are stored already are not counted again
	a.OK("POST", "/html-documents/"+doc+"/releases", a.Owner, m{"base": "none", "files": files{"index.html": html("one")}.manifest()})
}

func TestRefusalsOfReleasesExplainWhatToDo(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	says := func(answer m, want string) {
		t.Helper()
		if text := answer["error"].(string); !strings.HasSuffix(text, want) {
			t.Errorf("%q does not end in %q", text, want)
		}
	}
	doc := newDocument(a)
	id, upload := announce(a, doc, "none", files{"a.txt": "a", "b.txt": "b", "c.txt": "c", "index.html": html("one")})
	says(a.Refused("POST", path(doc, id)+"/publish", a.Owner, nil, 409, "FILES_PENDING"),
		"release "+id+" waits for the upload of a.txt, b.txt, c.txt and 1 more")
	for _, p := range []string{"b.txt", "c.txt", "index.html"} {
		a.OK("PUT", upload[p], "", files{"b.txt": "b", "c.txt": "c", "index.html": html("one")}[p])
	}
	says(a.Refused("POST", path(doc, id)+"/publish", a.Owner, nil, 409, "FILES_PENDING"), "release "+id+" waits for the upload of a.txt")
	says(a.Refused("PUT", upload["a.txt"], "", "ab", 400, "hash.mismatch"),
		"the release announced 1 bytes, but the body has a different size; send the unchanged file, or announce a new release")
	says(a.Refused("PUT", apitest.AdminURL+"/uploads/x", "", "x", 404, "UPLOAD_NOT_FOUND"), "announce the release again")

	live := publish(a, doc, files{"index.html": html("live")})
	says(a.Refused("DELETE", path(doc, live), a.Owner, nil, 400, "RELEASE_IN_USE"), "publish or roll back to another first")
	draft := send(a, doc, files{"index.html": html("draft")})
	a.OK("POST", path(doc, draft)+"/publish", a.Dev, nil)
	if answer := a.Refused("DELETE", path(doc, draft), a.Owner, nil, 400, "RELEASE_IN_USE"); answer["in_use"] != true {
		t.Errorf("in_use: %v", answer)
	} else {
		says(answer, "publish the draft or discard it first")
	}

	used, _, err := media.Storage(t.Context(), a.Store.Shop(a.Shop.ID))
	if err != nil {
		t.Fatal(err)
	}
	a.Limit(company.Limits{store.LimitStorage: used + 9})
	large := files{"large.txt": "0123456789"}
	says(a.Refused("POST", "/html-documents/"+doc+"/releases", a.Owner, m{"base": "none", "files": large.manifest()}, 429, "STORAGE_LIMIT_REACHED"),
		fmt.Sprintf("the shop would hold %d of %d bytes; delete files and unused releases", used+10, used+9))
}
