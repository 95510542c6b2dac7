package media

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// ShownGallery returns the gallery that a product shows: that of the chosen variant set (0:
// none), else the first linked one; 0 without any (document 1, 4.2).
func ShownGallery(linked []shop.GalleryID, chosen shop.GalleryID) shop.GalleryID {
	switch {
	case chosen != 0:
		return chosen
	case len(linked) > 0:
		return linked[0]
	}
	return 0
}

// ShownPictures returns the pictures of the gallery that a product shows while no variant
// is chosen (ShownGallery), and the id of that gallery; 0 without any.
func ShownPictures(ctx context.Context, r store.Reader, product shop.ProductID) (gallery shop.GalleryID, files []File, err error) {
	rows, err := r.DB.Query(ctx, `
		SELECT s.id, f.id, coalesce(f.path, ''), coalesce(f.width, 0), coalesce(f.height, 0) FROM (
			SELECT coalesce(
				(SELECT nullif(v.gallery_id, 0) FROM variant_set v WHERE v.company_id = $1 AND v.product_id = $2 AND v.is_active
					ORDER BY v.sort_order, v.id LIMIT 1),
				(SELECT l.gallery_id FROM gallery_link l JOIN gallery g ON g.company_id = $1 AND g.id = l.gallery_id AND g.deleted_at IS NULL
					WHERE l.company_id = $1 AND l.owner = 2 AND l.owner_id = $2 ORDER BY l.sort_order, l.gallery_id LIMIT 1)) AS id) s
		JOIN gallery g ON g.company_id = $1 AND g.id = s.id AND g.deleted_at IS NULL
		LEFT JOIN LATERAL `+GalleryItems+` i ON i.kind = 'image'
		LEFT JOIN media_file f ON f.company_id = $1 AND f.id = i.file_id AND f.deleted_at IS NULL AND f.status = 'stored'
		ORDER BY i.sort_order, i.item_key`, r.Company, product)
	if err != nil {
		return 0, nil, err
	}
	var id *uuid.UUID
	var f File
	_, err = pgx.ForEachRow(rows, []any{&gallery, &id, &f.Path, &f.Width, &f.Height}, func() error {
		if file := fileOf(id, f); file != nil {
			files = append(files, *file)
		}
		return nil
	})
	return gallery, files, err
}

// GalleryCovers returns the computed previews of things of one entity (document 1, 2.6):
// the first picture of the first gallery of each, in one query. Things without one are left
// out.
func GalleryCovers(ctx context.Context, r store.Reader, entity int16, ids []int64) (map[int64]File, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := r.DB.Query(ctx, `
		SELECT o.id, i.id, i.path, i.width, i.height FROM unnest($3::bigint[]) AS o(id),
		LATERAL (
			SELECT g.id, g.canvas_id FROM gallery_link l JOIN gallery g ON g.company_id = $1 AND g.id = l.gallery_id AND g.deleted_at IS NULL
			WHERE l.company_id = $1 AND l.owner = $2 AND l.owner_id = o.id ORDER BY l.sort_order, l.gallery_id LIMIT 1) AS g,
		LATERAL (
			SELECT f.id, f.path, f.width, f.height
			FROM `+GalleryItems+` i JOIN media_file f ON f.company_id = $1 AND f.id = i.file_id AND f.deleted_at IS NULL AND f.status = 'stored'
			WHERE i.kind = 'image' ORDER BY i.sort_order, i.item_key LIMIT 1) AS i`,
		r.Company, entity, ids)
	if err != nil {
		return nil, err
	}
	covers := map[int64]File{}
	var owner int64
	var f File
	_, err = pgx.ForEachRow(rows, []any{&owner, &f.ID, &f.Path, &f.Width, &f.Height}, func() error {
		covers[owner] = f
		return nil
	})
	return covers, err
}

// GalleryProducts returns the products that link one of the galleries directly.
func GalleryProducts(ctx context.Context, r store.Reader, galleries []shop.GalleryID) ([]shop.ProductID, error) {
	rows, err := r.DB.Query(
		ctx,
		`SELECT DISTINCT owner_id::integer FROM gallery_link WHERE company_id = $1 AND owner = 2 AND gallery_id = ANY($2)`,
		r.Company, galleries,
	)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[shop.ProductID])
}
