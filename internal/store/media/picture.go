package media

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// UnpreparedPicture is a picture whose resized variants have not been made yet (document 1, 4.4).
type UnpreparedPicture struct {
	Company   shop.CompanyID
	ID        uuid.UUID
	SHA256    string
	CreatedAt time.Time
}

// PicturesWaiting returns pictures of all shops whose resized variants have not been made, oldest
// first, after the given one.
func PicturesWaiting(ctx context.Context, s *store.Store, after UnpreparedPicture, limit int) ([]UnpreparedPicture, error) {
	rows, err := s.Pool.Query(ctx, `
		SELECT company_id, id, sha256, created_at FROM media_file
		WHERE status = 'stored' AND file_type = 'image' AND mime <> 'image/svg+xml' AND deleted_at IS NULL AND prepared <> sha256
			AND (created_at, company_id, id) > ($1, $2, $3)
		ORDER BY created_at, company_id, id LIMIT $4`, after.CreatedAt, after.Company, after.ID, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[UnpreparedPicture])
}

// MarkPrepared records that the resized variants of a picture were made, its colour, and its
// size if that was unknown. A picture that has other bytes since then stays unprepared.
func MarkPrepared(ctx context.Context, tx *store.Tx, id uuid.UUID, sha256 string, p Picture) error {
	var sized bool
	err := tx.DB.QueryRow(ctx, `
		WITH was AS (SELECT width FROM media_file WHERE company_id = $1 AND id = $2 AND sha256 = $3 FOR UPDATE)
		UPDATE media_file f SET prepared = $3, colour = $4,
			width = CASE WHEN was.width = 0 THEN $5 ELSE f.width END, height = CASE WHEN was.width = 0 THEN $6 ELSE f.height END
		FROM was WHERE f.company_id = $1 AND f.id = $2 RETURNING was.width = 0 AND $5 > 0`,
		tx.Company, id, sha256, p.Colour, p.Width, p.Height).Scan(&sized)
	if store.NoRow(err) {
		return nil
	}
	if sized {
		tx.ChangedLive(shop.Key{Kind: shop.KeyDesign}) // pages were rendered without the size
	}
	return err
}

// Picture describes a picture to a page before the picture is loaded.
type Picture struct {
	Width, Height int
	Colour        string // #rrggbb; empty: none or not known yet
	Alt           string // alternative text; empty: not set
}

// Pictures returns those of the paths below /files/ that lead to files that are not
// deleted.
func Pictures(ctx context.Context, r store.Reader, paths []string) (map[string]Picture, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT path, width, height, colour, alt FROM media_file
		WHERE company_id = $1 AND path = ANY($2) AND deleted_at IS NULL AND status = 'stored'`, r.Company, paths)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[string]Picture{}
	for rows.Next() {
		var path string
		var p Picture
		if err := rows.Scan(&path, &p.Width, &p.Height, &p.Colour, &p.Alt); err != nil {
			return nil, err
		}
		found[path] = p
	}
	return found, rows.Err()
}

// FacePictures are the files that the settings of company c name.
const FacePictures = `c.settings->>'logo_id', c.settings->>'favicon_id', c.settings#>>'{seo,og_image_id}'`

// recordFaceChange records that the path of a file of the library changed or ended: if the
// settings name it, all pages show it.
func recordFaceChange(ctx context.Context, tx *store.Tx, id uuid.UUID) error {
	named := false
	err := tx.DB.QueryRow(ctx, `SELECT coalesce($2 IN (`+FacePictures+`), false) FROM company c WHERE c.id = $1`, tx.Company, id.String()).Scan(&named)
	if named {
		tx.ChangedLive(shop.Key{Kind: shop.KeyShop}) // settings have no draft
	}
	return err
}
