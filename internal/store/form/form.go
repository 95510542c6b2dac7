package form

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// ErrTooMany is returned when a shop would have more than maxForms forms.
var ErrTooMany = shop.Refuse(shop.InvalidArgument, "FORM_INVALID").When("a form's name or one of its fields is invalid, or the shop has 500 forms")

const maxForms = 500 // of a shop, not counting deleted ones

// ErrNotFound is returned for missing and deleted forms and for those of other shops.
var ErrNotFound = shop.Refuse(shop.NotFound, "FORM_NOT_FOUND").When("no form of the shop has this id").At("form_id")

// Form is a lead form: the fields that visitors fill in.
type Form struct {
	ID        shop.FormID
	Name      string
	Fields    json.RawMessage // as compile/lead reads them
	Submit    string          // label of the button; empty: the default label
	Success   json.RawMessage // as compile/lead reads it
	CreatedBy shop.UserID
	CreatedAt time.Time
	UpdatedAt time.Time
}

const formColumns = `id, name, fields, submit_text, success, created_by, created_at, updated_at`

func scanForm(row pgx.Row) (f Form, err error) {
	err = row.Scan(&f.ID, &f.Name, &f.Fields, &f.Submit, &f.Success, &f.CreatedBy, &f.CreatedAt, &f.UpdatedAt)
	if store.NoRow(err) {
		err = ErrNotFound
	}
	return f, err
}

// Get reads a form that is not deleted.
func Get(ctx context.Context, r store.Reader, id shop.FormID) (Form, error) {
	return scanForm(r.DB.QueryRow(ctx, `
		SELECT `+formColumns+` FROM form WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL`, r.Company, id))
}

// FormWithDeleted reads a form, a deleted one too: its leads stay.
func FormWithDeleted(ctx context.Context, r store.Reader, id shop.FormID) (Form, error) {
	return scanForm(r.DB.QueryRow(ctx, `SELECT `+formColumns+` FROM form WHERE company_id = $1 AND id = $2`, r.Company, id))
}

// List lists the forms that are not deleted, oldest first.
func List(ctx context.Context, r store.Reader) ([]Form, error) {
	rows, err := r.DB.Query(ctx, `SELECT `+formColumns+` FROM form WHERE company_id = $1 AND deleted_at IS NULL ORDER BY id`, r.Company)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Form, error) { return scanForm(row) })
}

// CountLeads counts the leads of each form, without spam and tests.
func CountLeads(ctx context.Context, r store.Reader) (map[shop.FormID]int, error) {
	rows, err := r.DB.Query(ctx, `SELECT form_id, count(*) FROM form_lead WHERE company_id = $1 AND status <> 'spam' AND NOT test GROUP BY form_id`, r.Company)
	if err != nil {
		return nil, err
	}
	counts := map[shop.FormID]int{}
	var id shop.FormID
	var n int
	_, err = pgx.ForEachRow(rows, []any{&id, &n}, func() error {
		counts[id] = n
		return nil
	})
	return counts, err
}

// Lock reads and locks a form: leads of one form are accepted one after another, so
// that counts of them stay right.
func Lock(ctx context.Context, tx *store.Tx, id shop.FormID) (Form, error) {
	return scanForm(tx.DB.QueryRow(ctx, `
		SELECT `+formColumns+` FROM form WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE`, tx.Company, id))
}

// Save inserts a form without an id and updates one that has an id. Blocks of pages
// show it, so the design changes.
func Save(ctx context.Context, tx *store.Tx, f Form) (Form, error) {
	tx.Changed(shop.Key{Kind: shop.KeyDesign})
	if f.Success == nil {
		f.Success = json.RawMessage(`{"action": "text", "text": "", "url": ""}`)
	}
	if f.ID == 0 {
		made, err := scanForm(tx.DB.QueryRow(ctx, `
			INSERT INTO form (company_id, name, fields, submit_text, success, created_by)
			SELECT $1, $2, $3, $4, $5, $6 WHERE (SELECT count(*) FROM form WHERE company_id = $1 AND deleted_at IS NULL) < $7 RETURNING `+formColumns,
			tx.Company, f.Name, f.Fields, f.Submit, f.Success, f.CreatedBy, maxForms))
		if errors.Is(err, ErrNotFound) {
			err = ErrTooMany.With("a shop has at most 500 forms")
		}
		return made, err
	}
	return scanForm(tx.DB.QueryRow(ctx, `
		UPDATE form SET name = $3, fields = $4, submit_text = $5, success = $6, updated_at = now()
		WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL RETURNING `+formColumns, tx.Company, f.ID, f.Name, f.Fields, f.Submit, f.Success))
}

// Delete soft-deletes a form; its leads stay.
func Delete(ctx context.Context, tx *store.Tx, id shop.FormID) error {
	tag, err := tx.DB.Exec(ctx, `UPDATE form SET deleted_at = now() WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL`, tx.Company, id)
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrNotFound
	}
	tx.Changed(shop.Key{Kind: shop.KeyDesign})
	return err
}
