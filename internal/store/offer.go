package store

import "cmp"

// Offered are those of the sets of a product that can be chosen. One without a
// price of its own costs what the product costs, one without a title is named by its
// options, else by its sku.
func Offered(row Product, sets []Variant) (out []Variant) {
	for _, v := range sets {
		if !v.IsActive {
			continue
		}
		v.Title = cmp.Or(v.Named(), v.SKU)
		if v.Price == nil {
			v.Price = &row.Price
		}
		out = append(out, v)
	}
	return out
}

// PriceSpan is what a product costs in lists, on cards as in feeds: from what
// its cheapest choice costs up to what the dearest does, or its own price where
// nothing can be chosen. The old price belongs to the own one, and is 0 beside
// another; a choice at price 0 has no price. high is 0 where all cost the same.
type PriceSpan struct{ Low, Old, High int64 }

// SpanOf is the span of a product with a price and an old one, and the prices of
// its choices.
func SpanOf(price, old int64, choices []int64) PriceSpan {
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
