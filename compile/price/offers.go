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
	perUnit   *Offers      // the discounts alone, to price single units
	gifts     []*Promotion
	orders    []*Promotion
	codes     map[string]*Promotion // coupons
	campaigns map[int64]*Promotion  // of personal coupons
	used      map[int64]Usage       // usage of promotions at compile time, for the prices on pages

	digests func() [][]byte // everything that determines each discount, computed once

	allRules      []Rule // the input
	allPromotions []Promotion
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
	o.perUnit = &Offers{discounts: o.discounts, reach: o.reach}
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

// Requirements lists what the price of a cart depends on besides its products, so that the caller
// reads only what is needed.
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
