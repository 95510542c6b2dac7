package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// ErrFormFileNotFound is returned for files of forms that are missing, deleted, of another
// shop or attached to another lead.
var ErrFormFileNotFound = shop.Refuse(shop.NotFound, "FORM_FILE_NOT_FOUND").When("no file of the lead has this id")

// Limits of the files that visitors send. Files without a lead and those of spam share a
// small quota, in which new files evict the oldest; all files of a shop's forms may use a
// part of its plan.
const (
	maxWaiting      = 200
	maxWaitingBytes = 200 << 20
	formFilesPart   = 2 // divisor of storage_bytes
)

// FormFile is a file that a visitor sent with a form. It is in quarantine: it has no public
// address.
type FormFile struct {
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

// AddFormFile stores a file that is not attached to a lead yet. Its bytes count against the
// shop's plan.
func (tx *Tx) AddFormFile(ctx context.Context, f FormFile) error {
	_, err := tx.q.Exec(ctx, `
		INSERT INTO form_file (company_id, id, form_id, field, name, mime, size, sha256, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		tx.Company, f.ID, f.Form, f.Field, f.Name, f.MIME, f.Size, f.SHA256, f.CreatedAt)
	if err != nil {
		return err
	}
	err = tx.dropFormFiles(ctx, `
		SELECT id FROM (
			SELECT f.id, row_number() OVER w AS n, sum(f.size) OVER w AS bytes
			FROM form_file f LEFT JOIN form_lead l ON l.company_id = $1 AND l.id = f.lead_id
			WHERE f.company_id = $1 AND (f.lead_id IS NULL OR l.status = 'spam') WINDOW w AS (ORDER BY f.created_at DESC, f.id DESC)) p
		WHERE n > $2 OR bytes > $3`, maxWaiting, maxWaitingBytes)
	if err != nil {
		return err
	}
	if err := tx.KeepBlob(ctx, f.SHA256, f.Size); err != nil {
		return err
	}
	var used, limit int64
	err = tx.q.QueryRow(ctx, `
		SELECT (SELECT coalesce(sum(size), 0)::bigint FROM form_file WHERE company_id = $1), coalesce((limits->>'storage_bytes')::bigint, 0)
		FROM company WHERE id = $1`, tx.Company).Scan(&used, &limit)
	if err == nil && limit > 0 && used > limit/formFilesPart {
		err = ErrStorageLimit.With("files of forms may use half of the plan's storage")
	}
	return err
}

// dropFormFiles deletes the files that a query selects. It skips files locked by a
// concurrent deletion.
func (tx *Tx) dropFormFiles(ctx context.Context, query string, args ...any) error {
	rows, err := tx.q.Query(ctx, `
		DELETE FROM form_file WHERE company_id = $1 AND id IN (
			SELECT id FROM form_file WHERE company_id = $1 AND id IN (`+query+`) ORDER BY id FOR UPDATE SKIP LOCKED) RETURNING sha256`,
		append([]any{tx.Company}, args...)...)
	if err != nil {
		return err
	}
	hashes, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err == nil && len(hashes) > 0 {
		err = tx.dropBlobs(ctx, hashes)
	}
	return err
}

// WaitingFile reads a file of a field that is not attached to a lead, and locks it until
// the end of the transaction.
func (tx *Tx) WaitingFile(ctx context.Context, form shop.FormID, field string, id uuid.UUID) (FormFile, error) {
	return tx.formFile(ctx, `form_id = $2 AND field = $3 AND id = $4 AND lead_id IS NULL FOR UPDATE`, form, field, id)
}

// LeadFile reads a file of a lead.
func (r Reader) LeadFile(ctx context.Context, lead shop.LeadID, id uuid.UUID) (FormFile, error) {
	return r.formFile(ctx, `lead_id = $2 AND id = $3`, lead, id)
}

func (r Reader) formFile(ctx context.Context, where string, args ...any) (f FormFile, err error) {
	rows, err := r.q.Query(ctx, `SELECT `+formFileColumns+` FROM form_file WHERE company_id = $1 AND `+where, append([]any{r.Company}, args...)...)
	if err != nil {
		return f, err
	}
	f, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[FormFile])
	if noRow(err) {
		err = ErrFormFileNotFound
	}
	return f, err
}

// TakeFiles attaches waiting files to a lead.
func (tx *Tx) TakeFiles(ctx context.Context, lead shop.LeadID, ids []uuid.UUID) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.q.Exec(ctx, `UPDATE form_file SET lead_id = $2 WHERE company_id = $1 AND id = ANY($3) AND lead_id IS NULL`, tx.Company, lead, ids)
	return err
}

// LeadFiles returns the files of leads, by lead.
func (r Reader) LeadFiles(ctx context.Context, leads []Lead) (map[shop.LeadID][]FormFile, error) {
	ids := make([]shop.LeadID, len(leads))
	for i, l := range leads {
		ids[i] = l.ID
	}
	rows, err := r.q.Query(ctx, `SELECT `+formFileColumns+` FROM form_file WHERE company_id = $1 AND lead_id = ANY($2) ORDER BY lead_id, id`, r.Company, ids)
	if err != nil {
		return nil, err
	}
	all := map[shop.LeadID][]FormFile{}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[FormFile])
	for _, f := range list {
		all[*f.Lead] = append(all[*f.Lead], f)
	}
	return all, err
}
