package gate

import (
	"bufio"
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
	gate *Gate
	quit chan struct{}
	once sync.Once
	err  error
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
			if own := l.gate.enter(c); own != nil {
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
func (g *Gate) enter(c net.Conn) *Conn {
	own := &Conn{Conn: c, gate: g, client: g.client(c.RemoteAddr())}
	g.mu.Lock()
	full := g.down || len(g.conns) >= g.cfg.Connections || own.client.IsValid() && g.clients[own.client] >= g.cfg.PerClient
	if !full {
		g.conns[own] = struct{}{}
		if own.client.IsValid() {
			g.clients[own.client]++
		}
	}
	g.mu.Unlock()
	if full {
		g.reject(c)
		return nil
	}
	return own
}

// leave unregisters a connection.
func (g *Gate) leave(c *Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.conns, c)
	if !c.client.IsValid() {
		return
	}
	if g.clients[c.client]--; g.clients[c.client] == 0 {
		delete(g.clients, c.client)
	}
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
