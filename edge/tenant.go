package edge

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"vitrine/compile"
	"vitrine/edge/count"
	"vitrine/internal/limiter"
	"vitrine/internal/shop"
	"vitrine/render"
)

// state is one generation of a shop: everything that its addresses depend on. It is
// immutable except for the cached policies of html documents.
type state struct {
	site    *compile.Site
	version int64  // of the Source
	gen     uint64 // generation in this process, from 1; cached entries compare with it
	host    string // canonical host, in lower case
	closed  bool
	place   count.Place // for the statistics

	mu    sync.Mutex
	shown map[shop.DocumentID][]shop.PolicyID // policies that close the documents requested so far
}

// tenant is a shop in use.
type tenant struct {
	company      shop.CompanyID
	source       Source
	draft        bool // the shop in the state of its draft: nothing of it is cached
	state        atomic.Pointer[state]
	behind       atomic.Bool   // a change was announced but could not be read
	resets       atomic.Uint64 // Server.resets when the state was last compared with the Source
	ledger       ledger
	targets      targets
	redirectKeys []byte // surrogate keys of permanent redirects
	files        siteFiles
	draws        *limiter.PerShop // of all shops
	searches     *limiter.PerShop // among the draws, which need most CPU time

	counted count.Shop

	visited atomic.Uint64 // Server.turn at the last visit
	drawing atomic.Int64  // pages that are being drawn, or wait for it
	weight  int64         // what Server.shopBytes has of it; guarded by mu

	mu      sync.Mutex // held while loading and catching up
	failed  time.Time  // when the last attempt failed
	err     error
	retired bool        // removed from the shops in use: it gets no more changes
	clock   *time.Timer // runs until prices or scheduled content change; nil: no change is due

	hosts []string // guarded by hosts.mu
}

const (
	drawSlots    = 24 // concurrent page draws; as many as there are connections to the database
	slotsPerShop = 8
	retryAfter   = time.Second // between attempts to read a shop while the database is unavailable
)

// tenants holds the shops in use.
type tenants struct {
	source Source
	draft  bool

	draws, searches *limiter.PerShop

	turn *atomic.Uint64 // of the Server
	mu   sync.Mutex
	byID map[shop.CompanyID]*tenant
}

// get returns a shop, which may not be loaded yet. It is added before it is loaded, so that
// a change announced meanwhile finds it.
func (ts *tenants) get(company shop.CompanyID) *tenant {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.byID[company]
	if t == nil {
		t = &tenant{company: company, redirectKeys: []byte(surrogates(redirectKeys, company)), counted: count.Shop{Company: company}, source: ts.source, draft: ts.draft, draws: ts.draws, searches: ts.searches, files: newSiteFiles()}
		t.visited.Store(ts.turn.Load())
		ts.byID[company] = t
	}
	return t
}

// markUsed records a visit. It writes only once in each turn, so that concurrent visits don't
// contend for the cache line.
func (t *tenant) markUsed(turn uint64) {
	if t.visited.Load() != turn {
		t.visited.Store(turn)
	}
}

// acquireSlot waits for one of the slots for concurrent page draws, which the shops share.
func (t *tenant) acquireSlot(ctx context.Context) (release func(), err error) {
	t.drawing.Add(1) // also while it waits
	leave, err := acquire(ctx, t.draws, t.company)
	if err != nil {
		t.drawing.Add(-1)
		return nil, err
	}
	return func() { leave(); t.drawing.Add(-1) }, nil
}

// acquireSlotFor is acquireSlot for a page. A search first waits for one of the search
// slots, so that searches leave slots for other pages.
func (t *tenant) acquireSlotFor(ctx context.Context, want render.PageRequest) (release func(), err error) {
	if want.Kind != render.WantSearch && want.Kind != render.WantSuggest {
		return t.acquireSlot(ctx)
	}
	searched, err := acquire(ctx, t.searches, t.company)
	if err != nil {
		return nil, err
	}
	drawn, err := t.acquireSlot(ctx)
	if err != nil {
		searched()
		return nil, err
	}
	return func() { drawn(); searched() }, nil
}

func acquire(ctx context.Context, slots *limiter.PerShop, company shop.CompanyID) (release func(), err error) {
	if release, err = slots.Acquire(ctx, company); err != nil {
		return nil, shop.ErrUnavailable.With("too many pages of this shop are being drawn")
	}
	return release, nil
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

func (ts *tenants) all() []*tenant {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return slices.Collect(maps.Values(ts.byID))
}

// loaded returns how many shops are loaded.
func (ts *tenants) loaded() (n int) {
	for _, t := range ts.all() {
		if t.state.Load() != nil {
			n++
		}
	}
	return n
}

// current returns a shop's state, and loads it on the first visit. While the database is
// unavailable a loaded shop keeps its last state.
func (s *Server) current(ctx context.Context, t *tenant) (*state, error) {
	st := t.state.Load()
	if s.isCurrent(t, st) || st != nil && s.pulse.stopped() {
		return st, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if st = t.state.Load(); s.isCurrent(t, st) {
		return st, nil
	}
	if t.err != nil && s.cfg.Now().Sub(t.failed) < retryAfter {
		if st != nil {
			return st, nil
		}
		return nil, t.err
	}
	if st != nil {
		var stop func()
		ctx, stop = s.pulse.during(ctx)
		defer stop()
	} else {
		s.turn.Add(1)
		defer s.evict()
	}
	if err := s.catchUp(ctx, t); err != nil {
		if st != nil && !errors.Is(err, shop.ErrNotFound) {
			s.cfg.Log.Warn("changes of a shop could not be read", "company", t.company, "error", err)
			return st, nil
		}
		return nil, err
	}
	return t.state.Load(), nil
}
