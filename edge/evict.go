package edge

import (
	"cmp"
	"slices"
	"unsafe"

	"vitrine/internal/shop"
	"vitrine/internal/weight"
)

// Loaded shops are limited by their bytes. Turns tell how long ago a shop was visited: the turn
// changes when a shop is loaded, so a visit costs one comparison.

// tenantOverhead is what a shop takes besides its site: its bookkeeping here, its entries in the
// tables of hosts and shops, and the statistics of its day.
const tenantOverhead = int64(unsafe.Sizeof(tenant{})+unsafe.Sizeof(state{})) + 3<<9

// weigh accounts for a new state of a shop. The caller holds t.mu.
func (s *Server) weigh(t *tenant, st *state) {
	now := tenantOverhead + st.site.Weight() + t.ledger.weight() + t.targets.weight.Load()
	if t.retired {
		now = 0
	}
	s.shopBytes.Add(now - t.weight)
	t.weight = now
}

// evict frees the shops that were not visited for the longest time until all others are within the
// limit. Those that are in use stay: the ones visited in this turn, being loaded or drawing a page.
func (s *Server) evict() {
	limit := s.cfg.ShopBytes
	if s.shopBytes.Load() <= limit || !s.evicting.TryLock() {
		return
	}
	defer s.evicting.Unlock()
	type candidate struct {
		t       *tenant
		visited uint64
	}
	var list []candidate
	turn := s.turn.Load()
	for _, t := range append(s.tenants.all(), s.drafts.all()...) {
		if visited := t.visited.Load(); visited < turn {
			list = append(list, candidate{t, visited})
		}
	}
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Compare(a.visited, b.visited) })
	for _, c := range list {
		if s.shopBytes.Load() <= limit-limit/evictedShare {
			return
		}
		if c.t.visited.Load() == c.visited && s.retireUnused(c.t) {
			s.evicted.Add(1)
		}
	}
}

// evictedShare is the part of the limit that is freed at once, so that looking for the shops costs
// little.
const evictedShare = 32

// retireUnused takes a shop out of use unless it is in use.
func (s *Server) retireUnused(t *tenant) bool {
	if !t.mu.TryLock() {
		return false // it is being loaded
	}
	defer t.mu.Unlock()
	if t.retired || t.drawing.Load() > 0 {
		return false
	}
	s.retire(t)
	return true
}

// retireIdle frees the shops without visits since its last run.
func (s *Server) retireIdle() {
	since := s.idleTurn
	s.idleTurn = s.turn.Add(1)
	for _, t := range append(s.tenants.all(), s.drafts.all()...) {
		if t.visited.Load() < since {
			s.retireUnused(t)
		}
	}
}

// keepWithin weighs all shops again, which have grown since they were loaded, and evicts those that
// are too many.
func (s *Server) keepWithin() {
	for _, t := range append(s.tenants.all(), s.drafts.all()...) {
		if t.mu.TryLock() {
			if st := t.state.Load(); st != nil {
				s.weigh(t, st)
			}
			t.mu.Unlock()
		}
	}
	s.evict()
	s.turn.Add(1)
}

// ledgerEntry is the size of a key and its generation.
const ledgerEntry = unsafe.Sizeof(shop.Key{}) + unsafe.Sizeof(uint64(0))

// weight returns the bytes of the keys that the ledger remembers.
func (l *ledger) weight() int64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return weight.Map(len(l.moved), ledgerEntry)
}
