package sitefile

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

// Refusals of site files (document 3, section 7).
var (
	ErrNotFound   = shop.Refuse(shop.NotFound, "SITE_FILE_NOT_FOUND").When("no site file of the shop has this id")
	ErrCategory   = shop.Refuse(shop.NotFound, "SITE_FILE_CATEGORY_NOT_FOUND").When("category_id is neither 0 nor a section of the shop")
	ErrPathTaken  = shop.Refuse(shop.AlreadyExists, "SITE_FILE_PATH_TAKEN").When("another file of the section has this name, in any case")
	ErrNotCurrent = shop.Refuse(shop.AlreadyExists, "SITE_FILE_VERSION_CONFLICT").When("know_version differs from the file's row_version")
	ErrLimit      = shop.Refuse(shop.ResourceExhausted, "SITE_FILE_LIMIT_REACHED").When("the plan allows no more site files").WithField("limit_code", store.LimitSiteFiles)
)

// SiteFile is the row of a site file (document 3, 2.5).
type SiteFile struct {
	ID          shop.SiteFileID
	Category    shop.CategoryID // 0: the root of the host
	Name        string
	Body        string // in lists only of .yml files, whose type depends on it
	Size        int64  // of the body
	IsPublished bool
	InSitemap   bool
	NoIndex     bool  // the text asks search engines not to index the file
	Version     int64 // incremented by every change
	CreatedAt   time.Time
	UpdatedAt   time.Time
	LastBuild   *Build // nil: never built; read only
}

// BuildState is the outcome of a build.
type BuildState string

// Values lists the outcomes.
func (BuildState) Values() []string { return []string{BuildGood, BuildKept, BuildFailed} }

// The outcomes of a build.
const (
	BuildGood   = "good"   // the file is served as it was built
	BuildKept   = "kept"   // the result is suspicious, and the last good copy is served
	BuildFailed = "failed" // the build failed; an unedited file is served as its last good copy
)

// Build is the result of the latest build of a file.
type Build struct {
	State       string
	At          time.Time
	Items       int // distinct products
	Bytes       int64
	Version     int64  // of the built file
	ShopVersion int64  // of the catalogue used by the build
	Errors      []byte // JSON lists
	Warnings    []byte
}

const siteFileColumns = `f.id, f.category_id, f.name, octet_length(f.body), f.is_published, f.in_sitemap, f.noindex, f.row_version, f.created_at, f.updated_at,
	b.state, b.at, b.items, b.bytes, b.row_version, b.shop_version, b.errors, b.warnings`

const siteFileRows = ` FROM site_file f LEFT JOIN site_file_build b ON b.company_id = $1 AND b.file_id = f.id
	WHERE f.company_id = $1 AND f.deleted_at IS NULL`

func scanSiteFile(row pgx.Row) (f SiteFile, err error) {
	var state *string
	var at *time.Time
	var items *int
	var bytes, version, shopVersion *int64
	var errs, warnings []byte
	err = row.Scan(&f.ID, &f.Category, &f.Name, &f.Size, &f.IsPublished, &f.InSitemap, &f.NoIndex, &f.Version, &f.CreatedAt, &f.UpdatedAt,
		&state, &at, &items, &bytes, &version, &shopVersion, &errs, &warnings)
	if store.NoRow(err) {
		return f, ErrNotFound
	}
	if state != nil {
		f.LastBuild = &Build{
			State: *state, At: *at, Items: *items, Bytes: *bytes, Version: *version, ShopVersion: *shopVersion, Errors: errs, Warnings: warnings,
		}
	}
	return f, err
}

// scanWithBody scans a file with the body as the first column.
func scanWithBody(row pgx.Row) (SiteFile, error) {
	var body string
	f, err := scanSiteFile(store.Prefixed(row, &body))
	f.Body = body
	return f, err
}

// List lists the files that are not deleted without their bodies, by category, then
// name.
func List(ctx context.Context, r store.Reader) ([]SiteFile, error) {
	rows, err := r.DB.Query(ctx, `SELECT CASE WHEN f.name LIKE '%.yml' THEN f.body ELSE '' END, `+siteFileColumns+siteFileRows+`
		ORDER BY f.category_id, lower(f.name), f.id`, r.Company)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (SiteFile, error) { return scanWithBody(row) })
}

// Get reads one file with its body, or returns SITE_FILE_NOT_FOUND.
func Get(ctx context.Context, r store.Reader, id shop.SiteFileID) (SiteFile, error) {
	return scanWithBody(r.DB.QueryRow(ctx, `SELECT f.body, `+siteFileColumns+siteFileRows+` AND f.id = $2`, r.Company, id))
}

// Lock reads and locks one file for update.
func Lock(ctx context.Context, tx *store.Tx, id shop.SiteFileID) (SiteFile, error) {
	return scanWithBody(tx.DB.QueryRow(ctx, `SELECT f.body, `+siteFileColumns+siteFileRows+` AND f.id = $2 FOR UPDATE OF f`, tx.Company, id))
}

// Address holds the fields of a site file that determine addresses.
type Address struct {
	ID          shop.SiteFileID
	Category    shop.CategoryID
	Name        string
	IsPublished bool
	InSitemap   bool
	NoIndex     bool
	Version     int64
	Modified    int64 // in seconds since 1970
}

// Addresses returns every file that is not deleted for the compiler, by id.
func Addresses(ctx context.Context, r store.Reader) ([]Address, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT id, category_id, name, is_published, in_sitemap, noindex, row_version, `+catalog.Modified+` FROM site_file
		WHERE company_id = $1 AND deleted_at IS NULL ORDER BY id`, r.Company)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Address])
}

// Insert adds a file within the plan limit (0: none). The caller holds LockTree, so
// that the section cannot be deleted meanwhile and the last free place of the plan is not
// taken twice.
func Insert(ctx context.Context, tx *store.Tx, f *SiteFile, limit int64, by shop.UserID) error {
	if limit > 0 {
		var count int64
		err := tx.DB.QueryRow(ctx, `SELECT count(*) FROM site_file WHERE company_id = $1 AND deleted_at IS NULL`, tx.Company).Scan(&count)
		if err != nil {
			return err
		}
		if count >= limit {
			return ErrLimit
		}
	}
	tx.Changed(shop.Key{Kind: shop.KeyFiles})
	row := tx.DB.QueryRow(ctx, `
		INSERT INTO site_file (company_id, category_id, name, body, is_published, in_sitemap, noindex, created_by, updated_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8) RETURNING id, row_version, octet_length(body), created_at, updated_at`,
		tx.Company, f.Category, f.Name, f.Body, f.IsPublished, f.InSitemap, f.NoIndex, by)
	return refuseTakenPath(row.Scan(&f.ID, &f.Version, &f.Size, &f.CreatedAt, &f.UpdatedAt))
}

// Update writes the whole row and increments its version.
func Update(ctx context.Context, tx *store.Tx, f *SiteFile, by shop.UserID) error {
	tx.Changed(shop.Key{Kind: shop.KeyFiles})
	row := tx.DB.QueryRow(ctx, `
		UPDATE site_file SET category_id = $3, name = $4, body = $5, is_published = $6, in_sitemap = $7, noindex = $8, updated_by = $9,
			row_version = row_version + 1, updated_at = now()
		WHERE company_id = $1 AND id = $2 RETURNING row_version, octet_length(body), updated_at`,
		tx.Company, f.ID, f.Category, f.Name, f.Body, f.IsPublished, f.InSitemap, f.NoIndex, by)
	return refuseTakenPath(row.Scan(&f.Version, &f.Size, &f.UpdatedAt))
}

func refuseTakenPath(err error) error {
	if store.UniqueViolation(err, "site_file_name") {
		return ErrPathTaken
	}
	return err
}

// Delete soft-deletes a file; its name is free from then on.
func Delete(ctx context.Context, tx *store.Tx, id shop.SiteFileID, by shop.UserID) error {
	tx.Changed(shop.Key{Kind: shop.KeyFiles})
	tag, err := tx.DB.Exec(ctx, `
		UPDATE site_file SET deleted_at = now(), row_version = row_version + 1, updated_by = $3, updated_at = now()
		WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL`, tx.Company, id, by)
	if err == nil && tag.RowsAffected() == 0 {
		return ErrNotFound
	}
	return err
}
