package edge

import (
	"bufio"
	"bytes"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/valyala/fasthttp"
)

// FuzzVisit sends arbitrary bytes. The edge always answers valid HTTP, never fails by
// itself, never sends a visitor to another host and never writes a log that is not text.
func FuzzVisit(f *testing.F) {
	for _, seed := range []string{
		requestOf("GET", "/about"), requestOf("GET", "/go/%5Cevil.com"), requestOf("GET", "//evil.com/%2f.."), requestOf("GET", "/%zz"),
		requestOf("HEAD", "/old-page?gclid=1&x=%00"), requestOf("POST", "/_vitrine/pin", "Content-Length: 3") + "a=b",
		requestOf("GET", "/_html/5/9/../x", "Range: bytes=-0", "If-None-Match: *"), requestOf("GET", "/w/5/webp/x?q=1"),
		requestOf("GET", "http://shop.localhost/café", "Accept-Encoding: br;q=0,*"), requestOf("OPTIONS", "*"), requestOf("CONNECT", "x:1"),
		"GET /about HTTP/1.0\r\n\r\n", "POST / HTTP/1.1\r\nHost: shop.localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
		"\r\n\r\n", "GET", requestOf("GET", "/"+strings.Repeat("a/", 5000)), requestOf("GET", "/sitemap.xml?page=-1"),
		requestOf("GET", "/shoes?page=2#x"), requestOf("GET", "/cart/../about"), requestOf("PRI", "*"),
	} {
		f.Add([]byte(seed))
	}
	w := newWorld(f)
	hostile(w)
	f.Fuzz(func(t *testing.T, raw []byte) {
		var req fasthttp.Request
		if err := req.ReadLimitBody(bufio.NewReaderSize(bytes.NewReader(raw), readBuffer), maxBody); err != nil {
			return // the listener answers 400 by itself
		}
		var ctx fasthttp.RequestCtx
		ctx.Init(&req, nil, nil)
		w.edge.Handle(&ctx)
		check(t, raw, &ctx.Response)
		if err := ctx.Response.CloseBodyStream(); err != nil {
			t.Error(err)
		}
		if err := w.edge.counters.Flush(t.Context()); err != nil {
			t.Error(err)
		}
		for _, m := range w.src.takeMisses() {
			if !utf8.ValidString(m.Path) || strings.ContainsAny(m.Path, "\x00\r\n") {
				t.Errorf("%q: logged %q", raw, m.Path)
			}
		}
	})
}

func check(t *testing.T, raw []byte, got *fasthttp.Response) {
	if status := got.StatusCode(); status >= 500 || status < 200 {
		t.Errorf("%q: %d", raw, status)
	}
	location := string(got.Header.Peek("Location"))
	if location == "" {
		return
	}
	base, err := url.Parse("http://shop.localhost:8080/a/b")
	if err != nil {
		t.Fatal(err)
	}
	to, err := base.Parse(location)
	path, _, _ := strings.Cut(location, "?") // a query may hold anything that is printable
	if err != nil || strings.Contains(path, `\`) || to.Host != base.Host || strings.HasPrefix(location, "//") ||
		strings.ContainsAny(location, "\r\n\t\x00") {
		t.Errorf("%q: Location %q", raw, location)
	}
}

// FuzzNegotiate checks that a coding that is forbidden by name is never chosen.
func FuzzNegotiate(f *testing.F) {
	for _, seed := range []string{"", "gzip, br", "br;q=0, *", "*;q=0", ";;q=,"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		if got := negotiate([]byte("br;q=0,"+accept), brotlied); got == brotlied && !strings.Contains(strings.ToLower(accept), "br") {
			t.Errorf("%q: brotli was forbidden", accept)
		}
	})
}
