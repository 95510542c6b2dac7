package price

import (
	"slices"

	"vitrine/internal/shop"
)

// The reasons why a code is not applied, in the order in which they are checked
// (CONTRACT-COMMERCE, "Promotions"). Another buyer's code is NotFound too.
const (
	NotStarted    Rejection = "NOT_STARTED"
	Expired       Rejection = "EXPIRED"
	Exhausted     Rejection = "EXHAUSTED"
	BudgetSpent   Rejection = "BUDGET_SPENT"
	AlreadyUsed   Rejection = "ALREADY_USED"
	BelowTotal    Rejection = "MIN_TOTAL"
	BelowUnits    Rejection = "MIN_QUANTITY"
	NotApplicable Rejection = "NOT_APPLICABLE"
)

// lower reduces the unit price and keeps the price before all steps in Base.
func (p *Priced) lower(to int64) {
	if to >= p.Unit {
		return
	}
	if p.Base == 0 {
		p.Base = p.Unit
	}
	p.Unit = to
}

// apply records the discount of a promotion, added to what it has already taken off.
func (r *Receipt) apply(a Applied) {
	if a.Amount == 0 && a.Kind != string(KindGift) {
		return
	}
	for i := range r.Applied {
		if was := &r.Applied[i]; was.Promotion == a.Promotion && was.Kind == a.Kind {
			was.Amount += a.Amount
			return
		}
	}
	r.Applied = append(r.Applied, a)
}

func (p *Promotion) applied(amount int64) Applied {
	return Applied{Promotion: shop.Int64(p.ID), Name: p.Name, Kind: string(p.Kind), Code: p.Code, Amount: amount}
}

// sums returns the total and the units of the lines, without gifts; with a scope, only of the
// lines in it.
func sums(lines []Priced, in *Scope) (sum, units int64) {
	for i := range lines {
		if l := &lines[i]; !l.Gift && (in == nil || in.holds(l.Product)) {
			sum, units = sum+l.Total(), units+l.Quantity
		}
	}
	return sum, units
}

// barrier returns what prevents a promotion from firing on a sum and a number of units, or "". Of
// several reasons it returns the first in the order of the contract.
func (p *Promotion) barrier(c *Cart, sum, units int64) Rejection {
	var used Usage
	if p.Limits != (Limits{}) {
		used = c.Usage[p.ID]
	}
	switch {
	case c.At.Before(p.Starts):
		return NotStarted
	case !p.running(c.At):
		return Expired
	case p.Limits.Total > 0 && used.Used >= p.Limits.Total:
		return Exhausted
	case p.Limits.Budget > 0 && used.Spent >= p.Limits.Budget:
		return BudgetSpent
	case p.Limits.PerBuyer > 0 && used.ByBuyer >= p.Limits.PerBuyer:
		return AlreadyUsed
	case sum < p.MinTotal:
		return BelowTotal
	case units < p.MinUnits:
		return BelowUnits
	case !p.eligible(c):
		return NotApplicable
	}
	return ""
}

// eligible reports whether this buyer may use the promotion.
func (p *Promotion) eligible(c *Cart) bool {
	return !(p.FirstOnly && c.Buyer.Ordered) && p.among(c.Buyer.Groups)
}

func (p *Promotion) among(groups []shop.CustomerGroupID) bool {
	return len(p.Groups) == 0 || slices.ContainsFunc(p.Groups, func(g shop.CustomerGroupID) bool { return slices.Contains(groups, g) })
}

// exceedsBudget reports whether a discount exceeds the remaining budget.
func (p *Promotion) exceedsBudget(c *Cart, amount int64) bool {
	return p.Limits.Budget > 0 && amount > p.Limits.Budget-c.Usage[p.ID].Spent
}
