package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// wholeForm is a shop with a form with every kind of field, on its own page and as a widget
// on another.
type wholeForm struct {
	*tab
	p         *program
	key, form string
	paper     string // an allowed document
	script    string // a file of a forbidden kind
	name      string // the name to fill in
}

func newWholeForm(t *testing.T) *wholeForm {
	w := &wholeForm{}
	dir := t.TempDir()
	w.paper, w.script = filepath.Join(dir, "my paper.pdf"), filepath.Join(dir, "paper.txt")
	for path, body := range map[string]string{w.paper: "%PDF-1.7\n" + strings.Repeat("x", 200_000), w.script: "<script>alert(1)</script>"} {
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.tab = visitShop(t, func(p *program, key string) {
		w.p, w.key = p, key
		w.form = itoa(p.must(key, "POST", "/forms", map[string]any{"item": map[string]any{
			"name": "Book a tasting", "submit_text": "Book it", "success": map[string]any{"text": "See you soon.\nBring a cup."}, "fields": []any{
				map[string]any{"name": "name", "label": "Your name", "required": true, "rules": map[string]any{"min_length": 2, "max_length": 40}},
				map[string]any{"name": "email", "label": "E-mail", "type": "email", "required": true, "placeholder": "ann@example.com"},
				map[string]any{"name": "phone", "label": "Phone", "type": "phone", "help": "We call once, before you come."},
				map[string]any{"name": "guests", "label": "How many of you", "type": "number", "rules": map[string]any{"min": 1, "max": 8}},
				map[string]any{"name": "code", "label": "Voucher", "rules": map[string]any{"pattern": `[A-Z]{2}-\d{3}`}, "help": "Two letters, a dash, three digits"},
				map[string]any{"name": "tea", "label": "Tea", "type": "select", "options": []any{"Green", "Black & white"}},
				map[string]any{"name": "time", "label": "Time of day", "type": "radio", "required": true, "options": []any{"Morning", "Evening"}},
				map[string]any{"name": "day", "label": "Day", "type": "date", "rules": map[string]any{"min": "2026-01-01"}},
				map[string]any{"name": "words", "label": "Anything else", "type": "textarea"},
				map[string]any{"name": "paper", "label": "Your invitation", "type": "file", "required": true, "rules": map[string]any{"max_size": 1 << 20}},
				map[string]any{"name": "news", "label": "Send me news", "type": "checkbox"},
				map[string]any{"name": "agree", "label": "You may keep what I write here", "type": "consent", "required": true, "url": "/first"},
				map[string]any{"name": "topic", "type": "hidden"},
			}}})["id"])
		page := p.must(key, "POST", "/categories", map[string]any{"item": map[string]any{"name": "Book", "type": "page", "is_published": true, "seo": map[string]any{"slug": "book"}}})
		block := p.must(key, "POST", "/content-blocks", map[string]any{"item": map[string]any{"name": "form", "sections": []any{map[string]any{
			"type": "text", "payload": map[string]any{"v": 2, "kind": "form", "props": map[string]any{"form": map[string]any{"formId": w.form}}}}}}})
		p.must(key, "PUT", "/categories/"+itoa(page["id"])+"/content-blocks", map[string]any{"id": page["id"], "items": []any{map[string]any{"block_id": block["id"], "sort_order": 0}}})
	})
	return w
}

// fill fills in the form at a person's pace, with values that the browser accepts, except the
// file.
func (w *wholeForm) fill(file, code string) {
	w.t.Helper()
	w.text(`window.shown = performance.now(), document.querySelector('main [name=name]').focus()`)
	for name, value := range map[string]string{"name": w.name, "email": "ann@example.com", "phone": "+1 (202) 555-0100", "guests": "2,5", "code": code, "words": "Hé\n& co"} {
		w.types("main [name="+name+"]", value)
	}
	w.text(`document.querySelector('main [name=tea]').value = 'Black & white', document.querySelector('main [name=day]').value = '2026-11-30'`)
	for _, selector := range []string{"main [value=Evening]", "main [name=news]", "main [name=agree]"} {
		w.click(selector)
	}
	if file != "" {
		if err := chromedp.Do(w.ctx, chromedp.SetUploadFiles("main [name=paper]", []string{file})); err != nil {
			w.t.Fatal(err)
		}
	}
	w.until(`performance.now() - window.shown > 2500`) // faster submissions count as automated
}

// got is the newest lead, given their total number.
func (w *wholeForm) got(total int, page string) {
	w.t.Helper()
	status, answer := w.p.call(w.key, "GET", "/form-leads?filter.form_id="+w.form, nil)
	list, _ := answer["result"].(map[string]any)
	items, _ := list["items"].([]any)
	if status != 200 || fmt.Sprint(list["total"]) != itoa(total) || len(items) == 0 {
		w.t.Fatalf("leads: %d %v", status, answer)
	}
	lead := items[0].(map[string]any)
	want := "map[agree:yes code:TE-123 day:2026-11-30 email:ann@example.com guests:2,5 name:" + w.name + " news:yes paper:my paper.pdf " +
		"phone:+1 (202) 555-0100 tea:Black & white time:Evening words:Hé\n& co] new " + page
	if got := fmt.Sprint(lead["values"], " ", lead["status"], " ", lead["page_url"]); got != want {
		w.t.Errorf("the lead is %s, want %s", got, want)
	}
	file := lead["files"].([]any)[0].(map[string]any)
	request, err := http.NewRequest("GET", "http://"+w.p.admin+file["url"].(string), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+w.key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || len(body) != 200_009 || !strings.HasPrefix(response.Header.Get("Content-Disposition"), "attachment") {
		w.t.Errorf("the file: %d bytes, %v %v", len(body), response.Header, err)
	}
	consents := lead["consents"].([]any)
	if len(consents) != 1 || consents[0].(map[string]any)["text"] != "You may keep what I write here" {
		w.t.Errorf("consents: %v", consents)
	}
}

// refused checks the form after a refusal: errors at the fields, and the input kept.
func (w *wholeForm) refused(want string) {
	w.t.Helper()
	w.until(`document.querySelector('main [data-v-problem]').textContent === 'Please check the marked fields.'`)
	w.is(`[...document.querySelectorAll('main .v-field__problem')].map((e) => e.id.replace(/.*-(\w+)-problem/, '$1') + ': ' + e.textContent).join(' ')`, want)
	w.is(`[document.querySelector('main [name=name]').value, document.querySelector('main [name=time]:checked').value, document.querySelector('main [name=words]').value,
		document.querySelector('main [name=day]').value, document.querySelector('main [name=agree]').checked, document.activeElement.name].join('|')`, w.name+"|Evening|Hé\n& co|2026-11-30|true|"+strings.Split(want, ":")[0])
	if wide := w.text(`document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide != "0" {
		w.t.Errorf("the form overflows by %s px", wide)
	}
}

// A form with every kind of field is shown on a page, refused and sent in place.
func TestFormWithEveryFieldIsSentInPlace(t *testing.T) {
	t.Parallel()
	w := newWholeForm(t)
	for n, width := range []int64{1280, 390} {
		w.name = fmt.Sprintf("Ann <b> %d", width)
		w.open("/book?utm_source=mail", width)
		w.until(`document.readyState === 'complete'`)
		w.text(`window.mark = 'same window'`)
		shoot(t, w.ctx, "/whole-empty", width)
		w.click("main .v-form [type=submit]") // the browser itself reports the missing values
		w.is(`[document.activeElement.name, document.activeElement.validity.valueMissing].join()`, "name,true")
		w.fill(w.script, "nope")
		w.is(`document.querySelector('main [name=code]').validity.patternMismatch`, "true")
		w.text(`document.querySelector('main form').noValidate = true`)
		w.click("main .v-form [type=submit]")
		w.refused("paper: Files of this kind are not accepted. Please send a picture or a document.")
		shoot(t, w.ctx, "/whole-refused-file", width)
		if err := chromedp.Do(w.ctx, chromedp.SetUploadFiles("main [name=paper]", []string{w.paper})); err != nil {
			t.Fatal(err)
		}
		w.text(`document.querySelector('main form').noValidate = true`)
		w.click("main .v-form [type=submit]")
		w.refused("code: Please use the requested format.")
		w.is(`document.querySelector('main .v-field__kept').textContent`, "Attached: my paper.pdf")
		shoot(t, w.ctx, "/whole-refused", width)
		w.types("main [name=code]", "TE-123")
		w.click("main .v-form [type=submit]")
		w.until(`document.querySelector('[data-v-thanks]').hidden === false`)
		w.is(`[document.querySelector('[data-v-thanks] p').textContent, mark, location.pathname].join('|')`, "See you soon.\nBring a cup.|same window|/book")
		shoot(t, w.ctx, "/whole-sent", width)
		w.seen.take() // the 400 responses
		w.got(n+1, "/book?utm_source=mail")
	}
}

// The same without any script.
func TestFormWithEveryFieldWorksWithoutAScript(t *testing.T) {
	t.Parallel()
	w := newWholeForm(t)
	if _, err := chromedp.Call(w.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	for n, width := range []int64{1280, 390} {
		w.name = fmt.Sprintf("Ann <b> %d", width)
		w.open("/book", width)
		w.until(`document.readyState === 'complete'`)
		w.fill(w.script, "TE-123")
		w.click("main .v-form [type=submit]")
		w.until(`location.pathname === '/_vitrine/form/` + w.form + `' && document.readyState === 'complete'`)
		w.refused("paper: Files of this kind are not accepted. Please send a picture or a document.")
		shoot(t, w.ctx, "/whole-page-refused", width)
		w.text(`window.shown = performance.now()`)
		if err := chromedp.Do(w.ctx, chromedp.SetUploadFiles("main [name=paper]", []string{w.paper})); err != nil {
			t.Fatal(err)
		}
		w.until(`performance.now() - window.shown > 2500`)
		w.click("main .v-form [type=submit]")
		w.until(`location.pathname.endsWith('/sent') && document.readyState === 'complete'`)
		w.is(`document.querySelector('main .v-said').textContent`, "See you soon.\nBring a cup.")
		shoot(t, w.ctx, "/whole-page-sent", width)
		w.got(n+1, "/book")
		w.click("main .v-button")
		w.until(`location.pathname === '/book'`)
	}
}
