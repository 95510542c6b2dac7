package media

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// ErrStorageLimit is returned for bytes beyond the plan's storage_bytes (document 1,
// section 7).
var ErrStorageLimit = shop.Refuse(shop.ResourceExhausted, "STORAGE_LIMIT_REACHED").
	When("the storage of the plan is full").
	WithField("limit_code", store.LimitStorage)

// StorageFull returns ErrStorageLimit with figures, for a shop that would hold more bytes
// than its limit.
func StorageFull(wouldHold, limit int64) error {
	return ErrStorageLimit.With(
		fmt.Sprintf("the shop would hold %d of %d bytes; delete files and unused releases", wouldHold, limit),
	)
}

// OwnBlob records that the shop owns a blob. Bytes that are new to the shop count against
// its plan and may return ErrStorageLimit; bytes that it already owns are free.
func OwnBlob(ctx context.Context, tx *store.Tx, sha string, size int64) error {
	return OwnBlobs(ctx, tx, map[string]int64{sha: size})
}

// OwnBlobs records that the shop owns blobs of these sizes: all of them or, over the
// plan's limit, none. Concurrent writers of one shop are serialised, so that two uploads
// cannot both pass the check.
func OwnBlobs(ctx context.Context, tx *store.Tx, blobs map[string]int64) error {
	if err := tx.LockStorage(ctx); err != nil {
		return err
	}
	hashes, sizes := make([]string, 0, len(blobs)), make([]int64, 0, len(blobs))
	for sha, size := range blobs {
		hashes, sizes = append(hashes, sha), append(sizes, size)
	}
	tag, err := tx.DB.Exec(ctx, `
		INSERT INTO blob (company_id, sha256, size) SELECT $1, * FROM unnest($2::text[], $3::bigint[]) ON CONFLICT DO NOTHING`,
		tx.Company, hashes, sizes)
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return nil
	}
	planRoom, _, err := storageLeft(ctx, tx)
	if err == nil && planRoom < 0 {
		err = checkStorage(ctx, tx)
	}
	return err
}

// Storage returns how many bytes the shop owns and may own; limit 0 means no limit.
func Storage(ctx context.Context, r store.Reader) (used, limit int64, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT (SELECT coalesce(sum(size), 0)::bigint FROM blob WHERE company_id = $1), coalesce((limits->>'storage_bytes')::bigint, 0)
		FROM company WHERE id = $1`, r.Company).Scan(&used, &limit)
	return used, limit, err
}

// DisownBlobs removes blobs from the shop's account unless a live file, a retained release or
// a lead uses them. Their bytes count as pending until they are deleted, unless another
// shop has them.
func DisownBlobs(ctx context.Context, tx *store.Tx, hashes []string) error {
	if err := tx.LockStorage(ctx); err != nil {
		return err
	}
	tag, err := tx.DB.Exec(ctx, `
		WITH gone AS (DELETE FROM blob b WHERE b.company_id = $1 AND b.sha256 = ANY($2)
		AND NOT EXISTS (SELECT 1 FROM media_file f
			WHERE f.company_id = $1 AND f.deleted_at IS NULL AND f.status = 'stored' AND b.sha256 IN (f.sha256, f.original_sha256))
		AND NOT EXISTS (SELECT 1 FROM form_file f WHERE f.company_id = $1 AND f.sha256 = b.sha256)
		AND NOT EXISTS (SELECT 1 FROM release_file f JOIN release r ON r.company_id = $1 AND r.id = f.release_id AND r.deleted_at IS NULL
			WHERE f.company_id = $1 AND f.sha256 = b.sha256 AND NOT f.pending)
			RETURNING sha256, size)
		INSERT INTO blob_reservation (company_id, sha256, size, until) SELECT $1, sha256, size, '-infinity' FROM gone`, tx.Company, hashes)
	tx.BytesFreed = tx.BytesFreed || tag.RowsAffected() > 0
	return err
}

// OwnedBlobs returns which of the hashes are blobs of this shop, with their sizes. Blobs of
// other shops are left out: a hash must not reveal that they exist.
func OwnedBlobs(ctx context.Context, r store.Reader, hashes []string) (map[string]int64, error) {
	rows, err := r.DB.Query(ctx, `SELECT sha256, size FROM blob WHERE company_id = $1 AND sha256 = ANY($2)`, r.Company, hashes)
	if err != nil {
		return nil, err
	}
	owned := map[string]int64{}
	var sha string
	var size int64
	_, err = pgx.ForEachRow(rows, []any{&sha, &size}, func() error {
		owned[sha] = size
		return nil
	})
	return owned, err
}

// RefuseMissing refuses ids for which no permitted file was found.
func RefuseMissing(ids, found []uuid.UUID) error {
	for i, id := range ids {
		if !slices.Contains(found, id) {
			return ErrFileNotFound.At("file_ids[" + strconv.Itoa(i) + "]").With(id.String())
		}
	}
	return nil
}
