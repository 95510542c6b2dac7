package price

import (
	"time"

	"vitrine/internal/shop"
)

// Rule is a price by quantity (CONTRACT-COMMERCE, "Quantity pricing").
type Rule struct {
	ID         int64
	Name       string
	Products   []shop.ProductID
	Categories []shop.CategoryID // without subcategories; the category nearest to a product wins
	Count      Count
	Tiers      []Tier // with ascending From
}

// Count selects the units that count together towards a tier.
type Count string

// The ways to count.
const (
	CountLine    Count = "line"
	CountProduct Count = "product"
	CountRule    Count = "rule"
)

// Tier is the price from a quantity on: a percentage off, or a fixed price.
type Tier struct {
	From   int64
	Points int64  // basis points off
	Price  *int64 // instead of Points
}

// Levels returns the quantity prices of one unit of a product for its page: what a line of it
// alone costs, discounts included. It is empty without a rule.
func (o *Offers) Levels(p *Product, unit int64, at time.Time) (levels []Level) {
	if o == nil {
		return nil
	}
	rule := o.rule(p)
	if rule == nil {
		return nil
	}
	single := *p
	single.Price = unit
	priced := &Offers{rules: o.rules, byRubric: o.byRubric, discounts: o.discounts, reach: o.reach}
	last := o.Tag(p, unit, at).Price
	for _, t := range rule.Tiers {
		r := Price(&Cart{Lines: []Line{{Product: &single, Quantity: t.From}}, At: at, Offers: priced, Usage: o.used})
		if each := r.Lines[0].Unit; each < last {
			last = each
			levels = append(levels, Level{t.From, each})
		}
	}
	return levels
}

// Level is the unit price from a quantity on.
type Level struct{ From, Price int64 }

// rule returns the rule of a product: the one that lists it, otherwise that of its nearest
// category.
func (o *Offers) rule(p *Product) *Rule {
	if r := o.rules[p.ID]; r != nil {
		return r
	}
	for _, id := range p.Path {
		if r := o.byRubric[id]; r != nil {
			return r
		}
	}
	return nil
}

// at returns the unit price by a rule, never more than before.
func (r *Rule) at(units, unit int64) int64 {
	for i := len(r.Tiers) - 1; i >= 0; i-- {
		if t := &r.Tiers[i]; units >= t.From {
			if t.Price != nil {
				return min(*t.Price, unit)
			}
			return less(unit, t.Points)
		}
	}
	return unit
}
