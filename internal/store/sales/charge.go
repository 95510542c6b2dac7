package sales

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Charge is money that a provider reserves for a session before its order is placed.
type Charge struct {
	ID          uuid.UUID
	Company     shop.CompanyID
	Session     string
	State       string // begun, authorised, attached, voiding, voided, failed
	AmountMinor int64  // in minor units of the currency
	Currency    string
	Ref         string // the provider's id; empty: it has not answered
	CreatedAt   time.Time
	Looks       int // attempts to end it
}

const chargeColumns = `c.id, c.company_id, c.session, c.state, c.amount_minor, c.currency, c.ref, c.created_at, c.looks`

func collectCharge(rows pgx.Rows, err error) (c Charge, found bool, _ error) {
	if err != nil {
		return c, false, err
	}
	c, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Charge])
	if store.NoRow(err) {
		return c, false, nil
	}
	return c, err == nil, err
}

// BeginCharge stores a charge before its provider is called. From lookAt on the worker ends it unless
// it belongs to an order by then.
func BeginCharge(ctx context.Context, tx *store.Tx, c Charge, lookAt time.Time) (Charge, error) {
	c, _, err := collectCharge(tx.DB.Query(ctx, `
		INSERT INTO charge AS c (company_id, session, amount_minor, currency, look_at) VALUES ($1, $2, $3, $4, $5)
		RETURNING `+chargeColumns, tx.Company, c.Session, c.AmountMinor, c.Currency, lookAt))
	return c, err
}

// AuthoriseCharge records that the provider has reserved the money. ok is false if the worker has
// given the charge up meanwhile.
func AuthoriseCharge(ctx context.Context, tx *store.Tx, id uuid.UUID, ref string, lookAt time.Time) (c Charge, ok bool, err error) {
	return collectCharge(tx.DB.Query(ctx, `
		UPDATE charge c SET state = 'authorised', ref = $3, look_at = $4 WHERE company_id = $1 AND id = $2 AND state = 'begun'
		RETURNING `+chargeColumns, tx.Company, id, ref, lookAt))
}

// AttachCharge makes an authorised charge the pending payment of an order that the transaction places.
// ok is false if the charge was given up, or is in another currency. digits are the decimal places of
// the shop's prices.
func AttachCharge(
	ctx context.Context, tx *store.Tx, id uuid.UUID, method string, o *Order, lookAt time.Time,
) (amountMinor int64, digits int, ok bool, err error) {
	err = tx.DB.QueryRow(ctx, `
		WITH taken AS (
			UPDATE charge SET state = 'attached', order_id = $3, look_at = NULL
			WHERE company_id = $1 AND id = $2 AND state = 'authorised' AND currency = $4 RETURNING amount_minor, ref
		), made AS (
			INSERT INTO payment (company_id, order_id, method, provider, status, amount_minor, currency, provider_ref, key, look_at)
			SELECT $1, $3, $5, $5, 'pending', amount_minor, $4, ref, $2, $6 FROM taken)
		SELECT taken.amount_minor, c.price_digits FROM taken, company c WHERE c.id = $1`, tx.Company, id, o.ID, o.Currency, method, lookAt).Scan(&amountMinor, &digits)
	if store.NoRow(err) {
		return 0, 0, false, nil
	}
	return amountMinor, digits, err == nil, err
}

// GiveUpCharge decides that the money of a charge is released, unless it belongs to an order. ref is
// the provider's id, if it is known now.
func GiveUpCharge(ctx context.Context, tx *store.Tx, id uuid.UUID, ref string, lookAt time.Time) (c Charge, ok bool, err error) {
	return collectCharge(tx.DB.Query(ctx, `
		UPDATE charge c SET state = 'voiding', ref = CASE WHEN ref = '' THEN $3 ELSE ref END, look_at = $4
		WHERE company_id = $1 AND id = $2 AND state <> 'attached' RETURNING `+chargeColumns, tx.Company, id, ref, lookAt))
}

// EndCharge records that nothing of a charge is reserved: voided or failed.
func EndCharge(ctx context.Context, tx *store.Tx, id uuid.UUID, state string) error {
	_, err := tx.DB.Exec(ctx, `
		UPDATE charge SET state = $3, look_at = NULL WHERE company_id = $1 AND id = $2 AND state IN ('begun', 'voiding')`, tx.Company, id, state)
	return err
}

// DelayCharge sets when the release of a charge is tried again.
func DelayCharge(ctx context.Context, tx *store.Tx, id uuid.UUID, at time.Time) error {
	_, err := tx.DB.Exec(ctx, `UPDATE charge SET look_at = $3 WHERE company_id = $1 AND id = $2 AND state = 'voiding'`, tx.Company, id, at)
	return err
}

// GetCharge reads one charge of the shop.
func GetCharge(ctx context.Context, r store.Reader, id uuid.UUID) (c Charge, found bool, err error) {
	return collectCharge(r.DB.Query(ctx, `SELECT `+chargeColumns+` FROM charge c WHERE company_id = $1 AND id = $2`, r.Company, id))
}

// DueCharges claims charges that did not become part of an order in time, across shops, for the
// duration of the lease. The claim is the decision to release their money: from then on AttachCharge
// refuses them.
func DueCharges(ctx context.Context, s *store.Store, now time.Time, lease time.Duration, limit int) ([]Charge, error) {
	rows, err := s.Pool.Query(ctx, `
		UPDATE charge c SET state = 'voiding', look_at = $2, looks = looks + 1 FROM (
			SELECT company_id, id FROM charge WHERE look_at <= $1 AND `+store.NotMoving("company_id")+` ORDER BY look_at LIMIT $3 FOR UPDATE SKIP LOCKED) d
		WHERE c.company_id = d.company_id AND c.id = d.id RETURNING `+chargeColumns, now, now.Add(lease), limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Charge])
}

// SweepCharges deletes charges that ended and were begun before a time.
func SweepCharges(ctx context.Context, s *store.Store, before time.Time) error {
	return s.SweepBatches(ctx, `DELETE FROM charge WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM charge WHERE look_at IS NULL AND created_at <= $1 LIMIT $2))`, before)
}
