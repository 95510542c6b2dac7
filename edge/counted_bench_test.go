package edge

import (
	"errors"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"

	"vitrine/internal/forwarded"
)

const browser = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"

// browses is a request in the form that browsers send.
func browses(target, from string) *fasthttp.RequestCtx {
	ctx := &fasthttp.RequestCtx{}
	ctx.Init(&fasthttp.Request{}, &net.TCPAddr{IP: net.ParseIP(from), Port: 4711}, nil)
	h := &ctx.Request.Header
	h.SetRequestURI(target)
	h.SetHost("shop.localhost")
	h.SetUserAgent(browser)
	for _, line := range [][2]string{
		{"Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"}, {"Accept-Language", "en-GB,en;q=0.9"},
		{"Accept-Encoding", "gzip, deflate, br"}, {"Sec-Fetch-Dest", "document"}, {"Sec-Fetch-Mode", "navigate"}, {"Sec-Fetch-Site", "same-origin"},
		{"Sec-Fetch-User", "?1"}, {"Upgrade-Insecure-Requests", "1"}, {"Sec-Ch-Ua", `"Chromium";v="131", "Not_A Brand";v="24"`}, {"Sec-Ch-Ua-Mobile", "?0"},
		{"Referer", "http://shop.localhost/shoes"}, {"Cookie", "a=b"}, {"X-Forwarded-For", "203.0.113.9"},
	} {
		h.Set(line[0], line[1])
	}
	return ctx
}

// A returning visitor is counted on the hot path without allocations, also behind a proxy
// and from another site.
func TestCountingAllocatesNothing(t *testing.T) {
	proxies, err := forwarded.Parse("10.0.0.0/8")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, func(c *Config) { c.Proxies = proxies })
	w.get("/about")
	for name, ctx := range map[string]*fasthttp.RequestCtx{
		"direct": browses("/about", "203.0.113.9"), "proxied": browses("/about", "10.0.0.1"), "from elsewhere": browses("/about", "203.0.113.10"),
		"ahead": browses("/about", "203.0.113.9"), "a robot": browses("/about", "203.0.113.11"),
	} {
		switch name {
		case "from elsewhere":
			ctx.Request.Header.SetReferer("https://www.search.example/find?q=shoes")
		case "ahead":
			ctx.Request.Header.Set("Sec-Purpose", "prefetch;prerender")
		case "a robot":
			ctx.Request.Header.SetUserAgent("Mozilla/5.0 (compatible; Robot/1.0; +https://robot.example)")
		}
		if !w.edge.hot(ctx) {
			t.Errorf("%s: not the hot path", name)
		}
		if n := testing.AllocsPerRun(1000, func() { w.edge.hot(ctx) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// BenchmarkCounting measures the cost of counting on the hot path against the same page
// without counting, on a request from a listener, in alternating rounds.
func BenchmarkCounting(b *testing.B) {
	everybody, err := forwarded.Parse("0.0.0.0")
	if err != nil {
		b.Fatal(err)
	}
	for name, proxies := range map[string]forwarded.Proxies{"direct": nil, "behind-a-proxy": everybody} {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b, func(c *Config) { c.Proxies, c.Now = proxies, nil })
			w.get("/about")
			listener := fasthttputil.NewInmemoryListener()
			raw := &fasthttp.Server{Handler: func(ctx *fasthttp.RequestCtx) { w.compareCounting(b, ctx) }}
			served := make(chan error, 1)
			go func() { served <- raw.Serve(listener) }()
			conn, err := listener.Dial()
			if err != nil {
				b.Fatal(err)
			}
			if _, err := browses("/about", "203.0.113.9").Request.WriteTo(conn); err != nil {
				b.Fatal(err)
			}
			w.read(conn, "GET")
			closing(b, conn)
			if err := errors.Join(raw.Shutdown(), <-served); err != nil {
				b.Error(err)
			}
		})
	}
}

func (w *world) compareCounting(b *testing.B, ctx *fasthttp.RequestCtx) {
	cut := w.edge.hosts.find([]byte("shop.localhost")).targets.find([]byte("/about"))
	const rounds, visits = 41, 10_000
	took := func(path string) float64 {
		cut.path = path
		start := time.Now()
		for range visits {
			w.edge.hot(ctx)
		}
		return float64(time.Since(start).Nanoseconds()) / visits
	}
	took("/about")
	var with, without []float64
	for b.Loop() {
		for range rounds {
			without, with = append(without, took("")), append(with, took("/about"))
		}
	}
	slices.Sort(with)
	slices.Sort(without)
	counting, bare := with[len(with)/2], without[len(without)/2]
	b.ReportMetric(counting-bare, "ns-of-counting")
	b.ReportMetric(counting/bare, "x-without")
	b.ReportMetric(bare, "ns-without")
	b.ReportMetric(0, "ns/op")
}
