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
)

// Changed applies a change of a shop. The store calls it after the commit and before it
// acknowledges the write: when Changed returns, the next request sees the write. It does
// nothing for a shop that is not loaded.
func (s *Server) Changed(ctx context.Context, company shop.CompanyID, version int64) error {
	s.hosts.forgetUnknown()
	t := s.tenants.peek(company)
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	st := t.state.Load()
	if st == nil || st.version >= version {
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
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.ctx.Done():
			return
		case <-tick.C:
			if err := s.poll(ctx); err != nil {
				s.cfg.Log.Debug("changes could not be polled", "error", err)
			}
		}
	}
}

func (s *Server) poll(ctx context.Context) error {
	loaded := s.tenants.versions()
	if len(loaded) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, visitTimeout)
	defer cancel()
	newer, err := s.cfg.Source.Versions(ctx, loaded)
	if err != nil {
		return err
	}
	for company, version := range newer {
		err = errors.Join(err, s.Changed(ctx, company, version))
	}
	return err
}

// catchUp reads the changes of a shop, or the whole shop, and installs the next state. The
// caller holds t.mu.
func (s *Server) catchUp(ctx context.Context, t *tenant) error {
	next, keys, err := s.readNext(ctx, t)
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
		return nil
	}
	// Record in the ledger first: readers of the new state must find its changes there.
	t.ledger.record(keys, next.gen)
	t.state.Store(next)
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
	s.scheduleClock(t)
	s.hosts.replace(t, nil)
	s.tenants.drop(t)
	s.drafts.drop(t)
}

// retireIdle frees the shops without visits since its last run.
func (s *Server) retireIdle() {
	for _, t := range append(s.tenants.all(), s.drafts.all()...) {
		if t.used.Swap(false) {
			continue
		}
		t.mu.Lock()
		if !t.used.Load() && !t.retired {
			s.retire(t)
		}
		t.mu.Unlock()
	}
}

func holdsKey(keys []shop.Key, kind shop.KeyKind) bool {
	for _, k := range keys {
		if k.Kind == kind {
			return true
		}
	}
	return false
}
