package load

import (
	"context"

	"vitrine/compile"
	"vitrine/compile/price"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// maxOffers is how many of each the price function is given.
const maxOffers = 1000

// Offers compiles what a shop takes off its prices: all active rules and
// promotions, those that are yet to start too. It is valid for the version of the
// shop that the reader sees.
func Offers(ctx context.Context, r store.Reader, site *compile.Site) (*price.Offers, error) {
	active := true
	promotions, _, err := r.Promotions(ctx, store.PromotionFilter{Active: &active}, maxOffers, 0)
	if err != nil {
		return nil, err
	}
	rules, _, err := r.PricingRules(ctx, maxOffers, 0)
	if err != nil {
		return nil, err
	}
	pricedRules := make([]price.Rule, 0, len(rules))
	for _, rule := range rules {
		if rule.Active {
			pricedRules = append(pricedRules, pricedRule(rule))
		}
	}
	pricedPromotions := make([]price.Promotion, len(promotions))
	for i, p := range promotions {
		pricedPromotions[i] = pricedPromotion(p, site)
	}
	return price.NewOffers(pricedRules, pricedPromotions), nil
}

func pricedRule(r store.PricingRule) price.Rule {
	out := price.Rule{ID: int64(r.ID), Name: r.Name, Products: r.Products, Categories: r.Categories, Count: price.Count(r.Count)}
	for _, t := range r.Tiers {
		out.Tiers = append(out.Tiers, price.Tier(t))
	}
	return out
}

func pricedPromotion(p store.Promotion, site *compile.Site) price.Promotion {
	out := price.Promotion{
		ID: int64(p.ID), Name: p.Name, Kind: price.Kind(p.Kind), Priority: p.Priority, Exclusive: p.Stacking == "exclusive", Code: p.Code,
		Scope: scope(p.Conditions, site), MinTotal: p.Conditions.MinTotal, MinUnits: p.Conditions.MinUnits,
		FirstOnly: p.Conditions.FirstOrder, Groups: p.Conditions.Groups, Points: p.Value.Points, Amount: p.Value.Amount,
		Gift: price.Gift{Product: p.Value.Product, Variant: p.Value.Variant, Quantity: p.Value.Quantity, Per: p.Value.Per},
	}
	if p.StartsAt != nil {
		out.Starts = *p.StartsAt
	}
	if p.EndsAt != nil {
		out.Ends = *p.EndsAt
	}
	for to, from := range map[*int64]*int64{&out.Limits.Total: p.Total, &out.Limits.PerBuyer: p.PerBuyer, &out.Limits.Budget: p.Budget} {
		if from != nil {
			*to = *from
		}
	}
	return out
}

// scope is the products that conditions name; categories with all below them.
func scope(c store.PromotionConditions, site *compile.Site) (s price.Scope) {
	if len(c.Products) > 0 {
		s.Products = setOf(c.Products)
	}
	if len(c.Exclude) > 0 {
		s.Exclude = setOf(c.Exclude)
	}
	if len(c.Categories) > 0 {
		s.Categories = map[shop.CategoryID]bool{}
		for _, id := range c.Categories {
			s.Categories[id] = true
			for _, below := range site.Subtree(id) {
				s.Categories[below] = true
			}
		}
	}
	return s
}

func setOf[ID comparable](ids []ID) map[ID]bool {
	set := make(map[ID]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
