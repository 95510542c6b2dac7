package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// SendReset stores the hash of a link that resets a person's password, replacing an earlier
// one, and queues the letter that delivers it.
func (s *Store) SendReset(ctx context.Context, l Letter, person shop.UserID, hash []byte) error {
	return s.posting(pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			INSERT INTO password_reset (person_id, hash, expires_at) SELECT id, $2, $3 FROM person WHERE id = $1
			ON CONFLICT (person_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at`, person, hash, l.ExpiresAt)
		if err != nil {
			return err
		}
		return post(ctx, tx, l)
	}))
}

// ResetKnown reports whether there is a valid link with this hash, so that no password is
// hashed for invalid ones.
func (s *Store) ResetKnown(ctx context.Context, hash []byte, now time.Time) (valid bool, err error) {
	err = s.pool.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM password_reset WHERE hash = $1 AND expires_at > $2)`, hash, now).Scan(&valid)
	return valid, err
}

// ResetPassword uses up a link: it sets the password, ends all sessions, and marks the
// address as verified, since a letter delivered the link there. found is false when there
// is no such valid link.
func (s *Store) ResetPassword(ctx context.Context, hash []byte, passwordHash string, now time.Time) (p Person, found bool, err error) {
	err = pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var id shop.UserID
		err := tx.QueryRow(ctx, `DELETE FROM password_reset WHERE hash = $1 AND expires_at > $2 RETURNING person_id`, hash, now).Scan(&id)
		if noRow(err) {
			return nil
		}
		if err != nil {
			return err
		}
		found = true
		if err := takeOver(ctx, tx, id, passwordHash); err != nil {
			return err
		}
		if err := prove(ctx, tx, id, now); err != nil {
			return err
		}
		p, err = scanPerson(tx.QueryRow(ctx, `SELECT `+personColumns+` FROM person WHERE id = $1`, id))
		return err
	})
	return p, found, err
}

// SweepResets deletes expired links.
func (s *Store) SweepResets(ctx context.Context, now time.Time) error {
	return s.sweep(ctx, `DELETE FROM password_reset WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM password_reset WHERE expires_at <= $1 LIMIT $2))`, now)
}
