package sales

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of refunds.
var (
	ErrOrderNotPaid    = shop.Refuse(shop.FailedPrecondition, "ORDER_NOT_PAID").When("no payment of the order was confirmed")
	ErrPaymentNotFound = shop.Refuse(shop.NotFound, "PAYMENT_NOT_FOUND").When("the order has no payment with this id")
)

const (
	// ManualMethod is the method by which buyer and seller settle the payment themselves.
	ManualMethod = "manual"
	// ProviderNone is the provider of the payment of an order that costs nothing.
	ProviderNone = "none"
)

// Payment is one attempt to pay an order.
type Payment struct {
	ID          shop.PaymentID
	Order       shop.OrderID
	Method      string
	Provider    string
	Status      string // pending, paid, failed, refunding, refunded, paid_again
	AmountMinor int64  // in minor units of the currency
	Currency    string
	Ref         string // the provider's id; empty: it has not answered yet
	PaidAt      *time.Time
	RefundedAt  *time.Time
	Key         uuid.UUID // idempotency key at the provider
	ReturnURL   string    // where the buyer returns to
	RedirectURL string    // where the buyer pays
	CreatedAt   time.Time
}

// RefundedManually reports whether the shop itself must refund a payment: no provider has the
// money, or it was paid to the shop of which this one is a copy.
func (p Payment) RefundedManually() bool { return p.Method == ManualMethod || p.Ref == "" }

const paymentColumns = `id, order_id, method, provider, status, amount_minor, currency, provider_ref, paid_at, refunded_at, key, return_url,
	redirect_url, created_at`

// Attempts are the payments of one order, oldest first.
type Attempts []Payment

// Main returns the payment that an order shows as its own: the one paid first, else the
// newest; the zero Payment if there is none.
func (a Attempts) Main() (main Payment) {
	for _, p := range a {
		switch {
		case main.PaidAt == nil, p.PaidAt != nil && p.PaidAt.Before(*main.PaidAt):
			main = p
		}
	}
	return main
}

// ToRefund returns the payment to refund when a refund names none: the one paid first among
// those taken by a provider, else the one confirmed manually. ok is false where nothing was
// paid.
func (a Attempts) ToRefund() (p Payment, ok bool) {
	paid := slices.DeleteFunc(slices.Clone(a), func(p Payment) bool { return p.PaidAt == nil || p.Provider == ProviderNone })
	if len(paid) == 0 {
		return p, false
	}
	return slices.MinFunc(paid, func(x, y Payment) int {
		switch {
		case x.RefundedManually() == y.RefundedManually():
			return x.PaidAt.Compare(*y.PaidAt)
		case y.RefundedManually():
			return -1
		}
		return 1
	}), true
}

// Payments returns the payments of orders.
func Payments(ctx context.Context, r store.Reader, orders []shop.OrderID) (map[shop.OrderID]Attempts, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT `+paymentColumns+` FROM payment WHERE company_id = $1 AND order_id = ANY($2) ORDER BY order_id, id`, r.Company, orders)
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Payment])
	byOrder := map[shop.OrderID]Attempts{}
	for _, p := range list {
		byOrder[p.Order] = append(byOrder[p.Order], p)
	}
	return byOrder, err
}

// RefusedRefunds returns why the provider refused the last refund of each payment of orders that is
// still not refunded.
func RefusedRefunds(ctx context.Context, r store.Reader, orders []shop.OrderID) (map[shop.PaymentID]string, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT DISTINCT ON (p.id) p.id, h.body ->> 'why' FROM payment p
		JOIN payment_refund f ON f.company_id = p.company_id AND f.payment_id = p.id AND f.state = 'failed'
		JOIN order_history h ON h.company_id = p.company_id AND h.order_id = p.order_id AND h.kind = 'refund'
			AND h.body ->> 'payment_id' = p.id::text AND h.body ? 'why'
		WHERE p.company_id = $1 AND p.order_id = ANY($2) AND p.paid_at IS NOT NULL AND p.refunded_at IS NULL
		ORDER BY p.id, h.id DESC`, r.Company, orders)
	if err != nil {
		return nil, err
	}
	why := map[shop.PaymentID]string{}
	var id shop.PaymentID
	var reason string
	_, err = pgx.ForEachRow(rows, []any{&id, &reason}, func() error {
		why[id] = reason
		return nil
	})
	return why, err
}

// ConfirmPayment records that, according to the seller, the money of a locked order has
// arrived, with order.paid. A second call changes nothing.
func ConfirmPayment(ctx context.Context, tx *store.Tx, o Order, amountMinor int64, by shop.UserID) error {
	paid, err := Payments(ctx, tx.Reader, []shop.OrderID{o.ID})
	if err != nil {
		return err
	}
	if paid[o.ID].Main().PaidAt != nil {
		return nil
	}
	var id shop.PaymentID // a pending payment of the buyer becomes it
	err = tx.DB.QueryRow(ctx, `
		INSERT INTO payment (company_id, order_id, method, provider, status, amount_minor, currency)
		VALUES ($1, $2, 'manual', 'manual', 'pending', $3, $4)
		ON CONFLICT (company_id, order_id, method) WHERE status = 'pending' DO UPDATE SET amount_minor = excluded.amount_minor
		RETURNING id`, tx.Company, o.ID, amountMinor, o.Currency).Scan(&id)
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	b.Queue(`UPDATE payment SET status = 'paid', paid_at = now() WHERE company_id = $1 AND id = $2`, tx.Company, id)
	queuePaymentHistory(b, tx, o.ID, "payment", map[string]any{"payment_id": id, "status": "paid", "method": "manual"}, by)
	queuePaid(b, tx, o, Payment{ID: id, AmountMinor: amountMinor, Currency: o.Currency, Provider: "manual"})
	return tx.DB.SendBatch(ctx, b).Close()
}

// ConfirmFreeOrder records that an order of total 0 is paid, with order.paid: there is nothing
// for a provider to charge.
func ConfirmFreeOrder(ctx context.Context, tx *store.Tx, o Order) error {
	var id shop.PaymentID
	err := tx.DB.QueryRow(ctx, `
		INSERT INTO payment (company_id, order_id, method, provider, status, amount_minor, currency, paid_at)
		VALUES ($1, $2, $3, $4, 'paid', 0, $5, now()) RETURNING id`, tx.Company, o.ID, o.PaymentMethod, ProviderNone, o.Currency).Scan(&id)
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	queuePaymentHistory(b, tx, o.ID, "payment", map[string]any{"payment_id": id, "status": "paid", "method": o.PaymentMethod}, 0)
	queuePaid(b, tx, o, Payment{ID: id, Currency: o.Currency, Provider: ProviderNone})
	return tx.DB.SendBatch(ctx, b).Close()
}

// queuePaid announces that the money of an order has arrived: order.paid and two letters
// (document 2, section 3).
func queuePaid(b *pgx.Batch, tx *store.Tx, o Order, p Payment) {
	tx.QueueLetters(b, toBoth(&o, store.NewLetter{Name: "order_paid", Object: o.ID.String(), Facts: store.LetterData{Payment: p.ID}})...)
	tx.QueueEvent(b, "order.paid", map[string]any{
		"order_id": o.ID, "payment_id": p.ID, "amount": p.AmountMinor, "currency": p.Currency, "provider": p.Provider,
	})
	tx.QueueOrderChange(b, o.ID, "paid")
}

// MarkRefund marks a payment of a locked order that the shop itself refunds as refunded in
// full; a second call changes nothing.
func MarkRefund(ctx context.Context, tx *store.Tx, p Payment, by shop.UserID) error {
	tag, err := tx.DB.Exec(ctx, `
		UPDATE payment SET status = 'refunded', refunded_at = now() WHERE company_id = $1 AND id = $2 AND status <> 'refunded'`, tx.Company, p.ID)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	b := &pgx.Batch{}
	queueRefunded(b, tx, p, by)
	if err := tx.DB.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	return creditInvoice(ctx, tx, p.Order)
}

// queueRefunded records that the money of a payment was returned, with order.refunded.
func queueRefunded(b *pgx.Batch, tx *store.Tx, p Payment, by shop.UserID) {
	queuePaymentHistory(b, tx, p.Order, "refund", map[string]any{"payment_id": p.ID, "status": "refunded"}, by)
	tx.QueueEvent(b, "order.refunded", map[string]any{
		"order_id": p.Order, "payment_id": p.ID, "amount": p.AmountMinor, "currency": p.Currency, "provider": p.Provider,
	})
	tx.QueueOrderChange(b, p.Order, "refunded")
}

// AnnouncePaid reports whether money has arrived for an order, even if it was refunded since.
func AnnouncePaid(ctx context.Context, r store.Reader, id shop.OrderID) (paid bool, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM payment WHERE company_id = $1 AND order_id = $2 AND paid_at IS NOT NULL)`, r.Company, id).Scan(&paid)
	return paid, err
}

// UnpaidOrder is an order that was not paid within its shop's deadline.
type UnpaidOrder struct {
	Company shop.CompanyID
	Order   shop.OrderID
}

// UnpaidOrders returns orders that were neither paid nor processed within the deadline of their
// shop (setting cancel_unpaid_after_hours), across shops, oldest first. Orders paid
// manually wait for the seller, unless the shop decides otherwise (cancel_unpaid_manual).
func UnpaidOrders(ctx context.Context, s *store.Store, now time.Time) ([]UnpaidOrder, error) {
	rows, err := s.Pool.Query(ctx, `
		SELECT o.company_id, o.id FROM company c JOIN shop_order o ON o.company_id = c.id AND o.status = 'new'
			AND o.created_at <= $1::timestamptz - c.cancel_unpaid_after_hours * interval '1 hour'
		WHERE c.cancel_unpaid_after_hours > 0 AND c.deleted_at IS NULL
			AND (coalesce((c.settings ->> 'cancel_unpaid_manual')::boolean, false) OR o.payment_method <> 'manual' AND NOT EXISTS (
				SELECT FROM payment m WHERE m.company_id = o.company_id AND m.order_id = o.id AND m.method = 'manual' AND m.status = 'pending'))
			AND NOT EXISTS (SELECT FROM payment p WHERE p.company_id = o.company_id AND p.order_id = o.id AND p.paid_at IS NOT NULL)
		ORDER BY o.created_at LIMIT $2`, now, store.SweepBatch)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[UnpaidOrder])
}
