package people

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// A Client is a program that people may let act for them with OAuth.
type Client struct {
	ID        string
	Name      string
	Redirects []string

	// Of assistants.
	Profile string // the address of the profile that the client belongs to
	Signs   bool   // it proves with a key of the profile who it is
	Blocked bool   // the shop has blocked the profile
}

// MaxUnusedClients is how many registered clients wait for their first grant. Anyone may register
// one, so a flood must not fill the disk.
const MaxUnusedClients = 10_000

// RegisterClient stores a client and returns its id. Beyond MaxUnusedClients the oldest unused ones
// are deleted: a limit that refused would let one flood keep everybody else out.
func RegisterClient(ctx context.Context, s *store.Store, c Client) (id string, err error) {
	err = s.Pool.QueryRow(ctx, `
		WITH crowded AS (DELETE FROM oauth_client WHERE id IN (
			SELECT id FROM oauth_client WHERE used_at IS NULL ORDER BY created_at DESC OFFSET $3))
		INSERT INTO oauth_client (name, redirect_uris) VALUES ($1, $2) RETURNING id::text`, c.Name, c.Redirects, MaxUnusedClients-1).Scan(&id)
	return id, err
}

// ClientByID finds a client.
func ClientByID(ctx context.Context, s *store.Store, id string) (c Client, found bool, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT id::text, name, redirect_uris FROM oauth_client WHERE id::text = $1`, id).Scan(&c.ID, &c.Name, &c.Redirects)
	if store.NoRow(err) {
		return c, false, nil
	}
	return c, err == nil, err
}

// Consent is what a person agreed to: the client may act for them in the shop.
type Consent struct {
	Client    string
	Company   shop.CompanyID
	Person    shop.UserID
	Redirect  string
	Challenge string // of PKCE, S256
	Resource  string
	Contour   shop.Contour
	Scopes    []shop.Scope
}

// StoreCode stores a consent under the hash of the code that the client exchanges.
func StoreCode(ctx context.Context, s *store.Store, hash []byte, c Consent, expires, now time.Time) error {
	var b pgx.Batch
	b.Queue(`
		INSERT INTO oauth_code (hash, client_id, company_id, person_id, redirect_uri, challenge, resource, contour, scopes, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		hash, c.Client, c.Company, c.Person, c.Redirect, c.Challenge, c.Resource, c.Contour, c.Scopes, expires)
	b.Queue(`UPDATE oauth_client SET used_at = $2 WHERE id = $1`, c.Client, now)
	return s.Pool.SendBatch(ctx, &b).Close()
}

// CodeCompany returns the shop of a code, so that a transaction can begin there.
func CodeCompany(ctx context.Context, s *store.Store, hash []byte) (id shop.CompanyID, found bool, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT company_id FROM oauth_code WHERE hash = $1`, hash).Scan(&id)
	if store.NoRow(err) {
		return 0, false, nil
	}
	return id, err == nil, err
}

// UseConsent marks a code as used and returns its consent. A code is used once, whatever becomes of
// it: used is true for the first caller and while it is valid. For a later one it is false, and key
// is the grant that the first one got, 0 for none.
func UseConsent(ctx context.Context, tx *store.Tx, hash []byte, now time.Time) (c Consent, key shop.KeyID, used bool, err error) {
	err = tx.DB.QueryRow(ctx, `
		UPDATE oauth_code SET used_at = $3 WHERE hash = $1 AND company_id = $2 AND used_at IS NULL AND expires_at > $3
		RETURNING client_id::text, company_id, person_id, redirect_uri, challenge, resource, contour, scopes`, hash, tx.Company, now).
		Scan(&c.Client, &c.Company, &c.Person, &c.Redirect, &c.Challenge, &c.Resource, &c.Contour, &c.Scopes)
	if !store.NoRow(err) {
		return c, 0, err == nil, err
	}
	err = tx.DB.QueryRow(ctx, `SELECT coalesce(key_id, 0) FROM oauth_code WHERE hash = $1 AND company_id = $2`, hash, tx.Company).Scan(&key)
	if store.NoRow(err) {
		err = nil
	}
	return c, key, false, err
}

// CodeBecame records which grant a code became.
func CodeBecame(ctx context.Context, tx *store.Tx, hash []byte, key shop.KeyID) error {
	_, err := tx.DB.Exec(ctx, `UPDATE oauth_code SET key_id = $3 WHERE hash = $1 AND company_id = $2`, hash, tx.Company, key)
	return err
}

// TokenPair are new tokens of a grant, by hash.
type TokenPair struct {
	Access, Refresh               []byte
	AccessExpires, RefreshExpires time.Time
	Resource                      string
}

// storedToken is one of a pair, and how many of its kind are kept.
type storedToken struct {
	kind    string
	hash    []byte
	expires time.Time
	kept    int
}

func (p TokenPair) each() []storedToken {
	return []storedToken{{"access", p.Access, p.AccessExpires, keptAccess}, {"refresh", p.Refresh, p.RefreshExpires, keptRefresh}}
}

// How many tokens of a grant are kept: more than a client uses at a time. Of refresh tokens these
// are the used ones whose second use is noticed.
const (
	keptAccess  = 20
	keptRefresh = 50
)

// StoreTokens adds tokens to a grant, which lives as long as its newest refresh token.
func StoreTokens(ctx context.Context, tx *store.Tx, key shop.KeyID, p TokenPair, now time.Time) error {
	var b pgx.Batch
	for _, t := range p.each() {
		b.Queue(`DELETE FROM oauth_token WHERE hash IN (SELECT hash FROM oauth_token
			WHERE company_id = $1 AND key_id = $2 AND kind = $3 ORDER BY created_at DESC OFFSET $4)`, tx.Company, key, t.kind, t.kept-1)
		b.Queue(`INSERT INTO oauth_token (hash, company_id, key_id, kind, resource, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			t.hash, tx.Company, key, t.kind, p.Resource, now, t.expires)
	}
	b.Queue(`UPDATE api_key SET expires_at = $3 WHERE company_id = $1 AND id = $2`, tx.Company, key, p.RefreshExpires)
	return tx.DB.SendBatch(ctx, &b).Close()
}

// Refreshed is the grant of a refresh token.
type Refreshed struct {
	Key      APIKey
	Resource string
}

// TokenCompany returns the shop of a token, so that a transaction can begin there.
func TokenCompany(ctx context.Context, s *store.Store, hash []byte) (id shop.CompanyID, key shop.KeyID, found bool, err error) {
	err = s.Pool.QueryRow(ctx, `SELECT company_id, key_id FROM oauth_token WHERE hash = $1`, hash).Scan(&id, &key)
	if store.NoRow(err) {
		return 0, 0, false, nil
	}
	return id, key, err == nil, err
}

// UseRefresh marks a refresh token as used and returns its grant. used is false if it was used
// before or is not valid; key then is the grant of a token that was used before, else 0. Callers
// hold the lock of the members.
func UseRefresh(ctx context.Context, tx *store.Tx, hash []byte, client string, now time.Time) (r Refreshed, used bool, replayed shop.KeyID, err error) {
	k := &r.Key
	err = tx.DB.QueryRow(ctx, `
		UPDATE oauth_token t SET used_at = $3 FROM api_key k
		WHERE t.hash = $1 AND t.company_id = $2 AND t.kind = 'refresh' AND t.used_at IS NULL AND t.expires_at > $3
		AND k.company_id = t.company_id AND k.id = t.key_id AND k.revoked_at IS NULL AND k.client_id::text = $4
		RETURNING k.id, k.person_id, k.contour, k.scopes, t.resource`, hash, tx.Company, now, client).Scan(&k.ID, &k.Person, &k.Contour, &k.Scopes, &r.Resource)
	if !store.NoRow(err) {
		k.Company = tx.Company
		return r, err == nil, 0, err
	}
	err = tx.DB.QueryRow(ctx, `
		SELECT key_id FROM oauth_token WHERE hash = $1 AND company_id = $2 AND kind = 'refresh' AND used_at IS NOT NULL`, hash, tx.Company).Scan(&replayed)
	if store.NoRow(err) {
		err = nil
	}
	return r, false, replayed, err
}

// Grant is a client that acts for a person in a shop.
type Grant struct {
	ID         shop.KeyID     `json:"id"`
	Company    shop.CompanyID `json:"company_id"`
	Slug       string         `json:"slug"`
	Client     string         `json:"client"` // its name, as it calls itself
	Contour    shop.Contour   `json:"contour"`
	Scopes     []shop.Scope   `json:"scopes"`
	CreatedAt  time.Time      `json:"created_at"`
	ExpiresAt  *time.Time     `json:"expires_at"` // unless it is used before
	LastUsedAt *time.Time     `json:"last_used_at"`
}

// Grants lists what a person granted, in all shops, newest first.
func Grants(ctx context.Context, s *store.Store, person shop.UserID, now time.Time) ([]Grant, error) {
	rows, err := s.Pool.Query(ctx, `
		SELECT k.id, k.company_id, c.slug, k.name, k.contour, k.scopes, k.created_at, k.expires_at, k.last_used_at
		FROM member m JOIN api_key k ON k.company_id = m.company_id AND k.person_id = m.person_id JOIN company c ON c.id = k.company_id
		WHERE m.person_id = $1 AND k.client_id IS NOT NULL AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2)
		ORDER BY k.id DESC`, person, now)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (g Grant, err error) {
		err = row.Scan(&g.ID, &g.Company, &g.Slug, &g.Client, &g.Contour, &g.Scopes, &g.CreatedAt, &g.ExpiresAt, &g.LastUsedAt)
		g.CreatedAt = g.CreatedAt.UTC()
		for _, at := range []*time.Time{g.ExpiresAt, g.LastUsedAt} {
			if at != nil {
				*at = at.UTC()
			}
		}
		return g, err
	})
}

// How long a client is kept: that nobody let act, and that nobody lets act any more.
const (
	unusedClient = 24 * time.Hour
	idleClient   = 180 * 24 * time.Hour
)

// SweepGrants deletes expired codes and tokens, and clients that nobody let act: those never used a
// day after their registration, others without a grant after half a year.
func SweepGrants(ctx context.Context, s *store.Store, now time.Time) error {
	for _, sweep := range []struct {
		sql    string
		before time.Time
	}{
		{`DELETE FROM oauth_code WHERE ctid = ANY(ARRAY(SELECT ctid FROM oauth_code WHERE expires_at <= $1 LIMIT $2))`, now.Add(-time.Hour)},
		{`DELETE FROM oauth_token WHERE ctid = ANY(ARRAY(SELECT ctid FROM oauth_token WHERE expires_at <= $1 LIMIT $2))`, now},
		{`DELETE FROM oauth_client WHERE ctid = ANY(ARRAY(SELECT ctid FROM oauth_client WHERE used_at IS NULL AND created_at < $1 LIMIT $2))`, now.Add(-unusedClient)},
		{`DELETE FROM oauth_client c WHERE ctid = ANY(ARRAY(SELECT ctid FROM oauth_client o WHERE used_at < $1
			AND NOT EXISTS (SELECT FROM api_key k WHERE k.client_id = o.id) LIMIT $2))`, now.Add(-idleClient)},
	} {
		if err := s.SweepBatches(ctx, sweep.sql, sweep.before); err != nil {
			return err
		}
	}
	return nil
}
