package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// visitor is a tab of somebody in the demo shop.
func (p *program) visitor() *tab {
	p.t.Helper()
	b := p.tab(p.t)
	b.host = "http://demo.localhost:" + portOf(p.t, p.edge)
	return b
}

// alt presses a key with Alt.
func (b *tab) alt(key string) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.KeyEvent(key, chromedp.KeyModifiers(chromedp.ModifierAlt))); err != nil {
		b.t.Fatal(err)
	}
}

// picksFrom finds an entry of a list that a field opens, by keyboard.
func (b *tab) picksFrom(field, typed, option string) {
	b.t.Helper()
	b.focuses(field)
	b.inserts(typed)
	b.until(fmt.Sprintf(`[...document.querySelectorAll('[role=option]')].some((o) => o.checkVisibility() && o.textContent.includes(%q))`, option))
	b.presses(kb.ArrowDown, kb.Enter)
}

// An owner changes a letter, sees it with the data of a real order, and returns to the standard text;
// a template that cannot be used says where, and a letter is sent again.
func TestOwnerChangesLettersInTheCabinet(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			p, _, b := entersDemo(t, width)
			core, token := axeCore(t), p.token("owner@demo.example")
			b.open("/cabinet/demo/letters", width)
			b.shows("20 letters")
			b.shows("connect a domain to the shop first")
			b.screenIsFit(core, "letters", width)
			b.changesLetter(p, token, core, width)
			b.resetsLetter(p, token)
			b.sendsAgain(p, token, core, width)
			b.quiet("401", "400", "409")
		})
	}
}

const letterPath = "/v1/shop/letters/order_made_buyer"

// preview is an expression for the text of the previewed letter.
const preview = `document.querySelector('iframe.letter').contentDocument.body.innerText`

func (b *tab) changesLetter(p *program, token, core string, width int64) {
	b.t.Helper()
	b.text(`([...document.querySelectorAll('main a')].find((a) => a.href.endsWith('order_made_buyer')).click(), '')`)
	b.until(preview + `.includes('Thank you for your order')`)
	buyer := b.text(preview + `.match(/Hello ([^,]+),/)[1]`)
	b.is(`getComputedStyle(document.querySelector('iframe.letter').contentDocument.querySelector('h1')).fontSize`, "24px")

	b.fills("Subject", "Thanks {{.Order.Nope}}")
	b.shows("line 1: a record has no field Nope")
	b.chord("s")
	b.until(`document.activeElement === ` + field("Subject") + ` && document.activeElement.getAttribute('aria-invalid') === 'true'`)
	b.screenIsFit(core, "letter-refused", width)
	b.fills("Subject", "Thanks, ")
	b.picksFrom(field("Insert data"), "Ann Baker", "Name: Ann Baker")
	b.until(field("Subject") + `.value === 'Thanks, {{.Buyer.Name}}'`)
	b.shows("Thanks, " + buyer)
	b.focuses(field("Page"))
	b.chord("a")
	b.inserts(`<p style="color:#a00000" onclick="alert(1)">Hi <img src=x onerror=alert(1)></p><script>parent.document.title = 'taken'</script>`)
	b.until(preview + `.trim().includes('Hi')`)
	b.is(`document.querySelector('iframe.letter').contentDocument.querySelectorAll('script, [onclick], [src]').length`, "0")
	b.is(`getComputedStyle(document.querySelector('iframe.letter').contentDocument.querySelector('p')).color`, "rgb(160, 0, 0)")
	b.is(`document.title.includes('taken')`, "false")
	p.must(token, "PUT", letterPath, map[string]any{"subject": "Theirs {{.Order.Number}}"})
	b.chord("s")
	b.shows("Theirs: Theirs {{.Order.Number}}")
	b.pushes("Save what is chosen")
	b.shows("Saved")
	if now := p.must(token, "GET", letterPath, nil); now["subject"] != "Thanks, {{.Buyer.Name}}" || now["is_changed"] != true {
		b.t.Errorf("the letter is %v", now["subject"])
	}
	b.screenIsFit(core, "letter", width)

	b.focuses(field("Text"))
	b.chord("a")
	b.inserts(strings.Repeat("x", 60_001))
	b.chord("s")
	b.shows("at most 60000 bytes")
	b.pushes("Discard")
}

func (b *tab) resetsLetter(p *program, token string) {
	b.t.Helper()
	b.pushes("Back to the standard text")
	b.shows("The standard text is sent again.")
	b.until(field("Subject") + `.value.startsWith('Your order')`)
	if now := p.must(token, "GET", letterPath, nil); now["is_changed"] != false {
		b.t.Error("the letter is not reset")
	}
	b.pushes("Undo")
	b.shows("Undone")
	b.until(field("Subject") + `.value === 'Thanks, {{.Buyer.Name}}'`)
	if now := p.must(token, "GET", letterPath, nil); now["is_changed"] != true {
		b.t.Error("the own text is lost")
	}
}

func (b *tab) sendsAgain(p *program, token, core string, width int64) {
	b.t.Helper()
	total := func() int { return int(p.must(token, "GET", "/v1/shop/letters", nil)["total"].(float64)) }
	before := total()
	b.open("/cabinet/demo/letters/sent?name=review_seller", width)
	b.until(`[...document.querySelectorAll('main button')].some((e) => e.ariaLabel?.startsWith('Read: A review of'))`)
	b.screenIsFit(core, "letters-sent", width)
	b.text(`([...document.querySelectorAll('main button')].find((e) => e.ariaLabel?.startsWith('Read: ')).click(), '')`)
	b.until(`document.querySelector('[role=dialog] iframe.letter')`)
	b.pushes("Send again")
	b.shows("waits to be sent")
	if now := total(); now != before+1 {
		b.t.Errorf("%d letters, before %d", now, before)
	}
}

// An owner closes a section with a password, which then opens it in the shop; the home page cannot be
// closed. An editor sees none of this.
func TestOwnerClosesPartsInTheCabinet(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			p, key, b := entersDemo(t, width)
			core := axeCore(t)
			b.open("/cabinet/demo/policies", width)
			b.shows("Everything in the shop is open.")
			b.screenIsFit(core, "policies", width)
			b.pushes("Close a part")
			id := b.closes(p, key, core, width)
			password := b.givesPassword(core, width)

			visitor := p.visitor()
			visitor.open("/teaware", width)
			visitor.is(`document.querySelector('h1').textContent`, "For partners")
			visitor.types("[name=password]", password)
			visitor.presses(kb.Enter)
			visitor.until(`document.querySelector('h1').textContent.startsWith('Teaware')`)
			if status, _, page := p.visit("demo", "/teaware"); status != http.StatusForbidden || !strings.Contains(page, "Ask us &lt;b&gt;") {
				t.Errorf("a stranger: %d", status)
			}

			b.pushes("Delete: Fair")
			b.shows("those who entered with it lose their access")
			b.text(`([...document.querySelectorAll('[role=dialog] button')].at(-1).click(), '')`)
			b.shows("Nobody can enter yet")
			b.deletesMeanwhile(p, key, id)
			b.open("/cabinet/demo/policies/"+id, width)
			b.pushes("Delete")
			b.shows("Everybody sees these parts again")
			b.text(`([...document.querySelectorAll('[role=dialog] button')].at(-1).click(), '')`)
			b.shows("Everything in the shop is open.")
			if status, _, _ := p.visit("demo", "/teaware"); status != http.StatusOK {
				t.Errorf("the opened section answers %d", status)
			}
			b.quiet("401", "400")
			b.seesNothing(p, width)
		})
	}
}

// closes closes the section Teaware and returns the id of the policy.
func (b *tab) closes(p *program, key, core string, width int64) (id string) {
	b.t.Helper()
	b.fills("Name", "Partners")
	b.picksFrom(`document.querySelector('input[aria-label="Add a section"]')`, "Tea and things", "Tea and things for the house")
	b.until(`document.querySelector('main button[aria-label="Clear: Tea and things for the house"]')`)
	b.fills("Title", "For partners")
	b.fills("Text", "Ask us <b>")
	b.chord("s")
	b.shows("The home page cannot be closed.")
	b.pushes("Clear: Tea and things for the house")
	b.picksFrom(`document.querySelector('input[aria-label="Add a section"]')`, "Teaware", "Teaware")
	b.chord("s")
	b.until(`/policies\/\d+$/.test(location.pathname)`)
	b.shows("Nobody can enter yet")
	b.screenIsFit(core, "policy", width)
	id = b.text(`location.pathname.split('/').pop()`)
	made := p.must(key, "GET", "/access-policies/"+id, nil)
	if got := fmt.Sprint(made["kind"], " ", made["resources"].([]any)[0].(map[string]any)["name"]); got != "password Teaware" {
		b.t.Errorf("the policy: %v", made)
	}
	return id
}

// givesPassword makes a password, after one that is too short.
func (b *tab) givesPassword(core string, width int64) string {
	b.t.Helper()
	b.pushes("New password")
	b.fills("For whom", "Fair")
	b.fills("Password", "1")
	b.pushes("New password")
	b.until(`document.activeElement === ` + field("Password") + ` && document.body.innerText.includes('4 to 64 characters without')`)
	b.fills("Password", strings.Repeat("x", 65))
	b.presses(kb.Enter)
	b.until(field("Password") + `?.getAttribute('aria-invalid') === 'true'`)
	b.screenIsFit(core, "policy-password", width)
	b.focuses(field("Password"))
	b.chord("a")
	b.presses(kb.Delete, kb.Enter)
	b.shows("This is the only time that the password is shown.")
	password := b.text(`document.querySelector('[role=dialog] code').textContent`)
	b.pushes("Close")
	b.shows("0 entries")
	return password
}

// deletesMeanwhile chooses a section that somebody deletes before the policy is saved.
func (b *tab) deletesMeanwhile(p *program, key, id string) {
	b.t.Helper()
	short := itoa(p.must(key, "POST", "/categories", map[string]any{"item": map[string]any{"name": "Shortlived", "type": "product", "is_published": true}})["id"])
	if err := chromedp.Do(b.ctx, chromedp.Reload()); err != nil {
		b.t.Fatal(err)
	}
	b.shows("Nobody can enter yet")
	b.picksFrom(`document.querySelector('input[aria-label="Add a section"]')`, "Shortlived", "Shortlived")
	p.must(key, "DELETE", "/categories/"+short, nil)
	b.chord("s")
	b.shows("the shop has no category " + short)
	b.pushes("Discard")
	if now := p.must(key, "GET", "/access-policies/"+id, nil); len(now["resources"].([]any)) != 1 {
		b.t.Errorf("%v", now["resources"])
	}
}

// seesNothing signs in an editor, for whom there are neither letters nor closed parts.
func (b *tab) seesNothing(p *program, width int64) {
	b.t.Helper()
	p.verb("member", "add", "--shop", "demo", "--email", "editor@example.test", "--password", "a long password", "--role", "editor")
	e := cabinet(b.t, p, width)
	e.entersCabinet("editor@example.test", "a long password")
	e.until(`location.pathname === '/cabinet/demo/start'`)
	e.until(`[...document.querySelectorAll('nav a')].some((a) => a.href.endsWith('/forms'))`)
	e.until(`[...document.querySelectorAll('nav a')].every((a) => !/letters|policies/.test(a.href))`)
	for _, path := range []string{"/letters", "/letters/order_made_buyer", "/policies/1"} {
		e.open("/cabinet/demo"+path, width)
		e.shows("Your role in this shop may not do this.")
	}
}

// An owner builds a form with the keyboard alone; a visitor sends it in the shop, and its lead is there.
func TestOwnerBuildsAFormByKeyboard(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			p, key, b := entersDemo(t, width)
			core := axeCore(t)
			b.open("/cabinet/demo/forms", width)
			b.shows("The shop has no forms yet.")
			b.screenIsFit(core, "forms", width)
			path := b.buildsForm(p, key, core, width)
			id := strings.TrimPrefix(path, "/forms/")

			visitor := p.visitor()
			visitor.open("/_vitrine/form/"+id, width)
			visitor.is(`[...document.querySelectorAll('.v-form [name]:not([type=hidden]):not([name=_more])')].map((e) => e.name).join()`, "your-name,size,size,phone,consent")
			visitor.types("[name=your-name]", oddText)
			visitor.types("[name=phone]", "+1 202 555 0100")
			visitor.text(`(document.querySelector('[value=Large]').click(), document.querySelector('[name=consent]').click(), '')`)
			shoot(t, visitor.ctx, "/cabinet/form-in-the-shop", width)
			visitor.until(`Date.now() - performance.timeOrigin > 2500`) // a form that is sent at once is taken for spam
			visitor.click(".v-form [type=submit]")
			visitor.until(`document.body.innerText.includes('We call today.')`)
			_, answer := p.call(key, "GET", path+"/leads", nil)
			lead := answer["result"].([]any)[0].(map[string]any)
			if values := lead["values"].(map[string]any); values["your-name"] != oddText || values["size"] != "Large" || lead["status"] != "new" {
				t.Errorf("the lead: %v", lead)
			}

			b.pushes("Send a test")
			b.shows("A test lead is made")
			b.open("/cabinet/demo/forms", width)
			b.shows("Call me back")
			b.until(`document.body.innerText.includes('1 lead') || document.querySelector('main tbody td:nth-child(3)')?.textContent === '1'`)
			b.editsForm(p, key, path, core, width)
			b.quiet("401", "400", "409")
		})
	}
}

// buildsForm makes a form of four fields with the keyboard alone and returns its path in the API.
func (b *tab) buildsForm(p *program, key, core string, width int64) (path string) {
	b.t.Helper()
	adds := func(kind, label string) {
		b.focuses(fmt.Sprintf(`[...document.querySelectorAll('[role=group][aria-label="Add a field"] button')].find((e) => e.textContent === %q)`, kind))
		b.presses(kb.Enter)
		b.until(`document.activeElement.hasAttribute('data-label')`)
		b.inserts(label)
	}
	b.tabsTo(`a[href$="/forms/new"]`)
	b.presses(kb.Enter)
	b.until(`document.activeElement === ` + field("Name"))
	b.inserts("Call me back")
	adds("Phone", "Your phone")
	b.focuses(field("Key"))
	b.chord("a")
	b.inserts("phone")
	adds("Consent", "You may keep <b>my</b> number")
	b.focuses(field("Key"))
	b.chord("a")
	b.inserts("consent")
	adds("Line of text", "Your name")
	b.focuses(field("Required"))
	b.presses(" ")
	b.until(field("Key") + `.value === 'your-name'`)
	b.focuses(`[...document.querySelectorAll('[data-field]')].at(-1)`)
	b.alt(kb.ArrowUp)
	b.alt(kb.ArrowUp)
	b.until(`document.activeElement === document.querySelector('[data-field]') && document.activeElement.textContent.includes('Your name')`)
	adds("Choice by buttons", "Size")
	b.chord("s")
	b.shows("has at least one entry")
	b.until(`document.activeElement === ` + field("Options, one a line"))
	b.screenIsFit(core, "form-refused", width)
	b.inserts("Small\nLarge")
	for range 2 { // the button keeps the focus when its field has moved
		b.focuses(`document.querySelector('button[aria-label="Move up: Size"]')`)
		b.presses(kb.Enter)
		b.until(`document.activeElement.ariaLabel === 'Move up: Size'`)
	}
	b.focuses(field("Text"))
	b.inserts("We call today.")
	b.until(`[...document.querySelectorAll('[data-field]')].map((e) => e.textContent).join().startsWith('Your name *Line of text,SizeChoice')`)
	b.chord("s")
	b.until(`/forms\/\d+$/.test(location.pathname)`)
	b.shows("form:")
	b.screenIsFit(core, "form", width)
	path = strings.TrimPrefix(b.text(`location.pathname`), "/cabinet/demo")
	names := []string{}
	for _, f := range p.must(key, "GET", path, nil)["fields"].([]any) {
		names = append(names, f.(map[string]any)["name"].(string))
	}
	if got := strings.Join(names, " "); got != "your-name size phone consent" {
		b.t.Errorf("the fields: %s", got)
	}
	return path
}

// editsForm meets a name that is used twice, more fields than a form may have, and somebody else.
func (b *tab) editsForm(p *program, key, path, core string, width int64) {
	b.t.Helper()
	b.open("/cabinet/demo"+path, width)
	b.shows("Call me back")
	b.until(`document.querySelectorAll('[data-field]').length === 4`)
	b.text(`(document.querySelectorAll('[data-field]')[1].click(), '')`)
	b.fills("Key", "your-name")
	b.chord("s")
	b.shows("another field has it")
	b.until(`document.activeElement === ` + field("Key"))
	for n := 5; n <= 50; n++ {
		b.pushes("Line of text")
		b.until(fmt.Sprintf(`document.querySelectorAll('[data-field]').length === %d`, n))
	}
	b.shows("A form has at most 50 fields.")
	b.fits("form-full", width)
	b.pushes("Discard")

	form := p.must(key, "GET", path, nil)
	p.must(key, "PUT", path, map[string]any{"item": map[string]any{"name": "Theirs", "fields": form["fields"], "success": form["success"]}})
	b.fills("Name", "Mine")
	b.chord("s")
	b.shows("Theirs: Theirs")
	b.pushes("Save what is chosen")
	b.until(`document.querySelector('h1').textContent === 'Mine'`)
	if now := p.must(key, "GET", path, nil); now["name"] != "Mine" || len(now["fields"].([]any)) != 4 {
		b.t.Errorf("%v", now)
	}
}
