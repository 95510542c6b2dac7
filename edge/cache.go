package edge

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/dgraph-io/ristretto/v2"

	"vitrine/internal/shop"
	"vitrine/internal/weight"
	"vitrine/render"
)

// entry is a cached answer: a page, or a file of a release.
type entry struct {
	tenant *tenant // nil for the storefront's own assets
	name   string  // of the content, unique in its shop
	hash   uint64

	keys    []shop.Key    // it depends on these
	madeAt  uint64        // generation of the shop read before it was made
	validAt atomic.Uint64 // generation at which it was last found valid

	answer    *answer
	path      string        // of a page, under which its views are counted
	once      bool          // not cached, because another request for it is unlikely
	pages     int           // number of pages of the grid on the page; 0: no grid
	noResults bool          // a search that found nothing
	reads     *atomic.Int64 // read counter of an article; nil: not counted
	copy      *copyInfo     // the site file copy, of a site file
	gone      bool          // the Source reports that there is no such page; the 404 then costs no query
	getOnly   bool          // HEAD does not use this entry

	frame     render.Page // instead of an answer: what surrounds the content of one visitor (drawWithin)
	frameSize int64       // estimate, in bytes
}

// fresh reports whether an entry is valid in a state of its shop. It compares keys once per
// generation.
func (e *entry) fresh(st *state) bool {
	if e.validAt.Load() == st.gen {
		return true
	}
	if !e.tenant.ledger.valid(e.keys, e.madeAt) {
		return false
	}
	e.validAt.Store(st.gen)
	return true
}

// entryOverhead is roughly what an entry costs besides its bodies.
const entryOverhead = 4 << 10

func (e *entry) cost() int64 {
	cost := entryOverhead + e.frameSize
	if e.answer != nil {
		cost += e.answer.weight()
	}
	return cost
}

// cache keeps entries by the hash of their shop and name. Its store is a sampled LFU, which
// may delay, drop or reject entries; therefore entries of the last seconds are also kept in
// recent, so that a rejected page is not drawn again for each visitor. Correctness depends
// on neither: see fresh.
type cache struct {
	seed   maphash.Seed
	store  *ristretto.Cache[uint64, *entry]
	recent recent
}

func newCache(bytes int64) (*cache, error) {
	const averageEntry = 16 << 10
	store, err := ristretto.NewCache(&ristretto.Config[uint64, *entry]{
		NumCounters:        max(1<<12, 10*bytes/averageEntry),
		MaxCost:            bytes,
		BufferItems:        64,
		IgnoreInternalCost: true,
		KeyToHash:          func(key uint64) (uint64, uint64) { return key, 0 },
	})
	if err != nil {
		return nil, err
	}
	return &cache{seed: maphash.MakeSeed(), store: store, recent: recent{limit: bytes / 16}}, nil
}

func (c *cache) hash(t *tenant, name string) uint64 {
	return maphash.String(c.seed, name) ^ (uint64(t.company) * 0x9e3779b97f4a7c15)
}

// find returns the entry of a shop and name, valid or not, or nil.
func (c *cache) find(hash uint64, t *tenant, name string) *entry {
	e, ok := c.store.Get(hash)
	if !ok {
		if e = c.recent.find(hash); e == nil {
			return nil
		}
	}
	if e.tenant != t || e.name != name {
		return nil
	}
	return e
}

func (c *cache) put(e *entry, now time.Time) {
	c.recent.put(e, now)
	c.store.Set(e.hash, e, e.cost())
}

func (c *cache) close() { c.store.Close() }

// recent keeps the entries put in the last five to ten seconds, in two halves that rotate.
type recent struct {
	limit  int64 // bytes in one half
	mu     sync.RWMutex
	halves [2]map[uint64]*entry // the newer one first
	size   int64
	turned time.Time
}

const recentFor = 5 * time.Second

func (r *recent) find(hash uint64) *entry {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if e := r.halves[0][hash]; e != nil {
		return e
	}
	return r.halves[1][hash]
}

func (r *recent) put(e *entry, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.halves[0] == nil || r.size > r.limit || now.Sub(r.turned) > recentFor {
		r.halves = [2]map[uint64]*entry{{}, r.halves[0]}
		r.size, r.turned = 0, now
	}
	r.halves[0][e.hash] = e
	delete(r.halves[1], e.hash) // the entry it replaces may be large
	r.size += e.cost()
}

// targets maps a raw request target to its cache entry, so that the next request for it
// costs two look-ups. Only targets without a query, or with the page number alone, are
// remembered: tracking parameters would fill the map with duplicates. The size is bounded
// per shop.
type targets struct {
	mu       sync.RWMutex
	byTarget map[string]*shortcut
	weight   atomic.Int64 // bytes
}

// shortcut refers to an entry by its place in the cache, not by pointer, so that evicted
// entries can be freed.
type shortcut struct {
	name string
	hash uint64
	gen  atomic.Uint64 // generation of the shop in which the target led to the entry
	path string        // of a page, under which its views are counted; empty: not a page view
}

const maxTargets = 20_000

func (ts *targets) find(target []byte) *shortcut {
	ts.mu.RLock()
	cut := ts.byTarget[string(target)]
	ts.mu.RUnlock()
	return cut
}

func (ts *targets) put(target string, e *entry, path string, gen uint64) {
	ts.mu.RLock()
	cut := ts.byTarget[target]
	ts.mu.RUnlock()
	if cut != nil && cut.name == e.name && cut.path == path {
		cut.gen.Store(gen)
		return
	}
	cut = &shortcut{name: e.name, hash: e.hash, path: path}
	cut.gen.Store(gen)
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.byTarget == nil {
		ts.byTarget = map[string]*shortcut{}
	}
	for other := range ts.byTarget {
		if len(ts.byTarget) < maxTargets {
			break
		}
		ts.weight.Add(-shortcutWeight(other, ts.byTarget[other]))
		delete(ts.byTarget, other)
	}
	if old := ts.byTarget[target]; old != nil {
		ts.weight.Add(-shortcutWeight(target, old))
	}
	ts.byTarget[string([]byte(target))] = cut
	ts.weight.Add(shortcutWeight(target, cut))
}

// shortcutWeight is the bytes of a shortcut, of its texts and its place in the map.
func shortcutWeight(target string, cut *shortcut) int64 {
	const place = 48
	return int64(unsafe.Sizeof(*cut)) + place + weight.String(target) + weight.String(cut.name) + weight.String(cut.path)
}
