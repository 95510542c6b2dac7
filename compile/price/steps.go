package price

import (
	"cmp"
	"math/bits"
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

// quantities applies the quantity tiers to lines.
func quantities(c *Cart, r *Receipt, explain *notes) {
	if c.Offers == nil || len(c.Offers.rules)+len(c.Offers.byRubric) == 0 {
		return
	}
	rules := make([]*Rule, len(r.Lines))
	byProduct, byRule := map[shop.ProductID]int64{}, map[*Rule]int64{}
	for i := range r.Lines {
		line := &r.Lines[i]
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

// gifts inserts the gifts, each after the line that brought it. A gift is left out if its stock
// does not suffice after everything that the cart itself takes.
func gifts(c *Cart, r *Receipt, explain *notes) {
	if c.Offers == nil || len(r.Lines) == 0 {
		return
	}
	want := map[shop.ProductID]int64{}
	for i := range r.Lines {
		l := &r.Lines[i]
		for _, part := range l.Product.Set {
			want[part.Product.ID] += part.Quantity * l.Quantity
		}
		if len(l.Product.Set) == 0 {
			want[l.Product.ID] += l.Quantity
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
		case good.Left != nil && want[p.Gift.Product]+n > *good.Left:
			explain.skip(p, "there are too few of the gift")
			continue
		}
		want[p.Gift.Product] += n
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

// code applies the code of the cart, or records why it is rejected.
func code(c *Cart, r *Receipt, explain *notes) {
	if c.Code == "" {
		return
	}
	p, why := c.codePromotion()
	if why == "" {
		var amount int64
		if amount, why = r.take(c, p); why == "" {
			a := p.applied(amount)
			a.Code = c.Code
			explain.order(a, r.Subtotal, r.Subtotal-amount)
			r.Subtotal -= amount
			r.apply(a)
			return
		}
	}
	r.Rejected = why
	if p != nil {
		explain.skip(p, string(why))
		r.nearRest(c, p, why)
	}
}

// codePromotion returns the promotion that the code of the cart belongs to.
func (c *Cart) codePromotion() (p *Promotion, why Rejection) {
	if c.Offers == nil {
		return nil, NotFound
	}
	if p := c.Offers.codes[c.Code]; p != nil {
		return p, ""
	}
	own := c.Personal
	if own == nil || own.Buyer != c.Buyer.ID || c.Buyer.ID == 0 || c.Offers.campaigns[own.Campaign] == nil {
		return nil, NotFound
	}
	p = c.Offers.campaigns[own.Campaign]
	switch {
	case c.At.Before(p.Starts):
		return p, NotStarted
	case !own.Ends.IsZero() && !c.At.Before(own.Ends):
		return p, Expired
	case own.Used:
		return p, AlreadyUsed
	}
	return p, ""
}
