package gate

import (
	"time"

	"golang.org/x/sys/unix"
)

// Limits for clients.
const (
	leastRate = 500 // bytes per second

	requestTimeout = 20 * time.Second // in addition to the rate, for requests and bodies
	answerTimeout  = 60 * time.Second // for responses: trains pass through tunnels
	idleTimeout    = 60 * time.Second // for the next request
	greetTimeout   = 10 * time.Second // for a TLS handshake, at whatever rate
	stopTimeout    = 2 * time.Second  // maximum of all of them during a shutdown

	sweepEvery = time.Second
	drainEvery = 100 * time.Millisecond
)

// pace is the state of a connection at the last sweep.
type pace struct {
	phase, waits uint32
	in, out      int64
	debt         time.Duration // time waited without progress
}

// verdict is what the sweep does with a connection.
type verdict int

const (
	stays  verdict = iota
	closes         // there is nothing to answer
	slow           // its request arrives too slowly
	stalls         // its response is not read
)

// sweep checks all connections.
func (g *Gate) sweep(now time.Time) {
	verdicts := map[*Conn]verdict{}
	g.mu.Lock()
	var passed time.Duration
	if !g.swept.IsZero() {
		passed = now.Sub(g.swept)
	}
	g.swept = now
	for c := range g.conns {
		if v := c.judge(passed, g.down); v != stays {
			verdicts[c] = v
		}
	}
	g.mu.Unlock()
	for c, v := range verdicts { // outside the lock, which Close takes
		switch v {
		case closes:
			c.drop()
		case slow:
			c.expire()
		case stalls:
			c.abort()
		}
	}
}

// judge adds the time that the server waited for a connection to its debt, and subtracts
// the bytes it moved at the required rate.
func (c *Conn) judge(passed time.Duration, stopping bool) verdict {
	now := pace{phase: c.phase.Load(), waits: c.waits.Load(), in: c.in.Load(), out: c.pace.out}
	if now.phase == shared {
		return stays
	}
	if _, stream := c.Conn.(*stream); stopping && !stream && now.phase != serving && c.phase.CompareAndSwap(now.phase, shut) {
		return closes
	}
	if now.waits == writing {
		now.out = c.arrived()
	}
	if now.phase == c.pace.phase && now.waits == c.pace.waits {
		moved := now.in - c.pace.in + now.out - c.pace.out
		now.debt = max(0, c.pace.debt+passed-time.Duration(moved)*time.Second/leastRate)
	}
	c.pace = now
	timeout, v := now.limit()
	if stopping {
		timeout = min(timeout, stopTimeout)
	}
	if now.debt < timeout {
		return stays
	}
	return v
}

// limit returns how long the server waits in this state, and the verdict after that.
func (p pace) limit() (time.Duration, verdict) {
	switch {
	case p.phase == idle:
		return idleTimeout, closes
	case p.phase == fresh:
		return requestTimeout, closes
	case p.phase == greeting:
		return greetTimeout, closes
	case p.waits == reading:
		return requestTimeout, slow
	case p.waits == writing:
		return answerTimeout, stalls
	}
	return answerTimeout, stays // the handler is running
}

// arrived returns how many bytes the client has received: the kernel buffers megabytes for
// a slow one. For a connection without a socket it returns the bytes written.
func (c *Conn) arrived() int64 {
	if s, ok := c.Conn.(*stream); ok {
		return s.sent.Load()
	}
	raw := c.raw()
	if raw == nil {
		return c.out.Load()
	}
	var arrived int64
	if err := raw.Control(func(fd uintptr) {
		info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		if err == nil {
			arrived = int64(info.Bytes_acked)
		}
	}); err != nil || arrived == 0 {
		return c.out.Load()
	}
	return arrived
}
