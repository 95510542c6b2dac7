package edge

import (
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"

	"vitrine/internal/await"
)

// withoutTLS is a world whose requests go to the listener that redirects.
func withoutTLS(t *testing.T) *world {
	t.Helper()
	secure := newWorld(t)
	w := &world{t: t, src: secure.src, edge: secure.edge, listen: fasthttputil.NewInmemoryListener()}
	served := make(chan error, 1)
	go func() {
		served <- w.edge.ServePlain(w.listen, Plain{
			Secure: func(host string) string { return "https://" + host + ":8443" }, Admin: "https://Admin.test:9443", AdminHost: "admin.test",
			Challenge: func(ctx *fasthttp.RequestCtx) bool {
				if strings.HasPrefix(string(ctx.Path()), "/.well-known/acme-challenge/") {
					ctx.SetBodyString("answer")
					return true
				}
				return false
			},
		})
	}()
	t.Cleanup(func() {
		if err := w.edge.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		if err := await.Next(t, served); err != nil {
			t.Error(err)
		}
	})
	return w
}

// The listener without TLS leads to https at the same host, which the platform has, and target.
func TestPlainRequestsAreLedToTLS(t *testing.T) {
	w := withoutTLS(t)
	for target, want := range map[string]string{
		"/":                              "https://shop.localhost:8443/",
		"/a%2Fb/../c?q=%20&r":            "https://shop.localhost:8443/a%2Fb/../c?q=%20&r",
		"//evil.test/":                   "https://shop.localhost:8443//evil.test/",
		"/\\evil.test":                   "https://shop.localhost:8443/\\evil.test",
		"http://other.test/x":            "https://other.test:8443/x",
		"http://admin.test:80/cabinet/":  "https://Admin.test:9443/cabinet/",
		"https://shop.localhost:99?x":    "https://shop.localhost:8443/?x",
		"/@evil.test":                    "https://shop.localhost:8443/@evil.test",
		"/.well-known/acme-challenges/x": "https://shop.localhost:8443/.well-known/acme-challenges/x",
	} {
		w.expect(target, w.get(target), 301, "Location", want, "Cache-Control", "public, max-age=60")
	}
	w.expect("port and case", w.askHost("GET", "SHOP.localhost.:80", "/x"), 301, "Location", "https://shop.localhost:8443/x")
	w.expect("head", w.ask("HEAD", "/x"), 301, "Location", "https://shop.localhost:8443/x")
	w.expect("post", w.ask("POST", "/x", "Content-Length: 3", "", "a=b"), 308, "Location", "https://shop.localhost:8443/x")
	w.expect("put", w.ask("PUT", "/api/x", "Content-Length: 0"), 308, "Location", "https://shop.localhost:8443/api/x")
	if got := w.get("/"); got.has("Strict-Transport-Security") != "" {
		t.Error("a response without TLS must not have this field (RFC 6797, 7.2)")
	}
}

// No host that is unknown gets a redirect, which would lead to a place that the sender chose.
func TestPlainRequestsForUnknownHostsAreRefused(t *testing.T) {
	w := withoutTLS(t)
	for _, host := range []string{"evil.test", "shop.localhost.evil.test", "admin.test.evil.test", "127.0.0.1", "[::1]"} {
		w.expect(host, w.askHost("GET", host, "/"), 404, "Location", "")
	}
	for _, host := range []string{"shop.localhost@evil.test", "shop.localhost:x", "", "shop.localhost/evil.test"} {
		w.expect(host, w.askHost("GET", host, "/"), 400, "Location", "")
	}
	w.expect("connect", w.raw("CONNECT", "CONNECT shop.localhost:443 HTTP/1.1\r\nHost: shop.localhost:443\r\n\r\n"), 405, "Location", "")
	w.src.away = true
	w.expect("an outage", w.askHost("GET", "third.test", "/"), 503, "Location", "")
	w.src.away = false
}

func TestChallengesAreAnsweredWithoutTLS(t *testing.T) {
	w := withoutTLS(t)
	if got := w.askHost("GET", "not-a-shop-yet.test", "/.well-known/acme-challenge/token"); got.Status != 200 || got.Body != "answer" {
		t.Errorf("%d %s", got.Status, got.Body)
	}
}
