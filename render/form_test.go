package render

import (
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// everyField is a form with a field of each type.
func everyField() Form {
	return Form{ID: 3, Name: "Ask us", Fields: []FormField{
		{Name: "name", Label: "Your name", Type: "text", Required: true}, {Name: "email", Label: "E-mail", Type: "email", Required: true},
		{Name: "phone", Type: "tel"}, {Name: "count", Label: "How many", Type: "number"}, {Name: "words", Label: "Words", Type: "textarea"},
		{Name: "topic", Label: "Topic", Type: "select", Options: []string{"Tea", "A & B"}, Value: "A & B"},
		{Name: "agree", Label: "I agree", Type: "checkbox", Required: true}, {Name: "source", Type: "hidden", Value: "hero"},
	}}
}

func TestAFormOnAPageOfItsOwn(t *testing.T) {
	page := fixture()["form"].(*FormPage)
	doc := draw(t, page)
	want(t, doc, map[string]string{
		"h1": "Ask us", "title": "Ask us · Clay & Linen", "meta[name=robots]@content": "noindex", "link[rel=canonical]#": "0",
		"form.v-form@method": "post", "form.v-form@action": "/_vitrine/form/3", "form.v-form [type=submit]": "Send",
		"label [name=name]@autocomplete": "name", "label [name=name][required]#": "1", "label [name=email]@type": "email",
		"label [name=phone]@type": "tel", "label:has([name=phone])": "phone", "label [name=count]@inputmode": "decimal",
		"textarea[name=words]@maxlength": "5000", "select[name=topic] option#": "3", "option[selected]": "A & B",
		"label [name=agree]@value": "yes", "label [name=agree][required]#": "1", "[name=source]@type": "hidden", "[name=source]@value": "hero",
		"[name=" + FormFrom + "]@value": "/cups?utm_source=mail", "[aria-hidden] > [name=" + FormTrap + "]@tabindex": "-1", ".v-error": "",
		"header.v-header#": "1", "footer.v-footer#": "1", "[aria-invalid]#": "0",
	})
	page.State = FormRefused
	page.Form.Fill(url.Values{"name": {`"><script>`}, "email": {"ann"}, "agree": {"yes"}, "words": {"</textarea>"}})
	page.Form.Fields[1].Invalid = true
	want(t, draw(t, page), map[string]string{
		"[role=alert]": "Please check this field: E-mail", "[name=name]@value": `"><script>`, "[name=email]@value": "ann", "[name=email]@aria-invalid": "true",
		"[name=agree][checked]#": "1", "textarea": "</textarea>", "[name=source]@value": "",
	})
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

// The dialog is nothing but the platform's own markup: what authors put on the
// form's page is not in it.
func TestAFormAsADialog(t *testing.T) {
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
		"dialog > *:last-child@aria-label": "Close", // the first stop of the focus is the first field
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
			t.Errorf("%q leads to %q, not %q", address, got, want)
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
