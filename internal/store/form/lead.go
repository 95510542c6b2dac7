package form

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/media"
)

// ErrLeadNotFound is returned for missing leads and for those of other shops.
var ErrLeadNotFound = shop.Refuse(shop.NotFound, "LEAD_NOT_FOUND").When("no lead of the shop has this id")

// LeadStatus is the status of a lead.
type LeadStatus string

// The statuses of a lead. Spam was detected, or marked by the shop.
const (
	LeadNew  LeadStatus = "new"
	LeadSeen LeadStatus = "seen"
	LeadDone LeadStatus = "done"
	LeadSpam LeadStatus = "spam"
)

var leadStatuses = []LeadStatus{LeadNew, LeadSeen, LeadDone, LeadSpam}

// Values lists the statuses as texts.
func (LeadStatus) Values() []string { return shop.Texts(leadStatuses) }

// Valid reports whether the status is one of these.
func (s LeadStatus) Valid() bool { return slices.Contains(leadStatuses, s) }

// How many spam and test leads of a form are kept: the newest stay.
const (
	MaxSpam  = 500
	MaxTests = 100
)

// Lead is a form that a visitor sent.
type Lead struct {
	ID         shop.LeadID
	Form       shop.FormID
	FormName   string
	Answers    json.RawMessage
	PageURL    string
	UTM        json.RawMessage
	Status     LeadStatus
	SpamReason string // reason of the spam detection
	Test       bool
	Emitted    bool // lead.created was emitted
	Note       string
	Email      string // the first e-mail address among the answers
	Consents   json.RawMessage
	CreatedAt  time.Time
	UpdatedAt  time.Time

	AnswersHash string `db:"-"` // hash of the answers
	Token       string `db:"-"` // token of the page; empty: without one
}

const leadColumns = `l.id, l.form_id, f.name, l.answers, l.page_url, l.utm, l.status, l.why, l.test, l.told, l.note, l.email, l.consents, l.created_at, l.updated_at`

const leadTable = ` FROM form_lead l JOIN form f ON f.company_id = l.company_id AND f.id = l.form_id`

// InsertLead stores a lead. For a real one it queues a letter to the seller: one letter
// each, or for those beyond the hourly limit one letter at the end of the hour. Of spam and
// test leads it deletes the oldest beyond the maximum.
func InsertLead(ctx context.Context, tx *store.Tx, l *Lead) error {
	err := tx.DB.QueryRow(ctx, `
		INSERT INTO form_lead (company_id, form_id, answers, page_url, utm, status, why, test, told, email, consents, print, token, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14) RETURNING id`,
		tx.Company, l.Form, l.Answers, l.PageURL, l.UTM, l.Status, l.SpamReason, l.Test, l.Emitted, l.Email, l.Consents, l.AnswersHash, l.Token, l.CreatedAt).Scan(&l.ID)
	switch {
	case err != nil:
		return err
	case l.Status == LeadSpam:
		return DeleteLeads(ctx, tx, `form_id = $2 AND status = 'spam'`, `OFFSET $3`, l.Form, MaxSpam)
	case l.Test:
		return DeleteLeads(ctx, tx, `form_id = $2 AND test`, `OFFSET $3`, l.Form, MaxTests)
	}
	b := &pgx.Batch{}
	tx.QueueLetters(b, store.NewLetter{Name: "lead" + store.ToSeller, Object: l.ID.String(), Facts: store.LetterData{Lead: l.ID}, Most: store.LeadsAnHour})
	b.Queue(`
		INSERT INTO letter (company_id, name, object, recipient, facts, due_at)
		SELECT $1, $2, to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24'), owner_email($1), $4, date_trunc('hour', now()) + interval '1 hour'
		WHERE owner_email($1) <> '' AND NOT EXISTS (SELECT FROM letter WHERE company_id = $1 AND name = 'lead_seller' AND object = $3)
		ON CONFLICT (company_id, name, object, round) DO NOTHING`, tx.Company, store.LeadsLetter, l.ID.String(), store.LetterData{Lead: l.ID})
	return tx.DB.SendBatch(ctx, b).Close()
}

// DeleteLeads deletes the matching leads with their files, except the newest ones that an
// OFFSET skips.
func DeleteLeads(ctx context.Context, tx *store.Tx, where, offset string, args ...any) error {
	rows, err := tx.DB.Query(ctx, `
		WITH gone AS (
			SELECT id FROM form_lead WHERE company_id = $1 AND `+where+` ORDER BY id DESC `+offset+`),
		files AS (DELETE FROM form_file WHERE company_id = $1 AND lead_id IN (SELECT id FROM gone) RETURNING sha256),
		leads AS (DELETE FROM form_lead WHERE company_id = $1 AND id IN (SELECT id FROM gone))
		SELECT sha256 FROM files`, append([]any{tx.Company}, args...)...)
	if err != nil {
		return err
	}
	hashes, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err == nil && len(hashes) > 0 {
		err = media.DisownBlobs(ctx, tx, hashes)
	}
	return err
}

// LeadsSince counts the real leads of a form since a time, up to a limit.
func LeadsSince(ctx context.Context, r store.Reader, form shop.FormID, since time.Time, limit int) (n int, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT count(*) FROM (SELECT FROM form_lead WHERE company_id = $1 AND form_id = $2 AND created_at > $3 AND status <> 'spam' AND NOT test LIMIT $4) l`,
		r.Company, form, since, limit).Scan(&n)
	return n, err
}

// LeadSentBefore reports whether a lead with the same answers (Print) was sent since a
// time, and whether one with the same token ever was.
func LeadSentBefore(ctx context.Context, r store.Reader, l Lead, since time.Time) (again, used bool, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM form_lead WHERE company_id = $1 AND print = $2 AND print <> '' AND created_at > $3),
			EXISTS (SELECT FROM form_lead WHERE company_id = $1 AND token = $4 AND token <> '')`,
		r.Company, l.AnswersHash, since, l.Token).Scan(&again, &used)
	return again, used, err
}

// LeadFilter restricts a list of leads; zero fields don't restrict.
type LeadFilter struct {
	Form    shop.FormID
	Status  LeadStatus
	NotSpam bool // leads of every status but spam
}

func (f LeadFilter) where(args []any) (string, []any) {
	all := []string{"l.company_id = $1"}
	add := func(condition string, arg any) {
		args = append(args, arg)
		all = append(all, fmt.Sprintf(condition, len(args)))
	}
	if f.Form != 0 {
		add("l.form_id = $%d", f.Form)
	}
	if f.Status != "" {
		add("l.status = $%d", f.Status)
	}
	if f.NotSpam {
		all = append(all, "l.status <> 'spam'")
	}
	return strings.Join(all, " AND "), args
}

// Leads returns one page of leads, newest first, and the total.
func Leads(ctx context.Context, r store.Reader, f LeadFilter, number, limit int) (list []Lead, total int, err error) {
	where, args := f.where([]any{r.Company})
	if err := r.DB.QueryRow(ctx, `SELECT count(*) FROM form_lead l WHERE `+where, args...).Scan(&total); err != nil {
		return nil, 0, err
	}
	list, err = leads(ctx, r, where+fmt.Sprintf(` ORDER BY l.id DESC OFFSET %d LIMIT %d`, (number-1)*limit, limit), args)
	return list, total, err
}

// LeadsAfter returns the matching leads that follow one, oldest first.
func LeadsAfter(ctx context.Context, r store.Reader, f LeadFilter, after shop.LeadID, limit int) ([]Lead, error) {
	where, args := f.where([]any{r.Company})
	return leads(ctx, r, where+fmt.Sprintf(` AND l.id > %d ORDER BY l.id LIMIT %d`, after, limit), args)
}

func leads(ctx context.Context, r store.Reader, where string, args []any) ([]Lead, error) {
	rows, err := r.DB.Query(ctx, `SELECT `+leadColumns+leadTable+` WHERE `+where, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Lead])
}

// GetLead reads one lead.
func GetLead(ctx context.Context, r store.Reader, id shop.LeadID) (Lead, error) {
	return lead(ctx, r, id, "")
}

// LockLead reads and locks a lead for update.
func LockLead(ctx context.Context, tx *store.Tx, id shop.LeadID) (Lead, error) {
	return lead(ctx, tx.Reader, id, ` FOR UPDATE OF l`)
}

func lead(ctx context.Context, r store.Reader, id shop.LeadID, lock string) (l Lead, err error) {
	list, err := leads(ctx, r, `l.company_id = $1 AND l.id = $2`+lock, []any{r.Company, id})
	if err == nil && len(list) == 0 {
		err = ErrLeadNotFound
	}
	if err != nil {
		return l, err
	}
	return list[0], nil
}

// UpdateLead writes the status of a locked lead and the shop's note about it.
func UpdateLead(ctx context.Context, tx *store.Tx, l *Lead) error {
	err := tx.DB.QueryRow(ctx, `
		UPDATE form_lead SET status = $3, why = $4, told = $5, note = $6, updated_at = now() WHERE company_id = $1 AND id = $2 RETURNING updated_at`,
		tx.Company, l.ID, l.Status, l.SpamReason, l.Emitted, l.Note).Scan(&l.UpdatedAt)
	if err == nil && l.Status == LeadSpam {
		err = DeleteLeads(ctx, tx, `form_id = $2 AND status = 'spam'`, `OFFSET $3`, l.Form, MaxSpam)
	}
	return err
}

// DeleteLead deletes a lead with its files.
func DeleteLead(ctx context.Context, tx *store.Tx, id shop.LeadID) error {
	if _, err := LockLead(ctx, tx, id); err != nil {
		return err
	}
	return DeleteLeads(ctx, tx, `id = $2`, ``, id)
}

// SweepLeads deletes spam from before one time, and files without a lead from before
// another, in all shops.
func SweepLeads(ctx context.Context, s *store.Store, spam, files time.Time) error {
	rows, err := s.Pool.Query(ctx, `
		SELECT company_id FROM form_file WHERE lead_id IS NULL AND created_at <= $2
		UNION SELECT company_id FROM form_lead WHERE status = 'spam' AND created_at <= $1 ORDER BY 1`, spam, files)
	if err != nil {
		return err
	}
	shops, err := pgx.CollectRows(rows, pgx.RowTo[shop.CompanyID])
	if err != nil {
		return err
	}
	for _, company := range shops {
		err := s.Write(ctx, company, func(tx *store.Tx) error {
			if err := DeleteLeads(ctx, tx, `status = 'spam' AND created_at <= $2`, ``, spam); err != nil {
				return err
			}
			return dropFormFiles(ctx, tx, `SELECT id FROM form_file WHERE company_id = $1 AND lead_id IS NULL AND created_at <= $2`, files)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
