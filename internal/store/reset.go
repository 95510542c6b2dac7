package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// SendReset keeps the hash of a link that sets a person's password anew, in the
// place of an earlier one, together with the letter that takes it there.
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

// ResetKnown reports whether a link with this hash waits, so that no password is
// hashed for others.
func (s *Store) ResetKnown(ctx context.Context, hash []byte, now time.Time) (known bool, err error) {
	err = s.pool.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM password_reset WHERE hash = $1 AND expires_at > $2)`, hash, now).Scan(&known)
	return known, err
}

// ResetPassword uses up a link: the password is another one, all sessions end, and
// the address is proven, since a letter carried the link there. found is false when
// no such link waits.
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

// SweepResets forgets links that are over.
func (s *Store) SweepResets(ctx context.Context, now time.Time) error {
	return s.sweep(ctx, `DELETE FROM password_reset WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM password_reset WHERE expires_at <= $1 LIMIT $2))`, now)
}
