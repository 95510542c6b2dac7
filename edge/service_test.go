package edge

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/render"
)

func TestRobotsAndSitemap(t *testing.T) {
	w := newWorld(t)
	got := w.get("/robots.txt")
	w.expect("robots", got, 200, "Content-Type", "text/plain; charset=utf-8")
	if !strings.Contains(got.Body, "Sitemap: http://shop.localhost:8080/sitemap.xml") {
		t.Errorf("robots.txt: %s", got.Body)
	}
	for range 2 {
		got = w.get("/sitemap.xml")
		w.expect("sitemap", got, 200, "Content-Type", "application/xml")
		for _, path := range []string{"/", "/shoes", "/about", "/shoes/boot", "/news/opening"} {
			if !strings.Contains(got.Body, "<loc>http://shop.localhost:8080"+path+"</loc>") {
				t.Errorf("the sitemap lacks %s", path)
			}
		}
		if strings.Contains(got.Body, "hidden") {
			t.Error("the sitemap names a hidden section")
		}
	}
	w.expect("no second part", w.get("/sitemap.xml?page=2"), 404)
	w.change(
		7, compile.Delta{Products: []compile.Product{{ID: 13, Category: 1, Slug: "sock", Published: true}}}, nil,
		shop.Key{Kind: shop.KeyProduct, ID: 13},
	)
	if got := w.get("/sitemap.xml"); !strings.Contains(got.Body, "/shoes/sock") {
		t.Error("the sitemap does not follow a write")
	}
}

// The shop's own file goes before the text of the platform, which names what the setting allows.
func TestLLMsTxt(t *testing.T) {
	w := newWorld(t)
	const ucp, acp = "(http://shop.localhost:8080/.well-known/ucp)", "(http://shop.localhost:8080/.well-known/acp.json)"
	for _, c := range []struct {
		allowed  shop.Assistants
		fallback bool
		status   int
		has      []string
	}{
		{"", false, 200, []string{ucp, "http://shop.localhost:8080/api/ucp/mcp", acp, "http://shop.localhost:8080/api/acp"}},
		{shop.AssistantsCheckout, true, 200, []string{ucp, acp}}, {shop.AssistantsCatalog, false, 200, []string{ucp}}, {shop.AssistantsOff, false, 404, nil},
	} {
		sh := w.src.shops[7].in.Shop
		sh.Face.Assistants, sh.MissFallback = c.allowed, c.fallback
		w.changeShop(sh)
		got := w.get("/llms.txt")
		w.expect(string(c.allowed), got, c.status)
		if c.status == 200 {
			w.expect("POST", w.ask("POST", "/llms.txt", "Content-Length: 0"), 405)
		}
		for _, text := range []string{ucp, acp} {
			if want := slices.Contains(c.has, text); strings.Contains(got.Body, text) != want {
				t.Errorf("%q: %s in the text is not %v:\n%s", c.allowed, text, want, got.Body)
			}
		}
	}
	w.rules(rule("/llms.txt", "/about"))
	w.expect("the owner's rule", w.get("/llms.txt"), 308, "Location", "/about")
}

func TestAssets(t *testing.T) {
	w := newWorld(t)
	for _, a := range render.Assets() {
		caching := "public, max-age=86400"
		if a.Immutable {
			caching = "public, max-age=31536000, immutable"
		}
		w.expect(
			a.Path, w.get(a.Path), 200, "Content-Type", a.Type, "ETag", a.ETag, "Cache-Control", caching,
			"X-Content-Type-Options", "nosniff",
		)
	}
	w.expect("favicon", w.get("/favicon.ico"), 200, "Content-Type", "image/svg+xml")
	w.expect("unknown", w.get("/_vitrine/none.css"), 404)
	w.expect("_file", w.get("/_file/5"), 404)
	w.expect("_next", w.get("/_next/x"), 404)
}

func TestReleaseFiles(t *testing.T) {
	w := newWorld(t)
	sheet := string(w.src.shops[7].releases[render.Release{Document: 5, ID: 9}]["css/site.css"])
	for _, target := range []string{"/_html/5/9/css/site.css", "/_html/5/9/css/site.css?v=2", "/_html/5/9/css%2Fsite.css", "/_html/5/9/css/site%2ecss"} {
		for range 2 {
			got := w.get(target)
			w.expect(target, got, 200,
				"Cache-Control", "public, max-age=31536000, immutable", "X-Content-Type-Options", "nosniff",
				"Content-Type", "text/css; charset=utf-8", "ETag", `"`+shaOf([]byte(sheet))[:32]+`"`, "Accept-Ranges", "bytes")
			if got.Body != sheet {
				t.Errorf("%s: other bytes", target)
			}
		}
	}
	for _, target := range []string{
		"/_html/5/9/CSS/site.css", "/_HTML/5/9/css/site.css", "/_html/5/9/", "/_html/5/9", "/_html/5/9/css", "/_html/5/9/css/", "/_html/5/9//css/site.css",
		"/_html/5/10/index.html", "/_html/05/9/css/site.css", "/_html/+5/9/css/site.css", "/_html/-5/9/css/site.css", "/_html/5x/9/css/site.css",
		"/_html/5/9/../9/css/site.css", "/_html/5/9/css/%2e%2e/css/site.css", "/_html/5/9/..%2f..%2fetc/passwd", "/_html/5/9/./css/site.css",
		"/_html/99999999999999999999/9/x", "/_html/5/9/css%252Fsite.css", `/_html/5/9/css\site.css`,
	} {
		w.expect(target, w.get(target), 404)
	}
	w.expect("NUL", w.get("/_html/5/9/a%00b"), 400)
	w.expect("the other shop's host", w.askHost("GET", "other.test", "/_html/5/9/css/site.css"), 404)
	w.expect("its own", w.askHost("GET", "other.test", "/_html/5/10/index.html"), 200)
	w.expect("the shop's other host", w.askHost("GET", "www.shop.localhost", "/_html/5/9/ten.bin"), 200)
}

func TestDeletedReleaseIs404(t *testing.T) {
	w := newWorld(t)
	w.get("/_html/5/9/css/site.css")
	w.get("/_html/5/9/css/site.css")
	w.change(
		7, compile.Delta{}, func(s *fixtureShop) { delete(s.releases, render.Release{Document: 5, ID: 9}) },
		shop.Key{Kind: shop.KeyDocument, ID: 5},
	)
	w.expect("deleted", w.get("/_html/5/9/css/site.css"), 404)
}

func TestMediaFiles(t *testing.T) {
	w := newWorld(t)
	withID := "/files/pics/0b6f3a52-7d0c-4c53-9a5e-1d2f3c4b5a69.webp"
	for range 2 {
		w.expect("by id", w.get(withID), 200, "Cache-Control", "public, max-age=31536000, immutable", "Content-Type", "image/webp",
			"X-Content-Type-Options", "nosniff", "Content-Security-Policy", "")
		w.expect(
			"by a former address", w.get(strings.Replace(withID, ".webp", ".png", 1)), 200, "Cache-Control",
			"public, max-age=300", "Content-Type", "image/webp",
		)
		w.expect("plain", w.get("/files/pics/plain.png"), 200, "Cache-Control", "public, max-age=300")
		w.expect("svg", w.get("/files/pics/plain.svg"), 200, "Content-Type", "image/svg+xml",
			"Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox")
	}
	w.expect("missing", w.get("/files/pics/none.png"), 404)
	w.expect("traversal", w.get("/files/pics/../pics/plain.png"), 404)
	w.expect("root", w.get("/files/"), 404)
	w.expect("the other shop's host", w.askHost("GET", "other.test", withID), 404)
	w.change(7, compile.Delta{}, func(s *fixtureShop) { delete(s.media, "pics/plain.png") }, shop.Key{Kind: shop.KeyDesign})
	w.expect("deleted", w.get("/files/pics/plain.png"), 404)
}

func TestResizedPictures(t *testing.T) {
	var asked string
	var refusal error
	var standIn bool
	w := newWorld(t, func(c *Config) {
		c.Resize = resizeFunc(func(company shop.CompanyID, path string, width, q int) (Image, error) {
			asked = fmt.Sprintf("%d %s %d %d", company, path, width, q)
			return Image{Body: []byte("small"), ETag: `"w"`, StandIn: standIn}, refusal
		})
	})
	for target, want := range map[string]string{
		"/w/640/webp/pics/a.png": "7 pics/a.png 640 0", "/w/5/webp/a.png": "7 a.png 16 0", "/w/99999/webp/a.png": "7 a.png 4096 0",
		"/w/640/webp/files/a.png": "7 a.png 640 0", "/w/640/webp/a.png?q=80": "7 a.png 640 80", "/w/640/webp/a.png?q=1": "7 a.png 640 40", "/w/640/webp/a.png?q=x": "7 a.png 640 0",
		"/w/640/webp/a.png?q=999": "7 a.png 640 95", "/w/640/webp/a%20b.png": "7 a b.png 640 0", "/w/99999999999999999999/webp/a.png": "7 a.png 4096 0",
	} {
		asked = ""
		w.expect(
			target, w.get(target), 200, "Content-Type", "image/webp", "ETag", `"w"`, "Cache-Control", immutableCaching,
			"X-Content-Type-Options", "nosniff",
		)
		if asked != want {
			t.Errorf("%s: asked for %q, want %q", target, asked, want)
		}
	}
	standIn = true
	w.expect("another width while busy", w.get("/w/640/webp/a.png"), 200, "Cache-Control", standInCaching)
	standIn = false
	asked = ""
	for _, target := range []string{"/w/x/webp/a.png", "/w/6.5/webp/a.png", "/w/-5/webp/a.png", "/w//webp/a.png", "/w/640/png/a.png", "/w/640/webp/", "/w/640/webp/../a.png", "/w/640"} {
		w.expect(target, w.get(target), 404)
	}
	w.expect("HEAD", w.ask("HEAD", "/w/640/webp/pics/a.png"), 404)
	w.expect("svg", w.get("/w/640/webp/pics/plain.svg"), 200, "Content-Type", "image/svg+xml")
	if asked != "" {
		t.Errorf("the resizer was asked for %q", asked)
	}
	w.expect("304", w.get("/w/640/webp/pics/a.png", `If-None-Match: W/"w"`), 304, "ETag", `"w"`)
	for _, c := range []struct {
		path   string
		refuse error
		status int
		mime   string
	}{
		{path: "pics/plain.png", refuse: ErrKeepOriginal, status: 200, mime: "image/png"},
		{path: "a.png", refuse: shop.ErrUnavailable.With("busy"), status: 503},
		{path: "a.png", refuse: shop.ErrNotFound, status: 404},
		{path: "a.png", refuse: errAway, status: 503},
	} {
		refusal = c.refuse
		got := w.get("/w/640/webp/" + c.path)
		w.expect(c.refuse.Error(), got, c.status)
		if c.status == 503 && got.has("Retry-After") == "" {
			t.Error("503 without Retry-After")
		}
		if c.mime != "" && got.has("Content-Type") != c.mime {
			t.Errorf("type %s", got.has("Content-Type"))
		}
	}
}

// resizeFunc is a resizer without a context.
func resizeFunc(
	f func(shop.CompanyID, string, int, int) (Image, error),
) func(context.Context, shop.CompanyID, string, int, int) (Image, error) {
	return func(_ context.Context, company shop.CompanyID, path string, width, q int) (Image, error) {
		return f(company, path, width, q)
	}
}
