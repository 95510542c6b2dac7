package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// asking is a shop with a form that the header of every page links to.
type asking struct {
	*tab
	p         *program
	key, form string
}

func askingShop(t *testing.T) *asking {
	a := &asking{}
	a.tab = visitShop(t, func(p *program, key string) {
		field := func(name, label, kind string, required bool, options ...string) any {
			return map[string]any{"name": name, "label": label, "type": kind, "required": required, "options": options}
		}
		a.p, a.key = p, key
		a.form = itoa(p.must(key, "POST", "/forms", map[string]any{"item": map[string]any{"name": "Ask us anything", "fields": []any{
			field("name", "Your name", "text", true), field("email", "E-mail", "email", true), field("about", "What it is about", "select", false, "Tea", "Delivery"),
			field("words", "Your question", "textarea", false), field("agree", "You may answer me", "checkbox", true), field("topic", "", "hidden", false)}}})["id"])
		dir := filepath.Join(t.TempDir(), "ask")
		text, err := os.ReadFile("testdata/visit/ask/index.html")
		if err == nil {
			err = os.Mkdir(dir, 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "index.html"), []byte(strings.ReplaceAll(string(text), "FORM", a.form)), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		p.must(key, "PUT", "/design/bindings/shop/0", map[string]any{"slots": map[string]any{"header": p.group(key, "chrome", dir)}})
	})
	return a
}

// lead is the newest lead, given their total number.
func (a *asking) lead(total int) string {
	a.t.Helper()
	status, answer := a.p.call(a.key, "GET", "/forms/"+a.form+"/leads", nil)
	list, _ := answer["result"].([]any)
	if status != 200 || fmt.Sprint(answer["total"]) != itoa(total) || len(list) == 0 {
		a.t.Fatalf("leads: %d %v", status, answer)
	}
	newest := list[0].(map[string]any)
	return fmt.Sprintf("%v %v %v", newest["values"], newest["page_url"], newest["utm"])
}

const dialogOpen = `document.querySelector('dialog')?.open`

// The link in a header opens the form on any page, also by keyboard, including pages for
// paying, since the storefront's own script runs there.
func TestFormOpensInPlace(t *testing.T) {
	t.Parallel()
	a := askingShop(t)
	sent := 0
	for _, width := range []int64{1280, 390} {
		for _, page := range []string{"/first?utm_source=mail", "/cart"} {
			a.open(page, width)
			a.until(`document.readyState === 'complete'`)
			a.text(`document.getElementById('ask').focus(), window.mark = 'same window'`)
			a.presses(kb.Enter)
			a.until(dialogOpen)
			a.is(
				`[document.activeElement.name, document.querySelector('dialog h2').textContent, document.querySelector('[name=topic]').value]`,
				"name,Ask us anything,header",
			)
			a.text(`window.stops = []`)
			for range 10 { // the focus stays inside, or goes to the browser's own controls
				a.presses(kb.Tab)
				a.text(`stops.push(document.activeElement === document.body || Boolean(document.activeElement.closest('dialog')))`)
			}
			a.is(`stops.includes(false)`, "false")
			shoot(t, a.ctx, "/form-dialog"+strings.Split(page, "?")[0], width)
			a.presses(kb.Escape)
			a.until(`!document.querySelector('dialog')`)
			a.is(`document.activeElement.id`, "ask")

			a.presses(kb.Enter)
			a.until(dialogOpen)
			a.presses(kb.Enter) // nothing is filled in, so nothing is sent
			a.is(`[`+dialogOpen+`, document.activeElement.name]`, "true,name")
			a.presses("Ann", kb.Tab, "ann@example.com", kb.Tab, "T", kb.Tab, "How long?", kb.Tab, " ", kb.Tab, kb.Enter)
			a.until(`document.querySelector('[data-v-thanks]')?.hidden === false`)
			a.is(
				`[document.activeElement.textContent, mark, document.querySelector('dialog form').checkVisibility()]`,
				"Thank you,same window,false",
			)
			sent++
			want := "map[about:Tea agree:yes email:ann@example.com name:Ann topic:header words:How long?] " + page + " map[source:mail]"
			if page == "/cart" {
				want = strings.Replace(want, "source:mail", "", 1)
			}
			if got := a.lead(sent); got != want {
				t.Errorf("the lead is %s, want %s", got, want)
			}
			a.presses(kb.Tab, kb.Enter)
			a.until(`!document.querySelector('dialog')`)
			a.is(`document.activeElement.id`, "ask")
			if found := a.complaints(); len(found) > 0 {
				t.Errorf("%s at %d px: %s", page, width, strings.Join(found, "\n"))
			}
		}
	}
	a.isRefused()
	a.leadsOn()
}

// isRefused submits input that only the server can refuse, then corrects it.
func (a *asking) isRefused() {
	a.open("/second", 390)
	a.until(`document.readyState === 'complete'`)
	a.click("#ask")
	a.until(dialogOpen)
	a.text(`document.querySelector('dialog form').noValidate = true`)
	a.presses("Ann", kb.Tab, "ann", kb.Enter)
	a.until(`document.querySelector('[data-v-problem]').textContent`)
	a.is(
		`[document.querySelector('dialog [role=alert]').textContent, document.activeElement.name, document.activeElement.ariaInvalid,
			document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent]`,
		"Please check the marked fields.,email,true,Please write an e-mail address, such as ann@example.com.",
	)
	shoot(a.t, a.ctx, "/form-refused", 390)
	a.presses(kb.End, "@example.com", kb.Enter)
	a.until(`document.activeElement.name === 'agree'`)
	a.presses(" ", kb.Enter)
	a.until(`document.querySelector('[data-v-thanks]')?.hidden === false`)
	a.seen.take() // the 400 responses
	a.click(`dialog > [data-v-close]`)
	a.until(`!document.querySelector('dialog')`)
}

// leadsOn checks links without a form, and navigation while a form is open.
func (a *asking) leadsOn() {
	a.open("/second", 1280)
	a.until(`document.readyState === 'complete'`)
	a.text(
		`window.heard = [], document.addEventListener('svc:navigate', (e) => heard.push(e.detail.path)), document.querySelector('main a[href="/first"], #back').click()`,
	)
	a.until(`heard.at(-1) === '/first'`)
	a.click("#ask")
	a.until(dialogOpen)
	a.away(`history.back()`)
	a.until(`heard.at(-1) === '/second' && !document.querySelector('dialog')`)
	a.click("#gone")
	a.until(`location.pathname === '/_vitrine/form/999999' && document.readyState === 'complete'`)
	a.is(`document.querySelector('h1').textContent`, "We could not find that page")
}

// The same form without any script.
func TestFormWorksWithoutAScript(t *testing.T) {
	t.Parallel()
	a := askingShop(t)
	if _, err := chromedp.Call(a.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	for n, width := range []int64{1280, 390} {
		a.open("/first?utm_source=mail", width)
		a.click("#ask")
		a.until(`location.pathname === '/_vitrine/form/` + a.form + `' && document.readyState === 'complete'`)
		a.is(
			`[document.querySelector('h1').textContent, document.querySelector('meta[name=robots]').content, typeof ran]`,
			"Ask us anything,noindex,undefined",
		)
		if wide := a.text(`document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide != "0" {
			t.Errorf("the form overflows by %s px at %d", wide, width)
		}
		shoot(t, a.ctx, "/form-page", width)
		a.click("main [name=name]")
		a.presses("Ann", kb.Tab, "a@b", kb.Tab, "D", kb.Tab, "<b>&", kb.Tab, " ", kb.Enter)
		a.until(`location.pathname.endsWith('/sent') && document.readyState === 'complete'`)
		a.is(`document.querySelector('h1').textContent`, "Thank you")
		shoot(t, a.ctx, "/form-sent", width)
		if got, want := a.lead(n+1), "map[about:Delivery agree:yes email:a@b name:Ann topic:header words:<b>&] /first?utm_source=mail map[source:mail]"; got != want {
			t.Errorf("the lead is %s, want %s", got, want)
		}
		a.click("main .v-button")
		a.until(`location.pathname === '/first' && document.readyState === 'complete'`)
		for _, fault := range a.complaints() {
			if !strings.Contains(fault, "no-such-picture") { // from the page's own noscript
				t.Errorf("at %d px: %s", width, fault)
			}
		}
	}
	status, _, body := a.p.visit("tea", "/_vitrine/form/"+a.form+"/dialog")
	if lines := slices.Collect(strings.Lines(body)); status != 200 || !strings.HasPrefix(lines[0], "<dialog") {
		t.Errorf("the dialog: %d %.200s", status, body)
	}
}

// While many leads are sent from one address, the page computes a proof of work, and the lead
// is accepted.
func TestProofOfWorkDuringAFlood(t *testing.T) {
	t.Parallel()
	a := askingShop(t)
	a.open("/first", 1280)
	a.until(`document.readyState === 'complete'`)
	a.click("#ask")
	a.until(dialogOpen)
	a.text(`window.shown = performance.now(), window.heard = [], new PerformanceObserver((list) => list.getEntries().forEach((e) => heard.push(e.name))).observe({ type: 'resource', buffered: true })`)
	a.presses("Ann", kb.Tab, "ann@example.com", kb.Tab, kb.Tab, kb.Tab, " ")
	a.until(`performance.now() - window.shown > 2500`) // faster submissions count as automated
	total := 1
	for ; total < 100; total++ { // one attempt is regained every six seconds
		flood := map[string]any{"form_id": a.form, "values": map[string]any{"name": itoa(total), "email": "a@b", "agree": "yes"}}
		if status, _ := a.p.call(a.key, "POST", "/form-leads", flood); status == 429 {
			break
		}
	}
	a.presses(kb.Tab, kb.Enter)
	a.until(`document.querySelector('[data-v-thanks]')?.hidden === false`)
	a.is(`heard.filter((name) => name.includes('/_vitrine/proof.')).length`, "1")
	a.seen.take() // the 409 response
	if got := a.lead(total); !strings.HasPrefix(got, "map[agree:yes email:ann@example.com name:Ann topic:header]") {
		t.Errorf("the lead is %s", got)
	}
	if _, answer := a.p.call(a.key, "GET", "/form-leads?filter.status=spam", nil); fmt.Sprint(answer["result"].(map[string]any)["total"]) != "0" {
		t.Errorf("spam: %v", answer)
	}
}
