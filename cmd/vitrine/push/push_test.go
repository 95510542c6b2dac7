package push

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"vitrine/compile/release"
	"vitrine/internal/shop"
)

// TestMain ignores goroutines that fasthttp, the server of the real API, leaves running.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"))
}

const index = `<!DOCTYPE html><title>About tea</title><link rel="stylesheet" href="css/a.css"><body><p>Tea</p></body>`

// folderOf writes a folder.
func folderOf(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for path, text := range files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func about(t testing.TB) string {
	return folderOf(t, map[string]string{
		"index.html": index, "css/a.css": "p{color:red}", "img/1.svg": "<svg/>", "img/same.svg": "<svg/>", ".git/config": "x", "README.md": "x",
	})
}

func TestMissingPageIsCreatedAfterTheFirstPublication(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	p := f.push(about(t), "page:/About")
	if p.err != nil {
		t.Fatal(p.err)
	}
	if p.URL != "http://tea.test/about" || p.Path != "/about" || p.Uploaded != 3 || p.Reused != 1 || p.ReleaseID == 0 || p.DocumentID == 0 {
		t.Errorf("%s", p.out)
	}
	if want := int64(len(index) + len("p{color:red}") + len("<svg/>")); p.Bytes != want {
		t.Errorf("%d bytes, want %d", p.Bytes, want)
	}
	doc := p.DocumentID.String()
	if got := f.paths(doc); !slices.Equal(got, []string{"css/a.css", "img/1.svg", "img/same.svg", "index.html"}) {
		t.Errorf("live: %v", got)
	}
	page := f.pages[0]
	if page["name"] != "About tea" || page["type"] != "page" || page["is_published"] != true ||
		page["seo"].(map[string]any)["slug"] != "about" {
		t.Errorf("page: %v", page)
	}
	blocks := f.attached[fmt.Sprint(page["id"])]
	want := `[{"payload":{"kind":"html","props":{"html":{"boxed":false,"documentId":"` + doc + `"}},"v":2},"type":"text"}]`
	if len(blocks) != 2 || string(f.blocks[blocks[1]]) != want {
		t.Fatalf("blocks %v: %s", blocks, f.blocks)
	}
	want = `[{"payload":{"kind":"zone","props":{"hideSystemBlock":true,"refs":["` + blocks[1] + `"]},"v":2},"type":"text"}]`
	if string(f.blocks[blocks[0]]) != want {
		t.Errorf("the manifest: %s", f.blocks[blocks[0]])
	}
	publish := slices.IndexFunc(f.log, func(c string) bool { return strings.HasSuffix(c, "/publish") })
	if made := slices.Index(f.log, "POST /categories"); made < publish {
		t.Errorf("the page was created before the publication: %v", f.log)
	}
	for _, text := range []string{"4 files", "left out: README.md (ignored)", "published http://tea.test/about"} {
		if !strings.Contains(p.log, text) {
			t.Errorf("%q is missing in %s", text, p.log)
		}
	}
}

func TestSecondPushSendsOnlyMissingFiles(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	dir := about(t)
	first := f.push(dir, "page:/about")
	if second := f.push(dir, "page:/about"); second.err != nil || second.Uploaded != 0 || second.Reused != 4 || second.Bytes != 0 ||
		second.DocumentID != first.DocumentID {
		t.Errorf("%s%v", second.out, second.err)
	}
	if err := os.Remove(filepath.Join(dir, "img/same.svg")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "css/a.css"), []byte("p{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	third := f.push(dir, "page:/about")
	if third.err != nil || third.Uploaded != 1 || third.Reused != 2 || third.Bytes != 3 {
		t.Errorf("%s%v", third.out, third.err)
	}
	if got := f.paths(first.DocumentID.String()); slices.Contains(got, "img/same.svg") {
		t.Errorf("a file removed from the folder is live: %v", got)
	}
	// One document, three releases, three publications.
	if f.calls("POST /categories") != 1 || f.calls("POST /content-blocks") != 2 || f.calls("POST /html-documents") != 7 {
		t.Errorf("created more than once: %v", f.log)
	}
}

func TestPageKeepsItsOtherBlocks(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.page("5", "about", map[string]any{"is_published": false})
	f.attached["5"] = []string{"1", "2"}
	f.blocks["1"] = json.RawMessage(
		`[{"type":"text","payload":{"v":2,"kind":"faq","props":{}}},{"type":"text","payload":"old"},{"type":"text"}]`,
	)
	f.blocks["2"] = json.RawMessage(`[{"type":"text","payload":{"v":2,"kind":"html"}}]`)
	p := f.push(about(t), "page:/about")
	if p.err != nil || len(f.attached["5"]) != 3 || f.attached["5"][0] != "1" || f.attached["5"][1] != "2" {
		t.Errorf("%v %v", p.err, f.attached)
	}
	if f.calls("POST /categories") != 0 || !strings.Contains(p.log, "not published") {
		t.Errorf("%v\n%s", f.log, p.log)
	}
}

func TestDocumentsOfAPage(t *testing.T) {
	t.Parallel()
	html := func(id string) json.RawMessage {
		return json.RawMessage(`[{"payload":{"v":2,"kind":"html","props":{"html":{"documentId":` + id + `}}}}]`)
	}
	f := newFake(t)
	f.live["7"], f.live["8"] = "", ""
	f.page("5", "about", nil)
	f.attached["5"] = []string{"1", "2"}
	f.blocks["1"], f.blocks["2"] = html(`7`), html(`"7"`)
	if p := f.push(about(t), "page:/about"); p.err != nil || p.DocumentID != 7 || p.Path != "/about" {
		t.Errorf("as a number and a string: %v %s", p.err, p.out)
	}
	f.blocks["2"] = html(`"8"`)
	if p := f.push(about(t), "page:/about"); p.err == nil || !strings.Contains(p.err.Error(), "several documents (7, 8): push to doc:ID") {
		t.Errorf("two documents: %v", p.err)
	}
	f.blocks["2"] = html(`"abc"`)
	if p := f.push(about(t), "page:/about"); p.err == nil || !strings.Contains(p.err.Error(), "block 2") {
		t.Errorf("no id: %v", p.err)
	}
}

func TestTheHomePage(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.page("4", "old", map[string]any{"is_home": true, "is_deleted": true})
	first := f.push(about(t), "page:/")
	if first.err != nil || first.Path != "/" || first.URL != "http://tea.test/" || f.pages[1]["is_home"] != true {
		t.Errorf("%v %s", first.err, first.out)
	}
	if second := f.push(about(t), "page:/"); second.err != nil || second.DocumentID != first.DocumentID || f.calls("POST /categories") != 1 {
		t.Errorf("%v %s", second.err, second.out)
	}
}

func TestPageBelowAnother(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	if p := f.push(about(t), "page:/company/about"); p.err == nil || !strings.Contains(p.err.Error(), "no page /company") ||
		f.calls("POST") != 0 {
		t.Errorf("without a parent: %v %v", p.err, f.log)
	}
	f.page("3", "company", nil)
	p := f.push(about(t), "page:/company/about")
	if p.err != nil || p.Path != "/company/about" || fmt.Sprint(f.pages[1]["parent_id"]) != "3" {
		t.Errorf("%v %s %v", p.err, p.out, f.pages)
	}
}

func TestPageAtAnotherAddressIsRefused(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.page("3", "company", nil)
	f.page("4", "about", map[string]any{"parent_id": "3"})
	for _, c := range [][2]string{
		{"page:/nope/about", "there is no page /nope/about, and its slug is taken by /company/about"},
		{"page:/about/team", "there is no page /about, and its slug is taken by /company/about"},
		{"page:/nope/about/team", "there is no page /nope/about, and its slug is taken by /company/about"},
		{"page:/company/about/team", ""},
		{"page:/company/about", ""},
		{"page:/about", ""},
	} {
		to, want, before := c[0], c[1], f.calls("POST")
		p := f.push(about(t), to)
		switch {
		case want == "" && (p.err != nil || !strings.HasPrefix(p.Path, "/company/about")):
			t.Errorf("%s: %v %s", to, p.err, p.out)
		case want != "" && (p.err == nil || !strings.Contains(p.err.Error(), want) || f.calls("POST") != before):
			t.Errorf("%s: %v", to, p.err)
		}
	}
}

func TestDocumentTarget(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.live["7"] = ""
	p := f.push(about(t), "doc:7")
	if p.err != nil || p.DocumentID != 7 || p.URL != "http://tea.test/somewhere" || f.calls("GET /categories") != 0 {
		t.Errorf("%v %s", p.err, p.out)
	}
	if p := f.push(about(t), "doc:8"); !refused(p.err, "HTML_DOCUMENT_NOT_FOUND") {
		t.Errorf("%v", p.err)
	}
}

func TestTargetsNotSupportedByTheServer(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	for to, want := range map[string]string{"site:3": "does not offer site folders", "theme:7": "does not offer layout folders"} {
		if p := f.push(about(t), to); p.err == nil || !strings.Contains(p.err.Error(), want) {
			t.Errorf("%s: %v", to, p.err)
		}
	}
	if f.calls("POST /site-folders/3/releases") != 1 || f.calls("POST /themes/7/site/releases") != 1 {
		t.Errorf("%v", f.log)
	}
}

func TestRefusedReleaseLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.report.Add(
		release.Finding{Code: release.RefMissing, Path: "css/a.css", Line: 12, Detail: "x.png is not there"},
		release.Finding{Code: release.FileUnused, Path: "img/1.svg", Detail: "nobody asks"},
		release.Finding{Code: release.ImgLarge, Path: "img/1.svg"},
	)
	p := f.push(about(t), "page:/about")
	if !refused(p.err, "RELEASE_INVALID") {
		t.Fatal(p.err)
	}
	for _, text := range []string{
		"css/a.css:12: error ref.missing: x.png is not there. Add", "img/1.svg: warning file.unused: nobody asks. Leave", "img/1.svg: info img.large: Make",
	} {
		if !strings.Contains(p.log, text) {
			t.Errorf("%q is missing in\n%s", text, p.log)
		}
	}
	if len(f.pages)+len(f.blocks)+len(f.live) != 0 {
		t.Errorf("left behind: %v %v %v", f.pages, f.blocks, f.live)
	}
	f.answers["DELETE /html-documents/"+f.peek()] = []answer{{status: 403, body: `{}`}}
	if p := f.push(about(t), "page:/about"); p.err == nil || !strings.Contains(p.err.Error(), "could not be deleted") {
		t.Errorf("%v", p.err)
	}
}

// peek returns the next id without using it.
func (f *fake) peek() string { return shop.DocumentID(f.last + 1).String() }

func TestCallsAreRetried(t *testing.T) {
	t.Parallel()
	rated := answer{status: 429, body: `{"error":"rpc error: code = ResourceExhausted desc = RATE_LIMITED: x","retry_after":7}`, after: "7"}
	broken := answer{status: 502, body: "<html>bad gateway"}
	second, seven := time.Second, 7*time.Second
	for _, c := range []struct {
		name, call string
		answers    []answer
		waits      []time.Duration
		tries      int
		code       string // of the error, "" on success; "-" for one without a code
	}{
		{"rate limit", "POST /html-documents/7/releases", []answer{rated}, []time.Duration{seven}, 2, ""},
		{"a server that restarts", "POST /html-documents/7/releases", []answer{broken, broken}, []time.Duration{second, 2 * second}, 3, ""},
		{"a server that stays unavailable", "POST /html-documents/7/releases", slices.Repeat([]answer{broken}, 9), []time.Duration{second, 2 * second, 4 * second, 8 * second}, 5, "-"},
		{"an upload", "PUT /uploads/12", []answer{broken, rated}, []time.Duration{second, seven}, 3, ""},
		{"a publication", "POST /html-documents/7/releases/11/publish", []answer{{status: 503, body: `{}`, after: "3"}}, []time.Duration{3 * second}, 2, ""},
		{"a limit of the plan", "POST /html-documents/7/releases", []answer{{status: 429, body: `{"error":"rpc error: code = ResourceExhausted desc = STORAGE_LIMIT_REACHED","limit_code":"storage_bytes"}`}}, nil, 1, "STORAGE_LIMIT_REACHED"},
		{"a refusal", "POST /html-documents/7/releases", []answer{{status: 403, body: `{"error":"rpc error: code = PermissionDenied desc = HTML_SCRIPT_ROLE_REQUIRED: owner or admin"}`}}, nil, 1, "HTML_SCRIPT_ROLE_REQUIRED"},
		{"an answer without a release", "POST /html-documents/7/releases", []answer{{status: 200, body: "<html>"}}, nil, 1, "-"},
		{"a long wait is cut", "POST /html-documents/7/releases", []answer{{status: 429, body: `{}`, after: "86400"}}, []time.Duration{maxWait}, 2, ""},
	} {
		f := newFake(t)
		f.live["7"] = ""
		f.answers[c.call] = c.answers
		p := f.push(about(t), "doc:7")
		if (p.err != nil) != (c.code != "") || c.code != "" && c.code != "-" && !refused(p.err, c.code) {
			t.Errorf("%s: %v", c.name, p.err)
		}
		if !slices.Equal(p.waits, c.waits) {
			t.Errorf("%s: waits %v, want %v", c.name, p.waits, c.waits)
		}
		calls := 0
		for _, call := range f.log {
			if call == c.call {
				calls++
			}
		}
		if calls != c.tries {
			t.Errorf("%s: %d tries, want %d", c.name, calls, c.tries)
		}
	}
}

func TestCreationsAreNotRetried(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"POST /html-documents", "POST /categories", "POST /content-blocks"} {
		f := newFake(t)
		f.answers[call] = []answer{{status: 504, body: `{}`}}
		p := f.push(about(t), "page:/about")
		if p.err == nil || len(p.waits) != 0 {
			t.Errorf("%s: %v, waits %v", call, p.err, p.waits)
		}
		if call != "POST /html-documents" && !strings.Contains(p.err.Error(), "is published, but not on its page") {
			t.Errorf("%s: %v", call, p.err)
		}
	}
}

func TestThreeFilesAreSentInParallel(t *testing.T) {
	t.Parallel()
	files := map[string]string{"index.html": index}
	for i := range 40 {
		files[fmt.Sprintf("f%d.txt", i)] = fmt.Sprint(i)
	}
	files["empty.txt"] = ""
	f := newFake(t)
	f.live["7"] = ""
	p := f.push(folderOf(t, files), "doc:7", func(o *Options) { o.Terminal = true })
	if p.err != nil || p.Uploaded != 42 || f.most > parallelUploads {
		t.Errorf("%v: %d sent, %d in parallel", p.err, p.Uploaded, f.most)
	}
	if !strings.Contains(p.log, "uploading") {
		t.Errorf("no bar: %q", p.log)
	}
}

func TestFailedUploadEndsThePush(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.live["7"] = ""
	f.answers["PUT /uploads/12"] = []answer{{status: 400, body: `{"error":"rpc error: code = InvalidArgument desc = FILE_TOO_LARGE: x"}`}}
	p := f.push(about(t), "doc:7")
	if !refused(p.err, "FILE_TOO_LARGE") || !strings.Contains(p.err.Error(), "upload css/a.css") ||
		f.calls("POST /html-documents/7/releases/11") != 0 {
		t.Errorf("%v %v", p.err, f.log)
	}
}

func TestHostileServerGetsNoOtherFiles(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"release_id":"1","upload":[{"path":"../etc/passwd","upload_url":"http://x/"}]}`: "not in the folder",
		`{"release_id":"1","upload":[{"path":"index.html","upload_url":"file:///x"}]}`:    "upload address",
		`{"release_id":"x"}`: "unexpected response",
	} {
		f := newFake(t)
		f.answers["POST /html-documents/7/releases"] = []answer{{status: 200, body: body}}
		if p := f.push(about(t), "doc:7"); p.err == nil || !strings.Contains(p.err.Error(), want) {
			t.Errorf("%s: %v", body, p.err)
		}
	}
}

func TestSEOIsOverwrittenOnRequest(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.page("5", "about", nil)
	overwrite := func(o *Options) { o.SEOOverwrite = true }
	p := f.push(about(t), "page:/about", overwrite)
	call := "POST /html-documents/" + p.DocumentID.String() + "/releases/" + p.ReleaseID.String() + "/publish"
	if p.err != nil || f.calls(call) != 2 || f.bodies[call]["seo_overwrite"] != true { // again after the page shows it
		t.Errorf("%v %v", p.err, f.log)
	}
}

func TestDryRunNeedsNoServer(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	dry := func(o *Options) { o.DryRun, o.Key = true, "" }
	p := f.push(about(t), "page:/about", dry)
	if p.err != nil || !p.DryRun || p.Path != "/about" || p.Bytes == 0 || len(f.log) != 0 || p.Report.Errors == nil {
		t.Errorf("%v %s %v", p.err, p.out, f.log)
	}
	if p := f.push(about(t), "page:/about", func(o *Options) { o.DryRun = true }); p.err != nil || !strings.HasSuffix(p.URL, "/about") ||
		!strings.HasPrefix(p.URL, "http") || len(f.log) != 1 {
		t.Errorf("with a key it prints the address: %v %s %v", p.err, p.out, f.log)
	}
	var codes []string
	for _, w := range p.Report.Warnings {
		codes = append(codes, w.Code+" "+w.Path)
	}
	if got := strings.Join(codes, ", "); got != "fidelity.reset index.html, fidelity.reset index.html, file.unused img/1.svg, file.unused img/same.svg" {
		t.Errorf("%s", p.out)
	}
	for _, c := range []struct {
		files map[string]string
		to    string
		want  string
	}{
		{map[string]string{"index.html": index}, "doc:1", "index.html:1: error ref.missing"},
		{map[string]string{"a.css": ""}, "doc:1", "index.html: error ref.missing"},
		{map[string]string{"index.html": index, "css/a.css": "p{background:url(x.png)}"}, "theme:1", "css/a.css:1: error ref.missing"},
		{map[string]string{"index.html": "<frameset>"}, "doc:1", "error html.parse"},
		{map[string]string{"index.html": index, "css/a.css": "", "run.php": "x"}, "site:1", "run.php: error file.forbidden"},
	} {
		p := f.push(folderOf(t, c.files), c.to, dry)
		if !errors.Is(p.err, ErrInvalid) || !strings.Contains(p.log, c.want) {
			t.Errorf("%v: %v\n%s", c.files, p.err, p.log)
		}
	}
	if p := f.push(folderOf(t, map[string]string{"index.html": index}), "site:1", dry); p.err != nil {
		t.Errorf("a site folder is served as it is: %v\n%s", p.err, p.log)
	}
}

func TestInvalidOptions(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	for _, c := range []struct {
		name, dir, to string
		change        func(*Options)
		want          string
	}{
		{"no folder", filepath.Join(t.TempDir(), "none"), "doc:1", nil, "no such file"},
		{"an empty folder", t.TempDir(), "doc:1", nil, "RELEASE_EMPTY"},
		{"case twins", folderOf(t, map[string]string{"index.html": "", "a.css": "", "A.css": ""}), "doc:1", nil, "RELEASE_PATH_CONFLICT"},
		{"no key", about(t), "doc:1", func(o *Options) { o.Key = "" }, ErrKey.Error()},
		{"a wrong key", about(t), "doc:1", func(o *Options) { o.Key = "x" }, "UNAUTHENTICATED"},
		{"no address", about(t), "doc:1", func(o *Options) { o.Admin = "" }, "not an http(s) URL"},
		{"another scheme", about(t), "doc:1", func(o *Options) { o.Admin = "ftp://x" }, "not an http(s) URL"},
	} {
		if c.change == nil {
			c.change = func(*Options) {}
		}
		if p := f.push(c.dir, c.to, c.change); p.err == nil || !strings.Contains(p.err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, p.err)
		}
	}
}

func TestUnreachableServer(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	p := f.push(about(t), "page:/about", func(o *Options) { o.Admin = "http://127.0.0.1:1" })
	if p.err == nil || len(p.waits) != maxAttempts-1 {
		t.Errorf("%v, waits %v", p.err, p.waits)
	}
}

func TestInterruptedPushStops(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.live["7"] = ""
	f.answers["POST /html-documents/7/releases"] = slices.Repeat([]answer{{status: 500, body: `{}`}}, 9)
	ctx, stop := context.WithCancel(t.Context())
	err := Run(ctx, Options{
		Dir: about(t), To: "doc:7", Admin: f.url, Key: fakeKey, Out: &strings.Builder{}, Log: &strings.Builder{},
		Wait: func(ctx context.Context, d time.Duration) error { stop(); return wait(ctx, d) },
	})
	if !errors.Is(err, context.Canceled) || f.calls("POST") != 1 {
		t.Errorf("%v %v", err, f.log)
	}
}
