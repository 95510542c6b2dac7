package catalog

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// A sku identifies one item for sale in a shop: a product that is not deleted or a variant
// set of one. Among products and among sets the unique indexes decide; writers that take a
// sku check under LockProductCreation that no set and product share it.

// variantSKUs returns those of the skus that sets of products, not deleted, have.
func variantSKUs(ctx context.Context, tx *store.Tx, skus []string) ([]string, error) {
	return takenSKUs(ctx, tx, `SELECT sku FROM variant_set WHERE company_id = $1 AND sku = ANY($2) AND sku <> '' AND NOT product_deleted`, skus)
}

// productSKUs returns those of the skus that products, not deleted, have.
func productSKUs(ctx context.Context, tx *store.Tx, skus []string) ([]string, error) {
	return takenSKUs(ctx, tx, `SELECT sku FROM product WHERE company_id = $1 AND sku = ANY($2) AND sku <> '' AND deleted_at IS NULL`, skus)
}

func takenSKUs(ctx context.Context, tx *store.Tx, sql string, skus []string) ([]string, error) {
	rows, err := tx.DB.Query(ctx, sql, tx.Company, skus)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// checkSKU checks, for a product that gets a sku or is restored with one, that no variant
// set has it.
func checkSKU(ctx context.Context, tx *store.Tx, old, p Product) error {
	restored := old.DeletedAt != nil && p.DeletedAt == nil
	if p.SKU == "" || p.DeletedAt != nil || p.SKU == old.SKU && !restored {
		return nil
	}
	taken, err := variantSKUs(ctx, tx, []string{p.SKU})
	if err == nil && len(taken) > 0 {
		err = ErrSKUTaken.At("sku").With("sku of a variant: " + p.SKU)
	}
	return err
}

// checkVariantSKUs checks that no product, not deleted, has the sku of a set.
func checkVariantSKUs(ctx context.Context, tx *store.Tx, list []Variant) error {
	var skus []string
	for _, v := range list {
		if v.SKU != "" {
			skus = append(skus, v.SKU)
		}
	}
	if len(skus) == 0 {
		return nil
	}
	taken, err := productSKUs(ctx, tx, skus)
	if err == nil && len(taken) > 0 {
		n := slices.IndexFunc(list, func(v Variant) bool { return v.SKU == taken[0] })
		err = shop.AtEntry(ErrVariantSKUTaken.At("sku").With("sku of a product: "+taken[0]), "", n)
	}
	return err
}
