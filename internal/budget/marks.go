package budget

import (
	"hash/maphash"
	"time"
)

// Marks remembers for a while which keys were seen, as positions in four rows
// like those of Budgets: no mark is lost to a flood of others, and a key that was
// never marked counts as marked when others fill all of its four cells. After
// 10,000 marks of others that happens to one key in 200.
type Marks[K comparable] struct {
	sketch // of the times at which marks end
	seed   maphash.Seed
	now    func() time.Time
	keep   time.Duration
}

// NewMarks makes marks that last so long.
func NewMarks[K comparable](keep time.Duration, now func() time.Time) *Marks[K] {
	return &Marks[K]{sketch: sketch{cells: width}, seed: maphash.MakeSeed(), now: now, keep: keep}
}

// Set marks a key, or prolongs its mark.
func (m *Marks[K]) Set(key K) {
	m.raise(maphash.Comparable(m.seed, key), m.now().Add(m.keep).UnixNano())
}

// Has reports whether a key bears a mark.
func (m *Marks[K]) Has(key K) bool {
	now := m.now().UnixNano()
	return m.ahead(maphash.Comparable(m.seed, key), now) > 0
}
