package letter

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Due is a letter that is due: of a shop, or of the platform when the company is 0.
type Due struct {
	Company shop.CompanyID
	ID      shop.LetterID
	Tries   int // before this attempt
}

// PlatformLetter reads a letter about an account from the queue.
func PlatformLetter(ctx context.Context, s *store.Store, id shop.LetterID) (l store.PlatformLetter, err error) {
	rows, err := s.Pool.Query(ctx, `
		SELECT id, kind, recipient, subject, text, created_at, expires_at FROM platform_letter WHERE id = $1`, id)
	if err != nil {
		return l, err
	}
	l, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[store.PlatformLetter])
	if store.NoRow(err) {
		err = ErrNotFound
	}
	return l, err
}

// ClaimDue leases letters that are due. Those of the platform come first, because people
// wait for them. Then it takes letters of the shops after the given shop, in turns from each, so
// that a shop with many letters does not delay those of another; next is the shop after
// which to continue.
func ClaimDue(
	ctx context.Context, s *store.Store, after shop.CompanyID, now time.Time, lease time.Duration, limit int,
) (due []Due, next shop.CompanyID, err error) {
	until := now.Add(lease)
	rows, err := s.Pool.Query(ctx, `
		UPDATE platform_letter l SET due_at = $2, tries = tries + 1 FROM (
			SELECT id FROM platform_letter WHERE due_at <= $1 ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED) d
		WHERE l.id = d.id RETURNING 0, l.id, l.tries - 1`, now, until, limit)
	if err != nil {
		return nil, after, err
	}
	if due, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Due]); err != nil || len(due) == limit {
		return due, after, err
	}
	rows, err = s.Pool.Query(ctx, claimLetters, now, until, limit-len(due), after)
	if err != nil {
		return due, after, err
	}
	ofShops, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Due])
	for _, l := range ofShops {
		next = max(next, l.Company)
	}
	return append(due, ofShops...), next, err
}

// claimLetters walks along the index from shop to shop with letters due, and takes the
// longest waiting letters of each in turns. Letters of deleted shops wait until these are restored.
const claimLetters = `
	WITH RECURSIVE deleted AS (SELECT array_agg(id) AS ids FROM company WHERE deleted_at IS NOT NULL),
	waiting AS (
		(SELECT company_id, 1 AS n FROM letter WHERE company_id > $4 AND due_at <= $1
			AND (company_id = ANY((SELECT ids FROM deleted)::integer[])) IS NOT TRUE ORDER BY company_id LIMIT 1)
		UNION ALL
		(SELECT l.company_id, w.n + 1 FROM waiting w CROSS JOIN LATERAL (
			SELECT company_id FROM letter WHERE company_id > w.company_id AND due_at <= $1
				AND (company_id = ANY((SELECT ids FROM deleted)::integer[])) IS NOT TRUE ORDER BY company_id LIMIT 1) l WHERE w.n < $3)),
	picked AS (
		SELECT l.company_id, l.id, l.turn FROM waiting w CROSS JOIN LATERAL (
			SELECT company_id, id, row_number() OVER (ORDER BY due_at, id) AS turn FROM (
				SELECT company_id, id, due_at FROM letter WHERE company_id = w.company_id AND due_at <= $1 ORDER BY due_at, id LIMIT $3) f) l
		ORDER BY l.turn, l.company_id LIMIT $3),
	taken AS (
		SELECT l.company_id, l.id FROM letter l JOIN picked p ON p.company_id = l.company_id AND p.id = l.id
		WHERE l.due_at <= $1 AND shop_free(l.company_id) FOR UPDATE OF l SKIP LOCKED)
	UPDATE letter l SET due_at = $2, tries = tries + 1 FROM taken t WHERE l.company_id = t.company_id AND l.id = t.id
	RETURNING l.company_id, l.id, l.tries - 1`

// NoteSent records that the mail server accepted a letter.
func NoteSent(ctx context.Context, s *store.Store, l Due, at time.Time) error {
	if l.Company == 0 {
		_, err := s.Pool.Exec(ctx, `UPDATE platform_letter SET due_at = NULL, sent_at = $2, error = '' WHERE id = $1`, l.ID, at)
		return err
	}
	_, err := s.Pool.Exec(ctx, `
		UPDATE letter SET state = 'sent', due_at = NULL, sent_at = $3, error = '' WHERE company_id = $1 AND id = $2`, l.Company, l.ID, at)
	return err
}

// NoteFailed records why a letter was not accepted, unless a concurrent attempt delivered
// it. It is tried again at a moment, or never when that is nil.
func NoteFailed(ctx context.Context, s *store.Store, l Due, why string, again *time.Time) error {
	if l.Company == 0 {
		_, err := s.Pool.Exec(ctx, `UPDATE platform_letter SET due_at = $2, error = $3 WHERE id = $1 AND sent_at IS NULL`, l.ID, again, why)
		return err
	}
	_, err := s.Pool.Exec(ctx, `
		UPDATE letter SET state = CASE WHEN $3::timestamptz IS NULL THEN 'failed' ELSE 'queued' END, due_at = $3, error = $4
		WHERE company_id = $1 AND id = $2 AND state <> 'sent'`, l.Company, l.ID, again, why)
	return err
}

// Outgoing reads a due letter of a shop, and why letters to its address have bounced since
// a moment; empty: they have not.
func Outgoing(ctx context.Context, s *store.Store, due Due, since time.Time) (l ShopLetter, bounced string, err error) {
	rows, err := s.Pool.Query(ctx, `
		SELECT `+letterColumns+`, coalesce((SELECT reason FROM letter_bounce b WHERE b.company_id = $1 AND b.recipient = lower(l.recipient) AND b.at > $3), '')
		FROM letter l WHERE company_id = $1 AND id = $2`, due.Company, due.ID, since)
	if err != nil {
		return l, "", err
	}
	out, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[struct {
		ShopLetter
		Bounced string
	}])
	if store.NoRow(err) {
		err = ErrNotFound
	}
	return out.ShopLetter, out.Bounced, err
}

// RecordBounce records that letters of a shop do not reach an address.
func RecordBounce(ctx context.Context, s *store.Store, company shop.CompanyID, address, why string, at time.Time) error {
	_, err := s.Pool.Exec(ctx, `
		INSERT INTO letter_bounce (company_id, recipient, reason, at) VALUES ($1, lower($2), $3, $4)
		ON CONFLICT (company_id, recipient) DO UPDATE SET reason = excluded.reason, at = excluded.at`, company, address, why, at)
	return err
}

// SweepShops deletes letters of shops written before one moment, and bounces from
// before another.
func SweepShops(ctx context.Context, s *store.Store, letters, bounces time.Time) error {
	err := s.SweepBatches(ctx, `DELETE FROM letter WHERE ctid = ANY(ARRAY(SELECT ctid FROM letter WHERE created_at <= $1 LIMIT $2))`, letters)
	if err == nil {
		err = s.SweepBatches(ctx, `DELETE FROM letter_bounce WHERE ctid = ANY(ARRAY(SELECT ctid FROM letter_bounce WHERE at <= $1 LIMIT $2))`, bounces)
	}
	return err
}
