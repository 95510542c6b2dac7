package render

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"vitrine/internal/shop"
)

// Form is a lead form as visitors see it (document 3, 4.1 and 4.6.8).
type Form struct {
	ID     shop.FormID
	Name   string
	Fields []FormField
}

// FormField is one question of a form.
type FormField struct {
	Name     string // of the value in a lead
	Label    string // empty: the name
	Type     string // text, email, tel, number, textarea, select, checkbox or hidden
	Required bool
	Options  []string // of a select

	Value   string // what stands in it already
	Invalid bool   // what stood in it was refused
}

// FormState is where a visitor is with a form.
type FormState uint8

// The states of a form.
const (
	FormOpen    FormState = iota // to be filled in
	FormSent                     // the shop has it
	FormRefused                  // a value makes no sense: its field is Invalid
	FormBusy                     // too many leads in this minute
	FormFailed                   // it could not be sent
)

// FormPage shows a form on a page of its own, which works without a script. It
// posts the values by the names of the fields, FormFrom and FormTrap.
type FormPage struct {
	Frame
	Form  Form
	State FormState
	From  string // shop path with query of the page that the visitor came from; empty: not known
}

// Names of the storefront's own fields; those of forms begin with a letter.
const (
	FormFrom = "_from" // page_url of the lead
	FormTrap = "_more" // nobody sees it, so who fills it in is a program
)

// Where the parts of a form are, behind the address of its page.
const (
	FormThanks = "/sent"   // the page after it was sent
	FormDialog = "/dialog" // the form alone, which the storefront's script opens in place
)

// FormPath is the page of a form.
func FormPath(id shop.FormID) string { return shop.FormPrefix + id.String() }

// Fill puts values into the fields by their names.
func (f *Form) Fill(values url.Values) {
	f.Fields = slices.Clone(f.Fields)
	for i := range f.Fields {
		f.Fields[i].Value = values.Get(f.Fields[i].Name)
	}
}

// AppendFormDialog prints the form of a page alone, as a dialog of its language.
// An error is a fault of the templates; dst is then returned unchanged.
func AppendFormDialog(dst []byte, p *FormPage) ([]byte, error) {
	w := &writer{out: dst, view: newView(p)}
	w.draw("form-dialog")
	if w.err != nil {
		return dst, fmt.Errorf("drawing the dialog of a form: %w", w.err)
	}
	return w.out, nil
}

// formView is what the template of a form sees.
type formView struct {
	*view
	Form    Form
	From    string // the page that it is on, or that the visitor came from
	Problem string // what kept it from being sent, empty where nothing did
	Button  string
}

// Action is where the form is sent to.
func (f formView) Action() string { return FormPath(f.Form.ID) }

// PageForm is the form of a page of its own.
func (v *view) PageForm() formView {
	p := v.Page.(*FormPage)
	return formView{view: v, Form: p.Form, From: p.From, Problem: v.problem(p), Button: v.T.FormSend}
}

// Ask is the form of a widget, which stands on a page among others.
func (w widgetView) Ask() formView {
	return formView{view: w.view, Form: *w.Form, From: w.Path, Button: orElse(w.Props.Text("buttonText"), w.T.FormSend)}
}

// Sent is what stands in the place of a form that was sent.
func (w widgetView) Sent() string { return orElse(w.Props.Text("successText"), w.T.FormThanksText) }

// FormBack is the page that the visitor came from, else the first one.
func (v *view) FormBack() string {
	if from := v.Page.(*FormPage).From; strings.HasPrefix(from, "/") {
		return orElse(string(link(from)), "/")
	}
	return "/"
}

// Sent reports whether the form of the page is in the shop's hands.
func (v *view) Sent() bool { return v.Page.(*FormPage).State == FormSent }

func (v *view) problem(p *FormPage) string {
	switch p.State {
	case FormRefused:
		for _, f := range p.Form.Fields {
			if f.Invalid {
				return v.T.FormCheck + " " + f.Shown()
			}
		}
		return v.T.FormFailed
	case FormBusy:
		return v.T.FormBusy
	case FormFailed:
		return v.T.FormFailed
	}
	return ""
}

// Shown is what the field is called on the page.
func (f FormField) Shown() string { return orElse(f.Label, f.Name) }

// Input is the type of the input element. Numbers are text: shops take a
// comma too.
func (f FormField) Input() string {
	if f.Type == "email" || f.Type == "tel" {
		return f.Type
	}
	return "text"
}

// Autocomplete is what browsers may fill in.
func (f FormField) Autocomplete() string {
	switch {
	case f.Type == "email" || f.Type == "tel":
		return f.Type
	case f.Type == "text" && f.Name == "name":
		return f.Name
	}
	return ""
}
