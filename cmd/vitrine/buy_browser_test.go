package main

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// demoTab opens a new browser on the demo shop.
func demoTab(t testing.TB, p *program) *tab {
	t.Helper()
	b := &tab{t: t, ctx: browser(t), host: "http://demo.localhost:" + portOf(t, p.edge), seen: &faults{}}
	if err := b.seen.listen(b.ctx); err != nil {
		t.Fatal(err)
	}
	return b
}

// A new visitor selects a variant, checks out as a guest, sees the order, registers and finds
// it again; the owner changes its status, and the buyer's page shows it. In a wide and a
// narrow window, and without scripts.
func TestGuestBuysRegistersAndSeesTheOrder(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	owner, ok := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "owner@demo.example", "password": "tea-at-four"})["token"].(string)
	if !ok {
		t.Fatal("the owner got no token")
	}
	p.must(owner, "PUT", "/v1/shop/settings", map[string]any{"tax": map[string]any{"name": "VAT", "percent": 23}})
	inEveryWindow(t, p, func(b *tab, name string, width int64, script bool) {
		number := b.buys(name, width, script)
		b.is(`document.querySelector('.v-sum__row + .v-muted').textContent`, "Including VAT 23%: €13")
		b.comesByLetter(p, owner, name, width, number, script)
		b.follows(p, owner, name, width, number)
		b.forgets(p, name, width)
	})
}

var letterLink = regexp.MustCompile(`/orders/(\d+)\?key=[\w-]+`)

// comesByLetter opens the link from the email in a browser without a session, writes a
// message there, and puts the same goods into a cart.
func (b *tab) comesByLetter(p *program, owner, name string, width int64, number string, script bool) {
	b.t.Helper()
	letters, err := json.Marshal(p.must(owner, "GET", "/v1/shop/letters?filter.name=order_made_buyer", nil))
	if err != nil {
		b.t.Fatal(err)
	}
	link := ""
	for _, found := range letterLink.FindAllStringSubmatch(string(letters), -1) {
		if link == "" && found[1] == number {
			link = found[0]
		}
	}
	other := demoTab(b.t, p)
	if !script {
		other.runsNoScripts()
	}
	other.open("/orders/"+number, width)
	other.is(`location.pathname`, "/account")
	other.open(link, width)
	other.until(`document.querySelector('.v-lines--order')?.textContent.includes('Large')`)
	other.types(".v-chat__form textarea", "Please ring twice.")
	other.click(".v-chat__form [type=submit]")
	other.until(`document.querySelector('.v-message--buyer')?.textContent.includes('ring twice')`)
	other.is(`location.search.includes('key=')`, "true")
	shoot(b.t, other.ctx, "/buy/"+name+"/by-letter", width)
	other.click("[value=again]")
	other.until(`location.pathname === '/cart' && document.querySelector('.v-line__name')?.textContent.includes('Large')`)
	for _, target := range []string{"/cart", "/"} { // the shop's own scripts run on the second
		if target == "/" {
			other.click("header a[href='/']")
			other.until(`location.pathname === '/'`)
		}
		other.is(`document.referrer.includes('key=')`, "false")
		other.is(`navigation.entries().some((e) => e.url?.includes('key='))`, "false")
	}
}

// bareTab opens a browser without scripts on the demo shop.
func bareTab(t *testing.T, p *program) *tab {
	t.Helper()
	b := demoTab(t, p)
	b.runsNoScripts()
	return b
}

func (b *tab) runsNoScripts() {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		b.t.Fatal(err)
	}
}

// inEveryWindow runs a test on the demo shop in a wide and a narrow window and without
// scripts. Errors of the browser fail the test, except for refused forms.
func inEveryWindow(t *testing.T, p *program, try func(b *tab, name string, width int64, script bool)) {
	t.Helper()
	for _, c := range []struct {
		name   string
		width  int64
		script bool
	}{{"wide", 1280, true}, {"narrow", 390, true}, {"bare", 390, false}} {
		b := demoTab(t, p)
		if !c.script {
			b.runsNoScripts()
		}
		try(b, c.name, c.width, c.script)
		for _, found := range b.complaints() {
			if !strings.Contains(found, "400 ") {
				t.Errorf("%s: %s", c.name, found)
			}
		}
	}
}

// buys orders a variant and returns the id of the order.
func (b *tab) buys(name string, width int64, script bool) string {
	b.t.Helper()
	b.open("/teaware/cups/dipped-tea-bowl-sea-and-sand", width)
	b.click(".v-variants label:nth-of-type(2)")
	b.click("[data-v-add=cart]")
	if script {
		b.until(`document.querySelector('.v-drawer[open] .v-line__name')?.textContent.includes('Large')`)
		b.is(`document.querySelector('[data-v-cart-count]').textContent`, "1")
		shoot(b.t, b.ctx, "/buy/"+name+"/drawer", width)
		b.open("/cart", width)
	}
	b.until(`location.pathname === '/cart' && document.querySelector('.v-qty [name=quantity]').value === '1'`)
	b.click(".v-qty [name=more]")
	b.until(`document.querySelector('.v-qty [name=quantity]')?.value === '2' && document.querySelector('.v-sum__row strong').textContent === '€64'`)
	// The tax is that of the total beside it.
	const tax = `[...document.querySelectorAll('.v-sum__row + .v-muted')].every((e) => Math.round(e.previousElementSibling.lastElementChild.textContent.slice(1) * 23 / 123) === +e.textContent.replace('Including VAT 23%: €', ''))`
	b.is(tax, "true")
	shoot(b.t, b.ctx, "/buy/"+name+"/cart", width)
	b.click("a[href='/checkout']")
	b.until(`location.pathname === '/checkout' && document.querySelector('[name=phone]')`)
	for field, value := range map[string]string{"name": "Ines Baker", "phone": "+351 912 345 678", "email": name + "@example.com"} {
		b.types("[name="+field+"]", value)
	}
	b.ships("DE", script)
	shoot(b.t, b.ctx, "/buy/"+name+"/checkout", width)
	b.click("label:has([value=manual])")
	b.click("label:has(.v-choice__sent)")
	b.is(tax, "true")
	b.click(".v-sum [type=submit]")
	b.until(`document.querySelector('[name=street][aria-invalid]')`) // that delivery option needs an address
	b.is(`document.querySelector('[name=name]').value`, "Ines Baker")
	shoot(b.t, b.ctx, "/buy/"+name+"/refused", width)
	b.is(tax, "true")
	b.types("[name=street]", "Rua do Alecrim 12")
	b.types("[name=city]", "Lisboa")
	b.click(".v-sum [type=submit]")
	b.until(`location.pathname.startsWith('/orders/') && document.querySelector('.v-notice')`)
	b.is(tax, "true")
	shoot(b.t, b.ctx, "/buy/"+name+"/order", width)
	return b.text(`location.pathname.split('/')[2]`)
}

// follows registers the guest, who finds the order, writes a message about it, and sees the
// owner's changes.
func (b *tab) follows(p *program, owner, name string, width int64, id string) {
	b.t.Helper()
	b.types("#messages [name=text]", "Please ring <twice>")
	b.click("#messages [type=submit]")
	b.until(`[...document.querySelectorAll('.v-message__text')].some((e) => e.textContent === 'Please ring <twice>')`)
	b.click(".v-keep a")
	b.until(`location.pathname === '/account' && document.querySelector('[value=register]')`)
	shoot(b.t, b.ctx, "/buy/"+name+"/enter", width)
	form := "form:has([value=register]) "
	b.types(form+"[name=name]", "Ines")
	b.types(form+"[name=email]", name+"@example.com")
	b.types(form+"[name=password]", "a-long-password")
	b.click(form + "[type=submit]")
	b.until(`location.pathname === '/orders/` + id + `'`)
	b.open("/account", width)
	b.is(`document.querySelector('main strong').textContent`, "Ines")
	shoot(b.t, b.ctx, "/buy/"+name+"/account", width)
	b.click("[value=leave]")
	b.until(`document.querySelector('[value=login]')`)
	b.types("form:has([value=login]) [name=email]", name+"@example.com")
	b.types("form:has([value=login]) [name=password]", "a-long-password")
	b.click("[value=login]")
	b.until(`document.querySelector('main strong')?.textContent === 'Ines'`)
	b.open("/orders", width)
	b.is(`document.querySelectorAll('.v-order').length`, "1")
	shoot(b.t, b.ctx, "/buy/"+name+"/orders", width)
	p.must(owner, "PUT", "/orders/"+id+"/status", map[string]any{"status": "processing"})
	b.click(".v-order__name")
	b.until(`document.querySelector('[aria-current=step]')?.textContent === 'In progress'`)
	shoot(b.t, b.ctx, "/buy/"+name+"/moved", width)
}

// forgets resets a forgotten password with the link from an email, changes the account's
// address, and deletes the account.
func (b *tab) forgets(p *program, name string, width int64) {
	b.t.Helper()
	email := name + "@example.com"
	b.open("/account", width)
	b.click("[value=leave]")
	b.until(`document.querySelector('[value=login]')`)
	b.click("details:has([value=forgot]) summary")
	b.types("form:has([value=forgot]) [name=email]", email)
	b.click("[value=forgot]")
	b.until(`document.querySelector('.v-notice')?.textContent.includes('link')`)
	b.open(resetLink.FindString(p.letterTo(email)), width)
	b.types("form:has([value=reset]) [name=password]", "another-password")
	shoot(b.t, b.ctx, "/buy/"+name+"/reset", width)
	b.click("[value=reset]")
	b.until(`document.querySelector('main strong')?.textContent === 'Ines'`)

	b.click("details:has([value=email]) summary")
	b.types("form:has([value=email]) [name=email]", "new-"+email)
	b.types("form:has([value=email]) [name=password]", "another-password")
	shoot(b.t, b.ctx, "/buy/"+name+"/email", width)
	b.click("[value=email]")
	b.until(`document.querySelector('[value=moved]')`)
	b.types("form:has([value=moved]) [name=code]", sixDigits.FindString(p.letterTo("new-"+email)))
	b.click("[value=moved]")
	b.until(`!document.querySelector('[value=moved]') && document.querySelector('main').textContent.includes('new-')`)

	b.click("details:has([value=remove]) summary")
	b.click("form:has([value=remove]) [value=ask]") // by a code
	b.until(`document.querySelector('.v-notice')?.textContent.includes('code')`)
	b.click("details:has([value=remove]) summary")
	b.types("form:has([value=remove]) [name=code]", sixDigits.FindString(p.letterTo("new-"+email)))
	shoot(b.t, b.ctx, "/buy/"+name+"/remove", width)
	b.click("[value=remove]")
	b.until(`document.querySelector('[value=login]') && document.querySelector('.v-notice')`)
}

var (
	resetLink = regexp.MustCompile(`/account/reset\?token=\w+`)
	sixDigits = regexp.MustCompile(`\b[0-9]{6}\b`)
)

// letterTo is the text of the newest email to an address.
func (p *program) letterTo(address string) string {
	p.t.Helper()
	text := ""
	wait(p.t, "a letter to "+address, func() bool {
		letters, _ := p.verb("letters")["letters"].([]any)
		for _, l := range letters {
			if letter, is := l.(map[string]any); is && letter["to"] == address {
				text = letter["text"].(string)
				return true
			}
		}
		return false
	})
	return text
}
