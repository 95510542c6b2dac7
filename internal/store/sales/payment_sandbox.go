package sales

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// SandboxPayment is a payment as the sandbox provider, which the platform simulates, sees
// it.
type SandboxPayment struct {
	Ref         string
	Key         string
	Payment     shop.PaymentID
	Title       string
	AmountMinor int64
	Currency    string
	ReturnURL   string
	State       string    // open, paid, failed
	SeenFrom    time.Time // before this time queries still see it as open
	Refunded    int64
}

const sandboxColumns = `ref, key, payment_id, title, amount_minor, currency, return_url, state, seen_from, refunded`

func collectSandboxPayment(rows pgx.Rows, err error) (p SandboxPayment, found bool, _ error) {
	if err != nil {
		return p, false, err
	}
	p, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[SandboxPayment])
	if store.NoRow(err) {
		return p, false, nil
	}
	return p, err == nil, err
}

// BeginSandboxPayment stores a payment under its key, or returns the one already started under it.
func BeginSandboxPayment(ctx context.Context, tx *store.Tx, p SandboxPayment) (SandboxPayment, error) {
	p, _, err := collectSandboxPayment(tx.DB.Query(ctx, `
		INSERT INTO sandbox_payment (company_id, ref, key, payment_id, title, amount_minor, currency, return_url)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (company_id, key) DO UPDATE SET return_url = excluded.return_url
		RETURNING `+sandboxColumns, tx.Company, p.Ref, p.Key, p.Payment, p.Title, p.AmountMinor, p.Currency, p.ReturnURL))
	return p, err
}

// GetSandboxPayment reads a payment by the sandbox's id.
func GetSandboxPayment(ctx context.Context, r store.Reader, ref string) (SandboxPayment, bool, error) {
	return collectSandboxPayment(r.DB.Query(ctx, `SELECT `+sandboxColumns+` FROM sandbox_payment WHERE company_id = $1 AND ref = $2`, r.Company, ref))
}

// EndSandboxPayment sets an open payment to paid or failed, visible to queries from a moment on.
func EndSandboxPayment(ctx context.Context, tx *store.Tx, ref, state string, seenFrom time.Time) error {
	_, err := tx.DB.Exec(ctx, `
		UPDATE sandbox_payment SET state = $3, seen_from = $4 WHERE company_id = $1 AND ref = $2 AND state = 'open'`, tx.Company, ref, state, seenFrom)
	return err
}

// RefundSandboxPayment refunds a paid payment, once.
func RefundSandboxPayment(ctx context.Context, tx *store.Tx, ref string, amount int64) (done bool, err error) {
	tag, err := tx.DB.Exec(ctx, `
		UPDATE sandbox_payment SET refunded = $3 WHERE company_id = $1 AND ref = $2 AND state = 'paid' AND refunded IN (0, $3) AND amount_minor >= $3`,
		tx.Company, ref, amount)
	return tag.RowsAffected() > 0, err
}
