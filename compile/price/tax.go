package price

import (
	"slices"
	"strings"

	"vitrine/internal/shop"
)

// taxes computes the tax of the goods and of the chosen delivery: for each rate once, on what is
// left of the lines after all discounts.
func taxes(c *Cart, r *Receipt, explain *notes) {
	t := c.Taxes
	if t == nil || len(c.Lines) == 0 || c.exempt() {
		return
	}
	rates := ratesAt(t, c.To)
	var sums [len(rates)]int64
	var used [len(rates)]bool
	for i := range r.Lines {
		l := &r.Lines[i]
		if at := classAt(l.Product.Class); !l.Gift && rates[at] != nil {
			l.Tax = rates[at]
			used[at] = true
			sums[at] += r.left[i]
		}
	}
	if d := r.Delivery; d != nil && d.Price > 0 && rates[standardAt] != nil {
		used[standardAt] = true
		sums[standardAt] += d.Price
	}
	for at, rate := range rates {
		if !used[at] {
			continue
		}
		for other := at + 1; other < len(rates); other++ { // a rate that several classes share is rounded once
			if used[other] && *rates[other] == *rate {
				sums[at] += sums[other]
				used[other] = false
			}
		}
		tax := shop.Tax{TaxRate: *rate, Base: sums[at]}
		if t.Included {
			tax.Amount = rate.Percent.In(sums[at])
			tax.Base -= tax.Amount
		} else {
			tax.Amount = rate.Percent.Of(sums[at])
			r.Grand += tax.Amount
		}
		r.Taxes = append(r.Taxes, tax)
		r.TaxTotal += tax.Amount
		explain.tax(tax)
	}
}

// With returns the receipt of the same cart with another delivery.
func (r *Receipt) With(c *Cart, delivery shop.DeliveryID) *Receipt {
	cart, other := *c, *r
	cart.Delivery, other.Delivery, other.Taxes, other.TaxTotal = delivery, nil, nil, 0
	deliver(&cart, &other, nil)
	taxes(&cart, &other, nil)
	return &other
}

// exempt reports whether the buyer is a business in another country of the EU.
func (c *Cart) exempt() bool {
	if c.Taxes.TaxTable == nil || !c.Taxes.ExemptEUBusiness {
		return false
	}
	country := shop.EUCountryOfVAT(c.VATNumber)
	return country != "" && country == c.To.Country && country != c.Taxes.DefaultCountry
}

// standardAt is the place of the standard class in shop.TaxClasses.
const standardAt = 0

func classAt(class shop.TaxClass) int { return max(slices.Index(shop.TaxClasses, class), standardAt) }

// ratesAt returns the rate of each class at a destination; nil: not taxed. A rate of the region
// precedes that of the country.
func ratesAt(t *shop.Taxes, to shop.Destination) (rates [3]*shop.TaxRate) {
	if t.TaxTable == nil {
		if t.TaxRate != nil && t.TaxRate.Percent > 0 {
			rates = [...]*shop.TaxRate{t.TaxRate, t.TaxRate, t.TaxRate}
		}
		return rates
	}
	for i := range t.Rates {
		rule := &t.Rates[i]
		if rule.Country != to.Country || rule.Region != "" && !strings.EqualFold(rule.Region, to.Region) {
			continue
		}
		if at := classAt(rule.Class); rates[at] == nil || rule.Region != "" {
			rates[at] = &rule.TaxRate
		}
	}
	return rates
}

// tax records the tax of a rate.
func (n *notes) tax(t shop.Tax) {
	if n != nil {
		n.list = append(n.list, Note{
			Step: n.step, Rule: t.Name + " " + t.Percent.String() + "%", Before: t.Base, After: t.Base + t.Amount, Why: "on the sum of everything with this rate, rounded once",
		})
	}
}
