package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// OpenPayment is the attempt to pay a locked order by a method that is still open, or
// a new one, to be looked at again at a moment, nil for never. One that was paid is
// answered as it is, by whatever method.
func (tx *Tx) OpenPayment(ctx context.Context, p Payment, lookAt *time.Time) (open Payment, err error) {
	paid, err := tx.Payments(ctx, []shop.OrderID{p.Order})
	if err != nil {
		return open, err
	}
	if was := paid[p.Order].Main(); was.PaidAt != nil {
		return was, nil
	}
	return onePayment(tx.q.Query(ctx, `
		INSERT INTO payment (company_id, order_id, method, provider, status, amount_minor, currency, return_url, look_at)
		VALUES ($1, $2, $3, $3, 'pending', $4, $5, $6, $7)
		ON CONFLICT (company_id, order_id, method) WHERE status = 'pending' DO UPDATE SET return_url = excluded.return_url
		RETURNING `+paymentColumns, tx.Company, p.Order, p.Method, p.AmountMinor, p.Currency, p.ReturnURL, lookAt))
}

func onePayment(rows pgx.Rows, err error) (Payment, error) {
	if err != nil {
		return Payment{}, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Payment])
}

// PaymentBegan notes what the provider answered to the beginning of a payment. The
// first answer counts.
func (tx *Tx) PaymentBegan(ctx context.Context, id shop.PaymentID, ref, url string) (Payment, error) {
	return onePayment(tx.q.Query(ctx, `
		UPDATE payment SET provider_ref = CASE WHEN provider_ref = '' THEN $3 ELSE provider_ref END,
			redirect_url = CASE WHEN provider_ref = '' THEN $4 ELSE redirect_url END
		WHERE company_id = $1 AND id = $2 RETURNING `+paymentColumns, tx.Company, id, ref, url))
}

// LockPayment is a payment for a change of it. The caller holds its order.
func (tx *Tx) LockPayment(ctx context.Context, id shop.PaymentID) (Payment, error) {
	return onePayment(tx.q.Query(ctx, `
		SELECT `+paymentColumns+` FROM payment WHERE company_id = $1 AND id = $2 FOR UPDATE`, tx.Company, id))
}

// PaymentByRef is the payment that a provider calls by a name, the newest where it
// does so twice.
func (r Reader) PaymentByRef(ctx context.Context, method, ref string) (p Payment, found bool, err error) {
	p, err = onePayment(r.q.Query(ctx, `
		SELECT `+paymentColumns+` FROM payment WHERE company_id = $1 AND method = $2 AND provider_ref = $3 AND provider_ref <> ''
		ORDER BY id DESC LIMIT 1`, r.Company, method, ref))
	if noRow(err) {
		return p, false, nil
	}
	return p, err == nil, err
}

// PaymentKnown is a payment of the shop by a method; found is false when there is none.
func (r Reader) PaymentKnown(ctx context.Context, method string, id shop.PaymentID) (p Payment, found bool, err error) {
	p, err = onePayment(r.q.Query(ctx, `
		SELECT `+paymentColumns+` FROM payment WHERE company_id = $1 AND id = $2 AND method = $3`, r.Company, id, method))
	if noRow(err) {
		return p, false, nil
	}
	return p, err == nil, err
}

// PayPayment writes down that the money of a payment has arrived, of a locked order
// that may be cancelled, with order.paid for the first payment of the order alone; a
// further one is paid_again, and a letter tells the owner. Once it has, nothing more
// happens. The provider is looked at again at a moment: money may be given back there.
func (tx *Tx) PayPayment(ctx context.Context, o Order, p Payment, lookAt time.Time) error {
	if p.PaidAt != nil {
		return nil
	}
	before, err := tx.Paid(ctx, o.ID)
	if err != nil {
		return err
	}
	if p.Status = "paid"; before {
		p.Status = "paid_again"
	}
	if _, err := tx.q.Exec(ctx, `
		UPDATE payment SET status = $3, paid_at = now(), look_at = $4, looks = 0 WHERE company_id = $1 AND id = $2`, tx.Company, p.ID, p.Status, lookAt); err != nil {
		return err
	}
	if err := tx.tellOrder(ctx, o.ID, "payment", map[string]any{"payment_id": p.ID, "status": p.Status, "method": p.Method}, 0); err != nil {
		return err
	}
	if before {
		return tx.queue(ctx, draftLetter{Name: "paid_again_seller", Object: p.ID.String(), Order: &o.ID, Person: o.Person, Facts: LetterFacts{Payment: p.ID}})
	}
	return tx.paid(ctx, o, p)
}

// FailPayment ends an open payment that will not be paid, and says why in the history.
func (tx *Tx) FailPayment(ctx context.Context, p Payment, why string) error {
	tag, err := tx.q.Exec(ctx, `
		UPDATE payment SET status = 'failed', look_at = NULL WHERE company_id = $1 AND id = $2 AND status = 'pending'`, tx.Company, p.ID)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	return tx.tellOrder(ctx, p.Order, "payment", map[string]any{"payment_id": p.ID, "status": "failed", "method": p.Method, "why": why}, 0)
}

// QuarantinePayment keeps a payment whose money is not what was asked for from
// counting, and tells the seller so once.
func (tx *Tx) QuarantinePayment(ctx context.Context, p Payment, amount int64, currency string) error {
	tag, err := tx.q.Exec(ctx, `
		UPDATE payment SET status = 'failed', look_at = NULL WHERE company_id = $1 AND id = $2 AND status = 'pending'`, tx.Company, p.ID)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	return tx.tellOrder(ctx, p.Order, "payment.mismatch", map[string]any{
		"payment_id": p.ID, "expected": p.AmountMinor, "expected_currency": p.Currency, "amount": amount, "currency": currency,
	}, 0)
}

// AskRefund marks a payment of a locked order as refunding: the worker asks its provider
// from a moment on. A refund that was refused before is asked for under a new key, since
// providers answer a known one as they did. A second call while it goes on changes nothing.
func (tx *Tx) AskRefund(ctx context.Context, p Payment, by shop.UserID, at time.Time) error {
	if p.Status != "paid" && p.Status != "paid_again" {
		return nil
	}
	b := &pgx.Batch{}
	b.Queue(`
		INSERT INTO payment_refund AS r (company_id, payment_id, amount_minor, was, try_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (company_id, payment_id) DO UPDATE SET key = gen_random_uuid(), state = 'created', was = excluded.was,
			try_at = excluded.try_at, tries = 0 WHERE r.state <> 'created'`, tx.Company, p.ID, p.AmountMinor, p.Status, at)
	b.Queue(`UPDATE payment SET status = 'refunding' WHERE company_id = $1 AND id = $2`, tx.Company, p.ID)
	if err := tx.q.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	return tx.tellOrder(ctx, p.Order, "refund", map[string]any{"payment_id": p.ID, "status": "refunding"}, by)
}

// ConfirmRefund writes down that the money of a payment has gone back, whoever asked its
// provider for it.
func (tx *Tx) ConfirmRefund(ctx context.Context, p Payment) error {
	if p.RefundedAt != nil {
		return nil
	}
	b := &pgx.Batch{}
	b.Queue(`UPDATE payment_refund SET state = 'confirmed', try_at = NULL WHERE company_id = $1 AND payment_id = $2`, tx.Company, p.ID)
	b.Queue(`UPDATE payment SET status = 'refunded', refunded_at = now(), look_at = NULL WHERE company_id = $1 AND id = $2`, tx.Company, p.ID)
	if err := tx.q.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	return tx.tellOrder(ctx, p.Order, "refund", map[string]any{"payment_id": p.ID, "status": "refunded"}, 0)
}

// RefuseRefund writes down that a provider does not give the money of a payment back:
// it is paid as before, the history says why, and a letter tells the owner.
func (tx *Tx) RefuseRefund(ctx context.Context, o Order, p Payment, why string) error {
	var round string
	err := tx.q.QueryRow(ctx, `
		WITH refused AS (
			UPDATE payment_refund SET state = 'failed', try_at = NULL WHERE company_id = $1 AND payment_id = $2 AND state = 'created'
			RETURNING was, key)
		UPDATE payment p SET status = r.was FROM refused r WHERE p.company_id = $1 AND p.id = $2 RETURNING p.status, r.key::text`,
		tx.Company, p.ID).Scan(&p.Status, &round)
	if noRow(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := tx.tellOrder(ctx, o.ID, "refund", map[string]any{"payment_id": p.ID, "status": p.Status, "why": why}, 0); err != nil {
		return err
	}
	return tx.queue(ctx, draftLetter{
		Name: "refund_refused_seller", Object: round, Order: &o.ID, Person: o.Person, Facts: LetterFacts{Payment: p.ID, Why: why},
	})
}

// DuePayment is a payment, or its refund, whose provider is to be asked.
type DuePayment struct {
	Company shop.CompanyID
	Payment shop.PaymentID
	Order   shop.OrderID
	Looks   int  // so often before
	Paid    bool // when it was claimed
}

// DuePayments claims payments whose time has come, across shops, the longest waiting
// first: nobody else gets them for the lease.
func (s *Store) DuePayments(ctx context.Context, now time.Time, lease time.Duration, limit int) ([]DuePayment, error) {
	return s.due(ctx, `
		UPDATE payment p SET look_at = $2, looks = looks + 1 FROM (
			SELECT company_id, id FROM payment WHERE look_at <= $1 ORDER BY look_at LIMIT $3 FOR UPDATE SKIP LOCKED) d
		WHERE p.company_id = d.company_id AND p.id = d.id RETURNING p.company_id, p.id, p.order_id, p.looks - 1, p.paid_at IS NOT NULL`, now, now.Add(lease), limit)
}

// DueRefunds is DuePayments of refunds.
func (s *Store) DueRefunds(ctx context.Context, now time.Time, lease time.Duration, limit int) ([]DuePayment, error) {
	return s.due(ctx, `
		UPDATE payment_refund r SET try_at = $2, tries = tries + 1 FROM (
			SELECT company_id, payment_id FROM payment_refund WHERE try_at <= $1 ORDER BY try_at LIMIT $3 FOR UPDATE SKIP LOCKED) d, payment p
		WHERE r.company_id = d.company_id AND r.payment_id = d.payment_id AND p.company_id = r.company_id AND p.id = r.payment_id
		RETURNING p.company_id, p.id, p.order_id, r.tries - 1, true`, now, now.Add(lease), limit)
}

func (s *Store) due(ctx context.Context, sql string, args ...any) ([]DuePayment, error) {
	rows, err := s.pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[DuePayment])
}

// LookAgain says when the provider of a payment is asked next, nil for never. It holds for
// one that is still as it was when it was looked at, paid or not: what became of it since
// has its own time.
func (tx *Tx) LookAgain(ctx context.Context, id shop.PaymentID, paid bool, at *time.Time) error {
	_, err := tx.q.Exec(ctx, `
		UPDATE payment SET look_at = $4 WHERE company_id = $1 AND id = $2 AND (paid_at IS NOT NULL) = $3 AND look_at IS NOT NULL`,
		tx.Company, id, paid, at)
	return err
}

// TryRefundAgain says when a refund is tried next.
func (tx *Tx) TryRefundAgain(ctx context.Context, id shop.PaymentID, at time.Time) error {
	_, err := tx.q.Exec(ctx, `UPDATE payment_refund SET try_at = $3 WHERE company_id = $1 AND payment_id = $2 AND state = 'created'`, tx.Company, id, at)
	return err
}

// Payment is one payment of the shop.
func (r Reader) Payment(ctx context.Context, id shop.PaymentID) (Payment, error) {
	return onePayment(r.q.Query(ctx, `SELECT `+paymentColumns+` FROM payment WHERE company_id = $1 AND id = $2`, r.Company, id))
}

// RefundOf is the refund of a payment; found is false when none was asked for.
func (r Reader) RefundOf(ctx context.Context, id shop.PaymentID) (key string, amount int64, state string, found bool, err error) {
	err = r.q.QueryRow(ctx, `SELECT key::text, amount_minor, state FROM payment_refund WHERE company_id = $1 AND payment_id = $2`, r.Company, id).
		Scan(&key, &amount, &state)
	if noRow(err) {
		return "", 0, "", false, nil
	}
	return key, amount, state, err == nil, err
}

// noticesAnHour is how many notifications of a shop are kept within one.
const noticesAnHour = 1000

// KeepNotice keeps what a provider told, as it told it, unless the shop was told too
// much within the hour.
func (tx *Tx) KeepNotice(ctx context.Context, method, ref string, body []byte) error {
	_, err := tx.q.Exec(ctx, `
		INSERT INTO payment_notice (company_id, method, ref, body) SELECT $1, $2, $3, $4
		WHERE NOT EXISTS (SELECT FROM (
			SELECT created_at FROM payment_notice WHERE company_id = $1 ORDER BY id DESC OFFSET $5 LIMIT 1) old WHERE created_at > now() - interval '1 hour')`,
		tx.Company, method, ref, body, noticesAnHour-1)
	return err
}

// SweepNotices forgets what providers told before a time.
func (s *Store) SweepNotices(ctx context.Context, before time.Time) error {
	return s.sweep(ctx, `DELETE FROM payment_notice WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM payment_notice WHERE created_at <= $1 LIMIT $2))`, before)
}

// PaymentMethod is how a shop takes money.
type PaymentMethod struct {
	Method   string
	Title    string
	IsActive bool
	Sealed   []byte // what its provider is reached with; nil: it needs nothing

	Instructions string // what the shop tells buyers who pay by hand
}

// PaymentMethods are those that a shop has set, what buyer and seller agree on last.
func (r Reader) PaymentMethods(ctx context.Context) ([]PaymentMethod, error) {
	rows, err := r.q.Query(ctx, `SELECT method, title, is_active, sealed, instructions FROM payment_method WHERE company_id = $1
		ORDER BY method = 'manual', method`, r.Company)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[PaymentMethod])
}

// SavePaymentMethod sets a method. Without sealed secrets it keeps those it has.
func (tx *Tx) SavePaymentMethod(ctx context.Context, m PaymentMethod) error {
	_, err := tx.q.Exec(ctx, `
		INSERT INTO payment_method AS m (company_id, method, title, is_active, sealed, instructions) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (company_id, method) DO UPDATE SET title = excluded.title, is_active = excluded.is_active,
			sealed = coalesce(excluded.sealed, m.sealed), instructions = excluded.instructions, updated_at = now()`,
		tx.Company, m.Method, m.Title, m.IsActive, m.Sealed, m.Instructions)
	return err
}
