package store

import (
	"context"
	"crypto/sha256"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// ErrTooManyLetters is returned when the platform would write to one address too often.
var ErrTooManyLetters = shop.Refuse(shop.ResourceExhausted, "RATE_LIMITED").
	When("too many calls in this minute; wait for Retry-After seconds").
	With("this address got too many letters within an hour").RetryAfter(int(letterWindow / time.Second))

// How many letters an address gets within an hour, regardless of who requests them.
const (
	lettersPerWindow = 5
	codesPerWindow   = 20 // with codes and links, for which each network has its own budget
	letterWindow     = time.Hour
)

// LetterKind is the subject of a letter of the platform.
type LetterKind string

// The kinds of letters about accounts (CONTRACT-COMMERCE, "Letters").
const (
	LetterInvitation LetterKind = "invitation"
	LetterCode       LetterKind = "code"
	LetterReset      LetterKind = "reset"
	LetterMoved      LetterKind = "email_changed"

	LetterTemplateFailed LetterKind = "template_failed" // of a shop, to its owner
	LetterWebhookFailing LetterKind = "webhook_failing" // as above
)

// Letter is a letter of the platform about an account. It belongs to no shop, and no shop
// lists it: its text contains the code that proves an address.
type Letter struct {
	ID        shop.LetterID `json:"id"`
	Kind      LetterKind    `json:"kind"`
	To        string        `json:"to"`
	Subject   string        `json:"subject"`
	Text      string        `json:"text"`
	CreatedAt time.Time     `json:"created_at"`
	ExpiresAt time.Time     `json:"expires_at"` // end of delivery attempts

	// Trusted letters have no limit here: they were requested from a network from which the
	// person has signed in, so strangers cannot use up the person's budget.
	Trusted bool `json:"-" db:"-"`
}

// Post queues a letter in the transaction that causes it.
func (tx *Tx) Post(ctx context.Context, l Letter) error {
	tx.posted = true
	return post(ctx, tx.q, l)
}

func post(ctx context.Context, q querier, l Letter) error {
	limit := lettersPerWindow
	if l.Kind == LetterCode || l.Kind == LetterReset {
		limit = codesPerWindow
	}
	tag, err := q.Exec(ctx, `
		INSERT INTO platform_letter (kind, recipient, subject, text, created_at, expires_at)
		SELECT $1, $2, $3, $4, $5, $6
		WHERE $9 OR (SELECT count(*) FROM platform_letter WHERE lower(recipient) = lower($2) AND created_at > $7) < $8`,
		l.Kind, l.To, l.Subject, l.Text, l.CreatedAt, l.ExpiresAt, l.CreatedAt.Add(-letterWindow), limit, l.Trusted)
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrTooManyLetters
	}
	return err
}

// Letters returns the newest letters of the platform that are not expired, for the
// operator.
func (s *Store) Letters(ctx context.Context, now time.Time, limit int) ([]Letter, error) {
	rows, err := s.pool.Query(ctx, `
		SELECT id, kind, recipient, subject, text, created_at, expires_at FROM platform_letter
		WHERE expires_at > $1 ORDER BY id DESC LIMIT $2`, now, limit)
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Letter])
	for i := range list {
		list[i].CreatedAt, list[i].ExpiresAt = list[i].CreatedAt.UTC(), list[i].ExpiresAt.UTC()
	}
	return list, err
}

// SweepLetters deletes expired letters. They are kept for the window in which they count
// against the limit of their address.
func (s *Store) SweepLetters(ctx context.Context, now time.Time) error {
	return s.sweep(ctx, `DELETE FROM platform_letter WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM platform_letter WHERE expires_at <= $1 LIMIT $2))`, now.Add(-letterWindow))
}

// Limits of letters of one kind to one buyer's address, across all shops: anybody can enter
// any address at a checkout.
const (
	buyerLettersAnHour = 10
	buyerLettersADay   = 40
)

// PaceLetter counts a letter of a kind to a buyer's address, and reports whether it is
// within the hourly and daily limits. Counts of one address are serialised.
func (s *Store) PaceLetter(ctx context.Context, to, kind string, now time.Time) (within bool, err error) {
	sum := sha256.Sum256([]byte(strings.ToLower(to)))
	recipient := sum[:16]
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
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

// SweepPace deletes counts of letters older than the daily limit's window.
func (s *Store) SweepPace(ctx context.Context, now time.Time) error {
	return s.sweep(ctx, `DELETE FROM letter_pace WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM letter_pace WHERE at <= $1 LIMIT $2))`, now.Add(-24*time.Hour))
}
