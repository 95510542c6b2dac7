package load

import (
	"context"
	"encoding/json"
	"time"

	"vitrine/compile/price"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Basket is a cart with the products that are in it and what it costs. The cart
// as it is read, a quote, the pages of the cart and the checkout are made of it.
type Basket struct {
	Lines []BasketLine
	Goods map[shop.ProductID]*store.Good // components of sets too
	*price.Receipt
}

// BasketLine is a line of a basket: what was put in, its product, and its price.
type BasketLine struct {
	store.CartLine
	Good  *store.Good
	Price *price.Priced
}

// Fill prices the lines of a cart. Those of products that are not there, or that
// keep leaves out, are dropped. It costs two statements.
func Fill(ctx context.Context, r store.Reader, c store.Cart, at time.Time, keep func(*store.Good) bool) (*Basket, error) {
	ids := make([]shop.ProductID, len(c.Lines))
	for i, l := range c.Lines {
		ids[i] = l.Product
	}
	goods, err := r.Goods(ctx, ids)
	if err != nil {
		return nil, err
	}
	priced := make(map[shop.ProductID]*price.Product, len(goods))
	cart := &price.Cart{Code: c.PromoCode, At: at}
	b := &Basket{Goods: goods}
	for _, l := range c.Lines {
		good := goods[l.Product]
		if good == nil || !keep(good) {
			continue
		}
		cart.Lines = append(cart.Lines, price.Line{
			Product: product(good.ID, goods, priced), Key: l.Key, Quantity: l.Quantity, Choice: price.ReadChoice(l.Data),
		})
		b.Lines = append(b.Lines, BasketLine{CartLine: l, Good: good})
	}
	b.Receipt = price.Price(cart)
	for i := range b.Lines {
		b.Lines[i].Price = &b.Receipt.Lines[i]
	}
	return b, nil
}

// product is what the price of a good depends on, made once for each. A component
// that is gone costs nothing: its set cannot be ordered anyway.
func product(id shop.ProductID, goods map[shop.ProductID]*store.Good, made map[shop.ProductID]*price.Product) *price.Product {
	if p := made[id]; p != nil {
		return p
	}
	good := goods[id]
	if good == nil {
		return &price.Product{ID: id}
	}
	p := &price.Product{ID: id, Price: good.Price, Percent: good.Percent}
	made[id] = p
	for _, v := range good.Variants {
		if v.IsActive {
			p.Variants = append(p.Variants, price.Variant{ID: v.ID, Price: v.Price})
		}
	}
	for _, c := range good.Set {
		p.Set = append(p.Set, price.Component{Product: product(c.Product, goods, made), Variant: c.Variant, Quantity: c.Quantity})
	}
	return p
}

// Echo is what the line shows of the data that it was put in with.
func (l *BasketLine) Echo() json.RawMessage { return price.Echo(l.Price, l.Data) }
