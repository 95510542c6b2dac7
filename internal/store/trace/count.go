package trace

import (
	"cmp"
	"slices"
)

// series is what the statements counted together have in common.
type series struct {
	Statement string // see Name
	Caller    string // the function that issued them
	Outcome   string // slow, or why they failed: constraint, timeout, unavailable, error
}

// Count is how many statements of one name and one caller had one outcome.
type Count struct {
	Statement, Caller, Outcome string
	Total                      int64
}

// Slow reports whether the statements were slow; otherwise they failed.
func (c Count) Slow() bool { return c.Outcome == outcomeSlow }

// maxSeries is the maximum number of series. All their parts come from the program's code,
// so that requests cannot add any; the limit is for code that composes the names of tables.
const maxSeries = 1000

// others counts the statements above the limit.
const others = "others"

func (t *Tracer) count(s series) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.totals[s]; !known && len(t.totals) >= maxSeries {
		s.Statement, s.Caller = others, others
	}
	t.totals[s]++
}

// Counts returns the numbers of failing and slow statements since the start, in a stable
// order.
func (t *Tracer) Counts() []Count {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := make([]Count, 0, len(t.totals))
	for s, total := range t.totals {
		list = append(list, Count{s.Statement, s.Caller, s.Outcome, total})
	}
	slices.SortFunc(list, func(a, b Count) int {
		return cmp.Or(cmp.Compare(a.Caller, b.Caller), cmp.Compare(a.Statement, b.Statement), cmp.Compare(a.Outcome, b.Outcome))
	})
	return list
}
