package edge

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"vitrine/compile"
	"vitrine/internal/forwarded"
	"vitrine/internal/shop"
)

// closeShop closes shop 7 with the PIN 4711.
func (w *world) closeShop(origin string) {
	w.t.Helper()
	sh := w.src.shops[7].in.Shop
	sh.Closed, sh.Origin = true, origin
	w.change(7, compile.Delta{Shop: &sh}, func(s *fixtureShop) { s.pin = "4711" }, shop.Key{Kind: shop.KeyShop})
}

func (w *world) tryPIN(pin, next string) reply {
	body := "pin=" + url.QueryEscape(pin) + "&next=" + url.QueryEscape(next)
	return w.raw(
		"POST",
		requestOf("POST", "/_vitrine/pin", "Content-Type: application/x-www-form-urlencoded", "Content-Length: "+itoa(len(body)))+body,
	)
}

func TestClosedShopShowsOnlyThePINPage(t *testing.T) {
	w := newWorld(t)
	w.rules(rule("/old", "/about"))
	for _, target := range []string{"/about", "/shoes/boot", "/_html/5/9/ten.bin"} {
		w.get(target) // cached while the shop is open
		w.get(target)
	}
	w.closeShop("http://shop.localhost:8080")
	for range 2 {
		for _, target := range []string{"/", "/about", "/shoes/boot", "/nothing", "/old", "/cart", "/about.html"} {
			got := w.get(target)
			w.expect(target, got, 403, "Cache-Control", "private, no-store", "X-Robots-Tag", "noindex", "ETag", "", "Location", "")
			if strings.Contains(got.Body, "Boot") || !strings.Contains(got.Body, `name="pin"`) {
				t.Errorf("%s is not the PIN page", target)
			}
		}
		for _, target := range []string{"/sitemap.xml", "/_html/5/9/ten.bin", "/files/pics/plain.png", "/w/640/webp/pics/plain.png"} {
			w.expect(target, w.get(target), 404)
		}
	}
	if got := w.get("/robots.txt"); !strings.Contains(got.Body, "Disallow: /\n") {
		t.Errorf("robots.txt: %s", got.Body)
	}
}

func TestRightPINOpensTheShop(t *testing.T) {
	w := newWorld(t)
	w.closeShop("http://shop.localhost:8080")
	w.expect("wrong", w.tryPIN("0000", "/about"), 403, "Set-Cookie", "")
	got := w.tryPIN(" 4711 ", "/about?x=1")
	w.expect("right", got, 303, "Location", "/about?x=1", "Cache-Control", "no-store")
	cookie := got.has("Set-Cookie")
	for _, part := range []string{"vitrine-pin=", "HttpOnly", "SameSite=Lax", "Path=/"} {
		if !strings.Contains(cookie, part) {
			t.Errorf("the cookie %q lacks %s", cookie, part)
		}
	}
	value, _, _ := strings.Cut(cookie, ";")
	for range 2 {
		w.expect(
			"with the cookie", w.get("/about", "Cookie: "+value), 200, "Cache-Control", "private, no-store", "X-Robots-Tag",
			"noindex", "Surrogate-Key", "",
		)
		w.expect("a file", w.get("/_html/5/9/ten.bin", "Cookie: "+value), 200, "Cache-Control", "private, no-store")
		w.expect("without it", w.get("/about"), 403)
	}
	w.expect("forged", w.get("/about", "Cookie: "+value[:len(value)-1]+"0"), 403)
	w.expect("with a later expiry", w.get("/about", "Cookie: vitrine-pin=9"+strings.TrimPrefix(value, "vitrine-pin=")), 403)
	w.clock.Add(int64(pinValid.Seconds()) + 1)
	w.expect("expired", w.get("/about", "Cookie: "+value), 403)
}

func TestChangedPINInvalidatesCookies(t *testing.T) {
	w := newWorld(t)
	w.closeShop("http://shop.localhost:8080")
	value, _, _ := strings.Cut(w.tryPIN("4711", "/").has("Set-Cookie"), ";")
	w.expect("the PIN", w.get("/about", "Cookie: "+value), 200)
	sh := w.src.shops[7].in.Shop
	sh.PIN = "the second one"
	w.changeShop(sh)
	w.expect("after the change", w.get("/about", "Cookie: "+value), 403)
	again, _, _ := strings.Cut(w.tryPIN("4711", "/").has("Set-Cookie"), ";")
	w.expect("the new PIN", w.get("/about", "Cookie: "+again), 200)
}

func TestPINCookieIsBoundToTheHostUnderHTTPS(t *testing.T) {
	w := newWorld(t)
	w.closeShop("https://shop.localhost")
	cookie := w.tryPIN("4711", "/").has("Set-Cookie")
	if !strings.HasPrefix(cookie, "__Host-vitrine-pin=") || !strings.Contains(strings.ToLower(cookie), "secure") {
		t.Errorf("cookie %q", cookie)
	}
	if strings.Contains(strings.ToLower(cookie), "domain=") {
		t.Errorf("cookie %q names a domain", cookie)
	}
}

func TestNextStaysOnTheHost(t *testing.T) {
	w := newWorld(t)
	w.closeShop("http://shop.localhost:8080")
	for _, next := range []string{"//evil.com", `/\evil.com`, "https://evil.com", "javascript:alert(1)", "evil", "", "/a\r\nSet-Cookie: x=1", "/\t/evil.com"} {
		w.clock.Add(61)
		w.expect(next, w.tryPIN("4711", next), 303, "Location", "/")
	}
	if body := w.get("//evil.com").Body; strings.Contains(body, `value="//evil.com"`) {
		t.Error("the form leads to another host")
	}
}

func TestPINAttemptsQueue(t *testing.T) {
	w := newWorld(t)
	w.closeShop("http://shop.localhost:8080")
	for range pinTypos + 1 {
		w.expect("wrong", w.tryPIN("0000", "/"), 403)
	}
	got := w.tryPIN("4711", "/")
	w.expect("at once", got, 429, "Retry-After", "6", "Set-Cookie", "")
	if !strings.Contains(got.Body, "again in 6 s") || !strings.Contains(got.Body, `name="pin"`) {
		t.Errorf("the page does not say when: %s", got.Body)
	}
	if n := w.src.called("CheckPIN"); n != pinTypos+1 {
		t.Errorf("%d PINs were checked", n)
	}
	w.clock.Add(6)
	w.expect("in turn", w.tryPIN("4711", "/"), 303)
	for range pinOwn {
		w.expect("known", w.tryPIN("0000", "/"), 403)
	}
	w.expect("known, beyond its budget", w.tryPIN("4711", "/"), 429, "Retry-After", "270")
}

func TestPINFormIsBounded(t *testing.T) {
	w := newWorld(t)
	w.closeShop("http://shop.localhost:8080")
	w.expect("GET", w.get("/_vitrine/pin"), 405, "Allow", "POST")
	w.expect("large", w.tryPIN(strings.Repeat("1", 10_000), "/"), 400)
	w.expect("long", w.tryPIN(strings.Repeat("1", 100), "/"), 403)
	if n := w.src.called("CheckPIN"); n != 0 {
		t.Errorf("%d PINs were checked", n)
	}
}

func TestReopenedShopIsServedFromTheCacheAgain(t *testing.T) {
	w := newWorld(t)
	w.closeShop("http://shop.localhost:8080")
	w.get("/about")
	sh := w.src.shops[7].in.Shop
	sh.Closed = false
	w.changeShop(sh)
	for range 2 {
		w.expect("open", w.get("/about"), 200, "Cache-Control", pageCaching, "X-Robots-Tag", "")
	}
}

func (w *world) tryPINFrom(from, pin string) reply {
	body := "pin=" + pin + "&next=/"
	return w.raw(
		"POST",
		requestOf(
			"POST", "/_vitrine/pin", "X-Forwarded-For: "+from, "Content-Type: application/x-www-form-urlencoded",
			"Content-Length: "+itoa(len(body)),
		)+body,
	)
}

func TestAKnownNetworkDoesNotQueue(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.Proxies = forwarded.Proxies{netip.MustParsePrefix("0.0.0.0/32")} })
	w.closeShop("http://shop.localhost:8080")
	w.expect("the first time", w.tryPINFrom("203.0.113.1", "4711"), 303)
	w.expect("a right PIN delays nobody", w.tryPINFrom("203.0.113.2", "4711"), 303)
	for range pinTypos + 1 {
		w.expect("a wrong one", w.tryPINFrom("203.0.113.3", "0000"), 403)
	}
	w.expect("delays strangers", w.tryPINFrom("6.6.6.6, 203.0.113.4", "4711"), 429)
	w.expect("whatever address they claim", w.tryPINFrom("203.0.113.1, 203.0.113.4", "4711"), 429)
	w.expect("but not a known network", w.tryPINFrom("203.0.113.1", "4711"), 303)
}
