package catalog

import (
	"context"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// LockProducts reads products for update, locked in the order of their ids; unknown ones
// are left out. No other transaction can take a slug or sku meanwhile.
func LockProducts(ctx context.Context, tx *store.Tx, ids []shop.ProductID) (map[shop.ProductID]Product, error) {
	if err := tx.LockProductCreation(ctx); err != nil {
		return nil, err
	}
	if _, err := tx.DB.Exec(ctx, `SELECT 1 FROM product WHERE company_id = $1 AND id = ANY($2) ORDER BY id FOR UPDATE`,
		tx.Company, ids); err != nil {
		return nil, err
	}
	rows, err := tx.DB.Query(ctx, `SELECT `+productSelect+` FROM product p WHERE p.company_id = $1 AND p.id = ANY($2)`, tx.Company, ids)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[shop.ProductID]Product{}
	for rows.Next() {
		p, err := scanProduct(rows)
		if err != nil {
			return nil, err
		}
		found[p.ID] = p
	}
	return found, rows.Err()
}
