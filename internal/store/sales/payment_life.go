package sales

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// OpenPayment returns the open attempt to pay a locked order by a method, or a new one,
// with the time of the next check at the provider, nil for never. If the order was paid, by
// any method, it returns that payment.
func OpenPayment(ctx context.Context, tx *store.Tx, p Payment, lookAt *time.Time) (open Payment, err error) {
	paid, err := Payments(ctx, tx.Reader, []shop.OrderID{p.Order})
	if err != nil {
		return open, err
	}
	if first := paid[p.Order].Main(); first.PaidAt != nil {
		return first, nil
	}
	return collectPayment(tx.DB.Query(ctx, `
		INSERT INTO payment (company_id, order_id, method, provider, status, amount_minor, currency, return_url, look_at)
		VALUES ($1, $2, $3, $3, 'pending', $4, $5, $6, $7)
		ON CONFLICT (company_id, order_id, method) WHERE status = 'pending' DO UPDATE SET return_url = excluded.return_url
		RETURNING `+paymentColumns, tx.Company, p.Order, p.Method, p.AmountMinor, p.Currency, p.ReturnURL, lookAt))
}

func collectPayment(rows pgx.Rows, err error) (Payment, error) {
	if err != nil {
		return Payment{}, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Payment])
}

// RecordPaymentStart records the provider's answer to the start of a payment. The first answer
// counts.
func RecordPaymentStart(ctx context.Context, tx *store.Tx, id shop.PaymentID, ref, url string) (Payment, error) {
	return collectPayment(tx.DB.Query(ctx, `
		UPDATE payment SET provider_ref = CASE WHEN provider_ref = '' THEN $3 ELSE provider_ref END,
			redirect_url = CASE WHEN provider_ref = '' THEN $4 ELSE redirect_url END
		WHERE company_id = $1 AND id = $2 RETURNING `+paymentColumns, tx.Company, id, ref, url))
}

// LockPayment reads and locks a payment. The caller holds its order.
func LockPayment(ctx context.Context, tx *store.Tx, id shop.PaymentID) (Payment, error) {
	return collectPayment(tx.DB.Query(ctx, `
		SELECT `+paymentColumns+` FROM payment WHERE company_id = $1 AND id = $2 FOR UPDATE`, tx.Company, id))
}

// PaymentByRef returns the payment with a provider's id, the newest if the provider used it
// twice.
func PaymentByRef(ctx context.Context, r store.Reader, method, ref string) (p Payment, found bool, err error) {
	p, err = collectPayment(r.DB.Query(ctx, `
		SELECT `+paymentColumns+` FROM payment WHERE company_id = $1 AND method = $2 AND provider_ref = $3 AND provider_ref <> ''
		ORDER BY id DESC LIMIT 1`, r.Company, method, ref))
	if store.NoRow(err) {
		return p, false, nil
	}
	return p, err == nil, err
}

// PaymentOfMethod returns a payment of the shop by a method; found is false when there is
// none.
func PaymentOfMethod(ctx context.Context, r store.Reader, method string, id shop.PaymentID) (p Payment, found bool, err error) {
	p, err = collectPayment(r.DB.Query(ctx, `
		SELECT `+paymentColumns+` FROM payment WHERE company_id = $1 AND id = $2 AND method = $3`, r.Company, id, method))
	if store.NoRow(err) {
		return p, false, nil
	}
	return p, err == nil, err
}

// MarkPaid records that the money of a payment of a locked order has arrived; the order
// may be cancelled. The first payment of an order emits order.paid; a further one becomes
// paid_again, with a letter to the owner. A second call changes nothing. lookAt is when the
// provider is checked next: money may be refunded there.
func MarkPaid(ctx context.Context, tx *store.Tx, o Order, p Payment, lookAt time.Time) error {
	if p.PaidAt != nil {
		return nil
	}
	before, err := AnnouncePaid(ctx, tx.Reader, o.ID)
	if err != nil {
		return err
	}
	if p.Status = "paid"; before {
		p.Status = "paid_again"
	}
	b := &pgx.Batch{}
	b.Queue(`UPDATE payment SET status = $3, paid_at = now(), look_at = $4, looks = 0 WHERE company_id = $1 AND id = $2`, tx.Company, p.ID, p.Status, lookAt)
	queuePaymentHistory(b, tx, o.ID, "payment", map[string]any{"payment_id": p.ID, "status": p.Status, "method": p.Method}, 0)
	if before {
		tx.QueueLetters(b, store.NewLetter{Name: "paid_again_seller", Object: p.ID.String(), Order: &o.ID, Person: o.Person, Facts: store.LetterData{Payment: p.ID}})
	} else {
		queuePaid(b, tx, o, p)
	}
	return tx.DB.SendBatch(ctx, b).Close()
}

// FailPayment ends an open payment that will not be paid, with the reason in the history.
func FailPayment(ctx context.Context, tx *store.Tx, p Payment, why string) error {
	return failPayment(ctx, tx, p, "payment", map[string]any{"payment_id": p.ID, "status": "failed", "method": p.Method, "why": why})
}

// QuarantinePayment prevents a payment with an unexpected amount from counting, and informs
// the seller once.
func QuarantinePayment(ctx context.Context, tx *store.Tx, p Payment, amount int64, currency string) error {
	return failPayment(ctx, tx, p, "payment.mismatch", map[string]any{
		"payment_id": p.ID, "expected": p.AmountMinor, "expected_currency": p.Currency, "amount": amount, "currency": currency,
	})
}

func failPayment(ctx context.Context, tx *store.Tx, p Payment, kind string, entry map[string]any) error {
	tag, err := tx.DB.Exec(ctx, `
		UPDATE payment SET status = 'failed', look_at = NULL WHERE company_id = $1 AND id = $2 AND status = 'pending'`, tx.Company, p.ID)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	return recordPaymentHistory(ctx, tx, p.Order, kind, entry, 0)
}

// RequestRefund marks a payment of a locked order as refunding: from a moment on the worker
// requests the refund from its provider. After a refused refund it uses a new key, because
// providers repeat their answer to a known one. A second call while the refund is in
// progress changes nothing.
func RequestRefund(ctx context.Context, tx *store.Tx, p Payment, by shop.UserID, at time.Time) error {
	if p.Status != "paid" && p.Status != "paid_again" {
		return nil
	}
	b := &pgx.Batch{}
	b.Queue(`
		INSERT INTO payment_refund AS r (company_id, payment_id, amount_minor, was, try_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (company_id, payment_id) DO UPDATE SET key = gen_random_uuid(), state = 'created', was = excluded.was,
			try_at = excluded.try_at, tries = 0 WHERE r.state <> 'created'`, tx.Company, p.ID, p.AmountMinor, p.Status, at)
	b.Queue(`UPDATE payment SET status = 'refunding' WHERE company_id = $1 AND id = $2`, tx.Company, p.ID)
	queuePaymentHistory(b, tx, p.Order, "refund", map[string]any{"payment_id": p.ID, "status": "refunding"}, by)
	return tx.DB.SendBatch(ctx, b).Close()
}

// Refund returns the money of a paid payment of a locked order: the worker asks its provider, and
// a payment without one is refunded by the shop itself.
func Refund(ctx context.Context, tx *store.Tx, p Payment, by shop.UserID, at time.Time) error {
	if p.RefundedManually() || p.AmountMinor == 0 {
		return MarkRefund(ctx, tx, p, by)
	}
	return RequestRefund(ctx, tx, p, by, at)
}

// RefundOrder returns all money that a locked order was paid with.
func RefundOrder(ctx context.Context, tx *store.Tx, id shop.OrderID, by shop.UserID, at time.Time) error {
	all, err := Payments(ctx, tx.Reader, []shop.OrderID{id})
	if err != nil {
		return err
	}
	for _, p := range all[id] {
		if p.PaidAt == nil || p.RefundedAt != nil || p.Provider == ProviderNone {
			continue
		}
		if err := Refund(ctx, tx, p, by, at); err != nil {
			return err
		}
	}
	return nil
}

// ConfirmRefund records that the money of a payment was refunded, regardless of who
// requested it from the provider.
func ConfirmRefund(ctx context.Context, tx *store.Tx, p Payment) error {
	if p.RefundedAt != nil {
		return nil
	}
	b := &pgx.Batch{}
	b.Queue(`UPDATE payment_refund SET state = 'confirmed', try_at = NULL WHERE company_id = $1 AND payment_id = $2`, tx.Company, p.ID)
	b.Queue(`UPDATE payment SET status = 'refunded', refunded_at = now(), look_at = NULL WHERE company_id = $1 AND id = $2`, tx.Company, p.ID)
	queueRefunded(b, tx, p, 0)
	if err := tx.DB.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	return creditInvoice(ctx, tx, p.Order)
}

// RefuseRefund records that a provider refused a refund: the payment is paid as before, the
// history has the reason, and a letter informs the owner.
func RefuseRefund(ctx context.Context, tx *store.Tx, o Order, p Payment, why string) error {
	var round string
	err := tx.DB.QueryRow(ctx, `
		WITH refused AS (
			UPDATE payment_refund SET state = 'failed', try_at = NULL WHERE company_id = $1 AND payment_id = $2 AND state = 'created'
			RETURNING was, key)
		UPDATE payment p SET status = r.was FROM refused r WHERE p.company_id = $1 AND p.id = $2 RETURNING p.status, r.key::text`,
		tx.Company, p.ID).Scan(&p.Status, &round)
	if store.NoRow(err) {
		return nil
	}
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	queuePaymentHistory(b, tx, o.ID, "refund", map[string]any{"payment_id": p.ID, "status": p.Status, "why": why}, 0)
	tx.QueueLetters(b, store.NewLetter{
		Name: "refund_refused_seller", Object: round, Order: &o.ID, Person: o.Person, Facts: store.LetterData{Payment: p.ID, Why: why},
	})
	return tx.DB.SendBatch(ctx, b).Close()
}

// DuePayment is a payment, or its refund, that is due for a check at its provider.
type DuePayment struct {
	Company shop.CompanyID
	Payment shop.PaymentID
	Order   shop.OrderID
	Checks  int  // earlier checks
	Paid    bool // when it was claimed
}

// DuePayments claims due payments, across shops, the longest waiting first, for the
// duration of the lease.
func DuePayments(ctx context.Context, s *store.Store, now time.Time, lease time.Duration, limit int) ([]DuePayment, error) {
	return due(ctx, s, `
		UPDATE payment p SET look_at = $2, looks = looks + 1 FROM (
			SELECT company_id, id FROM payment WHERE look_at <= $1 AND `+store.NotMoving("company_id")+` ORDER BY look_at LIMIT $3 FOR UPDATE SKIP LOCKED) d
		WHERE p.company_id = d.company_id AND p.id = d.id RETURNING p.company_id, p.id, p.order_id, p.looks - 1, p.paid_at IS NOT NULL`, now, now.Add(lease), limit)
}

// DueRefunds is DuePayments for refunds.
func DueRefunds(ctx context.Context, s *store.Store, now time.Time, lease time.Duration, limit int) ([]DuePayment, error) {
	return due(ctx, s, `
		UPDATE payment_refund r SET try_at = $2, tries = tries + 1 FROM (
			SELECT company_id, payment_id FROM payment_refund WHERE try_at <= $1 AND `+store.NotMoving("company_id")+` ORDER BY try_at LIMIT $3 FOR UPDATE SKIP LOCKED) d, payment p
		WHERE r.company_id = d.company_id AND r.payment_id = d.payment_id AND p.company_id = r.company_id AND p.id = r.payment_id
		RETURNING p.company_id, p.id, p.order_id, r.tries - 1, true`, now, now.Add(lease), limit)
}

func due(ctx context.Context, s *store.Store, sql string, args ...any) ([]DuePayment, error) {
	rows, err := s.Pool.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[DuePayment])
}

// ScheduleCheck sets when the provider of a payment is checked next, nil for never. It applies
// only while the payment is still paid, or still unpaid, as it was when checked: a change
// since then has set its own time.
func ScheduleCheck(ctx context.Context, tx *store.Tx, id shop.PaymentID, paid bool, at *time.Time) error {
	_, err := tx.DB.Exec(ctx, `
		UPDATE payment SET look_at = $4 WHERE company_id = $1 AND id = $2 AND (paid_at IS NOT NULL) = $3 AND look_at IS NOT NULL`,
		tx.Company, id, paid, at)
	return err
}

// ScheduleRefund sets when a refund is tried next.
func ScheduleRefund(ctx context.Context, tx *store.Tx, id shop.PaymentID, at time.Time) error {
	_, err := tx.DB.Exec(ctx, `UPDATE payment_refund SET try_at = $3 WHERE company_id = $1 AND payment_id = $2 AND state = 'created'`, tx.Company, id, at)
	return err
}

// GetPayment reads one payment of the shop.
func GetPayment(ctx context.Context, r store.Reader, id shop.PaymentID) (Payment, error) {
	return collectPayment(r.DB.Query(ctx, `SELECT `+paymentColumns+` FROM payment WHERE company_id = $1 AND id = $2`, r.Company, id))
}

// RefundOf reads the refund of a payment; found is false when none was requested.
func RefundOf(ctx context.Context, r store.Reader, id shop.PaymentID) (key string, amount int64, state string, found bool, err error) {
	err = r.DB.QueryRow(ctx, `SELECT key::text, amount_minor, state FROM payment_refund WHERE company_id = $1 AND payment_id = $2`, r.Company, id).
		Scan(&key, &amount, &state)
	if store.NoRow(err) {
		return "", 0, "", false, nil
	}
	return key, amount, state, err == nil, err
}

// noticesAnHour is how many notifications of a shop are stored per hour.
const noticesAnHour = 1000

// RecordNotice stores a notification of a provider verbatim, unless the shop got too many
// within the hour.
func RecordNotice(ctx context.Context, tx *store.Tx, method, ref string, body []byte) error {
	_, err := tx.DB.Exec(ctx, `
		INSERT INTO payment_notice (company_id, method, ref, body) SELECT $1, $2, $3, $4
		WHERE NOT EXISTS (SELECT FROM (
			SELECT created_at FROM payment_notice WHERE company_id = $1 ORDER BY id DESC OFFSET $5 LIMIT 1) old WHERE created_at > now() - interval '1 hour')`,
		tx.Company, method, ref, body, noticesAnHour-1)
	return err
}

// SweepNotices deletes notifications from before a time.
func SweepNotices(ctx context.Context, s *store.Store, before time.Time) error {
	return s.SweepBatches(ctx, `DELETE FROM payment_notice WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM payment_notice WHERE created_at <= $1 LIMIT $2))`, before)
}

// PaymentMethod is a way in which a shop accepts payments.
type PaymentMethod struct {
	Method   string
	Title    string
	IsActive bool
	Sealed   []byte // credentials of its provider; nil: none needed

	Instructions string // the shop's instructions for buyers who pay manually
	Public       PublicSettings
	UpdatedAt    time.Time
}

// PublicSettings are the settings of a method that are no secrets.
type PublicSettings struct {
	PublishableKey   string `json:"publishable_key,omitempty" doc:"with it, assistants may pay with Google Pay"`
	GoogleMerchantID string `json:"google_merchant_id,omitempty" doc:"as Google Pay's console shows it"`
	MerchantID       string `json:"merchant_id,omitempty" doc:"the account or profile to which assistants grant shared payment tokens"`
}

// PaymentMethods returns the methods that a shop has set, the manual one last.
func PaymentMethods(ctx context.Context, r store.Reader) ([]PaymentMethod, error) {
	rows, err := r.DB.Query(ctx, `SELECT method, title, is_active, sealed, instructions, coalesce(public, '{}'), updated_at FROM payment_method WHERE company_id = $1
		ORDER BY method = 'manual', method`, r.Company)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[PaymentMethod])
}

// SavePaymentMethod stores a method. Without sealed secrets it keeps the existing ones.
func SavePaymentMethod(ctx context.Context, tx *store.Tx, m *PaymentMethod) error {
	tx.Changed(shop.Key{Kind: shop.KeyShop}) // checkouts keep the methods by the shop's version
	return tx.DB.QueryRow(ctx, `
		INSERT INTO payment_method AS m (company_id, method, title, is_active, sealed, instructions, public) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (company_id, method) DO UPDATE SET title = excluded.title, is_active = excluded.is_active,
			sealed = coalesce(excluded.sealed, m.sealed), instructions = excluded.instructions, public = excluded.public, updated_at = now()
		RETURNING updated_at`, tx.Company, m.Method, m.Title, m.IsActive, m.Sealed, m.Instructions, m.Public).Scan(&m.UpdatedAt)
}
