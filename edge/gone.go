package edge

import (
	"context"
	"time"

	"vitrine/internal/gate"
)

// goneEvery is the interval at which the connection of a waiting visitor is checked.
const goneEvery = 200 * time.Millisecond

// untilGone is the context for work that only this visitor waits for: it ends when the
// client closes the connection, which fasthttp does not report. The caller must call stop
// to end the check.
func (v *visit) untilGone() (ctx context.Context, stop func()) {
	departed := gate.Departed(v.ctx.Conn())
	if departed == nil {
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
				if departed() {
					cancel()
					return
				}
			}
		}
	}()
	return ctx, cancel
}
