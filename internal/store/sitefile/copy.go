package sitefile

import (
	"context"
	"time"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// copyLifetime is how long the last good copy of a file is served (document 3, 4.3).
const copyLifetime = 7 * 24 * time.Hour

// SiteFileCopy is the last good copy of a file.
type SiteFileCopy struct {
	Version     int64 // of the file
	ShopVersion int64 // of the catalogue
	At          time.Time
	Items       int
	Size        int64  // of the text
	Body        []byte // gzip; nil when not requested
}

// Copy reads the last good copy of a file that is not deleted; the zero value when
// there is none. The body is included if neither it nor its text is larger than maxBytes.
func Copy(ctx context.Context, r store.Reader, id shop.SiteFileID, maxBytes int64) (c SiteFileCopy, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT c.row_version, c.shop_version, c.at, c.items, c.size,
			CASE WHEN greatest(c.size, octet_length(c.body)) <= $3 THEN c.body END
		FROM site_file_copy c
		JOIN site_file f ON f.company_id = $1 AND f.id = c.file_id AND f.deleted_at IS NULL
		WHERE c.company_id = $1 AND c.file_id = $2`, r.Company, id, maxBytes).Scan(&c.Version, &c.ShopVersion, &c.At, &c.Items, &c.Size, &c.Body)
	if store.NoRow(err) {
		return SiteFileCopy{}, nil
	}
	return c, err
}

// SaveBuild stores the result of a build, and its copy when it is to be kept.
// Several edges build concurrently: the result of the later version of the shop is kept. It
// does not change the shop's version. A deleted file is not an error.
func SaveBuild(ctx context.Context, s *store.Store, company shop.CompanyID, id shop.SiteFileID, b Build, c *SiteFileCopy) error {
	return s.Write(ctx, company, func(tx *store.Tx) error {
		_, err := tx.DB.Exec(ctx, `
			INSERT INTO site_file_build AS b (company_id, file_id, row_version, shop_version, state, at, items, bytes, errors, warnings)
			SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 FROM site_file WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL
			ON CONFLICT (company_id, file_id) DO UPDATE SET row_version = excluded.row_version, shop_version = excluded.shop_version,
				state = excluded.state, at = excluded.at, items = excluded.items, bytes = excluded.bytes, errors = excluded.errors,
				warnings = excluded.warnings
			WHERE b.row_version <= excluded.row_version AND b.shop_version <= excluded.shop_version`,
			company, id, b.Version, b.ShopVersion, b.State, b.At, b.Items, b.Bytes, b.Errors, b.Warnings)
		if err != nil || c == nil {
			return err
		}
		_, err = tx.DB.Exec(ctx, `
			INSERT INTO site_file_copy AS c (company_id, file_id, row_version, shop_version, at, items, size, body)
			SELECT $1, $2, $3, $4, $5, $6, $7, $8 FROM site_file WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL
			ON CONFLICT (company_id, file_id) DO UPDATE SET row_version = excluded.row_version, shop_version = excluded.shop_version,
				at = excluded.at, items = excluded.items, size = excluded.size, body = excluded.body
			WHERE c.row_version <= excluded.row_version AND c.shop_version <= excluded.shop_version`,
			company, id, c.Version, c.ShopVersion, c.At, c.Items, c.Size, c.Body)
		return err
	})
}

// Sweep deletes copies that visitors can no longer get: expired ones, and those of
// deleted files.
func Sweep(ctx context.Context, s *store.Store, now time.Time) error {
	return s.SweepBatches(ctx, `DELETE FROM site_file_copy WHERE ctid = ANY(ARRAY(
		SELECT c.ctid FROM site_file_copy c JOIN site_file f ON f.company_id = c.company_id AND f.id = c.file_id
		WHERE c.at < $1 OR f.deleted_at IS NOT NULL LIMIT $2))`, now.Add(-copyLifetime))
}
