package facet

import (
	"cmp"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// column is one number of each of many products, in the order of their ids.
// Copies share the cells; appending never writes over those of another copy.
type column struct{ cells []cell }

type cell struct {
	product uint32
	number  float64
}

func (c *column) add(product uint32, n float64) {
	c.cells = append(c.cells, cell{product, n})
}

// without is the column without some products. It owns its cells when there is
// anything to be left out, and otherwise has no room to append in place.
func (c column) without(gone *set) column {
	if gone.IsEmpty() {
		return column{slices.Clip(c.cells)}
	}
	kept := make([]cell, 0, len(c.cells)+8)
	for _, cell := range c.cells {
		if !gone.Contains(cell.product) {
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

// within are the products whose number lies between the bounds; nil does not
// bound.
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

// extent is the least and the largest number among some products, which must
// have at least one.
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

// least are the products of a set with the least numbers, or the largest: a part of
// them in order, of equal ones the lowest id first, or the highest.
func (c column) least(of *set, offset, limit int, descending bool) []uint32 {
	return least(c.cells, of, offset, limit, descending, func(a, b cell) int { return cmp.Compare(a.number, b.number) })
}

func (c cell) id() uint32 { return c.product }

// least is described at column.least, of cells in the order of their ids.
func least[C interface{ id() uint32 }](cells []C, of *set, offset, limit int, descending bool, compare func(a, b C) int) []uint32 {
	most := offset + limit
	before := func(a, b C) int {
		if descending {
			a, b = b, a
		}
		return cmp.Or(compare(a, b), cmp.Compare(a.id(), b.id()))
	}
	// The best so far stand at the front of twice the room; the rest of it is tidied up
	// when it is full, so that a page of many products costs little more than a look at
	// each.
	room := make([]C, 0, 2*most)
	tidy := func() {
		slices.SortFunc(room, before)
		room = room[:min(len(room), most)]
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
		if len(room) == cap(room) {
			tidy()
		}
		room = append(room, cell)
	}
	tidy()
	var page []uint32
	for _, cell := range room[min(offset, len(room)):] {
		page = append(page, cell.id())
	}
	return page
}

func (c column) size() int { return cap(c.cells) * 16 }
