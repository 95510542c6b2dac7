package form

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/compile/lead"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	formdb "vitrine/internal/store/form"
)

// errForm refuses a form definition; its detail begins with the path of the invalid part, such as
// fields[2].rules.pattern.
var errForm = formdb.ErrTooMany

const (
	maxFormName = 255
	maxSubmit   = 100
)

type formView struct {
	ID        shop.FormID  `json:"id"`
	Name      string       `json:"name"`
	Fields    []lead.Field `json:"fields"`
	Submit    string       `json:"submit_text"`
	Success   lead.Success `json:"success"`
	CreatedAt time.Time    `json:"created_at"`
	UpdatedAt time.Time    `json:"updated_at"`
}

func viewForm(f formdb.Form) (v formView, err error) {
	v = formView{ID: f.ID, Name: f.Name, Submit: f.Submit, CreatedAt: f.CreatedAt.UTC(), UpdatedAt: f.UpdatedAt.UTC()}
	fields, err := lead.Parse(f.Fields)
	v.Fields = append([]lead.Field{}, fields...)
	return v, errors.Join(err, json.Unmarshal(f.Success, &v.Success))
}

type formItem struct {
	Name    string       `json:"name" required:"always" len:"255" refuse:"FORM_INVALID"`
	Fields  []lead.Field `json:"fields" max:"50" refuse:"FORM_INVALID"`
	Submit  string       `json:"submit_text" len:"100" refuse:"FORM_INVALID" doc:"the label of the submit button; empty: the default label"`
	Success lead.Success `json:"success" doc:"what happens after the form is sent: a text, a page of the shop, or a URL"`
}

// check validates the form and returns the row to store.
func (i formItem) check() (f formdb.Form, err error) {
	f.Name, f.Submit = strings.TrimSpace(i.Name), strings.TrimSpace(i.Submit)
	if n := utf8.RuneCountInString(f.Name); n < 1 || n > maxFormName {
		return f, errForm.At("name").With(fmt.Sprintf("1 to %d characters", maxFormName))
	}
	if utf8.RuneCountInString(f.Submit) > maxSubmit || strings.IndexFunc(f.Submit, unicode.IsControl) >= 0 {
		return f, errForm.At("submit_text").With(fmt.Sprintf("at most %d characters on one line", maxSubmit))
	}
	fields := append([]lead.Field{}, i.Fields...)
	var fault *lead.Fault
	for _, err := range []error{lead.Check(fields), i.Success.Check()} {
		if errors.As(err, &fault) {
			return f, errForm.At(fault.At).With(fault.Why)
		}
	}
	if f.Fields, err = json.Marshal(fields); err != nil {
		return f, err
	}
	f.Success, err = json.Marshal(i.Success)
	return f, err
}

type formPath struct {
	ID shop.FormID `path:"id" json:"-"`
}

type saveForm struct {
	Item formItem `json:"item" required:"always"`
}

type updateForm struct {
	formPath
	api.Basis
	saveForm
}

// listedForm is a form in the list of all.
type listedForm struct {
	formView
	Leads int `json:"leads" doc:"how many leads came with it; neither spam nor tests"`
}

func (fs *Forms) forms(ctx context.Context, c *api.Call, _ api.None) (api.Result[[]listedForm], error) {
	views := []listedForm{}
	r := fs.Store.Shop(c.Company)
	rows, err := formdb.List(ctx, r)
	if err != nil {
		return api.Wrap(views), err
	}
	leads, err := formdb.CountLeads(ctx, r)
	for _, f := range rows {
		v, err := viewForm(f)
		if err != nil {
			return api.Wrap(views), err
		}
		views = append(views, listedForm{v, leads[f.ID]})
	}
	return api.Wrap(views), err
}

func (fs *Forms) form(ctx context.Context, c *api.Call, in formPath) (api.Result[formView], error) {
	f, err := formdb.Get(ctx, fs.Store.Shop(c.Company), in.ID)
	if err != nil {
		return api.Result[formView]{}, err
	}
	v, err := viewForm(f)
	return api.Wrap(v), err
}

func (fs *Forms) createForm(ctx context.Context, c *api.Call, in saveForm) (api.Result[formView], error) {
	return fs.saveForm(ctx, c, 0, in.Item)
}

func (fs *Forms) updateForm(ctx context.Context, c *api.Call, in updateForm) (api.Result[formView], error) {
	return fs.saveForm(ctx, c, in.ID, in.Item)
}

func (fs *Forms) saveForm(ctx context.Context, c *api.Call, id shop.FormID, item formItem) (api.Result[formView], error) {
	f, err := item.check()
	if err != nil {
		return api.Result[formView]{}, err
	}
	f.ID, f.CreatedBy = id, c.Person
	err = fs.Store.Write(ctx, c.Company, func(tx *store.Tx) (err error) {
		if id != 0 {
			before, err := formdb.Lock(ctx, tx, id)
			if err != nil {
				return err
			}
			if err := tx.CheckBasis(before.UpdatedAt); err != nil {
				return err
			}
		}
		f, err = formdb.Save(ctx, tx, f)
		return err
	})
	if err != nil {
		return api.Result[formView]{}, err
	}
	v, err := viewForm(f)
	return api.Wrap(v), err
}

func (fs *Forms) deleteForm(ctx context.Context, c *api.Call, in formPath) (api.None, error) {
	return api.None{}, fs.Store.Write(ctx, c.Company, func(tx *store.Tx) error { return formdb.Delete(ctx, tx, in.ID) })
}

type publicFormRequest struct {
	formPath
	CompanyID shop.CompanyID `query:"company_id" json:"-" doc:"the shop, for callers outside its storefront"`
}

// publicForm is a form as the public endpoint returns it.
type publicForm struct {
	ID      shop.FormID  `json:"id"`
	Name    string       `json:"name"`
	Fields  []lead.Field `json:"fields"`
	Submit  string       `json:"submit_text"`
	Success lead.Success `json:"success"`
}

func (fs *Forms) publicForm(ctx context.Context, c *api.Call, in publicFormRequest) (api.Result[publicForm], error) {
	company, err := c.Tenant(in.CompanyID, api.ErrNoCompany)
	if err != nil {
		return api.Result[publicForm]{}, err
	}
	f, err := formdb.Get(ctx, fs.Store.Shop(company), in.ID)
	if err != nil {
		return api.Result[publicForm]{}, err
	}
	v, err := viewForm(f)
	return api.Wrap(publicForm{v.ID, v.Name, v.Fields, v.Submit, v.Success}), err
}
