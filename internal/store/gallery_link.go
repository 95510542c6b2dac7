package store

import (
	"context"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// setOf collects a column of ids.
func setOf[ID comparable](rows pgx.Rows, err error) (map[ID]bool, error) {
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[ID])
	set := make(map[ID]bool, len(list))
	for _, id := range list {
		set[id] = true
	}
	return set, err
}

// LinkedGalleries are the living galleries of things of one entity, each in the
// order in which they were linked, by one query.
func (r Reader) LinkedGalleries(ctx context.Context, entity int16, ids []int64) (map[int64][]shop.GalleryID, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := r.q.Query(ctx, `
		SELECT l.owner_id, l.gallery_id FROM gallery_link l JOIN gallery g ON g.company_id = $1 AND g.id = l.gallery_id AND g.deleted_at IS NULL
		WHERE l.company_id = $1 AND l.owner = $2 AND l.owner_id = ANY($3) ORDER BY l.owner_id, l.sort_order, l.gallery_id`, r.Company, entity, ids)
	if err != nil {
		return nil, err
	}
	linked := map[int64][]shop.GalleryID{}
	var owner int64
	var gallery shop.GalleryID
	_, err = pgx.ForEachRow(rows, []any{&owner, &gallery}, func() error {
		linked[owner] = append(linked[owner], gallery)
		return nil
	})
	return linked, err
}

// LinkGalleries replaces the galleries of things of one entity. They are
// galleries that the transaction shares, each once.
func (tx *Tx) LinkGalleries(ctx context.Context, entity int16, links map[int64][]shop.GalleryID) error {
	if len(links) == 0 {
		return nil
	}
	var all, owners []int64
	var galleries []shop.GalleryID
	var orders []int
	for owner, ids := range links {
		all = append(all, owner)
		tx.Changed(galleryOwnerKeys(entity, owner)...)
		for i, id := range ids {
			owners, galleries, orders = append(owners, owner), append(galleries, id), append(orders, i)
		}
	}
	if _, err := tx.q.Exec(ctx, `DELETE FROM gallery_link WHERE company_id = $1 AND owner = $2 AND owner_id = ANY($3)`, tx.Company, entity, all); err != nil || len(galleries) == 0 {
		return err
	}
	_, err := tx.q.Exec(ctx, `
		INSERT INTO gallery_link (company_id, owner, owner_id, gallery_id, sort_order)
		SELECT $1, $2, * FROM unnest($3::bigint[], $4::bigint[], $5::integer[])`, tx.Company, entity, owners, galleries, orders)
	return err
}

// galleryOwnerKeys are what pages stand on that show a thing's galleries.
func galleryOwnerKeys(entity int16, id int64) []shop.Key {
	switch entity {
	case EntityCategory:
		return []shop.Key{{Kind: shop.KeyCategory, ID: id}}
	case EntityProduct:
		return []shop.Key{{Kind: shop.KeyProduct, ID: id}, {Kind: shop.KeyProducts}}
	}
	return []shop.Key{{Kind: shop.KeyArticle, ID: id}}
}

// GalleryCovers are the computed previews of things of one entity (document 1,
// 2.6): the first picture of the first gallery of each, by one query. Those
// without one are left out.
func (r Reader) GalleryCovers(ctx context.Context, entity int16, ids []int64) (map[int64]File, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := r.q.Query(ctx, `
		SELECT o.id, i.id, i.path, i.width, i.height FROM unnest($3::bigint[]) AS o(id),
		LATERAL (
			SELECT l.gallery_id FROM gallery_link l JOIN gallery g ON g.company_id = $1 AND g.id = l.gallery_id AND g.deleted_at IS NULL
			WHERE l.company_id = $1 AND l.owner = $2 AND l.owner_id = o.id ORDER BY l.sort_order, l.gallery_id LIMIT 1) AS first,
		LATERAL (
			SELECT f.id, f.path, f.width, f.height
			FROM gallery_item i JOIN media_file f ON f.company_id = $1 AND f.id = i.file_id AND f.deleted_at IS NULL AND f.status = 'stored'
			WHERE i.company_id = $1 AND i.gallery_id = first.gallery_id AND i.kind = 'image' ORDER BY i.sort_order, i.item_key LIMIT 1) AS i`,
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

// GalleryPictures are the pictures of the galleries of that name that products
// link, in their order, by one query.
func (r Reader) GalleryPictures(ctx context.Context, name string, products []shop.ProductID) (map[shop.ProductID][]File, error) {
	rows, err := r.q.Query(ctx, `
		SELECT l.owner_id::integer, f.id, f.path, f.mime, f.width, f.height
		FROM gallery_link l
		JOIN gallery g ON g.company_id = $1 AND g.id = l.gallery_id AND g.deleted_at IS NULL AND g.name = $2
		JOIN gallery_item i ON i.company_id = $1 AND i.gallery_id = g.id AND i.kind = 'image'
		JOIN media_file f ON f.company_id = $1 AND f.id = i.file_id AND f.deleted_at IS NULL AND f.status = 'stored'
		WHERE l.company_id = $1 AND l.owner = 2 AND l.owner_id = ANY($3::bigint[])
		ORDER BY l.owner_id, l.sort_order, l.gallery_id, i.sort_order, i.item_key`, r.Company, name, products)
	if err != nil {
		return nil, err
	}
	pictures := map[shop.ProductID][]File{}
	var product shop.ProductID
	var f File
	_, err = pgx.ForEachRow(rows, []any{&product, &f.ID, &f.Path, &f.MIME, &f.Width, &f.Height}, func() error {
		pictures[product] = append(pictures[product], f)
		return nil
	})
	return pictures, err
}

// ShownGallery is the gallery that a product shows: the chosen variant set's
// (0: none), else the first one that is linked; 0 without any (document 1, 4.2).
func ShownGallery(linked []shop.GalleryID, chosen shop.GalleryID) shop.GalleryID {
	switch {
	case chosen != 0:
		return chosen
	case len(linked) > 0:
		return linked[0]
	}
	return 0
}
