package edge

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/compile"
	"vitrine/internal/cookie"
	"vitrine/internal/forwarded"
	"vitrine/internal/origin"
	"vitrine/internal/shop"
)

// cookiesAt returns the Set-Cookie lines of every path that sets a cookie at a host of shop
// 7.
func (w *world) cookiesAt(host string, lines ...string) map[string]string {
	w.t.Helper()
	form := func(target, body string) reply {
		all := append([]string{"Content-Type: application/x-www-form-urlencoded", "Content-Length: " + itoa(len(body))}, lines...)
		return w.raw("POST", request("POST", host, target, all...)+body)
	}
	return map[string]string{
		"policy":  form("/_vitrine/access", "password=sesame&next=/shoes").has("Set-Cookie"),
		"session": form("/api/v1/auth/guest", "").has("Set-Cookie"),
		"preview": w.raw("GET", request("GET", host, "/_vitrine/preview/good", lines...)).has("Set-Cookie"),
		"pin": func() string {
			sh := w.src.shops[7].in.Shop
			sh.Closed = true
			w.change(7, compile.Delta{Shop: &sh}, func(s *fixtureShop) { s.pin = "4711" }, shop.Key{Kind: shop.KeyShop})
			return form("/_vitrine/pin", "pin=4711&next=/").has("Set-Cookie")
		}(),
	}
}

// Every cookie of a shop's host follows the one rule (CONTRACT, "Hands and agents").
func TestEveryCookieFollowsOneRule(t *testing.T) {
	for what, c := range map[string]struct {
		host, origin, proto string
		prefix              string // of the names
		secure, kept        bool
	}{
		"https":                 {host: "shop.localhost", origin: "https://shop.localhost", prefix: "__Host-", secure: true, kept: true},
		"a proxy's https":       {host: "tea.example.com", origin: "http://tea.example.com", proto: "https", prefix: "__Host-", secure: true, kept: true},
		"http below localhost":  {host: "shop.localhost", origin: "http://shop.localhost:8080", kept: true},
		"http somewhere else":   {host: "tea.example.com", origin: "http://tea.example.com"},
		"http to an IP address": {host: "127.0.0.1", origin: "http://127.0.0.1"},
	} {
		t.Run(what, func(t *testing.T) {
			w, _, _ := newPreviewWorld(t, func(cfg *Config) {
				cfg.Proxies = forwarded.Proxies{netip.MustParsePrefix("0.0.0.0/32")}
				cfg.API = func(ctx *fasthttp.RequestCtx) {
					origin.Of(ctx).Cookies.Set(&ctx.Response.Header, cookie.Session, "token", time.Hour)
				}
			})
			sh := w.src.shops[7].in.Shop
			sh.Hosts, sh.Origin = []string{c.host}, c.origin
			w.changeShop(sh)
			w.policies(sesame, tradeOnly())
			lines := []string{"X-Forwarded-For: 192.0.2.1"}
			if c.proto != "" {
				lines = append(lines, "X-Forwarded-Proto: "+c.proto)
			}
			for name, line := range w.cookiesAt(c.host, lines...) {
				switch {
				case name == "preview" && (!strings.HasPrefix(line, c.prefix+"vitrine-preview=") || !strings.HasSuffix(line, "; Secure; SameSite=None; Partitioned")):
					t.Errorf("the preview sets %q", line)
				case name != "preview" && !c.kept && line != "":
					t.Errorf("%s sets %q", name, line)
				case name != "preview" && c.kept && (!strings.HasPrefix(line, c.prefix+"vitrine-") || strings.Contains(line, "Secure") != c.secure || !strings.HasSuffix(line, "SameSite=Lax")):
					t.Errorf("%s sets %q", name, line)
				}
			}
		})
	}
}

// If the browser keeps no cookies, every page that needs one reports it, and the others do
// not.
func TestPagesThatNeedCookiesReportTheirAbsence(t *testing.T) {
	w := newWorld(t, func(cfg *Config) { cfg.API = func(ctx *fasthttp.RequestCtx) { ctx.SetBodyString(`{"result":{}}`) } })
	reportsNoCookies := func(host, target string) bool {
		return strings.Contains(w.askHost("GET", host, target).Body, "stores no cookies")
	}
	w.policies(sesame, tradeOnly())
	for host, want := range map[string]bool{"shop.localhost": false, "tea.example.com": true} {
		sh := w.src.shops[7].in.Shop
		sh.Hosts, sh.Origin, sh.Closed = []string{host}, "http://"+host, false
		w.changeShop(sh)
		for _, target := range []string{"/cart", "/checkout", "/account", "/wishlist", "/orders", "/shoes"} {
			if got := reportsNoCookies(host, target); got != want {
				t.Errorf("http://%s%s reports it: %v", host, target, got)
			}
		}
		if reportsNoCookies(host, "/about") {
			t.Errorf("http://%s/about needs no cookie", host)
		}
		sh.Closed = true
		w.changeShop(sh)
		if got := reportsNoCookies(host, "/about"); got != want {
			t.Errorf("the PIN page of http://%s reports it: %v", host, got)
		}
	}
}
