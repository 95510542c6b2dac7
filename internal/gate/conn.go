package gate

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Phases of a connection.
const (
	fresh    uint32 = iota // nothing received yet
	idle                   // between two requests
	head                   // a request is being received
	serving                // the handler runs, or its response is being written
	shut                   // closed before a request was complete
	greeting               // the TLS handshake
	shared                 // HTTP/2: each of its requests is a Conn of its own, and the server of HTTP/2 ends the connection
)

// What the server waits for on a connection.
const (
	nothing uint32 = iota
	reading
	writing
)

// Conn is a connection that a gate watches: a socket, TLS over one, or one request of an HTTP/2
// connection. One goroutine reads and writes it, as fasthttp does; the gate inspects it from
// another.
//
// A body that does not fit into the write buffer of fasthttp is written in two system
// calls, the full buffer and the rest. A server that expects this calls Join, and both are
// written in one, without copying the rest. So the buffer of each connection can stay
// small.
type Conn struct {
	net.Conn
	gate    *Gate
	client  netip.Addr // zero: not counted
	secure  *session   // nil: without TLS
	refused int        // status with which all requests are refused; 0: none

	phase, waits atomic.Uint32
	in, out      atomic.Int64 // bytes
	line         int          // bytes since the last line end

	pace pace // last state seen by the sweep

	once sync.Once
	err  error

	joining bool
	held    []byte // the first of two writes
	pair    [2][]byte
	vector  net.Buffers // slice of pair; kept here to avoid an allocation
}

func (c *Conn) Read(p []byte) (int, error) {
	c.waits.Store(reading)
	n, err := c.Conn.Read(p)
	c.waits.Store(nothing)
	if n > 0 {
		c.in.Add(int64(n))
		c.received(p[:n])
	}
	return n, err
}

// received records incoming bytes. The length of the last line only selects between two
// refusals, so it is not tracked within bodies.
func (c *Conn) received(p []byte) {
	switch c.phase.Load() {
	case fresh:
		c.phase.CompareAndSwap(fresh, head)
	case idle:
		c.phase.CompareAndSwap(idle, head)
	case serving:
		c.line = 0
		return
	}
	if end := bytes.LastIndexByte(p, '\n'); end >= 0 {
		c.line = len(p) - end - 1
	} else {
		c.line += len(p)
	}
}

// begin records that the handler starts, unless the connection is closed.
func (c *Conn) begin() bool {
	for {
		switch now := c.phase.Load(); {
		case now == shut:
			return false
		case c.phase.CompareAndSwap(now, serving):
			return true
		}
	}
}

// end records that the response is written.
func (c *Conn) end() { c.phase.CompareAndSwap(serving, idle) }

// Join announces that the next response takes at least two writes.
func (c *Conn) Join() { c.joining = true }

func (c *Conn) Write(p []byte) (int, error) {
	if c.joining && len(c.held) == 0 {
		c.held = append(c.held, p...)
		return len(p), nil
	}
	c.waits.Store(writing)
	n, err := c.send(p)
	c.waits.Store(nothing)
	c.out.Add(int64(n))
	return n, err
}

func (c *Conn) send(p []byte) (int, error) {
	first := len(c.held)
	if first == 0 {
		return c.Conn.Write(p)
	}
	if c.secure != nil {
		return c.sendSecurely(p)
	}
	c.pair = [2][]byte{c.held, p}
	c.vector = c.pair[:]
	n, err := c.vector.WriteTo(c.Conn)
	c.joining, c.held, c.pair, c.vector = false, c.held[:0], [2][]byte{}, nil
	return max(0, int(n)-first), err
}

// sendSecurely is send over TLS or HTTP/2. The records of TLS are sent in one system call.
func (c *Conn) sendSecurely(p []byte) (n int, err error) {
	if secured, ok := c.Conn.(*tls.Conn); ok {
		below := secured.NetConn().(*socket)
		below.cork()
		defer func() {
			if failed := below.uncork(); err == nil {
				err = failed
			}
		}()
	}
	_, err = c.Conn.Write(c.held)
	c.joining, c.held = false, c.held[:0]
	if err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// ReadFrom keeps sendfile available to the kernel.
func (c *Conn) ReadFrom(r io.Reader) (n int64, err error) {
	c.waits.Store(writing)
	if to, ok := c.Conn.(io.ReaderFrom); ok {
		n, err = to.ReadFrom(r)
	} else {
		n, err = io.Copy(struct{ io.Writer }{c.Conn}, r)
	}
	c.waits.Store(nothing)
	c.out.Add(n)
	return n, err
}

// Close may be called twice.
func (c *Conn) Close() error {
	c.once.Do(func() {
		c.gate.leave(c)
		c.err = c.Conn.Close()
	})
	return c.err
}

// drop closes a connection on which nothing is to be said.
func (c *Conn) drop() {
	switch conn := c.Conn.(type) {
	case *tls.Conn:
		_ = conn.NetConn().Close() // first: TLS would wait for its handshake or its farewell
	case *stream:
		conn.cut.Store(true)
	}
	_ = c.Close() // the client may have closed it already
}

// abort closes the connection and discards unsent data.
func (c *Conn) abort() {
	switch below := c.below().(type) {
	case *net.TCPConn:
		_ = below.SetLinger(0) // else the kernel keeps the data for a client that does not read it
		_ = below.Close()      // first: TLS would wait for its farewell
	case *stream:
		_ = below.SetWriteDeadline(time.Unix(1, 0)) // fails after its end
	}
	_ = c.Close()
}

// below returns the socket, or the stream of HTTP/2.
func (c *Conn) below() net.Conn {
	if secured, ok := c.Conn.(*tls.Conn); ok {
		return secured.NetConn().(*socket).Conn
	}
	return c.Conn
}

// expire ends a read in progress with a timeout, which the reader answers.
func (c *Conn) expire() { _ = c.SetReadDeadline(time.Unix(1, 0)) }

// Departed returns a function that reports whether the client of a connection of this package has
// given up. It may be called while the handler runs. Nil: this cannot be known.
func Departed(c net.Conn) func() bool {
	own, ok := c.(*Conn)
	if !ok {
		return nil
	}
	if s, ok := own.Conn.(*stream); ok {
		return func() bool { return s.gone.Err() != nil }
	}
	raw := own.raw()
	if raw == nil {
		return nil
	}
	return func() bool { return closedByPeer(raw) }
}

// closedByPeer reports whether the peer has closed a TCP connection. Data that it sent before,
// such as a pipelined request or the farewell of TLS, may still be unread.
func closedByPeer(raw syscall.RawConn) (closed bool) {
	err := raw.Control(func(fd uintptr) {
		info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		closed = err == nil && (info.State == tcpCloseWait || info.State == tcpClose)
	})
	return closed || err != nil
}

// States of a TCP connection whose peer has closed it (tcp_states.h).
const (
	tcpClose     = 7
	tcpCloseWait = 8
)

// raw returns the socket, nil if there is none.
func (c *Conn) raw() syscall.RawConn {
	socket, ok := c.below().(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}
