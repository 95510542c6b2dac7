package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// A buyer adds an address to the book with a country from the list, as at the checkout. Pages, the
// invoice and the letter print its name, in the list of orders the buyer sees what was shipped, and
// an address whose country was typed as a name can still be used.
func TestABuyersAddressHasACountryOfTheList(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	owner := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "owner@demo.example", "password": "tea-at-four"})["token"].(string)
	company := itoa(p.must(owner, "GET", "/v1/orgs/current", nil)["id"])
	inEveryWindow(t, p, func(b *tab, name string, width int64, script bool) {
		person := map[string]any{"email": name + "@address.example", "password": "a long password", "name": "Ines Baker"}
		buyer := p.must("", "POST", "/v1/auth/register", person)["token"].(string)
		b.open("/account?next=/", width)
		b.signsIn(name+"@address.example", "a long password")
		b.open("/account", width)
		b.click("details:has([value=address-add]) summary")
		b.types("[name=street]", "Rua do Alecrim 12")
		b.types("[name=city]", "Lisboa")
		b.is(`document.querySelectorAll('[name=country] option').length`, "250")
		b.is(`(() => { const e = document.querySelector('[name=country]'); e.value = 'PT'; return e.selectedOptions[0].textContent })()`, "Portugal")
		shoot(b.t, b.ctx, "/address/"+name+"/form", width)
		b.click("[value=address-add]")
		b.until(`document.querySelector('.v-book li')?.textContent.includes('Rua do Alecrim 12, Lisboa, Portugal')`)
		b.is(`document.documentElement.scrollWidth <= innerWidth`, "true")
		shoot(b.t, b.ctx, "/address/"+name+"/book", width)

		p.must(buyer, "POST", "/v1/account/addresses", map[string]any{"company_id": company, "street": "Weserstrasse 41", "city": "Berlin", "country": "Deutschland"})
		b.open("/tea/black-tea/earl-grey-with-calabrian-bergamot", width)
		b.adds()
		b.open("/checkout", width)
		b.is(`document.querySelector('[name=country]').selectedOptions[0].textContent`, "Portugal") // the default address
		const book = `document.querySelector('[name=address_id]')`
		b.is(`[...`+book+`.options].map((e) => e.textContent).join('|')`, "|Rua do Alecrim 12, Lisboa, Portugal|Weserstrasse 41, Berlin, Deutschland")
		b.is(`(() => { const e = `+book+`; e.selectedIndex = 2; e.dispatchEvent(new Event('change', {bubbles: true})); return e.selectedIndex })()`, "2")
		if !script {
			b.click("[name=do][value=place]")
		}
		b.until(`document.readyState === 'complete' && document.querySelector('[name=country]').selectedOptions[0].textContent === 'Deutschland'`)
		b.is(`document.querySelectorAll('.v-choice__sent').length`, "0") // no rate knows this country
		shoot(b.t, b.ctx, "/address/"+name+"/typed", width)
		b.ships("DE", script)
		b.click("label:has(.v-choice__sent)") // what was offered meanwhile may be chosen
		b.until(`document.querySelector('[data-v-zone]').ariaBusy !== 'true' && document.querySelector('label:has(.v-choice__sent) [name=delivery_option_id]').checked`)
		b.types("[name=phone]", "+351 912 345 678")
		b.click("label:has([name=payment_method][value=manual])")
		b.click(".v-sum [type=submit]")
		b.until(`document.readyState === 'complete' && document.querySelector('.v-who')?.textContent.includes('Weserstrasse 41BerlinGermany')`)

		id := b.text(`location.pathname.split('/')[2]`)
		letters, err := json.Marshal(p.must(owner, "GET", "/v1/shop/letters?filter.name=order_made_buyer", nil))
		if err != nil || !strings.Contains(string(letters), "Germany") {
			t.Errorf("the letter does not name the country: %v", err)
		}
		p.must(owner, "POST", "/orders/"+id+"/invoice", nil)
		p.must(owner, "POST", "/orders/"+id+"/shipments", map[string]any{"carrier": "dhl", "number": "JD014600003828"})
		b.open("/orders/"+id+"/invoice", width)
		b.is(`document.querySelector('.to').textContent.includes('Germany') && !document.querySelector('.to').textContent.includes('DE')`, "true")
		b.open("/orders", width)
		b.is(`[...document.querySelectorAll('.v-order .v-state')].map((e) => e.textContent).join()`, "Placed,Shipped")
		shoot(b.t, b.ctx, "/address/"+name+"/orders", width)
	})
}
