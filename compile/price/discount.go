package price

import "slices"

// discounts applies to each line the promotion that makes it cheapest; ties go to the lower
// priority, then id. Sets and configurations have their own prices and are skipped. A promotion
// whose discount would exceed its remaining budget is dropped, and the lines are compared again
// without it.
func discounts(c *Cart, r *Receipt, explain *notes) {
	if c.Offers == nil || len(c.Offers.discounts) == 0 {
		return
	}
	on := &firing{c: c, lines: r.Lines, state: make([]fireState, len(c.Offers.discounts))}
	if explain != nil || c.Hints {
		explainSkipped(on, r, explain)
	}
	won := make([]*Promotion, len(r.Lines))
	for again := true; again; {
		again = false
		for i := range r.Lines {
			won[i] = c.Offers.reach.cheapest(on, &r.Lines[i])
		}
		for p, amount := range budgeted(r.Lines, won) {
			if p.exceedsBudget(c, amount) {
				explain.skip(p, string(BudgetSpent))
				on.state[p.rank], again = no, true
			}
		}
	}
	var units []int64 // before the discounts, to explain the losers
	if explain != nil {
		units = unitsOf(r.Lines)
		for _, p := range c.Offers.discounts {
			on.fires(p) // evaluated with the sums before the discounts
		}
	}
	for i, p := range won {
		if p == nil {
			continue
		}
		line := &r.Lines[i]
		before := line.Unit
		line.lower(p.off(before))
		line.Promotion = p.Name
		explain.add(line, p.Name, before, line.Unit, "the lowest price of this line")
		r.apply(p.applied((before - line.Unit) * line.Quantity))
	}
	if explain != nil {
		explainLost(on, r, units, won, explain)
	}
}

// maxLost limits how many losing promotions are explained per line: the response must not grow
// with lines times promotions.
const maxLost = 10

// explainLost explains why discounts that fire did not win a line: another one makes it as cheap or
// cheaper, or they apply to nothing in the cart. units are the unit prices before the discounts,
// won the winner of each line.
func explainLost(on *firing, r *Receipt, units []int64, won []*Promotion, explain *notes) {
	told := make([]int, len(r.Lines))
	for _, p := range on.c.Offers.discounts {
		if !on.fires(p) {
			continue
		}
		silent := !slices.Contains(won, p)
		why := string(NotApplicable)
		for i, winner := range won {
			line := &r.Lines[i]
			if winner == nil || winner == p || !p.Scope.holds(line.Product) || p.off(units[i]) >= units[i] {
				continue
			}
			if why = lostTo(winner); told[i] < maxLost {
				told[i]++
				silent = false
				explain.add(line, p.Name, line.Unit, line.Unit, why)
			}
		}
		if silent {
			explain.skip(p, why)
		}
	}
}

func unitsOf(lines []Priced) []int64 {
	units := make([]int64, len(lines))
	for i := range lines {
		units[i] = lines[i].Unit
	}
	return units
}

func lostTo(winner *Promotion) string {
	return "another promotion makes this line as cheap or cheaper: " + winner.Name
}

// explainSkipped explains all discounts that do not fire, and records what is missing for them.
func explainSkipped(on *firing, r *Receipt, explain *notes) {
	for _, p := range on.c.Offers.discounts {
		sum, units := on.sums(p)
		why := p.barrier(on.c, sum, units)
		if why != "" {
			explain.skip(p, string(why))
		}
		if (why == BelowTotal || why == BelowUnits) && slices.ContainsFunc(r.Lines, func(l Priced) bool { return p.Scope.holds(l.Product) }) {
			r.near(on.c, p, why, sum, units)
		}
	}
}

// budgeted sums up what the discounts with a budget would take off the lines they won; nil if
// none has a budget.
func budgeted(lines []Priced, won []*Promotion) (amounts map[*Promotion]int64) {
	for i, p := range won {
		if p == nil || p.Limits.Budget == 0 {
			continue
		}
		if amounts == nil {
			amounts = map[*Promotion]int64{}
		}
		amounts[p] += (lines[i].Unit - p.off(lines[i].Unit)) * lines[i].Quantity
	}
	return amounts
}
