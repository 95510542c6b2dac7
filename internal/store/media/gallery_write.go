package media

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Locks of galleries come after those of the things that show them. Linking a gallery takes
// a key-share lock (ShareGalleries), which does not conflict with an edit but with a
// deletion: no link to a gallery can appear while it is being deleted.

// LockGallery reads and locks a gallery for update, unless it is deleted.
func LockGallery(ctx context.Context, tx *store.Tx, id shop.GalleryID) (Gallery, error) {
	return lockGallery(ctx, tx, id, "FOR NO KEY UPDATE")
}

func lockGallery(ctx context.Context, tx *store.Tx, id shop.GalleryID, strength string) (Gallery, error) {
	tag, err := tx.DB.Exec(ctx, `SELECT FROM gallery WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL `+strength, tx.Company, id)
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrGalleryNotFound
	}
	if err != nil {
		return Gallery{}, err
	}
	return GetGallery(ctx, tx.Reader, id)
}

// ShareGalleries returns those of the galleries that are not deleted; they cannot be
// deleted until the end of the transaction.
func ShareGalleries(ctx context.Context, tx *store.Tx, ids []shop.GalleryID) (map[shop.GalleryID]bool, error) {
	rows, err := tx.DB.Query(ctx, `
		SELECT id FROM gallery WHERE company_id = $1 AND id = ANY($2) AND deleted_at IS NULL ORDER BY id FOR KEY SHARE`, tx.Company, ids)
	return setOf[shop.GalleryID](rows, err)
}

// InsertGallery adds a gallery with its items.
func InsertGallery(ctx context.Context, tx *store.Tx, g *Gallery) error {
	err := tx.DB.QueryRow(ctx, `INSERT INTO gallery (company_id, name, source, canvas_id) VALUES ($1, $2, $3, $4) RETURNING id`,
		tx.Company, g.Name, sourceOf(*g), g.CanvasID).Scan(&g.ID)
	if err := refuseUsedCanvas(err); err != nil {
		return err
	}
	return SetGalleryItems(ctx, tx, g.ID, g.Items)
}

// UpdateGallery writes name and canvas of a locked gallery.
func UpdateGallery(ctx context.Context, tx *store.Tx, g Gallery) error {
	tx.Changed(shop.Key{Kind: shop.KeyGallery, ID: int64(g.ID)})
	_, err := tx.DB.Exec(ctx, `UPDATE gallery SET name = $3, source = $4, canvas_id = $5, updated_at = now() WHERE company_id = $1 AND id = $2`,
		tx.Company, g.ID, g.Name, sourceOf(g), g.CanvasID)
	return refuseUsedCanvas(err)
}

func sourceOf(g Gallery) string {
	if g.CanvasID != 0 {
		return "canvas"
	}
	return "images"
}

func refuseUsedCanvas(err error) error {
	if store.UniqueViolation(err, "gallery_canvas") {
		return ErrCanvasInUse
	}
	return err
}

// SetGalleryItems replaces the items of a locked or new gallery.
func SetGalleryItems(ctx context.Context, tx *store.Tx, id shop.GalleryID, items []GalleryItem) error {
	tx.Changed(shop.Key{Kind: shop.KeyGallery, ID: int64(id)})
	if _, err := tx.DB.Exec(ctx, `DELETE FROM gallery_item WHERE company_id = $1 AND gallery_id = $2`, tx.Company, id); err != nil ||
		len(items) == 0 {
		return err
	}
	n := len(items)
	keys, kinds, htmls, captions, orders := make([]string, n), make([]string, n), make([]string, n), make([]string, n), make([]int, n)
	files, posters := make([]*uuid.UUID, n), make([]*uuid.UUID, n)
	for i, item := range items {
		keys[i], kinds[i], htmls[i], captions[i], orders[i] = item.Key, item.Kind, item.HTML, item.Caption, i
		if item.File != nil {
			files[i] = &item.File.ID
		}
		if item.Poster != nil {
			posters[i] = &item.Poster.ID
		}
	}
	_, err := tx.DB.Exec(ctx, `
		INSERT INTO gallery_item (company_id, gallery_id, item_key, kind, file_id, poster_id, html, caption, sort_order)
		SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::uuid[], $6::uuid[], $7::text[], $8::text[], $9::integer[])`,
		tx.Company, id, keys, kinds, files, posters, htmls, captions, orders)
	return err
}

// DeleteGallery soft-deletes a gallery, unless something that is not deleted shows it.
func DeleteGallery(ctx context.Context, tx *store.Tx, id shop.GalleryID) error {
	if _, err := lockGallery(ctx, tx, id, "FOR UPDATE"); err != nil {
		return err
	}
	var uses int
	if err := tx.DB.QueryRow(ctx, `SELECT count(*) FROM (`+GalleryUses+`) u`, tx.Company, []shop.GalleryID{id}).Scan(&uses); err != nil {
		return err
	}
	if uses > 0 {
		return ErrGalleryInUse.With(fmt.Sprintf("used in %d places", uses))
	}
	tx.Changed(shop.Key{Kind: shop.KeyGallery, ID: int64(id)})
	_, err := tx.DB.Exec(ctx, `UPDATE gallery SET deleted_at = now() WHERE company_id = $1 AND id = $2`, tx.Company, id)
	return err
}
