package edge

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"vitrine/compile"
	"vitrine/internal/shop"
	"vitrine/render"
)

// state is one generation of a shop: everything its addresses depend on. It is
// immutable, but for what it remembers of html documents.
type state struct {
	site    *compile.Site
	version int64  // of the Source
	gen     uint64 // of this process, from 1; what cached entries compare with
	host    string // the canonical one, in lower case
	closed  bool
	zone    string   // of the shop's clock
	hosts   []string // as they stand in statistics

	mu    sync.Mutex
	shown map[shop.DocumentID][]shop.PolicyID // what closes the documents that were asked for
}

// tenant is a shop in use.
type tenant struct {
	company shop.CompanyID
	source  Source
	draft   bool // this is the shop as its draft is: nothing of it is cached
	state   atomic.Pointer[state]
	behind  atomic.Bool // a change was announced and could not be read
	ledger  ledger
	targets targets
	files   siteFiles
	slots   *semaphore.Weighted // pages drawn at once: one shop must not take all
	finding *semaphore.Weighted // searches among them, which compute most

	today atomic.Pointer[shopDay] // what is counted of it; nil: nothing was yet

	used atomic.Bool // visited since the last look at who is idle

	mu      sync.Mutex // held while loading and catching up
	failed  time.Time  // when the last attempt failed
	err     error
	retired bool        // no longer among the shops in use: nobody tells it of changes
	clock   *time.Timer // until prices change by themselves; nil: they do not

	hosts []string // guarded by hosts.mu
}

const (
	slotsPerShop = 8
	retryAfter   = time.Second // between attempts to read a shop while the database is away
)

// tenants are the shops in use.
type tenants struct {
	source Source
	draft  bool
	mu     sync.Mutex
	byID   map[shop.CompanyID]*tenant
}

// get returns a shop that may not be loaded yet. It is entered before it is
// loaded, so that a change which is announced meanwhile finds it.
func (ts *tenants) get(company shop.CompanyID) *tenant {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.byID[company]
	if t == nil {
		t = &tenant{company: company, source: ts.source, draft: ts.draft, slots: semaphore.NewWeighted(slotsPerShop), finding: semaphore.NewWeighted(max(1, int64(runtime.GOMAXPROCS(0)/2))), files: newSiteFiles()}
		t.used.Store(true)
		ts.byID[company] = t
	}
	return t
}

// use notes a visit. It writes only once between two looks at who is idle, so
// that visitors on many processors do not fight for the line.
func (t *tenant) use() {
	if !t.used.Load() {
		t.used.Store(true)
	}
}

// slot waits for one of the pages that a shop may draw at once; leave gives it
// back.
func (t *tenant) slot(ctx context.Context) error { return acquire(ctx, t.slots) }

func (t *tenant) leave() { t.slots.Release(1) }

// slotFor is slot for a page that is wanted. Who searches waits for a turn among the
// searches first, so that they leave places for other pages.
func (t *tenant) slotFor(ctx context.Context, want render.Want) (leave func(), err error) {
	searches := want.Kind == render.WantSearch || want.Kind == render.WantSuggest
	if searches {
		if err := acquire(ctx, t.finding); err != nil {
			return nil, err
		}
	}
	leave = func() {
		t.leave()
		if searches {
			t.finding.Release(1)
		}
	}
	if err = t.slot(ctx); err != nil && searches {
		t.finding.Release(1)
	}
	return leave, err
}

func acquire(ctx context.Context, slots *semaphore.Weighted) error {
	if slots.Acquire(ctx, 1) != nil {
		return shop.ErrUnavailable.With("too many pages of this shop are being drawn")
	}
	return nil
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
