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

// listener hands on the connections that there is room for. It may be closed
// twice.
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

// Accept waits out what passes by itself: without it a process that has opened
// all the files it may would stop listening for good.
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
		case passes(err):
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

// passes reports whether a later connection may be accepted.
func passes(err error) bool {
	for _, known := range []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

// enter counts a connection in; nil when there is no room for it.
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
		g.turnAway(c)
		return nil
	}
	return own
}

// leave counts a connection out.
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

// client is whom a connection counts for: an address, of IPv6 its network, since
// everybody has a whole one. The zero address counts for nobody.
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

// turnAway answers a connection that there is no room for. The answer fits into
// the kernel's buffer, so nobody is waited for.
func (g *Gate) turnAway(c net.Conn) {
	var rc fasthttp.RequestCtx
	rc.Init(&fasthttp.Request{}, c.RemoteAddr(), nil)
	g.cfg.Refuse(&rc, fasthttp.StatusServiceUnavailable)
	rc.SetConnectionClose()
	_ = c.SetWriteDeadline(time.Now().Add(time.Second)) // fails on a closed connection, and then the write does
	w := bufio.NewWriter(c)
	if err := rc.Response.Write(w); err == nil {
		_ = w.Flush() // a client that is gone misses nothing
	}
	_ = c.Close() // nothing of it is needed any more
}

// affordable is how many of the connections wished for the process has files
// for: a quarter of them, since there are several listeners, and the rest of the
// program opens files too.
func affordable(wished int) int {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return wished
	}
	return int(min(uint64(wished), max(files.Cur/4, 16)))
}
