package main

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// checksOut opens the checkout with one tea in the cart.
func (b *tab) checksOut() {
	b.t.Helper()
	b.open("/tea/black-tea/earl-grey-with-calabrian-bergamot", 1280)
	b.adds()
	b.open("/checkout", 1280)
}

// fillsIn fills in the checkout form for a cart with one tea.
func (b *tab) fillsIn(street string) {
	b.t.Helper()
	b.checksOut()
	b.types("[name=name]", "Ines Baker")
	b.types("[name=phone]", "+351 912 345 678")
	b.click("label:has(.v-choice__sent)")
	b.types("[name=street]", street)
}

const typedNow = `[...document.querySelectorAll('.v-checkout :is([name=name], [name=phone], [name=street])')].map(e => e.value).join()`

// stored is the content of all storages of the shop's origin, which scripts of its pages can
// read.
const stored = `(async () => {
	const all = [JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie]
	for (const { name } of await indexedDB.databases()) all.push(name)
	for (const name of await caches.keys()) all.push(name)
	return all.join()
})()`

// Input at the checkout survives a reload, is in no storage of the browser, and is restored
// for a signed-in visitor whose session ended in between.
func TestCheckoutInputIsNotLost(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	b := demoTab(t, p)
	b.open("/account?next=/", 1280)
	person := map[string]any{"email": "ines@buyers.example", "password": "a long password", "name": "Ines"}
	p.must("", "POST", "/v1/auth/register", person)
	b.signsIn("ines@buyers.example", "a long password")
	b.fillsIn("Rua Augusta 7")
	const want = "Ines Baker,+351 912 345 678,Rua Augusta 7"
	b.open("/checkout", 1280) // a new page load: from the server
	b.until(typedNow + ` === '` + want + `'`)
	b.types("[name=street]", "Rua Augusta 8")
	if err := chromedp.Do(b.ctx, chromedp.Reload()); err != nil { // immediately: from the history entry
		t.Fatal(err)
	}
	b.until(typedNow + `.endsWith('Augusta 8')`)
	if kept := b.awaited(stored); strings.Contains(kept, "Ines") || strings.Contains(kept, "912") || strings.Contains(kept, "Augusta") {
		t.Errorf("the input is stored in %s", kept)
	}
	b.click("[name=comment]")
	wait(t, "it is kept", func() bool {
		typed := b.awaited(`fetch('/api/cart/checkout').then(r => r.text())`)
		return strings.Contains(typed, "Augusta 8")
	})
	token := p.must("", "POST", "/v1/auth/login", person)["token"].(string)
	p.must(token, "POST", "/v1/auth/password", map[string]any{"password": "a long password", "new_password": "another long one"})
	b.click(".v-sum [type=submit]")
	b.until(`document.querySelector('[role=status].v-notice')?.textContent.includes('session has ended')`)
	shoot(t, b.ctx, "/checkout/ended", 1280)
	b.click("[role=status].v-notice a")
	b.until(`document.querySelector('[name=password]')`)
	b.signsIn("ines@buyers.example", "another long one")
	b.until(`location.pathname === '/checkout'`)
	b.until(typedNow + `.endsWith('Augusta 8')`)
	for _, fault := range b.complaints() {
		if !strings.Contains(fault, "401") { // the response after the session has ended
			t.Error(fault)
		}
	}
}

// signsIn fills in the sign-in form.
func (b *tab) signsIn(email, password string) {
	b.t.Helper()
	b.types("form:has([name=do][value=login]) [name=email]", email)
	b.types("form:has([name=do][value=login]) [name=password]", password)
	b.click("[name=do][value=login]")
	b.until(`!document.querySelector('[name=do][value=login]')`)
}

// A visitor who goes back from the payment provider gets to the placed order with its payment
// button; with and without scripts.
func TestBackFromTheProviderShowsTheOrder(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	inEveryWindow(t, p, func(b *tab, name string, width int64, script bool) {
		b.orders(name, width)
		b.away(`history.back()`)
		b.until(`location.pathname.startsWith('/orders/') && document.querySelector('button[name=pay]')`)
		if script {
			b.until(`document.querySelector('[data-v-cart-count]').hidden || document.querySelector('[data-v-cart-count]').textContent === '0'`) // the cart became the order
		}
		shoot(b.t, b.ctx, "/checkout/"+name+"/back", width)
	})
}

// The checkout page validates phone numbers and addresses like the shop's forms.
func TestCheckoutValidatesLikeForms(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	b := demoTab(t, p)
	b.fillsIn("Rua Augusta 7")
	for phone, fits := range map[string]string{"call me": "false", "+351 912": "true"} {
		b.types("[name=phone]", phone)
		b.is(`document.querySelector('[name=phone]').checkValidity()`, fits)
	}
	b.types("[name=phone]", "12")
	b.click(".v-sum [type=submit]")
	b.until(`document.querySelector('#v-wrong-phone')?.textContent.includes('phone number')`)
	b.types("[name=email]", "ines at home")
	b.is(`document.querySelector('[name=email]').checkValidity()`, "false")
}

// A tab that becomes visible shows the cart as changed in another tab.
func TestReturningToATabUpdatesTheCart(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	b := demoTab(t, p)
	b.open("/tea/black-tea/earl-grey-with-calabrian-bergamot", 1280)
	b.adds()
	b.open("/cart", 1280)
	b.is(`document.querySelector('[data-v-zone]').dataset.vUnits`, "1")
	line := b.text(`document.querySelector('[name=product_id]').value + '/' + document.querySelector('[name=key]').value`)
	b.awaited(`fetch('/api/cart/items/` + line + `', { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: '{"quantity":3}' }).then(r => r.text())`)
	b.is(`document.querySelector('[data-v-zone]').dataset.vUnits`, "1")
	b.text(`window.dispatchEvent(new Event('focus'))`)
	b.until(`document.querySelector('[data-v-zone]').dataset.vUnits === '3' && document.querySelector('[name=quantity]').value === '3'`)
}

// A link below the suggestions opens the full search results.
func TestSuggestionsLinkToAllResults(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	b := demoTab(t, p)
	b.open("/", 1280)
	b.types(".v-header [type=search]", "tea")
	b.until(`[...document.querySelectorAll('#v-hints [data-v-href]')].at(-1)?.dataset.vHref.endsWith('/search?q=tea')`)
	shoot(t, b.ctx, "/checkout/suggestions", 1280)
	b.click("#v-hints [data-v-href]:last-child")
	b.until(`location.pathname + location.search === '/search?q=tea'`)
}
