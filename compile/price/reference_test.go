package price

import (
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"vitrine/internal/shop"
)

var carts = flag.Int("carts", 20_000, "how many random carts to compare with the reference")

// The engine agrees with a second implementation, written differently, on every random cart:
// exact fractions, one pass per promotion, no state in between.
func TestPriceAgreesWithReference(t *testing.T) {
	for i := range *carts {
		r := rand.New(rand.NewPCG(1, uint64(i)))
		c := cartAtRandom(r)
		got := receiptText(Price(c))
		if want, _ := reference(c); got != want {
			t.Fatalf("cart %d: %s\nwant %s\n%s", i, got, want, describe(c))
		}
	}
}

// receiptText formats a receipt in one line.
func receiptText(r *Receipt) string {
	text := fmt.Sprint(r.Before, " ", r.Subtotal, " ", r.Rejected)
	text += deliveryText(r)
	for _, l := range r.Lines {
		text += fmt.Sprintf(" [%d %s %d x %d base %d %v]", l.Product.ID, l.Key, l.Quantity, l.Unit, l.Base, l.Gift)
	}
	applied := slices.Clone(r.Applied)
	slices.SortFunc(applied, func(a, b Applied) int { return int(a.Promotion - b.Promotion) })
	for _, a := range applied {
		text += fmt.Sprintf(" {%d %s %d}", a.Promotion, a.Code, a.Amount)
	}
	return text
}

func describe(c *Cart) (text string) {
	for _, l := range c.Lines {
		text += fmt.Sprintf("%+v %+v\n", l, *l.Product)
	}
	return text + fmt.Sprintf("%+v\n%+v\n%+v %+v", *c.Offers, c.Usage, c.Buyer, c.Personal)
}

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// cartAtRandom draws from few products and categories, so that rules and promotions often
// overlap.
func cartAtRandom(r *rand.Rand) *Cart {
	some := func(n int) int64 { return int64(r.IntN(n)) }
	of := func(n int64) *int64 { return &n }
	products := make([]*Product, 6)
	for i := range products {
		products[i] = &Product{ID: shop.ProductID(i + 1), Price: some(2000), Configurable: r.IntN(2) == 0}
		for n := range 3 {
			if r.IntN(3) == 0 {
				products[i].Categories = append(products[i].Categories, shop.CategoryID(n+1))
			}
		}
		products[i].Path = products[i].Categories
	}
	products[1].ByVariant = r.IntN(2) == 0
	products[1].Variants = []Variant{{ID: 50, Price: of(some(900))}, {ID: 51}}
	products[5].Set, products[5].Percent = []Component{{products[0], 0, 2}, {products[1], 50, 1}}, some(10_001)
	c := &Cart{At: noon, Usage: map[int64]Usage{}, Gifts: map[shop.ProductID]*GiftGood{}, Buyer: Buyer{ID: shop.UserID(some(2)), Ordered: r.IntN(2) == 0, Groups: []shop.CustomerGroupID{shop.CustomerGroupID(some(3))}}}
	for i := range 1 + r.IntN(6) {
		line := Line{Product: products[r.IntN(6)], Key: fmt.Sprint("k", i), Quantity: 1 + some(8)}
		switch r.IntN(4) {
		case 0:
			line.Choice.Variant = shop.VariantID(50 + some(3))
		case 1:
			line.Choice.Configured = of(some(500))
		}
		if r.IntN(6) == 0 {
			line.Agreed = of(some(2000))
		}
		c.Lines = append(c.Lines, line)
	}
	scope := func() (s Scope) {
		if r.IntN(3) == 0 {
			s.Products = map[shop.ProductID]bool{shop.ProductID(1 + some(6)): true, shop.ProductID(1 + some(6)): true}
		}
		if r.IntN(4) == 0 {
			s.Categories = map[shop.CategoryID]bool{shop.CategoryID(1 + some(3)): true}
		}
		if r.IntN(5) == 0 {
			s.Exclude = map[shop.ProductID]bool{shop.ProductID(1 + some(6)): true}
		}
		return s
	}
	var rules []Rule
	for i := range r.IntN(3) {
		rule := Rule{ID: int64(100 + i), Name: "rule", Count: []Count{CountLine, CountProduct, CountRule}[r.IntN(3)]}
		if r.IntN(2) == 0 {
			rule.Products = []shop.ProductID{shop.ProductID(1 + some(6))}
		}
		rule.Categories = []shop.CategoryID{shop.CategoryID(1 + some(3))}
		from := int64(1)
		for range 1 + r.IntN(3) {
			from += 1 + some(3)
			tier := Tier{From: from, Points: some(10_001)}
			if r.IntN(3) == 0 {
				tier.Price = of(some(1500))
			}
			rule.Tiers = append(rule.Tiers, tier)
		}
		rules = append(rules, rule)
	}
	var promotions []Promotion
	for i := range r.IntN(9) {
		p := Promotion{
			ID: int64(i + 1), Name: fmt.Sprint("p", i), Kind: []Kind{KindDiscount, KindDiscount, KindOrder, KindOrder, KindGift, KindCoupon, KindPersonal}[r.IntN(7)],
			Priority: r.IntN(3), Exclusive: r.IntN(3) == 0, Scope: scope(), FirstOnly: r.IntN(8) == 0,
		}
		if r.IntN(2) == 0 {
			p.Points = 1 + some(10_000)
		} else {
			p.Amount = 1 + some(1500)
		}
		if r.IntN(4) == 0 {
			p.MinTotal = some(4000)
		}
		if r.IntN(5) == 0 {
			p.MinUnits = some(10)
		}
		if r.IntN(6) == 0 {
			p.Starts = noon.Add(time.Duration(some(3)-1) * time.Hour)
		}
		if r.IntN(6) == 0 {
			p.Ends = noon.Add(time.Duration(some(3)-1) * time.Hour)
		}
		if r.IntN(8) == 0 {
			p.Groups = []shop.CustomerGroupID{shop.CustomerGroupID(some(3))}
		}
		if r.IntN(4) == 0 {
			p.Limits = Limits{Total: some(3), PerBuyer: some(3), Budget: some(3000)}
			c.Usage[p.ID] = Usage{Used: some(3), Spent: some(2000), ByBuyer: some(3)}
		}
		p.Gift = Gift{Product: shop.ProductID(1 + some(6)), Quantity: 1 + some(2), Per: some(4)}
		if p.Gift.Product == 2 {
			p.Gift.Variant = []shop.VariantID{0, 50, 51, 52}[r.IntN(4)]
		}
		switch p.Kind {
		case KindCoupon:
			p.Code = fmt.Sprint("C", some(3))
		case KindPersonal:
			if c.Personal == nil {
				c.Personal = &Personal{Campaign: p.ID, Buyer: shop.UserID(some(2)), Used: r.IntN(4) == 0}
			}
		}
		promotions = append(promotions, p)
	}
	for _, p := range products {
		if r.IntN(4) > 0 {
			good := &GiftGood{Product: p}
			if r.IntN(2) == 0 {
				good.Left = of(some(20))
			}
			for _, v := range p.Variants {
				if good.Variants == nil {
					good.Variants = map[shop.VariantID]*int64{}
				}
				if good.Variants[v.ID] = of(some(20)); r.IntN(3) == 0 {
					good.Variants[v.ID] = nil
				}
			}
			c.Gifts[p.ID] = good
		}
	}
	c.Code = []string{"", "C0", "C1", "P"}[r.IntN(4)]
	if c.Code != "P" {
		c.Personal = nil
	}
	c.Offers = NewOffers(rules, promotions, nil)
	deliveriesAtRandom(r, c)
	return c
}

// reference prices a cart by the text of the contract. It shares the types with the engine, but
// none of its code. after is what each line of the cart costs after all discounts.
func reference(c *Cart) (text string, after []*big.Rat) {
	type entry struct {
		Line
		first, unit *big.Rat
		gift        bool
		source      int
	}
	whole := func(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }
	half := big.NewRat(1, 2)
	round := func(x *big.Rat) *big.Rat { // half up; nothing is negative
		y := new(big.Rat).Add(x, half)
		return new(big.Rat).SetInt(new(big.Int).Quo(y.Num(), y.Denom()))
	}
	times := func(a *big.Rat, n int64) *big.Rat { return new(big.Rat).Mul(a, whole(n)) }
	least := func(a, b *big.Rat) *big.Rat {
		if a.Cmp(b) <= 0 {
			return a
		}
		return b
	}
	fraction := func(points int64) *big.Rat { return big.NewRat(points, 10_000) }
	minus := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }
	plus := func(a, b *big.Rat) *big.Rat { return new(big.Rat).Add(a, b) }
	zero := new(big.Rat)

	own := func(p *Product, variant int64) (price *big.Rat, found bool) {
		for _, v := range p.Variants {
			if int64(v.ID) == variant && variant != 0 {
				if v.Price != nil {
					return whole(*v.Price), true
				}
				return whole(p.Price), true
			}
		}
		return whole(p.Price), false
	}
	source := func(p *Product, ch Choice) (*big.Rat, int) {
		if len(p.Set) > 0 {
			sum := zero
			for _, part := range p.Set {
				each, _ := own(part.Product, int64(part.Variant))
				sum = plus(sum, times(each, part.Quantity))
			}
			return round(new(big.Rat).Mul(sum, minus(whole(1), fraction(p.Percent)))), 1
		}
		if ch.Variant != 0 {
			if price, found := own(p, int64(ch.Variant)); found {
				return price, 2
			}
			return whole(p.Price), 4
		}
		if ch.Configured != nil && p.Configurable {
			return whole(*ch.Configured), 3
		}
		return whole(p.Price), 4
	}
	var list []entry
	before := zero
	for _, l := range c.Lines {
		price, from := source(l.Product, l.Choice)
		if l.Agreed != nil {
			price, from = whole(*l.Agreed), 5
		}
		list = append(list, entry{Line: l, first: price, unit: price, source: from})
		before = plus(before, times(price, l.Quantity))
	}
	amounts, codes := map[int64]*big.Rat{}, map[int64]string{}
	note := func(id int64, code string, amount *big.Rat) {
		if amounts[id] == nil {
			amounts[id] = zero
		}
		amounts[id], codes[id] = plus(amounts[id], amount), code
	}
	// 2. Quantity rules.
	ruleOf := func(p *Product) (found *Rule) {
		if r, ok := c.Offers.rules[p.ID]; ok {
			return r
		}
		for i := len(p.Path) - 1; i >= 0; i-- {
			if r, ok := c.Offers.byRubric[p.Path[i]]; ok {
				found = r
			}
		}
		return found
	}
	for i := range list {
		rule := ruleOf(list[i].Product)
		if rule == nil || list[i].source == 5 {
			continue
		}
		var n int64
		for j := range list {
			if list[j].source == 5 {
				continue
			}
			same := map[Count]bool{CountLine: i == j, CountProduct: list[i].Product.ID == list[j].Product.ID, CountRule: ruleOf(list[j].Product) == rule}
			if same[rule.Count] {
				n += list[j].Quantity
			}
		}
		var tier *Tier
		for k := range rule.Tiers {
			if rule.Tiers[k].From <= n {
				tier = &rule.Tiers[k]
			}
		}
		if tier == nil {
			continue
		}
		price := round(new(big.Rat).Mul(list[i].unit, minus(whole(1), fraction(tier.Points))))
		if tier.Price != nil {
			price = least(whole(*tier.Price), list[i].unit)
		}
		if price.Cmp(list[i].unit) < 0 {
			note(rule.ID, "", times(minus(list[i].unit, price), list[i].Quantity))
			list[i].unit = price
		}
	}
	in := func(p *Promotion, x *Product) bool {
		ok := !p.Scope.Exclude[x.ID] && (p.Scope.Products == nil || p.Scope.Products[x.ID])
		if ok && p.Scope.Categories != nil {
			ok = false
			for _, id := range x.Categories {
				ok = ok || p.Scope.Categories[id]
			}
		}
		return ok
	}
	fires := func(p *Promotion, sum *big.Rat, n int64, amount *big.Rat) string {
		u := c.Usage[p.ID]
		grouped := len(p.Groups) == 0
		for _, g := range p.Groups {
			grouped = grouped || slices.Contains(c.Buyer.Groups, g)
		}
		for _, reason := range []struct {
			bars bool
			why  string
		}{
			{p.Starts.After(c.At), "NOT_STARTED"}, {!p.Ends.IsZero() && !p.Ends.After(c.At), "EXPIRED"},
			{p.Limits.Total != 0 && u.Used >= p.Limits.Total, "EXHAUSTED"},
			{p.Limits.Budget != 0 && (u.Spent >= p.Limits.Budget || amount != nil && whole(p.Limits.Budget-u.Spent).Cmp(amount) < 0), "BUDGET_SPENT"},
			{p.Limits.PerBuyer != 0 && u.ByBuyer >= p.Limits.PerBuyer, "ALREADY_USED"},
			{sum.Cmp(whole(p.MinTotal)) < 0, "MIN_TOTAL"}, {n < p.MinUnits, "MIN_QUANTITY"},
			{p.FirstOnly && c.Buyer.Ordered || !grouped, "NOT_APPLICABLE"},
		} {
			if reason.bars {
				return reason.why
			}
		}
		return ""
	}
	// 3. Line promotions.
	narrowed := func(p *Promotion) (sum *big.Rat, units int64) {
		sum = zero
		for _, e := range list {
			if in(p, e.Product) {
				sum, units = plus(sum, times(e.unit, e.Quantity)), units+e.Quantity
			}
		}
		return sum, units
	}
	lowered := func(p *Promotion, unit *big.Rat) *big.Rat {
		if p.Points > 0 {
			return round(new(big.Rat).Mul(unit, minus(whole(1), fraction(p.Points))))
		}
		if whole(p.Amount).Cmp(unit) >= 0 {
			return zero
		}
		return minus(unit, whole(p.Amount))
	}
	barred := map[int64]bool{}
	for {
		chosen, spent := make([]*Promotion, len(list)), map[int64]*big.Rat{}
		for i, e := range list {
			if e.source == 1 || e.source == 3 || e.source == 5 {
				continue
			}
			best := e.unit
			for _, p := range c.Offers.discounts {
				sum, units := narrowed(p)
				if price := lowered(p, e.unit); !barred[p.ID] && fires(p, sum, units, nil) == "" && in(p, e.Product) && price.Cmp(best) < 0 {
					best, chosen[i] = price, p
				}
			}
			if p := chosen[i]; p != nil {
				if spent[p.ID] == nil {
					spent[p.ID] = zero
				}
				spent[p.ID] = plus(spent[p.ID], times(minus(e.unit, best), e.Quantity))
			}
		}
		again := false
		for _, p := range c.Offers.discounts {
			if spent[p.ID] != nil && p.Limits.Budget != 0 && spent[p.ID].Cmp(whole(p.Limits.Budget-c.Usage[p.ID].Spent)) > 0 {
				barred[p.ID], again = true, true
			}
		}
		if again {
			continue
		}
		for i, p := range chosen {
			if p != nil {
				price := lowered(p, list[i].unit)
				note(p.ID, "", times(minus(list[i].unit, price), list[i].Quantity))
				list[i].unit = price
			}
		}
		break
	}
	// 4. Gifts.
	taken := map[string]int64{} // by what is counted: a product, or a variant of one that is counted by variant
	counted := func(p *Product, v shop.VariantID) string {
		if p.ByVariant {
			return fmt.Sprint(p.ID, " in variant ", v)
		}
		return fmt.Sprint(p.ID)
	}
	for _, e := range list {
		for _, part := range e.Product.Set {
			taken[counted(part.Product, part.Variant)] += part.Quantity * e.Quantity
		}
		if e.Product.Set == nil {
			taken[counted(e.Product, e.Choice.Variant)] += e.Quantity
		}
	}
	bought := slices.Clone(list)
	behind := make([][]entry, len(list))
	for _, p := range c.Offers.gifts {
		sum, n, first := zero, int64(0), -1
		for i, e := range bought {
			if in(p, e.Product) {
				sum, n = plus(sum, times(e.unit, e.Quantity)), n+e.Quantity
				if first < 0 {
					first = i
				}
			}
		}
		count := p.Gift.Quantity
		if p.Gift.Per > 0 {
			count = p.Gift.Quantity * (n / p.Gift.Per)
		}
		good := c.Gifts[p.Gift.Product]
		if fires(p, sum, n, nil) != "" || good == nil || first < 0 || count == 0 {
			continue
		}
		stock, exists := good.Left, true
		if good.Product.ByVariant {
			stock, exists = good.Variants[p.Gift.Variant]
		}
		if gift := counted(good.Product, p.Gift.Variant); !exists || stock != nil && taken[gift]+count > *stock {
			continue
		} else {
			taken[gift] += count
		}
		worth, _ := source(good.Product, Choice{Variant: p.Gift.Variant})
		behind[first] = append(behind[first], entry{Line: Line{Product: good.Product, Key: fmt.Sprint("gift-", p.ID), Quantity: count, Choice: Choice{Variant: p.Gift.Variant}}, first: worth, unit: zero, gift: true})
		note(p.ID, "", zero)
	}
	// 5. Order promotions, on what is left of each line.
	left := make([]*big.Rat, len(bought))
	for i, e := range bought {
		left[i] = times(e.unit, e.Quantity)
	}
	take := func(p *Promotion, from []*big.Rat) (after []*big.Rat, amount *big.Rat, why string) {
		sum, n := zero, int64(0)
		for i, e := range bought {
			if in(p, e.Product) {
				sum, n = plus(sum, from[i]), n+e.Quantity
			}
		}
		amount = least(whole(p.Amount), sum)
		if p.Points > 0 {
			amount = least(round(new(big.Rat).Mul(sum, fraction(p.Points))), sum)
		}
		if why = fires(p, sum, n, amount); why == "" && amount.Sign() == 0 {
			why = "NOT_APPLICABLE"
		}
		if why != "" {
			return from, zero, why
		}
		after = slices.Clone(from)
		rest := amount
		type remainder struct {
			at   int
			rest *big.Rat
		}
		var order []remainder
		for i, e := range bought {
			if !in(p, e.Product) {
				continue
			}
			exact := new(big.Rat).Quo(new(big.Rat).Mul(amount, from[i]), sum)
			floor := new(big.Rat).SetInt(new(big.Int).Quo(exact.Num(), exact.Denom()))
			after[i], rest = minus(from[i], floor), minus(rest, floor)
			order = append(order, remainder{i, minus(exact, floor)})
		}
		slices.SortStableFunc(order, func(a, b remainder) int { return b.rest.Cmp(a.rest) })
		for i := 0; rest.Sign() > 0; i++ {
			after[order[i].at], rest = minus(after[order[i].at], whole(1)), minus(rest, whole(1))
		}
		return after, amount, ""
	}
	stackLeft, stack, stacked := left, zero, map[int64]*big.Rat{}
	for _, p := range c.Offers.orders {
		if !p.Exclusive {
			var amount *big.Rat
			if stackLeft, amount, _ = take(p, stackLeft); amount.Sign() > 0 {
				stack, stacked[p.ID] = plus(stack, amount), amount
			}
		}
	}
	bestLeft, best, winner := stackLeft, stack, int64(0)
	for _, p := range c.Offers.orders {
		if p.Exclusive {
			if after, amount, _ := take(p, left); amount.Cmp(best) > 0 {
				bestLeft, best, winner = after, amount, p.ID
			}
		}
	}
	if winner != 0 {
		stacked = map[int64]*big.Rat{winner: best}
	}
	for id, amount := range stacked {
		note(id, "", amount)
	}
	// 6. The code.
	rejected := ""
	if c.Code != "" {
		p, mine := c.Offers.codes[c.Code]
		if !mine && c.Personal != nil && c.Personal.Buyer == c.Buyer.ID && c.Buyer.ID != 0 && c.Offers.campaigns[c.Personal.Campaign] != nil {
			p = c.Offers.campaigns[c.Personal.Campaign]
			if c.Personal.Used && !p.Starts.After(c.At) {
				rejected = "ALREADY_USED"
			}
		}
		if p == nil {
			rejected = "NOT_FOUND"
		}
		if rejected == "" {
			var amount *big.Rat
			if bestLeft, amount, rejected = take(p, bestLeft); rejected == "" {
				note(p.ID, c.Code, amount)
			}
		}
	}
	sub := zero
	for _, x := range bestLeft {
		sub = plus(sub, x)
	}
	text = before.RatString() + " " + sub.RatString() + " " + rejected
	var goods []Line
	for i, e := range list {
		goods = append(goods, e.Line)
		for _, g := range behind[i] {
			goods = append(goods, g.Line)
		}
	}
	text += deliveryReference(c, sub, goods)
	show := func(e entry) {
		base := "0"
		if e.gift || e.first.Cmp(e.unit) > 0 {
			base = e.first.RatString()
		}
		text += fmt.Sprintf(" [%d %s %d x %s base %s %v]", e.Product.ID, e.Key, e.Quantity, e.unit.RatString(), base, e.gift)
	}
	for i, e := range list {
		show(e)
		for _, g := range behind[i] {
			show(g)
		}
	}
	var ids []int64
	for id := range amounts {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		text += fmt.Sprintf(" {%d %s %s}", id, codes[id], amounts[id].RatString())
	}
	return text, bestLeft
}
