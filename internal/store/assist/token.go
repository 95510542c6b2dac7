package assist

import (
	"context"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// MaxTokens is how many tokens a shop may have at a time.
const MaxTokens = 50

// Refusals of tokens.
var (
	ErrTokenNotFound = shop.Refuse(shop.NotFound, "ASSISTANT_TOKEN_NOT_FOUND").When("the shop has no such token, or it was revoked")
	ErrTooManyTokens = shop.Refuse(shop.FailedPrecondition, "ASSISTANT_TOKEN_LIMIT").When("the shop has 50 tokens for assistants")
)

// ByToken returns the platform that a token was given to.
func ByToken(ctx context.Context, r store.Reader, hash []byte) (p Platform, found bool, err error) {
	rows, err := r.DB.Query(ctx, `SELECT `+platformColumns+` FROM assist_platform WHERE company_id = $1 AND token_hash = $2`, r.Company, hash)
	if err != nil {
		return p, false, err
	}
	p, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Platform])
	if store.NoRow(err) {
		return p, false, nil
	}
	return p, err == nil, err
}

// Tokens returns the platforms that have a token, newest first.
func Tokens(ctx context.Context, r store.Reader) ([]Platform, error) {
	rows, err := r.DB.Query(ctx, `SELECT `+platformColumns+` FROM assist_platform WHERE company_id = $1 AND token_hash IS NOT NULL ORDER BY id DESC`, r.Company)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Platform])
}

// AddToken stores a platform with a token. seal returns the sealed secret of its webhooks.
func AddToken(ctx context.Context, tx *store.Tx, p *Platform, hash []byte, seal func(id int64) []byte) error {
	// Tokens are few and have webhooks, so they share the lock of those.
	if _, err := tx.DB.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('webhooks:' || $1::integer::text, 0))`, tx.Company); err != nil {
		return err
	}
	var n int
	if err := tx.DB.QueryRow(ctx, `SELECT count(*) FROM assist_platform WHERE company_id = $1 AND token_hash IS NOT NULL`, tx.Company).Scan(&n); err != nil {
		return err
	}
	if n >= MaxTokens {
		return ErrTooManyTokens
	}
	p.Protocol = ACP
	err := tx.DB.QueryRow(ctx, `
		INSERT INTO assist_platform (company_id, protocol, name, webhook_url, token_hash) VALUES ($1, 'acp', $2, $3, $4)
		RETURNING id, created_at, seen_at`, tx.Company, p.Name, p.WebhookURL, hash).Scan(&p.ID, &p.CreatedAt, &p.SeenAt)
	if err == nil {
		_, err = tx.DB.Exec(ctx, `UPDATE assist_platform SET sealed = $3 WHERE company_id = $1 AND id = $2`, tx.Company, p.ID, seal(p.ID))
	}
	return err
}

// RevokeToken takes the token of a platform away. Its orders keep its name.
func RevokeToken(ctx context.Context, tx *store.Tx, id int64) error {
	tag, err := tx.DB.Exec(ctx, `
		UPDATE assist_platform SET token_hash = NULL, sealed = NULL, webhook_url = '' WHERE company_id = $1 AND id = $2 AND token_hash IS NOT NULL`, tx.Company, id)
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrTokenNotFound
	}
	if err == nil {
		err = tell(ctx, tx, id, false)
	}
	return err
}

// tell lets a platform be told of its orders, or ends that at once: what waits for it is dead.
func tell(ctx context.Context, tx *store.Tx, id int64, may bool) error {
	_, err := tx.DB.Exec(ctx, `UPDATE webhook SET is_active = $3, updated_at = now() WHERE company_id = $1 AND platform_id = $2`, tx.Company, id, may)
	return err
}

// Seller is a platform with what was bought through it.
type Seller struct {
	Platform
	Orders  int64
	Revenue int64 // for the goods of orders that are not cancelled, in units of the shop

	Webhook *shop.WebhookID // whose journal has what it was told; nil: nothing
}

// MaxSellers is how many platforms are listed.
const MaxSellers = 200

// Sellers returns the platforms of a shop, most recently seen first.
func Sellers(ctx context.Context, r store.Reader) ([]Seller, error) {
	return sellers(ctx, r, `SELECT * FROM assist_platform WHERE company_id = $1 ORDER BY seen_at DESC, id DESC LIMIT $2`, MaxSellers)
}

// SellerOf returns a platform with what was bought through it.
func SellerOf(ctx context.Context, r store.Reader, p Platform) (s Seller, err error) {
	list, err := sellers(ctx, r, `SELECT * FROM assist_platform WHERE company_id = $1 AND id = $2`, p.ID)
	if len(list) > 0 {
		s = list[0]
	}
	return s, err
}

func sellers(ctx context.Context, r store.Reader, platforms string, arg any) ([]Seller, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT id, protocol, name, webhook_url, blocked, sessions, created_at, seen_at, coalesce(o.orders, 0), coalesce(o.revenue, 0), webhook_id
		FROM (`+platforms+`) p
		LEFT JOIN LATERAL (SELECT count(*) AS orders, sum(items_total) FILTER (WHERE status <> 'cancelled') AS revenue FROM shop_order
			WHERE company_id = $1 AND assistant IS NOT NULL AND (assistant ->> 'platform_id')::bigint = p.id) o ON true
		ORDER BY seen_at DESC, id DESC`, r.Company, arg)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (s Seller, err error) {
		return s, row.Scan(&s.ID, &s.Protocol, &s.Name, &s.WebhookURL, &s.Blocked, &s.Sessions, &s.CreatedAt, &s.SeenAt, &s.Orders, &s.Revenue, &s.Webhook)
	})
}

// Block blocks a platform or unblocks it, and returns it. One with a profile that never called is stored.
func Block(ctx context.Context, tx *store.Tx, profile string, id int64, blocked bool) (p Platform, found bool, err error) {
	if profile != "" && blocked {
		if _, err := tx.DB.Exec(ctx, `
			INSERT INTO assist_platform (company_id, protocol, name) VALUES ($1, 'ucp', $2)
			ON CONFLICT (company_id, name) WHERE protocol = 'ucp' DO NOTHING`, tx.Company, profile); err != nil {
			return p, false, err
		}
	}
	rows, err := tx.DB.Query(ctx, `
		UPDATE assist_platform SET blocked = $4 WHERE company_id = $1 AND (protocol = 'ucp' AND name = $2 OR id = $3) RETURNING `+platformColumns,
		tx.Company, profile, id, blocked)
	if err != nil {
		return p, false, err
	}
	p, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Platform])
	if store.NoRow(err) {
		return p, false, nil
	}
	if err == nil {
		err = tell(ctx, tx, p.ID, !blocked)
	}
	return p, err == nil, err
}
