package facet

import (
	"cmp"
	"slices"
	"strings"
)

// names are the names of products in lower case, in the order of their ids. Copies share
// the cells; appending never overwrites those of another copy.
type names struct{ cells []named }

type named struct {
	product uint32
	name    string
}

// without returns the names without some products; it has no capacity for appending in
// place.
func (n names) without(removed *set) names {
	if removed.IsEmpty() {
		return names{slices.Clip(n.cells)}
	}
	kept := make([]named, 0, len(n.cells)+8)
	for _, cell := range n.cells {
		if !removed.Contains(cell.product) {
			kept = append(kept, cell)
		}
	}
	return names{kept}
}

func (n names) sorted() names {
	byProduct := func(a, b named) int { return cmp.Compare(a.product, b.product) }
	if !slices.IsSortedFunc(n.cells, byProduct) {
		n.cells = slices.Clone(n.cells)
		slices.SortFunc(n.cells, byProduct)
	}
	return n
}

func (n named) id() uint32 { return n.product }

// first returns products of a set in the order of their names.
func (n names) first(of *set, offset, limit int, descending bool) []uint32 {
	return smallest(n.cells, of, offset, limit, descending, func(a, b named) int { return strings.Compare(a.name, b.name) })
}

func (n names) size() int {
	size := cap(n.cells) * 24
	for _, cell := range n.cells {
		size += len(cell.name)
	}
	return size
}

// Named returns the products whose names contain all of some words, in any case. It scans
// all names, which takes some milliseconds for a shop of 50,000 products and any words; the
// database has an index only for long ones.
func (x *Index) Named(words []string) []uint32 {
	lower := make([]string, len(words))
	for i, w := range words {
		lower[i] = strings.ToLower(w)
	}
	ids := []uint32{}
next:
	for _, cell := range x.names.cells {
		for _, w := range lower {
			if !strings.Contains(cell.name, w) {
				continue next
			}
		}
		ids = append(ids, cell.product)
	}
	return ids
}
