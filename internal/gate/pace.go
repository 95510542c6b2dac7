package gate

import (
	"time"

	"golang.org/x/sys/unix"
)

// What clients must keep.
const (
	leastRate = 500 // bytes a second

	requestTimeout = 20 * time.Second // beyond the rate, for requests and bodies
	answerTimeout  = 60 * time.Second // for answers: a train has tunnels
	idleTimeout    = 60 * time.Second // for the next request
	stopTimeout    = 2 * time.Second  // for all of them while the server stops

	sweepEvery = time.Second
	drainEvery = 100 * time.Millisecond
)

// pace is what the sweep knows of a connection.
type pace struct {
	phase, waits uint32
	in, out      int64
	debt         time.Duration // waited without getting on
}

// verdict is what becomes of a connection.
type verdict int

const (
	stays  verdict = iota
	closes         // there is nothing to answer
	slow           // its request is not coming in
	stalls         // its answer is not read
)

// sweep judges all connections.
func (g *Gate) sweep(now time.Time) {
	guilty := map[*Conn]verdict{}
	g.mu.Lock()
	var passed time.Duration
	if !g.swept.IsZero() {
		passed = now.Sub(g.swept)
	}
	g.swept = now
	for c := range g.conns {
		if v := c.judge(passed, g.down); v != stays {
			guilty[c] = v
		}
	}
	g.mu.Unlock()
	for c, v := range guilty { // Close needs the lock
		switch v {
		case closes:
			_ = c.Close() // the client may have been faster
		case slow:
			c.expire()
		case stalls:
			c.abort()
		}
	}
}

// judge adds to the debt of a connection what the server waited for it, and
// takes off what it moved.
func (c *Conn) judge(passed time.Duration, stopping bool) verdict {
	now := pace{phase: c.phase.Load(), waits: c.waits.Load(), in: c.in.Load(), out: c.pace.out}
	if stopping && now.phase != serving && c.phase.CompareAndSwap(now.phase, shut) {
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

// limit is how long the server waits for what it waits for, and what comes then.
func (p pace) limit() (time.Duration, verdict) {
	switch {
	case p.phase == idle:
		return idleTimeout, closes
	case p.phase == fresh:
		return requestTimeout, closes
	case p.waits == reading:
		return requestTimeout, slow
	case p.waits == writing:
		return answerTimeout, stalls
	}
	return answerTimeout, stays // the handler is at work
}

// arrived is how many bytes the client has: the kernel holds megabytes that were
// written to a slow one. A connection that is no socket has all that was written.
func (c *Conn) arrived() int64 {
	raw := Socket(c)
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
