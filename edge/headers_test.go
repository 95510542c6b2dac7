package edge

import (
	"bytes"
	"path"
	"strings"
	"testing"

	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/render"
)

// checkDrawn is applied to every response that a test of this package reads: a response
// marked as drawn is a page of the storefront, with the storefront's own script or form,
// without a sandbox, at no address where files are served, and never an upload of the
// fixture.
func (w *world) checkDrawn(got reply) {
	w.t.Helper()
	mark, marked := got.Header["X-Vitrine-Page"]
	if !marked || got.Status == 304 || got.Body == "" {
		return
	}
	ours := strings.Contains(got.Body, "/_vitrine/storefront.") || strings.Contains(got.Body, `<dialog`) || strings.HasPrefix(got.Body, `<form class="v-form"`)
	policy := got.has("Content-Security-Policy")
	framing := strings.HasPrefix(policy, "frame-ancestors ") && !strings.Contains(policy, ";") // of a preview
	if len(mark) != 1 || mark[0] != "drawn" || got.has("Content-Type") != htmlType || policy != "" && !framing {
		w.t.Errorf("%d is marked as drawn: %v", got.Status, got.Header)
	}
	if got.has("Content-Encoding") == "" && !ours {
		w.t.Errorf("%d is marked as drawn: %.80q", got.Status, got.Body)
	}
}

// The storefront's script inserts only pages marked as drawn, so neither uploads nor pages
// that must be loaded in full may be marked (document 3, 4.2, 4.6.6).
func TestOnlyPagesThatTheEdgeDrewAreMarkedAsDrawn(t *testing.T) {
	w, api := formWorld(t)
	w.docs(90, map[string][]byte{"index.html": []byte(`<main id="v-content">`), "404.html": []byte(`<main id="v-content">none`)})
	w.putFile(1, 0, "gift.html", `<main id="v-content">`)
	w.putFile(2, 1, "gift.html", `<main id="v-content">`)
	for target, want := range map[string]string{
		"/": "drawn", "/shoes": "drawn", "/shoes?page=2": "drawn", "/shoes/red-shoe": "drawn", "/about": "drawn", "/about?q=x": "drawn", "/nowhere": "drawn",
		"/_vitrine/form/3": "drawn", "/_vitrine/form/3/dialog": "drawn", "/_vitrine/form/3/thanks": "drawn", "/_vitrine/form/99": "drawn", "/_next/x": "drawn", "/.well-known/x": "drawn",
		"/cart": "", "/checkout": "", "/docs/": "", "/docs/nowhere": "", "/gift.html": "", "/shoes/gift.html": "", "/_file/1": "",
		"/_html/5/9/css/site.css": "", "/_html/5/9/index.html": "", "/_html/5/9/none": "", "/files/pics/plain.svg": "", "/files/none": "", "/w/320/webp/pics/plain.png": "",
		"/robots.txt": "", "/sitemap.xml": "", "/favicon.ico": "", "/_vitrine/none": "", "/%00": "", "/docs": "",
	} {
		for range 2 { // the first response is made, the second cached
			if got := w.get(target); got.has("X-Vitrine-Page") != want {
				t.Errorf("%s: %d has the mark %q, want %q", target, got.Status, got.has("X-Vitrine-Page"), want)
			}
		}
	}
	if got := w.sendForm("/_vitrine/form/3", "email=a%40b", "Sec-Fetch-Site: same-origin"); got.Status != 303 ||
		got.has("X-Vitrine-Page") != "" {
		t.Errorf("a form that was sent: %d %q", got.Status, got.has("X-Vitrine-Page"))
	}
	api.mu.Lock()
	api.status = 500
	api.mu.Unlock()
	if got := w.get("/api/x"); got.has("X-Vitrine-Page") != "" {
		t.Errorf("the API: %d is marked", got.Status)
	}
	home := []compile.Category{{ID: 8, Slug: "home", Type: compile.TypeSite, Published: true, Home: true}}
	w.change(7, compile.Delta{Categories: home, Folders: []compile.Folder{{Category: 8, Document: 50, Release: 90}}}, nil,
		shop.Key{Kind: shop.KeyCategories}, shop.Key{Kind: shop.KeyDocument, ID: 50})
	if got := w.get("/"); got.Status != 200 || got.has("X-Vitrine-Page") != "" {
		t.Errorf("a website as the home page: %d is marked", got.Status)
	}
}

// The storefront's own files are within their size budgets.
func TestStylesAndScriptsAreSmallOnTheWire(t *testing.T) {
	w := newWorld(t)
	for _, a := range render.Assets() {
		most := map[string]int{".css": 14_000, ".js": 20_000}[path.Ext(a.Path)]
		if strings.HasPrefix(a.Path, "/_vitrine/zone.") {
			most = 2_000
		}
		if bytes.Contains(a.Body, []byte("cabinet")) { // of previews, which visitors do not load
			most = 22_000
		}
		if got := w.get(a.Path, "Accept-Encoding: gzip"); most > 0 && len(got.Body) > most {
			t.Errorf("%s takes %d bytes (%s), at most %d", a.Path, len(got.Body), got.has("Content-Encoding"), most)
		}
	}
}
