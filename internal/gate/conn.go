package gate

import (
	"bytes"
	"io"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Where a connection is in the life of a request.
const (
	fresh   uint32 = iota // nothing came yet
	idle                  // between two requests
	head                  // a request comes in
	serving               // the handler has it, or its answer is on the way
	shut                  // closed before there was a request
)

// What the server waits for.
const (
	nothing uint32 = iota
	reading
	writing
)

// Conn is a connection that is looked after. One goroutine reads and writes it,
// as fasthttp does; the gate looks at it from another.
//
// A body that does not fit into the write buffer of fasthttp leaves in two
// system calls, the full buffer and the rest. A server that knows that this is
// to come says so with Join, and both leave in one, without copying the rest. So
// the buffer of each connection can stay small.
type Conn struct {
	net.Conn
	gate   *Gate
	client netip.Addr // zero: not counted

	phase, waits atomic.Uint32
	in, out      atomic.Int64 // bytes
	line         int          // bytes since the last end of a line

	pace pace // of the sweep

	once sync.Once
	err  error

	joining bool
	held    []byte // the first write of two
	pair    [2][]byte
	vector  net.Buffers // of pair; kept here so that it is not allocated
}

func (c *Conn) Read(p []byte) (int, error) {
	c.waits.Store(reading)
	n, err := c.Conn.Read(p)
	c.waits.Store(nothing)
	if n > 0 {
		c.in.Add(int64(n))
		c.took(p[:n])
	}
	return n, err
}

// took notes what came in. How long the last line is decides between two
// refusals only, so it is not known of bodies.
func (c *Conn) took(p []byte) {
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

// begin notes that the handler has a request, unless the connection is closed.
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

// end notes that the answer is written.
func (c *Conn) end() { c.phase.CompareAndSwap(serving, idle) }

// Join announces that the next answer takes at least two writes.
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
	c.pair = [2][]byte{c.held, p}
	c.vector = c.pair[:]
	n, err := c.vector.WriteTo(c.Conn)
	c.joining, c.held, c.pair, c.vector = false, c.held[:0], [2][]byte{}, nil
	return max(0, int(n)-first), err
}

// ReadFrom keeps the way open for the kernel to send files by itself.
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

// abort closes the connection and drops what is on its way.
func (c *Conn) abort() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // else the kernel keeps it for a reader who does not read
	}
	_ = c.Close()
}

// expire ends a read that is under way: whoever reads answers that the time is
// over.
func (c *Conn) expire() { _ = c.SetReadDeadline(time.Unix(1, 0)) }

// Socket is the socket below a connection of this package, nil where there is
// none.
func Socket(c net.Conn) syscall.RawConn {
	if own, ok := c.(*Conn); ok {
		c = own.Conn
	}
	socket, ok := c.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}
