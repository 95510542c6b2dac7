// Package gate stands between an HTTP listener and the network: it decides which
// connections are served and how long each may keep the server waiting.
//
// # Pace
//
// A client that the server waits for must make progress: a request, its body and its
// response must move at 500 bytes per second or faster, after a grace period of 20 seconds
// (60 for responses). Only time spent waiting for the client counts, so a slow server cuts
// off no client, and a client that keeps the pace may take hours: there is no maximum time
// for an upload. A connection without a request is closed after a minute. This costs a
// request no more than two state changes: once a second [Gate.Serve] checks all
// connections; there are no deadlines in between.
//
// # Number
//
// Connections are limited in total and per client: per IPv4 address or IPv6 network of 64
// bits, except for those of [UnlimitedNetworks]. Excess connections are answered 503 and closed.
//
// # Form
//
// A request whose end is ambiguous is refused, and its connection closed: otherwise the
// next request would be data that a sender hid there (RFC 9112, 6.3 and 11.2). fasthttp
// refuses other malformed requests.
//
// # TLS and HTTP/2
//
// [Gate.ServeTLS] offers HTTP/1.1 and HTTP/2. A handshake may take 10 seconds. The server of
// HTTP/2 is that of net/http; each request becomes a connection of fasthttp, which counts for its
// client and is held to the same pace, size and form. A request for a host that the certificate
// does not cover is refused with 421.
//
// # Stopping
//
// Requests that have reached the handler are finished as long as they make progress; all
// other connections are closed at once.
package gate

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
	"golang.org/x/sync/errgroup"
)

// Config holds the settings of a Gate; Connections, PerClient and Refuse are required.
type Config struct {
	Connections int            // maximum; lowered if the process may open fewer files
	PerClient   int            // maximum for one client
	Trusted     []netip.Prefix // proxies without a limit
	Log         *slog.Logger
	Tickets     *Tickets // nil: sessions are resumed by this process only

	// Refuse answers what does not reach the handler: 400, 408, 414, 421, 431 and 505 for
	// requests, 503 for connections.
	Refuse func(rc *fasthttp.RequestCtx, status int)
}

// UnlimitedNetworks returns the networks that may open any number of connections: trusted proxies,
// which represent many clients, and this machine, for a proxy that is not configured, or
// the operator.
func UnlimitedNetworks(proxies []netip.Prefix) []netip.Prefix {
	return append([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}, proxies...)
}

// Gate is a fasthttp server behind the rules of this package. Create it with New.
type Gate struct {
	// HTTP is the server. Its handler may be wrapped before Serve.
	HTTP *fasthttp.Server

	cfg         Config
	handler     fasthttp.RequestHandler
	multiplexer *http.Server // of HTTP/2

	mu        sync.Mutex
	listeners []*listener
	conns     map[*Conn]struct{}
	clients   map[netip.Addr]load
	swept     time.Time
	down      bool
}

// New puts a server behind a gate. The server must have no timeouts.
func New(server *fasthttp.Server, cfg Config) *Gate {
	cfg.Connections = withinFileLimit(cfg.Connections)
	g := &Gate{HTTP: server, cfg: cfg, handler: server.Handler, conns: map[*Conn]struct{}{}, clients: map[netip.Addr]load{}}
	g.multiplexer = g.newMultiplexer()
	server.Handler, server.ErrorHandler = g.handle, g.refuseMalformed
	server.ConnState = func(c net.Conn, state fasthttp.ConnState) {
		if own, ok := c.(*Conn); ok && state == fasthttp.StateIdle {
			own.end()
		}
	}
	server.CloseOnShutdown, server.SecureErrorLogMessage, server.Logger = true, true, debugLogger{cfg.Log}
	return g
}

// Serve answers connections until Shutdown. After Shutdown it returns at once.
func (g *Gate) Serve(l net.Listener) error {
	own := g.listen(l)
	if own == nil {
		return l.Close()
	}
	return g.watched(func() error { return g.HTTP.Serve(own) })
}

// listen puts a listener behind the gate; it returns nil after Shutdown.
func (g *Gate) listen(l net.Listener) *listener {
	own := &listener{Listener: l, gate: g, quit: make(chan struct{})}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.down {
		return nil
	}
	g.listeners = append(g.listeners, own)
	return own
}

// watched checks all connections while a function runs.
func (g *Gate) watched(serve func() error) error {
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() { g.watch(done) })
	err := serve()
	close(done)
	watch.Wait()
	return err
}

// watch checks all connections until done is closed.
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

// StopListening closes the listeners. Connections that were accepted are served until Shutdown.
func (g *Gate) StopListening() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, l := range g.listeners {
		_ = l.Close() // a listener that fails to close accepts nothing more either
	}
}

// cutTime is the time that handlers have to return after their connections were closed.
const cutTime = time.Second

// Shutdown closes the listeners and the connections without a request, lets the requests in
// flight finish as long as they make progress, and cuts off the remaining ones when the
// context ends.
func (g *Gate) Shutdown(ctx context.Context) error {
	g.mu.Lock()
	g.down = true
	g.mu.Unlock()
	g.StopListening()
	done := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() { g.drain(ctx, done) })
	// The context of the caller ends the requests; this one ends the wait for them.
	waiting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(cutTime, cancel) })()
	var servers errgroup.Group
	servers.Go(func() error { return g.HTTP.ShutdownWithContext(waiting) })
	servers.Go(func() error { return g.multiplexer.Shutdown(waiting) })
	err := servers.Wait()
	close(done)
	watch.Wait()
	return err
}

// drain is watch for a server that is shutting down.
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

// cut closes all connections.
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

// handle passes valid requests to the handler.
func (g *Gate) handle(rc *fasthttp.RequestCtx) {
	c, ok := rc.Conn().(*Conn)
	if ok && !c.begin() {
		rc.SetConnectionClose() // closed while the request was received; a response would not be read
		return
	}
	status := fault(&rc.Request.Header)
	if status == 0 && ok {
		status = c.refuses(rc)
	}
	if status == 0 {
		g.handler(rc)
	} else {
		g.cfg.Refuse(rc, status)
		rc.SetConnectionClose()
	}
	if ok && c.secure != nil {
		rc.Response.Header.Set(fasthttp.HeaderStrictTransportSecurity, transportSecurity)
	}
}

// refuses returns the status for a request that this connection must not carry, 0 if it may.
func (c *Conn) refuses(rc *fasthttp.RequestCtx) int {
	if c.refused == 0 && c.secure != nil && c.secure.misdirected(rc) {
		return fasthttp.StatusMisdirectedRequest
	}
	return c.refused
}
