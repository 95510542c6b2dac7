package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// CreateSession stores the hash of a session token.
func (s *Store) CreateSession(ctx context.Context, tokenHash []byte, person shop.UserID, expires time.Time) error {
	_, err := s.pool.Exec(ctx, `INSERT INTO session (token_hash, person_id, expires_at) VALUES ($1, $2, $3)`, tokenHash, person, expires)
	return err
}

// SessionPerson is who a session belongs to; zero when it is unknown or over.
func (s *Store) SessionPerson(ctx context.Context, tokenHash []byte, now time.Time) (id shop.UserID, err error) {
	err = s.pool.QueryRow(ctx, `SELECT person_id FROM session WHERE token_hash = $1 AND expires_at > $2`, tokenHash, now).Scan(&id)
	if noRow(err) {
		return 0, nil
	}
	return id, err
}

// EndSession forgets a session.
func (s *Store) EndSession(ctx context.Context, tokenHash []byte) error {
	_, err := s.pool.Exec(ctx, `DELETE FROM session WHERE token_hash = $1`, tokenHash)
	return err
}

// SetPassword changes how a person signs in and ends all their sessions but one,
// named by the hash of its token: whoever knew the old password is out.
func (s *Store) SetPassword(ctx context.Context, person shop.UserID, passwordHash string, keep []byte) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE person SET password_hash = $2 WHERE id = $1`, person, passwordHash); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM session WHERE person_id = $1 AND token_hash <> $2`, person, keep)
		return err
	})
}

// SweepSessions forgets sessions that are over.
func (s *Store) SweepSessions(ctx context.Context, now time.Time) error {
	return s.sweep(ctx, `DELETE FROM session WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM session WHERE expires_at <= $1 LIMIT $2))`, now)
}
