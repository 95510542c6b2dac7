package edge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"vitrine/compile"
	"vitrine/internal/shop"
)

// state is one generation of a shop: everything its addresses depend on. It is
// immutable.
type state struct {
	site    *compile.Site
	version int64  // of the Source
	gen     uint64 // of this process, from 1; what cached entries compare with
	host    string // the canonical one, in lower case
	closed  bool
}

// tenant is a shop in use.
type tenant struct {
	company shop.CompanyID
	state   atomic.Pointer[state]
	behind  atomic.Bool // a change was announced and could not be read
	ledger  ledger
	targets targets
	slots   chan struct{} // pages drawn at once: one shop must not take all

	mu     sync.Mutex // held while loading and catching up
	failed time.Time  // when the last attempt failed
	err    error

	hosts []string // guarded by hosts.mu
}

const (
	slotsPerShop = 8
	retryAfter   = time.Second // between attempts to read a shop while the database is away
)

// tenants are the shops in use.
type tenants struct {
	mu   sync.Mutex
	byID map[shop.CompanyID]*tenant
}

// get returns a shop that may not be loaded yet. It is entered before it is
// loaded, so that a change which is announced meanwhile finds it.
func (ts *tenants) get(company shop.CompanyID) *tenant {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.byID[company]
	if t == nil {
		t = &tenant{company: company, slots: make(chan struct{}, slotsPerShop)}
		ts.byID[company] = t
	}
	return t
}

func (ts *tenants) peek(company shop.CompanyID) *tenant {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.byID[company]
}

func (ts *tenants) drop(t *tenant) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.byID[t.company] == t {
		delete(ts.byID, t.company)
	}
}

// held lists the loaded shops and their versions.
func (ts *tenants) held() map[shop.CompanyID]int64 {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	held := make(map[shop.CompanyID]int64, len(ts.byID))
	for id, t := range ts.byID {
		if st := t.state.Load(); st != nil {
			held[id] = st.version
		}
	}
	return held
}

// current returns a shop's state, loading it on the first visit. While the
// database is away a loaded shop keeps its last one.
func (s *Server) current(ctx context.Context, t *tenant) (*state, error) {
	st := t.state.Load()
	if st != nil && !t.behind.Load() {
		return st, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if st = t.state.Load(); st != nil && !t.behind.Load() {
		return st, nil
	}
	if t.err != nil && s.cfg.Now().Sub(t.failed) < retryAfter {
		if st != nil {
			return st, nil
		}
		return nil, t.err
	}
	if err := s.catchUp(ctx, t); err != nil {
		if st != nil && !errors.Is(err, shop.ErrNotFound) {
			s.cfg.Log.Warn("a shop could not be caught up", "company", t.company, "error", err)
			return st, nil
		}
		return nil, err
	}
	return t.state.Load(), nil
}

// Changed takes up a change of a shop. The store calls it after the commit and
// before the writer is answered: when it returns, the next request sees the
// write. A shop that nobody has visited yet has nothing to take up.
func (s *Server) Changed(ctx context.Context, company shop.CompanyID, version int64) error {
	s.hosts.welcome()
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
		return fmt.Errorf("the edge could not take up version %d of shop %d: %w", version, company, err)
	}
	return nil
}

// Poll brings in what other processes have written until ctx ends. A process
// that owns all writes does not need it.
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
	held := s.tenants.held()
	if len(held) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, visitTimeout)
	defer cancel()
	newer, err := s.cfg.Source.Versions(ctx, held)
	if err != nil {
		return err
	}
	for company, version := range newer {
		err = errors.Join(err, s.Changed(ctx, company, version))
	}
	return err
}

// catchUp reads what is new about a shop, or the whole shop. The caller holds
// t.mu.
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
	// The ledger first: whoever sees the new state must find its changes there.
	t.ledger.record(keys, next.gen)
	t.state.Store(next)
	if before == nil || keys == nil || holdsKey(keys, shop.KeyShop) {
		s.hosts.settle(t, next.site.Shop().Hosts)
	}
	return nil
}

// readNext returns the state that follows, and the keys that moved on the way;
// nil keys mean that everything did.
func (s *Server) readNext(ctx context.Context, t *tenant) (*state, []shop.Key, error) {
	before := t.state.Load()
	if before != nil {
		d, err := s.cfg.Source.Delta(ctx, t.company, before.version)
		if err != nil {
			return nil, nil, err
		}
		if !d.Whole {
			if d.Version == before.version {
				return before, nil, nil
			}
			keys := append(make([]shop.Key, 0, len(d.Keys)), d.Keys...)
			return newState(before.site.With(d.Delta), d.Version, before.gen+1), keys, nil
		}
	}
	in, version, err := s.cfg.Source.Load(ctx, t.company)
	if err != nil {
		return nil, nil, err
	}
	gen := uint64(1)
	if before != nil {
		gen = before.gen + 1
	}
	return newState(compile.New(in), version, gen), nil, nil
}

func newState(site *compile.Site, version int64, gen uint64) *state {
	st := &state{site: site, version: version, gen: gen, closed: site.Shop().Closed}
	if hosts := site.Shop().Hosts; len(hosts) > 0 {
		st.host = strings.ToLower(hosts[0])
	}
	return st
}

// forget drops a shop that is gone.
func (s *Server) forget(t *tenant) {
	t.state.Store(nil)
	s.hosts.settle(t, nil)
	s.tenants.drop(t)
}

func holdsKey(keys []shop.Key, kind shop.KeyKind) bool {
	for _, k := range keys {
		if k.Kind == kind {
			return true
		}
	}
	return false
}
