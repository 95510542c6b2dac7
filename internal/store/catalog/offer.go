package catalog

import (
	"cmp"

	"vitrine/internal/shop"
)

// ActiveVariants returns those of a product's variants that can be chosen. A variant without its
// own price, old price or weight has the product's, one without a title is named by its options,
// else by its sku. A barcode identifies one item, so that of the product is not inherited.
func ActiveVariants(row Product, sets []Variant) (out []Variant) {
	for _, v := range sets {
		if !v.IsActive {
			continue
		}
		v.Title = cmp.Or(v.DisplayTitle(), v.SKU)
		c := shop.ChoiceOf(row.Price, row.OldPrice, v.Price, v.OldPrice)
		v.Price, v.OldPrice = &c.Price, &c.Old
		v.WeightG = cmp.Or(v.WeightG, row.WeightG)
		out = append(out, v)
	}
	return out
}

// PriceSpan is the price of a product in lists, on cards and in feeds: from the price of
// its cheapest choice up to that of the most expensive one, or its own price where nothing
// can be chosen. The old price is that of the first choice that costs as little; a choice at
// price 0 has no price. High is 0 where all cost the same.
type PriceSpan struct{ Low, Old, High int64 }

// NewPriceSpan returns the span of a product with prices of its own, and of its choices.
func NewPriceSpan(own shop.Choice, choices []shop.Choice) PriceSpan {
	var low shop.Choice
	var high int64
	for _, c := range choices {
		if c.Price > 0 && (low.Price == 0 || c.Price < low.Price) {
			low = c
		}
		high = max(high, c.Price)
	}
	switch {
	case low.Price == 0:
		return PriceSpan{Low: own.Price, Old: own.Old}
	case low.Price == high:
		high = 0
	}
	return PriceSpan{Low: low.Price, Old: low.Old, High: high}
}
