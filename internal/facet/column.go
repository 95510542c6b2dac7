package facet

import (
	"cmp"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// column holds one number for each of many products, in the order of their ids. Copies
// share the cells; appending never overwrites those of another copy.
type column struct{ cells []cell }

type cell struct {
	product uint32
	number  float64
}

func (c *column) add(product uint32, n float64) {
	c.cells = append(c.cells, cell{product, n})
}

// without returns the column without some products. If it removes any it owns its cells,
// and otherwise it has no capacity for appending in place.
func (c column) without(removed *set) column {
	if removed.IsEmpty() {
		return column{slices.Clip(c.cells)}
	}
	kept := make([]cell, 0, len(c.cells)+8)
	for _, cell := range c.cells {
		if !removed.Contains(cell.product) {
			kept = append(kept, cell)
		}
	}
	return column{kept}
}

func (c column) sorted() column {
	byProduct := func(a, b cell) int { return cmp.Compare(a.product, b.product) }
	if !slices.IsSortedFunc(c.cells, byProduct) {
		c.cells = slices.Clone(c.cells)
		slices.SortFunc(c.cells, byProduct)
	}
	return c
}

// within returns the products whose number is between the bounds; a nil bound is open.
func (c column) within(low, high *float64) *set {
	var ids []uint32
	for _, cell := range c.cells {
		if (low == nil || cell.number >= *low) && (high == nil || cell.number <= *high) {
			ids = append(ids, cell.product)
		}
	}
	s := roaring.New()
	s.AddMany(ids)
	return s
}

// extent returns the smallest and the largest number among some products; found is false if
// none of them has one.
func (c column) extent(of *set) (low, high float64, found bool) {
	in := of.Iterator()
	for _, cell := range c.cells {
		in.AdvanceIfNeeded(cell.product)
		if !in.HasNext() {
			break
		}
		if in.PeekNext() != cell.product {
			continue
		}
		if !found {
			low, high, found = cell.number, cell.number, true
		}
		low, high = min(low, cell.number), max(high, cell.number)
	}
	return low, high, found
}

// smallest returns the products of a set with the smallest numbers, or the largest: a part of
// them in order, for equal ones the lowest id first, or the highest.
func (c column) smallest(of *set, offset, limit int, descending bool) []uint32 {
	return smallest(c.cells, of, offset, limit, descending, func(a, b cell) int { return cmp.Compare(a.number, b.number) })
}

func (c cell) id() uint32 { return c.product }

// smallest is described at column.least; cells are in the order of their ids.
func smallest[C interface{ id() uint32 }](cells []C, of *set, offset, limit int, descending bool, compare func(a, b C) int) []uint32 {
	keep := offset + limit
	before := func(a, b C) int {
		if descending {
			a, b = b, a
		}
		return cmp.Or(compare(a, b), cmp.Compare(a.id(), b.id()))
	}
	// The best so far are at the front of a buffer of twice their number; it is sorted and
	// truncated when it is full, so that a page of many products costs little more than one
	// pass over them.
	best := make([]C, 0, 2*keep)
	truncate := func() {
		slices.SortFunc(best, before)
		best = best[:min(len(best), keep)]
	}
	in := of.Iterator()
	for _, cell := range cells {
		in.AdvanceIfNeeded(cell.id())
		if !in.HasNext() {
			break
		}
		if in.PeekNext() != cell.id() {
			continue
		}
		if len(best) == cap(best) {
			truncate()
		}
		best = append(best, cell)
	}
	truncate()
	var page []uint32
	for _, cell := range best[min(offset, len(best)):] {
		page = append(page, cell.id())
	}
	return page
}

func (c column) size() int { return cap(c.cells) * 16 }
