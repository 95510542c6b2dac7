package people

import (
	"context"
	"time"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// APIKey is a personal access token without its secret.
type APIKey struct {
	ID         shop.KeyID     `json:"id"`
	Company    shop.CompanyID `json:"-"`
	Client     string         `json:"-"` // the program that has the key by a grant; empty: none
	Person     shop.UserID    `json:"user_id"`
	Role       shop.Role      `json:"-"` // the person's present role
	Name       string         `json:"name"`
	Contour    shop.Contour   `json:"contour"`
	Scopes     []shop.Scope   `json:"scopes"`
	CreatedAt  time.Time      `json:"created_at"`
	ExpiresAt  *time.Time     `json:"expires_at"` // null: never
	LastUsedAt *time.Time     `json:"last_used_at"`

	ShopDeleted bool `json:"-"` // its shop was deleted by the owner, who can restore it
}

// ErrKeyLimit refuses a key beyond the limits; no existing key is revoked automatically.
var ErrKeyLimit = shop.Refuse(shop.ResourceExhausted, "TOKEN_LIMIT_REACHED").
	When("the person has 100 live keys in the shop, or the shop 1,000").WithField("limit_code", "tokens_max")

// How many active keys a shop may have, per person and in total.
const (
	MaxKeys       = 100
	MaxKeysOfShop = 1000
)

// IssueKey stores a key by the hash of its secret. Callers hold LockMembers, so the limits
// are exact.
func IssueKey(ctx context.Context, tx *store.Tx, k APIKey, hash []byte) (id shop.KeyID, err error) {
	err = tx.DB.QueryRow(ctx, `
		INSERT INTO api_key (company_id, person_id, name, contour, scopes, hash, expires_at, client_id)
		SELECT $1, $2, $3, $4, $5, $6, $7, nullif($11, '')::uuid
		FROM (SELECT count(*) AS all_keys, count(*) FILTER (WHERE person_id = $2) AS own FROM api_key
			WHERE company_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $8)) n
		WHERE n.own < $9 AND n.all_keys < $10 RETURNING id`,
		tx.Company, k.Person, k.Name, k.Contour, k.Scopes, hash, k.ExpiresAt, k.CreatedAt, MaxKeys, MaxKeysOfShop, k.Client).Scan(&id)
	if store.NoRow(err) {
		err = ErrKeyLimit.With("revoke one first")
	}
	return id, err
}

// SweepRevokedKeys deletes keys that were revoked or expired before a time.
func SweepRevokedKeys(ctx context.Context, s *store.Store, before time.Time) error {
	return s.SweepBatches(ctx, `DELETE FROM api_key WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM api_key WHERE least(revoked_at, expires_at) < $1
		AND (revoked_at IS NOT NULL OR expires_at IS NOT NULL) LIMIT $2))`, before)
}

// KeyByHash finds an active key together with its person's present role; found is false for
// unknown, revoked and expired keys and for people who left.
func KeyByHash(ctx context.Context, s *store.Store, hash []byte, now time.Time) (k APIKey, found bool, err error) {
	return activeKey(ctx, s, `k.hash = $1`, hash, now)
}

// KeyByAccessToken finds the active key of a grant by one of its access tokens, like KeyByHash.
func KeyByAccessToken(ctx context.Context, s *store.Store, hash []byte, now time.Time) (k APIKey, found bool, err error) {
	return activeKey(ctx, s, `(k.company_id, k.id) = (
		SELECT company_id, key_id FROM oauth_token WHERE hash = $1 AND kind = 'access' AND expires_at > $2)`, hash, now)
}

func activeKey(ctx context.Context, s *store.Store, condition string, hash []byte, now time.Time) (k APIKey, found bool, err error) {
	err = s.Pool.QueryRow(ctx, `
		SELECT k.company_id, k.id, k.person_id, m.role, k.name, k.contour, k.scopes, k.created_at, k.expires_at, k.last_used_at,
			EXISTS (SELECT FROM company c WHERE c.id = k.company_id AND c.deleted_at IS NOT NULL)
		FROM api_key k JOIN member m ON m.company_id = k.company_id AND m.person_id = k.person_id
		WHERE `+condition+` AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2)`, hash, now).
		Scan(&k.Company, &k.ID, &k.Person, &k.Role, &k.Name, &k.Contour, &k.Scopes, &k.CreatedAt, &k.ExpiresAt, &k.LastUsedAt, &k.ShopDeleted)
	if store.NoRow(err) {
		return k, false, nil
	}
	return k, err == nil, err
}

// KeyUse is when a key was last used.
type KeyUse struct {
	Company shop.CompanyID
	Key     shop.KeyID
	At      time.Time
}

// TouchKeys records when keys were last used, all in one statement. It never overwrites a
// later use recorded by another process.
func TouchKeys(ctx context.Context, s *store.Store, uses []KeyUse) error {
	companies, keys, times := make([]int32, len(uses)), make([]int64, len(uses)), make([]time.Time, len(uses))
	for i, u := range uses {
		companies[i], keys[i], times[i] = int32(u.Company), int64(u.Key), u.At
	}
	_, err := s.Beside().Exec(ctx, `
		UPDATE api_key k SET last_used_at = u.at FROM unnest($1::integer[], $2::bigint[], $3::timestamptz[]) AS u (company_id, id, at)
		WHERE k.company_id = u.company_id AND k.id = u.id AND (k.last_used_at IS NULL OR k.last_used_at < u.at)`, companies, keys, times)
	return err
}

// Keys lists the keys of one person in the shop, newest first, without those of grants.
func Keys(ctx context.Context, r store.Reader, person shop.UserID) ([]APIKey, error) {
	return keys(ctx, r, person, nil, true)
}

// keys returns the keys of a person, or of everybody when person is 0; with a moment, only
// those not expired by then; typed leaves out those of grants.
func keys(ctx context.Context, r store.Reader, person shop.UserID, now *time.Time, typed bool) ([]APIKey, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT id, person_id, name, contour, scopes, created_at, expires_at, last_used_at FROM api_key
		WHERE company_id = $1 AND ($2 = 0 OR person_id = $2) AND revoked_at IS NULL AND ($3::timestamptz IS NULL OR expires_at IS NULL OR expires_at > $3)
		AND (client_id IS NULL OR NOT $4)
		ORDER BY id DESC`, r.Company, person, now, typed)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	keys := []APIKey{}
	for rows.Next() {
		var k APIKey
		if err := rows.Scan(&k.ID, &k.Person, &k.Name, &k.Contour, &k.Scopes, &k.CreatedAt, &k.ExpiresAt, &k.LastUsedAt); err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	return keys, rows.Err()
}

// ActiveKeys lists the active keys of everybody in the shop with those of grants, newest first.
func ActiveKeys(ctx context.Context, r store.Reader, now time.Time) ([]APIKey, error) {
	return keys(ctx, r, 0, &now, false)
}

// RevokeKey revokes a key of a person, or of anybody when person is 0, at once; found is
// false when there is none.
func RevokeKey(ctx context.Context, tx *store.Tx, person shop.UserID, id shop.KeyID, now time.Time) (found bool, err error) {
	tag, err := tx.DB.Exec(ctx, `
		UPDATE api_key SET revoked_at = $4 WHERE company_id = $1 AND ($2 = 0 OR person_id = $2) AND id = $3 AND revoked_at IS NULL`,
		tx.Company, person, id, now)
	return tag.RowsAffected() > 0, err
}

// RevokeKeys revokes those keys of a person that have one of the scopes, or all of them
// when no scope is given.
func RevokeKeys(ctx context.Context, tx *store.Tx, person shop.UserID, now time.Time, scopes ...shop.Scope) error {
	_, err := tx.DB.Exec(ctx, `
		UPDATE api_key SET revoked_at = $3
		WHERE company_id = $1 AND person_id = $2 AND revoked_at IS NULL AND (cardinality($4::text[]) = 0 OR scopes && $4)`,
		tx.Company, person, now, append([]shop.Scope{}, scopes...))
	return err
}

// MayReadDraft reports whether a person of the shop, and the person's key where one is
// given, may still read the draft: the person is a member, and the key is neither revoked
// nor expired. The scopes of a key never change (document 1, section 5), so they need no
// new check.
func MayReadDraft(ctx context.Context, r store.Reader, person shop.UserID, key shop.KeyID, now time.Time) (may bool, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM member WHERE company_id = $1 AND person_id = $2) AND ($3 = 0 OR EXISTS (
			SELECT FROM api_key WHERE company_id = $1 AND person_id = $2 AND id = $3
			AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $4)))`, r.Company, person, key, now).Scan(&may)
	return may, err
}
