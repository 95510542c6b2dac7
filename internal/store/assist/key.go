package assist

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/store"
)

// Key is what a shop signs its messages to platforms with.
type Key struct {
	ID        string
	Sealed    []byte
	CreatedAt time.Time
}

// Keys returns the keys that a shop publishes at a moment, newest first.
func Keys(ctx context.Context, r store.Reader, now time.Time) ([]Key, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT id, sealed, created_at FROM assist_key WHERE company_id = $1 AND (until IS NULL OR until > $2) ORDER BY until DESC NULLS FIRST, created_at DESC`,
		r.Company, now)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Key])
}

// AddKey stores the first key of a shop; added is false if another call was faster.
func AddKey(ctx context.Context, tx *store.Tx, k Key) (added bool, err error) {
	tag, err := tx.DB.Exec(ctx, `
		INSERT INTO assist_key (company_id, id, sealed, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT (company_id) WHERE until IS NULL DO NOTHING`,
		tx.Company, k.ID, k.Sealed, k.CreatedAt)
	return tag.RowsAffected() == 1, err
}

// ReplaceKey stores a key in place of the present one, which stays published until a moment. Keys whose
// time was over are deleted.
func ReplaceKey(ctx context.Context, tx *store.Tx, k Key, until time.Time) error {
	_, err := tx.DB.Exec(ctx, `DELETE FROM assist_key WHERE company_id = $1 AND until <= $2`, tx.Company, k.CreatedAt)
	if err == nil {
		_, err = tx.DB.Exec(ctx, `UPDATE assist_key SET until = $2 WHERE company_id = $1 AND until IS NULL`, tx.Company, until)
	}
	if err == nil {
		_, err = tx.DB.Exec(ctx, `INSERT INTO assist_key (company_id, id, sealed, created_at) VALUES ($1, $2, $3, $4)`, tx.Company, k.ID, k.Sealed, k.CreatedAt)
	}
	return err
}
