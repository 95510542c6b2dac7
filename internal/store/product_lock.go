package store

import (
	"context"

	"vitrine/internal/shop"
)

// LockProducts reads products for a change of them, locked in the order of
// their ids; unknown ones are not in the answer. Others take no slug and no sku
// meanwhile.
func (tx *Tx) LockProducts(ctx context.Context, ids []shop.ProductID) (map[shop.ProductID]Product, error) {
	if err := tx.LockProductCreation(ctx); err != nil {
		return nil, err
	}
	if _, err := tx.q.Exec(ctx, `SELECT 1 FROM product WHERE company_id = $1 AND id = ANY($2) ORDER BY id FOR UPDATE`, tx.Company, ids); err != nil {
		return nil, err
	}
	rows, err := tx.q.Query(ctx, `SELECT`+productColumns+` FROM product p WHERE p.company_id = $1 AND p.id = ANY($2)`, tx.Company, ids)
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

// LockProductsFor locks, in the order of their ids, the products that lines of an
// import may mean, and keeps others from adding any.
func (tx *Tx) LockProductsFor(ctx context.Context, skus []string, ids []shop.ProductID) error {
	if err := tx.LockProductCreation(ctx); err != nil {
		return err
	}
	_, err := tx.q.Exec(ctx, `
		SELECT 1 FROM product WHERE company_id = $1 AND deleted_at IS NULL AND (id = ANY($3) OR sku = ANY($2) AND sku <> '')
		ORDER BY id FOR UPDATE`, tx.Company, skus, ids)
	return err
}

// ProductFor finds the living product that a line of an import means: the one
// with the sku, or else the one with the id.
func (r Reader) ProductFor(ctx context.Context, sku string, id shop.ProductID) (Product, error) {
	return scanProduct(r.q.QueryRow(ctx, `SELECT`+productColumns+` FROM product p
		WHERE p.company_id = $1 AND p.deleted_at IS NULL AND p.id = (
			SELECT id FROM (
				(SELECT id, 1 AS n FROM product WHERE company_id = $1 AND sku = $2 AND sku <> '' AND deleted_at IS NULL)
				UNION ALL SELECT $3::integer, 2) AS candidates ORDER BY n LIMIT 1)`, r.Company, sku, id))
}
