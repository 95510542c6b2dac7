package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// RecordEvent stores an event of the shop in the transaction that causes it. In
// a draft nothing has happened yet.
func (tx *Tx) RecordEvent(ctx context.Context, name string, body any) error {
	if tx.draft {
		return nil
	}
	_, err := tx.q.Exec(ctx, `INSERT INTO event (company_id, name, body) VALUES ($1, $2, $3)`, tx.Company, name, body)
	return err
}

// Event is something that happened in a shop and that others may be told of.
type Event struct {
	Name string
	Body json.RawMessage
	At   time.Time
}

// Events lists the events of the shop, oldest first.
func (r Reader) Events(ctx context.Context) ([]Event, error) {
	rows, err := r.q.Query(ctx, `SELECT name, body, at FROM event WHERE company_id = $1 ORDER BY id`, r.Company)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Event])
}

// edited notes products whose edit others are told of: each is product.updated
// once when the transaction commits (document 1, section 6). Whatever writes a
// product, its variants, its galleries or its group says so here; stock does not.
// In a draft nothing has happened yet.
func (tx *Tx) edited(ids ...shop.ProductID) {
	if !tx.draft {
		tx.edits = append(tx.edits, ids...)
	}
}

// productUpdated is the part of the last statement of a transaction on the shop
// $1 that records the edits $5, so that an edit costs no round trip more.
const productUpdated = `
	INSERT INTO event (company_id, name, body)
	SELECT $1, 'product.updated', jsonb_build_object('product_id', id, 'company_id', $1::integer)
	FROM (SELECT DISTINCT unnest($5::integer[]) AS id ORDER BY 1) AS edited`
