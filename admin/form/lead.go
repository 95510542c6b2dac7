package form

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/compile/lead"
	"vitrine/internal/budget"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	formdb "vitrine/internal/store/form"
)

// errLead refuses a value: `field` names the field, `rule` the broken rule, and `limit` its
// limit.
var errLead = shop.Refuse(shop.InvalidArgument, "FORM_VALUE_INVALID").When("a value breaks a rule of its field; field, rule and limit say which")

const (
	maxPageURL = 2000
	maxUTM     = 10
	maxUTMText = 255
)

type leadRequest struct {
	CompanyID shop.CompanyID    `query:"company_id" json:"-" doc:"the shop, for callers outside its storefront"`
	Form      shop.FormID       `json:"form_id" required:"always"`
	Values    map[string]string `json:"values" max:"200" len:"body" refuse:"FORM_VALUE_INVALID" doc:"by field name, unknown names are ignored; for a file the id returned by its upload"`
	PageURL   string            `json:"page_url" len:"2000" refuse:"FORM_VALUE_INVALID"`
	UTM       map[string]string `json:"utm" max:"10" len:"255" refuse:"FORM_VALUE_INVALID"`
	Token     string            `json:"token" len:"64" refuse:"FORM_VALUE_INVALID" doc:"the token of the page that shows the form; optional"`
	Proof     *string           `json:"proof" len:"64" refuse:"FORM_VALUE_INVALID" doc:"proof of work; empty if the page can compute one when asked to"`
	Trap      string            `json:"trap" len:"5000" refuse:"FORM_VALUE_INVALID" doc:"the value of the hidden trap field"`
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
	Test      bool              `json:"test,omitempty"`
}

// consent is a text that a visitor agreed to, as the form showed it at that time.
type consent struct {
	Field string    `json:"field"`
	Text  string    `json:"text"`
	URL   string    `json:"url,omitempty"`
	At    time.Time `json:"at"`
}

// createLead stores a lead and, unless it looks like spam, records its event in the same
// transaction. A lead that is not stored does not count against the limits.
func (fs *Forms) createLead(ctx context.Context, c *api.Call, in leadRequest) (api.Result[leadCreated], error) {
	var out leadCreated
	company, err := c.Tenant(in.CompanyID, api.ErrNoCompany)
	if err != nil {
		return api.Wrap(out), err
	}
	why, err := fs.judgePage(ctx, company, &in)
	if err != nil {
		return api.Wrap(out), err
	}
	taken, err := fs.admit(sender{formKey{company, in.Form}, c.Network()}, &in, why)
	if err != nil {
		return api.Wrap(out), err
	}
	err = fs.Store.Write(ctx, company, func(tx *store.Tx) error {
		l, err := fs.read(ctx, tx, c, &in)
		if err != nil {
			return err
		}
		if why == "" {
			if why, err = fs.judgeHistory(ctx, tx, &in, l.Lead); err != nil {
				return err
			}
		}
		if why != "" {
			if _, wait := fs.spamBudgets.Take(formKey{company, in.Form}); wait > 0 {
				return shop.ErrRateLimited.With("this form gets too many leads").RetryAfter(budget.Seconds(wait))
			}
			l.Status, l.SpamReason, l.Emitted = formdb.LeadSpam, string(why), false
		}
		out, err = fs.storeLead(ctx, tx, l)
		return err
	})
	if err != nil {
		taken.GiveBack()
	}
	return api.Wrap(out), err
}

// admit counts a lead against the budget of its network. A network that has used up its budget
// may continue with proofs, up to a further limit.
func (fs *Forms) admit(from sender, in *leadRequest, why suspicion) (budget.Attempt, error) {
	taken, wait := fs.leadBudgets.Take(from)
	if wait == 0 {
		return taken, nil
	}
	if why == "" && in.canProve() {
		return taken, errProof
	}
	if why == "" && in.proven() {
		if taken, wait = fs.provenBudgets.Take(from); wait == 0 {
			return taken, nil
		}
	}
	return taken, shop.ErrRateLimited.With(fmt.Sprintf("this form accepts %d leads a minute from one address", leadsPerNetwork)).RetryAfter(budget.Seconds(wait))
}

// parsedLead is a parsed lead with the data needed to store it.
type parsedLead struct {
	formdb.Lead
	values map[string]string
	utm    map[string]string
	files  []uuid.UUID
}

// read validates the values against the fields of the form and drops unknown ones. It locks the
// form, so that its leads are processed one after another.
func (fs *Forms) read(ctx context.Context, tx *store.Tx, c *api.Call, in *leadRequest) (l parsedLead, err error) {
	f, err := formdb.Lock(ctx, tx, in.Form)
	if err != nil {
		return l, err
	}
	fields, err := lead.Parse(f.Fields)
	if err != nil {
		return l, err
	}
	l.Lead = formdb.Lead{Form: f.ID, FormName: f.Name, PageURL: in.PageURL, Status: formdb.LeadNew, Emitted: true, Token: in.Token, CreatedAt: fs.Now().UTC()}
	l.values = map[string]string{}
	prints, consents := map[string]string{}, []consent{}
	for i := range fields {
		x := &fields[i]
		value, refused := x.Read(in.Values[x.Name])
		if refused != nil {
			return l, invalid(x, *refused)
		}
		if value == "" {
			continue
		}
		l.values[x.Name], prints[x.Name] = value, value
		switch {
		case x.Type == lead.Email && l.Email == "":
			l.Email = strings.ToLower(value)
		case x.Type == lead.Consent:
			consents = append(consents, consent{x.Name, x.Label, x.URL, l.CreatedAt})
		case x.Type == lead.File:
			file, err := fs.waitingFile(ctx, tx, f.ID, x, value)
			if err != nil {
				return l, err
			}
			l.values[x.Name], prints[x.Name], l.files = file.Name, file.SHA256, append(l.files, file.ID)
		}
	}
	l.AnswersHash = fingerprint(f.ID, fields, prints, c.Network())
	if l.utm = in.UTM; l.utm == nil {
		l.utm = map[string]string{}
	}
	for name, value := range l.utm {
		if len(l.utm) > maxUTM || len(name) > maxUTMText || len(value) > maxUTMText {
			return l, errLead.At("utm").With("at most 10 entries of 255 bytes each")
		}
	}
	if len(in.PageURL) > maxPageURL {
		return l, errLead.At("page_url").With("at most 2000 bytes")
	}
	var bad [3]error
	l.Answers, bad[0] = json.Marshal(l.values)
	l.UTM, bad[1] = json.Marshal(l.utm)
	l.Consents, bad[2] = json.Marshal(consents)
	return l, errors.Join(bad[:]...)
}

// waitingFile returns a file uploaded for a field.
func (fs *Forms) waitingFile(ctx context.Context, tx *store.Tx, form shop.FormID, f *lead.Field, value string) (file formdb.File, err error) {
	id, bad := uuid.Parse(value)
	if bad == nil {
		file, err = formdb.LockUnattachedFile(ctx, tx, form, f.Name, id)
	}
	if bad != nil || errors.Is(err, formdb.ErrFileNotFound) {
		err = invalid(f, lead.Refused{Field: f.Name, Rule: lead.Type})
	}
	return file, err
}

// invalid returns the refusal of a value.
func invalid(f *lead.Field, r lead.Refused) error {
	err := errLead.At("values."+r.Field).With(f.Says(r)).WithField("field", r.Field).WithField("rule", string(r.Rule))
	if r.Limit != "" {
		err = err.WithField("limit", r.Limit)
	}
	return err
}

// storeLead stores a lead with its files and records its event, unless the lead is not to be
// reported.
func (fs *Forms) storeLead(ctx context.Context, tx *store.Tx, l parsedLead) (out leadCreated, err error) {
	if err := formdb.InsertLead(ctx, tx, &l.Lead); err != nil {
		return out, err
	}
	if err := formdb.AttachFiles(ctx, tx, l.ID, l.files); err != nil {
		return out, err
	}
	out = leadCreated{l.ID, l.CreatedAt}
	if !l.Emitted {
		return out, nil
	}
	return out, tx.RecordEvent(ctx, "lead.created", leadEvent{l.ID, l.Form, l.FormName, l.values, l.PageURL, l.utm, l.CreatedAt, l.Test})
}

type testRequest struct {
	formPath
	Values map[string]string `json:"values" max:"200" len:"body" refuse:"FORM_VALUE_INVALID" doc:"validated against the fields; without values each field gets a sample value"`
}

// testForm creates a lead marked as a test, so that an owner can see the effects of one.
func (fs *Forms) testForm(ctx context.Context, c *api.Call, in testRequest) (out api.Result[leadCreated], err error) {
	err = fs.Store.Write(ctx, c.Company, func(tx *store.Tx) error {
		l, err := fs.readTest(ctx, tx, c, in)
		if err != nil {
			return err
		}
		l.Test, l.AnswersHash = true, ""
		out.Result, err = fs.storeLead(ctx, tx, l)
		return err
	})
	return out, err
}

func (fs *Forms) readTest(ctx context.Context, tx *store.Tx, c *api.Call, in testRequest) (l parsedLead, err error) {
	if len(in.Values) > 0 {
		return fs.read(ctx, tx, c, &leadRequest{Form: in.ID, Values: in.Values})
	}
	f, err := formdb.Lock(ctx, tx, in.ID)
	if err != nil {
		return l, err
	}
	fields, err := lead.Parse(f.Fields)
	if err != nil {
		return l, err
	}
	l = parsedLead{values: map[string]string{}, utm: map[string]string{}}
	l.Lead = formdb.Lead{Form: f.ID, FormName: f.Name, Status: formdb.LeadNew, Emitted: true, CreatedAt: fs.Now().UTC(), UTM: json.RawMessage("{}"), Consents: json.RawMessage("[]")}
	for i := range fields {
		if value := fields[i].Sample(); value != "" {
			l.values[fields[i].Name] = value
		}
	}
	l.Answers, err = json.Marshal(l.values)
	return l, err
}
