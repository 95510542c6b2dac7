package people

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Buyers link assistants with their account in one shop. A link differs from a grant: it belongs to
// a buyer, who is no member of the shop, and it is valid for that shop's assistants' calls alone. So
// it has tables of its own, in which nothing that identifies members looks.

const (
	// MaxUnlinkedClients is how many registered clients of a shop wait for their first link.
	MaxUnlinkedClients = 1000
	// MaxLinks is how many links a person has in a shop. Beyond it the oldest ends.
	MaxLinks = 50
)

// ErrIdentity refuses a call for a buyer without a valid token of theirs.
var ErrIdentity = shop.Refuse(shop.Unauthenticated, "IDENTITY_REQUIRED").When("the token is not one of a buyer of this shop, or has ended")

// blocked tells in SQL whether the shop $1 has blocked the assistant with a profile.
func blocked(profile string) string {
	return `EXISTS (SELECT FROM assist_platform WHERE company_id = $1 AND protocol = 'ucp' AND name = ` + profile + ` AND blocked)`
}

// RegisterLinkClient stores a client of the shop and returns its id, which is empty if the shop has
// blocked its profile. Beyond MaxUnlinkedClients the oldest unused ones are deleted, as by RegisterClient.
func RegisterLinkClient(ctx context.Context, s *store.Store, company shop.CompanyID, c Client, now time.Time) (id string, err error) {
	err = s.Pool.QueryRow(ctx, `
		WITH crowded AS (DELETE FROM assistant_client WHERE company_id = $1 AND id IN (
			SELECT id FROM assistant_client WHERE company_id = $1 AND used_at IS NULL ORDER BY created_at DESC OFFSET $7))
		INSERT INTO assistant_client (company_id, profile, name, redirect_uris, signs, created_at)
		SELECT $1, $2, $3, $4, $5, $6 WHERE NOT `+blocked("$2")+` RETURNING id::text`,
		company, c.Profile, c.Name, c.Redirects, c.Signs, now, MaxUnlinkedClients-1).Scan(&id)
	if store.NoRow(err) {
		return "", nil
	}
	return id, err
}

// LinkClient finds a client of the shop.
func LinkClient(ctx context.Context, r store.Reader, id string) (c Client, found bool, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT id::text, profile, name, redirect_uris, signs, `+blocked("profile")+` FROM assistant_client WHERE company_id = $1 AND id::text = $2`, r.Company, id).
		Scan(&c.ID, &c.Profile, &c.Name, &c.Redirects, &c.Signs, &c.Blocked)
	if store.NoRow(err) {
		return c, false, nil
	}
	return c, err == nil, err
}

// AgreeToLink stores what a person agreed to under the hash of the code that the client exchanges.
func AgreeToLink(ctx context.Context, tx *store.Tx, hash []byte, c Consent, expires, now time.Time) error {
	var b pgx.Batch
	b.Queue(`DELETE FROM assistant_link WHERE company_id = $1 AND id IN (
		SELECT id FROM assistant_link WHERE company_id = $1 AND person_id = $2 ORDER BY id DESC OFFSET $3)`, tx.Company, c.Person, MaxLinks-1)
	b.Queue(`
		INSERT INTO assistant_link (company_id, client_id, person_id, scopes, redirect_uri, challenge, code_hash, code_expires_at, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $8)`,
		tx.Company, c.Client, c.Person, c.Scopes, c.Redirect, c.Challenge, hash, expires, now)
	b.Queue(`UPDATE assistant_client SET used_at = $3 WHERE company_id = $1 AND id = $2`, tx.Company, c.Client, now)
	return tx.DB.SendBatch(ctx, &b).Close()
}

// UseLinkCode marks a code as used and returns what was agreed and the link that it becomes. A code
// is used once, whatever becomes of it: a later use ends the link.
func UseLinkCode(ctx context.Context, tx *store.Tx, hash []byte, now time.Time) (c Consent, link int64, used bool, err error) {
	err = tx.DB.QueryRow(ctx, `
		UPDATE assistant_link SET code_used = true WHERE company_id = $1 AND code_hash = $2 AND NOT code_used AND code_expires_at > $3
		RETURNING id, client_id::text, person_id, redirect_uri, challenge, scopes`, tx.Company, hash, now).
		Scan(&link, &c.Client, &c.Person, &c.Redirect, &c.Challenge, &c.Scopes)
	if store.NoRow(err) {
		_, err = tx.DB.Exec(ctx, `DELETE FROM assistant_link WHERE company_id = $1 AND code_hash = $2 AND code_used`, tx.Company, hash)
		return c, 0, false, err
	}
	c.Company = tx.Company
	return c, link, err == nil, err
}

// StoreLinkTokens grants a link, or renews it, with new tokens. It lives as long as its newest
// refresh token.
func StoreLinkTokens(ctx context.Context, tx *store.Tx, link int64, p TokenPair, now time.Time) error {
	var b pgx.Batch
	for _, t := range p.each() {
		b.Queue(`DELETE FROM assistant_token WHERE company_id = $1 AND hash IN (SELECT hash FROM assistant_token
			WHERE company_id = $1 AND link_id = $2 AND kind = $3 ORDER BY created_at DESC OFFSET $4)`, tx.Company, link, t.kind, t.kept-1)
		b.Queue(`INSERT INTO assistant_token (company_id, hash, link_id, kind, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)`,
			tx.Company, t.hash, link, t.kind, now, t.expires)
	}
	b.Queue(`UPDATE assistant_link SET granted = true, expires_at = $3 WHERE company_id = $1 AND id = $2`, tx.Company, link, p.RefreshExpires)
	return tx.DB.SendBatch(ctx, &b).Close()
}

// UseLinkRefresh marks a refresh token of a client as used and returns its link with the scopes.
// used is false if it is not valid; the second use of a token ends its link.
func UseLinkRefresh(ctx context.Context, tx *store.Tx, hash []byte, client string, now time.Time) (link int64, scopes []shop.Scope, used bool, err error) {
	// The link is locked first, as by its deletion.
	err = tx.DB.QueryRow(ctx, `
		SELECT l.id, l.scopes FROM assistant_link l WHERE l.company_id = $1 AND l.client_id::text = $3 AND l.id = (
			SELECT link_id FROM assistant_token WHERE company_id = $1 AND hash = $2 AND kind = 'refresh') FOR UPDATE`, tx.Company, hash, client).Scan(&link, &scopes)
	if store.NoRow(err) {
		return 0, nil, false, nil
	}
	if err != nil {
		return 0, nil, false, err
	}
	tag, err := tx.DB.Exec(ctx, `
		UPDATE assistant_token SET used = true WHERE company_id = $1 AND hash = $2 AND NOT used AND expires_at > $3`, tx.Company, hash, now)
	if err != nil || tag.RowsAffected() > 0 {
		return link, scopes, err == nil, err
	}
	_, err = tx.DB.Exec(ctx, `
		DELETE FROM assistant_link l WHERE l.company_id = $1 AND l.id = $2 AND EXISTS (
			SELECT FROM assistant_token WHERE company_id = $1 AND hash = $3 AND used)`, tx.Company, link, hash)
	return 0, nil, false, err
}

// EndLinkOf ends the link of one of a client's tokens, and so all of its tokens.
func EndLinkOf(ctx context.Context, tx *store.Tx, hash []byte, client string) error {
	_, err := tx.DB.Exec(ctx, `
		DELETE FROM assistant_link l WHERE l.company_id = $1 AND l.client_id::text = $3 AND l.id = (
			SELECT link_id FROM assistant_token WHERE company_id = $1 AND hash = $2)`, tx.Company, hash, client)
	return err
}

// Linked is for whom an assistant acts.
type Linked struct {
	Person  shop.UserID
	Profile string // of the assistant, which alone may use the token
	Scopes  []shop.Scope
}

// LinkedBy finds for whom an access token of the shop is valid. One that is not gets ErrIdentity.
func LinkedBy(ctx context.Context, s *store.Store, company shop.CompanyID, hash []byte, now time.Time) (l Linked, err error) {
	var id int64
	var stale bool
	err = s.Pool.QueryRow(ctx, `
		SELECT l.id, l.person_id, c.profile, l.scopes, coalesce(l.last_used_at < $3::timestamptz - interval '1 minute', true)
		FROM assistant_token t
		JOIN assistant_link l ON l.company_id = t.company_id AND l.id = t.link_id
		JOIN assistant_client c ON c.company_id = l.company_id AND c.id = l.client_id
		WHERE t.company_id = $1 AND t.hash = $2 AND t.kind = 'access' AND t.expires_at > $3`, company, hash, now).
		Scan(&id, &l.Person, &l.Profile, &l.Scopes, &stale)
	if store.NoRow(err) {
		return l, ErrIdentity
	}
	if err == nil && stale {
		_, err = s.Beside().Exec(ctx, `UPDATE assistant_link SET last_used_at = $3 WHERE company_id = $1 AND id = $2`, company, id, now)
	}
	return l, err
}

// Link is an assistant as its buyer sees it.
type Link struct {
	ID         int64        `json:"id,string"`
	Name       string       `json:"name"` // as the assistant calls itself
	Profile    string       `json:"profile"`
	Scopes     []shop.Scope `json:"scopes"`
	CreatedAt  time.Time    `json:"created_at"`
	LastUsedAt *time.Time   `json:"last_used_at"`
}

// Links lists the assistants that a person has linked in the shop, newest first.
func Links(ctx context.Context, r store.Reader, person shop.UserID, now time.Time) ([]Link, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT l.id, c.name, c.profile, l.scopes, l.created_at, l.last_used_at
		FROM assistant_link l JOIN assistant_client c ON c.company_id = l.company_id AND c.id = l.client_id
		WHERE l.company_id = $1 AND l.person_id = $2 AND l.granted AND l.expires_at > $3 ORDER BY l.id DESC`, r.Company, person, now)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Link])
}

// EndLink ends a link of a person at once.
func EndLink(ctx context.Context, tx *store.Tx, person shop.UserID, id int64) error {
	_, err := tx.DB.Exec(ctx, `DELETE FROM assistant_link WHERE company_id = $1 AND person_id = $2 AND id = $3`, tx.Company, person, id)
	return err
}

// endLinks ends the links of a person in all shops: who knew the old password may have made them.
const endLinks = `DELETE FROM assistant_link WHERE person_id = $1`

// SweepLinks deletes links whose codes nobody exchanged or whose tokens have expired, expired tokens,
// and clients as SweepGrants does.
func SweepLinks(ctx context.Context, s *store.Store, now time.Time) error {
	for _, sweep := range []struct {
		sql    string
		before time.Time
	}{
		{`DELETE FROM assistant_link WHERE ctid = ANY(ARRAY(SELECT ctid FROM assistant_link WHERE expires_at <= $1 LIMIT $2))`, now.Add(-time.Hour)},
		{`DELETE FROM assistant_token WHERE ctid = ANY(ARRAY(SELECT ctid FROM assistant_token WHERE expires_at <= $1 LIMIT $2))`, now},
		{`DELETE FROM assistant_client WHERE ctid = ANY(ARRAY(SELECT ctid FROM assistant_client WHERE used_at IS NULL AND created_at < $1 LIMIT $2))`, now.Add(-unusedClient)},
		{`DELETE FROM assistant_client c WHERE ctid = ANY(ARRAY(SELECT ctid FROM assistant_client o WHERE created_at < $1 AND used_at < $1
			AND NOT EXISTS (SELECT FROM assistant_link l WHERE l.company_id = o.company_id AND l.client_id = o.id) LIMIT $2))`, now.Add(-idleClient)},
	} {
		if err := s.SweepBatches(ctx, sweep.sql, sweep.before); err != nil {
			return err
		}
	}
	return nil
}
