package price

import (
	"cmp"
	"math/bits"
	"slices"

	"vitrine/internal/shop"
)

// orderSums prepares the steps that work on sums: the remaining price of each line.
func orderSums(_ *Cart, r *Receipt, _ *notes) {
	r.left = make([]int64, len(r.Lines))
	r.Subtotal = 0
	for i := range r.Lines {
		r.left[i] = r.Lines[i].Total()
		r.Subtotal += r.left[i]
	}
}

// orders applies the order discounts, each to the remaining sum: all stackable ones, or the
// exclusive one that takes off more than all of them.
func orders(c *Cart, r *Receipt, explain *notes) {
	if c.Offers == nil || len(c.Offers.orders) == 0 {
		return
	}
	before := slices.Clone(r.left)
	stack, most := int64(0), int64(0)
	var taken []Applied
	var alone *Promotion
	for _, p := range c.Offers.orders {
		if p.Exclusive {
			continue
		}
		if amount, why := r.take(c, p); why == "" {
			stack += amount
			taken = append(taken, p.applied(amount))
		} else {
			explain.skip(p, string(why))
			r.nearRest(c, p, why)
		}
	}
	stacked := r.left
	for _, p := range c.Offers.orders {
		if !p.Exclusive {
			continue
		}
		r.left = slices.Clone(before)
		amount, why := r.take(c, p)
		switch {
		case why != "":
			explain.skip(p, string(why))
			r.nearRest(c, p, why)
		case amount > most:
			if alone != nil {
				explain.skip(alone, orderLost)
			}
			most, alone = amount, p
		default:
			explain.skip(p, orderLost)
		}
	}
	r.left = stacked
	switch {
	case alone == nil:
	case most <= stack:
		explain.skip(alone, orderLost)
	default:
		for _, a := range taken {
			explain.skip(&Promotion{Name: a.Name}, orderLost)
		}
		r.left = before
		if amount, why := r.take(c, alone); why == "" {
			taken, stack = []Applied{alone.applied(amount)}, amount
		}
	}
	for _, a := range taken {
		explain.order(a, r.Subtotal, r.Subtotal-a.Amount)
		r.Subtotal -= a.Amount
		r.apply(a)
	}
}

// orderLost is why an order discount that fires is not applied.
const orderLost = "other promotions take more off the order"

// near records a promotion that would fire with a larger amount or quantity in its scope.
func (r *Receipt) near(c *Cart, p *Promotion, why Rejection, sum, units int64) {
	if !c.Hints || units == 0 || !p.eligible(c) {
		return
	}
	n := Near{Promotion: shop.Int64(p.ID), Name: p.Name, Kind: string(p.Kind)}
	switch why {
	case BelowTotal:
		n.Amount = p.MinTotal - sum
	case BelowUnits:
		n.Quantity = max(p.MinUnits, p.Gift.Per) - units
	default:
		return
	}
	r.Near = append(r.Near, n)
}

// nearRest is near for a promotion on the remaining sums of lines.
func (r *Receipt) nearRest(c *Cart, p *Promotion, why Rejection) {
	if !c.Hints {
		return
	}
	sum, units, _ := r.rest(&p.Scope)
	r.near(c, p, why, sum, units)
}

// rest returns the remaining sum and the units of the lines in a scope, and their indexes, which
// are valid until the next call.
func (r *Receipt) rest(in *Scope) (sum, units int64, lines []int) {
	lines = r.lines[:0]
	for i := range r.Lines {
		if l := &r.Lines[i]; !l.Gift && in.holds(l.Product) {
			sum, units, lines = sum+r.left[i], units+l.Quantity, append(lines, i)
		}
	}
	r.lines = lines
	return sum, units, lines
}

// take deducts a promotion from the lines in its scope, based on their remaining sums. It returns
// the amount, or why the promotion does not fire.
func (r *Receipt) take(c *Cart, p *Promotion) (amount int64, why Rejection) {
	sum, units, lines := r.rest(&p.Scope)
	why = p.barrier(c, sum, units)
	if amount = p.discount(sum); p.exceedsBudget(c, amount) && why != NotStarted && why != Expired && why != Exhausted {
		return 0, BudgetSpent
	}
	switch {
	case why != "":
		return 0, why
	case amount == 0:
		return 0, NotApplicable
	}
	r.spread(lines, amount, sum)
	return amount, ""
}

// spread distributes an amount over lines in proportion to their remaining sums, whose total is
// sum, by largest remainder, ties to the earlier line.
func (r *Receipt) spread(lines []int, amount, sum int64) {
	parts := r.parts[:0]
	missing := amount
	for _, i := range lines {
		whole, rest := muldiv(amount, r.left[i], sum)
		r.left[i] -= whole
		missing -= whole
		parts = append(parts, part{i, rest})
	}
	r.parts = parts
	if missing == 0 {
		return
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Or(cmp.Compare(b.rest, a.rest), cmp.Compare(a.line, b.line)) })
	for _, p := range parts[:missing] {
		r.left[p.line]--
	}
}

// part is a line's share of an amount, rounded down.
type part struct {
	line int
	rest uint64 // the remainder; the largest get one unit back first
}

// muldiv returns a*b/of rounded down, and the remainder, without intermediate overflow.
func muldiv(a, b, of int64) (whole int64, rest uint64) {
	if of == 0 {
		return 0, 0
	}
	high, low := bits.Mul64(uint64(a), uint64(b))
	quotient, rest := bits.Div64(high, low, uint64(of))
	return int64(quotient), rest
}
