// Package gate stands between an HTTP listener and the network: it decides which
// connections are served and how long each may keep the server waiting.
//
// # Pace
//
// A client that the server waits for must get on: a request, its body and its
// answer move at 500 bytes a second or faster, after 20 seconds (60 for answers)
// that everybody has. Only waiting counts, so a server that is slow itself cuts
// nobody off, and whoever keeps the pace may take hours: there is no longest time
// for an upload. A connection without a request is closed after a minute. Nothing
// of this costs a request more than two marks: once a second [Gate.Serve] looks
// at all connections; there are no deadlines in between.
//
// # Number
//
// There are so many connections at once, and so many of one client: of an IPv4
// address or of an IPv6 network of 64 bits, but for those of [Uncounted]. One too
// many is answered 503 and closed.
//
// # Form
//
// What leaves in doubt where a request ends is refused, and the connection with
// it: the next request would be whatever a sender hid there (RFC 9112, 6.3 and
// 11.2). fasthttp refuses the rest.
//
// # Stopping
//
// Requests that have reached the handler are finished while they move; all other
// connections are closed at once.
package gate

import (
	"context"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// Config is what a gate is made of; Connections, PerClient and Refuse are required.
type Config struct {
	Connections int            // at once; fewer where the process may not open so many files
	PerClient   int            // of one client
	Trusted     []netip.Prefix // proxies: any number of connections
	Log         *slog.Logger

	// Refuse answers what does not reach the handler: 400, 408, 414, 431 and 505
	// for requests, 503 for connections.
	Refuse func(rc *fasthttp.RequestCtx, status int)
}

// Uncounted are the networks that may open any number of connections: trusted
// proxies, which stand for many clients, and this machine, where a proxy stands
// that nobody named, or the operator.
func Uncounted(proxies []netip.Prefix) []netip.Prefix {
	return append([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}, proxies...)
}

// Gate is a fasthttp server behind the rules of this package. Make it with New.
type Gate struct {
	// HTTP is the server. Its handler may be wrapped before Serve.
	HTTP *fasthttp.Server

	cfg     Config
	handler fasthttp.RequestHandler

	mu        sync.Mutex
	listeners []*listener
	conns     map[*Conn]struct{}
	clients   map[netip.Addr]int
	swept     time.Time
	down      bool
}

// New puts a server behind a gate. The server has no timeouts of its own.
func New(server *fasthttp.Server, cfg Config) *Gate {
	cfg.Connections = affordable(cfg.Connections)
	g := &Gate{HTTP: server, cfg: cfg, handler: server.Handler, conns: map[*Conn]struct{}{}, clients: map[netip.Addr]int{}}
	server.Handler, server.ErrorHandler = g.handle, g.unreadable
	server.ConnState = func(c net.Conn, state fasthttp.ConnState) {
		if own, ok := c.(*Conn); ok && state == fasthttp.StateIdle {
			own.end()
		}
	}
	server.CloseOnShutdown, server.SecureErrorLogMessage, server.Logger = true, true, quiet{cfg.Log}
	return g
}

// Serve answers connections until Shutdown. After it, it returns at once.
func (g *Gate) Serve(l net.Listener) error {
	own := &listener{Listener: l, gate: g, quit: make(chan struct{})}
	g.mu.Lock()
	if g.down {
		g.mu.Unlock()
		return own.Close()
	}
	g.listeners = append(g.listeners, own)
	g.mu.Unlock()
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() { g.watch(done) })
	err := g.HTTP.Serve(own)
	close(done)
	watch.Wait()
	return err
}

// watch looks at all connections until done is closed.
func (g *Gate) watch(done <-chan struct{}) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case now := <-tick.C:
			g.sweep(now)
		}
	}
}

// cutTime is what handlers have to return after their connections were cut.
const cutTime = time.Second

// Shutdown closes the listeners and what waits for a request, lets the requests
// in flight finish while they move, and cuts off those that are left when the
// context ends.
func (g *Gate) Shutdown(ctx context.Context) error {
	g.mu.Lock()
	g.down = true
	for _, l := range g.listeners {
		_ = l.Close() // what it refuses to close, it does not accept from
	}
	g.mu.Unlock()
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() { g.drain(ctx, done) })
	// The context of the caller ends the requests; this one ends the waiting.
	rest, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(cutTime, cancel) })()
	err := g.HTTP.ShutdownWithContext(rest)
	close(done)
	watch.Wait()
	return err
}

// drain is watch for a server that stops.
func (g *Gate) drain(ctx context.Context, done <-chan struct{}) {
	tick := time.NewTicker(drainEvery)
	defer tick.Stop()
	g.sweep(time.Now())
	for {
		select {
		case <-done:
			return
		case <-ctx.Done():
			g.cut()
			return
		case now := <-tick.C:
			g.sweep(now)
		}
	}
}

// cut ends all connections.
func (g *Gate) cut() {
	g.mu.Lock()
	left := make([]*Conn, 0, len(g.conns))
	for c := range g.conns {
		left = append(left, c)
	}
	g.mu.Unlock()
	if len(left) > 0 {
		g.cfg.Log.Warn("requests were cut off", "connections", len(left))
	}
	for _, c := range left {
		c.abort()
	}
}

// handle lets a request through that is one.
func (g *Gate) handle(rc *fasthttp.RequestCtx) {
	if c, ok := rc.Conn().(*Conn); ok && !c.begin() {
		rc.SetConnectionClose() // closed while the request came in; nobody would see an answer
		return
	}
	if status := fault(&rc.Request.Header); status != 0 {
		g.cfg.Refuse(rc, status)
		rc.SetConnectionClose()
		return
	}
	g.handler(rc)
}
