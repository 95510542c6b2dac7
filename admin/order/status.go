package order

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/sales"
)

// Refusals of a move.
var (
	ErrInvalidStatus = shop.Refuse(shop.InvalidArgument, "INVALID_STATUS").When("status is none of new, processing, completed, cancelled")
	ErrStatusChanged = shop.Refuse(shop.Aborted, "STATUS_CHANGED").When("the order is not in expected_status any more")
)

// Status is a move of an order that a seller asks for.
type Status struct {
	To       shop.OrderStatus
	Expected shop.OrderStatus // empty: from any
	Unpaid   bool             // only while nobody paid
}

// Move moves an order to a status (document 2, section 3): any to any, also to
// the one that it has, which is stamped and told and moves no stock. Cancelling
// puts back what had left the shelf; putting a cancelled order back to work takes
// it again, or is refused whole. Likewise with what it used of promotions. The first
// completion issues the codes of campaigns.
func Move(ctx context.Context, s *store.Store, company shop.CompanyID, id shop.OrderID, by shop.UserID, m Status) (o sales.Order, err error) {
	if !slices.Contains(shop.OrderStatuses, m.To) {
		return o, ErrInvalidStatus.At("status")
	}
	if m.Expected != "" && !slices.Contains(shop.OrderStatuses, m.Expected) {
		return o, ErrInvalidStatus.At("expected_status")
	}
	err = s.Write(ctx, company, func(tx *store.Tx) error {
		if o, err = sales.LockOrder(ctx, tx, id); err != nil {
			return err
		}
		if m.Expected != "" && o.Status != m.Expected {
			return ErrStatusChanged.With("the order is " + string(o.Status))
		}
		if m.Unpaid {
			if paid, err := sales.Paid(ctx, tx.Reader, o.ID); err != nil || paid {
				return cmp.Or(err, error(ErrStatusChanged))
			}
		}
		move, err := shelf(ctx, tx, &o, m.To)
		if err != nil {
			return err
		}
		if m.To == shop.OrderCompleted {
			if err := sales.IssueCodes(ctx, tx, &o); err != nil {
				return err
			}
		}
		if err := sales.SetOrderStatus(ctx, tx, &o, m.To, by); err != nil {
			return err
		}
		switch {
		case move.Reason == catalog.MovedByCancel:
			err = sales.GiveBack(ctx, tx, o.ID)
		case move.Reason == catalog.MovedByReorder:
			err = sales.RedeemAgain(ctx, tx, o.ID, o.Person)
		}
		if err != nil {
			return err
		}
		move.Actor = by
		_, err = catalog.MoveStock(ctx, tx, move) // a gift that does not fit any more stays in the order as it was
		return err
	})
	return o, err
}

// CancelUnpaid cancels orders whose time to be paid is over, by nobody's hand. One
// that was paid or taken up in between stays.
func CancelUnpaid(ctx context.Context, s *store.Store, now time.Time) error {
	late, err := sales.UnpaidOrders(ctx, s, now)
	for _, o := range late {
		_, failed := Move(ctx, s, o.Company, o.Order, 0, Status{To: shop.OrderCancelled, Expected: shop.OrderNew, Unpaid: true})
		if !errors.Is(failed, ErrStatusChanged) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// shelf is what a move of an order does to the stock.
func shelf(ctx context.Context, tx *store.Tx, o *sales.Order, to shop.OrderStatus) (m catalog.Move, err error) {
	cancels, reopens := to == shop.OrderCancelled, o.Status == shop.OrderCancelled
	if cancels == reopens {
		return m, nil
	}
	out, err := catalog.Outstanding(ctx, tx.Reader, o.ID)
	if err != nil {
		return m, err
	}
	if cancels {
		return catalog.Move{Order: o.ID, Reason: catalog.MovedByCancel, Units: out}, nil
	}
	units, err := sales.Units(o.Lines)
	if err != nil {
		return m, err
	}
	spare, err := sales.GiftUnits(o.Lines)
	if err != nil {
		return m, err
	}
	for id, n := range units {
		units[id] = out[id] - n
		spare[id] = max(min(spare[id], -units[id]), 0)
	}
	return catalog.Move{Order: o.ID, Reason: catalog.MovedByReorder, Units: units, Spare: spare}, err
}
