package price

import (
	"slices"

	"vitrine/internal/shop"
)

// gifts inserts the gifts, each after the line that brought it. A gift is left out if its stock
// does not suffice after everything that the cart itself takes.
func gifts(c *Cart, r *Receipt, explain *notes) {
	if c.Offers == nil || len(r.Lines) == 0 {
		return
	}
	want := map[stockItem]int64{}
	for i := range r.Lines {
		l := &r.Lines[i]
		for _, part := range l.Product.Set {
			want[itemOf(part.Product, part.Variant)] += part.Quantity * l.Quantity
		}
		if len(l.Product.Set) == 0 {
			want[itemOf(l.Product, l.Choice.Variant)] += l.Quantity
		}
	}
	type given struct {
		behind int
		line   Priced
	}
	var come []given
	for _, p := range c.Offers.gifts {
		sum, units := sums(r.Lines, &p.Scope)
		why := p.barrier(c, sum, units)
		good := c.Gifts[p.Gift.Product]
		n := p.Gift.Quantity
		if p.Gift.Per > 0 {
			n *= units / p.Gift.Per
		}
		behind := slices.IndexFunc(r.Lines, func(l Priced) bool { return p.Scope.holds(l.Product) })
		switch {
		case why != "":
			explain.skip(p, string(why))
			r.near(c, p, why, sum, units)
			continue
		case good == nil || behind < 0:
			explain.skip(p, string(NotApplicable))
			continue
		case n == 0:
			explain.skip(p, string(BelowUnits))
			r.near(c, p, BelowUnits, sum, units)
			continue
		}
		item := itemOf(good.Product, p.Gift.Variant)
		if left := good.left(p.Gift.Variant); left != nil && want[item]+n > *left {
			explain.skip(p, "there are too few of the gift")
			continue
		}
		want[item] += n
		worth, _ := unit(good.Product, Choice{Variant: p.Gift.Variant})
		line := Priced{
			Line: Line{Product: good.Product, Key: GiftKey(p.ID), Quantity: n, Choice: Choice{Variant: p.Gift.Variant}},
			Base: worth, Gift: true, Source: FromProduct, Promotion: p.Name,
		}
		explain.add(&line, p.Name, worth, 0, "a gift")
		r.apply(p.applied(0))
		come = append(come, given{behind, line})
	}
	if len(come) == 0 {
		return
	}
	lines := make([]Priced, 0, len(r.Lines)+len(come))
	for i := range r.Lines {
		lines = append(lines, r.Lines[i])
		for _, g := range come {
			if g.behind == i {
				lines = append(lines, g.line)
			}
		}
	}
	r.Lines = lines
}

// stockItem is what a cart takes units of: a product or, if it is counted by variant, one of its
// variants.
type stockItem struct {
	product shop.ProductID
	variant shop.VariantID
}

func itemOf(p *Product, v shop.VariantID) stockItem {
	if !p.ByVariant {
		v = 0
	}
	return stockItem{p.ID, v}
}

// left returns how many units of the gift are in stock, nil when it is not tracked. A variant
// that cannot be bought has none.
func (g *GiftGood) left(v shop.VariantID) *int64 {
	if !g.Product.ByVariant {
		return g.Left
	}
	if left, sold := g.Variants[v]; sold {
		return left
	}
	return new(int64)
}
