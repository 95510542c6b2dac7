package order

import (
	"context"
	"slices"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of a move.
var (
	ErrInvalidStatus = shop.Refuse(shop.InvalidArgument, "INVALID_STATUS").When("status is none of new, processing, completed, cancelled")
	ErrStatusChanged = shop.Refuse(shop.Aborted, "STATUS_CHANGED").When("the order is not in expected_status any more")
)

// Status is a move of an order that a seller asks for.
type Status struct {
	To       store.OrderStatus
	Expected store.OrderStatus // empty: from any
}

// Move moves an order to a status (document 2, section 3): any to any, also to
// the one that it has, which is stamped and told and moves no stock. Cancelling
// puts back what had left the shelf; putting a cancelled order back to work takes
// it again, or is refused whole.
func Move(ctx context.Context, s *store.Store, company shop.CompanyID, id shop.OrderID, by shop.UserID, m Status) (o store.Order, err error) {
	if !slices.Contains(store.OrderStatuses, m.To) || m.Expected != "" && !slices.Contains(store.OrderStatuses, m.Expected) {
		return o, ErrInvalidStatus
	}
	err = s.Write(ctx, company, func(tx *store.Tx) error {
		if o, err = tx.LockOrder(ctx, id); err != nil {
			return err
		}
		if m.Expected != "" && o.Status != m.Expected {
			return ErrStatusChanged.With("the order is " + string(o.Status))
		}
		move, err := shelf(ctx, tx, &o, m.To)
		if err != nil {
			return err
		}
		if err := tx.SetOrderStatus(ctx, &o, m.To, by); err != nil {
			return err
		}
		move.Actor = by
		return tx.MoveStock(ctx, move)
	})
	return o, err
}

// shelf is what a move of an order does to the stock.
func shelf(ctx context.Context, tx *store.Tx, o *store.Order, to store.OrderStatus) (m store.Move, err error) {
	cancels, reopens := to == store.OrderCancelled, o.Status == store.OrderCancelled
	if cancels == reopens {
		return m, nil
	}
	out, err := tx.Outstanding(ctx, o.ID)
	if err != nil {
		return m, err
	}
	if cancels {
		return store.Move{Order: o.ID, Reason: store.MovedByCancel, Units: out}, nil
	}
	units, err := store.Units(o.Lines)
	for id, n := range units {
		units[id] = out[id] - n
	}
	return store.Move{Order: o.ID, Reason: store.MovedByReorder, Units: units}, err
}
