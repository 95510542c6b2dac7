package edge

import (
	"strings"
	"testing"

	"vitrine/render"
)

// workerTargets are addresses of every kind that the edge answers.
var workerTargets = []string{
	"/", "/about", "/shoes/boot", "/nothing", "/old", "/sw.js", "/about.html", "/docs/", "/docs/app.js", "/_html/5/9/ten.bin", "/_file/5", "/files/pics/plain.svg",
	"/w/320/webp/x.webp", "/robots.txt", "/sitemap.xml", "/favicon.ico", "/cart", "/account", "/CART/", "/search?q=x", "/api/products", "/api/v1/auth/me",
	"/_vitrine/pin", "/_vitrine/clear", "/_vitrine/none", "/_vitrine/preview/x", "/_vitrine/form/1", "/a%00b", "/../x",
}

// A browser that requests any address as a service worker, cached or not, open or closed,
// gets the worker that unregisters itself, and never the shop's bytes.
func TestNoAddressServesAServiceWorker(t *testing.T) {
	w := newWorld(t)
	w.rules(rule("/old", "/about"))
	for _, a := range render.Assets() {
		workerTargets = append(workerTargets, a.Path)
	}
	ask := func(state string) {
		t.Helper()
		for _, target := range workerTargets {
			for _, method := range []string{"GET", "HEAD", "POST"} {
				got := w.ask(method, target, "Service-Worker: script", "If-None-Match: *", "Range: bytes=0-1")
				w.expect(state+method+" "+target, got, 200, "Content-Type", "text/javascript; charset=utf-8", "Cache-Control", "no-store", "ETag", "",
					"Service-Worker-Allowed", "", "Last-Modified", "")
				if method != "HEAD" && got.Body != lastWorker {
					t.Errorf("%s%s %s: %.60q", state, method, target, got.Body)
				}
			}
		}
	}
	ask("open: ")
	for _, target := range workerTargets { // into the cache, and out of it
		w.get(target)
		w.get(target)
	}
	ask("cached: ")
	w.closeShop("http://shop.localhost:8080")
	ask("closed: ")
}

// Only the response that the storefront's script requests deletes what browsers store for
// the host, and pages of other sites cannot request it.
func TestOnlyClearPathClearsStorage(t *testing.T) {
	w := newWorld(t)
	for _, method := range []string{"GET", "POST"} {
		w.expect(method, w.ask(method, "/_vitrine/clear", "Sec-Fetch-Site: same-origin"), 204, "Clear-Site-Data", `"storage"`, "Cache-Control", "no-store")
	}
	w.expect("no browser", w.get("/_vitrine/clear"), 204, "Clear-Site-Data", `"storage"`)
	for _, site := range []string{"cross-site", "same-site"} {
		w.expect(site, w.get("/_vitrine/clear", "Sec-Fetch-Site: "+site), 403, "Clear-Site-Data", "")
	}
	for _, target := range workerTargets {
		if got := w.get(target); target != clearPath && got.has("Clear-Site-Data") != "" {
			t.Errorf("%s clears the storage", target)
		}
	}
}

// Zones, the API and pages that ask for a secret cannot be framed and keep no reference to
// the page that opened them, for all visitors and on repeated requests.
func TestSecretsCannotBeFramed(t *testing.T) {
	w := newWorld(t)
	unframed := func(what string, got reply) {
		t.Helper()
		if got.has("X-Frame-Options") != "DENY" || got.has("Cross-Origin-Opener-Policy") != "same-origin" || !strings.Contains(got.has("Content-Security-Policy"), "frame-ancestors 'none'") {
			t.Errorf("%s: %d %v", what, got.Status, got.Header)
		}
		if policy := got.has("Referrer-Policy"); policy != "origin" && policy != "no-referrer" {
			t.Errorf("%s: the next page learns the address (%q)", what, policy)
		}
	}
	zones := []string{"/cart", "/checkout", "/account", "/orders", "/wishlist", "/deals", "/CART/", "/%63art", "/cart/none", "/account/reset?token=x", "/orders/5?key=x"}
	for range 2 {
		for _, target := range append(zones, "/api", "/api/products", "/api/v1/auth/me") {
			for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS", "DELETE"} {
				unframed(method+" "+target, w.ask(method, target))
			}
		}
	}
	w.policies(sesame, tradeOnly())
	w.expectClosed("a closed section", w.get("/shoes"))
	unframed("the page of a policy", w.get("/shoes"))
	unframed("a wrong password", w.tryPassword("wrong", "/shoes"))
	w.closeShop("http://shop.localhost:8080")
	for _, target := range append(zones, "/", "/about", "/nothing") {
		unframed("behind the PIN, "+target, w.get(target))
	}
	unframed("a wrong PIN", w.tryPIN("1", "/"))
}
