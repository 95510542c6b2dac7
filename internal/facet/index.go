// Package facet answers, in memory, the questions about filtering a list of products: which
// products match a filter, how many there are, and how many of them each value of each
// attribute would match (document 1, 4.2).
//
// An Index is a transposed table of the products of one shop: a set of product ids for every
// value, section and flag, and a sorted column for prices and for every number attribute. A
// query is a few intersections of such sets, which costs microseconds where counting rows
// costs a tenth of a second.
//
//	b := facet.New()
//	b.Products([]facet.Product{{ID: 7, Price: 100, Section: 3, Published: true, Listed: true}})
//	b.Option(5, 51, []uint32{7})
//	index := b.Done()
//	s := index.Select(facet.Filter{Sections: []uint32{3}})
//	s.Len()                  // 1
//	s.Counts([]uint32{5}, tell)
//
// An Index never changes, so any number of readers share it. When products change, Without
// returns a builder of a copy that lacks them; their new state is added to it. Both copies
// share the sets that do not contain them.
//
// The package does not depend on the database or the meaning of attributes: the caller
// decides which of them exist, what their options are called and how large a change is worth
// following.
package facet

import (
	"maps"

	"github.com/RoaringBitmap/roaring/v2"

	"vitrine/internal/shop"
)

type set = roaring.Bitmap

// value is an option of an attribute; option 0 means a value without options: a number or a
// text.
type value struct{ attribute, option uint32 }

// Index is the searchable part of one shop's products that are not deleted.
type Index struct {
	existing, published, listed *set
	sold                        *set // sold out
	low                         *set // in stock, but few
	reduced                     *set // cheaper than before
	offers                      offers
	prices                      column
	created, ratings            column
	names                       names
	labels                      map[Label]*set
	sections                    map[uint32]*set
	bySection                   map[uint32]*set // by primary section
	values                      map[value]*set
	numbers                     map[uint32]column
}

// Product holds the fields by which lists are filtered, other than sections and attributes.
// Listed is false for products hidden from the catalogue, Sold true for those that are out
// of stock, Low for those of which few are left, Reduced true for those that are cheaper than
// before by their stored prices.
type Product struct {
	ID                uint32
	Price, Old        int64
	Section           uint32 // the primary one; 0: none
	Set               bool   // made of other products
	Published, Listed bool
	Sold, Low         bool
	Reduced           bool
	Created           int64 // microseconds
	Rating            float64
	Name              string
	Kind, Brand       string
	Tags              []string
	Words             string // brand, tags and texts by which a search finds the product besides its name
}

// Label is a property that products share; exactly one field is set.
type Label struct {
	Kind  string
	Brand string // folded
}

// Builder fills an Index. It is not safe for concurrent use, and must not be used after
// Done.
type Builder struct {
	index Index
	owned map[*set]bool // sets not shared with another index

	added   []Offer
	choices map[uint32][]Variant
	extra   map[uint32][]uint32
	texts   map[uint32]string
}

// New returns a builder of an empty index.
func New() *Builder {
	return (&Index{
		existing: roaring.New(), published: roaring.New(), listed: roaring.New(), sold: roaring.New(), low: roaring.New(), reduced: roaring.New(),
		labels: map[Label]*set{}, sections: map[uint32]*set{}, bySection: map[uint32]*set{}, values: map[value]*set{}, numbers: map[uint32]column{},
	}).Without(nil)
}

// Without returns a builder of a copy that lacks these products.
func (x *Index) Without(ids []uint32) *Builder {
	b := &Builder{owned: map[*set]bool{}, choices: map[uint32][]Variant{}, extra: map[uint32][]uint32{}, texts: map[uint32]string{}, index: Index{
		labels: maps.Clone(x.labels), sections: maps.Clone(x.sections), bySection: maps.Clone(x.bySection), values: maps.Clone(x.values), numbers: maps.Clone(x.numbers),
	}}
	removed := roaring.BitmapOf(ids...)
	b.index.existing, b.index.published, b.index.listed = b.without(x.existing, removed), b.without(x.published, removed), b.without(x.listed, removed)
	b.index.sold, b.index.low, b.index.reduced = b.without(x.sold, removed), b.without(x.low, removed), b.without(x.reduced, removed)
	b.index.names, b.index.offers = x.names.without(removed), x.offers.without(removed)
	b.index.prices, b.index.created, b.index.ratings = x.prices.without(removed), x.created.without(removed), x.ratings.without(removed)
	for l, s := range x.labels {
		b.index.labels[l] = b.without(s, removed)
	}
	for id, s := range x.sections {
		b.index.sections[id] = b.without(s, removed)
	}
	for id, s := range x.bySection {
		b.index.bySection[id] = b.without(s, removed)
	}
	for v, s := range x.values {
		b.index.values[v] = b.without(s, removed)
	}
	for id, c := range x.numbers {
		b.index.numbers[id] = c.without(removed)
	}
	return b
}

func (b *Builder) without(s, removed *set) *set {
	if !s.Intersects(removed) {
		return s
	}
	s = roaring.AndNot(s, removed)
	b.owned[s] = true
	return s
}

// writable returns a set that may be modified: the set itself if the builder owns it, else a
// copy.
func (b *Builder) writable(s *set) *set {
	if s == nil {
		s = roaring.New()
	} else if b.owned[s] {
		return s
	} else {
		s = s.Clone()
	}
	b.owned[s] = true
	return s
}

// Products adds products that are not deleted, each once.
func (b *Builder) Products(list []Product) {
	x := &b.index
	x.existing, x.published, x.listed = b.writable(x.existing), b.writable(x.published), b.writable(x.listed)
	x.sold, x.low, x.reduced = b.writable(x.sold), b.writable(x.low), b.writable(x.reduced)
	for _, p := range list {
		x.existing.Add(p.ID)
		if p.Published {
			x.published.Add(p.ID)
		}
		if p.Listed {
			x.listed.Add(p.ID)
		}
		if p.Sold {
			x.sold.Add(p.ID)
		}
		if p.Low {
			x.low.Add(p.ID)
		}
		if p.Reduced {
			x.reduced.Add(p.ID)
		}
		if p.Section != 0 {
			b.section(p.Section, []uint32{p.ID})
			s := b.writable(b.index.bySection[p.Section])
			s.Add(p.ID)
			b.index.bySection[p.Section] = s
		}
		x.prices.add(p.ID, float64(p.Price)) // exact: prices are below 2^53
		b.added = append(b.added, Offer{Product: p.ID, Section: p.Section, Set: p.Set, Price: p.Price, Old: p.Old})
		x.created.add(p.ID, float64(p.Created))
		x.ratings.add(p.ID, p.Rating)
		x.names.cells = append(x.names.cells, named{p.ID, shop.Fold(p.Name), wordsIn(p.Words), joined(p.Tags...)})
		b.label(Label{Kind: p.Kind}, p.ID)
		b.label(Label{Brand: shop.Fold(p.Brand)}, p.ID)
	}
}

func (b *Builder) label(l Label, product uint32) {
	if l == (Label{}) {
		return
	}
	s := b.writable(b.index.labels[l])
	s.Add(product)
	b.index.labels[l] = s
}

// Section adds products to a section in addition to their primary one.
func (b *Builder) Section(id uint32, products []uint32) {
	b.section(id, products)
	for _, p := range products {
		b.extra[p] = append(b.extra[p], id)
	}
}

// Variant has the prices of a variant; nil: those of its product.
type Variant struct{ Price, Old *int64 }

// Choices sets the variants of a product, in their order.
func (b *Builder) Choices(product uint32, variants []Variant) { b.choices[product] = variants }

func (b *Builder) section(id uint32, products []uint32) {
	s := b.writable(b.index.sections[id])
	s.AddMany(products)
	b.index.sections[id] = s
}

// Option adds the products that have an option of an attribute; with option 0, those that
// have a value without options.
func (b *Builder) Option(attribute, option uint32, products []uint32) {
	v := value{attribute, option}
	s := b.writable(b.index.values[v])
	s.AddMany(products)
	b.index.values[v] = s
}

// Text adds a text by which a search finds a product that the builder adds.
func (b *Builder) Text(product uint32, text string) { b.texts[product] += " " + text }

// Number sets the number of an attribute of a product.
func (b *Builder) Number(attribute, product uint32, n float64) {
	c := b.index.numbers[attribute]
	c.add(product, n)
	b.index.numbers[attribute] = c
}

// Done returns the finished index.
func (b *Builder) Done() *Index {
	x := &b.index
	if len(b.texts) > 0 {
		for i, cell := range x.names.cells {
			if text := b.texts[cell.product]; text != "" {
				x.names.cells[i].words = wordsIn(cell.words + text)
			}
		}
	}
	x.names = x.names.sorted()
	b.addOffers()
	x.prices, x.created, x.ratings = x.prices.sorted(), x.created.sorted(), x.ratings.sorted()
	for id, c := range x.numbers {
		x.numbers[id] = c.sorted()
	}
	return x
}

// Size returns approximately how many bytes of memory the index uses.
func (x *Index) Size() int {
	const entry = 64 // of a map, in addition to the set
	size := x.prices.size() + x.created.size() + x.ratings.size() + x.names.size() + x.offers.size()
	for _, s := range []*set{x.existing, x.published, x.listed, x.sold, x.low, x.reduced} {
		size += int(s.GetSizeInBytes())
	}
	for l, s := range x.labels {
		size += int(s.GetSizeInBytes()) + entry + len(l.Kind) + len(l.Brand)
	}
	for _, s := range x.sections {
		size += int(s.GetSizeInBytes()) + entry
	}
	for _, s := range x.bySection {
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
