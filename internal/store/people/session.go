package people

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// MaxSessions is how many sessions a person may have on one origin: the admin's or a shop's
// host.
const MaxSessions = 100

// NewSession is a session that is about to be created.
type NewSession struct {
	TokenHash []byte
	Person    shop.UserID
	Bound     shop.CompanyID // the only shop on whose host it is valid; 0: the admin origin, too
	Network   string
	Agent     string // the browser or program, as it names itself
	Passkey   bool   // the person signed in with a passkey
	TakesOver bool   // the person must be a guest, whose other sessions end
	At        time.Time
	Expires   time.Time
}

// CreateSession stores a session. Beyond MaxSessions of one person and origin the oldest of
// that origin end, so the limit never refuses a sign-in, and a shop's host never ends
// sessions of another origin. The person's row is locked, so that concurrent sign-ins are
// counted one by one. It returns shop.ErrNotFound for a person who is no guest where one is required.
func CreateSession(ctx context.Context, s *store.Store, in NewSession) error {
	return pgx.BeginFunc(ctx, s.People(), func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE person SET seen_at = now() WHERE id = $1 AND (NOT $2 OR email = '')`, in.Person, in.TakesOver)
		if err != nil {
			return err
		}
		var b pgx.Batch
		if in.TakesOver {
			if tag.RowsAffected() == 0 {
				return shop.ErrNotFound
			}
			b.Queue(`DELETE FROM session WHERE person_id = $1`, in.Person)
		}
		b.Queue(`DELETE FROM session WHERE token_hash IN (
			SELECT token_hash FROM session WHERE person_id = $1 AND company_id IS NOT DISTINCT FROM nullif($3, 0)
			ORDER BY expires_at DESC, token_hash OFFSET $2)`, in.Person, MaxSessions-1, in.Bound)
		b.Queue(`SELECT set_config('vitrine.writes', '', true)`) // a session is not made where the shop has gone
		b.Queue(`INSERT INTO session (token_hash, person_id, company_id, network, agent, passkey, created_at, proven_at, expires_at)
			VALUES ($1, $2, nullif($3, 0), $4, $5, $6, $7, $7, $8)`,
			in.TokenHash, in.Person, in.Bound, in.Network, in.Agent, in.Passkey, in.At, in.Expires)
		return tx.SendBatch(ctx, &b).Close()
	})
}

// LiveSession is a session as every call with it needs it.
type LiveSession struct {
	ID         shop.SessionID
	Person     shop.UserID
	Bound      shop.CompanyID
	ProvenAt   time.Time  // when the person last proved who they are
	LastUsedAt *time.Time // as stored, at most once a minute
	HasFactor  bool       // the person has an authenticator app, or a passkey with which they signed in
}

// SessionByHash finds a session that has not expired.
func SessionByHash(ctx context.Context, s *store.Store, tokenHash []byte, now time.Time) (out LiveSession, found bool, err error) {
	var proven pgtype.Timestamptz // '-infinity' before the first proof
	err = s.Pool.QueryRow(ctx, `
		SELECT s.id, s.person_id, coalesce(s.company_id, 0), s.proven_at, s.last_used_at,
			EXISTS (SELECT FROM totp t WHERE t.person_id = s.person_id AND t.confirmed_at IS NOT NULL)
				OR s.passkey AND EXISTS (SELECT FROM passkey k WHERE k.person_id = s.person_id)
		FROM session s WHERE s.token_hash = $1 AND s.expires_at > $2`, tokenHash, now).
		Scan(&out.ID, &out.Person, &out.Bound, &proven, &out.LastUsedAt, &out.HasFactor)
	if store.NoRow(err) {
		return out, false, nil
	}
	out.ProvenAt = proven.Time
	return out, err == nil, err
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

// OwnSession is a session as its person sees it.
type OwnSession struct {
	ID         shop.SessionID  `json:"id"`
	CreatedAt  time.Time       `json:"created_at"`
	LastUsedAt *time.Time      `json:"last_used_at" doc:"to the minute; null: not used yet"`
	ExpiresAt  time.Time       `json:"expires_at"`
	Network    string          `json:"network" doc:"where it was opened: an IPv4 address, or the /64 of an IPv6 address"`
	Agent      string          `json:"agent" doc:"the browser or program that opened it, as it names itself (User-Agent)"`
	Company    *shop.CompanyID `json:"company_id" doc:"the shop on whose host it was opened, and where alone it is valid; null: the admin origin"`
	Slug       string          `json:"slug" doc:"of that shop"`
	Current    bool            `json:"current" doc:"the session of this call"`
}

// maxListed is how many sessions a list has: a person may have MaxSessions on the host of each
// shop.
const maxListed = 500

// Sessions lists the sessions of a person, the last used first: those bound to a shop, or
// all of them when it is 0.
func Sessions(ctx context.Context, s *store.Store, person shop.UserID, bound shop.CompanyID, current []byte, now time.Time) ([]OwnSession, error) {
	rows, err := s.Pool.Query(ctx, `
		SELECT s.id, s.created_at, s.last_used_at, s.expires_at, s.network, s.agent, s.company_id, coalesce(c.slug, ''), s.token_hash = $3
		FROM session s LEFT JOIN company c ON c.id = s.company_id
		WHERE s.person_id = $1 AND ($2 = 0 OR s.company_id = $2) AND s.expires_at > $4
		ORDER BY s.token_hash = $3 DESC, coalesce(s.last_used_at, s.created_at) DESC, s.id DESC LIMIT $5`, person, bound, current, now, maxListed)
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[OwnSession])
	for i := range list {
		in := &list[i]
		in.CreatedAt, in.ExpiresAt = in.CreatedAt.UTC(), in.ExpiresAt.UTC()
		if in.LastUsedAt != nil {
			*in.LastUsedAt = in.LastUsedAt.UTC()
		}
	}
	return list, err
}

// EndOwnSession ends a session of a person by its id, on any origin or only on a shop's host.
// found is false when they have no such session.
func EndOwnSession(ctx context.Context, s *store.Store, person shop.UserID, bound shop.CompanyID, id shop.SessionID) (found bool, err error) {
	tag, err := s.Pool.Exec(ctx, `
		DELETE FROM session WHERE person_id = $1 AND id = $2 AND ($3 = 0 OR company_id = $3)`, person, id, bound)
	return tag.RowsAffected() > 0, err
}

// EndMemberSessions ends the sessions in which a person may act as a member, except keep, the
// hash of a token.
func EndMemberSessions(ctx context.Context, tx *store.Tx, person shop.UserID, keep []byte) error {
	_, err := tx.DB.Exec(ctx, `
		DELETE FROM session WHERE person_id = $1 AND company_id IS NULL AND ($2::bytea IS NULL OR token_hash <> $2)`, person, keep)
	return err
}

// ProveSession records that the person of a session has proven who they are, with a passkey or in
// another way.
func ProveSession(ctx context.Context, s *store.Store, tokenHash []byte, passkey bool, now time.Time) error {
	_, err := s.Pool.Exec(ctx, `UPDATE session SET proven_at = $3, passkey = passkey OR $2 WHERE token_hash = $1`, tokenHash, passkey, now)
	return err
}

// SessionUse is when a session was last used.
type SessionUse struct {
	Person  shop.UserID
	Session shop.SessionID
	At      time.Time
}

// TouchSessions is TouchKeys for sessions.
func TouchSessions(ctx context.Context, s *store.Store, uses []SessionUse) error {
	persons, sessions, times := make([]int32, len(uses)), make([]int64, len(uses)), make([]time.Time, len(uses))
	for i, u := range uses {
		persons[i], sessions[i], times[i] = int32(u.Person), int64(u.Session), u.At
	}
	_, err := s.Beside().Exec(ctx, `
		UPDATE session s SET last_used_at = u.at FROM unnest($1::integer[], $2::bigint[], $3::timestamptz[]) AS u (person_id, id, at)
		WHERE s.person_id = u.person_id AND s.id = u.id AND (s.last_used_at IS NULL OR s.last_used_at < u.at)`, persons, sessions, times)
	return err
}

// EndedCredentials reports what a password change ended, and what remains.
type EndedCredentials struct {
	Sessions int `json:"ended_sessions"`
	Keys     int `json:"ended_keys"`
	LiveKeys int `json:"live_keys"` // of the person, in all shops
}

// SetPassword changes a person's password and ends all their sessions except keep, the hash
// of a token, and the links of assistants: anybody who knew the old password is signed out. With endKeys it also revokes
// the person's keys, in all shops.
func SetPassword(
	ctx context.Context, s *store.Store, person shop.UserID, passwordHash string, keep []byte, endKeys bool, now time.Time,
) (out EndedCredentials, err error) {
	err = pgx.BeginFunc(ctx, s.People(), func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE person SET password_hash = $2 WHERE id = $1`, person, passwordHash); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `DELETE FROM session WHERE person_id = $1 AND token_hash <> $2`, person, keep)
		if err != nil {
			return err
		}
		out.Sessions = int(tag.RowsAffected())
		if _, err := tx.Exec(ctx, endLinks, person); err != nil {
			return err
		}
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
