package load

import (
	"context"

	"vitrine/compile/price"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

// offers compiles all active pricing rules and promotions of a shop, including those that
// start in the future. The result is never nil.
func offers(ctx context.Context, r store.Reader) (*price.Offers, error) {
	active := true
	promotions, _, err := sales.Promotions(ctx, r, sales.PromotionFilter{Active: &active}, sales.MaxPromotions, 0)
	if err != nil {
		return nil, err
	}
	rules, _, err := sales.PricingRules(ctx, r, sales.MaxPricingRules, 0)
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
	used := map[int64]price.Usage{}
	for i, p := range promotions {
		pricedPromotions[i] = Promotion(p)
		used[int64(p.ID)] = price.Usage{Used: p.Used, Spent: p.Spent}
	}
	return price.NewOffers(pricedRules, pricedPromotions, used), nil
}

func pricedRule(r sales.PricingRule) price.Rule {
	out := price.Rule{ID: int64(r.ID), Name: r.Name, Products: r.Products, Categories: r.Categories, Count: price.Count(r.Count)}
	for _, t := range r.Tiers {
		out.Tiers = append(out.Tiers, price.Tier(t))
	}
	return out
}

// Promotion converts a promotion for pricing.
func Promotion(p sales.Promotion) price.Promotion {
	out := price.Promotion{
		ID: int64(p.ID), Name: p.Name, Kind: price.Kind(p.Kind), Priority: p.Priority, Exclusive: p.Stacking == "exclusive", Code: p.Code,
		MinTotal: p.Conditions.MinTotal, MinUnits: p.Conditions.MinUnits, FirstOnly: p.Conditions.FirstOrder, Groups: p.Conditions.Groups,
		Scope: price.Scope{
			Products: setOf(p.Conditions.Products), Categories: setOf(p.Conditions.Categories), Exclude: setOf(p.Conditions.Exclude),
		},
		Points: p.Value.Points, Amount: p.Value.Amount,
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

// setOf returns ids as a set, nil for none.
func setOf[K any](ids []shop.Number[K]) map[shop.Number[K]]bool {
	if len(ids) == 0 {
		return nil
	}
	set := make(map[shop.Number[K]]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
