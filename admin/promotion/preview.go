package promotion

import (
	"context"

	"vitrine/admin/api"
	"vitrine/compile"
	"vitrine/compile/price"
	"vitrine/internal/load"
	"vitrine/internal/shop"
	"vitrine/internal/store/sales"
)

const maxPreviewDays = 90

var errDays = shop.ErrInvalidRequest.At("days").With("1 to 90")

type previewRequest struct {
	Item item `json:"item" required:"always"`
	Days int  `json:"days" required:"always"`
}

type previewView struct {
	Orders   int64 `json:"orders"`         // in those days, without cancelled ones
	Touched  int64 `json:"orders_touched"` // that would have got a discount or a gift
	Discount int64 `json:"discount_total"`
	Before   int64 `json:"revenue_before"`
	After    int64 `json:"revenue_after"`
}

// preview replays past orders as if the promotion had been active, with its limits but without
// its time window, in addition to the discounts that they had. It assumes that every buyer used
// the code.
func (ps *Promotions) preview(ctx context.Context, c *api.Call, in previewRequest) (out api.Result[previewView], err error) {
	if in.Days < 1 || in.Days > maxPreviewDays {
		return out, errDays
	}
	p := sales.Promotion{Active: true, Priority: 100, Stacking: "stack"}
	if err := in.Item.apply(&p); err != nil {
		return out, err
	}
	r := ps.Store.Shop(c.Company)
	cached, err := ps.Sites.Current(ctx, r)
	if err != nil {
		return out, err
	}
	if err := checkReferences(ctx, r, cached.Site, p); err != nil {
		return out, err
	}
	p.StartsAt, p.EndsAt = nil, nil
	replay := newReplay(load.Promotion(p), cached.Site)
	err = sales.PastOrders(ctx, r, ps.Now().AddDate(0, 0, -in.Days), len(p.Conditions.Groups) > 0, func(o *sales.PastOrder) error {
		replay.order(o)
		return nil
	})
	out.Result = replay.sum
	return out, err
}

// replay applies a promotion to past orders.
type replay struct {
	promotion price.Promotion
	site      *compile.Site
	used      price.Usage
	byBuyer   map[shop.UserID]int64
	products  map[shop.ProductID]*price.Product // with their categories
	sum       previewView
}

// previewID is the id of the previewed promotion, otherID that of all other discounts of an order.
const previewID, otherID = 1, 2

func newReplay(p price.Promotion, site *compile.Site) *replay {
	if p.ID = previewID; p.Kind == price.KindPersonal {
		p.Kind, p.Code = price.KindCoupon, "PERSONAL"
	}
	return &replay{promotion: p, site: site, byBuyer: map[shop.UserID]int64{}, products: map[shop.ProductID]*price.Product{}}
}

func (r *replay) order(o *sales.PastOrder) {
	r.sum.Orders++
	r.sum.Before += o.ItemsTotal
	r.sum.After += o.ItemsTotal
	cart := &price.Cart{At: o.At, Code: r.promotion.Code, Buyer: price.Buyer{ID: o.Person, Ordered: !o.First, Groups: o.Groups}}
	u := r.used
	u.ByBuyer = r.byBuyer[o.Person]
	cart.Usage = map[int64]price.Usage{previewID: u}
	var lines int64
	for i := range o.Lines {
		cart.Lines = append(cart.Lines, r.line(&o.Lines[i]))
		lines += o.Lines[i].Unit * o.Lines[i].Quantity
	}
	offers := []price.Promotion{r.promotion}
	if off := lines - o.ItemsTotal; off > 0 {
		offers = append(offers, price.Promotion{ID: otherID, Kind: price.KindOrder, Priority: -1, Amount: off})
	}
	cart.Offers = price.NewOffers(nil, offers, nil)
	if gift := r.promotion.Gift.Product; gift != 0 {
		cart.Gifts = map[shop.ProductID]*price.GiftGood{gift: {Product: &price.Product{ID: gift}}}
	}
	receipt := price.Price(cart)
	amount, applied := int64(0), false
	for _, a := range receipt.Applied {
		if a.Promotion == previewID {
			amount, applied = a.Amount, true
		}
	}
	if r.promotion.Kind == price.KindDiscount {
		amount = r.saving(receipt, o)
		applied = amount > 0
	}
	if amount = min(amount, o.ItemsTotal); !applied {
		return
	}
	r.sum.Touched++
	r.sum.Discount += amount
	r.sum.After -= amount
	r.used.Used++
	r.used.Spent += amount
	r.byBuyer[o.Person]++
}

// line returns an order line at the price it had or, for a line discount, at the price before
// one.
func (r *replay) line(l *sales.PastLine) price.Line {
	p := r.products[l.Product]
	if p == nil {
		p = load.Placement{ID: l.Product, Category: l.Category, Extra: l.Extra}.Product(r.site)
		r.products[l.Product] = p
	}
	unit := l.Unit
	if r.promotion.Kind == price.KindDiscount && l.Base > 0 {
		unit = l.Base
	}
	one := *p
	one.Price, one.Configurable = unit, true
	line := price.Line{Product: &one, Quantity: l.Quantity}
	if chosen := price.ReadChoice(l.Data); l.Set || chosen.Configured != nil && chosen.Variant == 0 && !chosen.Unresolved {
		line.Choice.Configured = &unit // line discounts do not apply to it
	}
	return line
}

// saving returns by how much the previewed prices are below the prices paid: of two line
// discounts the better one counts.
func (r *replay) saving(receipt *price.Receipt, o *sales.PastOrder) (amount int64) {
	for i := range o.Lines {
		if off := o.Lines[i].Unit - receipt.Lines[i].Unit; off > 0 {
			amount += off * o.Lines[i].Quantity
		}
	}
	return amount
}
