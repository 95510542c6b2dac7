package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// Binding puts a group of blocks into a slot of a resource (document 3, 4.1).
type Binding struct {
	Type  string // shop, category, category_children, product, article, theme, system
	ID    int64  // 0 for the shop
	Slot  string // header, footer, body, …
	Group shop.BlockID
}

// Bindings lists all design bindings of the shop; they are few.
func (r Reader) Bindings(ctx context.Context) ([]Binding, error) {
	rows, err := r.q.Query(ctx, `
		SELECT resource_type, resource_id, slot, group_id FROM design_binding WHERE company_id = $1 ORDER BY 1, 2, 3`, r.Company)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Binding])
}

// Bind replaces the slots of one resource; an empty map unbinds it.
func (tx *Tx) Bind(ctx context.Context, kind string, id int64, slots map[string]shop.BlockID) error {
	tx.Changed(shop.Key{Kind: shop.KeyDesign})
	if _, err := tx.q.Exec(ctx, `
		DELETE FROM design_binding WHERE company_id = $1 AND resource_type = $2 AND resource_id = $3`, tx.Company, kind, id); err != nil {
		return err
	}
	for slot, group := range slots {
		if _, err := tx.q.Exec(ctx, `
			INSERT INTO design_binding (company_id, resource_type, resource_id, slot, group_id) VALUES ($1, $2, $3, $4, $5)`,
			tx.Company, kind, id, slot, group); err != nil {
			return err
		}
	}
	return nil
}

// RecordEvent stores an event of the shop in the transaction that causes it.
func (tx *Tx) RecordEvent(ctx context.Context, name string, body any) error {
	_, err := tx.q.Exec(ctx, `INSERT INTO event (company_id, name, body) VALUES ($1, $2, $3)`, tx.Company, name, body)
	return err
}
