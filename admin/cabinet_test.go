package admin_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"vitrine/admin/api/apitest"
)

const web, dist = "cabinet/web/", "cabinet/dist/"

var describe = flag.Bool("describe", false, "write the description of the API that the cabinet is built from")

// built is what "make cabinet" recorded about the program that is embedded.
func built(t *testing.T) (from struct{ Web, OpenAPI string }) {
	t.Helper()
	text, err := os.ReadFile(dist + "sources.json")
	if err == nil {
		err = json.Unmarshal(text, &from)
	}
	if err != nil {
		t.Fatal(err)
	}
	return from
}

// The embedded cabinet was built from the sources beside it.
func TestCabinetWasBuiltFromItsSources(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile(web + "sources.txt")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.New()
	for _, name := range strings.Fields(string(list)) {
		var files []string
		err := filepath.WalkDir(web+name, func(path string, d fs.DirEntry, err error) error {
			if name := strings.TrimPrefix(path, web); err == nil && !d.IsDir() && name != "src/api/schema.d.ts" {
				files = append(files, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(files)
		for _, file := range files {
			body, err := os.ReadFile(web + file)
			if err != nil {
				t.Fatal(err)
			}
			sum.Write([]byte(file + "\x00"))
			sum.Write(body)
			sum.Write([]byte{0})
		}
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != built(t).Web {
		t.Error("the sources in admin/cabinet/web changed: run make cabinet")
	}
}

// The types of the embedded cabinet are those of this API. Texts and examples are not part of them.
func TestCabinetWasBuiltForThisAPI(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	var document any
	if err := json.Unmarshal(a.Send(apitest.Request{Method: "GET", Path: "/openapi.json"}).Body, &document); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(shapes(document, false))
	if err != nil {
		t.Fatal(err)
	}
	if *describe {
		if err := os.WriteFile(web+"openapi.json", text, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	sum := sha256.Sum256(text)
	if hex.EncodeToString(sum[:]) != built(t).OpenAPI {
		t.Error("the shapes of the API changed: run make cabinet")
	}
}

// shapes leaves out what is for readers. named are the members of an object that have names of
// the API, which may be called like these.
func shapes(v any, named bool) any {
	switch v := v.(type) {
	case map[string]any:
		for key, member := range v {
			switch {
			case !named && slices.Contains([]string{"description", "summary", "example", "examples", "tags", "servers", "info"}, key):
				delete(v, key)
			default:
				v[key] = shapes(member, !named && slices.Contains([]string{"properties", "schemas", "parameters", "headers", "responses", "paths"}, key))
			}
		}
	case []any:
		for i := range v {
			v[i] = shapes(v[i], false)
		}
	}
	return v
}

// The first load of the cabinet with its start page, and each further screen, stay small: in bytes,
// with Brotli.
func TestCabinetLoadsLittle(t *testing.T) {
	t.Parallel()
	const most, ofScreen, ofEditor = 210 << 10, 40 << 10, 130 << 10
	sizes, loads := chunks(t)
	page, err := os.ReadFile(dist + "index.html")
	if err != nil {
		t.Fatal(err)
	}
	first := len(page)
	loaded := map[string]bool{}
	load := func(names ...string) (bytes int) {
		for _, name := range names {
			if !loaded[name] {
				loaded[name] = true
				bytes += sizes[name]
			}
		}
		return bytes
	}
	for name := range sizes {
		if bytes.Contains(page, []byte(name)) {
			first += load(name)
		}
	}
	for _, l := range loads {
		if strings.HasPrefix(l.with[0], "Start-") {
			first += load(l.with...)
		}
	}
	if first > most {
		t.Errorf("the first load takes %d bytes", first)
	}
	start := loaded
	for _, l := range loads {
		allowed := ofScreen
		if strings.Contains(l.with[0], "Editor-") { // of rich text, and of templates
			allowed = ofEditor
		}
		// A file that one screen loads later comes on top of each that loads this screen.
		for _, opener := range loads {
			loaded = maps.Clone(start)
			if !start[l.by] && !slices.Contains(opener.with, l.by) {
				continue
			}
			if !start[l.by] {
				load(opener.with...)
			}
			if bytes := load(l.with...); bytes > allowed {
				t.Errorf("%s loads %d bytes more", l.with[0], bytes)
			}
		}
	}
	if len(loads) < 4 {
		t.Errorf("only %v are loaded later", loads)
	}
}

// later is what a file of the cabinet loads when it is needed: a file, and what this one needs.
type later struct {
	by   string
	with []string
}

// chunks returns the sizes of the files of the cabinet, and what each loads later.
func chunks(t *testing.T) (sizes map[string]int, loads []later) {
	t.Helper()
	entries, err := os.ReadDir(dist + "assets")
	if err != nil {
		t.Fatal(err)
	}
	sizes = map[string]int{}
	list := regexp.MustCompile(`\.f=(\["assets/[^\]]*\])`)
	imports := regexp.MustCompile("import\\(`\\./([\\w.-]+)`\\)(?:\\.then\\(\\w+=>\\w+\\.\\w+\\))?(?:,__vite__mapDeps\\((\\[[\\d,]*\\])\\))?")
	for _, e := range entries {
		packed, err := os.ReadFile(dist + "assets/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(e.Name(), ".br")
		sizes[name] = len(packed)
		text, err := io.ReadAll(brotli.NewReader(bytes.NewReader(packed)))
		if err != nil {
			t.Fatal(err)
		}
		var files []string
		if found := list.FindSubmatch(text); found != nil {
			if err := json.Unmarshal(found[1], &files); err != nil {
				t.Fatal(err)
			}
		}
		for _, found := range imports.FindAllSubmatch(text, -1) {
			l := later{name, []string{string(found[1])}}
			var with []int
			if len(found[2]) > 0 {
				if err := json.Unmarshal(found[2], &with); err != nil {
					t.Fatal(err)
				}
			}
			for _, i := range with {
				l.with = append(l.with, strings.TrimPrefix(files[i], "assets/"))
			}
			loads = append(loads, l)
		}
	}
	return sizes, loads
}

// Each address of the cabinet has the page, with a nonce of its own; files are sent in each coding
// and never change.
func TestCabinetIsServed(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	get := func(path, accept string) apitest.Answer {
		return a.Send(apitest.Request{Method: "GET", Path: path, Header: map[string]string{"Accept-Encoding": accept, "Accept": "text/html"}})
	}
	nonce := regexp.MustCompile(`<meta property="csp-nonce" nonce="(\w+)">`)
	seen := map[string]bool{}
	for _, path := range []string{"/cabinet/", "/cabinet/tea/products", "/cabinet/tea/products/7?x=1", "/cabinet/%2e%2e/products"} {
		got := get(path, "br")
		found := nonce.FindSubmatch(got.Body)
		policy := got.Header.Get("Content-Security-Policy")
		if got.Status != 200 || found == nil || !strings.Contains(policy, "'nonce-"+string(found[1])+"'") || seen[string(found[1])] || got.Header.Get("Cache-Control") != "no-store" {
			t.Fatalf("%s: %d %v", path, got.Status, got.Header)
		}
		seen[string(found[1])] = true
		for _, must := range []string{"default-src 'none'", "script-src 'self';", "frame-ancestors 'none'", "base-uri 'none'"} {
			if !strings.Contains(policy, must) {
				t.Errorf("%s lacks %s", policy, must)
			}
		}
	}
	if got := get("/cabinet", ""); got.Status != 308 || got.Header.Get("Location") != "/cabinet/" {
		t.Errorf("%d %v", got.Status, got.Header)
	}
	files := regexp.MustCompile(`/cabinet/assets/[\w.-]+`).FindAllString(string(get("/cabinet/", "").Body), -1)
	if len(files) < 2 {
		t.Fatal(files)
	}
	for _, file := range files {
		plain := get(file, "identity")
		for accept, coding := range map[string]string{"gzip, deflate, br": "br", "gzip": "gzip", "": ""} {
			got := get(file, accept)
			if got.Status != 200 || got.Header.Get("Content-Encoding") != coding || !bytes.Equal(got.Body, plain.Body) || !strings.Contains(got.Header.Get("Cache-Control"), "immutable") {
				t.Errorf("%s as %q: %d %v", file, accept, got.Status, got.Header)
			}
		}
	}
	for _, path := range []string{"/cabinet/assets/none.js", "/cabinet/assets/..%2findex.html", "/cabinets"} {
		if got := get(path, ""); got.Status != 404 {
			t.Errorf("%s: %d", path, got.Status)
		}
	}
}
