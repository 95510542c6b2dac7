package edge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"vitrine/compile"
	"vitrine/edge/count"
	"vitrine/internal/shop"
	"vitrine/internal/span"
)

// Changed applies a change of a shop. The store calls it after the commit and before it
// acknowledges the write: when Changed returns, the next request sees the write. It does
// nothing for a shop that is not loaded.
func (s *Server) Changed(ctx context.Context, company shop.CompanyID, version int64) error {
	s.hosts.forgetUnknown()
	return s.apply(ctx, company, version, func(held int64) bool { return held >= version })
}

// apply reads the changes of a shop unless what is held of it has them already.
func (s *Server) apply(ctx context.Context, company shop.CompanyID, version int64, has func(held int64) bool) error {
	t := s.tenants.peek(company)
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	st := t.state.Load()
	if st == nil || has(st.version) {
		return nil
	}
	if err := s.catchUp(ctx, t); err != nil {
		t.behind.Store(true)
		return fmt.Errorf("the edge could not apply version %d of shop %d: %w", version, company, err)
	}
	return nil
}

// Poll applies changes written by other processes until ctx ends. A process that owns all
// writes does not need it.
func (s *Server) Poll(ctx context.Context) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	var since Moment
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.ctx.Done():
			return
		case <-tick.C:
			now, err := s.poll(ctx, since)
			if err != nil {
				s.cfg.Log.Debug("changes could not be polled", "error", err)
			}
			since = now
		}
	}
}

// poll applies what has changed since a moment, and returns the next one. A shop whose
// changes cannot be read is behind until a visit reads them.
func (s *Server) poll(ctx context.Context, since Moment) (Moment, error) {
	ctx, cancel := context.WithTimeout(ctx, visitTimeout)
	defer cancel()
	watch := s.pulse.watch()
	f, err := s.cfg.Source.Follow(ctx, since)
	watch(err)
	if err != nil {
		return since, err
	}
	if f.Reset {
		s.resets.Add(1)
		s.hosts.forgetUnknown()
	}
	began, applied := s.cfg.Now(), false
	for company, version := range f.Versions {
		err = errors.Join(err, s.apply(ctx, company, version, func(held int64) bool {
			applied = applied || held != version
			return held == version
		}))
	}
	if applied && !f.Reset {
		s.stats.lag.Took(f.Lag + s.cfg.Now().Sub(began))
	}
	s.stats.followed.Store(s.cfg.Now().UnixMilli())
	return f.Now, err
}

// isCurrent reports whether a state of a shop may be shown without a look at the Source: no
// change is known that it lacks, and it was read or compared after the last reset.
func (s *Server) isCurrent(t *tenant, st *state) bool {
	return st != nil && !t.behind.Load() && t.resets.Load() == s.resets.Load()
}

// catchUp reads the changes of a shop, or the whole shop, and installs the next state. The
// caller holds t.mu.
func (s *Server) catchUp(ctx context.Context, t *tenant) error {
	resets := s.resets.Load() // before the first read
	within, traced := span.Begin(ctx, "load shop")
	next, keys, err := s.readNext(within, t)
	traced.EndWith(err)
	if err != nil {
		t.err, t.failed = err, s.cfg.Now()
		if errors.Is(err, shop.ErrNotFound) {
			s.forget(t)
		}
		return err
	}
	t.err = nil
	before := t.state.Load()
	t.behind.Store(false)
	if next == before {
		t.resets.Store(resets)
		return nil
	}
	// Record in the ledger first: readers of the new state must find its changes there.
	t.ledger.record(keys, next.gen)
	t.state.Store(next)
	t.resets.Store(resets)
	s.weigh(t, next)
	s.scheduleClock(t)
	if !t.retired && !t.draft && (before == nil || keys == nil || holdsKey(keys, shop.KeyShop)) {
		s.hosts.replace(t, next.site.Shop().Hosts)
	}
	return nil
}

// readNext returns the next state and the keys that changed since the current one. Nil keys
// mean that everything changed.
func (s *Server) readNext(ctx context.Context, t *tenant) (*state, []shop.Key, error) {
	before := t.state.Load()
	if before != nil {
		d, err := t.source.Delta(ctx, t.company, before.version)
		if err != nil {
			return nil, nil, err
		}
		if !d.Reload {
			if d.Version == before.version {
				return before, nil, nil
			}
			keys := append(make([]shop.Key, 0, len(d.Keys)), d.Keys...)
			return newState(before.site.With(d.Delta).AtTime(s.cfg.Now()), d.Version, before.gen+1), keys, nil
		}
	}
	in, version, err := t.source.Load(ctx, t.company)
	if err != nil {
		return nil, nil, err
	}
	gen := uint64(1)
	if before != nil {
		gen = before.gen + 1
	}
	return newState(compile.New(in).AtTime(s.cfg.Now()), version, gen), nil, nil
}

func newState(site *compile.Site, version int64, gen uint64) *state {
	st := &state{site: site, version: version, gen: gen, closed: site.Shop().Closed}
	if hosts := site.Shop().Hosts; len(hosts) > 0 {
		st.host = strings.ToLower(hosts[0])
	}
	st.place = count.Place{Host: st.host, Zone: site.Shop().Timezone}
	for _, host := range site.Shop().Hosts {
		st.place.Hosts = append(st.place.Hosts, strings.TrimPrefix(strings.ToLower(host), "www."))
	}
	return st
}

// forget drops a deleted shop. The caller holds t.mu.
func (s *Server) forget(t *tenant) {
	t.state.Store(nil)
	s.retire(t)
}

// retire takes a shop out of use. Requests in flight finish with the state they hold. The
// caller holds t.mu.
func (s *Server) retire(t *tenant) {
	t.retired = true
	s.shopBytes.Add(-t.weight)
	t.weight = 0
	s.scheduleClock(t)
	s.hosts.replace(t, nil)
	s.tenants.drop(t)
	s.drafts.drop(t)
}

func holdsKey(keys []shop.Key, kind shop.KeyKind) bool {
	for _, k := range keys {
		if k.Kind == kind {
			return true
		}
	}
	return false
}
