package company

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
)

// Scheduled is a published product or article with a publication date in the future: visitors
// see it from that moment on (compile.Scheduled).
type Scheduled struct {
	Entity int16 // EntityProduct or EntityArticle
	ID     int64
	At     time.Time
}

// Queries for rows of a shop dated in the future. A partial index holds only dated rows.
const (
	scheduledProducts = `SELECT FROM product d WHERE d.company_id = $1 AND d.published_at > now() AND d.is_published AND d.deleted_at IS NULL`
	scheduledArticles = `SELECT FROM article d WHERE d.company_id = $1 AND d.published_at > now() AND d.is_published AND d.deleted_at IS NULL`
)

// GetScheduled reads the products and articles of the shop that are dated in the future.
func GetScheduled(ctx context.Context, r store.Reader) ([]Scheduled, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT $2::smallint, id::bigint, published_at FROM product
		WHERE company_id = $1 AND published_at > now() AND is_published AND deleted_at IS NULL
		UNION ALL SELECT $3::smallint, id, published_at FROM article
		WHERE company_id = $1 AND published_at > now() AND is_published AND deleted_at IS NULL`, r.Company, store.EntityProduct, store.EntityArticle)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Scheduled])
}
