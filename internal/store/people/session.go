package people

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// MaxSessions is how many sessions a person may have on one origin: the admin's or a shop's
// host.
const MaxSessions = 100

// CreateSession stores the hash of a session token. If bound names a shop, the session is
// valid only on that shop's host. Beyond MaxSessions of one person and origin the oldest of
// that origin end, so the limit never refuses a sign-in, and a shop's host never ends
// sessions of another origin. The person's row is locked, so that concurrent sign-ins are
// counted one by one.
func CreateSession(ctx context.Context, s *store.Store, tokenHash []byte, person shop.UserID, bound shop.CompanyID, expires time.Time) error {
	return pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		var b pgx.Batch
		b.Queue(`UPDATE person SET seen_at = now() WHERE id = $1`, person)
		b.Queue(`DELETE FROM session WHERE token_hash IN (
			SELECT token_hash FROM session WHERE person_id = $1 AND company_id IS NOT DISTINCT FROM nullif($3, 0)
			ORDER BY expires_at DESC, token_hash OFFSET $2)`, person, MaxSessions-1, bound)
		b.Queue(`INSERT INTO session (token_hash, person_id, company_id, expires_at) VALUES ($1, $2, nullif($3, 0), $4)`,
			tokenHash, person, bound, expires)
		return tx.SendBatch(ctx, &b).Close()
	})
}

// SessionPerson returns the person of a session, zero when it is unknown or expired, and
// the shop to which it is bound, zero for none.
func SessionPerson(ctx context.Context, s *store.Store, tokenHash []byte, now time.Time) (id shop.UserID, bound shop.CompanyID, err error) {
	err = s.Pool.QueryRow(ctx, `
		SELECT person_id, coalesce(company_id, 0) FROM session WHERE token_hash = $1 AND expires_at > $2`, tokenHash, now).Scan(&id, &bound)
	if store.NoRow(err) {
		return 0, 0, nil
	}
	return id, bound, err
}

// EndSession deletes a session.
func EndSession(ctx context.Context, s *store.Store, tokenHash []byte) error {
	_, err := s.Pool.Exec(ctx, `DELETE FROM session WHERE token_hash = $1`, tokenHash)
	return err
}

// EndedCredentials reports what a password change ended, and what remains.
type EndedCredentials struct {
	Sessions int `json:"ended_sessions"`
	Keys     int `json:"ended_keys"`
	LiveKeys int `json:"live_keys"` // of the person, in all shops
}

// SetPassword changes a person's password and ends all their sessions except keep, the hash
// of a token: anybody who knew the old password is signed out. With endKeys it also revokes
// the person's keys, in all shops.
func SetPassword(
	ctx context.Context, s *store.Store, person shop.UserID, passwordHash string, keep []byte, endKeys bool, now time.Time,
) (out EndedCredentials, err error) {
	err = pgx.BeginFunc(ctx, s.Pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE person SET password_hash = $2 WHERE id = $1`, person, passwordHash); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `DELETE FROM session WHERE person_id = $1 AND token_hash <> $2`, person, keep)
		if err != nil {
			return err
		}
		out.Sessions = int(tag.RowsAffected())
		if endKeys {
			tag, err = tx.Exec(ctx, `
				UPDATE api_key k SET revoked_at = $2 FROM member m
				WHERE m.person_id = $1 AND `+liveKey, person, now)
			out.Keys = int(tag.RowsAffected())
		}
		if err != nil {
			return err
		}
		return tx.QueryRow(ctx, `SELECT count(*) FROM api_key k, member m WHERE m.person_id = $1 AND `+liveKey, person, now).Scan(&out.LiveKeys)
	})
	return out, err
}

// liveKey is a condition: key k of a member m is valid at the time $2.
const liveKey = `k.company_id = m.company_id AND k.person_id = m.person_id AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2)`

// SweepSessions deletes expired sessions.
func SweepSessions(ctx context.Context, s *store.Store, now time.Time) error {
	return s.SweepBatches(ctx, `DELETE FROM session WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM session WHERE expires_at <= $1 LIMIT $2))`, now)
}
