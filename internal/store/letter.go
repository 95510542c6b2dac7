package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// ErrTooManyLetters keeps the platform from flooding one address.
var ErrTooManyLetters = shop.Refuse(shop.ResourceExhausted, "RATE_LIMITED").
	When("too many calls in this minute; wait for Retry-After seconds").
	With("this address was written to 5 times within an hour").RetryAfter(int(letterWindow / time.Second))

const (
	lettersPerWindow = 5 // to one address
	letterWindow     = time.Hour
)

// LetterKind is what a letter of the platform is about.
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

// Letter is a letter of the platform about an account. It belongs to no shop, and
// no shop lists it: its text holds what proves an address.
type Letter struct {
	ID        shop.LetterID `json:"id"`
	Kind      LetterKind    `json:"kind"`
	To        string        `json:"to"`
	Subject   string        `json:"subject"`
	Text      string        `json:"text"`
	CreatedAt time.Time     `json:"created_at"`
	ExpiresAt time.Time     `json:"expires_at"` // what it tells is over then
}

// Post puts a letter into the queue together with what it tells.
func (tx *Tx) Post(ctx context.Context, l Letter) error {
	tx.posted = true
	return post(ctx, tx.q, l)
}

func post(ctx context.Context, q querier, l Letter) error {
	tag, err := q.Exec(ctx, `
		INSERT INTO platform_letter (kind, recipient, subject, text, created_at, expires_at)
		SELECT $1, $2, $3, $4, $5, $6
		WHERE (SELECT count(*) FROM platform_letter WHERE lower(recipient) = lower($2) AND created_at > $7) < $8`,
		l.Kind, l.To, l.Subject, l.Text, l.CreatedAt, l.ExpiresAt, l.CreatedAt.Add(-letterWindow), lettersPerWindow)
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrTooManyLetters
	}
	return err
}

// Letters are the newest letters of the platform whose time is not over, for the
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

// SweepLetters forgets letters whose time is over. They count against the bound
// of their address for as long as that looks back.
func (s *Store) SweepLetters(ctx context.Context, now time.Time) error {
	return s.sweep(ctx, `DELETE FROM platform_letter WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM platform_letter WHERE expires_at <= $1 LIMIT $2))`, now.Add(-letterWindow))
}
