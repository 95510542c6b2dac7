// Package lead defines the fields of lead forms (document 3, 4.1; CONTRACT-COMMERCE, "Forms and
// leads"): what a form may ask, and which values are valid.
//
// A field has a kind and rules. Kinds are rows of one table, which is used to check a form, to
// validate a value and to draw a field:
//
//	text, textarea       min_length, max_length, pattern
//	email, phone         min_length, max_length, pattern
//	number               min, max
//	date                 min, max, as YYYY-MM-DD
//	select, radio        one of the options
//	checkbox             yes, or nothing
//	consent              yes, or nothing; its label is the wording of the consent, its url
//	                     the document it refers to
//	file                 max_size, in bytes
//	hidden               set by the page
//
// Lengths count UTF-16 units with a line break as one, like browsers do, so that page and server
// agree on every text. A pattern is an RE2 expression that matches a whole value; matching takes
// linear time for any input. Pages get it as an equivalent JavaScript expression (Field.Pattern),
// or not at all.
//
// The package is pure: it has no access to a shop, and handles files only by name.
package lead

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is the type of a field.
type Kind string

// The kinds.
const (
	Text     Kind = "text"
	Textarea Kind = "textarea"
	Email    Kind = "email"
	Phone    Kind = "phone"
	Number   Kind = "number"
	Select   Kind = "select"
	Radio    Kind = "radio"
	Checkbox Kind = "checkbox"
	Date     Kind = "date"
	File     Kind = "file"
	Consent  Kind = "consent"
	Hidden   Kind = "hidden"
)

// has is a row of the table: the rules and other members that a kind supports.
type has struct {
	kind                                         Kind
	length, limits, options, size, link, example bool
}

var kinds = []has{
	{kind: Text, length: true, example: true}, {kind: Textarea, length: true, example: true},
	{kind: Email, length: true, example: true}, {kind: Phone, length: true, example: true},
	{kind: Number, limits: true, example: true}, {kind: Select, options: true}, {kind: Radio, options: true}, {kind: Checkbox},
	{kind: Date, limits: true}, {kind: File, size: true}, {kind: Consent, link: true}, {kind: Hidden},
}

// Values lists the kinds as texts.
func (Kind) Values() []string {
	texts := make([]string, len(kinds))
	for i, h := range kinds {
		texts[i] = string(h.kind)
	}
	return texts
}

func (k Kind) row() (has, bool) {
	at := slices.IndexFunc(kinds, func(h has) bool { return h.kind == k })
	if at < 0 {
		return has{}, false
	}
	return kinds[at], true
}

// Limits of a form and of its values.
const (
	MaxFields  = 50
	MaxFiles   = 5 // fields of kind file
	MaxValue   = 5000
	MaxFile    = 10 << 20 // bytes
	MaxOptions = 100
	maxLabel   = 255
	maxConsent = 1000
	maxHelp    = 500
	maxAddress = 2000
	maxPhone   = 40
	maxNumber  = 40
	maxEmail   = 254
)

// Field is a question of a form.
type Field struct {
	Name        string   `json:"name" required:"always" len:"64" refuse:"FORM_INVALID"` // key of the value in a lead
	Label       string   `json:"label" len:"1000" refuse:"FORM_INVALID"`                // empty: the name; for a consent its wording
	Type        Kind     `json:"type" len:"255" refuse:"FORM_INVALID"`
	Required    bool     `json:"required"`
	Options     []string `json:"options" max:"100" len:"5000" refuse:"FORM_INVALID"` // of a select or radio
	Placeholder string   `json:"placeholder,omitempty" len:"255" refuse:"FORM_INVALID"`
	Help        string   `json:"help,omitempty" len:"500" refuse:"FORM_INVALID"`
	URL         string   `json:"url,omitempty" len:"2000" refuse:"FORM_INVALID"` // of a consent: the document it refers to
	Rules       Rules    `json:"rules"`
}

// Rules restrict a value. Zero values don't restrict.
type Rules struct {
	MinLength int    `json:"min_length,omitempty"`
	MaxLength int    `json:"max_length,omitempty"`
	Pattern   string `json:"pattern,omitempty" len:"200" refuse:"FORM_INVALID" spaces:"kept"`
	Min       Limit  `json:"min,omitempty" len:"40" refuse:"FORM_INVALID"`
	Max       Limit  `json:"max,omitempty" len:"40" refuse:"FORM_INVALID"`
	MaxSize   int64  `json:"max_size,omitempty"`
}

// Limit is a minimum or maximum: a number, which JSON may encode as a number or as a text, or a
// date.
type Limit string

// MarshalJSON encodes a number as a JSON number.
func (l Limit) MarshalJSON() ([]byte, error) {
	if numberLike.MatchString(string(l)) && json.Valid([]byte(l)) {
		return []byte(l), nil
	}
	return json.Marshal(string(l))
}

// UnmarshalJSON decodes a number, a text or null.
func (l *Limit) UnmarshalJSON(data []byte) error {
	text := string(data)
	switch {
	case text == "null":
		text = ""
	case text[0] == '"':
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
	case text[0] != '-' && (text[0] < '0' || text[0] > '9'):
		return fmt.Errorf("min and max are numbers or dates, not %.20s", text)
	}
	*l = Limit(text)
	return nil
}

// Fault is a mistake in a form: its position, such as fields[2].rules.pattern, and the reason.
type Fault struct{ At, Why string }

func (f *Fault) Error() string { return f.At + ": " + f.Why }

// Parse decodes the stored fields of a form.
func Parse(stored []byte) (fields []Field, err error) {
	err = json.Unmarshal(stored, &fields)
	for i := range fields {
		fields[i].upgrade()
	}
	return fields, err
}

// upgrade converts fields of older forms to the current format.
func (f *Field) upgrade() {
	if f.Options == nil {
		f.Options = []string{}
	}
	switch f.Type {
	case "":
		f.Type = Text
	case "tel":
		f.Type = Phone
	}
}

// Check validates the fields of a form. The error is a *Fault.
func Check(fields []Field) error {
	names, files := map[string]bool{}, 0
	if len(fields) > MaxFields {
		return &Fault{"fields", fmt.Sprintf("a form has at most %d", MaxFields)}
	}
	for i := range fields {
		f := &fields[i]
		f.upgrade()
		at := fmt.Sprintf("fields[%d]", i)
		if names[f.Name] {
			return &Fault{at + ".name", "another field has it"}
		}
		names[f.Name] = true
		if f.Type == File {
			files++
		}
		if files > MaxFiles {
			return &Fault{at + ".type", fmt.Sprintf("a form has at most %d files", MaxFiles)}
		}
		if where, why := f.check(); why != "" {
			return &Fault{at + "." + where, why}
		}
	}
	return nil
}

// check returns the invalid member of the field and the reason, or "".
func (f *Field) check() (where, why string) {
	kind, ok := f.Type.row()
	if !ok {
		return "type", "is one of " + names()
	}
	if !nameLike.MatchString(f.Name) {
		return "name", "is a letter, then letters, digits, _ and -, at most 64"
	}
	for _, text := range []struct {
		where, text string
		most        int
	}{{"label", f.Label, f.mostLabel()}, {"placeholder", f.Placeholder, maxLabel}, {"help", f.Help, maxHelp}} {
		if utf8.RuneCountInString(strings.TrimSpace(text.text)) > text.most {
			return text.where, fmt.Sprintf("has at most %d characters", text.most)
		}
		if strings.IndexFunc(text.text, isControlOrSeparator) >= 0 {
			return text.where, "has a control character"
		}
	}
	switch {
	case f.Placeholder != "" && !kind.example:
		return "placeholder", "is for kinds that are typed in"
	case f.URL != "" && !kind.link:
		return "url", "is for a consent"
	case f.URL != "" && !ShopPath(f.URL) && !WebAddress(f.URL):
		return "url", "is a path of the shop, or an http or https address"
	case f.Type == Consent && strings.TrimSpace(f.Label) == "":
		return "label", "is the wording of the consent"
	}
	if where, why := f.checkOptions(kind); why != "" {
		return where, why
	}
	where, why = f.checkRules(kind)
	return "rules." + where, why
}

func (f *Field) mostLabel() int {
	if f.Type == Consent {
		return maxConsent
	}
	return maxLabel
}

func (f *Field) checkOptions(kind has) (where, why string) {
	switch {
	case !kind.options && len(f.Options) > 0:
		return "options", "is for select and radio"
	case kind.options && len(f.Options) == 0:
		return "options", "has at least one entry"
	case len(f.Options) > MaxOptions, len(strings.Join(f.Options, "")) > MaxValue:
		return "options", fmt.Sprintf("has at most %d entries of %d bytes together", MaxOptions, MaxValue)
	}
	for i, option := range f.Options {
		at := fmt.Sprintf("options[%d]", i)
		switch {
		case strings.TrimSpace(option) != option || option == "":
			return at, "is empty, or has spaces around it"
		case strings.IndexFunc(option, isControlOrSeparator) >= 0:
			return at, "has a control character"
		case slices.Index(f.Options, option) < i:
			return at, "is listed twice"
		}
	}
	return "", ""
}

// isControlOrSeparator reports whether a character must not occur in a line of text.
func isControlOrSeparator(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }

func names() string {
	all := make([]string, len(kinds))
	for i, k := range kinds {
		all[i] = string(k.kind)
	}
	return strings.Join(all, ", ")
}

// Shown returns the name of the field on the page.
func (f *Field) Shown() string {
	if f.Label != "" {
		return f.Label
	}
	return f.Name
}

// ShopPath reports whether a text is a path of the shop that cannot lead to another host.
func ShopPath(text string) bool {
	return strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//") && plain(text)
}

// WebAddress reports whether a text is an absolute http or https address.
func WebAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil && plain(text)
}

// plain reports whether a text has nothing that a browser might interpret as another address.
func plain(text string) bool {
	return len(text) <= maxAddress && utf8.ValidString(text) && !strings.Contains(text, `\`) &&
		strings.IndexFunc(text, func(r rune) bool { return r == ' ' || isControlOrSeparator(r) }) < 0
}

// Success is what happens after a form was sent.
type Success struct {
	Action Action `json:"action" len:"255" refuse:"FORM_INVALID"`
	Text   string `json:"text" len:"1000" refuse:"FORM_INVALID"` // of text; empty: the default text
	URL    string `json:"url" len:"2000" refuse:"FORM_INVALID"`  // for page a path of the shop, for url a web address
}

// Action is what happens.
type Action string

// The actions.
const (
	ShowText Action = "text"
	ToPage   Action = "page"
	ToURL    Action = "url"
)

// Values lists the actions as texts.
func (Action) Values() []string { return []string{string(ShowText), string(ToPage), string(ToURL)} }

// Check validates the settings; the default action is text. The error is a *Fault.
func (s *Success) Check() error {
	if s.Action == "" {
		s.Action = ShowText
	}
	switch {
	case utf8.RuneCountInString(s.Text) > maxConsent:
		return &Fault{"success.text", fmt.Sprintf("has at most %d characters", maxConsent)}
	case s.Action == ShowText && s.URL == "":
	case s.Action == ShowText:
		return &Fault{"success.url", "is for the actions page and url"}
	case s.Action == ToPage && !ShopPath(s.URL):
		return &Fault{"success.url", "is a path of the shop, such as /thanks"}
	case s.Action == ToURL && !WebAddress(s.URL):
		return &Fault{"success.url", "is an http or https address"}
	case s.Action != ToPage && s.Action != ToURL:
		return &Fault{"success.action", "is text, page or url"}
	}
	return nil
}

// Sample returns a value for testing a form; it may violate the rules.
func (f *Field) Sample() string {
	switch f.Type {
	case Email:
		return "test@example.com"
	case Phone:
		return "+1 202 555 0100"
	case Number:
		return "1"
	case Date:
		return "2026-01-01"
	case Select, Radio:
		return f.Options[0]
	case Checkbox, Consent:
		return "yes"
	case File:
		return ""
	}
	return "Test"
}
