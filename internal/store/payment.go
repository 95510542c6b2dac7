package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// ErrOrderNotPaid answers a refund of what nobody paid.
var ErrOrderNotPaid = shop.Refuse(shop.FailedPrecondition, "ORDER_NOT_PAID").When("no payment of the order was confirmed")

// Payment is one attempt to pay an order.
type Payment struct {
	ID          shop.PaymentID
	Order       shop.OrderID
	Method      string
	Provider    string
	Status      string // pending, paid, failed, refunded
	AmountMinor int64  // by the exponent of the currency
	Currency    string
	Ref         string // what the provider calls it; empty: it has not answered yet
	PaidAt      *time.Time
	RefundedAt  *time.Time
	Key         uuid.UUID // under which it begins at the provider once
	ReturnURL   string    // where the buyer comes back
	RedirectURL string    // where the buyer pays
	CreatedAt   time.Time
}

// ByHand reports whether the shop itself gives the money of a payment back: no
// provider has it, or the payment was made to the shop that this one is a copy of.
func (p Payment) ByHand() bool { return p.Method == "manual" || p.Ref == "" }

const paymentColumns = `id, order_id, method, provider, status, amount_minor, currency, provider_ref, paid_at, refunded_at, key, return_url,
	redirect_url, created_at`

// Payments are those of orders, the newest of each.
func (r Reader) Payments(ctx context.Context, orders []shop.OrderID) (map[shop.OrderID]Payment, error) {
	rows, err := r.q.Query(ctx, `
		SELECT DISTINCT ON (order_id) `+paymentColumns+` FROM payment
		WHERE company_id = $1 AND order_id = ANY($2) ORDER BY order_id, status IN ('paid', 'refunded') DESC, id DESC`, r.Company, orders)
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Payment])
	newest := map[shop.OrderID]Payment{}
	for _, p := range list {
		newest[p.Order] = p
	}
	return newest, err
}

// ConfirmPayment writes down that the money of a locked order has arrived by the
// seller's word, with order.paid; once it has, nothing more happens.
func (tx *Tx) ConfirmPayment(ctx context.Context, o Order, amountMinor int64, by shop.UserID) error {
	paid, err := tx.Payments(ctx, []shop.OrderID{o.ID})
	if err != nil {
		return err
	}
	if p := paid[o.ID]; p.PaidAt != nil {
		return nil
	}
	var id shop.PaymentID
	err = tx.q.QueryRow(ctx, `
		INSERT INTO payment (company_id, order_id, method, provider, status, amount_minor, currency, paid_at)
		VALUES ($1, $2, 'manual', 'manual', 'paid', $3, $4, now()) RETURNING id`, tx.Company, o.ID, amountMinor, o.Currency).Scan(&id)
	if err != nil {
		return err
	}
	if err := tx.tellOrder(ctx, o.ID, "payment", map[string]any{"payment_id": id, "status": "paid", "method": "manual"}, by); err != nil {
		return err
	}
	return tx.paid(ctx, o, Payment{ID: id, AmountMinor: amountMinor, Currency: o.Currency, Provider: "manual"})
}

// paid tells that the money of an order has arrived: order.paid and two letters
// (document 2, section 3).
func (tx *Tx) paid(ctx context.Context, o Order, p Payment) error {
	if err := tx.queue(ctx, both("order_paid", o.ID.String(), &o, LetterFacts{Payment: p.ID})...); err != nil {
		return err
	}
	return tx.RecordEvent(ctx, "order.paid", map[string]any{
		"order_id": o.ID, "payment_id": p.ID, "amount": p.AmountMinor, "currency": p.Currency, "provider": p.Provider,
	})
}

// MarkRefund marks the payment of a locked order as refunded in full; a second
// call changes nothing.
func (tx *Tx) MarkRefund(ctx context.Context, id shop.OrderID, by shop.UserID) error {
	paid, err := tx.Payments(ctx, []shop.OrderID{id})
	if err != nil {
		return err
	}
	p := paid[id]
	if p.PaidAt == nil {
		return ErrOrderNotPaid
	}
	if p.RefundedAt != nil {
		return nil
	}
	if _, err := tx.q.Exec(ctx, `
		UPDATE payment SET status = 'refunded', refunded_at = now() WHERE company_id = $1 AND id = $2`, tx.Company, p.ID); err != nil {
		return err
	}
	return tx.tellOrder(ctx, id, "refund", map[string]any{"payment_id": p.ID}, by)
}

// Paid reports whether money has arrived for an order, be it given back since.
func (r Reader) Paid(ctx context.Context, id shop.OrderID) (paid bool, err error) {
	err = r.q.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM payment WHERE company_id = $1 AND order_id = $2 AND paid_at IS NOT NULL)`, r.Company, id).Scan(&paid)
	return paid, err
}

// Unpaid is an order that waited for its money longer than its shop waits.
type Unpaid struct {
	Company shop.CompanyID
	Order   shop.OrderID
}

// Unpaid are orders that nobody paid or took up in the time that their shop gives
// (setting cancel_unpaid_after_hours), across shops, the oldest first.
func (s *Store) Unpaid(ctx context.Context, now time.Time) ([]Unpaid, error) {
	rows, err := s.pool.Query(ctx, `
		SELECT o.company_id, o.id FROM company c JOIN shop_order o ON o.company_id = c.id AND o.status = 'new'
			AND o.created_at <= $1::timestamptz - c.cancel_unpaid_after_hours * interval '1 hour'
		WHERE c.cancel_unpaid_after_hours > 0
			AND NOT EXISTS (SELECT FROM payment p WHERE p.company_id = o.company_id AND p.order_id = o.id AND p.paid_at IS NOT NULL)
		ORDER BY o.created_at LIMIT $2`, now, sweepBatch)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Unpaid])
}
