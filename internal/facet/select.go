package facet

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// Filter restricts the products of an index. Zero fields don't restrict.
type Filter struct {
	Sections           []uint32 // in any of them; empty and not nil: in none
	Among              []uint32 // only these products; empty and not nil: none
	Named              []uint32 // and only these, likewise
	Published, Listed  bool
	MinPrice, MaxPrice *int64
	InStock            bool    // without sold-out products
	SoldOut, Low       bool    // only sold-out products; only those of which few are left
	Labels             []Label // all of them
	Tag                string
	Reduced            bool    // only products cheaper than before
	Facets             []Facet // at most one per attribute
	Hidden             *Hidden
}

// Hidden lists what to leave out: products, and products whose primary section is hidden,
// unless they are among the shown ones; products of unpublished sections always.
type Hidden struct{ Products, Sections, Shown, Unpublished []uint32 }

// Facet filters products by one attribute: those with any of the options, or with a number
// between the bounds. Without either it accepts any value.
type Facet struct {
	Attribute uint32
	Options   []uint32 // empty and not nil: none of them exists
	Min, Max  *float64
}

// Count is how many products have a value. Option is 0 for the numbers of an attribute; Min
// and Max are the smallest and largest of these.
type Count struct {
	Option   uint32
	Count    int
	Min, Max *float64
}

// Selection is the result of a filter on an index.
type Selection struct {
	index   *Index
	filter  Filter
	base    *set // before the filters below
	facets  []*set
	price   *set // nil where the filter has no such bound
	stocked *set
	all     *set // after all filters
}

// The filter that except skips: a facet by its number, or one of these.
const (
	skipNone  = -1
	skipPrice = -2 - iota
	skipStock
	skipReduced
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
	s.all = s.except(skipNone)
	return s
}

// base is never modified: it may be a set of the index.
func (x *Index) base(f Filter) *set {
	sets := []*set{x.existing}
	if f.Published {
		sets = append(sets, x.published)
	}
	if f.Listed {
		sets = append(sets, x.listed)
	}
	if f.SoldOut {
		sets = append(sets, x.sold)
	}
	if f.Low {
		sets = append(sets, x.low)
	}
	for _, l := range f.Labels {
		sets = append(sets, union([]Label{l}, func(l Label) *set { return x.labels[l] }))
	}
	if f.Tag != "" {
		sets = append(sets, x.names.tagged(f.Tag))
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
	out := union(h.Sections, func(id uint32) *set { return x.bySection[id] })
	out.AndNot(roaring.BitmapOf(h.Shown...))
	out.AddMany(h.Products)
	out.Or(union(h.Unpublished, func(id uint32) *set { return x.bySection[id] }))
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

// union returns a new set.
func union[K any](ids []K, of func(K) *set) *set {
	out := roaring.New()
	for _, id := range ids {
		if s := of(id); s != nil {
			out.Or(s)
		}
	}
	return out
}

// intersection returns the intersection of at least one set; it may return that set itself.
func intersection(sets []*set) *set {
	out := sets[0]
	for _, s := range sets[1:] {
		out = roaring.And(out, s)
	}
	return out
}

// except returns the result of all filters but one.
func (s Selection) except(skip int) *set {
	sets := []*set{s.base}
	for i, facet := range s.facets {
		if i != skip {
			sets = append(sets, facet)
		}
	}
	if s.price != nil && skip != skipPrice {
		sets = append(sets, s.price)
	}
	if s.stocked != nil && skip != skipStock {
		sets = append(sets, s.stocked)
	}
	if s.filter.Reduced && skip != skipReduced {
		sets = append(sets, s.index.reduced)
	}
	return intersection(sets)
}

// Prices returns the lowest and highest price of the products that match the filter without
// its price bounds; false if there are none.
func (s Selection) Prices() (low, high int64, found bool) {
	smallest, most, found := s.index.prices.extent(s.without(s.price != nil, skipPrice))
	return int64(smallest), int64(most), found
}

// InStock returns how many products would match if the filter required stock.
func (s Selection) InStock() int {
	matching := s.without(s.stocked != nil, skipStock)
	return int(matching.GetCardinality() - matching.AndCardinality(s.index.sold))
}

// Reduced returns how many products would match if the filter required reduced prices.
func (s Selection) Reduced() int {
	return int(s.without(s.filter.Reduced, skipReduced).AndCardinality(s.index.reduced))
}

func (s Selection) without(asked bool, what int) *set {
	if !asked {
		return s.all
	}
	return s.except(what)
}

// Len returns how many products match.
func (s Selection) Len() int { return int(s.all.GetCardinality()) }

// IDs returns the matching products, in the order of their ids.
func (s Selection) IDs() []uint32 { return s.all.ToArray() }

// Page returns a part of IDs, or of their reverse.
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
		return page // first is below n, so the product exists
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

// Order is a sort order of lists.
type Order uint8

// The orders that the index supports.
const (
	ByPrice Order = iota
	ByCreated
	ByRating
	ByName // in lower case
)

// Sorted returns a page of the matching products in an order; equal ones are in the order
// of their ids, or its reverse.
func (s Selection) Sorted(by Order, offset, limit int, descending bool) []uint32 {
	if by == ByName {
		return s.index.names.first(s.all, offset, limit, descending)
	}
	return [...]column{s.index.prices, s.index.created, s.index.ratings}[by].smallest(s.all, offset, limit, descending)
}

// Counts calls tell for every value of some attributes that a product of the list has.
// Values of one attribute are alternatives, so the filter by an attribute does not restrict
// its own counts: they show the result of choosing another value.
func (s Selection) Counts(attributes []uint32, tell func(attribute uint32, c Count)) {
	matching := make(map[uint32]*set, len(attributes))
	for _, id := range attributes {
		matching[id] = s.all
	}
	for i, facet := range s.filter.Facets {
		if matching[facet.Attribute] != nil {
			matching[facet.Attribute] = s.except(i)
		}
	}
	for v, products := range s.index.values {
		among := matching[v.attribute]
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
