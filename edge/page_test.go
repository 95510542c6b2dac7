package edge

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/shop"
)

func TestPageHasTheHeadersOfTheContract(t *testing.T) {
	w := newWorld(t)
	for _, target := range []string{"/", "/shoes", "/shoes?page=2", "/about", "/news", "/shoes/boot", "/news/opening"} {
		for range 3 { // drawn once, then found by its target
			got := w.get(target)
			w.expect(target, got, 200,
				"Content-Type", "text/html; charset=utf-8",
				"Cache-Control", "public, max-age=0, s-maxage=60, stale-while-revalidate=600",
				"Vary", "Accept-Encoding",
				"X-Content-Type-Options", "nosniff",
				"Referrer-Policy", "strict-origin-when-cross-origin",
				"X-Frame-Options", "SAMEORIGIN",
				"Content-Encoding", "",
				"Server", "", "Set-Cookie", "", "Accept-Ranges", "")
			if tag := got.has("ETag"); len(tag) < 10 || tag[0] != '"' {
				t.Errorf("%s: entity tag %q is not strong", target, tag)
			}
			if got.has("Date") == "" {
				t.Errorf("%s: no Date", target)
			}
		}
	}
	if s := w.edge.Stats(); s.Hot != 14 || s.Misses != 7 {
		t.Errorf("counters %+v", s)
	}
}

func TestPageHasSurrogateKeys(t *testing.T) {
	w := newWorld(t)
	if got := w.get("/shoes/boot").has("Surrogate-Key"); got != "vitrine s7 s7-shop s7-categories s7-product-11" {
		t.Errorf("Surrogate-Key: %q", got)
	}
}

func TestPageShowsTheFrameOfTheSite(t *testing.T) {
	w := newWorld(t)
	body := w.get("/shoes/boot").Body
	for _, want := range []string{"Shop &amp; Co", `href="http://shop.localhost:8080/shoes/boot"`, `href="/about"`, ">Shoes<"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page of a product lacks %s", want)
		}
	}
	if body := w.get("/shoes?page=2").Body; !strings.Contains(body, "http://shop.localhost:8080/shoes?page=2") {
		t.Error("the second page of a listing is not its own canonical address")
	}
}

func TestSessionsGetPrivateCaching(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		w.expect("session", w.get("/about", "Cookie: a=b; vitrine-session=tok"), 200, "Cache-Control", "private, no-cache")
		w.expect("no session", w.get("/about", "Cookie: a=b"), 200,
			"Cache-Control", "public, max-age=0, s-maxage=60, stale-while-revalidate=600")
	}
	if n := w.src.called("Content"); n != 1 {
		t.Errorf("the page was drawn %d times", n)
	}
}

func TestMethods(t *testing.T) {
	w := newWorld(t)
	w.expect("POST page", w.ask("POST", "/about", "Content-Length: 0"), 405, "Allow", "GET, HEAD, OPTIONS")
	w.expect("DELETE page", w.ask("DELETE", "/about"), 405, "Allow", "GET, HEAD, OPTIONS")
	w.expect("OPTIONS page", w.ask("OPTIONS", "/about"), 204, "Allow", "GET, HEAD, OPTIONS")
	w.expect("POST missing", w.ask("POST", "/nothing", "Content-Length: 0"), 404)
	w.expect("POST robots", w.ask("POST", "/robots.txt", "Content-Length: 0"), 405)
	w.expect("CONNECT", w.ask("CONNECT", "x:443"), 405)
	w.expect("GET *", w.ask("GET", "*"), 400)
	w.expect("OPTIONS *", w.ask("OPTIONS", "*"), 204)
}

func TestHeadHasTheFieldsOfGet(t *testing.T) {
	w := newWorld(t)
	for _, target := range []string{
		"/about", "/nothing", "/robots.txt", "/sitemap.xml", "/cart", "/_html/5/9/css/site.css", "/_html/5/9/big.bin",
		"/_html/5/9/none", "/files/pics/plain.svg", "/about.html", "/favicon.ico",
	} {
		for range 2 {
			get, head := w.get(target), w.ask("HEAD", target)
			get.Header.Del("Date")
			head.Header.Del("Date")
			if head.Body != "" {
				t.Errorf("HEAD %s has a body", target)
			}
			if head.Status != get.Status {
				t.Errorf("HEAD %s is %d, GET %d", target, head.Status, get.Status)
			}
			for name := range get.Header {
				if head.has(name) != get.has(name) {
					t.Errorf("HEAD %s: %s is %q, with GET %q", target, name, head.has(name), get.has(name))
				}
			}
		}
	}
}

func TestUnknownQueryDoesNotSplitOrPoisonTheCache(t *testing.T) {
	w := newWorld(t)
	first := w.get("/shoes")
	for _, query := range []string{"?utm_source=x", "?a=1&b=2", "?page=1", "?page=0", "?page=-1", "?page=x", "?page=+1", "?", "?x=<script>"} {
		if got := w.get("/shoes" + query); got.Body != first.Body || got.has("ETag") != first.has("ETag") {
			t.Errorf("/shoes%s is another page", query)
		}
	}
	if n := w.src.called("Content"); n != 1 {
		t.Errorf("drawn %d times", n)
	}
	if n := len(w.edge.tenants.peek(7).targets.byTarget); n > 5 {
		t.Errorf("%d targets are remembered", n)
	}
	w.get("/about?page=7")
	w.get("/about?page=8")
	for _, target := range []string{"/?page=2", "/?page=3"} {
		if got := w.get(target); got.Status != 404 {
			t.Errorf("%s answers %d", target, got.Status)
		}
	}
	if n := w.src.called("Content"); n != 4 { // the shoes, the page, the home page and the 404 page
		t.Errorf("a page without a listing was drawn for each number: %d", n)
	}
}

func TestPageNumberPastTheEndIs404AndReadOnce(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		w.expect("page 3", w.get("/shoes?page=3"), 404)
	}
	w.expect("page 99999999", w.get("/shoes?page=99999999"), 404)
	if n := w.src.called("Content"); n != 2 { // the listing and the 404 page
		t.Errorf("the Source was asked %d times", n)
	}
}

func TestMissingPageIsTheShopsOwnWithoutATag(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		got := w.get("/nothing", `If-None-Match: *`, "Range: bytes=0-1", `If-Match: "x"`)
		w.expect("404", got, 404, "Cache-Control", "no-cache", "ETag", "", "Content-Type", "text/html; charset=utf-8")
		if !strings.Contains(got.Body, "Shop &amp; Co") {
			t.Error("the 404 page is not the shop's")
		}
	}
}

func TestGuardedZonesArePrivateInEverySpelling(t *testing.T) {
	w := newWorld(t)
	for _, target := range []string{"/cart", "/cart/", "/CART/", "/%63art", "//cart", "/checkout?x=1", "/account", "/wishlist", "/orders", "/deals", "/dashboard"} {
		for range 2 {
			w.expect(target, w.get(target), 200, "Cache-Control", "private, no-store", "ETag", "")
		}
	}
	w.expect("/cartoons", w.get("/cartoons"), 404)
}

// There are no pages below a guarded zone: the shop's 404 answers, guarded like the zone,
// in every zone and every spelling.
func TestPathsBelowAGuardedZoneAre404(t *testing.T) {
	w := newWorld(t)
	for _, z := range shop.Zones {
		zone := string(z)
		for _, target := range []string{"/" + zone + "/x", "/" + strings.ToUpper(zone) + "/x/y", "//" + zone + "//x", "/" + zone + "/5?page=2", "/%" + hex.EncodeToString([]byte(zone[:1])) + zone[1:] + "/x"} {
			for range 2 {
				w.expect(target, w.get(target), 404, "Cache-Control", "private, no-store", "ETag", "", "Surrogate-Key", "",
					"Content-Security-Policy", "script-src 'self'; base-uri 'none'; frame-ancestors 'none'")
			}
		}
		w.expect("slashes", w.get("/"+zone+"//"), 200, "Cache-Control", "private, no-store")
	}
}

// An address may name a variant of a product; an unknown variant, or a variant on another
// page, shows the page without it.
func TestAnAddressMayNameAVariant(t *testing.T) {
	w := newWorld(t)
	plain := w.get("/shoes/boot").Body
	for target, want := range map[string]bool{
		"/shoes/boot?variant=RED%207": true, "/shoes/boot?utm=1&variant=RED+7": true,
		"/shoes/boot?variant=BLUE": false, "/shoes/boot?variant=": false, "/shoes/boot?variant=%zz": false, "/shoes/boot?variant=" + strings.Repeat("a", 65): false,
	} {
		for range 2 {
			got := w.get(target)
			w.expect(target, got, 200, "Content-Type", "text/html; charset=utf-8")
			if strings.Contains(got.Body, "RED 7") != want || !want && got.Body != plain {
				t.Errorf("%s: the variant is shown: %v", target, !want)
			}
		}
	}
	if before, after := w.get("/shoes").Body, w.get("/shoes?variant=RED%207").Body; before != after {
		t.Error("a section has variants")
	}
}

// Searches differ between visitors, so their pages are not cached.
func TestSearchResultsAreNotCached(t *testing.T) {
	w := newWorld(t)
	for target, search := range map[string]bool{
		"/news?q=tea": true, "/news?q=%D1%87%D0%B0%D0%B9": true, "/news?q=": false, "/news?q=%zz": false, "/news?q=%ff": false, "/news?q=" + strings.Repeat("a", 101): false,
		"/news?q=%00": false, "/shoes?q=tea": false, "/shoes/boot?q=tea": false,
	} {
		caching := "public, max-age=0, s-maxage=60, stale-while-revalidate=600"
		if search {
			caching = "private, no-store"
		}
		for range 2 {
			w.expect(target, w.get(target), 200, "Cache-Control", caching)
		}
	}
	if s := w.edge.Stats(); s.Misses != 3 {
		t.Errorf("searches are cached: %+v", s)
	}
}

// Reads run together and end in any order; a cache in front sees the same header.
func TestSurrogateKeysHaveOneOrder(t *testing.T) {
	keys := []shop.Key{{Kind: shop.KeyGallery, ID: 9}, {Kind: shop.KeyProducts}, {Kind: shop.KeyProduct, ID: 12}, {Kind: shop.KeyDesign}, {Kind: shop.KeyProduct, ID: 3}}
	want := "vitrine s7 s7-products s7-design s7-product-3 s7-product-12 s7-gallery-9"
	if got := surrogates(keys, 7); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	slices.Reverse(keys)
	if got := surrogates(keys, 7); got != want {
		t.Errorf("in another order of reads %q, want %q", got, want)
	}
}
