package render

import (
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
	Submit  string // on the button; empty: the usual word
	Success lead.Success
	Fields  []FormField
}

// FormField is one question of a form, and how far the visitor is with it.
type FormField struct {
	lead.Field

	Value   string // what stands in it already; of a file its name
	Kept    string // the id of a file that the shop has already
	Problem Problem
}

// Problem is why a value was refused; zero: it was not.
type Problem struct {
	Rule  lead.Rule
	Limit string
}

// FormState is where a visitor is with a form.
type FormState uint8

// The states of a form.
const (
	FormOpen    FormState = iota // to be filled in
	FormSent                     // the shop has it
	FormRefused                  // a value makes no sense: its field has a Problem
	FormBusy                     // too many leads in this minute
	FormFailed                   // it could not be sent
	FormProof                    // the page's script has to work for it first
)

// FormPage shows a form on a page of its own, which works without a script. It
// posts the values by the names of the fields, FormFrom and FormTrap.
type FormPage struct {
	Frame
	Form  Form
	State FormState
	From  string // shop path with query of the page that the visitor came from; empty: not known
	Token string // says when the form was shown, once; empty: nobody knows
	Place string // FormInPlace in a widget of another page; empty: on its own
	Work  int    // bits of the proof that the script has to find, in the state FormProof
}

// Names of the storefront's own fields; those of forms begin with a letter.
const (
	FormFrom  = "_from"  // page_url of the lead
	FormTrap  = "_more"  // nobody sees it, so who fills it in is a program
	FormToken = "_token" // says when the form was shown
	FormProve = "_proof" // what the script has worked out
	FormKept  = "_kept_" // before the name of a field: the id of a file that was sent before, and its name
)

// FormInPlace is what the script sends in X-Requested-With for a form of a widget.
const FormInPlace = "w"

// Where the parts of a form are, behind the address of its page.
const (
	FormThanks = "/sent"   // the page after it was sent
	FormDialog = "/dialog" // the form alone, which the storefront's script opens in place
)

// FormPath is the page of a form.
func FormPath(id shop.FormID) string { return shop.FormPrefix + id.String() }

// Fill puts values into the fields by their names, and files that were sent before.
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

// Prefill puts in what a link says. What a visitor agrees to, and sends along, is for the
// visitor alone to say.
func (f *Form) Prefill(values url.Values) {
	f.Fill(values)
	for i := range f.Fields {
		if x := &f.Fields[i]; x.Type == lead.Consent || x.Type == lead.File {
			x.Value, x.Kept = "", ""
		}
	}
}

// Leads is the address that follows on the form, empty for a text, in ASCII: scripts read
// other bytes of a header as other characters.
func (f *Form) Leads() string { return encoded(f.Success.URL) }

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

// AppendFormAlone prints the form of a page and nothing around it, for a page that has
// it already. Errors are as of AppendFormDialog.
func AppendFormAlone(dst []byte, p *FormPage) ([]byte, error) {
	w := &writer{out: dst, view: newView(p)}
	w.draw("form-alone")
	if w.err != nil {
		return dst, fmt.Errorf("drawing a form alone: %w", w.err)
	}
	return w.out, nil
}

// formView is what the template of a form sees.
type formView struct {
	*view
	Form    Form
	Place   string // f on a page of its own or in a dialog, w in a widget: both can be seen at once
	From    string // the page that it is on, or that the visitor came from
	Token   string
	Work    int
	Problem string // what kept it from being sent, empty where nothing did
	Button  string
}

// Action is where the form is sent to.
func (f formView) Action() string { return FormPath(f.Form.ID) }

// Encoding is how it is sent.
func (f formView) Encoding() string {
	if slices.ContainsFunc(f.Form.Fields, func(x FormField) bool { return x.Type == lead.File }) {
		return "multipart/form-data"
	}
	return ""
}

// Worker is the script that works a proof out, which nobody loads before it is asked for.
func (f formView) Worker() string { return packed().proof.Path }

// Asked are the fields with the words that they are shown in.
func (f formView) Asked() (list []askedView) {
	first := true
	for _, x := range f.Form.Fields {
		v := askedView{FormField: x, place: f.Place + f.Form.ID.String(), words: f.T}
		v.First, first = first && v.Invalid(), first && !v.Invalid()
		list = append(list, v)
	}
	return list
}

// PageForm is the form of a page of its own.
func (v *view) PageForm() formView {
	p := v.Page.(*FormPage)
	return formView{
		view: v, Form: p.Form, Place: orElse(p.Place, "f"), From: p.From, Token: p.Token, Work: p.Work, Problem: v.problem(p), Button: orElse(p.Form.Submit, v.T.FormSend),
	}
}

// Thanks is what a visitor reads when the form was sent.
func (f formView) Thanks() string { return orElse(f.Form.Success.Text, f.T.FormThanksText) }

// Ask is the form of a widget, which stands on a page among others. Pages are kept, so
// the script asks for its token.
func (w widgetView) Ask() formView {
	button := orElse(w.Props.Text("buttonText"), orElse(w.Form.Submit, w.T.FormSend))
	return formView{view: w.view, Form: *w.Form, Place: FormInPlace, From: w.Path, Button: button}
}

// Sent is what stands in the place of a form that was sent.
func (w widgetView) Sent() string { return orElse(w.Props.Text("successText"), w.Ask().Thanks()) }

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

// askedView is a field with the words of the page.
type askedView struct {
	FormField
	First bool // of those that were refused
	place string
	words *words
}

// ID names the input in its page.
func (f askedView) ID() string { return "v-" + f.place + "-" + f.Name }

// Invalid reports whether what stood in the field was refused.
func (f askedView) Invalid() bool { return f.FormField.Problem.Rule != "" }

// Problem is why, in words.
func (f askedView) Problem() string {
	p := f.FormField.Problem
	if p.Rule == "" {
		return ""
	}
	text := f.words.FormRules[p.Rule]
	if p.Rule == lead.Type {
		text = orElse(f.words.FormTypes[f.Type], text)
	}
	limit := p.Limit
	if p.Rule == lead.MaxSize {
		limit = f.size()
	}
	return strings.ReplaceAll(text, "%", limit)
}

// Hint is what is said of the field before anything is filled in.
func (f askedView) Hint() string {
	if f.Type != lead.File {
		return f.Help
	}
	return strings.TrimSpace(f.Help + " " + f.TooLarge())
}

// TooLarge is how large a file may be, in words.
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

// Described names what is said of the field, for readers of screens.
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

// Takes are the names of files that may be chosen.
func (f askedView) Takes() string { return lead.FileNames() }

// More is the link to what a consent is about.
func (f askedView) More() string { return f.words.FormMore }

// KeptText says that a file need not be chosen again.
func (f askedView) KeptText() string { return strings.ReplaceAll(f.words.FormKept, "%", f.Value) }

// Away is the document that a consent is about.
func (f askedView) Away() template.URL { return link(f.URL) }

// Input is the type of the input element. Numbers are text: shops take a
// comma too.
func (f FormField) Input() string {
	switch f.Type {
	case lead.Email, lead.Date:
		return string(f.Type)
	case lead.Phone:
		return "tel"
	}
	return "text"
}

// Autocomplete is what browsers may fill in.
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
