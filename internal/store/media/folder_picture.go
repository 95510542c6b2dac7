package media

import (
	"context"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// folderImage finds a picture of a retained release of a site folder.
func folderImage(ctx context.Context, r store.Reader, section shop.CategoryID, sha string) (f File, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT f.sha256, f.size, f.mime FROM release_file f
		JOIN release l ON l.company_id = $1 AND l.id = f.release_id AND l.deleted_at IS NULL AND l.was_live
		JOIN document d ON d.company_id = $1 AND d.id = l.document_id AND d.kind = 'folder' AND d.owner_id = $2 AND d.deleted_at IS NULL
		WHERE f.company_id = $1 AND f.sha256 = $3 AND NOT f.pending AND f.mime IN ('image/png', 'image/jpeg', 'image/webp', 'image/avif')
			LIMIT 1`,
		r.Company, section, sha).Scan(&f.SHA256, &f.Size, &f.MIME)
	if store.NoRow(err) {
		err = ErrFileNotFound
	}
	return f, err
}
