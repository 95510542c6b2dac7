package price

import (
	"slices"
	"time"
)

// Tag is the price of one unit of a product for an anonymous visitor, as shown on cards, product
// pages and in feeds.
type Tag struct {
	Price     int64
	Was       int64  // before a discount; 0: not reduced
	Promotion string // name of the discount; empty: none
}

// Discounts reports whether any discount runs at a moment, so that prices on pages may be lower
// than the stored ones.
func (o *Offers) Discounts(at time.Time) bool {
	return o != nil && slices.ContainsFunc(o.discounts, func(p *Promotion) bool { return p.running(at) })
}

// Tag prices one unit of a product, at its own price or that of a variant, like a cart containing
// only this unit.
func (o *Offers) Tag(p *Product, unit int64, at time.Time) Tag {
	if !o.Discounts(at) {
		return Tag{Price: unit}
	}
	single := *p
	single.Price = unit
	r := Price(&Cart{Lines: []Line{{Product: &single, Quantity: 1}}, At: at, Offers: o.perUnit, Usage: o.used})
	return Tag{r.Lines[0].Unit, r.Lines[0].Base, r.Lines[0].Promotion}
}
