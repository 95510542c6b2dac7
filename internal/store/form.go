package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// ErrTooManyForms is returned when a shop would have more than maxForms forms.
var ErrTooManyForms = shop.Refuse(shop.InvalidArgument, "FORM_INVALID").When("a form's name or one of its fields is invalid, or the shop has 500 forms")

const maxForms = 500 // of a shop, not counting deleted ones

// ErrFormNotFound is returned for missing and deleted forms and for those of other shops.
var ErrFormNotFound = shop.Refuse(shop.NotFound, "FORM_NOT_FOUND").When("no form of the shop has this id").At("form_id")

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
	if noRow(err) {
		err = ErrFormNotFound
	}
	return f, err
}

// Form reads a form that is not deleted.
func (r Reader) Form(ctx context.Context, id shop.FormID) (Form, error) {
	return scanForm(r.q.QueryRow(ctx, `
		SELECT `+formColumns+` FROM form WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL`, r.Company, id))
}

// FormOfLeads reads a form, a deleted one too: its leads stay.
func (r Reader) FormOfLeads(ctx context.Context, id shop.FormID) (Form, error) {
	return scanForm(r.q.QueryRow(ctx, `SELECT `+formColumns+` FROM form WHERE company_id = $1 AND id = $2`, r.Company, id))
}

// Forms lists the forms that are not deleted, oldest first.
func (r Reader) Forms(ctx context.Context) ([]Form, error) {
	rows, err := r.q.Query(ctx, `SELECT `+formColumns+` FROM form WHERE company_id = $1 AND deleted_at IS NULL ORDER BY id`, r.Company)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Form, error) { return scanForm(row) })
}

// LockForm reads and locks a form: leads of one form are accepted one after another, so
// that counts of them stay right.
func (tx *Tx) LockForm(ctx context.Context, id shop.FormID) (Form, error) {
	return scanForm(tx.q.QueryRow(ctx, `
		SELECT `+formColumns+` FROM form WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE`, tx.Company, id))
}

// SaveForm inserts a form without an id and updates one that has an id. Blocks of pages
// show it, so the design changes.
func (tx *Tx) SaveForm(ctx context.Context, f Form) (Form, error) {
	tx.Changed(shop.Key{Kind: shop.KeyDesign})
	if f.Success == nil {
		f.Success = json.RawMessage(`{"action": "text", "text": "", "url": ""}`)
	}
	if f.ID == 0 {
		made, err := scanForm(tx.q.QueryRow(ctx, `
			INSERT INTO form (company_id, name, fields, submit_text, success, created_by)
			SELECT $1, $2, $3, $4, $5, $6 WHERE (SELECT count(*) FROM form WHERE company_id = $1 AND deleted_at IS NULL) < $7 RETURNING `+formColumns,
			tx.Company, f.Name, f.Fields, f.Submit, f.Success, f.CreatedBy, maxForms))
		if errors.Is(err, ErrFormNotFound) {
			err = ErrTooManyForms.With("a shop has at most 500 forms")
		}
		return made, err
	}
	return scanForm(tx.q.QueryRow(ctx, `
		UPDATE form SET name = $3, fields = $4, submit_text = $5, success = $6, updated_at = now()
		WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL RETURNING `+formColumns, tx.Company, f.ID, f.Name, f.Fields, f.Submit, f.Success))
}

// DeleteForm soft-deletes a form; its leads stay.
func (tx *Tx) DeleteForm(ctx context.Context, id shop.FormID) error {
	tag, err := tx.q.Exec(ctx, `UPDATE form SET deleted_at = now() WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL`, tx.Company, id)
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrFormNotFound
	}
	tx.Changed(shop.Key{Kind: shop.KeyDesign})
	return err
}
