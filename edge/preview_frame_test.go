package edge

import (
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"vitrine/compile"
	"vitrine/compile/redirect"
	"vitrine/internal/cookie"
	"vitrine/internal/shop"
	"vitrine/render"
)

const (
	cabinet  = "https://admin.shops.test:8443"
	byFrame  = "Sec-Fetch-Dest: iframe"
	onlyThem = "frame-ancestors " + cabinet
)

// newFramedWorld is a preview world whose admin origin is known, with a shop whose canonical host is
// its domain and whose other host is that of its slug.
func newFramedWorld(t testing.TB, edit ...func(*Config)) (w *world, draft *fixture) {
	w, draft, _ = newPreviewWorld(t, append(edit, func(c *Config) { c.AdminOrigin = cabinet })...)
	sh := w.src.shops[7].in.Shop
	sh.Hosts, sh.Origin = []string{"tea.example.com", "shop.localhost"}, "http://tea.example.com"
	w.changeShop(sh)
	draft.commit(7, compile.Delta{Shop: &sh}, nil, shop.Key{Kind: shop.KeyShop})
	return w, draft
}

// The query of the address names the page that a preview begins with. It is a path of this host,
// or nothing is opened.
func TestAPreviewBeginsAtAPath(t *testing.T) {
	w, _, _ := newPreviewWorld(t)
	for query, location := range map[string]string{
		"": "/", "?": "/", "?path=": "/", "?path=/": "/", "?other=/x": "/", "?path=%2F": "/", "?path=/about": "/about", "?path=%2Fabout%3Fpage%3D2%26a%3Db": "/about?page=2&a=b",
		"?path=/about&page=2": "/about", "?path=/about&path=/shoes": "/about", "?path=/%25D1%2587": "/%D1%87", "?path=/%D1%87": "/%D1%87", "?path=/a+b": "/a%20b",
		"?path=/a%252Fb": "/a%2Fb", "?path=/a//b": "/a//b", "?path=/about/": "/about/", "?path=/shoes?q=https://x.test//y": "/shoes?q=https://x.test//y", "?path=/..a/.b/...": "/..a/.b/...",
		"?path=/about%23part": "/about#part", "?path=/a%22%3Cb%3E": `/a"<b>`, "?path=/cart": "/cart", "?path=/apiary": "/apiary",
	} {
		got := w.get("/_vitrine/preview/good" + query)
		w.expect(query, got, 303, "Location", location, "Cache-Control", "private, no-store", "X-Robots-Tag", "noindex", "Referrer-Policy", "no-referrer")
		if !strings.Contains(got.has("Set-Cookie"), "vitrine-preview=good; ") {
			t.Errorf("%s sets %q", query, got.has("Set-Cookie"))
		}
		w.expect("HEAD "+query, w.ask("HEAD", "/_vitrine/preview/good"+query), 303, "Location", location)
		w.expect("a bad token with "+query, w.get("/_vitrine/preview/foreign"+query), 404, "Set-Cookie", "", "Location", "")
	}
	for _, query := range []string{
		"?path=about", "?path=//evil.test", "?path=%2F%2Fevil.test", "?path=/%5Cevil.test", "?path=\\evil.test", "?path=/a%5C..%5Cb", "?path=https://evil.test/", "?path=https:/evil.test",
		"?path=javascript:alert(1)", "?path=/%252Fevil.test", "?path=/..", "?path=/../x", "?path=/a/../../b", "?path=/a/%252e%252E/b", "?path=/./a", "?path=/a/%252e", "?path=/%00", "?path=/a%0D%0ASet-Cookie:x=y",
		"?path=/a%09", "?path=/a?b=%0a", "?path=/%7f", "?path=/%zz", "?path=/%25zz", "?path=/%25", "?path=/%250d", "?path=%20/about", "?path=/_vitrine/preview/leave", "?path=/_vitrine/preview/good?path=/",
		"?path=/%255Fvitrine/pin", "?path=/api", "?path=/api/v1/auth/me", "?path=/%2561pi/x",
	} {
		w.expect(query, w.get("/_vitrine/preview/good"+query), 400, "Set-Cookie", "", "Location", "")
		w.expect("a bad token with "+query, w.get("/_vitrine/preview/foreign"+query), 404)
	}
	for n, status := range map[int]int{redirect.MaxPath - 1: 303, redirect.MaxPath: 414} {
		w.expect(itoa(n), w.get("/_vitrine/preview/good?path=/"+strings.Repeat("a", n)), status)
	}
	w.expect("long by its escapes", w.get("/_vitrine/preview/good?path=/"+strings.Repeat("%D1%87", redirect.MaxPath/6+1)), 414)
}

// Pages of the admin origin may frame every page of a preview, and no other page may; the live shop, what
// takes secrets, and the API keep what they have.
func TestOnlyTheAdminOriginFramesAPreview(t *testing.T) {
	w, draft := newFramedWorld(t, func(c *Config) { c.API = func(rc *fasthttp.RequestCtx) { rc.SetBodyString(`{"result":{}}`) } })
	w.docs(90, site())
	draft.commit(7, compile.Delta{Categories: w.src.shops[7].in.Categories, Folders: w.src.shops[7].in.Folders}, func(s *fixtureShop) {
		s.releases[render.Release{Document: 50, ID: 90}] = site()
	}, shop.Key{Kind: shop.KeyCategories})
	for _, target := range []string{"/about", "/shoes", "/shoes/boot", "/news", "/nothing", "/about.html", "/nowhere/boot", "/_html/5/9/ten.bin", "/files/pics/plain.svg", "/robots.txt", "/_vitrine/nothing"} {
		for _, header := range []string{byFrame, "Sec-Fetch-Dest: document", "A: b"} {
			got := w.ask("GET", target, withDraft, header)
			policy := got.has("Content-Security-Policy")
			if strings.HasPrefix(target, "/_vitrine/") { // has no draft
				continue
			}
			if !strings.HasSuffix(policy, onlyThem) || strings.Count(policy, "frame-ancestors") != 1 || got.has("X-Frame-Options") != "" || len(got.Header["Content-Security-Policy"]) != 1 {
				t.Errorf("%s, %s: %d may be framed by %q %q", target, header, got.Status, policy, got.has("X-Frame-Options"))
			}
			w.expect(target, got, got.Status, "Cache-Control", "private, no-store", "X-Robots-Tag", "noindex", "Surrogate-Key", "")
			if live := w.askHost("GET", "tea.example.com", target, header); strings.Contains(live.has("Content-Security-Policy"), cabinet) {
				t.Errorf("%s live: %q", target, live.has("Content-Security-Policy"))
			}
		}
	}
	folder := w.ask("GET", "/docs/", withDraft, byFrame)
	w.expect("a site folder", folder, 200, "Content-Security-Policy", sandbox+"; "+onlyThem)
	w.expect("the live page", w.askHost("GET", "tea.example.com", "/about"), 200, "X-Frame-Options", "SAMEORIGIN", "Content-Security-Policy", "")
	for _, target := range []string{"/api/v1/auth/me", "/_vitrine/access"} {
		if got := w.ask("GET", target, withDraft, byFrame); strings.Contains(got.has("Content-Security-Policy"), cabinet) {
			t.Errorf("%s: %q", target, got.has("Content-Security-Policy"))
		}
	}
	w, _, _ = newPreviewWorld(t)
	w.expect("without an admin origin", w.ask("GET", "/about", withDraft), 200, "Content-Security-Policy", "frame-ancestors 'none'", "X-Frame-Options", "")
}

// In a frame a guarded zone is a remark: no call is made as the visitor, and there is nothing to
// click on. In a window it is what it always was, and cannot be framed.
func TestAFramedPreviewHasNoZones(t *testing.T) {
	var calls int
	w, _ := newFramedWorld(t, func(c *Config) {
		c.API = func(rc *fasthttp.RequestCtx) {
			calls++
			cookie.Local.Set(&rc.Response.Header, cookie.Session, "new", 1e9)
			rc.SetBodyString(`{"result":{}}`)
		}
	})
	session := withDraft + "; vitrine-session=secret; __Host-vitrine-session=secret"
	for _, target := range []string{"/cart", "/checkout", "/account", "/orders/1", "/orders", "/wishlist", "/cart/nothing", "/CART/", "/%63art"} {
		for _, dest := range []string{"iframe", "frame", "embed", "object"} {
			for _, method := range []string{"GET", "HEAD", "POST"} {
				got := w.raw(method, requestOf(method, target, session, "Sec-Fetch-Dest: "+dest, "Content-Type: application/x-www-form-urlencoded", "Content-Length: 3")+"a=b")
				w.expect(method+" "+target, got, 403, "Cache-Control", "private, no-store", "Set-Cookie", "", "X-Frame-Options", "", "X-Robots-Tag", "noindex",
					"Content-Security-Policy", "script-src 'self'; base-uri 'none'; "+onlyThem, drawnHeader, "")
				content, _, _ := strings.Cut(got.Body[strings.Index(got.Body, "<main")+1:], "</main>")
				if method == "GET" && (!strings.Contains(content, "a preview does not show it in a frame") || strings.Contains(content, "<form") || strings.Contains(content, "<input")) {
					t.Errorf("%s: %s", target, content)
				}
			}
		}
		if calls != 0 {
			t.Errorf("%s: %d calls were made", target, calls)
			calls = 0
		}
	}
	for _, header := range []string{"Sec-Fetch-Dest: document", "A: b", "Sec-Fetch-Dest: empty"} {
		got := w.ask("GET", "/cart", session, header)
		w.expect(header, got, 200, "X-Frame-Options", "DENY", "Content-Security-Policy", "script-src 'self'; base-uri 'none'; frame-ancestors 'none'")
	}
	if calls == 0 {
		t.Error("the zone of a preview in a window makes no calls")
	}
	live := w.askHost("GET", "tea.example.com", "/cart", "Cookie: vitrine-session=secret", byFrame)
	w.expect("the live zone", live, 200, "X-Frame-Options", "DENY")
}

// A preview is on the host of the slug, which otherwise redirects to the domain, and redirects
// inside of it stay there.
func TestAPreviewStaysOnTheHostOfTheSlug(t *testing.T) {
	w, draft := newFramedWorld(t)
	external := func(from, to string) redirect.Rule {
		return redirect.Rule{From: from, To: to, External: true}
	}
	rules := []redirect.Rule{
		rule("/old", "/about"), external("/own", "https://tea.example.com/about?a=b#c"), external("/root", "https://TEA.example.com:443"), external("/slug", "http://shop.localhost/about"),
		external("/away", "https://elsewhere.test/about"), external("/trap", "https://tea.example.com//evil.test"), external("/like", "https://tea.example.com.evil.test/about"),
	}
	w.rules(rules...)
	draft.commit(7, compile.Delta{Rules: rules}, nil, shop.Key{Kind: shop.KeyRules})
	w.expect("the live shop", w.get("/about?x=1"), 308, "Location", "http://tea.example.com/about?x=1")
	w.expect("with a bad cookie", w.get("/about", "Cookie: vitrine-preview=foreign"), 308, "Location", "http://tea.example.com/about")
	for _, target := range []string{"/about", "/shoes", "/shoes/boot", "/about?x=1", "/files/pics/plain.png"} {
		w.expect(target, w.ask("GET", target, withDraft), 200)
	}
	w.expect("a missing page", w.ask("GET", "/nothing", withDraft), 404)
	for target, location := range map[string]string{
		"/about.html": "/about", "/old": "/about", "/old?x=1": "/about?x=1", "/nowhere/boot": "/shoes/boot", "/own": "/about?a=b#c", "/root": "/", "/slug": "/about",
		"/away": "https://elsewhere.test/about", "/trap": "https://tea.example.com//evil.test", "/like": "https://tea.example.com.evil.test/about",
	} {
		got := w.ask("GET", target, withDraft)
		if got.Status < 301 || got.Status > 308 || got.has("Location") != location || got.has("Cache-Control") != "private, no-store" {
			t.Errorf("%s: %d to %q", target, got.Status, got.has("Location"))
		}
	}
	w.expect("the live rule", w.askHost("GET", "tea.example.com", "/own"), 308, "Location", "https://tea.example.com/about?a=b#c")
}

func FuzzPreviewed(f *testing.F) {
	for _, query := range []string{"path=/about", "path=//evil.test", "path=/%5cevil", "path=/a%3Fb%23c", "path=/%252e%252e/"} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		to, status := previewed(query)
		if status != 0 {
			return
		}
		if to == "" || to[0] != '/' || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\r\n\x00 ") || len(to) > redirect.MaxPath {
			t.Errorf("%q leads to %q", query, to)
		}
		for i := range len(to) {
			if to[i] >= 0x7f {
				t.Errorf("%q leads to %q", query, to)
			}
		}
	})
}
