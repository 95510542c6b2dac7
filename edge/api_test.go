package edge

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"vitrine/internal/origin"
)

func TestAPIGetsTheShopAndTheRestOfThePath(t *testing.T) {
	w := newWorld(t, func(c *Config) {
		c.API = func(ctx *fasthttp.RequestCtx) {
			company := origin.Of(ctx).Shop
			fmt.Fprintf(ctx, "%s %d %s %s %s", ctx.Method(), company, ctx.Path(), ctx.RequestURI(), ctx.PostBody())
		}
	})
	for request, want := range map[string]string{
		"GET /api/v1/cart?x=1&y=%20":                 "GET 7 /v1/cart /v1/cart?x=1&y=%20 ",
		"GET http://shop.localhost/api/v1/cart?x=//": "GET 7 /v1/cart /v1/cart?x=// ",
		"GET /api/":               "GET 7 / / ",
		"GET /api":                "GET 7 / / ",
		"OPTIONS /api/v1/cart":    "OPTIONS 7 /v1/cart /v1/cart ",
		"POST /api/v1/form-leads": "POST 7 /v1/form-leads /v1/form-leads abc",
	} {
		method, target, _ := strings.Cut(request, " ")
		lines, body := []string{}, ""
		if method == "POST" {
			lines, body = []string{"Content-Length: 3"}, "abc"
		}
		if got := w.raw(method, requestOf(method, target, lines...)+body); got.Body != want {
			t.Errorf("%s: %q, want %q", request, got.Body, want)
		}
	}
	w.expect("case", w.get("/API/v1/cart"), 404)
}

func TestAPITakesLargeBodiesAsStreams(t *testing.T) {
	const size = 3 << 20
	w := newWorld(t, func(c *Config) {
		c.API = func(ctx *fasthttp.RequestCtx) {
			n, err := io.Copy(io.Discard, ctx.RequestBodyStream())
			fmt.Fprintf(ctx, "%d %v", n, err)
		}
	})
	body := strings.Repeat("x", size)
	for name, sent := range map[string]string{
		"length":  requestOf("POST", "/api/up", "Content-Length: "+itoa(size)) + body,
		"chunked": requestOf("POST", "/api/up", "Transfer-Encoding: chunked") + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", size, body),
	} {
		conn, err := w.listen.Dial()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			if _, err := io.WriteString(conn, sent+requestOf("GET", "/about")); err != nil {
				return // after a chunked body the server ends the connection
			}
		}()
		first, second := w.two(conn)
		closing(t, conn)
		if first.Body != itoa(size)+" <nil>" {
			t.Errorf("%s: %d %s", name, first.Status, first.Body)
		}
		if name == "length" && second.Status != 200 || name == "chunked" && second.Status != 0 {
			t.Errorf("%s: the next request on the connection: %d", name, second.Status)
		}
	}
}

func TestUnreadUploadEndsTheConnection(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.API = func(ctx *fasthttp.RequestCtx) { ctx.SetStatusCode(403) } })
	hidden := requestOf("GET", "/about")
	for name, sent := range map[string]string{
		"length":  requestOf("POST", "/api/up", "Content-Length: 5000000") + strings.Repeat("x", 5_000_000),
		"chunked": requestOf("POST", "/api/up", "Transfer-Encoding: chunked") + fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(hidden), hidden),
	} {
		conn, err := w.listen.Dial()
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			if _, err := io.WriteString(conn, sent+hidden); err != nil {
				return // the server ends the connection
			}
		}()
		first, second := w.two(conn)
		closing(t, conn)
		if first.Status != 403 || second.Status != 0 {
			t.Errorf("%s: %d, then %d", name, first.Status, second.Status)
		}
	}
}

func TestPanicInTheAPIDoesNotEndTheServer(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.API = func(*fasthttp.RequestCtx) { panic("a fault") } })
	w.expect("panic", w.get("/api/x"), 500)
	w.expect("next", w.get("/about"), 200)
}

func TestAPIPathIs404WithoutAnAPI(t *testing.T) {
	w := newWorld(t)
	w.expect("api", w.get("/api/v1/cart"), 404)
}

// The API hides a closed shop too, and learns from the edge whether the visitor has entered
// the PIN.
func TestAPIIsToldWhetherThePINWasEntered(t *testing.T) {
	w := newWorld(t, func(c *Config) {
		c.API = func(ctx *fasthttp.RequestCtx) { fmt.Fprint(ctx, origin.Of(ctx).Admitted) }
	})
	expectAdmitted := func(want string, lines ...string) {
		t.Helper()
		if got := w.get("/api/products", lines...); got.Body != want {
			t.Errorf("%v: %q, want %q", lines, got.Body, want)
		}
	}
	expectAdmitted("false") // an open shop needs no PIN
	w.closeShop("http://shop.localhost:8080")
	expectAdmitted("false")
	expectAdmitted("false", "Cookie: vitrine-pin=99999999999.00")
	value, _, _ := strings.Cut(w.tryPIN("4711", "/").has("Set-Cookie"), ";")
	expectAdmitted("true", "Cookie: "+value)
}
