package edge

import (
	"testing"

	"github.com/valyala/fasthttp"
)

// The hot path must not allocate: neither for a page in any coding, nor for a 304, nor for
// a file. Averages are rounded down, so that the bookkeeping of the cache, one buffer per
// sixty-four look-ups, does not show.
func TestHotPathAllocatesNothing(t *testing.T) {
	w := newWorld(t)
	tag := w.get("/about").has("ETag")
	w.get("/about")
	w.get("/_html/5/9/css/site.css")
	for name, lines := range map[string][2]string{
		"page":         {"/about", ""},
		"page br":      {"/about", "br, gzip"},
		"page gzip":    {"/about", "gzip"},
		"page 304":     {"/about", "304"},
		"page session": {"/about", "cookie"},
		"file":         {"/_html/5/9/css/site.css", ""},
		"file br":      {"/_html/5/9/css/site.css", "br"},
	} {
		var ctx fasthttp.RequestCtx
		ctx.Request.Header.SetRequestURI(lines[0])
		ctx.Request.Header.SetHost("shop.localhost")
		switch lines[1] {
		case "304":
			ctx.Request.Header.Set("If-None-Match", `"x", `+tag)
		case "cookie":
			ctx.Request.Header.Set("Cookie", "a=b; vitrine-session=tok")
		default:
			ctx.Request.Header.Set("Accept-Encoding", lines[1])
		}
		if !w.edge.hot(&ctx) {
			t.Errorf("%s did not take the hot path", name)
		}
		if n := testing.AllocsPerRun(1000, func() { w.edge.hot(&ctx) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// A redirect and a page under another spelling do not take the hot path; they may allocate
// a little more.
func TestOtherPathsAllocateLittle(t *testing.T) {
	w := newWorld(t)
	w.rules(rule("/old", "/about"))
	for target, most := range map[string]float64{"/old": 5, "/old?utm_source=x": 5, "/about?utm_source=x": 5} {
		w.get(target)
		var ctx fasthttp.RequestCtx
		ctx.Init(&fasthttp.Request{}, nil, nil)
		ctx.Request.Header.SetRequestURI(target)
		ctx.Request.Header.SetHost("shop.localhost")
		if n := testing.AllocsPerRun(1000, func() { ctx.Response.Reset(); w.edge.visit(&ctx) }); n > most {
			t.Errorf("%s: %v allocations", target, n)
		}
	}
}
