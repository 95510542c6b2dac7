package facet

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// Filter narrows the products of an index. Zero values do not narrow.
type Filter struct {
	Sections           []uint32 // in any of them; empty and not nil: in none
	Among              []uint32 // only these products; empty and not nil: none
	Named              []uint32 // and only these, in the same way
	Published, Listed  bool
	MinPrice, MaxPrice *int64
	InStock            bool    // leaves out what is sold out
	Reduced            bool    // leaves what costs less than before
	Facets             []Facet // at most one an attribute
	Hidden             *Hidden
}

// Hidden is what a list leaves out: products, and those whose primary section is one
// of some, unless they are among the shown ones; those of unpublished ones always.
type Hidden struct{ Products, Sections, Shown, Unpublished []uint32 }

// Facet asks for products by one attribute: those with any of the options, or
// with a number between the bounds. Without either it asks for any value.
type Facet struct {
	Attribute uint32
	Options   []uint32 // empty and not nil: none of them exists
	Min, Max  *float64
}

// Count is how many products have a value. Option is 0 for the numbers of an
// attribute, whose least and largest Min and Max are.
type Count struct {
	Option   uint32
	Count    int
	Min, Max *float64
}

// Selection is what a filter leaves of an index.
type Selection struct {
	index   *Index
	filter  Filter
	base    *set // before what narrows
	facets  []*set
	price   *set // nil where the filter has no such bound
	stocked *set
	all     *set // after all of it
}

// What of a Selection does not narrow: a facet by its number, or one of these.
const (
	leaveNone  = -1
	leavePrice = -2 - iota
	leaveStock
	leaveReduced
)

// Select applies a filter.
func (x *Index) Select(f Filter) Selection {
	s := Selection{index: x, filter: f, base: x.base(f)}
	for _, facet := range f.Facets {
		s.facets = append(s.facets, x.facet(facet))
	}
	if f.MinPrice != nil || f.MaxPrice != nil {
		s.price = x.prices.within(number(f.MinPrice), number(f.MaxPrice))
	}
	if f.InStock {
		s.stocked = roaring.AndNot(s.base, x.sold)
	}
	s.all = s.except(leaveNone)
	return s
}

// base is never written: it may be a set of the index.
func (x *Index) base(f Filter) *set {
	sets := []*set{x.living}
	if f.Published {
		sets = append(sets, x.published)
	}
	if f.Listed {
		sets = append(sets, x.listed)
	}
	if f.Sections != nil {
		sets = append(sets, union(f.Sections, func(id uint32) *set { return x.sections[id] }))
	}
	for _, ids := range [][]uint32{f.Among, f.Named} {
		if ids != nil {
			sets = append(sets, roaring.BitmapOf(ids...))
		}
	}
	base := intersection(sets)
	if f.Hidden != nil {
		base = roaring.AndNot(base, x.hidden(f.Hidden))
	}
	return base
}

func (x *Index) hidden(h *Hidden) *set {
	out := union(h.Sections, func(id uint32) *set { return x.own[id] })
	out.AndNot(roaring.BitmapOf(h.Shown...))
	out.AddMany(h.Products)
	out.Or(union(h.Unpublished, func(id uint32) *set { return x.own[id] }))
	return out
}

func number(n *int64) *float64 {
	if n == nil {
		return nil
	}
	f := float64(*n)
	return &f
}

func (x *Index) facet(f Facet) *set {
	var found *set
	if f.Options != nil {
		found = union(f.Options, func(id uint32) *set { return x.values[value{f.Attribute, id}] })
	} else {
		found = roaring.New()
		for v, s := range x.values {
			if v.attribute == f.Attribute {
				found.Or(s)
			}
		}
	}
	if f.Min != nil || f.Max != nil {
		found.And(x.numbers[f.Attribute].within(f.Min, f.Max))
	}
	return found
}

// union is a set of its own.
func union(ids []uint32, of func(uint32) *set) *set {
	out := roaring.New()
	for _, id := range ids {
		if s := of(id); s != nil {
			out.Or(s)
		}
	}
	return out
}

// intersection of at least one set; it may be that one.
func intersection(sets []*set) *set {
	out := sets[0]
	for _, s := range sets[1:] {
		out = roaring.And(out, s)
	}
	return out
}

// except is what is left by all that narrows but one.
func (s Selection) except(skip int) *set {
	sets := []*set{s.base}
	for i, facet := range s.facets {
		if i != skip {
			sets = append(sets, facet)
		}
	}
	if s.price != nil && skip != leavePrice {
		sets = append(sets, s.price)
	}
	if s.stocked != nil && skip != leaveStock {
		sets = append(sets, s.stocked)
	}
	if s.filter.Reduced && skip != leaveReduced {
		sets = append(sets, s.index.reduced)
	}
	return intersection(sets)
}

// Prices are the least and the largest price of what the filter would leave without
// its bounds of prices; false where that is nothing.
func (s Selection) Prices() (low, high int64, found bool) {
	least, most, found := s.index.prices.extent(s.without(s.price != nil, leavePrice))
	return int64(least), int64(most), found
}

// InStock and Reduced are how many products the filter would leave if it asked for
// them.
func (s Selection) InStock() int {
	of := s.without(s.stocked != nil, leaveStock)
	return int(of.GetCardinality() - of.AndCardinality(s.index.sold))
}

// Reduced is described at InStock.
func (s Selection) Reduced() int {
	return int(s.without(s.filter.Reduced, leaveReduced).AndCardinality(s.index.reduced))
}

func (s Selection) without(asked bool, what int) *set {
	if !asked {
		return s.all
	}
	return s.except(what)
}

// Len is how many products are left.
func (s Selection) Len() int { return int(s.all.GetCardinality()) }

// IDs are the products left, in the order of their ids.
func (s Selection) IDs() []uint32 { return s.all.ToArray() }

// Page is a part of IDs, or of their reverse.
func (s Selection) Page(offset, limit int, descending bool) []uint32 {
	n := s.Len()
	if offset >= n {
		return []uint32{}
	}
	limit = min(limit, n-offset)
	first := offset
	if descending {
		first = n - offset - limit
	}
	page := make([]uint32, 0, limit)
	begin, err := s.all.Select(uint32(first))
	if err != nil {
		return page // first is below n: there is such a product
	}
	in := s.all.Iterator()
	for in.AdvanceIfNeeded(begin); len(page) < limit; {
		page = append(page, in.Next())
	}
	if descending {
		slices.Reverse(page)
	}
	return page
}

// Order is what a list is sorted by.
type Order uint8

// The orders that the index knows.
const (
	ByPrice Order = iota
	ByCreated
	ByRating
	ByName // in lower case
)

// Sorted is a page of the products left in an order; equal ones stand in the order of
// their ids, or its reverse.
func (s Selection) Sorted(by Order, offset, limit int, descending bool) []uint32 {
	if by == ByName {
		return s.index.names.first(s.all, offset, limit, descending)
	}
	return [...]column{s.index.prices, s.index.created, s.index.ratings}[by].least(s.all, offset, limit, descending)
}

// Counts tells of every value of some attributes that a product of the list has.
// Values of one attribute are alternatives, so an attribute does not narrow its
// own counts: they say what choosing another value would show.
func (s Selection) Counts(attributes []uint32, tell func(attribute uint32, c Count)) {
	of := make(map[uint32]*set, len(attributes))
	for _, id := range attributes {
		of[id] = s.all
	}
	for i, facet := range s.filter.Facets {
		if of[facet.Attribute] != nil {
			of[facet.Attribute] = s.except(i)
		}
	}
	for v, products := range s.index.values {
		among := of[v.attribute]
		if among == nil {
			continue
		}
		c := Count{Option: v.option, Count: int(among.AndCardinality(products))}
		if c.Count == 0 {
			continue
		}
		if low, high, found := s.index.extent(v, among); found {
			c.Min, c.Max = &low, &high
		}
		tell(v.attribute, c)
	}
}

func (x *Index) extent(v value, among *set) (low, high float64, found bool) {
	if v.option != 0 {
		return 0, 0, false
	}
	return x.numbers[v.attribute].extent(among)
}
