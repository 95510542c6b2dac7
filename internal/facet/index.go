// Package facet answers, in memory, what a list of products can be narrowed by:
// which products a filter leaves, how many they are, and how many of them each
// value of each attribute would leave (document 1, 4.2).
//
// An Index is the products of one shop turned on their side: a set of product
// ids for every value, section and flag, and a sorted column for prices and for
// every number attribute. A question is a few intersections of such sets, which
// costs microseconds where counting rows costs a tenth of a second.
//
//	b := facet.New()
//	b.Products([]facet.Product{{ID: 7, Price: 100, Section: 3, Published: true, Listed: true}})
//	b.Option(5, 51, []uint32{7})
//	index := b.Done()
//	s := index.Select(facet.Filter{Sections: []uint32{3}})
//	s.Len() // 1
//	s.Counts(5, tell)
//
// An Index never changes, so any number of readers share it. When products
// change, Without gives a builder of a copy that lacks them; what they have
// become is added to it. Sets that do not hold them are shared by both copies.
//
// The package knows neither the database nor the meaning of attributes: which of
// them live, what their options are called and how large a change is worth
// following is for the caller.
package facet

import (
	"maps"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
)

type set = roaring.Bitmap

// value is an option of an attribute, or with option 0 what has no options: a
// number or a text.
type value struct{ attribute, option uint32 }

// Index is the searchable part of one shop's living products.
type Index struct {
	living, published, listed *set
	sold                      *set // out: nothing of them is in stock
	reduced                   *set // cost less than before
	offers                    offers
	prices                    column
	created, ratings          column
	names                     names
	sections                  map[uint32]*set
	own                       map[uint32]*set // by primary section
	values                    map[value]*set
	numbers                   map[uint32]column
}

// Product is what lists are filtered by beside sections and attributes. Listed
// is false for products hidden from the catalogue, Sold true for those that are out
// of stock, Reduced for those that cost less than before by what was typed with them.
type Product struct {
	ID                uint32
	Price, Old        int64
	Section           uint32 // the primary one; 0: none
	Set               bool   // made of other products
	Published, Listed bool
	Sold, Reduced     bool
	Created           int64 // microseconds
	Rating            float64
	Name              string
}

// Builder fills an Index. It is not safe for concurrent use, and of no use after
// Done.
type Builder struct {
	index Index
	own   map[*set]bool // sets that no other index shares

	added   []Offer
	choices map[uint32][]int64
	extra   map[uint32][]uint32
}

// New is the builder of an index from nothing.
func New() *Builder {
	return (&Index{
		living: roaring.New(), published: roaring.New(), listed: roaring.New(), sold: roaring.New(), reduced: roaring.New(),
		sections: map[uint32]*set{}, own: map[uint32]*set{}, values: map[value]*set{}, numbers: map[uint32]column{},
	}).Without(nil)
}

// Without is the builder of a copy that does not have these products.
func (x *Index) Without(ids []uint32) *Builder {
	b := &Builder{own: map[*set]bool{}, choices: map[uint32][]int64{}, extra: map[uint32][]uint32{}, index: Index{
		sections: maps.Clone(x.sections), own: maps.Clone(x.own), values: maps.Clone(x.values), numbers: maps.Clone(x.numbers),
	}}
	gone := roaring.BitmapOf(ids...)
	b.index.living, b.index.published, b.index.listed = b.without(x.living, gone), b.without(x.published, gone), b.without(x.listed, gone)
	b.index.sold, b.index.reduced = b.without(x.sold, gone), b.without(x.reduced, gone)
	b.index.names, b.index.offers = x.names.without(gone), x.offers.without(gone)
	b.index.prices, b.index.created, b.index.ratings = x.prices.without(gone), x.created.without(gone), x.ratings.without(gone)
	for id, s := range x.sections {
		b.index.sections[id] = b.without(s, gone)
	}
	for id, s := range x.own {
		b.index.own[id] = b.without(s, gone)
	}
	for v, s := range x.values {
		b.index.values[v] = b.without(s, gone)
	}
	for id, c := range x.numbers {
		b.index.numbers[id] = c.without(gone)
	}
	return b
}

func (b *Builder) without(s, gone *set) *set {
	if !s.Intersects(gone) {
		return s
	}
	s = roaring.AndNot(s, gone)
	b.own[s] = true
	return s
}

// mine makes a set one that may be written.
func (b *Builder) mine(s *set) *set {
	if s == nil {
		s = roaring.New()
	} else if b.own[s] {
		return s
	} else {
		s = s.Clone()
	}
	b.own[s] = true
	return s
}

// Products adds living products, each once.
func (b *Builder) Products(list []Product) {
	x := &b.index
	x.living, x.published, x.listed = b.mine(x.living), b.mine(x.published), b.mine(x.listed)
	x.sold, x.reduced = b.mine(x.sold), b.mine(x.reduced)
	for _, p := range list {
		x.living.Add(p.ID)
		if p.Published {
			x.published.Add(p.ID)
		}
		if p.Listed {
			x.listed.Add(p.ID)
		}
		if p.Sold {
			x.sold.Add(p.ID)
		}
		if p.Reduced {
			x.reduced.Add(p.ID)
		}
		if p.Section != 0 {
			b.section(p.Section, []uint32{p.ID})
			s := b.mine(b.index.own[p.Section])
			s.Add(p.ID)
			b.index.own[p.Section] = s
		}
		x.prices.add(p.ID, float64(p.Price)) // exact: prices are below 2^53
		b.added = append(b.added, Offer{Product: p.ID, Section: p.Section, Set: p.Set, Price: p.Price, Old: p.Old})
		x.created.add(p.ID, float64(p.Created))
		x.ratings.add(p.ID, p.Rating)
		x.names.cells = append(x.names.cells, named{p.ID, strings.ToLower(p.Name)})
	}
}

// Section puts products into a section beside their primary one.
func (b *Builder) Section(id uint32, products []uint32) {
	b.section(id, products)
	for _, p := range products {
		b.extra[p] = append(b.extra[p], id)
	}
}

// Choices are the prices of the variants of a product; a negative one is the
// product's own.
func (b *Builder) Choices(product uint32, prices []int64) { b.choices[product] = prices }

func (b *Builder) section(id uint32, products []uint32) {
	s := b.mine(b.index.sections[id])
	s.AddMany(products)
	b.index.sections[id] = s
}

// Option says which products carry an option of an attribute; with option 0,
// which carry a value that is no option.
func (b *Builder) Option(attribute, option uint32, products []uint32) {
	v := value{attribute, option}
	s := b.mine(b.index.values[v])
	s.AddMany(products)
	b.index.values[v] = s
}

// Number says which number of an attribute a product has.
func (b *Builder) Number(attribute, product uint32, n float64) {
	c := b.index.numbers[attribute]
	c.add(product, n)
	b.index.numbers[attribute] = c
}

// Done is the finished index.
func (b *Builder) Done() *Index {
	x := &b.index
	x.names = x.names.sorted()
	b.addOffers()
	x.prices, x.created, x.ratings = x.prices.sorted(), x.created.sorted(), x.ratings.sorted()
	for id, c := range x.numbers {
		x.numbers[id] = c.sorted()
	}
	return x
}

// Size is about how many bytes of memory the index holds.
func (x *Index) Size() int {
	const entry = 64 // of a map, beside the set
	size := x.prices.size() + x.created.size() + x.ratings.size() + x.names.size() + x.offers.size()
	for _, s := range []*set{x.living, x.published, x.listed, x.sold, x.reduced} {
		size += int(s.GetSizeInBytes())
	}
	for _, s := range x.sections {
		size += int(s.GetSizeInBytes()) + entry
	}
	for _, s := range x.own {
		size += int(s.GetSizeInBytes()) + entry
	}
	for _, s := range x.values {
		size += int(s.GetSizeInBytes()) + entry
	}
	for _, c := range x.numbers {
		size += c.size() + entry
	}
	return size
}
