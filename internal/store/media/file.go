package media

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// ErrFileNotFound is returned for missing and deleted files and for those of other shops.
var ErrFileNotFound = shop.Refuse(shop.NotFound, "FILE_NOT_FOUND").When("no file of the shop has this id")

// The states of a file.
const (
	FileRequested = "requested" // announced, no bytes yet
	FileUploaded  = "uploaded"  // bytes uploaded, not yet checked
	FileStored    = "stored"    // served
)

// File is the row of a file of the media library (document 1, 2.5).
type File struct {
	ID             uuid.UUID
	UploadID       uuid.UUID
	Section        string
	Type           string
	Name           string // as the owner named it
	Alt            string // alternative text; empty: not set
	Status         string
	Path           string // below /files/
	SHA256         string // of the served bytes
	OriginalSHA256 string // of the uploaded bytes
	Size           int64
	MIME           string
	Width, Height  int
	CreatedBy      shop.UserID
	CreatedAt      time.Time
	UpdatedAt      time.Time  // by an edit: of its name, text or bytes
	Replaces       *uuid.UUID // the file whose bytes this upload replaces
	Revision       int        // from 1; each has its own path
	PreferOriginal bool       // served as uploaded, not converted

	Buyer  *shop.UserID   // the buyer whose review picture this is; nil: a file of the library
	Remark *shop.RemarkID // the review it belongs to; nil: none yet
}

// FileColumns are the columns that ScanFile reads.
const FileColumns = `id, upload_id, section, file_type, original_name, alt, status, path, sha256, original_sha256, size, mime, width, height, created_by, created_at, updated_at,
	replaces, revision, prefer_original, person_id, remark_id`

// ScanFile reads FileColumns; it is ErrFileNotFound without a row.
func ScanFile(row pgx.Row) (File, error) {
	var f File
	err := row.Scan(&f.ID, &f.UploadID, &f.Section, &f.Type, &f.Name, &f.Alt, &f.Status, &f.Path, &f.SHA256, &f.OriginalSHA256, &f.Size,
		&f.MIME, &f.Width, &f.Height, &f.CreatedBy, &f.CreatedAt, &f.UpdatedAt, &f.Replaces, &f.Revision, &f.PreferOriginal, &f.Buyer, &f.Remark)
	if store.NoRow(err) {
		return f, ErrFileNotFound
	}
	return f, err
}

// InLibrary is a condition: the row is a file of the library, not deleted and not a buyer's
// picture.
const InLibrary = `deleted_at IS NULL AND person_id IS NULL`

// GetFile reads a file of the library by id.
func GetFile(ctx context.Context, r store.Reader, id uuid.UUID) (File, error) {
	return ScanFile(r.DB.QueryRow(ctx, `SELECT `+FileColumns+` FROM media_file WHERE company_id = $1 AND id = $2 AND `+InLibrary, r.Company, id))
}

// FileByUpload reads a file of the library by its upload id.
func FileByUpload(ctx context.Context, r store.Reader, upload uuid.UUID) (File, error) {
	return ScanFile(r.DB.QueryRow(ctx, `
		SELECT `+FileColumns+` FROM media_file WHERE company_id = $1 AND upload_id = $2 AND `+InLibrary, r.Company, upload))
}

// FileByPath reads a stored file by its public path below /files/, or a picture of a site
// folder by its shop.FolderPicture. It also accepts paths that a file had before, when it
// was announced or with other bytes; then the returned Path differs.
func FileByPath(ctx context.Context, r store.Reader, path string) (File, error) {
	if section, sha, ok := shop.ReadFolderPicture(path); ok {
		f, err := folderImage(ctx, r, section, sha)
		f.Path = path // named by its content, so the path never changes
		return f, err
	}
	f, err := fileAt(ctx, r, path)
	if !errors.Is(err, ErrFileNotFound) {
		return f, err
	}
	parts := pathPattern.FindStringSubmatch(path)
	if parts == nil {
		return f, err
	}
	section, revision := parts[1], parts[3]
	id, parseErr := uuid.Parse(parts[2])
	if parseErr != nil {
		return f, err
	}
	f, err = GetFile(ctx, r, id)
	if n, _ := strconv.Atoi(revision); err == nil && (f.Status != FileStored || f.Section != section || n > f.Revision) {
		err = ErrFileNotFound
	}
	return f, err
}

// pathPattern matches any path that a file may have had: its section, its id, the revision of
// its bytes from the second on, and one extension.
var pathPattern = regexp.MustCompile(`^([a-z0-9_-]+)/([0-9a-f-]{36})(?:-([1-9][0-9]{0,8}))?\.[a-z0-9]{1,10}$`)

// fileAt returns the file that has this path now. The picture of a buyer has a path only
// while its review is shown.
func fileAt(ctx context.Context, r store.Reader, path string) (File, error) {
	return ScanFile(r.DB.QueryRow(ctx, `
		SELECT `+FileColumns+` FROM media_file f WHERE company_id = $1 AND path = $2 AND deleted_at IS NULL AND status = 'stored'
			AND (person_id IS NULL OR EXISTS (SELECT FROM remark r WHERE r.company_id = $1 AND r.id = f.remark_id AND r.status = 'approved'))`,
		r.Company, path))
}

// FileFilter restricts a list of stored files; empty fields don't restrict.
type FileFilter struct {
	Section       string
	Type          string
	Query         string // part of the name
	Collection    CollectionID
	Number, Limit int
}

// Files returns one page of the shop's stored files and the total of all pages: newest
// first, and those of a collection in its order.
func Files(ctx context.Context, r store.Reader, f FileFilter) (list []File, total int, err error) {
	rows, err := r.DB.Query(ctx, `
		SELECT count(*) OVER (), `+FileColumns+` FROM media_file f
		LEFT JOIN LATERAL (SELECT sort_order AS place FROM collection_file l
			WHERE l.company_id = $1 AND l.collection_id = $7 AND l.file_id = f.id) l ON $7 <> 0
		WHERE company_id = $1 AND `+InLibrary+` AND status = 'stored' AND ($2 = '' OR section = $2) AND ($3 = '' OR file_type = $3)
		AND ($4 = '' OR CASE WHEN company_id = $1 THEN strpos(lower(original_name), lower($4)) > 0 END) AND ($7::bigint = 0 OR place IS NOT NULL)
		ORDER BY place, created_at DESC, id LIMIT $5 OFFSET $6`,
		r.Company, f.Section, f.Type, f.Query, f.Limit, (f.Number-1)*f.Limit, f.Collection)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		file, err := ScanFile(store.Prefixed(rows, &total))
		if err != nil {
			return nil, 0, err
		}
		list = append(list, file)
	}
	return list, total, rows.Err()
}

// FileUpload finds the shop and the file for a secret upload address, in any status unless
// the file or the shop is deleted.
func FileUpload(ctx context.Context, s *store.Store, upload uuid.UUID, hash []byte) (company shop.CompanyID, f File, err error) {
	row := s.Pool.QueryRow(ctx, `
		SELECT company_id, `+FileColumns+` FROM media_file WHERE upload_id = $1 AND upload_hash = $2 AND deleted_at IS NULL
			AND `+store.LiveShop("company_id"), upload, hash)
	f, err = ScanFile(store.Prefixed(row, &company))
	return company, f, err
}

// RequestFile adds a file that waits for its bytes. When the bytes are known, StoreFile
// follows at once.
func RequestFile(ctx context.Context, tx *store.Tx, f *File, uploadHash []byte) error {
	return tx.DB.QueryRow(ctx, `
		INSERT INTO media_file (company_id, id, upload_id, upload_hash, section, file_type, original_name, path, created_by, created_at, replaces, original_sha256, person_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING updated_at`,
		tx.Company, f.ID, f.UploadID, uploadHash, f.Section, f.Type, f.Name, f.Path, f.CreatedBy, f.CreatedAt, f.Replaces, f.OriginalSHA256, f.Buyer).Scan(&f.UpdatedAt)
}

// UploadArrived records the bytes of a PUT; bytes of an earlier PUT are released. The file
// is not served yet. It reports whether the upload was still open.
func UploadArrived(ctx context.Context, tx *store.Tx, id uuid.UUID, sha string, size int64) (open bool, err error) {
	old, err := LockFileWhere(ctx, tx, id, "deleted_at IS NULL")
	if errors.Is(err, ErrFileNotFound) || err == nil && old.Status == FileStored {
		return false, nil
	}
	if err == nil && old.Status == FileUploaded && old.OriginalSHA256 != sha {
		err = ReleaseBytes(ctx, tx, old.OriginalSHA256, old.Size)
	}
	if err != nil {
		return false, err
	}
	_, err = tx.DB.Exec(ctx, `
		UPDATE media_file SET status = 'uploaded', original_sha256 = $3, size = $4 WHERE company_id = $1 AND id = $2`, tx.Company, id, sha, size)
	return true, err
}

// MarkFileOversize records that more than size bytes were sent and discarded, so that the
// confirmation can report it. Bytes that arrived earlier stay.
func MarkFileOversize(ctx context.Context, tx *store.Tx, id uuid.UUID, size int64) error {
	_, err := tx.DB.Exec(ctx, `
		UPDATE media_file SET size = $3 WHERE company_id = $1 AND id = $2 AND status = 'requested'`, tx.Company, id, size)
	return err
}

// LockFile reads and locks a file of the library for update.
func LockFile(ctx context.Context, tx *store.Tx, id uuid.UUID) (File, error) {
	return LockFileWhere(ctx, tx, id, InLibrary)
}

// LockFileWhere is LockFile for a file that meets an SQL condition.
func LockFileWhere(ctx context.Context, tx *store.Tx, id uuid.UUID, condition string) (File, error) {
	return ScanFile(tx.DB.QueryRow(ctx, `
		SELECT `+FileColumns+` FROM media_file WHERE company_id = $1 AND id = $2 AND `+condition+` FOR UPDATE`, tx.Company, id))
}

// StoreFile makes a file public with its served bytes, and counts the blobs it uses.
func StoreFile(ctx context.Context, tx *store.Tx, f *File, blobs map[string]int64) error {
	if err := OwnBlobs(ctx, tx, blobs); err != nil {
		return err
	}
	return tx.DB.QueryRow(ctx, `
		UPDATE media_file SET status = 'stored', path = $3, sha256 = $4, size = $5, mime = $6, width = $7, height = $8, updated_at = now()
		WHERE company_id = $1 AND id = $2 RETURNING updated_at`, tx.Company, f.ID, f.Path, f.SHA256, f.Size, f.MIME, f.Width, f.Height).Scan(&f.UpdatedAt)
}

// ReviseFile gives a stored file other bytes and the matching path; pages are rendered
// again. Blobs that only the old bytes used no longer count against the plan, the new ones
// do.
func ReviseFile(ctx context.Context, tx *store.Tx, old File, f *File, blobs map[string]int64) error {
	tx.ChangedLive(shop.Key{Kind: shop.KeyDesign}) // files have no draft
	err := tx.DB.QueryRow(ctx, `
		UPDATE media_file SET original_name = $3, path = $4, sha256 = $5, original_sha256 = $6, size = $7, mime = $8, width = $9, height = $10,
			revision = $11, prefer_original = $12, updated_at = now()
		WHERE company_id = $1 AND id = $2 RETURNING updated_at`,
		tx.Company, f.ID, f.Name, f.Path, f.SHA256, f.OriginalSHA256, f.Size, f.MIME, f.Width, f.Height, f.Revision, f.PreferOriginal).Scan(&f.UpdatedAt)
	if err == nil {
		err = recordFaceChange(ctx, tx, f.ID)
	}
	if err == nil {
		err = DisownBlobs(ctx, tx, []string{old.SHA256, old.OriginalSHA256})
	}
	if err == nil {
		err = OwnBlobs(ctx, tx, blobs)
	}
	return err
}

// FinishReplacement ends a replacement: it deletes the replacement's row and gives its upload id
// to the replaced file.
func FinishReplacement(ctx context.Context, tx *store.Tx, replacement File) error {
	var hash []byte
	err := tx.DB.QueryRow(ctx, `
		DELETE FROM media_file WHERE company_id = $1 AND id = $2 RETURNING upload_hash`, tx.Company, replacement.ID).Scan(&hash)
	if err != nil {
		return err
	}
	_, err = tx.DB.Exec(ctx, `
		UPDATE media_file SET upload_id = $3, upload_hash = $4 WHERE company_id = $1 AND id = $2`,
		tx.Company, replacement.Replaces, replacement.UploadID, hash)
	return err
}

// RenameFile changes the name that the owner sees; the path stays.
func RenameFile(ctx context.Context, tx *store.Tx, f *File, name string) error {
	return tx.DB.QueryRow(ctx, `
		UPDATE media_file SET original_name = $3, updated_at = now() WHERE company_id = $1 AND id = $2 RETURNING original_name, updated_at`,
		tx.Company, f.ID, name).Scan(&f.Name, &f.UpdatedAt)
}

// SetFileAlt sets the alternative text of a picture. Since any page may show it, all are
// rendered again.
func SetFileAlt(ctx context.Context, tx *store.Tx, f *File, alt string) error {
	tx.ChangedLive(shop.Key{Kind: shop.KeyDesign}) // files have no draft
	return tx.DB.QueryRow(ctx, `
		UPDATE media_file SET alt = $3, updated_at = now() WHERE company_id = $1 AND id = $2 RETURNING alt, updated_at`,
		tx.Company, f.ID, alt).Scan(&f.Alt, &f.UpdatedAt)
}

// DeleteFile soft-deletes a file. Its path answers 404 and pages, any of which may have
// shown it, are rendered without it. Bytes that nothing else uses no longer count against
// the plan.
func DeleteFile(ctx context.Context, tx *store.Tx, f File, at time.Time) error {
	tx.ChangedLive(shop.Key{Kind: shop.KeyDesign}, shop.Key{Kind: shop.KeyGallery}) // files have no draft
	tag, err := tx.DB.Exec(ctx, `
		WITH links AS (DELETE FROM collection_file WHERE company_id = $1 AND file_id = $2),
		gone AS (UPDATE media_file SET deleted_at = $3 WHERE company_id = $1 AND (id = $2 OR replaces = $2) AND deleted_at IS NULL
			RETURNING status, original_sha256, size)
		INSERT INTO blob_reservation (company_id, sha256, size, until) SELECT $1, original_sha256, size, '-infinity' FROM gone
			WHERE status = 'uploaded'`,
		tx.Company, f.ID, at)
	if err == nil {
		err = recordFaceChange(ctx, tx, f.ID)
	}
	if err != nil {
		return err
	}
	tx.BytesFreed = tx.BytesFreed || tag.RowsAffected() > 0
	return DisownBlobs(ctx, tx, []string{f.SHA256, f.OriginalSHA256})
}
