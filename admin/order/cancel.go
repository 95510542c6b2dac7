package order

import (
	"context"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	"vitrine/internal/store/sales"
)

// ErrCancelTooLate refuses a cancellation by the buyer.
var ErrCancelTooLate = shop.Refuse(shop.FailedPrecondition, "CANCEL_TOO_LATE").
	When("the buyer can no longer cancel the order: buyer_cancel_minutes have passed or are 0, its status is not new, or a parcel was shipped")

// cancel cancels an order for its buyer, while the shop has not begun to process it, and returns
// what was paid. The lock of the order decides between a cancellation and everything that the
// shop or a payment provider does at the same time.
func (os *Orders) cancel(ctx context.Context, c *api.Call, in linkedPath) (out api.Result[orderView], err error) {
	o, who, err := os.linked(ctx, c, in, "")
	if err == nil && (who == stranger || who == seller && o.Person != c.Person) { // a member of the shop may be its buyer
		err = sales.ErrOrderDenied
	}
	if err != nil {
		return out, err
	}
	err = os.Store.Write(ctx, o.Company, func(tx *store.Tx) error {
		if o, err = sales.LockOrder(ctx, tx, o.ID); err != nil {
			return err
		}
		info, err := company.Info(ctx, tx.Reader)
		if err != nil {
			return err
		}
		if cancelUntil(o, info.BuyerCancelMinutes, os.Now()) == nil {
			return ErrCancelTooLate
		}
		if err := sales.RefundOrder(ctx, tx, o.ID, o.Person, os.Now()); err != nil {
			return err
		}
		return move(ctx, tx, &o, shop.OrderCancelled, o.Person)
	})
	if err == nil {
		o, err = sales.GetOrder(ctx, os.Store.Shop(o.Company), o.ID) // with the credit note of a refund
	}
	if err != nil {
		return out, err
	}
	return os.wrap(ctx, o, buyer)
}

// cancelUntil returns until when the buyer of an order may cancel it; nil: they cannot, or can no
// longer.
func cancelUntil(o sales.Order, minutes int, now time.Time) *time.Time {
	until := o.CreatedAt.UTC().Add(time.Duration(minutes) * time.Minute)
	if minutes == 0 || o.Status != shop.OrderNew || o.ShipmentStatus != shop.ShipmentNone || now.After(until) {
		return nil
	}
	return &until
}
