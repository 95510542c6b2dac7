package load

import (
	"context"

	"vitrine/compile/price"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/sales"
)

// SetOffer is the price and availability of a set, computed from its components.
type SetOffer struct {
	Price     int64
	OldPrice  int64 // without the discount of the set; 0 when there is none
	Available *int  // nil: not tracked
	Parts     []sales.SetPart
}

// Sets returns the offers of those products that are sets. It costs one statement, and none
// for no ids.
func Sets(ctx context.Context, r store.Reader, ids []shop.ProductID) (map[shop.ProductID]SetOffer, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	cart := sales.Cart{}
	for _, id := range ids {
		cart.Lines = append(cart.Lines, sales.CartLine{Product: id, Quantity: 1})
	}
	b, err := FillBasket(ctx, r, cart, Pricing{})
	if err != nil {
		return nil, err
	}
	offers := make(map[shop.ProductID]SetOffer, len(b.Lines))
	for i := range b.Lines {
		l := &b.Lines[i]
		if len(l.Good.Set) == 0 {
			continue
		}
		o := SetOffer{Price: l.Price.Unit, Available: b.Available(l), Parts: b.Parts(l.Good)}
		if whole := price.ComponentsTotal(l.Price.Product); whole > o.Price {
			o.OldPrice = whole
		}
		offers[l.Product] = o
	}
	return offers, nil
}

// PriceSets fills in the price and availability of the sets among rows: a stored price or
// stock of a set is ignored (document 2, 2.1).
func PriceSets(ctx context.Context, r store.Reader, rows []catalog.Product) error {
	var ids []shop.ProductID
	for _, row := range rows {
		if len(row.Set) > 0 {
			ids = append(ids, row.ID)
		}
	}
	offers, err := Sets(ctx, r, ids)
	for i := range rows {
		if o, isSet := offers[rows[i].ID]; isSet {
			rows[i].Price, rows[i].OldPrice, rows[i].StockQuantity = o.Price, o.OldPrice, o.Available
		}
	}
	return err
}
