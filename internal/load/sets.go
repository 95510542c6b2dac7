package load

import (
	"context"

	"vitrine/compile/price"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// SetOffer is what a set costs and how many of it there are, by its components.
type SetOffer struct {
	Price     int64
	OldPrice  int64 // without what the set takes off; 0 when that is nothing
	Available *int  // nil: nobody counts
	Parts     []store.SetPart
}

// Sets are the offers of products that are sets; others are not in it. It costs one
// statement, and none for no ids.
func Sets(ctx context.Context, r store.Reader, ids []shop.ProductID) (map[shop.ProductID]SetOffer, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	cart := store.Cart{}
	for _, id := range ids {
		cart.Lines = append(cart.Lines, store.CartLine{Product: id, Quantity: 1})
	}
	b, err := Fill(ctx, r, cart, Pricing{Keep: func(g *store.Good) bool { return len(g.Set) > 0 }})
	if err != nil {
		return nil, err
	}
	offers := make(map[shop.ProductID]SetOffer, len(b.Lines))
	for _, l := range b.Lines {
		o := SetOffer{Price: l.Price.Unit, Available: b.Available(l.Good), Parts: b.Parts(l.Good)}
		if whole := price.Whole(l.Price.Product); whole > o.Price {
			o.OldPrice = whole
		}
		offers[l.Product] = o
	}
	return offers, nil
}

// PriceSets gives the sets among rows what they cost and how many there are: a
// typed price or stock of a set counts for nothing (document 2, 2.1).
func PriceSets(ctx context.Context, r store.Reader, rows []store.Product) error {
	var ids []shop.ProductID
	for _, row := range rows {
		if len(row.Set) > 0 {
			ids = append(ids, row.ID)
		}
	}
	offers, err := Sets(ctx, r, ids)
	for i := range rows {
		if o, set := offers[rows[i].ID]; set {
			rows[i].Price, rows[i].OldPrice, rows[i].StockQuantity = o.Price, o.OldPrice, o.Available
		}
	}
	return err
}
