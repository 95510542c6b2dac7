package draft

import (
	"context"
	"slices"

	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

// duplicateSKUs checks the shop after the move of a draft: a sku that the draft assigned must
// be unique.
func duplicateSKUs(ctx context.Context, tx *store.Tx, things []*draftThing) (list []Conflict, err error) {
	ids := slices.Concat(changedIn(things, "product", "sku"), changedIn(things, "product", "variants"))
	if len(ids) == 0 {
		return nil, nil
	}
	broken, err := selectIDs(ctx, tx, `
		SELECT DISTINCT owner.id FROM product p JOIN variant_set v ON v.company_id = $1 AND v.sku = p.sku AND NOT v.product_deleted,
			LATERAL (VALUES (p.id), (v.product_id)) AS owner(id)
		WHERE p.company_id = $1 AND p.sku <> '' AND p.deleted_at IS NULL AND owner.id = ANY($2::integer[])
		AND (p.id = ANY($2::integer[]) OR v.product_id = ANY($2::integer[]))`, ids)
	for _, id := range broken {
		list = append(list, Conflict{Ref: Ref{"product", id}, Field: "sku", Code: catalog.ErrSKUTaken.Code})
	}
	return list, err
}
