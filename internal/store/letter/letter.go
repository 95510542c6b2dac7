package letter

import (
	"context"
	"crypto/sha256"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
)

// PlatformLetters returns the newest letters of the platform that are not expired, for the
// operator.
func PlatformLetters(ctx context.Context, s *store.Store, now time.Time, limit int) ([]store.PlatformLetter, error) {
	rows, err := s.Pool.Query(ctx, `
		SELECT id, kind, recipient, subject, text, created_at, expires_at FROM platform_letter
		WHERE expires_at > $1 ORDER BY id DESC LIMIT $2`, now, limit)
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[store.PlatformLetter])
	for i := range list {
		list[i].CreatedAt, list[i].ExpiresAt = list[i].CreatedAt.UTC(), list[i].ExpiresAt.UTC()
	}
	return list, err
}

// SweepPlatform deletes expired letters. They are kept for the window in which they count
// against the limit of their address.
func SweepPlatform(ctx context.Context, s *store.Store, now time.Time) error {
	return s.SweepBatches(ctx, `DELETE FROM platform_letter WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM platform_letter WHERE expires_at <= $1 LIMIT $2))`, now.Add(-store.LetterWindow))
}

// Limits of letters of one kind to one buyer's address, across all shops: anybody can enter
// any address at a checkout.
const (
	buyerLettersAnHour = 10
	buyerLettersADay   = 40
)

// CountBuyerLetter counts a letter of a kind to a buyer's address, and reports whether it is
// within the hourly and daily limits. Counts of one address are serialised.
func CountBuyerLetter(ctx context.Context, s *store.Store, to, kind string, now time.Time) (within bool, err error) {
	sum := sha256.Sum256([]byte(strings.ToLower(to)))
	recipient := sum[:16]
	err = pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('letters:' || encode($1, 'hex'), 0))`, recipient); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `
			INSERT INTO letter_pace (recipient, kind, at) SELECT $1, $2, $3 FROM (
				SELECT count(*) AS day, count(*) FILTER (WHERE at > $3::timestamptz - interval '1 hour') AS hour
				FROM letter_pace WHERE recipient = $1 AND kind = $2 AND at > $3::timestamptz - interval '1 day') n
			WHERE n.hour < $4 AND n.day < $5`, recipient, kind, now, buyerLettersAnHour, buyerLettersADay)
		within = tag.RowsAffected() > 0
		return err
	})
	return within, err
}

// SweepBuyerLetterCounts deletes counts of letters older than the daily limit's window.
func SweepBuyerLetterCounts(ctx context.Context, s *store.Store, now time.Time) error {
	return s.SweepBatches(ctx, `DELETE FROM letter_pace WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM letter_pace WHERE at <= $1 LIMIT $2))`, now.Add(-24*time.Hour))
}
