package edge

import (
	"io"
	"net"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// listener wraps its connections in conn, and may be closed twice.
type listener struct {
	net.Listener
	once sync.Once
	err  error
}

func (l *listener) Close() error {
	l.once.Do(func() { l.err = l.Listener.Close() })
	return l.err
}

func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c}, nil
}

// conn saves two costs that fasthttp has with each request.
//
// Deadlines move by whole seconds: fasthttp sets three for each request, each a
// trip into the runtime's timers, and one that comes a second early harms
// nobody.
//
// A body that does not fit into the write buffer leaves in two system calls,
// the full buffer and the rest. When the edge knows that this is to come it
// says so with join, and both leave in one, without copying the rest. So the
// buffer of each connection can stay small.
//
// A conn is used by one goroutine at a time, as fasthttp does.
type conn struct {
	net.Conn
	reading, writing time.Time // the deadlines in force

	joining bool
	held    []byte // the first write of two
	pair    [2][]byte
	vector  net.Buffers // of pair; kept here so that it is not allocated
}

// join announces that the next answer takes at least two writes.
func (c *conn) join() { c.joining = true }

func (c *conn) Write(p []byte) (int, error) {
	switch {
	case !c.joining && len(c.held) == 0:
		return c.Conn.Write(p)
	case len(c.held) == 0:
		c.held = append(c.held, p...)
		return len(p), nil
	}
	first := len(c.held)
	c.pair = [2][]byte{c.held, p}
	c.vector = c.pair[:]
	n, err := c.vector.WriteTo(c.Conn)
	c.joining, c.held, c.pair, c.vector = false, c.held[:0], [2][]byte{}, nil
	return max(0, int(n)-first), err
}

// joinWrites announces an answer that fills the write buffer. The rest of it is
// sure to follow, unless the answer turns out to have no body.
func joinWrites(ctx *fasthttp.RequestCtx) {
	resp := &ctx.Response
	if resp.IsBodyStream() || len(resp.Body()) < writeBuffer || resp.SkipBody || ctx.IsHead() || ctx.Hijacked() {
		return
	}
	switch status := resp.StatusCode(); {
	case status < fasthttp.StatusOK, status == fasthttp.StatusNoContent, status == fasthttp.StatusNotModified:
		return
	}
	if c, ok := ctx.Conn().(*conn); ok {
		c.join()
	}
}

const coarseness = time.Second

// stands reports whether a deadline in force will do for a wanted one.
func stands(force, want time.Time) bool {
	ahead := want.Sub(force)
	return !force.IsZero() && !want.IsZero() && ahead >= 0 && ahead < coarseness
}

func (c *conn) SetReadDeadline(t time.Time) error {
	if stands(c.reading, t) {
		return nil
	}
	c.reading = t
	return c.Conn.SetReadDeadline(t)
}

func (c *conn) SetWriteDeadline(t time.Time) error {
	if stands(c.writing, t) {
		return nil
	}
	c.writing = t
	return c.Conn.SetWriteDeadline(t)
}

func (c *conn) SetDeadline(t time.Time) error {
	c.reading, c.writing = t, t
	return c.Conn.SetDeadline(t)
}

// ReadFrom keeps the way open for the kernel to send files by itself.
func (c *conn) ReadFrom(r io.Reader) (int64, error) {
	if to, ok := c.Conn.(io.ReaderFrom); ok {
		return to.ReadFrom(r)
	}
	return io.Copy(struct{ io.Writer }{c.Conn}, r)
}
