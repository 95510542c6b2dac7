package catalog

import (
	"context"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// ProductsAfter returns the next page, by id, of all products that are not deleted, after
// one (0: from the first), of a section and, with below, of all sections below it. The cost
// of a page does not depend on its position.
func ProductsAfter(
	ctx context.Context, r store.Reader, category shop.CategoryID, below bool, after shop.ProductID, limit int,
) ([]Product, error) {
	rows, err := r.DB.Query(ctx, subtreeCTE+`SELECT `+productSelect+` FROM product p
		WHERE p.company_id = $1 AND p.deleted_at IS NULL AND p.id > $4 AND ($2 = 0 OR EXISTS (
			SELECT 1 FROM (SELECT p.category_id AS id UNION ALL SELECT e.category_id FROM product_extra_category e
				WHERE e.company_id = $1 AND e.product_id = p.id) s
			WHERE s.id = $2 OR $3 AND s.id IN (SELECT id FROM tree)))
		ORDER BY p.id LIMIT $5`, r.Company, category, below, after, limit)
	return collectProducts(rows, err)
}

// LockProductsFor locks, in the order of their ids, the products that lines of an import
// may refer to, and prevents others from adding products and from taking their skus.
func LockProductsFor(ctx context.Context, tx *store.Tx, skus []string, ids []shop.ProductID) error {
	if err := tx.LockProductCreation(ctx); err != nil {
		return err
	}
	all, err := idsFor(ctx, tx.Reader, skus, ids)
	if err != nil || len(all) == 0 {
		return err
	}
	_, err = tx.DB.Exec(ctx, `SELECT 1 FROM product WHERE company_id = $1 AND id = ANY($2) ORDER BY id FOR UPDATE`, tx.Company, all)
	return err
}

// ProductsFor returns the products, not deleted, with one of the skus or one of the ids.
func ProductsFor(ctx context.Context, r store.Reader, skus []string, ids []shop.ProductID) ([]Product, error) {
	all, err := idsFor(ctx, r, skus, ids)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	rows, err := r.DB.Query(ctx, `SELECT `+productSelect+` FROM product p
		WHERE p.company_id = $1 AND p.id = ANY($2) AND p.deleted_at IS NULL`, r.Company, all)
	return collectProducts(rows, err)
}

// idsFor adds to the ids those of the products, not deleted, with the skus. LIMIT forces
// one lookup in the unique index per sku, whatever statistics the planner has of a table
// that an import is filling.
func idsFor(ctx context.Context, r store.Reader, skus []string, ids []shop.ProductID) ([]shop.ProductID, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT p.id FROM unnest($2::text[]) AS u(sku), LATERAL (
			SELECT id FROM product WHERE company_id = $1 AND sku = u.sku AND sku <> '' AND deleted_at IS NULL LIMIT 1) AS p`, r.Company, skus)
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[shop.ProductID])
	return append(found, ids...), err
}

func collectProducts(rows pgx.Rows, err error) ([]Product, error) {
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Product, error) { return scanProduct(row) })
}
