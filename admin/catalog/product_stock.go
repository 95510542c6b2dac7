package catalog

import (
	"math"
	"strconv"

	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
)

// errProductStock refuses invalid stock numbers (document 2, 2.3).
var errProductStock = shop.Refuse(shop.InvalidArgument, "PRODUCT_STOCK_INVALID").
	When("a stock number is not a whole number or too high, or stock_quantity is negative")

const maxStock = math.MaxInt32

// optionalCount is a stock number in a request that may be cleared: absent keeps it, null and
// negative numbers clear it (document 2, 4.3).
type optionalCount struct {
	Set   bool `json:"-"`
	Count *int `json:"-"`
}

// UnmarshalJSON reads a whole number or null.
func (o *optionalCount) UnmarshalJSON(b []byte) error {
	o.Set = true
	if string(b) == "null" {
		return nil
	}
	n, err := strconv.Atoi(string(b))
	if err != nil {
		return errProductStock.With("a stock number must be a whole number or null")
	}
	o.Count = &n
	return nil
}

// apply sets the field if the number was sent.
func (o optionalCount) apply(field **int) error {
	switch {
	case !o.Set:
	case o.Count == nil || *o.Count < 0:
		*field = nil
	case *o.Count > maxStock:
		return errProductStock.With("a stock number may be at most 2147483647")
	default:
		*field = o.Count
	}
	return nil
}

// applyStockBy changes how the product is counted. live is the reason why the caller cannot.
func (i ProductItem) applyStockBy(p *catalog.Product, live error) error {
	if i.StockBy != nil && *i.StockBy != p.StockBy {
		switch {
		case *i.StockBy != shop.StockByProduct && *i.StockBy != shop.StockByVariant:
			return errProductStock.With("stock_by must be product or variant")
		case live != nil:
			return live
		}
		p.StockBy = *i.StockBy
	}
	if len(p.Set) > 0 && p.StockBy == shop.StockByVariant {
		return catalog.ErrStockOfSet
	}
	return nil
}
