package gate

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
	"go.uber.org/goleak"

	"vitrine/internal/await"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// fasthttp ends these within ten seconds, or with the process.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"))
}

// testGate is a gate that serves on a real socket without watch: tests set how much time
// passes.
type testGate struct {
	*Gate
	t       *testing.T
	address string
	now     time.Time
}

func newTestGate(t *testing.T, handler fasthttp.RequestHandler, cfg Config) *testGate {
	t.Helper()
	if cfg.Connections == 0 {
		cfg.Connections = 1000
	}
	if cfg.PerClient == 0 {
		cfg.PerClient = 1000
	}
	cfg.Log = slog.New(slog.DiscardHandler)
	cfg.Refuse = func(rc *fasthttp.RequestCtx, status int) { rc.SetStatusCode(status) }
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &fasthttp.Server{Handler: handler, StreamRequestBody: true, MaxRequestBodySize: 1 << 10}
	h := &testGate{Gate: New(server, cfg), t: t, address: l.Addr().String(), now: time.Unix(1000, 0)}
	h.swept = h.now
	own := &listener{Listener: l, gate: h.Gate, quit: make(chan struct{})}
	h.listeners = append(h.listeners, own)
	served := make(chan error, 1)
	go func() { served <- h.HTTP.Serve(own) }()
	t.Cleanup(func() {
		over, cancel := context.WithCancel(context.Background())
		cancel() // close the connections that a test left open
		if err := errors.Join(h.Shutdown(over), await.Next(t, served)); err != nil {
			t.Error(err)
		}
	})
	return h
}

// visitor is a client whose reads and writes a test controls.
type visitor struct {
	net.Conn
	t *testing.T
	r *bufio.Reader
}

func (h *testGate) visitor() *visitor {
	h.t.Helper()
	c, err := net.Dial("tcp", h.address)
	if err != nil {
		h.t.Fatal(err)
	}
	if err := c.SetDeadline(time.Now().Add(await.Limit)); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = c.Close() }) // tests close some themselves
	return &visitor{c, h.t, bufio.NewReader(c)}
}

func (v *visitor) send(text string) {
	v.t.Helper()
	if _, err := io.WriteString(v, text); err != nil {
		v.t.Fatal(err)
	}
}

// status reads one response.
func (v *visitor) status() int {
	v.t.Helper()
	answer, err := http.ReadResponse(v.r, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		v.t.Fatal(err)
	}
	return answer.StatusCode
}

// ended waits for the end of the connection.
func (v *visitor) ended() {
	v.t.Helper()
	rest, err := io.ReadAll(v.r)
	if len(rest) > 0 || err != nil && !errors.Is(err, syscall.ECONNRESET) {
		v.t.Errorf("the end came with %q, %v", rest, err)
	}
}

// until waits for a number of connections in a state.
func (h *testGate) until(count int, as func(*Conn) bool) []*Conn {
	h.t.Helper()
	var found []*Conn
	if !await.Until(func() bool {
		found = nil
		h.mu.Lock()
		defer h.mu.Unlock()
		for c := range h.conns {
			if as(c) {
				found = append(found, c)
			}
		}
		return len(found) == count
	}) {
		h.t.Fatalf("%d connections instead of %d", len(found), count)
	}
	return found
}

func in(phase, waits uint32) func(*Conn) bool {
	return func(c *Conn) bool { return c.phase.Load() == phase && c.waits.Load() == waits }
}

func anyState(*Conn) bool { return true }

// pass advances the clock by seconds, and calls each in each of them.
func (h *testGate) pass(seconds int, each func()) {
	for range seconds {
		h.now = h.now.Add(time.Second)
		h.sweep(h.now)
		each()
	}
}

func noop() {}

// ok reads the body, if there is one.
func ok(rc *fasthttp.RequestCtx) {
	if !rc.Request.IsBodyStream() {
		return
	}
	if _, err := io.Copy(io.Discard, rc.RequestBodyStream()); err != nil {
		rc.SetStatusCode(fasthttp.StatusRequestTimeout)
		rc.SetConnectionClose()
	}
}

const getLine = "GET / HTTP/1.1\r\nHost: a\r\n"

// A client that stops sending gets a timeout status after the timeout and not before,
// whatever part of the request is missing.
func TestIncompleteRequestsTimeOut(t *testing.T) {
	for name, c := range map[string]struct {
		sent    string
		phase   uint32
		answers []int
		after   time.Duration
	}{
		"nothing":                {"", fresh, nil, requestTimeout},
		"half a line":            {"GE", head, []int{408}, requestTimeout},
		"half a field":           {getLine + "X: ", head, []int{408}, requestTimeout},
		"half a short body":      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab", head, []int{408}, requestTimeout},
		"half a long body":       {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\n" + strings.Repeat("a", 10_000), serving, []int{408}, requestTimeout},
		"half a chunk":           {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nab", serving, []int{408}, requestTimeout},
		"no second request":      {getLine + "\r\n", idle, []int{200}, idleTimeout},
		"half a second request":  {getLine + "\r\nGET", idle, []int{200}, idleTimeout},
		"half a length of a PUT": {"PUT / HTTP/1.1\r\nHost: a\r\nContent-Len", head, []int{408}, requestTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newTestGate(t, func(rc *fasthttp.RequestCtx) {
				if rc.IsPost() {
					ok(rc)
				}
			}, Config{})
			v := h.visitor()
			v.send(c.sent)
			h.until(1, func(own *Conn) bool { return in(c.phase, reading)(own) && own.in.Load() == int64(len(c.sent)) })
			h.sweep(h.now) // records the wait
			h.pass(int(c.after/time.Second)-1, noop)
			h.until(1, anyState)
			h.pass(1, noop)
			for _, want := range c.answers {
				if got := v.status(); got != want {
					t.Errorf("status %d, want %d", got, want)
				}
			}
			v.ended()
			h.until(0, anyState)
		})
	}
}

// An occasional byte does not keep a connection open.
func TestDrippingRequestsTimeOut(t *testing.T) {
	h := newTestGate(t, ok, Config{})
	v := h.visitor()
	v.send(getLine + "X: ")
	seconds := 0
	for sent := int64(len(getLine) + 3); seconds < 30; seconds++ {
		v.send("x")
		sent++
		// A sweep between two reads would see no wait and count no time.
		alive := h.until(1, func(c *Conn) bool { return c.in.Load() == sent && c.waits.Load() == reading })
		h.pass(1, noop)
		if alive[0].pace.debt >= requestTimeout {
			break
		}
	}
	if seconds < 19 || seconds > 22 {
		t.Errorf("it lived for %d seconds", seconds)
	}
	if got := v.status(); got != 408 {
		t.Errorf("status %d", got)
	}
}

// A slow mobile connection of 2 KB per second transfers a file of any size, with pauses; so
// does a client that reads that slowly.
func TestSlowConnectionsSucceed(t *testing.T) {
	h := newTestGate(t, ok, Config{})
	v := h.visitor()
	const size = 512 << 10 // more than four minutes
	v.send(fmt.Sprintf("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n", size))
	part := strings.Repeat("x", 2<<10)
	own := h.until(1, func(c *Conn) bool { return c.in.Load() > 0 })[0]
	before := own.in.Load()
	for sent := int64(0); sent < size; {
		v.send(part)
		sent += int64(len(part))
		h.until(1, func(c *Conn) bool { return c.in.Load() == before+sent })
		h.pass(1, noop)
		if sent%(128<<10) == 0 {
			h.pass(15, noop) // a tunnel
		}
	}
	if got := v.status(); got != 200 {
		t.Errorf("status %d", got)
	}
}

// big is a response larger than kernel buffers.
var big = bytes.Repeat([]byte("x"), 64<<20)

// A client that does not read its response is cut off, and one that reads slowly is not:
// what counts is what has arrived, not what the kernel has buffered.
func TestUnreadResponsesTimeOut(t *testing.T) {
	h := newTestGate(t, func(rc *fasthttp.RequestCtx) { rc.Response.SetBodyRaw(big) }, Config{})
	v := h.visitor()
	v.send(getLine + "\r\n")
	own := h.until(1, in(serving, writing))[0]
	h.sweep(h.now)
	for range 5 {
		h.pass(50, noop)
		arrived := own.arrived()
		for own.arrived() == arrived { // until the window of the client opens
			if _, err := io.CopyN(io.Discard, v.r, 64<<10); err != nil {
				t.Fatal(err)
			}
		}
	}
	h.pass(int(answerTimeout/time.Second)+1, noop)
	h.until(0, anyState)
	if n, err := io.Copy(io.Discard, v.r); err == nil || n >= int64(len(big)) {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// A slow server cuts off no client.
func TestOnlyTheClientsTimeCounts(t *testing.T) {
	goOn := make(chan struct{})
	h := newTestGate(t, func(*fasthttp.RequestCtx) { <-goOn }, Config{})
	v := h.visitor()
	v.send(getLine + "\r\n")
	h.until(1, in(serving, nothing))
	h.pass(3600, noop)
	close(goOn)
	if got := v.status(); got != 200 {
		t.Errorf("status %d", got)
	}
}

// A connection beyond a limit is refused at once, and a closed one makes room.
func TestConnectionsAreCounted(t *testing.T) {
	for name, c := range map[string]Config{
		"all":                 {Connections: 16},
		"of one client":       {PerClient: 16},
		"all, though trusted": {Connections: 16, PerClient: 2, Trusted: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newTestGate(t, ok, c)
			var visitors []*visitor
			for range 16 {
				visitors = append(visitors, h.visitor())
			}
			h.until(16, anyState)
			late := h.visitor()
			if got := late.status(); got != 503 {
				t.Errorf("status %d", got)
			}
			late.ended()
			if err := visitors[0].Close(); err != nil {
				t.Fatal(err)
			}
			h.until(15, anyState)
			next := h.visitor()
			next.send(getLine + "\r\n")
			if got := next.status(); got != 200 {
				t.Errorf("status %d", got)
			}
		})
	}
}

func TestClientsAreAddressesAndNetworks(t *testing.T) {
	g := &Gate{cfg: Config{Trusted: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/16")}}}
	for from, want := range map[string]string{
		"192.0.2.1": "192.0.2.1", "::ffff:192.0.2.1": "192.0.2.1", "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::", "2001:db8:1:2::9": "2001:db8:1:2::",
		"fe80::1%eth0": "fe80::", "::1": "::", "10.1.2.3": "invalid IP", "::ffff:10.1.2.3": "invalid IP", "fd00::7": "invalid IP",
	} {
		addr := netip.MustParseAddr(from)
		got := g.client(&net.TCPAddr{IP: addr.AsSlice(), Zone: addr.Zone()})
		if got.String() != want {
			t.Errorf("%s counts for %s, want %s", from, got, want)
		}
	}
	if got := g.client(&net.UnixAddr{}); got.IsValid() {
		t.Errorf("a socket without an address counts for %s", got)
	}
}

// failingListener fails before it accepts.
type failingListener struct {
	net.Listener
	failures []error
}

func (l *failingListener) Accept() (net.Conn, error) {
	if len(l.failures) == 0 {
		return l.Listener.Accept()
	}
	err := l.failures[0]
	l.failures = l.failures[1:]
	return nil, &net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", err)}
}

// A process that has reached its file limit continues to listen.
func TestTemporaryErrorsDoNotEndTheListener(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := New(&fasthttp.Server{Handler: func(*fasthttp.RequestCtx) {}}, Config{
		Connections: 100, PerClient: 100, Log: slog.New(slog.DiscardHandler), Refuse: func(rc *fasthttp.RequestCtx, status int) { rc.SetStatusCode(status) },
	})
	served := make(chan error, 1)
	go func() {
		served <- g.Serve(&failingListener{l, []error{syscall.EMFILE, syscall.ENFILE, syscall.ECONNABORTED}})
	}()
	h := &testGate{Gate: g, t: t, address: l.Addr().String()}
	v := h.visitor()
	v.send(getLine + "\r\n")
	if got := v.status(); got != 200 {
		t.Errorf("status %d", got)
	}
	if err := errors.Join(g.Shutdown(t.Context()), await.Next(t, served)); err != nil {
		t.Error(err)
	}
	if l, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	if err := g.Serve(l); err != nil { // a gate stays shut down
		t.Error(err)
	}
}

// A shutdown closes connections without a request at once, finishes requests that make
// progress, and cuts off the rest.
func TestShutdownFinishesRequestsThatProgress(t *testing.T) {
	goOn := make(chan struct{})
	h := newTestGate(t, func(rc *fasthttp.RequestCtx) {
		switch string(rc.Path()) {
		case "/work":
			<-goOn
		case "/take":
			ok(rc)
		case "/big":
			rc.Response.SetBodyRaw(big)
		}
	}, Config{})
	request := func(target string) *visitor {
		v := h.visitor()
		v.send("POST " + target + " HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n" + strings.Repeat("x", 8192))
		return v
	}
	silent, half, kept := h.visitor(), h.visitor(), h.visitor()
	half.send(getLine)
	kept.send(getLine + "\r\n")
	if got := kept.status(); got != 200 {
		t.Errorf("status %d", got)
	}
	work, moves, stops, unread := request("/work"), request("/take"), request("/take"), h.visitor()
	unread.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
	h.until(2, in(serving, reading))
	h.until(1, in(serving, nothing))
	h.until(1, in(serving, writing))
	h.until(1, in(idle, reading))
	h.until(1, in(head, reading))

	h.mu.Lock()
	h.down = true
	h.mu.Unlock()
	h.pass(1, noop)
	for _, v := range []*visitor{silent, half, kept} {
		v.ended()
	}
	h.until(4, anyState)
	moves.send(strings.Repeat("x", 9000-8192))
	if got := moves.status(); got != 200 {
		t.Errorf("a request that progresses: status %d", got)
	}
	h.pass(int(stopTimeout/time.Second)+1, noop)
	if got := stops.status(); got != 408 {
		t.Errorf("a request that stalls: status %d", got)
	}
	if _, err := io.Copy(io.Discard, unread.r); err == nil {
		t.Error("the shutdown waited for a response that is not read")
	}
	close(goOn)
	if got := work.status(); got != 200 {
		t.Errorf("a request in the handler: status %d", got)
	}
}

// A shutdown that takes too long cuts off the remaining connections.
func TestShutdownEndsWithItsContext(t *testing.T) {
	h := newTestGate(t, func(rc *fasthttp.RequestCtx) { rc.Response.SetBodyRaw(big) }, Config{})
	v := h.visitor()
	v.send(getLine + "\r\n")
	h.until(1, in(serving, writing))
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.Shutdown(over); err != nil {
		t.Error(err)
	}
	h.until(0, anyState)
}

// Of thousands of requests in one packet, only as many are answered as the client reads.
func TestPipelinesWaitForTheClientToRead(t *testing.T) {
	var mu sync.Mutex
	served := 0
	h := newTestGate(t, func(rc *fasthttp.RequestCtx) {
		mu.Lock()
		served++
		mu.Unlock()
		rc.Response.SetBodyRaw(big[:1<<20])
	}, Config{})
	v := h.visitor()
	const all = 2000
	v.send(strings.Repeat(getLine+"\r\n", all))
	h.until(1, in(serving, writing))
	h.sweep(h.now)
	h.pass(int(answerTimeout/time.Second)+1, noop)
	h.until(0, anyState)
	mu.Lock()
	defer mu.Unlock()
	if served == 0 || served > 100 {
		t.Errorf("%d of %d requests were served without a reader", served, all)
	}
}

// Data sent by clients is not logged.
func TestLogOmitsReceivedData(t *testing.T) {
	var log bytes.Buffer
	q := debugLogger{slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	q.Printf("error when serving connection %q<->%q: %v", "1.2.3.4:5", "6.7.8.9:1", fmt.Errorf("invalid header value %q", `vt_"secret`))
	if got := log.String(); strings.Contains(got, "secret") || !strings.Contains(got, "invalid header value") {
		t.Error(got)
	}
}
