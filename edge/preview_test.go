package edge

import (
	"context"
	"strings"
	"testing"
	"time"

	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/render"
)

// newPreviewWorld has a draft of shop 7 besides the live one, and tokens that open it for
// the shops in the map until a second.
func newPreviewWorld(t testing.TB, edit ...func(*Config)) (w *world, draft *fixture, tokens map[string]shop.CompanyID) {
	draft, tokens = newFixture(), map[string]shop.CompanyID{"good": 7, "foreign": 8}
	w = newWorld(t, append(edit, func(c *Config) {
		c.Draft = draft
		c.Preview = func(_ context.Context, company shop.CompanyID, token string) (until time.Time, err error) {
			if draft.away {
				return until, errAway
			}
			if tokens[token] == company {
				until = time.Unix(1_800_000_000+3600, 0)
			}
			return until, nil
		}
	})...)
	return w, draft, tokens
}

const withDraft = "Cookie: a=b; vitrine-preview=good"

func TestPreviewShowsTheDraftAndLeavesTheLiveShop(t *testing.T) {
	w, draft, _ := newPreviewWorld(t)
	live := w.get("/about")
	w.get("/about")
	about := []compile.Category{{ID: 2, Slug: "about", Name: "About the draft", Type: compile.TypePage, Published: true, ShowMenu: true}}
	draft.commit(7, compile.Delta{Categories: about}, func(s *fixtureShop) { s.texts[2] = "Only in the draft." })

	got := w.get("/_vitrine/preview/good")
	w.expect(
		"the link", got, 303, "Location", "/", "Cache-Control", "private, no-store", "Referrer-Policy", "no-referrer",
		"X-Robots-Tag", "noindex",
	)
	for _, part := range []string{"vitrine-preview=good", "HttpOnly", "Secure", "SameSite=None", "Partitioned", "Path=/", "Max-Age=3600"} {
		if !strings.Contains(got.has("Set-Cookie"), part) {
			t.Errorf("the cookie %q lacks %s", got.has("Set-Cookie"), part)
		}
	}
	for range 3 {
		got = w.ask("GET", "/about", withDraft)
		w.expect("draft", got, 200, "Cache-Control", "private, no-store", "X-Robots-Tag", "noindex", "Surrogate-Key", "")
		if !strings.Contains(got.Body, "Only in the draft.") || !strings.Contains(got.Body, `action="/_vitrine/preview/leave"`) {
			t.Errorf("the draft page: %s", got.Body)
		}
		if got = w.get("/about"); got.Body != live.Body || strings.Contains(got.Body, "preview") {
			t.Errorf("the live page became %s", got.Body)
		}
	}
	// The next edit of the draft is visible at once, and the shop at two addresses.
	draft.commit(7, compile.Delta{}, func(s *fixtureShop) { s.texts[2] = "Edited again." }, shop.Key{Kind: shop.KeyCategories})
	if got = w.ask("GET", "/about", withDraft); !strings.Contains(got.Body, "Edited again.") {
		t.Errorf("the edited draft: %s", got.Body)
	}
	w.expect("a section that is not in the draft", w.ask("GET", "/shoes", withDraft), 404, "Cache-Control", "private, no-store")
	w.expect("the same section live", w.get("/shoes"), 200)

	got = w.raw("POST", requestOf("POST", "/_vitrine/preview/leave", withDraft, "Content-Length: 0"))
	if w.expect("leaving", got, 303, "Location", "/"); !strings.Contains(got.has("Set-Cookie"), "vitrine-preview=; Path=/; Max-Age=0;") {
		t.Errorf("leaving sets %q", got.has("Set-Cookie"))
	}
	w.expect("leaving by a link", w.get("/_vitrine/preview/leave"), 405)
}

// Forged, expired and foreign tokens answer like a missing address, and a cookie with one
// shows the live shop.
func TestABadPreviewTokenIsNoOracle(t *testing.T) {
	w, draft, _ := newPreviewWorld(t)
	nothing := w.get("/_vitrine/nothing")
	for _, token := range []string{"foreign", "expired", "", "good/", "%00", strings.Repeat("x", 4000)} {
		got := w.get("/_vitrine/preview/" + token)
		if got.Status != 404 || got.Body != nothing.Body || got.has("Set-Cookie") != "" {
			t.Errorf("%.20q: %d %q %q", token, got.Status, got.Body, got.has("Set-Cookie"))
		}
		if token != "%00" {
			got = w.ask("GET", "/about", "Cookie: vitrine-preview="+token)
			w.expect("cookie "+token[:min(9, len(token))], got, 200, "Cache-Control", pageCaching)
		}
	}
	w.expect("another method", w.ask("DELETE", "/_vitrine/preview/good"), 405)
	if draft.called("Load") != 0 {
		t.Error("a bad token read the draft")
	}
	w.src.setAway(false)
	draft.setAway(true)
	w.expect("an outage", w.ask("GET", "/about", withDraft), 503)
	w.expect("live meanwhile", w.get("/about"), 200)
}

// A preview counts nothing, caches nothing, and opens a shop behind a PIN.
func TestAPreviewLeavesNoTrace(t *testing.T) {
	w, draft, tokens := newPreviewWorld(t)
	w.closeShop("http://shop.localhost:8080")
	draft.mu.Lock()
	draft.shops[7].in.Shop.Closed = true
	draft.shops[7].mounts = map[shop.CategoryID]render.Release{2: {Document: 5, ID: 9}}
	draft.mu.Unlock()
	for _, target := range []string{"/about", "/shoes?page=2", "/_html/5/9/ten.bin", "/_html/5/9/big.bin", "/files/pics/plain.png", "/sitemap.xml", "/cart"} {
		for range 2 {
			w.expect(target, w.ask("GET", target, withDraft), 200, "Cache-Control", "private, no-store", "X-Robots-Tag", "noindex")
		}
		if got := w.get(target); got.Status != 403 && got.Status != 404 {
			t.Errorf("%s is open to everybody: %d", target, got.Status)
		}
	}
	w.expect("missing", w.ask("GET", "/nothing", withDraft), 404)
	if err := w.edge.counters.Flush(t.Context()); err != nil || len(w.src.misses)+len(w.src.hits) != 0 {
		t.Errorf("counted %v %v %v", w.src.misses, w.src.hits, err)
	}
	if n := draft.called("Content"); n < 6 {
		t.Errorf("%d pages drawn: something was cached", n)
	}
	delete(tokens, "good") // the person who issued it has lost access
	w.expect("afterwards", w.ask("GET", "/about", withDraft), 403)
}
