package edge

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"

	"vitrine/compile"
	"vitrine/internal/race"
	"vitrine/internal/shop"
	"vitrine/render"
)

// site is the website in the section /docs of shop 7.
func site() map[string][]byte {
	return map[string][]byte{
		"index.html": []byte("<!doctype html><title>Docs</title>" + strings.Repeat("<p>words words</p>", 40)), "404.html": []byte("<p>not in these docs</p>"),
		"guide/index.html": []byte("<p>guide</p>"), "guide/deep/page.html": []byte("<p>deep</p>"), "only/files/a.css": bytes.Repeat([]byte("p{color:red}\n"), 60),
		"app.js": []byte("1"), "ten.bin": []byte("0123456789"), "big.bin": bytes.Repeat([]byte("0123456789"), 200_000),
		"big.json": bytes.Repeat([]byte(`{"key":"value"},`), 100_000), "a b/é.html": []byte("<p>odd</p>"),
		"pic.png": []byte("png"), "pic.svg": []byte("<svg/>"), "pic.gif": []byte("gif"), "photo.JPG": []byte("jpg"), "p.webp": []byte("w"), "p.avif": []byte("a"),
	}
}

// docs adds a section /docs of type site to shop 7 and publishes releases of it.
func (w *world) docs(release shop.ReleaseID, files map[string][]byte) {
	w.t.Helper()
	categories := append(
		newFixture().shops[7].in.Categories,
		compile.Category{ID: 9, Slug: "docs", Name: "Docs", Type: compile.TypeSite, Published: true},
	)
	folders := []compile.Folder{}
	if release != 0 {
		folders = append(folders, compile.Folder{Category: 9, Document: 50, Release: release})
	}
	w.change(
		7, compile.Delta{Categories: categories, Folders: folders},
		func(s *fixtureShop) { s.releases[render.Release{Document: 50, ID: release}] = files },
		shop.Key{Kind: shop.KeyCategories}, shop.Key{Kind: shop.KeyDocument, ID: 50},
	)
}

func newDocs(t testing.TB, edit ...func(*Config)) *world {
	w := newWorld(t, edit...)
	w.docs(90, site())
	return w
}

func TestAFolderAnswersLikeAStaticHost(t *testing.T) {
	w := newDocs(t)
	files := site()
	for _, c := range []struct {
		target string
		status int
		file   string // the body, or the target of the redirect
	}{
		{"/docs/", 200, "index.html"}, {"/docs/index.html", 200, "index.html"}, {"/docs/?q=1", 200, "index.html"},
		{"/docs", 308, "/docs/"}, {"/docs?a=b&c", 308, "/docs/?a=b&c"}, {"/docs//", 308, "/docs/"}, {"//docs/guide//deep/", 308, "/docs/guide/deep/"},
		{"/docs/guide/", 200, "guide/index.html"}, {"/docs/guide", 308, "/docs/guide/"}, {"/docs/guide/deep/page.html", 200, "guide/deep/page.html"},
		{"/docs/guide/deep", 308, "/docs/guide/deep/"}, {"/docs/guide/deep/", 404, "404.html"}, {"/docs/only", 308, "/docs/only/"},
		{"/docs/a%20b/%C3%A9.html", 200, "a b/é.html"}, {"/docs/a%20b", 308, "/docs/a%20b/"}, {"/docs/%67uide", 308, "/docs/guide/"},
		{"/docs/app.js", 200, "app.js"}, {"/docs/app.js?v=3", 200, "app.js"}, {"/docs/app.js/", 404, "404.html"},
		{"/docs/none", 404, "404.html"}, {"/docs/guide/none.html", 404, "404.html"}, {"/docs/APP.JS", 404, "404.html"},
		{"/docs/history/route", 404, "404.html"}, // no fallback to the root's index.html
		{"/docs/404.html", 200, "404.html"},
		{"/docs/../secret", 404, ""}, {"/docs/%2e%2e/secret", 404, ""}, {"/docs/%00", 400, ""},
	} {
		for range 2 { // the first response is made, the second cached
			got := w.get(c.target)
			body, there := files[c.file]
			switch {
			case got.Status != c.status:
				t.Errorf("%s: %d, want %d", c.target, got.Status, c.status)
			case c.status == 308 && got.has("Location") != c.file:
				t.Errorf("%s leads to %q, want %q", c.target, got.has("Location"), c.file)
			case there && got.Body != string(body):
				t.Errorf("%s: %.60q", c.target, got.Body)
			case there && (got.has("Content-Security-Policy") != sandbox || got.has("Access-Control-Allow-Origin") != "*"):
				t.Errorf("%s leaves the sandbox: %v", c.target, got.Header)
			}
		}
	}
	if strings.Contains(sandbox, "same-origin") {
		t.Error("the sandbox has the shop's origin")
	}
	w.expect("POST", w.ask("POST", "/docs/", "Content-Length: 0"), 405, "Allow", "GET, HEAD, OPTIONS")
	w.expect("an address of the release", w.get("/_html/51/90/index.html"), 404)
}

func TestFolderPagesRevalidateAndFilesAreCached(t *testing.T) {
	w := newDocs(t)
	for target, caching := range map[string]string{
		"/docs/": "no-cache", "/docs/guide/deep/page.html": "no-cache", "/docs/none": "no-cache",
		"/docs/app.js": "public, max-age=60", "/docs/big.bin": "public, max-age=60", "/docs/pic.png": "public, max-age=60",
	} {
		got := w.get(target)
		if got.has("Cache-Control") != caching || got.has("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", target, got.Header)
		}
		tag := got.has("ETag")
		again := w.get(target, "If-None-Match: "+tag+`, "x"`)
		if got.Status == 404 {
			if tag != "" || w.get(target, "If-None-Match: *").Status != 404 {
				t.Errorf("%s: a 404 has the tag %q", target, tag)
			}
			continue
		}
		if again.Status != 304 || again.has("ETag") != tag || again.has("Cache-Control") != caching || again.Body != "" {
			t.Errorf("%s again: %d %v", target, again.Status, again.Header)
		}
		if w.get(target, `If-None-Match: "other"`).Status != 200 {
			t.Errorf("%s: another tag matches", target)
		}
		head := w.ask("HEAD", target)
		if head.Status != 200 || head.Body != "" || head.has("Content-Length") != itoa(len(got.Body)) || head.has("ETag") != tag {
			t.Errorf("HEAD %s: %d %v", target, head.Status, head.Header)
		}
	}
}

func TestPartsOfAFolderFile(t *testing.T) {
	w := newDocs(t)
	for _, target := range []string{"/docs/ten.bin", "/docs/big.bin"} {
		whole := w.get(target).Body
		size := len(whole)
		tag := w.get(target).has("ETag")
		of := fmt.Sprintf("/%d", size)
		last := fmt.Sprint(size - 1)
		for _, c := range []struct {
			method, lines string
			status        int
			part          string // of Content-Range
			body          string
		}{
			{"GET", "Range: bytes=0-3", 206, "bytes 0-3" + of, "0123"},
			{"GET", "Range: bytes=-4", 206, fmt.Sprintf("bytes %d-%s%s", size-4, last, of), "6789"},
			{"GET", fmt.Sprintf("Range: bytes=%d-", size-2), 206, fmt.Sprintf("bytes %d-%s%s", size-2, last, of), "89"},
			{"GET", fmt.Sprintf("Range: bytes=%d-99999999", size-1), 206, fmt.Sprintf("bytes %s-%s%s", last, last, of), "9"},
			{"GET", fmt.Sprintf("Range: bytes=%d-", size), 416, "bytes *" + of, ""},
			{"GET", "Range: bytes=-0", 416, "bytes *" + of, ""},
			{"GET", "Range: lines=0-1", 200, "", whole},
			{"GET", "Range: bytes=3-1", 200, "", whole},
			{"GET", "Range: bytes=0-1,4-5", 200, "", whole}, // several parts may be ignored
			{"GET", "Range: bytes=" + strings.Repeat("0-0,", 1000) + "0-0", 200, "", whole},
			{"GET", "Range: bytes=0-3\r\nIf-Range: " + tag, 206, "bytes 0-3" + of, "0123"},
			{"GET", "Range: bytes=0-3\r\nIf-Range: W/" + tag, 200, "", whole},
			{"GET", `Range: bytes=0-3` + "\r\n" + `If-Range: "old"`, 200, "", whole},
			{"GET", "Range: bytes=0-3\r\nIf-Range: Sat, 21 Nov 2026 10:00:00 GMT", 200, "", whole},
			{"GET", "Range: bytes=0-3\r\nIf-None-Match: " + tag, 304, "", ""},
			{"HEAD", "Range: bytes=0-3", 200, "", ""},
		} {
			got := w.ask(c.method, target, c.lines)
			if got.Status != c.status || got.has("Content-Range") != c.part || got.Body != c.body {
				t.Errorf("%s %s %.60q: %d %q, %d bytes", c.method, target, c.lines, got.Status, got.has("Content-Range"), len(got.Body))
			}
		}
	}
	w.expect("a part of a 404", w.get("/docs/none", "Range: bytes=0-3"), 404, "Content-Range", "")
}

func unpacked(t *testing.T, coding, body string) string {
	t.Helper()
	var r io.Reader = strings.NewReader(body)
	var err error
	switch coding {
	case "br":
		r = brotli.NewReader(r)
	case "gzip":
		r, err = gzip.NewReader(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestFolderFilesAreSentCompressedAsPublished(t *testing.T) {
	w := newDocs(t)
	files := site()
	for path, body := range map[string][]byte{"": files["index.html"], "only/files/a.css": files["only/files/a.css"], "big.json": files["big.json"]} {
		tags := map[string]bool{}
		for accept, coding := range map[string]string{"": "", "br": "br", "gzip, br": "br", "br;q=0, gzip": "gzip", "gzip;q=0.1, identity;q=0.5": "", "*": "br", "zstd": ""} {
			got := w.get("/docs/"+path, "Accept-Encoding: "+accept)
			if got.Status != 200 || got.has("Content-Encoding") != coding || got.has("Vary") != "Accept-Encoding" ||
				unpacked(t, coding, got.Body) != string(body) {
				t.Errorf("%s for %q: %d %v", path, accept, got.Status, got.Header)
			}
			tags[got.has("ETag")] = true
			again := w.get("/docs/"+path, "Accept-Encoding: "+accept, "If-None-Match: "+got.has("ETag"))
			if again.Status != 304 || again.has("Vary") != "Accept-Encoding" || again.has("ETag") != got.has("ETag") {
				t.Errorf("%s again for %q: %d %v", path, accept, again.Status, again.Header)
			}
		}
		if len(tags) != 3 {
			t.Errorf("%s: three codings have the tags %v", path, tags)
		}
		part := w.get("/docs/"+path, "Accept-Encoding: br", "Range: bytes=0-4")
		if part.Status != 206 || part.has("Content-Encoding") != "" || part.Body != string(body[:5]) ||
			strings.HasSuffix(part.has("ETag"), `-br"`) {
			t.Errorf("a part of %s is one of its packed form: %d %v", path, part.Status, part.Header)
		}
	}
	if got := w.get("/docs/pic.png", "Accept-Encoding: br"); got.has("Content-Encoding") != "" || got.has("Vary") != "" {
		t.Errorf("a picture was packed: %v", got.Header)
	}
}

func TestImageServiceResizesFolderPictures(t *testing.T) {
	asked := ""
	w := newDocs(t, func(c *Config) {
		c.Resize = func(_ context.Context, _ shop.CompanyID, path string, width, quality int) (Image, error) {
			asked = fmt.Sprint(path, " ", width, " ", quality)
			return Image{Body: []byte("webp"), ETag: `"w"`}, nil
		}
	})
	for path, cut := range map[string]bool{"pic.png": true, "photo.JPG": true, "p.webp": true, "p.avif": true, "pic.svg": false, "pic.gif": false, "app.js": false} {
		got := w.get("/docs/" + path + "?w=640&q=80")
		if !cut {
			w.expect(path, got, 200)
			continue
		}
		to := "/w/640/webp/_folder/9/" + shaOf(site()[path]) + "?q=80"
		w.expect(path, got, 302, "Location", to, "Cache-Control", "public, max-age=60")
		w.expect(to, w.get(to), 200, "Content-Type", "image/webp")
		if want := "_folder/9/" + shaOf(site()[path]) + " 640 80"; asked != want {
			t.Errorf("the image service was asked for %q, want %q", asked, want)
		}
	}
	w.expect("no quality", w.get("/docs/pic.png?w=100"), 302, "Location", "/w/100/webp/_folder/9/"+shaOf([]byte("png")))
	for _, query := range []string{"", "?q=80", "?w=", "?w=-1", "?w=abc", "?width=640"} {
		w.expect("pic.png"+query, w.get("/docs/pic.png"+query), 200, "Content-Type", "image/png")
	}
	w.expect("missing", w.get("/docs/none.png?w=640"), 404)
}

func TestPublishIsVisibleAtOnceAndKeepsUnchangedFiles(t *testing.T) {
	w := newDocs(t)
	first := w.get("/docs/").has("ETag")
	w.get("/docs/app.js")
	next := site()
	next["index.html"] = []byte("<p>second</p>")
	delete(next, "guide/index.html")
	w.docs(91, next)
	if got := w.get("/docs/", "If-None-Match: "+first); got.Status != 200 || got.Body != "<p>second</p>" {
		t.Errorf("after the publish: %d %s", got.Status, got.Body)
	}
	w.expect("a removed file", w.get("/docs/guide/"), 404)
	kept := w.edge.Stats().Misses
	w.expect("an unchanged file", w.get("/docs/app.js"), 200)
	if w.edge.Stats().Misses != kept {
		t.Error("an unchanged file was read again")
	}
	before := w.edge.Stats().Hot
	for range 3 {
		w.get("/docs/")
	}
	if hot := w.edge.Stats().Hot - before; hot < 2 {
		t.Errorf("%d of 3 visits took the hot path", hot)
	}
}

func TestUnpublishedFolderAnswers404(t *testing.T) {
	w := newWorld(t)
	w.docs(0, nil)
	for _, target := range []string{"/docs", "/docs/", "/docs/a.html"} {
		got := w.get(target)
		if got.Status != 404 || got.has("Content-Security-Policy") == sandbox {
			t.Errorf("%s before the first publish: %d %v", target, got.Status, got.Header)
		}
	}
	bare := site()
	delete(bare, "404.html")
	w.docs(90, bare)
	if got := w.get("/docs/none"); got.Status != 404 || !strings.Contains(got.Body, "Shop &amp; Co") {
		t.Errorf("without a 404.html: %d %.80s", got.Status, got.Body)
	}
	hidden := append(newFixture().shops[7].in.Categories, compile.Category{ID: 9, Slug: "docs", Type: compile.TypeSite})
	w.change(7, compile.Delta{Categories: hidden}, nil, shop.Key{Kind: shop.KeyCategories})
	w.expect("publishing the release does not publish the section", w.get("/docs/"), 404)
	w.docs(90, site())
	closed := w.src.shops[7].in.Shop
	closed.Closed = true
	w.changeShop(closed)
	if got := w.get("/docs/"); strings.Contains(got.Body, "words") || got.Status == 200 && got.has("Cache-Control") != guardedCaching {
		t.Errorf("a closed shop shows its folder: %d %v", got.Status, got.Header)
	}
}

func TestFolderIsServedWithoutTheDatabase(t *testing.T) {
	w := newDocs(t)
	w.get("/docs/")
	w.src.setAway(true)
	w.expect("a file not yet read", w.get("/docs/guide/deep/page.html"), 200)
	w.expect("a miss", w.get("/docs/none"), 404)
	w.src.setAway(false)
}

func TestAWebsiteAsTheHomePage(t *testing.T) {
	w := newWorld(t)
	home := []compile.Category{
		{ID: 8, Slug: "home", Type: compile.TypeSite, Published: true, Home: true}, {ID: 1, Slug: "shoes", Type: compile.TypeProduct, Published: true},
	}
	w.change(
		7, compile.Delta{Categories: home, Folders: []compile.Folder{{Category: 8, Document: 50, Release: 90}}},
		func(s *fixtureShop) { s.releases[render.Release{Document: 50, ID: 90}] = site() },
		shop.Key{Kind: shop.KeyCategories}, shop.Key{Kind: shop.KeyDocument, ID: 50},
	)
	w.expect("home", w.get("/"), 200, "Content-Security-Policy", sandbox)
	w.expect("below", w.get("/guide"), 308, "Location", "/guide/")
	w.expect("a section of the shop", w.get("/shoes"), 200, "Content-Security-Policy", "")
	w.expect("the cart", w.get("/cart"), 200, "Content-Security-Policy", "script-src 'self'; base-uri 'none'; frame-ancestors 'none'")
}

// A file of 20 MB is streamed: the memory that a download allocates does not grow with its
// size.
func TestALargeFileTakesNoMemory(t *testing.T) {
	w := newWorld(t)
	w.docs(90, map[string][]byte{"film.mp4": make([]byte, 20<<20)})
	w.expect("the address", w.ask("HEAD", "/docs/film.mp4"), 200, "Content-Length", itoa(20<<20), "Content-Type", "video/mp4")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	const downloads = 5
	for range downloads {
		conn, err := w.listen.Dial()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, requestOf("GET", "/docs/film.mp4", "Connection: close")); err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, conn)
		if err != nil || n < 20<<20 {
			t.Fatalf("%d bytes, %v", n, err)
		}
		closing(t, conn)
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / downloads; each > race.MemoryFactor*2<<20 {
		t.Errorf("a download allocates %d KB", each>>10)
	}
}

// No path leaves the sandbox or the folder.
func FuzzFolderPath(f *testing.F) {
	for _, seed := range []string{"", "guide", "..%2f..", "%2e/", "a b/é.html", "//x", `\..\x`, "pic.png?w=9", "%5c%5cevil.test", ";x", "guide%00"} {
		f.Add(seed)
	}
	w := newDocs(f)
	f.Fuzz(func(t *testing.T, path string) {
		if strings.ContainsAny(path, " \r\n\t\x00#") || len(path) > 2000 {
			return
		}
		mine := &world{t: t, src: w.src, edge: w.edge, listen: w.listen}
		got := mine.get("/docs/" + path)
		to := got.has("Location")
		switch {
		case got.Status >= 500:
			t.Errorf("%q: %d", path, got.Status)
		case to != "" && (to[0] != '/' || strings.HasPrefix(to, "//") || strings.HasPrefix(to, `/\`)):
			t.Errorf("%q leads to another host: %q", path, to)
		case got.Status == 200 && got.has("Content-Security-Policy") != sandbox && got.has("Content-Type") != "image/webp":
			t.Errorf("%q is outside of the sandbox: %v", path, got.Header)
		}
	})
}
