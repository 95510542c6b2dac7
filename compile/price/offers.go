package price

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"
	"time"

	"vitrine/internal/shop"
)

// Offers holds the compiled discounts of a shop. It is built once for a version of the shop and
// shared by all carts. A nil Offers has no discounts.
type Offers struct {
	rules     map[shop.ProductID]*Rule
	byRubric  map[shop.CategoryID]*Rule
	discounts []*Promotion // by priority, then id, like the other lists
	reach     reach        // of discounts
	shelf     *Offers      // the discounts alone, to price single units
	gifts     []*Promotion
	orders    []*Promotion
	codes     map[string]*Promotion // coupons
	campaigns map[int64]*Promotion  // of personal coupons
	used      map[int64]Usage       // usage of promotions at compile time, for the prices on pages

	digests func() [][]byte // everything that determines each discount, computed once

	allRules      []Rule // the input
	allPromotions []Promotion
}

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

// Kind is the effect of a promotion.
type Kind string

// The kinds.
const (
	KindDiscount Kind = "discount"
	KindOrder    Kind = "order_discount"
	KindCoupon   Kind = "coupon"
	KindGift     Kind = "gift"
	KindPersonal Kind = "personal_coupon"
	KindQuantity Kind = "quantity" // of a rule, in Receipt.Applied
)

// Promotion is one promotion as used for pricing (CONTRACT-COMMERCE, "Promotions").
type Promotion struct {
	ID        int64
	Name      string
	Kind      Kind
	Starts    time.Time // zero: no start
	Ends      time.Time // zero: no end
	Priority  int
	Exclusive bool
	Code      string // of a coupon, in upper case
	Scope     Scope
	MinTotal  int64
	MinUnits  int64
	FirstOnly bool
	Groups    []shop.CustomerGroupID // customer groups; empty: everybody
	Points    int64                  // basis points off; 0: Amount
	Amount    int64
	Gift      Gift
	Limits    Limits

	rank int // among the discounts
}

// Gift is what a promotion gives for free.
type Gift struct {
	Product  shop.ProductID
	Variant  shop.VariantID
	Quantity int64
	Per      int64 // every Per bought units bring Quantity; 0: Quantity once
}

// Limits restrict how often a promotion is used; 0 means unlimited.
type Limits struct{ Total, PerBuyer, Budget int64 }

// Scope restricts a promotion to products. Nil fields don't restrict; the others must all match.
type Scope struct {
	Products   map[shop.ProductID]bool
	Categories map[shop.CategoryID]bool // any of which contains the product, directly or below
	Exclude    map[shop.ProductID]bool

	section shop.CategoryID // the only element of Categories, the usual case: comparing is cheaper than a lookup
	product shop.ProductID  // the only element of Products
}

// compile sets section and product where the maps have one element.
func (s *Scope) compile() {
	for id := range s.Categories {
		s.section = id
	}
	for id := range s.Products {
		s.product = id
	}
	if len(s.Categories) != 1 {
		s.section = 0
	}
	if len(s.Products) != 1 {
		s.product = 0
	}
}

func (s *Scope) holds(p *Product) bool {
	if s.Products != nil && s.product != p.ID && (s.product != 0 || !s.Products[p.ID]) || len(s.Exclude) > 0 && s.Exclude[p.ID] {
		return false
	}
	switch {
	case s.Categories == nil:
		return true
	case s.section != 0:
		return slices.Contains(p.Categories, s.section)
	}
	for _, c := range p.Categories {
		if s.Categories[c] {
			return true
		}
	}
	return false
}

// reach is an index of the discounts that may apply to a product, so that others need not be
// checked.
type reach struct {
	all       []*Promotion
	ofProduct map[shop.ProductID][]*Promotion
	ofSection map[shop.CategoryID][]*Promotion
}

func newReach(discounts []*Promotion) reach {
	r := reach{ofProduct: map[shop.ProductID][]*Promotion{}, ofSection: map[shop.CategoryID][]*Promotion{}}
	for _, p := range discounts {
		switch {
		case p.Scope.Products != nil:
			for id := range p.Scope.Products {
				r.ofProduct[id] = append(r.ofProduct[id], p)
			}
		case p.Scope.Categories != nil:
			for id := range p.Scope.Categories {
				r.ofSection[id] = append(r.ofSection[id], p)
			}
		default:
			r.all = append(r.all, p)
		}
	}
	return r
}

// firing evaluates lazily which discounts fire on a cart.
type firing struct {
	c     *Cart
	lines []Priced
	state []fireState // by rank
}

// fireState caches whether a promotion fires; 0 is unknown.
type fireState uint8

const (
	yes fireState = iota + 1
	no
)

func (f *firing) fires(p *Promotion) bool {
	if f.state[p.rank] == 0 {
		f.state[p.rank] = yes
		if sum, units := f.sums(p); p.barrier(f.c, sum, units) != "" {
			f.state[p.rank] = no
		}
	}
	return f.state[p.rank] == yes
}

// sums returns the total and units of the lines in the scope of a discount. It skips the addition
// for discounts without a minimum.
func (f *firing) sums(p *Promotion) (sum, units int64) {
	if p.MinTotal == 0 && p.MinUnits == 0 {
		return 0, 0
	}
	return sums(f.lines, &p.Scope)
}

// cheapest returns the discount that makes a line cheapest, the first one of equals; nil if none
// makes it cheaper.
func (r *reach) cheapest(on *firing, line *Priced) (best *Promotion) {
	if line.Source == FromSet || line.Source == FromConfiguration {
		return nil
	}
	least := line.Unit
	look := func(list []*Promotion) {
		for _, p := range list {
			to := p.off(line.Unit)
			if (to < least || to == least && best != nil && p.rank < best.rank) && p.Scope.holds(line.Product) && on.fires(p) {
				best, least = p, to
			}
		}
	}
	look(r.all)
	look(r.ofProduct[line.Product.ID])
	for _, c := range line.Product.Categories {
		look(r.ofSection[c])
	}
	return best
}

// NewOffers compiles active rules, promotions and the usage of promotions by id. If two rules
// apply to the same product or category, the one with the lower id wins.
func NewOffers(rules []Rule, promotions []Promotion, used map[int64]Usage) *Offers {
	o := &Offers{
		rules: map[shop.ProductID]*Rule{}, byRubric: map[shop.CategoryID]*Rule{},
		codes: map[string]*Promotion{}, campaigns: map[int64]*Promotion{}, used: used,
		allRules: rules, allPromotions: promotions,
	}
	rules, promotions = slices.Clone(rules), slices.Clone(promotions)
	slices.SortFunc(rules, func(a, b Rule) int { return cmp.Compare(b.ID, a.ID) })
	for i := range rules {
		r := &rules[i]
		for _, id := range r.Products {
			o.rules[id] = r
		}
		for _, id := range r.Categories {
			o.byRubric[id] = r
		}
	}
	slices.SortFunc(promotions, func(a, b Promotion) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.ID, b.ID))
	})
	for i := range promotions {
		p := &promotions[i]
		p.Scope.compile()
		switch p.Kind {
		case KindDiscount:
			o.discounts = append(o.discounts, p)
		case KindGift:
			o.gifts = append(o.gifts, p)
		case KindOrder:
			o.orders = append(o.orders, p)
		case KindCoupon:
			o.codes[p.Code] = p
		case KindPersonal:
			o.campaigns[p.ID] = p
		}
	}
	for i, p := range o.discounts {
		p.rank = i
	}
	o.digests = sync.OnceValue(func() (digests [][]byte) {
		for _, p := range o.discounts {
			digests = append(digests, fmt.Appendf(nil, "%+v %v\n", *p, used[p.ID]))
		}
		return digests
	})
	o.reach = newReach(o.discounts)
	o.shelf = &Offers{discounts: o.discounts, reach: o.reach}
	return o
}

// Without returns the offers for a visitor who does not see all of a shop. It drops rules and
// promotions that apply only to hidden resources or give a hidden product away, together with
// their names. It returns the Offers themselves if nothing is dropped.
func (o *Offers) Without(product func(shop.ProductID) bool, section func(shop.CategoryID) bool) *Offers {
	if o == nil {
		return nil
	}
	rule := func(r Rule) bool {
		return !slices.ContainsFunc(r.Products, not(product)) && !slices.ContainsFunc(r.Categories, not(section)) && len(r.Products)+len(r.Categories) > 0
	}
	promotion := func(p Promotion) bool {
		return all(p.Scope.Products, product) || all(p.Scope.Categories, section) || p.Kind == KindGift && product(p.Gift.Product)
	}
	if !slices.ContainsFunc(o.allRules, rule) && !slices.ContainsFunc(o.allPromotions, promotion) {
		return o
	}
	return NewOffers(slices.DeleteFunc(slices.Clone(o.allRules), rule), slices.DeleteFunc(slices.Clone(o.allPromotions), promotion), o.used)
}

func not[K any](f func(K) bool) func(K) bool { return func(k K) bool { return !f(k) } }

// all reports whether f holds for all ids; it is false for an empty map.
func all[K comparable](ids map[K]bool, f func(K) bool) bool {
	for id := range ids {
		if !f(id) {
			return false
		}
	}
	return len(ids) > 0
}

// giftProducts returns the products that may be given for free at a moment.
func (o *Offers) giftProducts(at time.Time) (ids []shop.ProductID) {
	for _, p := range o.gifts {
		if p.running(at) && !slices.Contains(ids, p.Gift.Product) {
			ids = append(ids, p.Gift.Product)
		}
	}
	return ids
}

// Next returns the first moment after the given one at which prices on pages change without a
// write, because a discount starts or ends; zero for none.
func (o *Offers) Next(after time.Time) (next time.Time) {
	if o == nil {
		return next
	}
	for _, p := range o.discounts {
		for _, at := range [...]time.Time{p.Starts, p.Ends} {
			if at.After(after) && (next.IsZero() || at.Before(next)) {
				next = at
			}
		}
	}
	return next
}

// Requirements lists what the price of a cart depends on besides its products, so that the caller reads
// only what is needed.
type Requirements struct {
	Usage  []int64          // the usage of these promotions
	Buyer  bool             // whether the buyer has ordered before
	Groups bool             // the customer groups of the buyer
	Code   bool             // whether the code of the cart is a personal one
	Gifts  []shop.ProductID // products that may be given for free
}

// Asks returns what the price of a cart with a code depends on at a moment.
func (o *Offers) Asks(code string, at time.Time) (a Requirements) {
	if o == nil {
		return a
	}
	need := func(p *Promotion) {
		if p.Limits != (Limits{}) {
			a.Usage = append(a.Usage, p.ID)
		}
		a.Buyer, a.Groups = a.Buyer || p.FirstOnly, a.Groups || len(p.Groups) > 0
	}
	for _, list := range [...][]*Promotion{o.discounts, o.gifts, o.orders} {
		for _, p := range list {
			if p.running(at) {
				need(p)
			}
		}
	}
	a.Gifts = o.giftProducts(at)
	if code == "" {
		return a
	}
	if p := o.codes[code]; p != nil {
		need(p)
		return a
	}
	a.Code = len(o.campaigns) > 0
	for _, p := range o.campaigns {
		need(p)
	}
	return a
}

// Running returns a fingerprint of the discounts that run at a moment: if two are equal, so is
// every Tag. It is empty if none runs.
func (o *Offers) Running(at time.Time) string {
	if o == nil {
		return ""
	}
	sum, some := fnv.New128a(), false
	for i, p := range o.discounts {
		if p.running(at) {
			some = true
			sum.Write(o.digests()[i])
		}
	}
	if !some {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Tag is the price of one unit of a product for an anonymous visitor, as shown on cards, product
// pages and in feeds.
type Tag struct {
	Price     int64
	Was       int64  // before a discount; 0: not reduced
	Promotion string // name of the discount; empty: none
}

// Discounts reports whether any discount runs at a moment, so that prices on pages may be lower
// than the stored ones.
func (o *Offers) Discounts(at time.Time) bool {
	return o != nil && slices.ContainsFunc(o.discounts, func(p *Promotion) bool { return p.running(at) })
}

// Tag prices one unit of a product, at its own price or that of a variant, like a cart containing
// only this unit.
func (o *Offers) Tag(p *Product, unit int64, at time.Time) Tag {
	if !o.Discounts(at) {
		return Tag{Price: unit}
	}
	single := *p
	single.Price = unit
	r := Price(&Cart{Lines: []Line{{Product: &single, Quantity: 1}}, At: at, Offers: o.shelf, Usage: o.used})
	return Tag{r.Lines[0].Unit, r.Lines[0].Base, r.Lines[0].Promotion}
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

func (p *Promotion) running(at time.Time) bool {
	return !at.Before(p.Starts) && (p.Ends.IsZero() || at.Before(p.Ends))
}

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

// off returns a unit price after the promotion.
func (p *Promotion) off(unit int64) int64 {
	if p.Points > 0 {
		return less(unit, p.Points)
	}
	return max(unit-p.Amount, 0)
}

// discount returns the promotion's discount on a sum.
func (p *Promotion) discount(sum int64) int64 {
	if p.Points > 0 {
		return min(share(sum, p.Points), sum)
	}
	return min(p.Amount, sum)
}

// share returns a share of a sum in basis points, rounded half up to a whole unit once. The sum
// is split so that products of large carts do not overflow.
func share(sum, points int64) int64 {
	return sum/10_000*points + (sum%10_000*points+5_000)/10_000
}

// Usage is the used part of a promotion's limits.
type Usage struct{ Used, Spent, ByBuyer int64 }

// Buyer holds what prices depend on of the customer. The zero Buyer is an anonymous visitor.
type Buyer struct {
	ID      shop.UserID
	Ordered bool // has an order that was not cancelled
	Groups  []shop.CustomerGroupID
}

// Personal is a campaign code that belongs to one buyer.
type Personal struct {
	Campaign int64
	Buyer    shop.UserID
	Ends     time.Time
	Used     bool
}
