package gate

import (
	"bufio"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"
)

// listener returns the connections within the limits. It may be closed twice.
type listener struct {
	net.Listener
	gate   *Gate
	secure *tls.Config // nil: without TLS
	quit   chan struct{}
	once   sync.Once
	err    error
}

func (l *listener) Close() error {
	l.once.Do(func() {
		close(l.quit)
		l.err = l.Listener.Close()
	})
	return l.err
}

// Accept retries after temporary errors: otherwise a process that has reached its file
// limit would stop listening for good.
func (l *listener) Accept() (net.Conn, error) {
	const shortest, longest = 5 * time.Millisecond, time.Second
	for wait := shortest; ; {
		c, err := l.Listener.Accept()
		switch {
		case err == nil:
			wait = shortest
			if own := l.enter(c); own != nil {
				return own, nil
			}
		case temporary(err):
			l.gate.cfg.Log.Warn("a connection was not accepted", "error", err)
			select {
			case <-l.quit:
				return nil, net.ErrClosed
			case <-time.After(wait):
				wait = min(2*wait, longest)
			}
		default:
			return nil, err
		}
	}
}

// temporary reports whether a later Accept may succeed.
func temporary(err error) bool {
	for _, known := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

// enter registers a connection; it returns nil if a limit is reached.
func (l *listener) enter(c net.Conn) *Conn {
	own := &Conn{Conn: c, gate: l.gate, client: l.gate.client(c.RemoteAddr())}
	if l.secure != nil {
		own.Conn = tls.Server(&socket{Conn: c, own: own}, l.secure)
		own.phase.Store(greeting)
	}
	switch {
	case l.gate.register(own):
		return own
	case l.secure == nil:
		l.gate.reject(c)
	default:
		_ = c.Close() // a response would take a handshake
	}
	return nil
}

// register counts a connection and has the sweep watch it. It returns false if a limit is reached.
func (g *Gate) register(own *Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	load := g.clients[own.client]
	handshake := own.phase.Load() == greeting
	_, stream := own.Conn.(*stream) // of a connection that is being ended, which finishes its requests
	if g.down && !stream || len(g.conns) >= g.cfg.Connections ||
		own.client.IsValid() && (load.conns >= g.cfg.PerClient || handshake && load.greetings >= maxGreetings) {
		return false
	}
	g.conns[own] = struct{}{}
	if load.conns++; handshake {
		load.greetings++
	}
	g.count(own, load)
	return true
}

// load is what a client has open.
type load struct{ conns, greetings int }

// maxGreetings is how many TLS handshakes one client may have in progress: each costs as much as
// hundreds of requests.
const maxGreetings = 128

// count stores the load of a connection's client.
func (g *Gate) count(c *Conn, now load) {
	switch {
	case !c.client.IsValid():
	case now == (load{}):
		delete(g.clients, c.client)
	default:
		g.clients[c.client] = now
	}
}

// greeted records the end of a handshake.
func (g *Gate) greeted(c *Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now := g.clients[c.client]; now.greetings > 0 {
		now.greetings--
		g.count(c, now)
	}
}

// leave unregisters a connection. It may be called again.
func (g *Gate) leave(c *Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, here := g.conns[c]; !here {
		return
	}
	delete(g.conns, c)
	now := g.clients[c.client]
	now.conns--
	g.count(c, now)
}

// client is the address that a connection counts for: an IPv4 address, or the network of an
// IPv6 address, since each client has a whole one. The zero address is not counted.
func (g *Gate) client(from net.Addr) netip.Addr {
	tcp, ok := from.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	addr := tcp.AddrPort().Addr().Unmap().WithZone("")
	for _, trusted := range g.cfg.Trusted {
		if trusted.Contains(addr) {
			return netip.Addr{}
		}
	}
	if addr.Is6() {
		return netip.PrefixFrom(addr, 64).Masked().Addr()
	}
	return addr
}

// reject answers a connection beyond the limits. The response fits into the kernel's
// buffer, so the write does not block.
func (g *Gate) reject(c net.Conn) {
	var rc fasthttp.RequestCtx
	rc.Init(&fasthttp.Request{}, c.RemoteAddr(), nil)
	g.cfg.Refuse(&rc, fasthttp.StatusServiceUnavailable)
	rc.SetConnectionClose()
	_ = c.SetWriteDeadline(time.Now().Add(time.Second)) // fails on a closed connection; then the write fails too
	w := bufio.NewWriter(c)
	if err := rc.Response.Write(w); err == nil {
		_ = w.Flush() // a failure means that the client is gone
	}
	_ = c.Close() // the connection is discarded in any case
}

// withinFileLimit lowers a number of connections to a quarter of the file limit of the
// process, since there are several listeners, and the rest of the program opens files too.
func withinFileLimit(connections int) int {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return connections
	}
	return int(min(uint64(connections), max(files.Cur/4, 16)))
}
