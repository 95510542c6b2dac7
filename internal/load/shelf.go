package load

import (
	"context"
	"time"

	"vitrine/compile"
	"vitrine/compile/price"
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

// Discounted says of which products some may be reduced.
func (s Shelf) Discounted() store.Discounted {
	out := store.Discounted{}
	for _, scope := range s.site.Offers().Reach(s.at) {
		switch {
		case scope.Products != nil:
			for id := range scope.Products {
				out.Products = append(out.Products, id)
			}
		case scope.Categories != nil:
			for id := range scope.Categories {
				out.Categories = append(out.Categories, s.site.Subtree(id)...)
			}
		default:
			out.All = true
		}
	}
	return out
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
