package sweep

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/release"
)

// ShopsWithUnfinishedUploads returns the shops with uploads or releases that were begun before a
// time and still wait for bytes or confirmation.
func ShopsWithUnfinishedUploads(ctx context.Context, s *store.Store, before time.Time) ([]shop.CompanyID, error) {
	rows, err := s.Pool.Query(ctx, `SELECT company_id FROM (
		SELECT company_id FROM media_file WHERE status <> 'stored' AND created_at < $1
		UNION SELECT r.company_id FROM release_file f JOIN release r ON r.company_id = f.company_id AND r.id = f.release_id
			WHERE f.pending AND r.deleted_at IS NULL AND r.created_at < $1) u WHERE `+store.NotMoving("u.company_id")+` ORDER BY 1`, before)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[shop.CompanyID])
}

// DeleteUnfinishedUploads deletes those uploads and releases of the shop. Nothing references them:
// only confirmed files can be used, and a release without all its bytes is never published.
func DeleteUnfinishedUploads(ctx context.Context, tx *store.Tx, before time.Time) error {
	err := release.DeleteReleases(ctx, tx, `created_at < $2 AND EXISTS (
		SELECT 1 FROM release_file f WHERE f.company_id = $1 AND f.release_id = release.id AND f.pending)`, before)
	if err != nil {
		return err
	}
	tag, err := tx.DB.Exec(ctx, `
		WITH gone AS (DELETE FROM media_file WHERE company_id = $1 AND status <> 'stored'
			AND created_at < $2 RETURNING status, original_sha256, size)
		INSERT INTO blob_reservation (company_id, sha256, size, until) SELECT $1, original_sha256, size, '-infinity' FROM gone
			WHERE status = 'uploaded'`,
		tx.Company, before)
	tx.BytesFreed = tx.BytesFreed || tag.RowsAffected() > 0
	return err
}

// orphanedFolder is a condition: the layout or section of document d was deleted before $1.
const orphanedFolder = `d.deleted_at IS NULL AND (
	d.kind = 'theme' AND EXISTS (SELECT FROM content_block o WHERE o.company_id = d.company_id AND o.id = d.owner_id AND o.deleted_at < $1)
	OR d.kind = 'folder' AND EXISTS (SELECT FROM category o WHERE o.company_id = d.company_id AND o.id = d.owner_id AND o.deleted_at < $1))`

// ShopsWithOrphanedFolders returns the shops with folders whose layout or section was deleted
// before a time.
func ShopsWithOrphanedFolders(ctx context.Context, s *store.Store, before time.Time) ([]shop.CompanyID, error) {
	rows, err := s.Pool.Query(ctx, `SELECT DISTINCT d.company_id FROM document d WHERE `+orphanedFolder+` AND `+store.NotMoving("d.company_id")+` ORDER BY 1`, before)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[shop.CompanyID])
}

// DeleteOrphanedFolders deletes those folders of the shop with their releases, which are no longer
// reachable, and removes their bytes from its account.
func DeleteOrphanedFolders(ctx context.Context, tx *store.Tx, before time.Time) error {
	rows, err := tx.DB.Query(
		ctx, `SELECT d.id FROM document d WHERE d.company_id = $2 AND `+orphanedFolder+` ORDER BY d.id FOR UPDATE`, before,
		tx.Company,
	)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[shop.DocumentID])
	for _, id := range ids {
		if err = release.DeleteDocument(ctx, tx, id); err != nil {
			break
		}
	}
	return err
}

// LockBlobs keeps those of the blobs that the shop owns on its account until the end of the
// transaction, which is about to reference them without storing their bytes again.
func LockBlobs(ctx context.Context, tx *store.Tx, hashes []string) error {
	if err := tx.LockStorage(ctx); err != nil {
		return err
	}
	_, err := tx.DB.Exec(ctx, `
		SELECT 1 FROM blob WHERE company_id = $1 AND sha256 = ANY($2) ORDER BY sha256 FOR KEY SHARE`, tx.Company, hashes)
	return err
}
