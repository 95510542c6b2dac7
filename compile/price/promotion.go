package price

import (
	"time"

	"vitrine/internal/shop"
)

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

func (p *Promotion) running(at time.Time) bool {
	return !at.Before(p.Starts) && (p.Ends.IsZero() || at.Before(p.Ends))
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
