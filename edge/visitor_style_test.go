package edge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"
)

// Without scripts the visitor's own state comes as a style sheet: the page stays the same
// for everybody, so that shared caches may keep it.
func TestTheStyleSheetOfAVisitorWithoutAScript(t *testing.T) {
	asked, units, email := 0, 3, ""
	w := newWorld(t, func(c *Config) {
		c.API = func(ctx *fasthttp.RequestCtx) {
			asked++
			if string(ctx.Request.Header.Cookie("vitrine-session")) != "mine" {
				ctx.SetStatusCode(401)
				fmt.Fprint(ctx, `{"error": "rpc error: code = Unauthenticated desc = UNAUTHENTICATED: no"}`)
				return
			}
			fmt.Fprintf(ctx, `{"result": {"items": [], "count": %d, "email": %q}}`, units, email)
		}
	})
	const path = "/_vitrine/visitor.css"
	page := w.get("/about")
	if mine := w.get("/about", "Cookie: vitrine-session=mine"); mine.Body != page.Body || !strings.Contains(page.Body, `<noscript><link rel="stylesheet" href="`+path+`"></noscript>`) {
		t.Error("the page is not the same for everybody, or does not link the count")
	}
	if asked != 0 {
		t.Errorf("a page asked the API %d times", asked)
	}
	want := func(name, body string, cookies ...string) {
		t.Helper()
		got := w.get(path, cookies...)
		w.expect(name, got, 200, "Content-Type", "text/css; charset=utf-8", "Cache-Control", "private, no-store",
			"X-Content-Type-Options", "nosniff", "Cross-Origin-Resource-Policy", "same-origin")
		if got.Body != body {
			t.Errorf("%s: %q, want %q", name, got.Body, body)
		}
	}
	want("a visitor without a session", "")
	if asked != 0 {
		t.Error("the API is asked for visitors without a session")
	}
	const shown = `@layer storefront{.v-count[hidden]{display:block}.v-count::after{content:"%s"}}`
	want("a buyer", fmt.Sprintf(shown, "3"), "Cookie: vitrine-session=mine")
	units = 100
	want("a large cart", fmt.Sprintf(shown, "99+"), "Cookie: vitrine-session=mine")
	units = 0
	want("an empty cart", "", "Cookie: vitrine-session=mine")
	email = "ann@shop.test"
	want("a signed-in visitor", "@layer storefront{[data-v-who]:has(a){display:none}}", "Cookie: vitrine-session=mine")
	units = 1
	want("a signed-in buyer", strings.TrimSuffix(fmt.Sprintf(shown, "1"), "}")+"[data-v-who]:has(a){display:none}}", "Cookie: vitrine-session=mine")
	want("an ended session", "", "Cookie: vitrine-session=other")
	w.expect("sent", w.ask("POST", path, "Content-Length: 0"), 405)
}
