package edge

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"vitrine/compile"
	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

func rule(from, to string) redirect.Rule { return redirect.Rule{From: from, To: to} }

func TestRedirectHeaders(t *testing.T) {
	w := newWorld(t)
	temporary := rule("/sale", "/shoes")
	temporary.Code = 302
	over, overTemporary := rule("/news", "/about"), rule("/shoes/clog", "/shoes")
	over.OverrideLive, overTemporary.OverrideLive, overTemporary.Code = true, true, 302
	w.rules(rule("/old", "/about"), temporary, over, overTemporary)
	for range 2 {
		for _, c := range []struct {
			host, target string
			status       int
			location     string
			caching, by  string
		}{
			{"shop.localhost", "/old", 308, "/about", "public, max-age=60", "rule:1"},
			{"shop.localhost", "/old?a=1&b=%20", 308, "/about?a=1&b=%20", "public, max-age=60", "rule:1"},
			{"shop.localhost", "/sale", 307, "/shoes", "no-cache", "rule:2"},
			{"shop.localhost", "/news", 301, "/about", "public, max-age=60", "rule:3"},
			{"shop.localhost", "/shoes/clog", 302, "/shoes", "no-cache", "rule:4"},
			{"shop.localhost", "/about.html?x=1", 308, "/about?x=1", "public, max-age=60", "html"},
			{"www.shop.localhost", "/about?x=1", 308, "http://shop.localhost:8080/about?x=1", "public, max-age=60", "canonical"},
			{"shop.localhost", "/nowhere/boot", 308, "/shoes/boot", "public, max-age=60", "canonical"},
		} {
			for _, method := range []string{"GET", "HEAD", "POST", "PUT"} {
				got := w.askHost(method, c.host, c.target, "Content-Length: 0")
				if c.by == "canonical" && c.host == "shop.localhost" {
					c.by = got.has("X-Redirect-By") // which step sends it is up to package compile
				}
				w.expect(method+" "+c.target, got, c.status,
					"Location", c.location, "Cache-Control", c.caching, "X-Redirect-By", c.by, "Content-Length", "0", "ETag", "")
			}
		}
	}
}

func TestOnlyGetCountsAHit(t *testing.T) {
	w := newWorld(t)
	w.rules(rule("/old", "/about"), rule("/older", "/about"))
	for range 3 {
		w.get("/old")
		w.ask("HEAD", "/old")
		w.ask("POST", "/old", "Content-Length: 0")
	}
	w.get("/older")
	if err := w.edge.counters.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	total := map[shop.RuleID]int64{}
	for _, h := range w.src.hits {
		total[h.Rule] += h.Hits
		if h.Company != 7 || h.Last.Unix() != w.clock.Load() {
			t.Errorf("hit %+v", h)
		}
	}
	if total[1] != 3 || total[2] != 1 {
		t.Errorf("hits: %v", total)
	}
}

func TestMissesAreAggregatedAndReadable(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		w.get("/gone?x=1")
	}
	w.ask("HEAD", "/gone")
	w.ask("POST", "/gone", "Content-Length: 0")
	w.ask("HEAD", "/never-got")
	w.get("/%ff\xc0\xaf")
	w.get("/" + strings.Repeat("é", 2000))
	for _, unlogged := range []string{"/a/../b", "/%2e%2e/b", "/%zz", "/%00", "/_html/5/9/none", "/cart/x", "//evil.com%2f..", "/%0d%0aSet-Cookie:x=1", "/%09", "/" + strings.Repeat("a/", 5000), "/about.html"} {
		w.get(unlogged)
	}
	if err := w.edge.counters.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(w.src.misses) != 3 {
		t.Errorf("log: %+v", w.src.misses)
	}
	for _, m := range w.src.misses {
		if !utf8.ValidString(m.Path) || len(m.Path) > 2048 || strings.Contains(m.Path, "?") {
			t.Errorf("path %q", m.Path)
		}
		if m.Path == "/gone" && m.Hits != 3 {
			t.Errorf("%d hits of /gone", m.Hits)
		}
	}
}

func TestFallbackOfTheSite(t *testing.T) {
	w := newWorld(t)
	sh := w.src.shops[7].in.Shop
	sh.MissFallback = true
	w.change(7, compile.Delta{Shop: &sh}, nil, shop.Key{Kind: shop.KeyShop})
	w.expect("fallback", w.get("/SHOES?x=1"), 308, "Location", "/shoes?x=1", "X-Redirect-By", "fallback")
	w.expect("file", w.get("/feed.XML?x"), 404)
}
