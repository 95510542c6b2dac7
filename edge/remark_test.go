package edge

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/valyala/fasthttp"
)

// A vote without a script goes to the API as the visitor, with the headers that tell which
// page sent it, and redirects only to a page of this shop. Impossible addresses are 404.
func TestVotesAndAddressesOfReviews(t *testing.T) {
	var mu sync.Mutex
	var calls []string
	w := newWorld(t, func(c *Config) {
		c.API = func(ctx *fasthttp.RequestCtx) {
			mu.Lock()
			defer mu.Unlock()
			h := &ctx.Request.Header
			calls = append(calls, fmt.Sprintf("%s %s %s", h.Method(), h.RequestURI(), h.Peek("Origin")))
			if strings.HasSuffix(string(h.RequestURI()), "/9/helpful") {
				ctx.Error(`{"error":"rpc error: code = NotFound desc = REVIEW_NOT_FOUND"}`, 404)
				return
			}
			ctx.SetBodyString("{}")
		}
	})
	for _, path := range []string{
		"/_vitrine/review/0", "/_vitrine/review/01", "/_vitrine/review/x", "/_vitrine/review/-1", "/_vitrine/review/1/other", "/_vitrine/review/1/sent/x",
		"/_vitrine/question/99999999999999999999", "/_vitrine/question/", "/_vitrine/helpful/", "/_vitrine/helpful/1/2",
	} {
		if got := w.get(path); got.Status != 404 {
			t.Errorf("%s: %d", path, got.Status)
		}
	}
	w.expect("GET", w.get("/_vitrine/helpful/7"), 405, "Allow", "POST")
	for from, to := range map[string]string{
		"/cups?sort=newest": "/cups?sort=newest#review-7", "": "/#review-7", "//evil.example/": "/#review-7", "https://evil.example/": "/#review-7",
		"/a%0d%0aSet-Cookie:x": "/#review-7", "/\\evil.example": "/#review-7",
	} {
		calls = nil
		w.expect("from "+from, w.sendForm("/_vitrine/helpful/7", "_from="+from, "Origin: https://pages.example"), 303, "Location", to, "Cache-Control", "no-store")
		if fmt.Sprint(calls) != "[POST /v1/auth/guest https://pages.example POST /reviews/7/helpful https://pages.example]" {
			t.Errorf("from %q: %q", from, calls)
		}
	}
	if got := w.sendForm("/_vitrine/helpful/9", "_from=/"); got.Status != 404 {
		t.Errorf("a missing review: %d", got.Status)
	}
	calls = nil
	if got := w.raw("POST", requestOf("POST", "/_vitrine/review/1", "Content-Type: multipart/form-data; boundary=x", "Content-Length: 9")+"--y\r\n\r\nno"); got.Status != 400 || len(calls) != 0 {
		t.Errorf("malformed form: %d, %q", got.Status, calls)
	}
}

// Only visitors with access get the review form of a closed product.
func TestOnlyVisitorsWithAccessReviewClosedProducts(t *testing.T) {
	w := newWorld(t, func(c *Config) { c.API = func(ctx *fasthttp.RequestCtx) { ctx.SetBodyString("{}") } })
	w.policies(sesame, tradeOnly())
	pass := w.pass("sesame", "/shoes/boot")
	for _, path := range []string{"/_vitrine/review/11", "/_vitrine/review/11/sent", "/_vitrine/question/11", "/_vitrine/question/11/sent"} {
		w.expect("a stranger at "+path, w.get(path), 404)
		w.expect(path, w.get(path, pass), 200, "Cache-Control", "private, no-store")
	}
}
