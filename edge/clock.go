package edge

import (
	"time"

	"vitrine/internal/shop"
)

// longestWait bounds one wait for a discount, so that a clock that was set does not
// matter for longer.
const longestWait = time.Minute

// wind sets the clock of a shop to the moment when its next discount starts or
// ends, or something that is dated ahead appears. Pages are others then without a
// write. The caller holds t.mu.
func (s *Server) wind(t *tenant) {
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
		t.clock = time.AfterFunc(min(next.Sub(now), longestWait), func() { s.turn(t, next) })
	}
}

// turn makes what shows prices invalid when the moment has come, and everything when
// something appears: lists, menus and sitemaps may show it, wherever they stand.
func (s *Server) turn(t *tenant, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	st := t.state.Load()
	if st == nil || t.retired {
		return
	}
	if !s.cfg.Now().Before(at) {
		moved := []shop.Key{{Kind: shop.KeyOffers}}
		site := st.site.At(s.cfg.Now())
		if site != st.site {
			moved = nil
		}
		next := newState(site, st.version, st.gen+1)
		t.ledger.record(moved, next.gen)
		t.state.Store(next)
	}
	s.wind(t)
}
