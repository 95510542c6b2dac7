package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// ErrFormNotFound answers for missing, foreign and deleted forms.
var ErrFormNotFound = shop.Refuse(shop.NotFound, "FORM_NOT_FOUND").When("no form of the shop has this id")

// Form is a lead form: what visitors are asked.
type Form struct {
	ID        shop.FormID
	Name      string
	Fields    json.RawMessage
	CreatedBy shop.UserID
	CreatedAt time.Time
	UpdatedAt time.Time
}

const formColumns = `id, name, fields, created_by, created_at, updated_at`

func scanForm(row pgx.Row) (f Form, err error) {
	err = row.Scan(&f.ID, &f.Name, &f.Fields, &f.CreatedBy, &f.CreatedAt, &f.UpdatedAt)
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

// Forms lists the living forms, oldest first.
func (r Reader) Forms(ctx context.Context) ([]Form, error) {
	rows, err := r.q.Query(ctx, `SELECT `+formColumns+` FROM form WHERE company_id = $1 AND deleted_at IS NULL ORDER BY id`, r.Company)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Form, error) { return scanForm(row) })
}

// SaveForm adds a form without an id, and changes one that has one. Blocks of
// pages show it.
func (tx *Tx) SaveForm(ctx context.Context, f Form) (Form, error) {
	tx.Changed(shop.Key{Kind: shop.KeyDesign})
	if f.ID == 0 {
		return scanForm(tx.q.QueryRow(ctx, `
			INSERT INTO form (company_id, name, fields, created_by) VALUES ($1, $2, $3, $4) RETURNING `+formColumns,
			tx.Company, f.Name, f.Fields, f.CreatedBy))
	}
	return scanForm(tx.q.QueryRow(ctx, `
		UPDATE form SET name = $3, fields = $4, updated_at = now() WHERE company_id = $1 AND id = $2 AND deleted_at IS NULL
		RETURNING `+formColumns, tx.Company, f.ID, f.Name, f.Fields))
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

// Lead is what a visitor sent with a form.
type Lead struct {
	ID        shop.LeadID
	Form      shop.FormID
	Answers   json.RawMessage
	PageURL   string
	UTM       json.RawMessage
	CreatedAt time.Time
}

// InsertLead stores a lead, with the letter that tells the seller.
func (tx *Tx) InsertLead(ctx context.Context, l *Lead) error {
	err := tx.q.QueryRow(ctx, `
		INSERT INTO form_lead (company_id, form_id, answers, page_url, utm) VALUES ($1, $2, $3, $4, $5) RETURNING id, created_at`,
		tx.Company, l.Form, l.Answers, l.PageURL, l.UTM).Scan(&l.ID, &l.CreatedAt)
	if err != nil {
		return err
	}
	return tx.queue(ctx, draftLetter{Name: "lead" + ToSeller, Object: l.ID.String(), Facts: LetterFacts{Lead: l.ID}, Most: leadsAnHour})
}

// LeadsSince counts the leads of a form since a time, up to a limit.
func (r Reader) LeadsSince(ctx context.Context, form shop.FormID, since time.Time, limit int) (n int, err error) {
	err = r.q.QueryRow(ctx, `
		SELECT count(*) FROM (SELECT created_at FROM form_lead WHERE company_id = $1 AND form_id = $2 ORDER BY id DESC LIMIT $4) l
		WHERE created_at > $3`, r.Company, form, since, limit).Scan(&n)
	return n, err
}

// Leads is one page of what was sent with a form, newest first, and the total.
func (r Reader) Leads(ctx context.Context, form shop.FormID, number, limit int) (list []Lead, total int, err error) {
	if err := r.q.QueryRow(ctx, `SELECT count(*) FROM form_lead WHERE company_id = $1 AND form_id = $2`,
		r.Company, form).Scan(&total); err != nil {
		return nil, 0, err
	}
	rows, err := r.q.Query(ctx, `
		SELECT id, form_id, answers, page_url, utm, created_at FROM form_lead WHERE company_id = $1 AND form_id = $2
		ORDER BY id DESC OFFSET $3 LIMIT $4`, r.Company, form, (number-1)*limit, limit)
	if err != nil {
		return nil, 0, err
	}
	list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Lead])
	return list, total, err
}
