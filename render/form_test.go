package render

import (
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"vitrine/compile/lead"
)

// everyField is a form with a field of each type.
func everyField() Form {
	var form Form
	for _, f := range []lead.Field{
		{Name: "name", Label: "Your name", Type: lead.Text, Required: true, Rules: lead.Rules{MinLength: 2, MaxLength: 40}},
		{Name: "email", Label: "E-mail", Type: lead.Email, Required: true, Placeholder: "ann@example.com"},
		{Name: "phone", Type: lead.Phone}, {Name: "count", Label: "How many", Type: lead.Number},
		{Name: "words", Label: "Words", Type: lead.Textarea, Help: "As many as you like"},
		{Name: "code", Label: "Code", Type: lead.Text, Rules: lead.Rules{Pattern: `[A-Z]{2}\d+`}},
		{Name: "topic", Label: "Topic", Type: lead.Select, Options: []string{"Tea", "A & B"}},
		{Name: "size", Label: "Size", Type: lead.Radio, Options: []string{"S", "L"}, Required: true},
		{Name: "day", Label: "Day", Type: lead.Date, Rules: lead.Rules{Min: "2026-01-01", Max: "2026-12-31"}},
		{Name: "paper", Label: "Paper", Type: lead.File, Required: true, Rules: lead.Rules{MaxSize: 3 << 19}},
		{Name: "news", Label: "Send me news", Type: lead.Checkbox},
		{Name: "agree", Label: "I agree", Type: lead.Consent, Required: true, URL: "/privacy"}, {Name: "source", Type: lead.Hidden},
	} {
		form.Fields = append(form.Fields, FormField{Field: f})
	}
	form.ID, form.Name = 3, "Ask us"
	form.Fields[6].Value, form.Fields[12].Value = "A & B", "hero"
	return form
}

func TestFormPage(t *testing.T) {
	page := fixture()["form"].(*FormPage)
	doc := draw(t, page)
	want(t, doc, map[string]string{
		"h1": "Ask us", "title": "Ask us · Clay & Linen", "meta[name=robots]@content": "noindex", "link[rel=canonical]#": "0",
		"form.v-form@method": "post", "form.v-form@action": "/_vitrine/form/3", "form.v-form [type=submit]": "Send",
		"label [name=name]@autocomplete": "name", "label [name=name][required]#": "1", "label [name=email]@type": "email",
		"label [name=phone]@type": "tel", "label:has([name=phone])": "phone", "label [name=count]@inputmode": "decimal",
		"[name=name]@minlength": "2", "[name=name]@maxlength": "40", "[name=email]@placeholder": "ann@example.com", "[name=code]@pattern": `\s*(?:(?:[A-Z]{2})(?:[0-9]+))\s*`,
		"[name=day]@type": "date", "[name=day]@min": "2026-01-01", "[name=day]@max": "2026-12-31", "main form@enctype": "multipart/form-data",
		"[name=paper]@type": "file", "[name=paper]@data-v-most": "1572864", "[name=paper][required]#": "1", "#v-f3-paper-hint": "A file of at most 1.5 MB.",
		"fieldset legend": "Size *", "fieldset [type=radio]#": "2", "fieldset [type=radio][required]#": "2", "fieldset label:first-of-type": "S",
		"[name=words]@aria-describedby": "v-f3-words-hint", "#v-f3-words-hint": "As many as you like", ".v-field__more@href": "/privacy", ".v-field__more@rel": "noopener",
		"textarea[name=words]@maxlength": "5000", "select[name=topic] option#": "3", "option[selected]": "A & B",
		"label [name=agree]@value": "yes", "label [name=agree][required]#": "1", "[name=source]@type": "hidden", "[name=source]@value": "hero",
		"[name=" + FormFrom + "]@value": "/cups?utm_source=mail", "[aria-hidden] > [name=" + FormTrap + "]@tabindex": "-1", ".v-error": "",
		"header.v-header#": "1", "footer.v-footer#": "1", "[aria-invalid]#": "0",
	})
	page.State, page.Token = FormRefused, "token"
	page.Form.Fill(url.Values{
		"name": {`"><script>`}, "email": {"ann"}, "agree": {"yes"}, "words": {"</textarea>"}, "size": {"L"}, FormKept + "paper": {`12 a "b".pdf`}, "paper": {"x"},
	})
	page.Form.Fields[1].Problem = Problem{Rule: lead.Type}
	page.Form.Fields[0].Problem = Problem{Rule: lead.MinLength, Limit: "2"}
	page.Form.Fields[7].Problem = Problem{Rule: lead.Required}
	want(t, draw(t, page), map[string]string{
		"[role=alert]": "Please check the marked fields.", "[name=name]@value": `"><script>`, "[name=email]@value": "ann", "[name=email]@aria-invalid": "true",
		"[name=email]@aria-describedby": "v-f3-email-problem", "#v-f3-email-problem": "Please write an e-mail address, such as ann@example.com.",
		"#v-f3-name-problem": "At least 2 characters, please.", "[autofocus]@name": "name", "[autofocus]#": "1", "fieldset@aria-invalid": "true",
		"fieldset@aria-describedby": "v-f3-size-problem", "[value=L][checked]#": "1", "[name=agree][checked]#": "1", "textarea": "</textarea>", "[name=source]@value": "",
		"[name=_kept_paper]@value": `12 a "b".pdf`, ".v-field__kept": `Attached: a "b".pdf`, "[name=paper][required]#": "0", "[name=_token]@value": "token",
	})
	page.Form.Fill(url.Values{"news": {"no"}, "agree": {"OFF"}})
	want(t, draw(t, page), map[string]string{"[type=checkbox][checked]#": "0"})
	page.Lang, page.State = "ru", FormSent
	want(t, draw(t, page), map[string]string{"h1": "Спасибо", "form.v-form#": "0", ".v-formpage a.v-button@href": "/cups?utm_source=mail"})
	for _, from := range []string{"", "//evil.test", "javascript:alert(1)", `/\evil.test`} {
		page.From = from
		want(t, draw(t, page), map[string]string{".v-formpage a.v-button@href": "/"})
	}
	for state, says := range map[FormState]string{FormBusy: english.FormBusy, FormFailed: english.FormFailed, FormRefused: english.FormFailed} {
		page := fixture()["form"].(*FormPage)
		page.State = state
		want(t, draw(t, page), map[string]string{"[role=alert]": says})
	}
}

// The dialog contains only the platform's own markup, no markup of authors from the form's
// page.
func TestFormDialog(t *testing.T) {
	page := fixture()["form"].(*FormPage)
	page.Layout.Head, page.Layout.Header = literal("<script>alert(1)</script>"), []Block{{Kind: BlockHTML, Fragment: literal("<dialog>")}}
	out, err := AppendFormDialog(nil, page)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	want(t, doc, map[string]string{
		"body > *#": "1", "script#": "0", "dialog#": "1", "dialog h2#": "2", "#v-dialog-name": "Ask us", "dialog@aria-labelledby": "v-dialog-name",
		"dialog@data-v-form": "3", "dialog form.v-form@action": "/_vitrine/form/3", "[data-v-close]#": "2", "[data-v-thanks][hidden]#": "1",
		"dialog > *:last-child@aria-label": "Close", // so the first focused element is the first field
	})
	doc.Find("dialog input:not([type=hidden]), dialog textarea, dialog select").Each(func(_ int, e *goquery.Selection) {
		if e.Closest("label").Length() == 0 && e.AttrOr("name", "") != FormTrap {
			t.Errorf("the field %s has no label", e.AttrOr("name", ""))
		}
	})
}

func TestButtonsOfWidgetsOpenForms(t *testing.T) {
	for address, want := range map[string]string{"form:3": "/_vitrine/form/3", " form:3?topic=tea": "/_vitrine/form/3?topic=tea", "form:x": "", "form:3\\x": ""} {
		if got := string(link(address)); got != want {
			t.Errorf("%q links to %q, not %q", address, got, want)
		}
	}
	doc := draw(
		t,
		&Home{
			Frame: Frame{
				Layout: Layout{
					Body: []Block{{Kind: BlockWidget, Widget: &Widget{Kind: "cta", Props: map[string]any{"buttonText": "Ask", "buttonUrl": "form:3"}}}},
				},
			},
		},
	)
	want(t, doc, map[string]string{".v-cta a.v-button@href": "/_vitrine/form/3"})
}

// The success text replaces a sent form, on its page and in a dialog.
func TestSentFormShowsItsSuccessText(t *testing.T) {
	page := fixture()["form"].(*FormPage)
	page.State, page.Form.Success.Text, page.Form.Submit = FormSent, "We call you\ntomorrow <b>", "Call me"
	want(t, draw(t, page), map[string]string{".v-said": "We call you tomorrow <b>"})
	page.State = FormProof
	page.Work = 16
	out, err := AppendFormAlone(nil, page)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	want(t, doc, map[string]string{"body > *#": "1", "body > form@data-v-work": "16", "form button": "Call me", "[role=alert]": ""})
}
