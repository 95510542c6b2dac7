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

// Refusals of a status change.
var (
	ErrInvalidStatus = shop.Refuse(shop.InvalidArgument, "INVALID_STATUS").When("status is not one of new, processing, completed, cancelled, or a filter names an unknown status of an order, its payment or its shipment")
	ErrStatusChanged = shop.Refuse(shop.Aborted, "STATUS_CHANGED").When("the order no longer has expected_status")
)

// Status is a requested status change of an order.
type Status struct {
	To       shop.OrderStatus
	Expected shop.OrderStatus // empty: any status
	Unpaid   bool             // only if the order is not paid
}

// Move changes the status of an order (document 2, section 3). Every change is allowed, also to
// the current status, which is recorded and reported but moves no stock. Cancelling returns the
// units to the stock; reopening a cancelled order takes them again, or is refused as a whole. The
// same applies to the promotions that the order uses. The first completion issues the codes of
// campaigns.
func Move(ctx context.Context, s *store.Store, company shop.CompanyID, id shop.OrderID, by shop.UserID, m Status) (o sales.Order, err error) {
	if err := m.check(); err != nil {
		return o, err
	}
	err = s.Write(ctx, company, func(tx *store.Tx) error {
		_, o, err = m.apply(ctx, tx, id, by)
		return err
	})
	return o, err
}

// apply changes the status of an order, and returns the one that it had.
func (m Status) apply(ctx context.Context, tx *store.Tx, id shop.OrderID, by shop.UserID) (was shop.OrderStatus, o sales.Order, err error) {
	if o, err = sales.LockOrder(ctx, tx, id); err != nil {
		return "", o, err
	}
	if err := tx.CheckBasis(o.UpdatedAt); err != nil {
		return o.Status, o, err
	}
	if was = o.Status; m.Expected != "" && was != m.Expected {
		return was, o, ErrStatusChanged.With("the order is " + string(was))
	}
	if m.Unpaid {
		if paid, err := sales.AnnouncePaid(ctx, tx.Reader, o.ID); err != nil || paid {
			return was, o, cmp.Or(err, error(ErrStatusChanged))
		}
	}
	return was, o, move(ctx, tx, &o, m.To, by)
}

// rehearse returns the status that Move would change, and writes nothing.
func (m Status) rehearse(ctx context.Context, s *store.Store, company shop.CompanyID, id shop.OrderID, by shop.UserID) (was shop.OrderStatus, o sales.Order, err error) {
	err = s.DryRun(ctx, company, func(tx *store.Tx) error {
		was, o, err = m.apply(ctx, tx, id, by)
		return err
	})
	return was, o, err
}

// check refuses statuses that do not exist.
func (m Status) check() error {
	if !slices.Contains(shop.OrderStatuses, m.To) {
		return ErrInvalidStatus.At("status")
	}
	if m.Expected != "" && !slices.Contains(shop.OrderStatuses, m.Expected) {
		return ErrInvalidStatus.At("expected_status")
	}
	return nil
}

// move changes the status of a locked order.
func move(ctx context.Context, tx *store.Tx, o *sales.Order, to shop.OrderStatus, by shop.UserID) error {
	units, err := stockMove(ctx, tx, o, to)
	if err != nil {
		return err
	}
	if to == shop.OrderCompleted {
		if err := sales.IssueCodes(ctx, tx, o); err != nil {
			return err
		}
	}
	if err := sales.SetOrderStatus(ctx, tx, o, to, by); err != nil {
		return err
	}
	switch {
	case units.Reason == catalog.MovedByCancel:
		err = sales.ReturnRedemptions(ctx, tx, o.ID)
	case units.Reason == catalog.MovedByReorder:
		err = sales.RedeemAgain(ctx, tx, o.ID, o.Person)
	}
	if err != nil {
		return err
	}
	units.Actor = by
	_, err = catalog.MoveStock(ctx, tx, units) // a gift that is out of stock stays in the order unchanged
	return err
}

// CancelUnpaid cancels orders whose payment deadline has passed, without an actor. An order that
// was paid or accepted in the meantime is kept.
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

// stockMove returns the stock movement of a status change.
func stockMove(ctx context.Context, tx *store.Tx, o *sales.Order, to shop.OrderStatus) (m catalog.StockMove, err error) {
	cancels, reopens := to == shop.OrderCancelled, o.Status == shop.OrderCancelled
	if cancels == reopens {
		return m, nil
	}
	units, err := sales.StockUnits(o.Lines)
	if err != nil {
		return m, err
	}
	out, err := catalog.OutstandingUnits(ctx, tx.Reader, o.ID, units)
	if err != nil {
		return m, err
	}
	if cancels {
		return catalog.StockMove{Order: o.ID, Reason: catalog.MovedByCancel, Units: out}, nil
	}
	spare, err := sales.GiftUnits(o.Lines)
	if err != nil {
		return m, err
	}
	for item, n := range units {
		units[item] = out[item] - n
		spare[item] = max(min(spare[item], -units[item]), 0)
	}
	return catalog.StockMove{Order: o.ID, Reason: catalog.MovedByReorder, Units: units, Gifts: spare}, err
}
