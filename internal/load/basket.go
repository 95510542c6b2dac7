package load

import (
	"context"
	"encoding/json"
	"slices"
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

// Pricing is how a cart is priced.
type Pricing struct {
	At      time.Time
	Keep    func(*store.Good) bool // nil: all lines; else those that it keeps
	Explain bool
}

// Fill prices the lines of a cart. Those of products that are not there, or that
// are not kept, are dropped. It costs one statement.
func Fill(ctx context.Context, r store.Reader, c store.Cart, how Pricing) (*Basket, error) {
	ids := make([]shop.ProductID, len(c.Lines))
	for i, l := range c.Lines {
		ids[i] = l.Product
	}
	goods, err := r.Goods(ctx, ids)
	if err != nil {
		return nil, err
	}
	priced := make(map[shop.ProductID]*price.Product, len(goods))
	cart := &price.Cart{Code: c.PromoCode, At: how.At}
	b := &Basket{Goods: goods}
	for _, l := range c.Lines {
		good := goods[l.Product]
		if good == nil || how.Keep != nil && !how.Keep(good) {
			continue
		}
		cart.Lines = append(cart.Lines, price.Line{
			Product: product(good.ID, goods, priced), Key: l.Key, Quantity: l.Quantity, Choice: price.ReadChoice(l.Data),
		})
		b.Lines = append(b.Lines, BasketLine{CartLine: l, Good: good})
	}
	b.Receipt = price.Price(cart)
	if how.Explain {
		b.Receipt = price.Explain(cart)
	}
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

// chosen is the variant that the line buys, or nil.
func (l *BasketLine) chosen() *store.Variant { return l.Good.Variant(l.Price.Chosen()) }

// Name is that of the product, with that of its variant.
func (l *BasketLine) Name() string {
	if v := l.chosen(); v != nil && v.Title != "" {
		return l.Good.Name + ", " + v.Title
	}
	return l.Good.Name
}

// SKU is that of the variant, else the product's.
func (l *BasketLine) SKU() string {
	if v := l.chosen(); v != nil && v.SKU != "" {
		return v.SKU
	}
	return l.Good.SKU
}

// Image is the address of the variant's picture, else of the product's; empty:
// there is none.
func (l *BasketLine) Image() string {
	path := l.Good.Image
	if v := l.chosen(); v != nil && v.ImagePath != "" {
		path = v.ImagePath
	}
	if path == "" {
		return ""
	}
	return shop.FileURL(path)
}

// Parts are the components of a set with their names; those that were deleted
// have none.
func (b *Basket) Parts(g *store.Good) (list []store.SetPart) {
	for _, c := range g.Set {
		part := store.SetPart{Component: c}
		if good := b.Goods[c.Product]; good != nil {
			part.Name = good.Name
		}
		list = append(list, part)
	}
	return list
}

// Gone are the components of sets that are not there any more.
func (b *Basket) Gone() (ids []shop.ProductID) {
	for i := range b.Lines {
		for _, c := range b.Lines[i].Good.Set {
			if b.Goods[c.Product] == nil && !slices.Contains(ids, c.Product) {
				ids = append(ids, c.Product)
			}
		}
	}
	return ids
}

// Available is how many units of a product there are, nil when nobody counts. A
// set has as many as its scarcest component allows, and none when one is gone.
func (b *Basket) Available(g *store.Good) *int {
	if len(g.Set) == 0 {
		return g.Stock
	}
	var least *int
	for _, c := range g.Set {
		part, whole := b.Goods[c.Product], 0
		switch {
		case part == nil:
			return &whole
		case part.Stock == nil:
			continue
		}
		if whole = *part.Stock / int(max(c.Quantity, 1)); least == nil || whole < *least {
			least = &whole
		}
	}
	return least
}
