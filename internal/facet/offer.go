package facet

import (
	"cmp"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"vitrine/internal/shop"
)

// Offer holds the data on which the price of a product in lists depends.
type Offer struct {
	Product, Section uint32
	Extra            []uint32 // sections in addition to the primary one
	Set              bool     // made of other products: Price and Old are computed
	Price, Old       int64
	Choices          []shop.Choice // of the variants that can be chosen
}

// offers are in the order of the products' ids. Copies share the cells; appending never
// overwrites those of another copy.
type offers struct{ cells []Offer }

func (o offers) without(removed *set) offers {
	if removed.IsEmpty() {
		return offers{slices.Clip(o.cells)}
	}
	kept := make([]Offer, 0, len(o.cells)+8)
	for _, cell := range o.cells {
		if !removed.Contains(cell.Product) {
			kept = append(kept, cell)
		}
	}
	return offers{kept}
}

// size is a rough estimate that includes the slices of variants and sections.
func (o offers) size() int { return cap(o.cells) * 96 }

// addOffers completes the offers of the added products.
func (b *Builder) addOffers() {
	cells := b.index.offers.cells
	for _, offer := range b.added {
		offer.Extra = b.extra[offer.Product]
		for _, v := range b.choices[offer.Product] {
			offer.Choices = append(offer.Choices, shop.ChoiceOf(offer.Price, offer.Old, v.Price, v.Old))
		}
		cells = append(cells, offer)
	}
	byProduct := func(a, b Offer) int { return cmp.Compare(a.Product, b.Product) }
	if !slices.IsSortedFunc(cells, byProduct) {
		cells = slices.Clone(cells)
		slices.SortFunc(cells, byProduct)
	}
	b.index.offers = offers{cells}
}

// Priced returns the index with other prices: span returns the price of a product in lists,
// and the old price, 0 if it is not higher. From an earlier index that was priced in the
// same way only the products that have changed since are priced again; nil prices all.
func (x *Index) Priced(earlier *Index, changed []uint32, span func(Offer) (price, before int64)) *Index {
	priced := *x
	price := func(o *Offer) {
		now, before := span(*o)
		priced.prices.add(o.Product, float64(now))
		if before > now && now > 0 {
			priced.reduced.Add(o.Product)
		}
	}
	if earlier == nil {
		priced.prices, priced.reduced = column{make([]cell, 0, len(x.offers.cells))}, roaring.New()
		for i := range x.offers.cells {
			price(&x.offers.cells[i])
		}
		return &priced
	}
	outdated := roaring.BitmapOf(changed...)
	priced.prices, priced.reduced = earlier.prices.without(outdated), roaring.AndNot(earlier.reduced, outdated)
	for in := outdated.Iterator(); in.HasNext(); {
		id := in.Next()
		at, found := slices.BinarySearchFunc(x.offers.cells, id, func(o Offer, id uint32) int { return cmp.Compare(o.Product, id) })
		if found {
			price(&x.offers.cells[at])
		}
	}
	priced.prices = priced.prices.sorted()
	return &priced
}

// PricesSize returns approximately how many bytes the prices of an index use.
func (x *Index) PricesSize() int { return x.prices.size() + int(x.reduced.GetSizeInBytes()) }
