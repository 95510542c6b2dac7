package form

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
)

var (
	errForm = shop.Refuse(shop.InvalidArgument, "FORM_INVALID").When("a form's name or one of its fields makes no sense")
	errLead = shop.Refuse(shop.InvalidArgument, "FORM_VALUE_INVALID").When("a value is missing, too long or not of the type of its field")
)

const (
	maxFields     = 50
	maxFormText   = 255
	maxValue      = 5000 // characters
	maxPageURL    = 2000
	leadsAtOnce   = 60 // of one form, in a minute
	leadsOfOne    = 10 // of these, from one network
	maxUTM        = 10
	leadsPageSize = 20
)

// formField is one question.
type formField struct {
	Name     string   `json:"name" len:"64" refuse:"FORM_INVALID"` // of the value in a lead
	Label    string   `json:"label" len:"255" refuse:"FORM_INVALID"`
	Type     string   `json:"type" enum:"text,email,tel,number,textarea,select,checkbox,hidden" len:"255" refuse:"FORM_INVALID"`
	Required bool     `json:"required"`
	Options  []string `json:"options" max:"100" len:"5000" refuse:"FORM_INVALID"` // of a select
}

var (
	fieldTypes = []string{"text", "email", "tel", "number", "textarea", "select", "checkbox", "hidden"}
	fieldName  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)
	emailLike  = regexp.MustCompile(`^[^@\s]+@[^@\s]+$`)
	numberLike = regexp.MustCompile(`^-?[0-9]+([.,][0-9]+)?$`)
)

type formView struct {
	ID        shop.FormID `json:"id"`
	Name      string      `json:"name"`
	Fields    []formField `json:"fields"`
	CreatedAt time.Time   `json:"created_at"`
	UpdatedAt time.Time   `json:"updated_at"`
}

func viewForm(f store.Form) (formView, error) {
	v := formView{ID: f.ID, Name: f.Name, CreatedAt: f.CreatedAt.UTC(), UpdatedAt: f.UpdatedAt.UTC()}
	err := json.Unmarshal(f.Fields, &v.Fields)
	return v, err
}

type formItem struct {
	Name   string      `json:"name" len:"255" refuse:"FORM_INVALID"`
	Fields []formField `json:"fields" max:"50" refuse:"FORM_INVALID"`
}

// check returns the form as it is stored.
func (i formItem) check() (f store.Form, err error) {
	f.Name = strings.TrimSpace(i.Name)
	if n := utf8.RuneCountInString(f.Name); n < 1 || n > maxFormText {
		return f, errForm.With("name has 1 to 255 characters")
	}
	if len(i.Fields) > maxFields {
		return f, errForm.With("a form has at most 50 fields")
	}
	names, fields := map[string]bool{}, []formField{}
	for _, field := range i.Fields {
		if field.Options == nil {
			field.Options = []string{}
		}
		if field.Type == "" {
			field.Type = "text"
		}
		switch {
		case !fieldName.MatchString(field.Name), names[field.Name]:
			err = errForm.With("every field has a name of its own: a letter, then letters, digits, _ and -, at most 64")
		case !slices.Contains(fieldTypes, field.Type):
			err = errForm.With(field.Name + ": the type is one of " + strings.Join(fieldTypes, ", "))
		case utf8.RuneCountInString(field.Label) > maxFormText, len(field.Options) > 2*maxFields, len(strings.Join(field.Options, "")) > maxValue:
			err = errForm.With(field.Name + ": the label or the options are too long")
		case field.Type == "select" && len(field.Options) == 0:
			err = errForm.With(field.Name + ": a select has options")
		}
		if err != nil {
			return f, err
		}
		names[field.Name] = true
		fields = append(fields, field)
	}
	f.Fields, err = json.Marshal(fields)
	return f, err
}

type formPath struct {
	ID shop.FormID `path:"id" json:"-"`
}

type saveForm struct {
	Item formItem `json:"item"`
}

type updateForm struct {
	formPath
	saveForm
}

func (fs *Forms) forms(ctx context.Context, c *api.Call, _ api.None) (api.Result[[]formView], error) {
	views := []formView{}
	rows, err := fs.store.Shop(c.Company).Forms(ctx)
	for _, f := range rows {
		v, err := viewForm(f)
		if err != nil {
			return api.Wrap(views), err
		}
		views = append(views, v)
	}
	return api.Wrap(views), err
}

func (fs *Forms) form(ctx context.Context, c *api.Call, in formPath) (api.Result[formView], error) {
	f, err := fs.store.Shop(c.Company).Form(ctx, in.ID)
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
	err = fs.store.Write(ctx, c.Company, func(tx *store.Tx) (err error) {
		f, err = tx.SaveForm(ctx, f)
		return err
	})
	if err != nil {
		return api.Result[formView]{}, err
	}
	v, err := viewForm(f)
	return api.Wrap(v), err
}

func (fs *Forms) deleteForm(ctx context.Context, c *api.Call, in formPath) (api.None, error) {
	return api.None{}, fs.store.Write(ctx, c.Company, func(tx *store.Tx) error { return tx.DeleteForm(ctx, in.ID) })
}
