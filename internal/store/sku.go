package store

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// A sku identifies one item for sale in a shop: a product that is not deleted or a variant
// set of one. Among products and among sets the unique indexes decide; writers that take a
// sku check under LockProductCreation that no set and product share it.

// variantSKUs returns those of the skus that sets of products, not deleted, have.
func (tx *Tx) variantSKUs(ctx context.Context, skus []string) ([]string, error) {
	return tx.skus(ctx, `SELECT sku FROM variant_set WHERE company_id = $1 AND sku = ANY($2) AND sku <> '' AND NOT product_deleted`, skus)
}

// productSKUs returns those of the skus that products, not deleted, have.
func (tx *Tx) productSKUs(ctx context.Context, skus []string) ([]string, error) {
	return tx.skus(ctx, `SELECT sku FROM product WHERE company_id = $1 AND sku = ANY($2) AND sku <> '' AND deleted_at IS NULL`, skus)
}

func (tx *Tx) skus(ctx context.Context, sql string, skus []string) ([]string, error) {
	rows, err := tx.q.Query(ctx, sql, tx.Company, skus)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// takeSKU checks, for a product that gets a sku or is restored with one, that no variant
// set has it.
func (tx *Tx) takeSKU(ctx context.Context, old, p Product) error {
	restored := old.DeletedAt != nil && p.DeletedAt == nil
	if p.SKU == "" || p.DeletedAt != nil || p.SKU == old.SKU && !restored {
		return nil
	}
	taken, err := tx.variantSKUs(ctx, []string{p.SKU})
	if err == nil && len(taken) > 0 {
		err = ErrSKUTaken.At("sku").With("sku of a variant: " + p.SKU)
	}
	return err
}

// takeVariantSKUs checks that no product, not deleted, has the sku of a set.
func (tx *Tx) takeVariantSKUs(ctx context.Context, list []Variant) error {
	var skus []string
	for _, v := range list {
		if v.SKU != "" {
			skus = append(skus, v.SKU)
		}
	}
	if len(skus) == 0 {
		return nil
	}
	taken, err := tx.productSKUs(ctx, skus)
	if err == nil && len(taken) > 0 {
		n := slices.IndexFunc(list, func(v Variant) bool { return v.SKU == taken[0] })
		err = shop.AtEntry(ErrVariantSKUTaken.At("sku").With("sku of a product: "+taken[0]), "", n)
	}
	return err
}

// sharedSKUs checks the shop after the move of a draft: a sku that the draft assigned must
// be unique.
func (tx *Tx) sharedSKUs(ctx context.Context, things []*waiting) (list []DraftConflict, err error) {
	ids := slices.Concat(moved(things, "product", "sku"), moved(things, "product", "variants"))
	if len(ids) == 0 {
		return nil, nil
	}
	broken, err := tx.brokenIDs(ctx, `
		SELECT DISTINCT owner.id FROM product p JOIN variant_set v ON v.company_id = $1 AND v.sku = p.sku AND NOT v.product_deleted,
			LATERAL (VALUES (p.id), (v.product_id)) AS owner(id)
		WHERE p.company_id = $1 AND p.sku <> '' AND p.deleted_at IS NULL AND owner.id = ANY($2::integer[])
		AND (p.id = ANY($2::integer[]) OR v.product_id = ANY($2::integer[]))`, ids)
	for _, id := range broken {
		list = append(list, DraftConflict{DraftRef: DraftRef{"product", id}, Field: "sku", Code: ErrSKUTaken.Code})
	}
	return list, err
}
