package edge

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"vitrine/compile"
	"vitrine/internal/await"
	"vitrine/internal/shop"
)

func TestSiteFileHeaders(t *testing.T) {
	w := newWorld(t)
	for i, c := range []struct{ name, body, mime, robots string }{
		{"ads.txt", "google.com, pub-1, DIRECT", "text/plain; charset=utf-8", "noindex"},
		{"feed.xml", "<a/>", "application/xml; charset=utf-8", "noindex"},
		{"feed.yml", "<yml_catalog/>", "application/xml; charset=utf-8", "noindex"},
		{"list.csv", priceList, "text/csv; charset=utf-8", "noindex"},
		{"data.json", "[]", "application/json; charset=utf-8", "noindex"},
		{"page.html", "<p>hi</p><script>alert(1)</script>", "text/html; charset=utf-8", ""},
	} {
		w.putFile(shop.SiteFileID(i+1), 0, c.name, c.body)
		got := w.get("/" + c.name)
		w.expect(c.name, got, 200, "Content-Type", c.mime, "X-Robots-Tag", c.robots, "Content-Security-Policy", "sandbox",
			"X-Content-Type-Options", "nosniff", "Cache-Control", "no-cache")
		if got.has("ETag") == "" {
			t.Errorf("%s has no ETag", c.name)
		}
		if again := w.askHost("GET", "www.shop.localhost", "/"+c.name); again.Status != 200 || again.Body != got.Body {
			t.Errorf("%s on another host of the shop: %d", c.name, again.Status)
		}
	}
}

func TestSiteFileAnswersConditionsAndRanges(t *testing.T) {
	w := newWorld(t)
	w.putFile(1, 1, "list.csv", strings.Repeat("0123456789", 100))
	whole := w.get("/shoes/list.csv")
	tag := whole.has("ETag")
	w.expect(
		"304", w.get("/shoes/list.csv", "If-None-Match: \"x\", W/"+tag), 304, "ETag", tag, "Content-Security-Policy",
		"sandbox", "X-Robots-Tag", "noindex",
	)
	w.expect("star", w.get("/shoes/list.csv", "If-None-Match: *"), 304)
	w.expect("unquoted", w.get("/shoes/list.csv", "If-None-Match: "+strings.Trim(tag, `"`)), 200)
	if head := w.ask("HEAD", "/shoes/list.csv", "Range: bytes=0-3"); head.Status != 200 || head.Body != "" ||
		head.has("Content-Length") != "1000" {
		t.Errorf("HEAD: %d %q %s", head.Status, head.Body, head.has("Content-Length"))
	}
	if part := w.get("/shoes/list.csv", "Range: bytes=3-5"); part.Status != 206 || part.Body != "345" {
		t.Errorf("a part: %d %q", part.Status, part.Body)
	}
	w.expect("past the end", w.get("/shoes/list.csv", "Range: bytes=1000-"), 416, "Content-Range", "bytes */1000")
	packed := w.get("/shoes/list.csv", "Accept-Encoding: br, gzip")
	w.expect("packed", packed, 200, "Content-Encoding", "br", "Vary", "Accept-Encoding")
	if packed.has("ETag") == tag {
		t.Error("two encodings have the same ETag")
	}
	w.expect("POST", w.ask("POST", "/shoes/list.csv"), 405)
}

func TestUnreachableSiteFilesAreNotFound(t *testing.T) {
	w := newWorld(t)
	w.putFile(1, 4, "in-hidden.txt", "a section need not be published")
	w.putFile(2, 99, "orphan.txt", "x")
	w.expect("below a hidden section", w.get("/hidden/in-hidden.txt"), 200)
	w.expect("an orphan", w.get(fileAt(2)), 404)
	w.expect("another case", w.get("/hidden/In-Hidden.txt"), 404)
	w.expect("another shop", w.askHost("GET", "other.test", fileAt(1)), 404)
	for _, address := range []string{"/_file/", "/_file/01", "/_file/+1", "/_file/1x", "/_file/99999999999999999999", "/_file/1/"} {
		w.expect(address, w.get(address), 404)
	}
	rows := []compile.SiteFile{{ID: 1, Category: 4, Name: "in-hidden.txt", Version: 2}}
	w.files(rows, nil)
	w.expect("unpublished", w.get("/hidden/in-hidden.txt"), 404)
	w.expect("unpublished, by id", w.get(fileAt(1)), 404)
}

func TestClosedShopHasNoSiteFiles(t *testing.T) {
	w := newWorld(t)
	w.putFile(1, 0, "ads.txt", "x")
	w.expect("open", w.get("/ads.txt"), 200)
	closed := w.src.shops[7].in.Shop
	closed.Closed = true
	w.changeShop(closed)
	w.expect("closed", w.get("/ads.txt"), 404)
	w.expect("closed, by id", w.get(fileAt(1)), 404)
}

func TestPermanentAddressLinksToTheCurrentOne(t *testing.T) {
	w := newWorld(t)
	w.putFile(1, 0, "list.csv", "a")
	w.expect("at the root", w.get(fileAt(1)), 200, "Link", `<http://shop.localhost:8080/list.csv>; rel="canonical"`)
	w.putFile(1, 1, "new.csv", "a")
	got := w.get(fileAt(1))
	w.expect("moved and renamed", got, 200, "Link", `<http://shop.localhost:8080/shoes/new.csv>; rel="canonical"`)
	w.expect("304", w.get(fileAt(1), "If-None-Match: "+got.has("ETag")), 304, "Link", `<http://shop.localhost:8080/shoes/new.csv>; rel="canonical"`)
	w.expect("the old address", w.get("/list.csv"), 404)
}

func TestSitemapListsPublishedHTMLFiles(t *testing.T) {
	w := newWorld(t)
	w.putFile(1, 1, "prices.html", "<p>{{range products}}{{.Name}}{{end}}</p>")
	w.putFile(2, 0, "feed.xml", "<a/>")
	got := w.get("/sitemap.xml").Body
	if !strings.Contains(got, "<loc>http://shop.localhost:8080/shoes/prices.html</loc>") || strings.Contains(got, "feed.xml") {
		t.Error(got)
	}
	w.files([]compile.SiteFile{}, nil)
	if got := w.get("/sitemap.xml").Body; strings.Contains(got, "prices.html") {
		t.Error("a deleted file is still listed")
	}
}

// A change is visible in the next answer, except that the previous copy is served for
// less than 15 seconds while the new one is built.
func TestChangesOfTheCatalogueShowWithin15Seconds(t *testing.T) {
	w := newWorld(t)
	w.src.files.saved = make(chan FileBuild, 100)
	w.putFile(1, 0, "list.txt", priceList)
	if got := w.get("/list.txt").Body; got != "Boot\nClog\n" {
		t.Fatalf("%q", got)
	}
	await.Next(t, w.src.files.saved)
	w.rename(11, "Second")
	w.clock.Add(4)
	if got := w.get("/list.txt").Body; got != "Boot\nClog\n" {
		t.Errorf("4 s after a build: %q, want the copy", got)
	}
	w.clock.Add(1)
	if got := w.get("/list.txt").Body; !strings.Contains(got, "Clog") {
		t.Errorf("while the next is built: %q", got)
	}
	await.Next(t, w.src.files.saved)
	if got := w.get("/list.txt").Body; got != "Second\nClog\n" {
		t.Errorf("after it: %q", got)
	}
	w.rename(11, "Third")
	w.clock.Add(15)
	if got := w.get("/list.txt").Body; got != "Third\nClog\n" {
		t.Errorf("15 s after the change: %q, want to wait for the new copy", got)
	}
}

func TestUnchangedFileIsBuiltAgainAfterAnHour(t *testing.T) {
	w := newWorld(t)
	w.putFile(1, 0, "list.txt", priceList)
	w.get("/list.txt")
	w.clock.Add(3599)
	w.get("/list.txt")
	if n := w.src.called("Catalogue"); n != 1 {
		t.Fatalf("%d builds within the hour", n)
	}
	w.clock.Add(16) // longer than an old copy stands in for the new one
	if got := w.get("/list.txt"); got.Status != 200 {
		t.Error(got.Status)
	}
	if n := w.src.called("Catalogue"); n != 2 {
		t.Errorf("%d builds after the hour, want 2", n)
	}
}

func TestEditIsSeenByTheNextVisitor(t *testing.T) {
	w := newWorld(t)
	for i := range 5 {
		w.putFile(1, 0, "list.txt", fmt.Sprintf("edit %d {{.Shop.Name}}", i))
		if got := w.get("/list.txt").Body; !strings.HasPrefix(got, fmt.Sprintf("edit %d ", i)) {
			t.Errorf("after edit %d: %q", i, got)
		}
	}
}

func TestConcurrentRequestsCauseOneBuildAtATime(t *testing.T) {
	w := newWorld(t)
	var running, most, builds atomic.Int64
	w.src.files.rendering = func() {
		builds.Add(1)
		if n := running.Add(1); n > most.Load() {
			most.Store(n)
		}
		for range 1000 {
			w.src.called("Catalogue")
		}
		running.Add(-1)
	}
	w.putFile(1, 0, "list.txt", priceList)
	var visitors sync.WaitGroup
	for range 50 {
		visitors.Go(func() {
			if got := w.get("/list.txt"); got.Status != 200 || got.Body != "Boot\nClog\n" {
				t.Errorf("%d %q", got.Status, got.Body)
			}
		})
	}
	visitors.Wait()
	if builds.Load() != 1 {
		t.Errorf("50 first visitors caused %d builds", builds.Load())
	}
	for i := range 20 {
		w.rename(11, fmt.Sprint("Boot ", i))
		w.clock.Add(3)
		for range 20 {
			visitors.Go(func() {
				if got := w.get("/list.txt"); got.Status != 200 {
					t.Errorf("%d", got.Status)
				}
			})
		}
		visitors.Wait()
	}
	if most.Load() > 1 {
		t.Errorf("%d builds of one file ran at once", most.Load())
	}
	if builds.Load() > 14 {
		t.Errorf("%d builds in a minute, want one in 5 s", builds.Load())
	}
}
