package form

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	formdb "vitrine/internal/store/form"
)

// errStatus refuses an unknown status, or a note that is too long.
var errStatus = shop.Refuse(shop.InvalidArgument, "LEAD_STATUS_INVALID").When("status is not new, seen, done or spam, or the note has more than 5,000 characters")

const leadsPageSize = 20

// leadView is a lead as shown to members of the shop.
type leadView struct {
	ID        shop.LeadID                  `json:"id"`
	FormID    shop.FormID                  `json:"form_id"`
	FormName  string                       `json:"form_name"`
	Values    shop.Object                  `json:"values"`
	PageURL   string                       `json:"page_url"`
	UTM       shop.JSON[map[string]string] `json:"utm"`
	Status    formdb.LeadStatus            `json:"status"`
	Why       string                       `json:"spam_reason" doc:"of spam: trap, early, token, again or flood; empty if a member of the shop marked it as spam"`
	Test      bool                         `json:"test"`
	Note      string                       `json:"note"`
	Consents  shop.Objects                 `json:"consents"`
	Files     []leadFile                   `json:"files"`
	CreatedAt time.Time                    `json:"created_at"`
	UpdatedAt time.Time                    `json:"updated_at"`
}

type leadFile struct {
	ID    uuid.UUID `json:"id"`
	Field string    `json:"field"`
	Name  string    `json:"name"`
	Type  string    `json:"type"`
	Size  int64     `json:"size"`
	URL   string    `json:"url" doc:"path in this API; requires the permission to read leads"`
}

func viewLead(l formdb.Lead, files []formdb.File) leadView {
	v := leadView{
		ID: l.ID, FormID: l.Form, FormName: l.FormName, Values: shop.Object(l.Answers), PageURL: l.PageURL, UTM: shop.JSON[map[string]string](l.UTM), Status: l.Status, Why: l.SpamReason, Test: l.Test,
		Note: l.Note, Consents: shop.Objects(l.Consents), Files: []leadFile{}, CreatedAt: l.CreatedAt.UTC(), UpdatedAt: l.UpdatedAt.UTC(),
	}
	for _, f := range files {
		v.Files = append(v.Files, leadFile{f.ID, f.Field, f.Name, f.MIME, f.Size, fmt.Sprintf("/form-leads/%s/files/%s", l.ID, f.ID)})
	}
	return v
}

// wantedLeads is a status of the leads to list, or notSpam.
type wantedLeads string

// notSpam lists leads of every status but spam.
const notSpam wantedLeads = "not_spam"

// Values lists what can be wanted as texts.
func (wantedLeads) Values() []string {
	return append(formdb.LeadStatus("").Values(), string(notSpam))
}

type leadFilter struct {
	Form   shop.FormID `query:"filter.form_id" json:"-" doc:"only leads of this form"`
	Status wantedLeads `query:"filter.status" json:"-" len:"64" refuse:"LEAD_STATUS_INVALID" doc:"new, seen, done, spam or not_spam; if absent, leads of every status"`
}

func (f leadFilter) read() (formdb.LeadFilter, error) {
	if f.Status == notSpam {
		return formdb.LeadFilter{Form: f.Form, NotSpam: true}, nil
	}
	status := formdb.LeadStatus(f.Status)
	if status != "" && !status.Valid() {
		return formdb.LeadFilter{}, errStatus.At("filter.status")
	}
	return formdb.LeadFilter{Form: f.Form, Status: status}, nil
}

type leadsRequest struct {
	api.Paging
	leadFilter
}

func (fs *Forms) leads(ctx context.Context, c *api.Call, in leadsRequest) (out api.Result[api.Page[leadView]], err error) {
	f, err := in.read()
	if err != nil {
		return out, err
	}
	out.Result.Items, out.Result.Total, out.Result.CurrentPage, err = fs.page(ctx, c, in.Paging, f)
	return out, err
}

// page returns one page of leads with their files.
func (fs *Forms) page(ctx context.Context, c *api.Call, p api.Paging, f formdb.LeadFilter) (views []leadView, total, number int, err error) {
	views = []leadView{}
	number, limit, err := p.Page(leadsPageSize)
	if err != nil {
		return views, 0, number, err
	}
	r := fs.Store.Shop(c.Company)
	rows, total, err := formdb.Leads(ctx, r, f, number, limit)
	if err != nil || len(rows) == 0 {
		return views, total, number, err
	}
	files, err := formdb.LeadFiles(ctx, r, rows)
	for _, l := range rows {
		views = append(views, viewLead(l, files[l.ID]))
	}
	return views, total, number, err
}

type leadsOfFormRequest struct {
	formPath
	api.Paging
}

func (fs *Forms) leadsOfForm(ctx context.Context, c *api.Call, in leadsOfFormRequest) (out api.List[leadView], err error) {
	out.Result = []leadView{}
	if _, _, err := in.Page(leadsPageSize); err != nil {
		return out, err
	}
	if _, err := formdb.Get(ctx, fs.Store.Shop(c.Company), in.ID); err != nil {
		return out, err
	}
	out.Result, out.Total, out.CurrentPage, err = fs.page(ctx, c, in.Paging, formdb.LeadFilter{Form: in.ID})
	return out, err
}

type leadPath struct {
	ID shop.LeadID `path:"id" json:"-"`
}

func (fs *Forms) lead(ctx context.Context, c *api.Call, in leadPath) (out api.Result[leadView], err error) {
	r := fs.Store.Shop(c.Company)
	l, err := formdb.GetLead(ctx, r, in.ID)
	if err != nil {
		return out, err
	}
	files, err := formdb.LeadFiles(ctx, r, []formdb.Lead{l})
	return api.Wrap(viewLead(l, files[l.ID])), err
}

type changeLead struct {
	leadPath
	api.Basis
	Status formdb.LeadStatus `json:"status" len:"64" refuse:"LEAD_STATUS_INVALID" doc:"new, seen, done or spam; unchanged if not sent"`
	Note   *string           `json:"note" len:"5000" refuse:"LEAD_STATUS_INVALID"`
}

// changeLead changes the status and the note of a lead. A lead that was suspected as spam and is
// moved out of it is reported with lead.created then, once. There is no letter, because a member
// of the shop has just read the lead.
func (fs *Forms) changeLead(ctx context.Context, c *api.Call, in changeLead) (out api.Result[leadView], err error) {
	if in.Status != "" && !in.Status.Valid() {
		return out, errStatus.At("status")
	}
	err = fs.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
		l, err := formdb.LockLead(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := tx.CheckBasis(l.UpdatedAt); err != nil {
			return err
		}
		if in.Note != nil {
			l.Note = *in.Note
		}
		report := false
		if in.Status != "" && in.Status != l.Status {
			l.Status, l.SpamReason = in.Status, ""
			report = !l.Emitted && l.Status != formdb.LeadSpam
			l.Emitted = l.Emitted || report
		}
		// Read the files before the move: a lead marked as spam may exceed the spam limit and be
		// removed.
		files, err := formdb.LeadFiles(ctx, tx.Reader, []formdb.Lead{l})
		if err != nil {
			return err
		}
		if err := formdb.UpdateLead(ctx, tx, &l); err != nil {
			return err
		}
		out = api.Wrap(viewLead(l, files[l.ID]))
		if report {
			return recordLeadCreated(ctx, tx, l)
		}
		return nil
	})
	return out, err
}

// recordLeadCreated records the event of a stored lead.
func recordLeadCreated(ctx context.Context, tx *store.Tx, l formdb.Lead) error {
	event := leadEvent{l.ID, l.Form, l.FormName, nil, l.PageURL, nil, l.CreatedAt.UTC(), l.Test}
	if err := errors.Join(json.Unmarshal(l.Answers, &event.Values), json.Unmarshal(l.UTM, &event.UTM)); err != nil {
		return err
	}
	return tx.RecordEvent(ctx, "lead.created", event)
}

func (fs *Forms) deleteLead(ctx context.Context, c *api.Call, in leadPath) (api.None, error) {
	return api.None{}, fs.Store.Write(ctx, c.Company, func(tx *store.Tx) error { return formdb.DeleteLead(ctx, tx, in.ID) })
}
