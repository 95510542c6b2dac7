package load

import (
	"context"
	"slices"
	"time"

	"vitrine/compile"
	"vitrine/compile/price"
	"vitrine/internal/facet"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

// UnitPricer prices single units as pages, feeds and the API show them to visitors
// (CONTRACT-COMMERCE, "Promotions"): with running discounts applied, by the function that
// prices carts. Owners see the stored prices.
type UnitPricer struct {
	site *compile.Site
	at   time.Time
	on   bool
}

// NewUnitPricer returns a Shelf with the offers of a site at a moment.
func NewUnitPricer(site *compile.Site, at time.Time) UnitPricer {
	return UnitPricer{site, at, site.Offers().Discounts(at)}
}

// UnitPricer returns a Shelf with the shop's offers at a moment; offers have no draft.
func (s *Sites) UnitPricer(ctx context.Context, st *store.Store, company shop.CompanyID, at time.Time) (UnitPricer, error) {
	cached, err := s.Current(store.Live(ctx), st.Shop(company))
	if err != nil {
		return UnitPricer{}, err
	}
	return NewUnitPricer(cached.Site, at), nil
}

// Placement is the placement of a product, by which discounts and prices by quantity select
// it. A set has computed prices.
type Placement struct {
	ID       shop.ProductID
	Category shop.CategoryID
	Extra    []shop.CategoryID
	Set      bool
}

// PlacementOf returns the placement of a product of the store.
func PlacementOf(p *catalog.Product) Placement {
	return Placement{p.ID, p.Category, p.Extra, p.Kind == "combo"}
}

// PlacementOfGood returns the placement of a good.
func PlacementOfGood(g *catalog.CartProduct) Placement {
	return Placement{g.ID, g.Category, g.Extra, len(g.Set) > 0}
}

// Product returns the product for pricing, without prices.
func (p Placement) Product(site *compile.Site) *price.Product {
	out := &price.Product{ID: p.ID}
	for _, c := range append([]shop.CategoryID{p.Category}, p.Extra...) {
		up := site.SelfAndAncestors(c)
		if c == p.Category {
			out.Path = up
		}
		out.Categories = append(out.Categories, up...)
	}
	return out
}

// Unit returns the price of a unit with this stored price.
func (s UnitPricer) Unit(p Placement, unit int64) price.Tag {
	if !s.on || p.Set {
		return price.Tag{Price: unit}
	}
	return s.site.Offers().Tag(p.Product(s.site), unit, s.at)
}

// Units is Unit for several prices of one product.
func (s UnitPricer) Units(p Placement, units ...int64) []price.Tag {
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

// Levels returns the prices by quantity of a unit with this stored price, or of a set that
// costs as much: discounts do not apply to a set, prices by quantity do.
func (s UnitPricer) Levels(p Placement, unit int64) []price.Level {
	product := p.Product(s.site)
	if p.Set {
		product.Set = []price.Component{{Product: &price.Product{Price: unit}, Quantity: 1}}
	}
	return s.site.Offers().Levels(product, unit, s.at)
}

// Span is the price of a product in lists, with the name of the discount that lowered it.
type Span struct {
	catalog.PriceSpan
	Promotion string
}

// ChoicesOf returns what variants cost that can be chosen.
func ChoicesOf(active []catalog.Variant) []shop.Choice {
	list := make([]shop.Choice, len(active))
	for i, v := range active {
		list[i] = shop.Choice{Price: *v.Price, Old: *v.OldPrice}
	}
	return list
}

// Choices returns choices with discounts applied, and the tags of their prices. An old price that
// results from a discount replaces a stored one.
func (s UnitPricer) Choices(p Placement, list []shop.Choice) ([]shop.Choice, []price.Tag) {
	units := make([]int64, len(list))
	for i, c := range list {
		units[i] = c.Price
	}
	tags, lowered := s.Units(p, units...), slices.Clone(list)
	for i, tag := range tags {
		if lowered[i].Price = tag.Price; tag.Was > 0 {
			lowered[i].Old = tag.Was
		}
	}
	return lowered, tags
}

// Span returns the price of a product in lists from its own prices and those of its choices.
func (s UnitPricer) Span(p Placement, own shop.Choice, choices []shop.Choice) Span {
	if !s.on || p.Set {
		return Span{PriceSpan: catalog.NewPriceSpan(own, choices)}
	}
	all, tags := s.Choices(p, append([]shop.Choice{own}, choices...))
	out := Span{PriceSpan: catalog.NewPriceSpan(all[0], all[1:])}
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

// ForLists returns the pricer of lists, which prices as cards do, for filters, bounds and sort
// orders.
func (s UnitPricer) ForLists() catalog.Pricer {
	if !s.on {
		return listPricer{s, ""}
	}
	return listPricer{s, s.site.Offers().Running(s.at) + " " + s.site.Placement()}
}

type listPricer struct {
	pricer UnitPricer
	key    string
}

func (l listPricer) Key() string { return l.key }

func (l listPricer) Span(o facet.Offer) (price, before int64) {
	at := Placement{ID: shop.ProductID(o.Product), Category: shop.CategoryID(o.Section), Set: o.Set}
	if l.pricer.on {
		for _, id := range o.Extra {
			at.Extra = append(at.Extra, shop.CategoryID(id))
		}
	}
	span := l.pricer.Span(at, shop.Choice{Price: o.Price, Old: o.Old}, o.Choices)
	return span.Low, span.Old
}
