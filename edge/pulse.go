package edge

import (
	"context"
	"sync/atomic"
	"time"
)

// pulseTimeout is longer than a poll takes while the database works.
const pulseTimeout = 3 * time.Second

// pulse tells a Source that answers nothing, such as a frozen database server, from one that works on
// something large. Each poll is a beat: when one takes too long, visits for which there is an older page
// or shop wait no longer, until a poll has succeeded. The zero value beats.
type pulse struct{ beating atomic.Pointer[beat] }

type beat struct {
	ctx context.Context // ends when the pulse stops
	end context.CancelFunc
}

func (p *pulse) current() *beat {
	if b := p.beating.Load(); b != nil {
		return b
	}
	b := &beat{}
	b.ctx, b.end = context.WithCancel(context.Background())
	if !p.beating.CompareAndSwap(nil, b) {
		b.end()
	}
	return p.beating.Load()
}

// watch begins a poll; the returned function takes its result. Only one poll is watched at a time.
func (p *pulse) watch() (answered func(error)) {
	b := p.current()
	late := time.AfterFunc(pulseTimeout, b.end)
	return func(err error) {
		late.Stop()
		if err == nil && b.ctx.Err() != nil {
			p.beating.CompareAndSwap(b, nil)
		}
	}
}

// stopped reports whether the Source answers nothing.
func (p *pulse) stopped() bool { return p.current().ctx.Err() != nil }

// during returns a context that also ends when the pulse stops, and a function that frees it.
func (p *pulse) during(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	detach := context.AfterFunc(p.current().ctx, cancel)
	return ctx, func() { detach(); cancel() }
}
