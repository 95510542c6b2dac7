package form

import (
	"context"
	"encoding/json"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/budget"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

type publicFormRequest struct {
	formPath
	CompanyID shop.CompanyID `query:"company_id" json:"-" doc:"the shop, for callers outside of its storefront"`
}

// publicForm is a form as anybody sees it.
type publicForm struct {
	ID     shop.FormID `json:"id"`
	Name   string      `json:"name"`
	Fields []formField `json:"fields"`
}

func (fs *Forms) publicForm(ctx context.Context, c *api.Call, in publicFormRequest) (api.Result[publicForm], error) {
	company, err := c.Tenant(in.CompanyID, api.ErrNoCompany)
	if err != nil {
		return api.Result[publicForm]{}, err
	}
	f, err := fs.store.Shop(company).Form(ctx, in.ID)
	if err != nil {
		return api.Result[publicForm]{}, err
	}
	v, err := viewForm(f)
	return api.Wrap(publicForm{v.ID, v.Name, v.Fields}), err
}

type leadRequest struct {
	CompanyID shop.CompanyID    `query:"company_id" json:"-" doc:"the shop, for callers outside of its storefront"`
	Form      shop.FormID       `json:"form_id"`
	Values    map[string]string `json:"values" max:"200" len:"body" refuse:"FORM_VALUE_INVALID"` // by the names of the fields; others are left out
	PageURL   string            `json:"page_url" len:"2000" refuse:"FORM_VALUE_INVALID"`
	UTM       map[string]string `json:"utm" max:"10" len:"255" refuse:"FORM_VALUE_INVALID"`
}

type leadCreated struct {
	ID        shop.LeadID `json:"id"`
	CreatedAt time.Time   `json:"created_at"`
}

// leadEvent is the payload of lead.created (document 2, its table of events).
type leadEvent struct {
	Lead      shop.LeadID       `json:"lead_id"`
	Form      shop.FormID       `json:"form_id"`
	FormName  string            `json:"form_name"`
	Values    map[string]string `json:"values"`
	PageURL   string            `json:"page_url,omitempty"`
	UTM       map[string]string `json:"utm"`
	CreatedAt time.Time         `json:"created_at"`
}

// sender is who sends leads with one form.
type sender struct {
	company shop.CompanyID
	form    shop.FormID
	from    netip.Prefix
}

// createLead stores what a visitor sent, and tells of it in the same
// transaction. One form takes so many leads a minute; more are refused before
// they fill the shop. Of these one network has a share, so that it takes several
// to close a form to others. What is not stored does not count.
func (fs *Forms) createLead(ctx context.Context, c *api.Call, in leadRequest) (api.Result[leadCreated], error) {
	var out leadCreated
	company, err := c.Tenant(in.CompanyID, api.ErrNoCompany)
	if err != nil {
		return api.Wrap(out), err
	}
	share, wait := fs.senders.Take(sender{company, in.Form, c.Network()})
	if wait > 0 {
		return api.Wrap(out), shop.ErrRateLimited.With("this form takes 10 leads a minute and address").RetryAfter(budget.Seconds(wait))
	}
	err = fs.store.Write(ctx, company, func(tx *store.Tx) error {
		f, err := tx.Form(ctx, in.Form)
		if err != nil {
			return err
		}
		v, err := viewForm(f)
		if err != nil {
			return err
		}
		if err := in.check(v.Fields); err != nil {
			return err
		}
		if n, err := tx.LeadsSince(ctx, f.ID, fs.now().Add(-time.Minute), leadsAtOnce); err != nil {
			return err
		} else if n >= leadsAtOnce {
			return shop.ErrRateLimited.With("this form takes 60 leads a minute").RetryAfter(60)
		}
		lead := store.Lead{Form: f.ID, PageURL: in.PageURL}
		if lead.Answers, err = json.Marshal(in.Values); err != nil {
			return err
		}
		if lead.UTM, err = json.Marshal(in.UTM); err != nil {
			return err
		}
		if err := tx.InsertLead(ctx, &lead); err != nil {
			return err
		}
		out = leadCreated{lead.ID, lead.CreatedAt.UTC()}
		return tx.RecordEvent(ctx, "lead.created", leadEvent{lead.ID, f.ID, f.Name, in.Values, in.PageURL, in.UTM, out.CreatedAt})
	})
	if err != nil {
		share.GiveBack()
	}
	return api.Wrap(out), err
}

// check holds the values to the fields of the form and leaves the rest out.
func (in *leadRequest) check(fields []formField) error {
	values := map[string]string{}
	for _, f := range fields {
		value := strings.TrimSpace(in.Values[f.Name])
		why := ""
		switch {
		case value == "" && f.Required:
			why = "is required"
		case value == "":
			continue
		case utf8.RuneCountInString(value) > maxValue:
			why = "has more than 5000 characters"
		case f.Type == "email" && !emailLike.MatchString(value):
			why = "is no e-mail address"
		case f.Type == "number" && !numberLike.MatchString(value):
			why = "is no number"
		case f.Type == "select" && !slices.Contains(f.Options, value):
			why = "is none of the options"
		}
		if why != "" {
			return errLead.With(f.Name+" "+why).WithField("field", f.Name)
		}
		values[f.Name] = value
	}
	in.Values = values
	if len(in.PageURL) > maxPageURL {
		return errLead.With("page_url has more than 2000 bytes")
	}
	if in.UTM == nil {
		in.UTM = map[string]string{}
	}
	for name, value := range in.UTM {
		if len(in.UTM) > maxUTM || len(name) > maxFormText || len(value) > maxFormText {
			return errLead.With("utm has more than 10 short values")
		}
	}
	return nil
}

type leadsRequest struct {
	formPath
	api.Paging
}

type leadView struct {
	ID        shop.LeadID     `json:"id"`
	FormID    shop.FormID     `json:"form_id"`
	Values    json.RawMessage `json:"values"`
	PageURL   string          `json:"page_url"`
	UTM       json.RawMessage `json:"utm"`
	CreatedAt time.Time       `json:"created_at"`
}

func (fs *Forms) leads(ctx context.Context, c *api.Call, in leadsRequest) (out api.List[leadView], err error) {
	out.Result = []leadView{}
	number, limit, err := in.Page(leadsPageSize)
	if err != nil {
		return out, err
	}
	r := fs.store.Shop(c.Company)
	if _, err := r.Form(ctx, in.ID); err != nil {
		return out, err
	}
	rows, total, err := r.Leads(ctx, in.ID, number, limit)
	out.Total, out.CurrentPage = total, number
	for _, l := range rows {
		out.Result = append(out.Result, leadView{l.ID, l.Form, l.Answers, l.PageURL, l.UTM, l.CreatedAt.UTC()})
	}
	return out, err
}
