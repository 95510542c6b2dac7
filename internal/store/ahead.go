package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Ahead is a published product or article that is dated ahead: visitors see it from
// then on (compile.Ahead).
type Ahead struct {
	Entity int16 // EntityProduct or EntityArticle
	ID     int64
	At     time.Time
}

// What of a shop is dated ahead, by an index that holds dated rows alone.
const (
	productsAhead = `SELECT FROM product d WHERE d.company_id = $1 AND d.published_at > now() AND d.is_published AND d.deleted_at IS NULL`
	articlesAhead = `SELECT FROM article d WHERE d.company_id = $1 AND d.published_at > now() AND d.is_published AND d.deleted_at IS NULL`
)

// Ahead reads what of the shop is dated ahead.
func (r Reader) Ahead(ctx context.Context) ([]Ahead, error) {
	rows, err := r.q.Query(ctx, `
		SELECT $2::smallint, id::bigint, published_at FROM product
		WHERE company_id = $1 AND published_at > now() AND is_published AND deleted_at IS NULL
		UNION ALL SELECT $3::smallint, id, published_at FROM article
		WHERE company_id = $1 AND published_at > now() AND is_published AND deleted_at IS NULL`, r.Company, EntityProduct, EntityArticle)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Ahead])
}
