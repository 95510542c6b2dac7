package media

import (
	"context"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

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

// LinkedGalleries returns the galleries of things of one entity that are not deleted, each
// in the order in which they were linked, in one query.
func LinkedGalleries(ctx context.Context, r store.Reader, entity int16, ids []int64) (map[int64][]shop.GalleryID, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := r.DB.Query(ctx, `
		SELECT l.owner_id, l.gallery_id FROM gallery_link l JOIN gallery g ON g.company_id = $1 AND g.id = l.gallery_id AND g.deleted_at IS NULL
		WHERE l.company_id = $1 AND l.owner = $2 AND l.owner_id = ANY($3) ORDER BY l.owner_id, l.sort_order, l.gallery_id`,
		r.Company, entity, ids)
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

// GalleryOwners returns the things of one entity that galleries are linked to.
func GalleryOwners(ctx context.Context, r store.Reader, entity int16) (map[int64]bool, error) {
	return setOf[int64](r.DB.Query(ctx, `SELECT DISTINCT owner_id FROM gallery_link WHERE company_id = $1 AND owner = $2`, r.Company, entity))
}

// LinkGalleries replaces the galleries of things of one entity. The transaction holds a
// shared lock on the galleries, each listed once.
func LinkGalleries(ctx context.Context, tx *store.Tx, entity int16, links map[int64][]shop.GalleryID) error {
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
	if _, err := tx.DB.Exec(ctx, `DELETE FROM gallery_link WHERE company_id = $1 AND owner = $2 AND owner_id = ANY($3)`, tx.Company, entity, all); err != nil ||
		len(galleries) == 0 {
		return err
	}
	_, err := tx.DB.Exec(ctx, `
		INSERT INTO gallery_link (company_id, owner, owner_id, gallery_id, sort_order)
		SELECT $1, $2, * FROM unnest($3::bigint[], $4::bigint[], $5::integer[])`, tx.Company, entity, owners, galleries, orders)
	return err
}

// galleryOwnerKeys returns the keys of the pages that show a thing's galleries.
func galleryOwnerKeys(entity int16, id int64) []shop.Key {
	switch entity {
	case store.EntityCategory:
		return []shop.Key{{Kind: shop.KeyCategory, ID: id}}
	case store.EntityProduct:
		return []shop.Key{{Kind: shop.KeyProduct, ID: id}, {Kind: shop.KeyProducts}}
	}
	return []shop.Key{{Kind: shop.KeyArticle, ID: id}}
}
