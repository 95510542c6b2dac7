package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// ErrTooManyForms bounds the forms of a shop.
var ErrTooManyForms = shop.Refuse(shop.InvalidArgument, "FORM_INVALID").When("a form's name or one of its fields makes no sense, or the shop has 500 forms")

const maxForms = 500 // of a shop, living ones

// ErrFormNotFound answers for missing, foreign and deleted forms.
var ErrFormNotFound = shop.Refuse(shop.NotFound, "FORM_NOT_FOUND").When("no form of the shop has this id").At("form_id")

// Form is a lead form: what visitors are asked.
type Form struct {
	ID        shop.FormID
	Name      string
	Fields    json.RawMessage // of compile/lead
	Submit    string          // on the button; empty: the usual word
	Success   json.RawMessage // of compile/lead
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

// Form reads a living form.
func (r Reader) Form(ctx context.Context, id shop.FormID) (Form, error) {
	return scanForm(r.q.QueryRow(ctx, `
		SELECT `+formColumns+` FROM form WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL`, r.Company, id))
}

// FormOfLeads reads a form that may be deleted: what was sent with it stays.
func (r Reader) FormOfLeads(ctx context.Context, id shop.FormID) (Form, error) {
	return scanForm(r.q.QueryRow(ctx, `SELECT `+formColumns+` FROM form WHERE company_id = $1 AND id = $2`, r.Company, id))
}

// Forms lists the living forms, oldest first.
func (r Reader) Forms(ctx context.Context) ([]Form, error) {
	rows, err := r.q.Query(ctx, `SELECT `+formColumns+` FROM form WHERE company_id = $1 AND deleted_at IS NULL ORDER BY id`, r.Company)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Form, error) { return scanForm(row) })
}

// LockForm reads a living form and holds it: leads of one form are taken one after
// another, so that what was counted is what there is.
func (tx *Tx) LockForm(ctx context.Context, id shop.FormID) (Form, error) {
	return scanForm(tx.q.QueryRow(ctx, `
		SELECT `+formColumns+` FROM form WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE`, tx.Company, id))
}

// SaveForm adds a form without an id, and changes one that has one. Blocks of
// pages show it.
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

// DeleteForm deletes a form softly; what was sent with it stays.
func (tx *Tx) DeleteForm(ctx context.Context, id shop.FormID) error {
	tag, err := tx.q.Exec(ctx, `UPDATE form SET deleted_at = now() WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL`, tx.Company, id)
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrFormNotFound
	}
	tx.Changed(shop.Key{Kind: shop.KeyDesign})
	return err
}
