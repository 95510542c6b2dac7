package edge

import (
	"context"
	"syscall"
	"time"

	"vitrine/internal/gate"
)

// goneEvery is the interval at which the connection of a waiting visitor is checked.
const goneEvery = 200 * time.Millisecond

// untilGone is the context for work that only this visitor waits for: it ends when the
// client closes the connection, which fasthttp does not report. The caller must call stop
// to end the check.
func (v *visit) untilGone() (ctx context.Context, stop func()) {
	raw := gate.Socket(v.ctx.Conn())
	if raw == nil {
		return v.work(), func() {}
	}
	ctx, cancel := context.WithCancel(v.work())
	go func() {
		tick := time.NewTicker(goneEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if gone(raw) {
					cancel()
					return
				}
			}
		}
	}()
	return ctx, cancel
}

// gone reports whether the peer has closed a connection that has no read in progress.
func gone(raw syscall.RawConn) (closed bool) {
	err := raw.Control(func(fd uintptr) {
		var next [1]byte
		n, _, err := syscall.Recvfrom(int(fd), next[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		closed = err == nil && n == 0 || err == syscall.ECONNRESET
	})
	return closed || err != nil
}
