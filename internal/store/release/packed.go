package release

import (
	"context"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// PackedFile is a compressed form of a content: Size bytes from Start in an object of the
// blob store. Size 0 means that compressing it is not worthwhile.
type PackedFile struct {
	SHA256 string // of the content
	Coding string // br, gzip
	Bundle string // hash of the object
	Start  int64
	Size   int64
}

// PackedFiles lists the known compressed forms of contents of the shop.
func PackedFiles(ctx context.Context, r store.Reader, hashes []string) ([]PackedFile, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT sha256, coding, bundle_sha256, start, size FROM packed_file WHERE company_id = $1 AND sha256 = ANY($2)`, r.Company, hashes)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[PackedFile])
}

// ReleasePacked lists the compressed forms of the files of a release.
func ReleasePacked(ctx context.Context, r store.Reader, id shop.ReleaseID) ([]PackedFile, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT sha256, coding, bundle_sha256, start, size FROM packed_file p WHERE company_id = $1 AND size > 0
		AND EXISTS (SELECT FROM release_file f WHERE f.company_id = $1 AND f.release_id = $2 AND f.sha256 = p.sha256)`, r.Company, id)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[PackedFile])
}

// RecordPacked records compressed forms of contents that the shop owns. An existing form is
// kept.
func RecordPacked(ctx context.Context, tx *store.Tx, forms []PackedFile) error {
	var hashes, codings, bundles []string
	var starts, sizes []int64
	for _, f := range forms {
		hashes, codings, bundles = append(hashes, f.SHA256), append(codings, f.Coding), append(bundles, f.Bundle)
		starts, sizes = append(starts, f.Start), append(sizes, f.Size)
	}
	_, err := tx.DB.Exec(ctx, `
		INSERT INTO packed_file (company_id, sha256, coding, bundle_sha256, start, size)
		SELECT $1, x.* FROM unnest($2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[]) AS x(sha256, coding, bundle, start, size)
		WHERE EXISTS (SELECT FROM blob b WHERE b.company_id = $1 AND b.sha256 = x.sha256)
		ON CONFLICT DO NOTHING`, tx.Company, hashes, codings, bundles, starts, sizes)
	return err
}
