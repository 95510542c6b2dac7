package remark

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/media"
)

// Photos are the pictures that buyers add to their reviews. They are stored like the files
// of the library and count against the same plan, but the library never shows them: buyers
// can access only their own, and pages show only those of approved reviews. A photo that no
// review uses any more is deleted with its row, since no trace of it may stay.

// ErrPhotosWaiting is returned when a person has too many uploaded pictures without a
// review.
var ErrPhotosWaiting = shop.Refuse(shop.ResourceExhausted, "PHOTOS_WAITING").
	When("too many uploaded pictures have no review yet; write the review, or try again tomorrow")

// Limits of pictures that are not part of a review yet.
const (
	maxPhotosOfPerson   = 10  // in one shop
	maxPhotosUnverified = 100 // in one shop, of all people without a verified address
)

// CheckPhotoLimit refuses a buyer's picture when too many wait for their review. The limit
// shared by unverified people does not apply to those with a verified address.
func CheckPhotoLimit(ctx context.Context, tx *store.Tx, person shop.UserID) error {
	_, proven, err := lockBuyer(ctx, tx, person)
	if err != nil {
		return err
	}
	var own, all int
	err = tx.DB.QueryRow(ctx, `
		SELECT (SELECT count(*) FROM media_file WHERE company_id = $1 AND person_id = $2 AND remark_id IS NULL),
			(SELECT count(*) FROM media_file f LEFT JOIN person o ON o.id = f.person_id
				WHERE f.company_id = $1 AND f.person_id IS NOT NULL AND f.remark_id IS NULL AND o.proven_at IS NULL)`, tx.Company, person).Scan(&own, &all)
	if err == nil && (own >= maxPhotosOfPerson || !proven && all >= maxPhotosUnverified) {
		err = ErrPhotosWaiting
	}
	return err
}

// PhotoByUpload reads a buyer's own picture by its upload id.
func PhotoByUpload(ctx context.Context, r store.Reader, upload uuid.UUID, person shop.UserID) (media.File, error) {
	return media.ScanFile(r.DB.QueryRow(ctx, `
		SELECT `+media.FileColumns+` FROM media_file WHERE company_id = $1 AND upload_id = $2 AND person_id = $3 AND deleted_at IS NULL`, r.Company, upload, person))
}

// Photo reads a picture of a review.
func Photo(ctx context.Context, r store.Reader, remark shop.RemarkID, id uuid.UUID) (media.File, error) {
	return media.ScanFile(r.DB.QueryRow(ctx, `
		SELECT `+media.FileColumns+` FROM media_file
		WHERE company_id = $1 AND id = $2 AND remark_id = $3 AND status = 'stored' AND deleted_at IS NULL`, r.Company, id, remark))
}

// LockPhoto reads and locks a buyer's own picture.
func LockPhoto(ctx context.Context, tx *store.Tx, id uuid.UUID, person shop.UserID) (media.File, error) {
	f, err := media.LockFileWhere(ctx, tx, id, "deleted_at IS NULL AND person_id IS NOT NULL")
	if err == nil && *f.Buyer != person {
		err = media.ErrFileNotFound
	}
	return f, err
}

// StorePhoto makes a picture ready for a review. The uploaded bytes are deleted: they may
// contain the location, and are never served.
func StorePhoto(ctx context.Context, tx *store.Tx, f media.File, uploaded string, size int64) error {
	if err := media.StoreFile(ctx, tx, &f, map[string]int64{f.SHA256: f.Size}); err != nil {
		return err
	}
	if _, err := tx.DB.Exec(ctx, `
		UPDATE media_file SET original_sha256 = sha256 WHERE company_id = $1 AND id = $2`, tx.Company, f.ID); err != nil {
		return err
	}
	return media.ReleaseBytes(ctx, tx, uploaded, size)
}

// attachPhotos gives a review the pictures of its list, in its order; all of them must be its
// author's. Pictures removed from the list are deleted.
func attachPhotos(ctx context.Context, tx *store.Tx, r *Remark, previous *Remark) error {
	previousID := shop.RemarkID(0)
	if previous != nil {
		previousID = previous.ID
	}
	rows, err := tx.DB.Query(ctx, `
		SELECT f.id FROM media_file f JOIN unnest($3::uuid[]) WITH ORDINALITY a(id, n) ON a.id = f.id
		WHERE f.company_id = $1 AND f.person_id = $2 AND f.status = 'stored' AND f.deleted_at IS NULL AND (f.remark_id IS NULL OR f.remark_id = $4)
		ORDER BY a.n FOR UPDATE OF f`, tx.Company, r.Person, r.Files, previousID)
	if err != nil {
		return err
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err == nil {
		err = media.RefuseMissing(r.Files, found)
	}
	r.Files = []uuid.UUID{}
	seen := map[uuid.UUID]bool{}
	for _, id := range found {
		if !seen[id] { // listed twice
			r.Files, seen[id] = append(r.Files, id), true
		}
	}
	if err != nil || previous == nil || len(previous.Files) == 0 {
		return err
	}
	return DeletePhotos(ctx, tx, `remark_id = $2 AND NOT id = ANY($3)`, previousID, r.Files)
}

// DeletePhotos deletes those pictures of buyers that match a condition, and releases their
// bytes.
func DeletePhotos(ctx context.Context, tx *store.Tx, condition string, args ...any) error {
	rows, err := tx.DB.Query(ctx, `
		WITH gone AS (DELETE FROM media_file WHERE company_id = $1 AND person_id IS NOT NULL AND `+condition+` RETURNING status, sha256, original_sha256, size),
		waiting AS (INSERT INTO blob_reservation (company_id, sha256, size, until)
			SELECT $1, original_sha256, size, '-infinity' FROM gone WHERE status = 'uploaded')
		SELECT sha256 FROM gone`, append([]any{tx.Company}, args...)...)
	if err != nil {
		return err
	}
	hashes, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(hashes) == 0 {
		return err
	}
	tx.BytesFreed = true
	return media.DisownBlobs(ctx, tx, hashes)
}

// hidePhotos invalidates the cached pictures of a review that is no longer shown.
func hidePhotos(tx *store.Tx, hidden Remark) {
	if len(hidden.Files) > 0 && hidden.Status == "approved" {
		tx.ChangedLive(shop.Key{Kind: shop.KeyDesign}) // resized pictures depend on this key
	}
}

// ShopsWithUnusedPhotos returns the shops with pictures uploaded before one moment without a
// review, or whose review was rejected before another.
func ShopsWithUnusedPhotos(ctx context.Context, s *store.Store, sent, rejected time.Time) ([]shop.CompanyID, error) {
	rows, err := s.Pool.Query(ctx, `SELECT company_id FROM (
		SELECT company_id FROM media_file WHERE person_id IS NOT NULL AND remark_id IS NULL AND created_at < $1
		UNION SELECT company_id FROM remark WHERE status = 'rejected' AND file_ids <> '{}' AND updated_at < $2) u WHERE `+store.NotMoving("u.company_id")+` ORDER BY 1`, sent, rejected)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[shop.CompanyID])
}

// DeleteUnusedPhotos deletes those pictures of the shop.
func DeleteUnusedPhotos(ctx context.Context, tx *store.Tx, sent, rejected time.Time) error {
	rows, err := tx.DB.Query(ctx, `
		UPDATE remark SET file_ids = '{}' WHERE company_id = $1 AND status = 'rejected' AND file_ids <> '{}' AND updated_at < $2 RETURNING id`,
		tx.Company, rejected)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[shop.RemarkID])
	if err == nil && len(ids) > 0 {
		err = DeletePhotos(ctx, tx, `remark_id = ANY($2)`, ids)
	}
	if err != nil {
		return err
	}
	return DeletePhotos(ctx, tx, `remark_id IS NULL AND created_at < $2`, sent)
}
