package budget

import (
	"hash/maphash"
	"time"
)

// Marks remembers for a while which keys were seen, in cells of four rows like those of
// Budgets: a flood of other marks removes none, and a key that was never marked counts as
// marked if others fill all of its four cells. After 10,000 other marks that happens to one
// key in 200.
type Marks[K comparable] struct {
	sketch // of the times at which marks expire
	seed   maphash.Seed
	now    func() time.Time
	keep   time.Duration
}

// NewMarks returns marks that expire after keep.
func NewMarks[K comparable](keep time.Duration, now func() time.Time) *Marks[K] {
	return &Marks[K]{sketch: sketch{cells: width}, seed: maphash.MakeSeed(), now: now, keep: keep}
}

// Set marks a key, or extends its mark.
func (m *Marks[K]) Set(key K) {
	m.raise(maphash.Comparable(m.seed, key), m.now().UnixNano(), int64(m.keep))
}

// Has reports whether a key is marked.
func (m *Marks[K]) Has(key K) bool {
	now := m.now().UnixNano()
	return m.ahead(maphash.Comparable(m.seed, key), now) > 0
}
