package price

import "vitrine/internal/shop"

// quantities applies the quantity tiers to lines.
func quantities(c *Cart, r *Receipt, explain *notes) {
	if c.Offers == nil || len(c.Offers.rules)+len(c.Offers.byRubric) == 0 {
		return
	}
	rules := make([]*Rule, len(r.Lines))
	byProduct, byRule := map[shop.ProductID]int64{}, map[*Rule]int64{}
	for i := range r.Lines {
		line := &r.Lines[i]
		if line.Source == FromAgreement {
			continue
		}
		if rules[i] = c.Offers.rule(line.Product); rules[i] == nil {
			continue
		}
		switch rules[i].Count {
		case CountProduct:
			byProduct[line.Product.ID] += line.Quantity
		case CountRule:
			byRule[rules[i]] += line.Quantity
		}
	}
	for i, rule := range rules {
		if rule == nil {
			continue
		}
		line := &r.Lines[i]
		units := line.Quantity
		switch rule.Count {
		case CountProduct:
			units = byProduct[line.Product.ID]
		case CountRule:
			units = byRule[rule]
		}
		before := line.Unit
		line.lower(rule.at(units, before))
		explain.add(line, rule.Name, before, line.Unit, "the tier of as many units")
		r.apply(Applied{Promotion: shop.Int64(rule.ID), Name: rule.Name, Kind: string(KindQuantity), Amount: (before - line.Unit) * line.Quantity})
	}
}
