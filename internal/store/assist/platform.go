package assist

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Protocol is the protocol by which a platform calls a shop.
type Protocol string

// The protocols.
const (
	UCP Protocol = "ucp"
	ACP Protocol = "acp"
)

// Values lists the protocols as texts.
func (Protocol) Values() []string { return shop.Texts([]Protocol{UCP, ACP}) }

// Platform is a program through which people buy in a shop.
type Platform struct {
	ID         int64
	Protocol   Protocol
	Name       string // the address of its profile, or what the shop calls its token
	WebhookURL string // for events of its orders; empty: none
	Blocked    bool
	Sessions   int64 // created so far
	CreatedAt  time.Time
	SeenAt     time.Time // when it last created a session
}

const platformColumns = `id, protocol, name, webhook_url, blocked, sessions, created_at, seen_at`

// EnsureProfile stores the platform with a profile and where its webhooks go.
func EnsureProfile(ctx context.Context, tx *store.Tx, profile, webhookURL string) (p Platform, err error) {
	rows, err := tx.DB.Query(ctx, `
		INSERT INTO assist_platform AS p (company_id, protocol, name, webhook_url) VALUES ($1, 'ucp', $2, $3)
		ON CONFLICT (company_id, name) WHERE protocol = 'ucp' DO UPDATE SET webhook_url = excluded.webhook_url
		RETURNING `+platformColumns, tx.Company, profile, webhookURL)
	if err != nil {
		return p, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Platform])
}

// SweepPlatforms deletes platforms that created no session since a moment and made no order, except
// those that the shop has blocked or given a token.
func SweepPlatforms(ctx context.Context, s *store.Store, before time.Time) error {
	return s.SweepBatches(ctx, `
		DELETE FROM assist_platform p WHERE ctid = ANY(ARRAY(
			SELECT ctid FROM assist_platform p WHERE p.protocol = 'ucp' AND NOT p.blocked AND p.seen_at < $1
				AND NOT EXISTS (SELECT FROM shop_order o WHERE o.company_id = p.company_id AND o.assistant IS NOT NULL
					AND (o.assistant ->> 'platform_id')::bigint = p.id)
			LIMIT $2))`, before)
}
