package store

import (
	"context"
	"path"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// MaxGalleryItems is how many items a gallery has (document 1, 2.6).
const MaxGalleryItems = 24

// canvasPictures are the pictures of the canvas document of a gallery g: those
// that its active release shows and the media library has. $1 is the shop.
const canvasPictures = `
	SELECT s.shown, f.id AS file_id FROM document d
	JOIN release_file s ON s.company_id = $1 AND s.release_id = d.active_release_id AND s.shown IS NOT NULL
	CROSS JOIN LATERAL (SELECT m.id FROM media_file m
		WHERE m.company_id = $1 AND m.sha256 = s.sha256 AND m.deleted_at IS NULL AND m.status = 'stored' ORDER BY m.created_at, m.id LIMIT 1) f
	WHERE g.canvas_id <> 0 AND d.company_id = $1 AND d.id = g.canvas_id AND d.deleted_at IS NULL`

// galleryItems are the items that a gallery g shows (document 1, 2.6), for a join
// LATERAL: the pictures of its canvas document, or else its own, which are the
// backup of a canvas that shows none.
const galleryItems = `(
	SELECT 'canvas-' || c.shown AS item_key, 'image' AS kind, c.file_id, NULL::uuid AS poster_id, '' AS html, '' AS caption, c.shown::integer AS sort_order
	FROM (` + canvasPictures + `) c
	UNION ALL
	SELECT o.item_key, o.kind, o.file_id, o.poster_id, o.html, o.caption, o.sort_order FROM gallery_item o
	WHERE o.company_id = $1 AND o.gallery_id = g.id AND (g.canvas_id = 0 OR NOT EXISTS (` + canvasPictures + `)))`

// rasters are the types of files that a canvas may show in a gallery.
var rasters = []string{"image/png", "image/jpeg", "image/webp", "image/avif", "image/gif"}

// ShowPictures notes which files of a release its document shows, in their order,
// each content once.
// What is no picture of the media library's kinds is passed over, and so is what
// a gallery has no place for.
func (tx *Tx) ShowPictures(ctx context.Context, id shop.ReleaseID, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	_, err := tx.q.Exec(ctx, `
		UPDATE release_file f SET shown = o.place FROM (
			SELECT f.path, row_number() OVER (ORDER BY f.n) AS place FROM (
				SELECT DISTINCT ON (r.sha256) r.path, s.n FROM unnest($3::text[]) WITH ORDINALITY AS s(path, n)
				JOIN release_file r ON r.company_id = $1 AND r.release_id = $2 AND r.path = s.path AND r.mime = ANY($4)
				ORDER BY r.sha256, s.n) f
			ORDER BY f.n LIMIT $5) o
		WHERE f.company_id = $1 AND f.release_id = $2 AND f.path = o.path`, tx.Company, id, paths, rasters, MaxGalleryItems)
	return err
}

// DriveGallery gives the gallery whose canvas a document is the pictures of the
// document's active release: what of them the media library lacks is put there.
// It does nothing for a document that is no canvas.
func (tx *Tx) DriveGallery(ctx context.Context, doc shop.DocumentID) error {
	driven, err := tx.canvasChanged(ctx, doc)
	if err != nil || !driven {
		return err
	}
	lacking, err := tx.unknownPictures(ctx, doc)
	for _, f := range lacking {
		if err == nil {
			err = tx.adoptPicture(ctx, f)
		}
	}
	return err
}

// HasGalleryItems reports whether a gallery has items of its own, shown or kept as
// the backup of its canvas.
func (r Reader) HasGalleryItems(ctx context.Context, id shop.GalleryID) (has bool, err error) {
	err = r.q.QueryRow(ctx, `SELECT EXISTS (SELECT FROM gallery_item WHERE company_id = $1 AND gallery_id = $2)`, r.Company, id).Scan(&has)
	return has, err
}

// canvasChanged records the gallery that a document drives, and reports whether
// there is one.
func (tx *Tx) canvasChanged(ctx context.Context, doc shop.DocumentID) (driven bool, err error) {
	rows, err := tx.q.Query(ctx, `SELECT id FROM gallery WHERE company_id = $1 AND canvas_id = $2 AND canvas_id <> 0 AND deleted_at IS NULL`, tx.Company, doc)
	if err != nil {
		return false, err
	}
	var id int64
	tag, err := pgx.ForEachRow(rows, []any{&id}, func() error {
		tx.Changed(shop.Key{Kind: shop.KeyGallery, ID: id})
		return nil
	})
	return tag.RowsAffected() > 0, err
}

// unknownPictures are the pictures of a document's active release that are no
// files of the media library, by their place.
func (r Reader) unknownPictures(ctx context.Context, doc shop.DocumentID) ([]ReleaseFile, error) {
	rows, err := r.q.Query(ctx, `
		SELECT s.path, s.sha256, s.size, s.mime, s.pending FROM document d
		JOIN release_file s ON s.company_id = $1 AND s.release_id = d.active_release_id AND s.shown IS NOT NULL AND NOT s.pending
		WHERE d.company_id = $1 AND d.id = $2 AND d.deleted_at IS NULL AND NOT EXISTS (SELECT FROM media_file m
			WHERE m.company_id = $1 AND m.sha256 = s.sha256 AND m.deleted_at IS NULL AND m.status = 'stored')
		ORDER BY s.shown`, r.Company, doc)
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[ReleaseFile])
	return slices.CompactFunc(list, func(a, b ReleaseFile) bool { return a.SHA256 == b.SHA256 }), err
}

// adoptPicture makes a file of the media library of a release's picture, of the
// same bytes, which are in the shop's account already.
func (tx *Tx) adoptPicture(ctx context.Context, f ReleaseFile) error {
	id, err := uuid.NewRandom()
	if err != nil {
		return err
	}
	_, err = tx.q.Exec(ctx, `
		INSERT INTO media_file (company_id, id, upload_id, upload_hash, section, file_type, original_name, status, path, sha256, original_sha256, size, mime, prefer_original)
		VALUES ($1, $2, gen_random_uuid(), '', 'gallery', 'image', $3, 'stored', $4, $5, $5, $6, $7, true)`,
		tx.Company, id, path.Base(f.Path), "gallery/"+id.String()+path.Ext(f.Path), f.SHA256, f.Size, f.MIME)
	return err
}

// driveDraftGallery records a gallery that is published. A canvas that it was
// given in the draft may have become live meanwhile without it.
func (tx *Tx) driveDraftGallery(ctx context.Context, id shop.GalleryID) error {
	tx.Changed(shop.Key{Kind: shop.KeyGallery, ID: int64(id)})
	var canvas shop.DocumentID
	err := tx.q.QueryRow(ctx, `SELECT canvas_id FROM gallery WHERE company_id = $1 AND id = $2`, tx.Company, id).Scan(&canvas)
	if noRow(err) || err == nil && canvas == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	return tx.DriveGallery(ctx, canvas)
}
