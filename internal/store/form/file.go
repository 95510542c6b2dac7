package form

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/media"
)

// ErrFileNotFound is returned for files of forms that are missing, deleted, of another
// shop or attached to another lead.
var ErrFileNotFound = shop.Refuse(shop.NotFound, "FORM_FILE_NOT_FOUND").When("no file of the lead has this id")

// Limits of the files that visitors send. Files without a lead and those of spam share a
// small quota, in which new files evict the oldest; all files of a shop's forms may use a
// part of its plan.
const (
	maxUnattachedFiles = 200
	maxUnattachedBytes = 200 << 20
	formFilesShare     = 2 // divisor of storage_bytes
)

// File is a file that a visitor sent with a form. It is in quarantine: it has no public
// address.
type File struct {
	ID        uuid.UUID
	Form      shop.FormID
	Lead      *shop.LeadID // nil: not attached to a lead yet
	Field     string
	Name      string
	MIME      string
	Size      int64
	SHA256    string
	CreatedAt time.Time
}

const formFileColumns = `id, form_id, lead_id, field, name, mime, size, sha256, created_at`

// AddFile stores a file that is not attached to a lead yet. Its bytes count against the
// shop's plan.
func AddFile(ctx context.Context, tx *store.Tx, f File) error {
	_, err := tx.DB.Exec(ctx, `
		INSERT INTO form_file (company_id, id, form_id, field, name, mime, size, sha256, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		tx.Company, f.ID, f.Form, f.Field, f.Name, f.MIME, f.Size, f.SHA256, f.CreatedAt)
	if err != nil {
		return err
	}
	err = dropFormFiles(ctx, tx, `
		SELECT id FROM (
			SELECT f.id, row_number() OVER w AS n, sum(f.size) OVER w AS bytes
			FROM form_file f LEFT JOIN form_lead l ON l.company_id = $1 AND l.id = f.lead_id
			WHERE f.company_id = $1 AND (f.lead_id IS NULL OR l.status = 'spam') WINDOW w AS (ORDER BY f.created_at DESC, f.id DESC)) p
		WHERE n > $2 OR bytes > $3`, maxUnattachedFiles, maxUnattachedBytes)
	if err != nil {
		return err
	}
	if err := media.OwnBlob(ctx, tx, f.SHA256, f.Size); err != nil {
		return err
	}
	var used, limit int64
	err = tx.DB.QueryRow(ctx, `
		SELECT (SELECT coalesce(sum(size), 0)::bigint FROM form_file WHERE company_id = $1), coalesce((limits->>'storage_bytes')::bigint, 0)
		FROM company WHERE id = $1`, tx.Company).Scan(&used, &limit)
	if err == nil && limit > 0 && used > limit/formFilesShare {
		err = media.ErrStorageLimit.With("files of forms may use half of the plan's storage")
	}
	return err
}

// dropFormFiles deletes the files that a query selects. It skips files locked by a
// concurrent deletion.
func dropFormFiles(ctx context.Context, tx *store.Tx, query string, args ...any) error {
	rows, err := tx.DB.Query(ctx, `
		DELETE FROM form_file WHERE company_id = $1 AND id IN (
			SELECT id FROM form_file WHERE company_id = $1 AND id IN (`+query+`) ORDER BY id FOR UPDATE SKIP LOCKED) RETURNING sha256`,
		append([]any{tx.Company}, args...)...)
	if err != nil {
		return err
	}
	hashes, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err == nil && len(hashes) > 0 {
		err = media.DisownBlobs(ctx, tx, hashes)
	}
	return err
}

// LockUnattachedFile reads a file of a field that is not attached to a lead, and locks it until
// the end of the transaction.
func LockUnattachedFile(ctx context.Context, tx *store.Tx, form shop.FormID, field string, id uuid.UUID) (File, error) {
	return formFile(ctx, tx.Reader, `form_id = $2 AND field = $3 AND id = $4 AND lead_id IS NULL FOR UPDATE`, form, field, id)
}

// LeadFile reads a file of a lead.
func LeadFile(ctx context.Context, r store.Reader, lead shop.LeadID, id uuid.UUID) (File, error) {
	return formFile(ctx, r, `lead_id = $2 AND id = $3`, lead, id)
}

func formFile(ctx context.Context, r store.Reader, where string, args ...any) (f File, err error) {
	rows, err := r.DB.Query(ctx, `SELECT `+formFileColumns+` FROM form_file WHERE company_id = $1 AND `+where, append([]any{r.Company}, args...)...)
	if err != nil {
		return f, err
	}
	f, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[File])
	if store.NoRow(err) {
		err = ErrFileNotFound
	}
	return f, err
}

// AttachFiles attaches waiting files to a lead.
func AttachFiles(ctx context.Context, tx *store.Tx, lead shop.LeadID, ids []uuid.UUID) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.DB.Exec(ctx, `UPDATE form_file SET lead_id = $2 WHERE company_id = $1 AND id = ANY($3) AND lead_id IS NULL`, tx.Company, lead, ids)
	return err
}

// LeadFiles returns the files of leads, by lead.
func LeadFiles(ctx context.Context, r store.Reader, leads []Lead) (map[shop.LeadID][]File, error) {
	ids := make([]shop.LeadID, len(leads))
	for i, l := range leads {
		ids[i] = l.ID
	}
	rows, err := r.DB.Query(ctx, `SELECT `+formFileColumns+` FROM form_file WHERE company_id = $1 AND lead_id = ANY($2) ORDER BY lead_id, id`, r.Company, ids)
	if err != nil {
		return nil, err
	}
	all := map[shop.LeadID][]File{}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[File])
	for _, f := range list {
		all[*f.Lead] = append(all[*f.Lead], f)
	}
	return all, err
}
