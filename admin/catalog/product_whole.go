package catalog

import (
	"context"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

// wholeItem is a product in a request together with its variant sets and its stock: all of it is
// written in one transaction, or nothing (CONTRACT, "Hands and agents").
type wholeItem struct {
	ProductItem
	Variants *[]countedVariant `json:"variants" max:"500" refuse:"VARIANTS_TOO_MANY" doc:"replaces all variant sets, like PUT /products/{id}/variants; absent: they stay"`
	Stock    *stockItem        `json:"stock" doc:"sets the stock, like PUT /products/{id}/stock; only with a session, in the live shop. A product counted by variant takes variants[].stock instead"`
}

// countedVariant is a variant set in a request together with its stock.
type countedVariant struct {
	variantItem
	Units *stockItem `json:"stock" doc:"sets the stock of the set, if the product is counted by variant; absent: it stays. Only with a session, in the live shop"`
}

// stockItem is a stock in a request.
type stockItem struct {
	Quantity  *int64 `json:"quantity" doc:"absent: unchanged; negative: not tracked"`
	Threshold *int64 `json:"low_threshold" doc:"absent or negative: none"`
}

// edit returns the edit that PUT /products/{id}/stock makes of the same numbers: an absent
// threshold is cleared (document 2, 4.3).
func (i stockItem) edit(by shop.UserID) (catalog.StockEdit, error) {
	e, err := catalog.NewStockEdit(i.Quantity, i.Threshold)
	if e.Actor = by; e.Threshold == nil {
		e.Threshold = new(*int)
	}
	return e, err
}

// eachStock calls fn with each stock of the item, until an error: that of the product with 0, those of
// its sets with their number from 1.
func (i wholeItem) eachStock(fn func(set int, stock stockItem) error) error {
	if i.Stock != nil {
		if err := fn(0, *i.Stock); err != nil {
			return shop.At(err, "stock")
		}
	}
	if i.Variants == nil {
		return nil
	}
	for n, v := range *i.Variants {
		if v.Units == nil {
			continue
		}
		if err := fn(n+1, *v.Units); err != nil {
			return shop.AtEntry(shop.At(err, "stock"), "variants", n)
		}
	}
	return nil
}

// admitStock refuses a stock of callers who cannot set one with PUT /products/{id}/stock.
func (i wholeItem) admitStock(call *api.Call) error {
	return i.eachStock(func(int, stockItem) error {
		if call.ByKey() {
			return api.ErrMethodForKeys.With("a key cannot set the stock; sign in")
		}
		return call.RequireLive()
	})
}

// saveParts writes the variant sets and the stock of a locked product after its fields. It returns
// the places of stock numbers that it ignored.
func (i wholeItem) saveParts(ctx context.Context, tx *store.Tx, p catalog.Product, by shop.UserID) (ignored []string, err error) {
	var sets []catalog.Variant
	if i.Variants != nil {
		items := make([]variantItem, len(*i.Variants))
		for n, v := range *i.Variants {
			items[n] = v.variantItem
		}
		if ignored, err = saveVariants(ctx, tx, p.ID, p.StockBy, "variants", items); err != nil {
			return nil, err
		}
		if sets, err = catalog.Variants(ctx, tx.Reader, p.ID); err != nil {
			return nil, err
		}
	}
	return ignored, i.eachStock(func(set int, stock stockItem) error {
		item := catalog.StockItem{Product: p.ID}
		if set > 0 {
			item.Variant = sets[set-1].ID
		}
		edit, err := stock.edit(by)
		if err != nil {
			return err
		}
		if (p.StockBy == shop.StockByVariant) != (set > 0) && len(p.Set) == 0 {
			return catalog.ErrStockByVariant.With("stock_by of the product is " + string(p.StockBy))
		}
		_, err = catalog.SetStock(ctx, tx, item, edit)
		return err
	})
}

// markIgnoredParts names the places that a write of the item ignored.
func markIgnoredParts(call *api.Call, places []string) {
	for _, place := range places {
		call.MarkIgnored("item."+place, true)
	}
}
