package edge

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp/fasthttputil"
	"go.uber.org/goleak"

	"vitrine/compile"
	"vitrine/compile/redirect"
	"vitrine/internal/await"
	"vitrine/internal/shop"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// fasthttp ends these within ten seconds, or with the process.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"))
}

// world is an edge on an in-memory listener, with a fixture as its Source.
type world struct {
	t      testing.TB
	src    *fixture
	edge   *Server
	listen *fasthttputil.InmemoryListener
	clock  atomic.Int64 // seconds
}

func newWorld(t testing.TB, edit ...func(*Config)) *world {
	t.Helper()
	w := &world{t: t, src: newFixture(), listen: fasthttputil.NewInmemoryListener()}
	w.clock.Store(1_800_000_000)
	cfg := Config{
		Source: w.src, Log: slog.New(slog.DiscardHandler),
		Secret: []byte("0123456789abcdef0123456789abcdef"),
		Now:    func() time.Time { return time.Unix(w.clock.Load(), 0) },
	}
	for _, e := range edit {
		e(&cfg)
	}
	var err error
	if w.edge, err = New(cfg); err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- w.edge.Serve(w.listen) }()
	t.Cleanup(func() {
		if err := w.edge.Shutdown(context.Background()); err != nil && !w.src.away {
			t.Errorf("shutdown: %v", err)
		}
		if err := await.Next(t, served); err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return w
}

// reply is a response as a client sees it.
type reply struct {
	Status int
	Header http.Header
	Body   string
}

func (r reply) has(name string) string { return r.Header.Get(name) }

// raw sends bytes unchanged and reads one response to a request with a method.
func (w *world) raw(method, request string) reply {
	w.t.Helper()
	conn, err := w.listen.Dial()
	if err != nil {
		w.t.Fatal(err)
	}
	defer closing(w.t, conn)
	go func() {
		// The server may respond and close before it has read everything.
		if _, err := io.WriteString(conn, request); err != nil {
			return
		}
	}()
	return w.read(conn, method)
}

func (w *world) read(conn net.Conn, method string) reply {
	w.t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		w.t.Fatalf("reading the answer: %v", err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		w.t.Fatalf("reading the body: %v", err)
	}
	got := reply{resp.StatusCode, resp.Header, string(body)}
	w.checkDrawn(got)
	w.checkSurrogates(got)
	return got
}

// checkSurrogates checks in every answer of these tests that what a cache in front may keep has a
// name by which it can be purged, and that guarded pages have none.
func (w *world) checkSurrogates(got reply) {
	w.t.Helper()
	caching, names := got.has("Cache-Control"), got.has("Surrogate-Key")
	kept := strings.HasPrefix(caching, "public") && !strings.HasSuffix(caching, "immutable")
	switch {
	case kept && !strings.HasPrefix(names, "vitrine"):
		w.t.Errorf("a response with Cache-Control %q has the Surrogate-Key %q", caching, names)
	case names != "" && strings.Contains(caching, "no-store"):
		w.t.Errorf("a response with Cache-Control %q has a Surrogate-Key", caching)
	}
}

func closing(t testing.TB, c io.Closer) {
	if err := c.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// ask sends a request for a target of the shop, with header lines.
func (w *world) ask(method, target string, lines ...string) reply {
	w.t.Helper()
	return w.askHost(method, "shop.localhost", target, lines...)
}

func (w *world) askHost(method, host, target string, lines ...string) reply {
	w.t.Helper()
	return w.raw(method, request(method, host, target, lines...))
}

func (w *world) get(target string, lines ...string) reply {
	w.t.Helper()
	return w.ask("GET", target, lines...)
}

func request(method, host, target string, lines ...string) string {
	return method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\n" + strings.Join(append(lines, "", ""), "\r\n")
}

// change commits a change and notifies the edge, as the store does.
func (w *world) change(company shop.CompanyID, d compile.Delta, edit func(*fixtureShop), keys ...shop.Key) {
	w.t.Helper()
	version := w.src.commit(company, d, edit, keys...)
	if err := w.edge.Changed(context.Background(), company, version); err != nil {
		w.t.Fatal(err)
	}
}

// rules replaces the redirect set of shop 7.
func (w *world) rules(rules ...redirect.Rule) {
	w.t.Helper()
	for i := range rules {
		r := &rules[i]
		r.ID, r.Enabled, r.SortOrder = shop.RuleID(i+1), true, i
		if r.Kind == "" {
			r.Kind = redirect.Exact
		}
		if r.Code == 0 {
			r.Code = 301
		}
	}
	w.change(7, compile.Delta{Rules: rules}, nil, shop.Key{Kind: shop.KeyRules})
}

// rename changes the name of a product.
func (w *world) rename(id shop.ProductID, name string) {
	w.t.Helper()
	w.change(7, compile.Delta{}, func(s *fixtureShop) { s.names[id] = name }, shop.Key{Kind: shop.KeyProduct, ID: int64(id)})
}

func (w *world) expect(what string, got reply, status int, headers ...string) {
	w.t.Helper()
	if got.Status != status {
		w.t.Errorf("%s: status %d, want %d", what, got.Status, status)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if v := got.has(headers[i]); v != headers[i+1] {
			w.t.Errorf("%s: %s is %q, want %q", what, headers[i], v, headers[i+1])
		}
	}
}

func (w *world) changeShop(sh compile.Shop) {
	w.t.Helper()
	w.change(7, compile.Delta{Shop: &sh}, nil, shop.Key{Kind: shop.KeyShop})
}

// two reads two responses from a connection; the second is empty if the connection ends
// before it.
func (w *world) two(conn net.Conn) (first, second reply) {
	w.t.Helper()
	r := bufio.NewReader(conn)
	for _, into := range []*reply{&first, &second} {
		resp, err := http.ReadResponse(r, &http.Request{Method: "GET"})
		if err != nil {
			return first, second
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			return first, second
		}
		*into = reply{resp.StatusCode, resp.Header, string(body)}
	}
	return first, second
}

func itoa(n int) string { return strconv.Itoa(n) }

func requestOf(method, target string, lines ...string) string {
	return request(method, "shop.localhost", target, lines...)
}
