package media

import (
	"context"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// entityVariant identifies variant sets, in addition to the entities of slugs.
const entityVariant int16 = 4

// GalleryUses selects the things, not deleted, that show one of the galleries $2.
const GalleryUses = `
	SELECT l.gallery_id, l.owner AS kind, l.owner_id AS id, coalesce(c.name, p.name, a.title) AS name, '' AS sku, 0::integer AS product_id
	FROM gallery_link l
	LEFT JOIN category c ON l.owner = 1 AND c.company_id = $1 AND c.id = l.owner_id AND c.deleted_at IS NULL
	LEFT JOIN product p ON l.owner = 2 AND p.company_id = $1 AND p.id = l.owner_id AND p.deleted_at IS NULL
	LEFT JOIN article a ON l.owner = 3 AND a.company_id = $1 AND a.id = l.owner_id AND a.deleted_at IS NULL
	WHERE l.company_id = $1 AND l.gallery_id = ANY($2::bigint[]) AND coalesce(c.id, p.id, a.id) IS NOT NULL
	UNION ALL
	SELECT v.gallery_id, 4::smallint, v.id, v.title, v.sku, v.product_id
	FROM variant_set v JOIN product p ON p.company_id = $1 AND p.id = v.product_id AND p.deleted_at IS NULL
	WHERE v.company_id = $1 AND v.gallery_id = ANY($2::bigint[]) AND v.gallery_id <> 0`

// GalleryUse is one thing that shows a gallery. SKU and Product are set for a variant set.
type GalleryUse struct {
	ID      int64
	Name    string
	SKU     string
	Product shop.ProductID
}

// GalleryUsage lists what shows a gallery, up to the requested number of each kind; Total
// counts all.
type GalleryUsage struct {
	Products, Categories, Articles, Variants []GalleryUse
	Total                                    int
}

// GetGalleryUsage lists the things, not deleted, that show a gallery, by id.
func GetGalleryUsage(ctx context.Context, r store.Reader, id shop.GalleryID, limit int) (u GalleryUsage, err error) {
	rows, err := r.DB.Query(ctx, `
		SELECT kind, id, name, sku, product_id, total FROM (
			SELECT u.*, count(*) OVER () AS total, row_number() OVER (PARTITION BY kind ORDER BY id) AS place FROM (`+GalleryUses+`) u) v
		WHERE place <= $3 ORDER BY kind, id`, r.Company, []shop.GalleryID{id}, limit)
	if err != nil {
		return u, err
	}
	lists := map[int16]*[]GalleryUse{
		store.EntityCategory: &u.Categories, store.EntityProduct: &u.Products, store.EntityArticle: &u.Articles, entityVariant: &u.Variants,
	}
	var kind int16
	var use GalleryUse
	_, err = pgx.ForEachRow(rows, []any{&kind, &use.ID, &use.Name, &use.SKU, &use.Product, &u.Total}, func() error {
		*lists[kind] = append(*lists[kind], use)
		return nil
	})
	return u, err
}
