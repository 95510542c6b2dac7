package load

import (
	"context"
	"time"

	"vitrine/compile"
	"vitrine/compile/price"
	"vitrine/internal/facet"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Shelf prices single units as pages, feeds and the API show them to visitors
// (CONTRACT-COMMERCE, "Promotions"): after the discounts that run, by the function
// that prices carts. Owners read what was typed.
type Shelf struct {
	site *compile.Site
	at   time.Time
	on   bool
}

// NewShelf prices by the offers of a site at a moment.
func NewShelf(site *compile.Site, at time.Time) Shelf {
	return Shelf{site, at, site.Offers().Discounts(at)}
}

// Shelf prices by the offers that a shop has at a moment, which have no draft.
func (s *Sites) Shelf(ctx context.Context, st *store.Store, company shop.CompanyID, at time.Time) (Shelf, error) {
	held, err := s.Current(store.Live(ctx), st.Shop(company))
	if err != nil {
		return Shelf{}, err
	}
	return NewShelf(held.Site, at), nil
}

// Placed is where a product stands: what discounts and prices by quantity choose
// it by. A set has prices of its own.
type Placed struct {
	ID       shop.ProductID
	Category shop.CategoryID
	Extra    []shop.CategoryID
	Set      bool
}

// PlacedOf is where a product of the store stands.
func PlacedOf(p *store.Product) Placed {
	return Placed{p.ID, p.Category, p.Extra, p.Kind == "combo"}
}

// PlacedGood is where a good stands.
func PlacedGood(g *store.Good) Placed { return Placed{g.ID, g.Category, g.Extra, len(g.Set) > 0} }

// Product is the product as pricing sees it, without prices.
func (p Placed) Product(site *compile.Site) *price.Product {
	out := &price.Product{ID: p.ID}
	for _, c := range append([]shop.CategoryID{p.Category}, p.Extra...) {
		up := site.Upward(c)
		if c == p.Category {
			out.Path = up
		}
		out.Categories = append(out.Categories, up...)
	}
	return out
}

// Unit is what a unit costs whose price was typed as this.
func (s Shelf) Unit(p Placed, unit int64) price.Tag {
	if !s.on || p.Set {
		return price.Tag{Price: unit}
	}
	return s.site.Offers().Tag(p.Product(s.site), unit, s.at)
}

// Units is Unit for several prices of one product.
func (s Shelf) Units(p Placed, units ...int64) []price.Tag {
	tags := make([]price.Tag, len(units))
	var product *price.Product
	if s.on && !p.Set {
		product = p.Product(s.site)
	}
	for i, unit := range units {
		if tags[i].Price = unit; product != nil {
			tags[i] = s.site.Offers().Tag(product, unit, s.at)
		}
	}
	return tags
}

// Levels are the prices of a unit from quantities on, whose price was typed as this,
// or of a set that costs as much: no discount is for it, prices by quantity are.
func (s Shelf) Levels(p Placed, unit int64) []price.Level {
	product := p.Product(s.site)
	if p.Set {
		product.Set = []price.Component{{Product: &price.Product{Price: unit}, Quantity: 1}}
	}
	return s.site.Offers().Levels(product, unit, s.at)
}

// Span is what a product costs in lists, with the name of the discount that made
// it so.
type Span struct {
	store.PriceSpan
	Promotion string
}

// Span is what a product costs in lists by its own price, its old one and the
// prices of its choices. An old price that comes of a discount replaces a typed one.
func (s Shelf) Span(p Placed, own, old int64, choices []int64) Span {
	if !s.on || p.Set {
		return Span{PriceSpan: store.SpanOf(own, old, choices)}
	}
	tags := s.Units(p, append([]int64{own}, choices...)...)
	lowered := make([]int64, len(choices))
	for i := range choices {
		lowered[i] = tags[i+1].Price
	}
	if tags[0].Was > 0 {
		old = tags[0].Was
	}
	out := Span{PriceSpan: store.SpanOf(tags[0].Price, old, lowered)}
	if len(choices) > 0 {
		tags = tags[1:]
	}
	for _, tag := range tags {
		if tag.Price == out.Low && tag.Was > 0 {
			out.Old, out.Promotion = tag.Was, tag.Promotion
			break
		}
	}
	return out
}

// Lists prices lists as cards are priced, for filters, bounds and orders.
func (s Shelf) Lists() store.Pricer {
	if !s.on {
		return lists{s, ""}
	}
	return lists{s, s.site.Offers().Running(s.at) + " " + s.site.Placement()}
}

type lists struct {
	shelf Shelf
	key   string
}

func (l lists) Key() string { return l.key }

func (l lists) Span(o facet.Offer) (price, before int64) {
	at := Placed{ID: shop.ProductID(o.Product), Category: shop.CategoryID(o.Section), Set: o.Set}
	if l.shelf.on {
		for _, id := range o.Extra {
			at.Extra = append(at.Extra, shop.CategoryID(id))
		}
	}
	span := l.shelf.Span(at, o.Price, o.Old, o.Choices)
	return span.Low, span.Old
}
