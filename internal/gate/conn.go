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

// Phases of a connection.
const (
	fresh   uint32 = iota // nothing received yet
	idle                  // between two requests
	head                  // a request is being received
	serving               // the handler runs, or its response is being written
	shut                  // closed before a request was complete
)

// What the server waits for on a connection.
const (
	nothing uint32 = iota
	reading
	writing
)

// Conn is a connection that a gate watches. One goroutine reads and writes it, as fasthttp
// does; the gate inspects it from another.
//
// A body that does not fit into the write buffer of fasthttp is written in two system
// calls, the full buffer and the rest. A server that expects this calls Join, and both are
// written in one, without copying the rest. So the buffer of each connection can stay
// small.
type Conn struct {
	net.Conn
	gate   *Gate
	client netip.Addr // zero: not counted

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
	c.pair = [2][]byte{c.held, p}
	c.vector = c.pair[:]
	n, err := c.vector.WriteTo(c.Conn)
	c.joining, c.held, c.pair, c.vector = false, c.held[:0], [2][]byte{}, nil
	return max(0, int(n)-first), err
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

// abort closes the connection and discards unsent data.
func (c *Conn) abort() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // else the kernel keeps the data for a client that does not read it
	}
	_ = c.Close()
}

// expire ends a read in progress with a timeout, which the reader answers.
func (c *Conn) expire() { _ = c.SetReadDeadline(time.Unix(1, 0)) }

// Socket returns the socket of a connection of this package, nil if there is none.
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
