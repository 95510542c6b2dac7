package release

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/media"
)

// Refusals of documents and releases.
var (
	ErrDocumentNotFound = shop.Refuse(shop.NotFound, "HTML_DOCUMENT_NOT_FOUND").When("no html document of the shop has this id")
	ErrReleaseNotFound  = shop.Refuse(shop.NotFound, "RELEASE_NOT_FOUND").When("no release of the document has this id").At("release_id")
)

// Document is an owner of releases: an html document, a layout folder or a site folder
// (document 3, 2.3 and 2.4).
type Document struct {
	ID          shop.DocumentID
	Kind        shop.DocumentKind
	Owner       int64 // layout block or site category, 0 for html documents
	Name        string
	Description string
	Level       int
	Active      shop.ReleaseID // 0 before the first publish
	CreatedBy   shop.UserID
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

const documentColumns = `id, kind, owner_id, name, description, level, active_release_id, created_by, created_at, updated_at`

func scanDocument(row pgx.Row) (d Document, err error) {
	err = row.Scan(&d.ID, &d.Kind, &d.Owner, &d.Name, &d.Description, &d.Level, &d.Active, &d.CreatedBy, &d.CreatedAt, &d.UpdatedAt)
	if store.NoRow(err) {
		err = ErrDocumentNotFound
	}
	return d, err
}

// GetDocument reads a document of a kind, unless it is deleted.
func GetDocument(ctx context.Context, r store.Reader, kind shop.DocumentKind, id shop.DocumentID) (Document, error) {
	return scanDocument(r.DB.QueryRow(ctx, `
		SELECT `+documentColumns+` FROM document WHERE company_id = $1 AND id = $2 AND kind = $3 AND deleted_at IS NULL`, r.Company, id, kind))
}

// DocumentOf reads the document of a kind that belongs to an owner, such as the folder of a
// layout.
func DocumentOf(ctx context.Context, r store.Reader, kind shop.DocumentKind, owner int64) (Document, error) {
	return scanDocument(r.DB.QueryRow(ctx, `
		SELECT `+documentColumns+` FROM document WHERE company_id = $1 AND kind = $2 AND owner_id = $3 AND deleted_at IS NULL`,
		r.Company, kind, owner))
}

// DocumentKind returns the kind of a document; empty when there is none or it is deleted.
func DocumentKind(ctx context.Context, r store.Reader, id shop.DocumentID) (kind shop.DocumentKind, err error) {
	err = r.DB.QueryRow(ctx, `SELECT kind FROM document WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL`, r.Company, id).Scan(&kind)
	if store.NoRow(err) {
		err = nil
	}
	return kind, err
}

// LockDocument reads and locks a document for a change of it or of its releases.
func LockDocument(ctx context.Context, tx *store.Tx, kind shop.DocumentKind, id shop.DocumentID) (Document, error) {
	return scanDocument(tx.DB.QueryRow(ctx, `
		SELECT `+documentColumns+` FROM document WHERE company_id = $1 AND id = $2 AND kind = $3 AND deleted_at IS NULL FOR UPDATE`,
		tx.Company, id, kind))
}

// Documents lists the documents of a kind that are not deleted, newest first.
func Documents(ctx context.Context, r store.Reader, kind shop.DocumentKind) ([]Document, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT `+documentColumns+` FROM document WHERE company_id = $1 AND kind = $2 AND deleted_at IS NULL ORDER BY id DESC`, r.Company, kind)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Document, error) { return scanDocument(row) })
}

// ActiveReleases returns the live releases of those html documents that have one. The
// folders of layouts and sections are not mounted on pages.
func ActiveReleases(ctx context.Context, r store.Reader, ids []shop.DocumentID) (map[shop.DocumentID]shop.ReleaseID, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT id, active_release_id FROM document
		WHERE company_id = $1 AND id = ANY($2) AND kind = 'html' AND active_release_id <> 0 AND deleted_at IS NULL`, r.Company, ids)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	active := map[shop.DocumentID]shop.ReleaseID{}
	for rows.Next() {
		var id shop.DocumentID
		var release shop.ReleaseID
		if err := rows.Scan(&id, &release); err != nil {
			return nil, err
		}
		active[id] = release
	}
	return active, rows.Err()
}

// InsertDocument adds a document without releases.
func InsertDocument(ctx context.Context, tx *store.Tx, d *Document) error {
	return tx.DB.QueryRow(ctx, `
		INSERT INTO document (company_id, kind, owner_id, name, description, level, created_by) VALUES ($1, $2, $3, $4, $5, $6, $7)
		RETURNING id, created_at, updated_at`, tx.Company, d.Kind, d.Owner, d.Name, d.Description, d.Level, d.CreatedBy).
		Scan(&d.ID, &d.CreatedAt, &d.UpdatedAt)
}

// UpdateDocument changes name and description.
func UpdateDocument(ctx context.Context, tx *store.Tx, d Document) error {
	_, err := tx.DB.Exec(ctx, `
		UPDATE document SET name = $3, description = $4, updated_at = now() WHERE company_id = $1 AND id = $2`,
		tx.Company, d.ID, d.Name, d.Description)
	return err
}

// DeleteDocument soft-deletes a document with its releases: pages that mount it render
// nothing in its place, and its files answer 404.
func DeleteDocument(ctx context.Context, tx *store.Tx, id shop.DocumentID) error {
	tx.Changed(shop.Key{Kind: shop.KeyDocument, ID: int64(id)})
	if _, err := tx.DB.Exec(ctx, `UPDATE document SET deleted_at = now() WHERE company_id = $1 AND id = $2`, tx.Company, id); err != nil {
		return err
	}
	if err := media.UpdateCanvasGalleries(ctx, tx, []shop.DocumentID{id}, nil); err != nil { // they fall back to their own items
		return err
	}
	return DeleteReleases(ctx, tx, `document_id = $2`, id)
}

// DeleteReleases deletes the releases that match a condition on $2, and removes blobs that
// nothing else uses from the shop's account.
func DeleteReleases(ctx context.Context, tx *store.Tx, condition string, arg any) error {
	rows, err := tx.DB.Query(ctx, `
		WITH gone AS (UPDATE release SET deleted_at = now() WHERE company_id = $1 AND deleted_at IS NULL AND `+condition+` RETURNING id)
		SELECT DISTINCT f.sha256 FROM release_file f WHERE f.company_id = $1 AND f.release_id IN (SELECT id FROM gone)`, tx.Company, arg)
	if err != nil {
		return err
	}
	hashes, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	return media.DisownBlobs(ctx, tx, hashes)
}

// Release is one snapshot of a document's files (document 3, 2.3 and 9).
type Release struct {
	ID          shop.ReleaseID
	Document    shop.DocumentID
	Note        string
	WasLive     bool
	Report      json.RawMessage
	Title       string // from the document's head, for the page's SEO
	Description string
	NoIndex     bool // the start page of a site folder asks search engines not to index it
	CreatedBy   shop.UserID
	CreatedAt   time.Time
	PublishedAt *time.Time
}

const releaseColumns = `id, document_id, note, was_live, report, seo_title, seo_text, noindex, created_by, created_at, published_at`

func scanRelease(row pgx.Row) (r Release, err error) {
	err = row.Scan(
		&r.ID, &r.Document, &r.Note, &r.WasLive, &r.Report, &r.Title, &r.Description, &r.NoIndex, &r.CreatedBy, &r.CreatedAt,
		&r.PublishedAt,
	)
	if store.NoRow(err) {
		err = ErrReleaseNotFound
	}
	return r, err
}

// GetRelease reads a retained release of a document.
func GetRelease(ctx context.Context, r store.Reader, doc shop.DocumentID, id shop.ReleaseID) (Release, error) {
	return scanRelease(r.DB.QueryRow(ctx, `
		SELECT `+releaseColumns+` FROM release WHERE company_id = $1 AND document_id = $2 AND id = $3 AND deleted_at IS NULL`,
		r.Company, doc, id))
}

// Validated reports whether the release was ever published, even if only in the draft.
func (r Release) Validated() bool { return string(r.Report) != "{}" }

// Releases lists the newest retained releases of a document.
func Releases(ctx context.Context, r store.Reader, doc shop.DocumentID, limit int) ([]Release, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT `+releaseColumns+` FROM release WHERE company_id = $1 AND document_id = $2 AND deleted_at IS NULL ORDER BY id DESC LIMIT $3`,
		r.Company, doc, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Release, error) { return scanRelease(row) })
}

// ReleaseFile is one entry of a release's manifest.
type ReleaseFile struct {
	Path    string
	SHA256  string
	Size    int64
	MIME    string
	Pending bool // the bytes have not been uploaded yet
}

// ReleaseFiles returns the manifest of a release, sorted by path.
func ReleaseFiles(ctx context.Context, r store.Reader, id shop.ReleaseID) ([]ReleaseFile, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT path, sha256, size, mime, pending FROM release_file WHERE company_id = $1 AND release_id = $2 ORDER BY path`, r.Company, id)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[ReleaseFile])
}

// GetReleaseFile finds one file of a retained release of a document by its exact path. It does
// not find pending files, nor those of site folders: the shop serves these only in their
// sandbox (document 3, 4.2).
func GetReleaseFile(ctx context.Context, r store.Reader, doc shop.DocumentID, id shop.ReleaseID, path string) (f ReleaseFile, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT f.path, f.sha256, f.size, f.mime, f.pending FROM release_file f
		JOIN release r ON r.company_id = $1 AND r.id = f.release_id AND r.document_id = $2 AND r.deleted_at IS NULL
		JOIN document d ON d.company_id = $1 AND d.id = $2 AND d.kind <> 'folder'
		WHERE f.company_id = $1 AND f.release_id = $3 AND f.path = $4 AND NOT f.pending`, r.Company, doc, id, path).
		Scan(&f.Path, &f.SHA256, &f.Size, &f.MIME, &f.Pending)
	if store.NoRow(err) {
		err = ErrReleaseNotFound
	}
	return f, err
}

// PendingFile is a file that waits for its bytes, found by its upload address.
type PendingFile struct {
	Company shop.CompanyID
	Release shop.ReleaseID
	Path    string
	SHA256  string
	Size    int64
	Pending bool
	Since   time.Time // when the release was created
}

// PendingUpload finds the file for an upload address, by the hash of its secret. It finds
// nothing for deleted releases and shops.
func PendingUpload(ctx context.Context, s *store.Store, hash []byte) (f PendingFile, found bool, err error) {
	err = s.Pool.QueryRow(ctx, `
		SELECT f.company_id, f.release_id, f.path, f.sha256, f.size, f.pending, r.created_at FROM release_file f
		JOIN release r ON r.company_id = f.company_id AND r.id = f.release_id AND r.deleted_at IS NULL
		WHERE f.upload_hash = $1 AND `+store.LiveShop("f.company_id"), hash).
		Scan(&f.Company, &f.Release, &f.Path, &f.SHA256, &f.Size, &f.Pending, &f.Since)
	if store.NoRow(err) {
		return f, false, nil
	}
	return f, err == nil, err
}

// NewReleaseFile is a manifest entry to be stored. With an UploadHash it waits for its
// bytes; an entry that is Pending without one shares the bytes of an entry that has one.
type NewReleaseFile struct {
	ReleaseFile
	UploadHash []byte
}

// InsertRelease adds a release with its whole manifest.
func InsertRelease(ctx context.Context, tx *store.Tx, r *Release, files []NewReleaseFile) error {
	err := tx.DB.QueryRow(ctx, `
		INSERT INTO release (company_id, document_id, note, created_by) VALUES ($1, $2, $3, $4) RETURNING id, created_at`,
		tx.Company, r.Document, r.Note, r.CreatedBy).Scan(&r.ID, &r.CreatedAt)
	if err != nil {
		return err
	}
	_, err = tx.PG.CopyFrom(ctx, pgx.Identifier{"release_file"},
		[]string{"company_id", "release_id", "path", "sha256", "size", "mime", "pending", "upload_hash"},
		pgx.CopyFromSlice(len(files), func(i int) ([]any, error) {
			f := files[i]
			return []any{int32(tx.Company), int64(r.ID), f.Path, f.SHA256, f.Size, f.MIME, f.Pending || f.UploadHash != nil, f.UploadHash}, nil
		}))
	return err
}

// AddReleaseFiles adds stored files generated by the platform to a release. A path that the
// release already has keeps the author's file.
func AddReleaseFiles(ctx context.Context, tx *store.Tx, id shop.ReleaseID, files []ReleaseFile) error {
	for _, f := range files {
		tag, err := tx.DB.Exec(ctx, `
			INSERT INTO release_file (company_id, release_id, path, sha256, size, mime) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT DO NOTHING`, tx.Company, id, f.Path, f.SHA256, f.Size, f.MIME)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			continue
		}
		if err := media.OwnBlob(ctx, tx, f.SHA256, f.Size); err != nil {
			return err
		}
	}
	return nil
}

// SetReleaseFileTypes sets the content types of files of a release by path.
func SetReleaseFileTypes(ctx context.Context, tx *store.Tx, id shop.ReleaseID, types map[string]string) error {
	if len(types) == 0 {
		return nil
	}
	var paths, mimes []string
	for path, mime := range types {
		paths, mimes = append(paths, path), append(mimes, mime)
	}
	_, err := tx.DB.Exec(ctx, `
		UPDATE release_file f SET mime = t.mime FROM unnest($3::text[], $4::text[]) t (path, mime)
		WHERE f.company_id = $1 AND f.release_id = $2 AND f.path = t.path AND f.mime <> t.mime`, tx.Company, id, paths, mimes)
	return err
}

// MarkReleaseFileUploaded records that the bytes of a pending file are stored. The address stays
// valid for a repeated PUT of the same bytes.
func MarkReleaseFileUploaded(ctx context.Context, tx *store.Tx, f PendingFile) error {
	var id shop.ReleaseID // locked: a concurrent deletion would leave the bytes on the account
	err := tx.DB.QueryRow(ctx, `
		SELECT id FROM release WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL FOR SHARE`, tx.Company, f.Release).Scan(&id)
	if store.NoRow(err) {
		return ErrReleaseNotFound
	}
	if err != nil {
		return err
	}
	if err := media.OwnBlob(ctx, tx, f.SHA256, f.Size); err != nil {
		return err
	}
	_, err = tx.DB.Exec(ctx, `
		UPDATE release_file SET pending = false WHERE company_id = $1 AND release_id = $2 AND sha256 = $3`, tx.Company, f.Release, f.SHA256)
	return err
}

// Activate makes a release the active one of a document; it is live from then on. A release
// activated in a draft has not been seen by visitors yet.
func Activate(ctx context.Context, tx *store.Tx, doc shop.DocumentID, r Release) error {
	tx.Changed(shop.Key{Kind: shop.KeyDocument, ID: int64(doc)})
	if _, err := tx.DB.Exec(ctx, `
		UPDATE release SET was_live = was_live OR $7, report = $4, seo_title = $5, seo_text = $6, noindex = $8,
			published_at = CASE WHEN $7 THEN coalesce(published_at, now()) ELSE published_at END
		WHERE company_id = $1 AND document_id = $2 AND id = $3`,
		tx.Company, doc, r.ID, r.Report, r.Title, r.Description, !tx.Draft(), r.NoIndex); err != nil {
		return err
	}
	_, err := tx.DB.Exec(ctx, `
		UPDATE document SET active_release_id = $3, updated_at = now() WHERE company_id = $1 AND id = $2`, tx.Company, doc, r.ID)
	if err != nil {
		return err
	}
	return media.UpdateCanvasGalleries(ctx, tx, []shop.DocumentID{doc}, nil)
}

// DeleteRelease deletes a release that is not active; its addresses answer 404.
func DeleteRelease(ctx context.Context, tx *store.Tx, doc shop.DocumentID, id shop.ReleaseID) error {
	tx.Changed(shop.Key{Kind: shop.KeyDocument, ID: int64(doc)})
	return DeleteReleases(ctx, tx, `id = $2`, id)
}
