package release

import (
	"context"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// ErrFolderNotFound is returned for an id that is not a section of type site, or a deleted
// one.
var ErrFolderNotFound = shop.Refuse(shop.NotFound, "SITE_FOLDER_NOT_FOUND").When("no section of the type site has this id")

// SiteSection returns the name of a section of type site that is not deleted.
func SiteSection(ctx context.Context, r store.Reader, id shop.CategoryID) (name string, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT name FROM category WHERE company_id = $1 AND id = $2 AND type = 'site' AND deleted_at IS NULL`, r.Company, id).Scan(&name)
	if store.NoRow(err) {
		err = ErrFolderNotFound
	}
	return name, err
}

// FolderUsage is the size of the releases of a site folder (document 3, 2.4).
type FolderUsage struct {
	ActiveBytes   int64 // over the paths of the active release
	RetainedBytes int64 // over the distinct stored files of all retained releases
	RetainedFiles int64
	Releases      int64
}

// GetFolderUsage adds up the releases of a document. A stored file is a content at a path: the
// same content at the same path in several releases counts once, the same bytes at two
// paths twice, so that one release is never larger than all of them together.
func GetFolderUsage(ctx context.Context, r store.Reader, doc shop.DocumentID, active shop.ReleaseID) (u FolderUsage, err error) {
	err = r.DB.QueryRow(ctx, `
		WITH kept AS (SELECT id FROM release WHERE company_id = $1 AND document_id = $2 AND deleted_at IS NULL),
		files AS (SELECT DISTINCT path, sha256, size FROM release_file
			WHERE company_id = $1 AND release_id IN (SELECT id FROM kept) AND NOT pending)
		SELECT (SELECT coalesce(sum(size), 0)::bigint FROM release_file WHERE company_id = $1 AND release_id = $3),
			(SELECT coalesce(sum(size), 0)::bigint FROM files), (SELECT count(*) FROM files), (SELECT count(*) FROM kept)`,
		r.Company, doc, active).Scan(&u.ActiveBytes, &u.RetainedBytes, &u.RetainedFiles, &u.Releases)
	return u, err
}

// LiveFolder is the release that visitors of a site section see.
type LiveFolder struct {
	Section  shop.CategoryID
	Document shop.DocumentID
	Release  shop.ReleaseID
	NoIndex  bool // its start page asks search engines not to index it
}

// LiveFolders lists the published folders of the shop. Folders have no preview (document 3,
// 4.2): a reader of the draft sees the live ones too.
func LiveFolders(ctx context.Context, r store.Reader) ([]LiveFolder, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT d.owner_id::integer, d.id, d.active_release_id, coalesce(l.noindex, false) FROM public.document d
		LEFT JOIN release l ON l.company_id = $1 AND l.id = d.active_release_id
		WHERE d.company_id = $1 AND d.kind = 'folder' AND d.owner_id <> 0 AND d.active_release_id <> 0 AND d.deleted_at IS NULL`, r.Company)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[LiveFolder])
}

// ManifestFile reads one entry of a release's manifest whose bytes are stored.
func ManifestFile(ctx context.Context, r store.Reader, id shop.ReleaseID, path string) (f ReleaseFile, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT path, sha256, size, mime, pending FROM release_file
		WHERE company_id = $1 AND release_id = $2 AND path = $3 AND NOT pending`, r.Company, id, path).
		Scan(&f.Path, &f.SHA256, &f.Size, &f.MIME, &f.Pending)
	if store.NoRow(err) {
		err = ErrReleaseNotFound.With("the release has no such file")
	}
	return f, err
}
