package media

import (
	"context"
	"path"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// MaxGalleryItems is how many items a gallery may have (document 1, 2.6).
const MaxGalleryItems = 24

// canvasPictures selects the pictures of the canvas document of a gallery g: those that its
// active release shows and that are in the media library. $1 is the shop.
const canvasPictures = `
	SELECT s.shown, f.id AS file_id FROM document d
	JOIN release_file s ON s.company_id = $1 AND s.release_id = d.active_release_id AND s.shown IS NOT NULL
	CROSS JOIN LATERAL (SELECT m.id FROM media_file m
		WHERE m.company_id = $1 AND m.sha256 = s.sha256 AND m.deleted_at IS NULL AND m.status = 'stored' ORDER BY m.created_at, m.id LIMIT 1) f
	WHERE g.canvas_id <> 0 AND d.company_id = $1 AND d.id = g.canvas_id AND d.deleted_at IS NULL`

// GalleryItems selects the items that a gallery g shows (document 1, 2.6), for a join
// LATERAL: the pictures of its canvas document, or its own items if it has no canvas or the
// canvas shows no picture.
const GalleryItems = `(
	SELECT 'canvas-' || c.shown AS item_key, 'image' AS kind, c.file_id, NULL::uuid AS poster_id, '' AS html, '' AS caption, c.shown::integer AS sort_order
	FROM (` + canvasPictures + `) c
	UNION ALL
	SELECT o.item_key, o.kind, o.file_id, o.poster_id, o.html, o.caption, o.sort_order FROM gallery_item o
	WHERE o.company_id = $1 AND o.gallery_id = g.id AND (g.canvas_id = 0 OR NOT EXISTS (` + canvasPictures + `)))`

// canvasTypes are the types of files that a gallery may show from a canvas.
var canvasTypes = []string{"image/png", "image/jpeg", "image/webp", "image/avif", "image/gif"}

// RecordPictures records which files of a release its document shows, in their order, each
// content once, replacing the earlier record. Files that are not pictures of the media
// library's types are skipped, and so are those beyond the maximum of a gallery.
func RecordPictures(ctx context.Context, tx *store.Tx, id shop.ReleaseID, paths []string) error {
	_, err := tx.DB.Exec(ctx, `
		WITH pictures AS (
			SELECT DISTINCT ON (r.sha256) r.path, s.n FROM unnest($3::text[]) WITH ORDINALITY AS s(path, n)
			JOIN release_file r ON r.company_id = $1 AND r.release_id = $2 AND r.path = s.path AND r.mime = ANY($4)
			ORDER BY r.sha256, s.n),
		placed AS (SELECT path, row_number() OVER (ORDER BY n) AS place FROM pictures ORDER BY n LIMIT $5)
		UPDATE release_file f SET shown = o.place
		FROM release_file r LEFT JOIN placed o ON o.path = r.path
		WHERE r.company_id = $1 AND r.release_id = $2 AND (o.path IS NOT NULL OR r.shown IS NOT NULL)
			AND f.company_id = $1 AND f.release_id = $2 AND f.path = r.path`, tx.Company, id, paths, canvasTypes, MaxGalleryItems)
	return err
}

// UpdateCanvasGalleries updates the galleries whose canvas is one of the documents, and those of
// the given galleries that have a canvas, with the pictures of the active release: it adds
// missing ones to the media library. A document that is not a canvas changes nothing.
func UpdateCanvasGalleries(ctx context.Context, tx *store.Tx, docs []shop.DocumentID, galleries []shop.GalleryID) error {
	rows, err := tx.DB.Query(ctx, `
		SELECT id, canvas_id FROM gallery
		WHERE company_id = $1 AND canvas_id <> 0 AND (canvas_id = ANY($2) OR id = ANY($3)) AND deleted_at IS NULL`, tx.Company, docs, galleries)
	if err != nil {
		return err
	}
	var gallery int64
	var canvas shop.DocumentID
	var canvases []shop.DocumentID
	if _, err = pgx.ForEachRow(rows, []any{&gallery, &canvas}, func() error {
		tx.Changed(shop.Key{Kind: shop.KeyGallery, ID: gallery})
		canvases = append(canvases, canvas)
		return nil
	}); err != nil || len(canvases) == 0 {
		return err
	}
	missing, err := missingPictures(ctx, tx.Reader, canvases)
	for _, f := range missing {
		if err == nil {
			err = addToLibrary(ctx, tx, f)
		}
	}
	return err
}

// HasGalleryItems reports whether a gallery has its own items, shown or kept as the
// fallback of its canvas.
func HasGalleryItems(ctx context.Context, r store.Reader, id shop.GalleryID) (has bool, err error) {
	err = r.DB.QueryRow(ctx, `SELECT EXISTS (SELECT FROM gallery_item WHERE company_id = $1 AND gallery_id = $2)`, r.Company, id).Scan(&has)
	return has, err
}

// canvasPicture is a picture in the active release of a canvas.
type canvasPicture struct {
	Path, SHA256 string
	Size         int64
	MIME         string
}

// missingPictures returns the pictures of the active releases of documents that are not in
// the media library, each content once.
func missingPictures(ctx context.Context, r store.Reader, docs []shop.DocumentID) ([]canvasPicture, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT DISTINCT ON (s.sha256) s.path, s.sha256, s.size, s.mime FROM document d
		JOIN release_file s ON s.company_id = $1 AND s.release_id = d.active_release_id AND s.shown IS NOT NULL AND NOT s.pending
		WHERE d.company_id = $1 AND d.id = ANY($2) AND d.deleted_at IS NULL AND NOT EXISTS (SELECT FROM media_file m
			WHERE m.company_id = $1 AND m.sha256 = s.sha256 AND m.deleted_at IS NULL AND m.status = 'stored')
		ORDER BY s.sha256, s.path`, r.Company, docs)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[canvasPicture])
}

// addToLibrary creates a file of the media library from a release's picture. Its bytes are
// already counted for the shop.
func addToLibrary(ctx context.Context, tx *store.Tx, f canvasPicture) error {
	id, err := uuid.NewRandom()
	if err != nil {
		return err
	}
	_, err = tx.DB.Exec(ctx, `
		INSERT INTO media_file (company_id, id, upload_id, upload_hash, section, file_type, original_name, status, path, sha256, original_sha256, size, mime, prefer_original)
		VALUES ($1, $2, gen_random_uuid(), '', 'gallery', 'image', $3, 'stored', $4, $5, $5, $6, $7, true)`,
		tx.Company, id, path.Base(f.Path), "gallery/"+id.String()+path.Ext(f.Path), f.SHA256, f.Size, f.MIME)
	return err
}
