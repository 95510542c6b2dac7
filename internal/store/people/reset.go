package people

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// SendReset stores the hash of a link that resets a person's password, replacing an earlier
// one, and queues the letter that delivers it.
func SendReset(ctx context.Context, s *store.Store, l store.PlatformLetter, person shop.UserID, hash []byte) error {
	return s.LettersQueued(pgx.BeginFunc(ctx, s.People(), func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			INSERT INTO password_reset (person_id, hash, expires_at) SELECT id, $2, $3 FROM person WHERE id = $1
			ON CONFLICT (person_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at`, person, hash, l.ExpiresAt)
		if err != nil {
			return err
		}
		return store.PostLetter(ctx, tx, l)
	}))
}

// ResetOf returns the person of a valid link, so that no password is hashed for invalid ones.
func ResetOf(ctx context.Context, s *store.Store, hash []byte, now time.Time) (p Person, found bool, err error) {
	p, err = scanPerson(s.Pool.QueryRow(ctx, `
		SELECT `+personColumns+` FROM person WHERE id = (SELECT person_id FROM password_reset WHERE hash = $1 AND expires_at > $2)`, hash, now))
	if store.NoRow(err) {
		return p, false, nil
	}
	return p, err == nil, err
}

// ResetPassword uses up a link: it sets the password, ends all sessions, and marks the
// address as verified, since a letter delivered the link there. found is false when there
// is no such valid link.
func ResetPassword(ctx context.Context, s *store.Store, hash []byte, passwordHash string, now time.Time) (p Person, found bool, err error) {
	err = pgx.BeginFunc(ctx, s.People(), func(tx pgx.Tx) error {
		var id shop.UserID
		err := tx.QueryRow(ctx, `DELETE FROM password_reset WHERE hash = $1 AND expires_at > $2 RETURNING person_id`, hash, now).Scan(&id)
		if store.NoRow(err) {
			return nil
		}
		if err != nil {
			return err
		}
		found = true
		if err := TakeOverAccount(ctx, tx, id, passwordHash); err != nil {
			return err
		}
		if err := markProven(ctx, tx, id, now); err != nil {
			return err
		}
		p, err = scanPerson(tx.QueryRow(ctx, `SELECT `+personColumns+` FROM person WHERE id = $1`, id))
		return err
	})
	return p, found, err
}

// SweepResets deletes expired links.
func SweepResets(ctx context.Context, s *store.Store, now time.Time) error {
	return s.SweepBatches(ctx, `DELETE FROM password_reset WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM password_reset WHERE expires_at <= $1 LIMIT $2))`, now)
}
