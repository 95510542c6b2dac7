package edge

import (
	"time"

	"vitrine/internal/shop"
)

// maxClockWait bounds one wait for a discount, which also bounds the effect of a system
// clock that was set.
const maxClockWait = time.Minute

// scheduleClock sets the timer of a shop to the moment at which its next discount starts or
// ends, or scheduled content appears. Pages change then without a write. The caller holds
// t.mu.
func (s *Server) scheduleClock(t *tenant) {
	if t.clock != nil {
		t.clock.Stop()
		t.clock = nil
	}
	st := t.state.Load()
	if st == nil || t.retired || t.draft || s.ctx.Err() != nil {
		return
	}
	now := s.cfg.Now()
	if next := st.site.Next(now); !next.IsZero() {
		t.clock = time.AfterFunc(min(next.Sub(now), maxClockWait), func() { s.advanceClock(t, next) })
	}
}

// advanceClock invalidates pages that show prices once the moment has come, and all pages
// if scheduled content appears: lists, menus and sitemaps anywhere may show it.
func (s *Server) advanceClock(t *tenant, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	st := t.state.Load()
	if st == nil || t.retired {
		return
	}
	if !s.cfg.Now().Before(at) {
		moved := []shop.Key{{Kind: shop.KeyOffers}}
		site := st.site.AtTime(s.cfg.Now())
		if site != st.site {
			moved = nil
		}
		next := newState(site, st.version, st.gen+1)
		t.ledger.record(moved, next.gen)
		t.state.Store(next)
	}
	s.scheduleClock(t)
}
