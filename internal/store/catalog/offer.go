package catalog

import (
	"cmp"
)

// ActiveVariants returns those of a product's variants that can be chosen. A variant without its
// own price has the product's, one without a title is named by its options, else by its
// sku.
func ActiveVariants(row Product, sets []Variant) (out []Variant) {
	for _, v := range sets {
		if !v.IsActive {
			continue
		}
		v.Title = cmp.Or(v.DisplayTitle(), v.SKU)
		if v.Price == nil {
			v.Price = &row.Price
		}
		out = append(out, v)
	}
	return out
}

// PriceSpan is the price of a product in lists, on cards and in feeds: from the price of
// its cheapest choice up to that of the most expensive one, or its own price where nothing
// can be chosen. The old price belongs to the product's own price and is 0 when Low is
// another; a choice at price 0 has no price. High is 0 where all cost the same.
type PriceSpan struct{ Low, Old, High int64 }

// NewPriceSpan returns the span of a product with a price and an old one, and the prices of its
// choices.
func NewPriceSpan(price, old int64, choices []int64) PriceSpan {
	var low, high int64
	for _, n := range choices {
		if n > 0 && (low == 0 || n < low) {
			low = n
		}
		high = max(high, n)
	}
	switch {
	case low == 0:
		return PriceSpan{Low: price, Old: old}
	case low == high:
		high = 0
	}
	if low != price {
		old = 0
	}
	return PriceSpan{Low: low, Old: old, High: high}
}
