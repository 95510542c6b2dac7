package edge

import (
	"strings"
	"sync/atomic"
	"testing"

	"vitrine/compile/redirect"
	"vitrine/internal/await"
)

// hostile gives the shop rules that match as much as possible.
func hostile(w *world) {
	catch := rule("/go/*", "/$1")
	catch.Kind = redirect.Pattern
	search := rule("/x/*", "/find?q=$1")
	search.Kind = redirect.Pattern
	prefix := rule("/goods/*", "/shop")
	prefix.Kind = redirect.Prefix
	condition := rule("/old-page", "/p5")
	condition.QueryMatch = "id=5"
	dropped := rule("/d", "/n")
	dropped.DropQuery = true
	w.rules(
		rule("/old-page", "/new"), condition, dropped, rule("/t", "/n?src=old#top"), catch, search, prefix, rule("/k", "/kk"),
		rule("/café", "/c"),
	)
}

func TestHostileAddresses(t *testing.T) {
	w := newWorld(t)
	hostile(w)
	long := "/" + strings.Repeat("a/", 4095)
	for _, c := range []struct {
		target   string
		status   int
		location string
	}{
		{"//evil.com", 404, ""}, {"//evil.com%2f..", 404, ""},
		{"/go//evil.com", 308, "/evil.com"}, {"/go/%5Cevil.com", 308, "/%5Cevil.com"}, {`/go/\evil.com`, 308, "/%5Cevil.com"},
		{"/go/%5C%5Cevil.com%252e", 308, "/%5C%5Cevil.com%252e"},
		{"/go/%09", 400, ""}, {"/go/%0a", 400, ""}, {"/go/%0d%0aSet-Cookie:x=1", 400, ""}, {"/%00", 400, ""}, {"/old-page%00.html", 400, ""},
		{"/%zz", 400, ""}, {"/%", 400, ""}, {"/%u0041", 400, ""},
		{"/a/../old-page", 404, ""}, {"/%2e%2e/old-page", 404, ""}, {"/..%2Fold-page", 404, ""},
		{"/%252e%252e/old-page", 404, ""}, {"/public/..%2F%5cgithub.com%2F%3f%2F..%2F..", 404, ""}, {"/%5C%5Chost/%252e%252e", 404, ""},
		{"/OLD-Page///", 308, "/new"}, {"/%6Fld-page", 308, "/new"},
		{"/old-page?gclid=A%2BB&q=a+b&u=http://x//y", 308, "/new?gclid=A%2BB&q=a+b&u=http://x//y"},
		{"/d?x=1&gclid=A%2BB&utm_source=a+b&y=2&yclid=", 308, "/n?gclid=A%2BB&utm_source=a+b&yclid="},
		{"/d?utmx=1", 308, "/n"}, {"/d?gclid", 308, "/n?gclid"},
		{"/old-page?", 308, "/new"}, {"/t?id=7", 308, "/n?src=old&id=7#top"}, {"/t?src=evil", 308, "/n?src=old#top"},
		{"/old-page?id=5", 308, "/p5?id=5"}, {"/old-page?x=1&id=5", 308, "/p5?x=1&id=5"}, {"/old-page?id=%35", 308, "/new?id=%35"},
		{"/old-page?ID=5", 308, "/new?ID=5"}, {"/old-page?id=55", 308, "/new?id=55"},
		{"/caf%C3%A9", 308, "/c"}, {"/CAF%C3%89", 404, ""}, {"/cafe%CC%81", 404, ""}, {"/%E2%84%AA", 404, ""},
		{"/%ff", 404, ""}, {"/%C0%AF", 404, ""},
		{"/goodsale", 404, ""}, {"/goods", 308, "/shop"}, {"/goods/A/B%20c?q=1", 308, "/shop/A/B%20c?q=1"},
		{"/x/a%2Fb", 404, ""}, {"/x/a&b%23c", 308, "/find?q=a%26b%23c"}, {"/x//", 404, ""},
		{long, 404, ""}, {long + "a/a", 414, ""}, {"/" + strings.Repeat("a", 100_000), 414, ""},
		{"/feed.XML?x", 404, ""}, {"/a.Json", 404, ""},
		{"http://evil.com/old-page", 404, ""}, {"http://shop.localhost/old-page", 308, "/new"}, {"HTTP://SHOP.localhost:99/old-page", 308, "/new"},
		{"http://shop.localhost?x", 200, ""},
	} {
		got := w.get(c.target)
		if got.Status != c.status || got.has("Location") != c.location {
			t.Errorf("%.60s: %d %q, want %d %q", c.target, got.Status, got.has("Location"), c.status, c.location)
		}
	}
}

func TestReservedPathsAreNeverRedirected(t *testing.T) {
	w := newWorld(t)
	all := rule("/*", "/about")
	all.Kind, all.OverrideLive = redirect.Prefix, true
	w.rules(all)
	for _, target := range []string{
		"/cart", "/CART/", "/%63art", "//cart", "/_next/x", "/api/x", "/.well-known/acme-challenge/t", "/_html/1/2/3", "/robots.txt", "/files/x", "/w/1/webp/x",
	} {
		if got := w.get(target); got.has("Location") != "" {
			t.Errorf("%s redirects to %s", target, got.has("Location"))
		}
	}
}

func TestHosts(t *testing.T) {
	w := newWorld(t)
	for _, host := range []string{"shop.localhost", "SHOP.Localhost.:8080", "shop.localhost:", "shop.localhost.", "shop.localhost:65535"} {
		w.expect(host, w.askHost("GET", host, "/about"), 200)
	}
	for _, host := range []string{"evil.com", "shop.localhost.evil.com", "xn--80ak6aa92e.com", "[::1]", "[::1]:8080", "127.0.0.1"} {
		got := w.askHost("GET", host, "/about", "X-Forwarded-Host: shop.localhost")
		w.expect(host, got, 404, "Cache-Control", "no-store")
		if !strings.Contains(got.Body, "No shop here") {
			t.Errorf("%s: %.40s", host, got.Body)
		}
	}
	for _, host := range []string{"", "shop.localhost/x", "shop.localhost:port", "a b", "shop.localhost@evil.com", "[::1", "[zz]", ".", ":80", "shop.localhost:123456", strings.Repeat("a", 300)} {
		w.expect("host "+host, w.askHost("GET", host, "/about"), 400)
	}
	w.expect("no Host", w.raw("GET", "GET /about HTTP/1.1\r\n\r\n"), 400)
	w.expect("no Host in HTTP/1.0", w.raw("GET", "GET /about HTTP/1.0\r\n\r\n"), 400)
	w.expect("two Hosts", w.raw("GET", "GET /about HTTP/1.1\r\nHost: shop.localhost\r\nHost: shop.localhost\r\n\r\n"), 400)
	w.expect("HTTP/1.0", w.raw("GET", "GET /about HTTP/1.0\r\nHost: shop.localhost\r\n\r\n"), 200)
}

func TestInventedHostsAreLookedUpOnce(t *testing.T) {
	w := newWorld(t)
	for range 5 {
		w.askHost("GET", "nobody.test", "/")
	}
	if n := w.src.called("Host"); n != 1 {
		t.Errorf("asked %d times", n)
	}
	w.clock.Add(3)
	w.askHost("GET", "nobody.test", "/")
	if n := w.src.called("Host"); n != 2 {
		t.Errorf("asked %d times after two seconds", n)
	}
}

func TestHostsChangeWithTheWrite(t *testing.T) {
	w := newWorld(t)
	w.get("/about")
	w.expect("before", w.askHost("GET", "new.test", "/about"), 404)
	sh := w.src.shops[7].in.Shop
	sh.Hosts, sh.Origin = []string{"new.test", "shop.localhost"}, "http://new.test"
	w.changeShop(sh)
	w.expect("connected", w.askHost("GET", "new.test", "/about"), 200)
	w.expect("the other host leads there", w.get("/about"), 308, "Location", "http://new.test/about", "X-Redirect-By", "canonical")
	sh.Hosts, sh.Origin = []string{"shop.localhost"}, "http://shop.localhost"
	w.changeShop(sh)
	w.expect("removed", w.askHost("GET", "new.test", "/about"), 404)
	w.expect("back", w.get("/about"), 200)
}

// A visitor requests a host that no shop owns; before the result of the look-up is
// recorded, a shop gets the host. The outdated result must not be recorded, nor given to
// requests after the write.
func TestHostAssignedDuringALookUpIsServed(t *testing.T) {
	w := newWorld(t)
	w.get("/about")
	read, goOn := make(chan struct{}), make(chan struct{})
	var first atomic.Bool
	w.src.afterHost = func(host string) {
		if host == "new.test" && first.CompareAndSwap(false, true) {
			close(read)
			<-goOn
		}
	}
	early := make(chan reply)
	go func() { early <- w.askHost("GET", "new.test", "/") }()
	await.Next(t, read)
	// The shop is not loaded, so only the epoch reflects its new host.
	w.src.mu.Lock()
	w.src.shops[8].in.Shop.Hosts = []string{"new.test"}
	w.src.mu.Unlock()
	if err := w.edge.Changed(t.Context(), 8, 2); err != nil {
		t.Fatal(err)
	}
	w.expect("asked after the write", w.askHost("GET", "new.test", "/"), 200)
	close(goOn)
	if got := await.Next(t, early); got.Status != 404 {
		t.Errorf("the test is wrong: %d", got.Status)
	}
	w.edge.hosts.mu.RLock()
	_, turned := w.edge.hosts.unknown["new.test"]
	w.edge.hosts.mu.RUnlock()
	if turned {
		t.Error("the outdated result was recorded")
	}
}

func TestSmugglingIsRefused(t *testing.T) {
	w := newWorld(t)
	for name, request := range map[string]string{
		"two lengths":        "POST /about HTTP/1.1\r\nHost: shop.localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
		"length and chunked": "POST /nothing HTTP/1.1\r\nHost: shop.localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n",
		"odd coding":         "POST /about HTTP/1.1\r\nHost: shop.localhost\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
		"space before colon": "GET /about HTTP/1.1\r\nHost : shop.localhost\r\n\r\n",
		"control in target":  "GET /a\x01b HTTP/1.1\r\nHost: shop.localhost\r\n\r\n",
		"no version":         "GET /about\r\nHost: shop.localhost\r\n\r\n",
		"large field":        "GET / HTTP/1.1\r\nHost: shop.localhost\r\nCookie: " + strings.Repeat("a", 60_000) + "\r\n\r\n",
	} {
		got := w.raw("POST", request)
		if got.Status < 400 || got.Status >= 500 {
			t.Errorf("%s: %d", name, got.Status)
		}
	}
}

// Bytes after an unread body must not be parsed as a request.
func TestUnreadBodyIsNotTheNextRequest(t *testing.T) {
	w := newWorld(t)
	hidden := "GET /about HTTP/1.1\r\nHost: shop.localhost\r\n\r\n"
	for _, size := range []int{len(hidden), 200_000} {
		body := hidden + strings.Repeat(" ", size-len(hidden))
		conn, err := w.listen.Dial()
		if err != nil {
			t.Fatal(err)
		}
		sent := request("POST", "shop.localhost", "/nothing", "Content-Length: "+itoa(size)) + body +
			request("GET", "shop.localhost", "/shoes/boot", "Connection: close")
		go func() {
			if _, err := conn.Write([]byte(sent)); err != nil {
				return // the server may end the connection first
			}
		}()
		first, second := w.two(conn)
		closing(t, conn)
		if first.Status != 404 {
			t.Errorf("the request itself: %d", first.Status)
		}
		if second.Status != 0 && !strings.Contains(second.Body, "Boot") {
			t.Errorf("a body of %d bytes was answered as a request: %d", size, second.Status)
		}
	}
}
