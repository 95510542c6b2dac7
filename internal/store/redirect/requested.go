package redirect

import (
	"context"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// RequestedPath is a requested address: a path of the 404 log, or the source of a rule.
type RequestedPath struct {
	Path string
	Rule shop.RuleID
	Hits int64
}

// RequestedPaths lists up to n paths of the 404 log that are not hidden, the most frequent first,
// then up to n rules that answered, the latest first.
func RequestedPaths(ctx context.Context, r store.Reader, n int) ([]RequestedPath, error) {
	rows, err := r.DB.Query(ctx, `
		(SELECT path, 0::bigint, hits FROM redirect_miss WHERE company_id = $1 AND NOT hidden ORDER BY hits DESC, last_hit_at DESC, path LIMIT $2)
		UNION ALL
		(SELECT '', id, hits FROM redirect_rule WHERE company_id = $1 AND last_hit_at IS NOT NULL ORDER BY last_hit_at DESC, id LIMIT $2)`,
		r.Company, n)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[RequestedPath])
}
