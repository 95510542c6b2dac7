package render

import (
	"cmp"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vitrine/compile/lead"
	"vitrine/internal/shop"
)

// Form is a lead form as visitors see it (document 3, 4.1 and 4.6.8).
type Form struct {
	ID      shop.FormID
	Name    string
	Submit  string // label of the button; empty: the default one
	Success lead.Success
	Fields  []FormField
}

// FormField is one question of a form with the visitor's input.
type FormField struct {
	lead.Field

	Value   string // its current value; for a file its name
	Kept    string // the id of a file that is already uploaded
	Problem Problem
}

// Problem is the reason why a value was refused; zero: it was not.
type Problem struct {
	Rule  lead.Rule
	Limit string
}

// FormState is the progress of a visitor with a form.
type FormState uint8

// The states of a form.
const (
	FormOpen    FormState = iota // to be filled in
	FormSent                     // the shop has received it
	FormRefused                  // a value is invalid: its field has a Problem
	FormBusy                     // too many leads within this minute
	FormFailed                   // it could not be sent
	FormProof                    // the page's script must first compute a proof of work
)

// FormPage shows a form on its own page, which works without a script. It posts the values by
// the names of the fields, FormFrom and FormTrap.
type FormPage struct {
	Frame
	Form  Form
	State FormState
	From  string // shop path with query of the page that the visitor came from; empty: unknown
	Token string // records when the form was shown, valid once; empty: unknown
	Place string // FormInPlace in a widget of another page; empty: on its own
	Work  int    // bits of the proof of work that the script has to find, in the state FormProof
}

// Names of the storefront's own fields; those of forms begin with a letter.
const (
	FormFrom  = "_from"  // page_url of the lead
	FormTrap  = "_more"  // invisible, so only a program fills it in
	FormToken = "_token" // records when the form was shown
	FormProve = "_proof" // the proof of work that the script computed
	FormKept  = "_kept_" // before the name of a field: the id of a file uploaded before, and its name
)

// FormInPlace is the value of X-Requested-With that the script sends for a form of a widget.
const FormInPlace = "w"

// Suffixes of the address of a form's page.
const (
	FormThanks = "/sent"   // the page shown after submission
	FormDialog = "/dialog" // the form alone, which the storefront's script opens in place
)

// FormPath is the page of a form.
func FormPath(id shop.FormID) string { return shop.FormPrefix + id.String() }

// Fill puts values and previously uploaded files into the fields by their names.
func (f *Form) Fill(values url.Values) {
	f.Fields = slices.Clone(f.Fields)
	for i := range f.Fields {
		x := &f.Fields[i]
		if x.Type == lead.File {
			x.Kept, x.Value, _ = strings.Cut(values.Get(FormKept+x.Name), " ")
			continue
		}
		x.Value = values.Get(x.Name)
	}
}

// Prefill fills in the values of a link. It skips consents and files: only the visitor may
// give those.
func (f *Form) Prefill(values url.Values) {
	f.Fill(values)
	for i := range f.Fields {
		if x := &f.Fields[i]; x.Type == lead.Consent || x.Type == lead.File {
			x.Value, x.Kept = "", ""
		}
	}
}

// Leads is the address to open after submission, empty if a text is shown instead. It is
// encoded as ASCII because scripts decode other bytes of a header as different characters.
func (f *Form) Leads() string { return encoded(f.Success.URL) }

// AppendFormDialog prints the form of a page alone, as a dialog in the page's language. An
// error means a fault in the templates; dst is then returned unchanged.
func AppendFormDialog(dst []byte, p *FormPage) ([]byte, error) {
	w := &writer{out: dst, view: newView(p)}
	w.draw("form-dialog")
	if w.err != nil {
		return dst, fmt.Errorf("drawing the dialog of a form: %w", w.err)
	}
	return w.out, nil
}

// AppendFormAlone prints the form of a page and nothing around it, for a page that already
// contains it. Its errors are those of AppendFormDialog.
func AppendFormAlone(dst []byte, p *FormPage) ([]byte, error) {
	w := &writer{out: dst, view: newView(p)}
	w.draw("form-alone")
	if w.err != nil {
		return dst, fmt.Errorf("drawing a form alone: %w", w.err)
	}
	return w.out, nil
}

// formView is the data of a form's template.
type formView struct {
	*view
	Form    Form
	Place   string // f on its own page or in a dialog, w in a widget: both can be visible at once
	From    string // the page that contains it, or that the visitor came from
	Token   string
	Work    int
	Problem string // why it could not be sent, empty if nothing failed
	Button  string
}

// Action is the address the form is posted to.
func (f formView) Action() string { return FormPath(f.Form.ID) }

// Encoding is the enctype of the form.
func (f formView) Encoding() string {
	if slices.ContainsFunc(f.Form.Fields, func(x FormField) bool { return x.Type == lead.File }) {
		return "multipart/form-data"
	}
	return ""
}

// Worker is the address of the script that computes a proof; it is loaded only on demand.
func (f formView) Worker() string { return packed().proof.Path }

// Asked lists the fields with the texts of the page's language.
func (f formView) Asked() (list []askedView) {
	first := true
	for _, x := range f.Form.Fields {
		v := askedView{FormField: x, place: f.Place + f.Form.ID.String(), words: f.T}
		v.First, first = first && v.Invalid(), first && !v.Invalid()
		list = append(list, v)
	}
	return list
}

// PageForm is the form of a form page.
func (v *view) PageForm() formView {
	p := v.Page.(*FormPage)
	return formView{
		view: v, Form: p.Form, Place: cmp.Or(p.Place, "f"), From: p.From, Token: p.Token, Work: p.Work, Problem: v.problem(p), Button: cmp.Or(p.Form.Submit, v.T.FormSend),
	}
}

// Thanks is the text shown after the form was sent.
func (f formView) Thanks() string { return cmp.Or(f.Form.Success.Text, f.T.FormThanksText) }

// Ask is the form of a widget, one of several on a page. Pages are cached, so the script
// requests the form's token.
func (w widgetView) Ask() formView {
	button := cmp.Or(w.Props.Text("buttonText"), cmp.Or(w.Form.Submit, w.T.FormSend))
	return formView{view: w.view, Form: *w.Form, Place: FormInPlace, From: w.Path, Button: button}
}

// Sent is the text shown in place of a form that was sent.
func (w widgetView) Sent() string { return cmp.Or(w.Props.Text("successText"), w.Ask().Thanks()) }

// FormBack is the page that the visitor came from, else the home page.
func (v *view) FormBack() string {
	if from := v.Page.(*FormPage).From; strings.HasPrefix(from, "/") {
		return cmp.Or(string(link(from)), "/")
	}
	return "/"
}

// Sent reports whether the shop has received the form of the page.
func (v *view) Sent() bool { return v.Page.(*FormPage).State == FormSent }

func (v *view) problem(p *FormPage) string {
	switch p.State {
	case FormRefused:
		if slices.ContainsFunc(p.Form.Fields, func(x FormField) bool { return x.Problem.Rule != "" }) {
			return v.T.FormCheck
		}
		return v.T.FormFailed
	case FormBusy:
		return v.T.FormBusy
	case FormFailed:
		return v.T.FormFailed
	}
	return ""
}

// askedView is a field with the texts of the page's language.
type askedView struct {
	FormField
	First bool // the first refused field
	place string
	words *words
}

// ID is the id of the input in its page.
func (f askedView) ID() string { return "v-" + f.place + "-" + f.Name }

// Invalid reports whether the field's value was refused.
func (f askedView) Invalid() bool { return f.FormField.Problem.Rule != "" }

// Problem describes why the value was refused.
func (f askedView) Problem() string {
	p := f.FormField.Problem
	if p.Rule == "" {
		return ""
	}
	text := f.words.FormRules[p.Rule]
	if p.Rule == lead.Type {
		text = cmp.Or(f.words.FormTypes[f.Type], text)
	}
	limit := p.Limit
	if p.Rule == lead.MaxSize {
		limit = f.size()
	}
	return strings.ReplaceAll(text, "%", limit)
}

// Hint is the help text shown below the field.
func (f askedView) Hint() string {
	if f.Type != lead.File {
		return f.Help
	}
	return strings.TrimSpace(f.Help + " " + f.TooLarge())
}

// TooLarge describes the maximum size of a file.
func (f askedView) TooLarge() string {
	return strings.ReplaceAll(f.words.FormRules[lead.MaxSize], "%", f.size())
}

func (f askedView) size() string {
	bytes := f.MaxSize()
	if bytes >= 1<<20 {
		return strings.Replace(strings.TrimSuffix(strconv.FormatFloat(float64(bytes)/(1<<20), 'f', 1, 64), ".0"), ".", f.words.FormPoint, 1) + " " + f.words.FormMB
	}
	return strconv.FormatInt(max(1, bytes>>10), 10) + " " + f.words.FormKB
}

// Described lists the ids of the texts that describe the field, for screen readers.
func (f askedView) Described() string {
	var ids []string
	if f.Hint() != "" {
		ids = append(ids, f.ID()+"-hint")
	}
	if f.Invalid() {
		ids = append(ids, f.ID()+"-problem")
	}
	return strings.Join(ids, " ")
}

// Accept lists the accepted file names, for the accept attribute.
func (f askedView) Accept() string { return lead.FileNames() }

// More is the text of the link to the document of a consent.
func (f askedView) More() string { return f.words.FormMore }

// KeptText states that an uploaded file need not be chosen again.
func (f askedView) KeptText() string { return strings.ReplaceAll(f.words.FormKept, "%", f.Value) }

// ConsentURL is the address of the document of a consent.
func (f askedView) ConsentURL() template.URL { return link(f.URL) }

// Input is the type of the input element. Numbers use type text because shops also accept a
// comma.
func (f FormField) Input() string {
	switch f.Type {
	case lead.Email, lead.Date:
		return string(f.Type)
	case lead.Phone:
		return "tel"
	}
	return "text"
}

// Autocomplete is the autocomplete attribute of the input.
func (f FormField) Autocomplete() string {
	switch {
	case f.Type == lead.Email:
		return "email"
	case f.Type == lead.Phone:
		return "tel"
	case f.Type == lead.Text && f.Name == "name":
		return f.Name
	}
	return ""
}
