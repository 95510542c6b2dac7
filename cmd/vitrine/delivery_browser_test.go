package main

import (
	"fmt"
	"testing"
)

// The checkout asks for the country first, shows what is possible there with price and days, and
// says so if nothing is. The order keeps the chosen pickup point.
func TestCheckoutToThreeCountries(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	owner := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "owner@demo.example", "password": "tea-at-four"})["token"].(string)
	const options = "/v1/shop/delivery-options"
	for _, o := range p.must(owner, "GET", options, nil)["result"].([]any) {
		p.must(owner, "DELETE", fmt.Sprintf("%s/%v", options, o.(map[string]any)["id"]), nil)
	}
	p.must(owner, "POST", options, map[string]any{"name": "Parcel", "needs_address": true, "free_from": 500, "rates": []any{
		map[string]any{"countries": []string{"PT"}, "price": 4, "days": 2},
		map[string]any{"countries": []string{"US"}, "regions": []string{"NY", "NJ"}, "price": 30, "days": 10},
		map[string]any{"countries": []string{"FR"}, "min_total": 1000, "price": 15, "days": 5},
	}})
	p.must(owner, "POST", options, map[string]any{"name": "Collect it yourself", "kind": "pickup", "sort_order": 1,
		"rates": []any{map[string]any{"countries": []string{"PT"}, "price": 0}},
		"points": []any{
			map[string]any{"id": "chiado", "name": "Shop in Chiado", "address": "Rua Garrett 12, Lisboa", "hours": "Wednesday to Saturday, 11 to 18 h"},
			map[string]any{"id": "porto", "name": "Warehouse", "address": "Rua das Flores 3, Porto"},
		}})
	inEveryWindow(t, p, func(b *tab, name string, width int64, script bool) {
		b.open("/tea/black-tea/earl-grey-with-calabrian-bergamot", width)
		b.is(`document.querySelector('.v-terms__ways').textContent.includes('from €4')`, "true")
		b.adds()
		b.open("/checkout", width)
		b.is(`[...document.querySelectorAll('[name=country] option')].map(o => o.textContent).join()`, ",France,Portugal,United States")
		b.is(`document.querySelectorAll('[name=delivery_option_id]').length`, "0")
		shoot(b.t, b.ctx, "/delivery/"+name+"/asks", width)
		b.types("[name=name]", "Ines Baker")
		b.types("[name=phone]", "+351 912 345 678")
		b.ships("US", script)
		b.until(`document.querySelector('.v-place + .v-part [role=status]')`)
		b.is(`document.querySelector('[name=name]').value`, "Ines Baker")
		b.types("[name=region]", "us-ny")
		b.ships("US", script)
		b.until(`document.querySelector('.v-choice:has(:checked)')?.textContent.includes('within 10 daysfree from €500€30')`)
		b.is(`document.querySelector('[data-v-costs]').textContent`, "€30")
		shoot(b.t, b.ctx, "/delivery/"+name+"/us", width)
		b.ships("FR", script)
		b.until(`document.querySelector('.v-place + .v-part .v-notice--bad')?.textContent.includes('does not deliver')`)
		shoot(b.t, b.ctx, "/delivery/"+name+"/nowhere", width)
		b.ships("PT", script)
		b.until(`document.querySelectorAll('[name=delivery_option_id]').length === 2`)
		b.is(`document.querySelector('.v-choice:has(:checked)').textContent.includes('within 2 daysfree from €500€4')`, "true")
		shoot(b.t, b.ctx, "/delivery/"+name+"/pt", width)
		b.click(".v-choice:has(+ input + .v-points)")
		b.click("label:has([value=porto])")
		b.click("label:has([name=payment_method][value=manual])")
		shoot(b.t, b.ctx, "/delivery/"+name+"/pickup", width)
		b.click(".v-sum [type=submit]")
		b.until(`document.readyState === 'complete' && location.pathname.startsWith('/orders/') && document.querySelector('.v-who')?.textContent.includes('Rua das Flores 3')`)
		shoot(b.t, b.ctx, "/delivery/"+name+"/order", width)
	})
}

// ships selects the country at the checkout. Without scripts the form needs its button.
func (b *tab) ships(country string, script bool) {
	b.t.Helper()
	const busy = `document.querySelector('[data-v-zone]').ariaBusy === 'true'`
	b.until(`!(` + busy + `)`)
	b.is(`(() => { const e = document.querySelector('[name=country]'); e.value = '`+country+`'; e.dispatchEvent(new Event('change', {bubbles: true})); return e.value })()`, country)
	if !script {
		b.is(`document.body.dataset.before = 'here'`, "here")
		b.click("[name=do][value=place]")
		b.until(`document.body && !document.body.dataset.before`)
	}
	b.until(`document.readyState === 'complete' && !(` + busy + `) && document.querySelector('[name=country]').value === '` + country + `'`)
}

// On a slow connection a buyer chooses how to pay and how to get the goods before the prices of
// the country have come. Both choices stay, with the costs of the chosen delivery.
func TestChoicesAtTheCheckoutSurviveItsPrices(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	b := demoTab(t, p)
	b.checksOut()
	b.ships("DE", true)
	b.text(`(` + slowly + `)`)
	b.is(`(() => { const e = document.querySelector('[name=country]'); e.value = 'FR'; e.dispatchEvent(new Event('change', {bubbles: true})); return document.querySelector('[data-v-zone]').ariaBusy })()`, "true")
	const chosen = `[...document.querySelectorAll('.v-checkout :checked')].filter((e) => e.type === 'radio').map((e) => e.value).join()`
	before := b.text(chosen)
	b.text(`document.querySelectorAll('.v-checkout [type=radio]:not(:checked)').forEach((e) => e.click())`)
	wanted := b.text(chosen)
	if wanted == before {
		t.Fatal("there is nothing to choose from:", before)
	}
	b.until(`!(document.querySelector('[data-v-zone]').ariaBusy === 'true')`)
	b.is(chosen, wanted)
	b.is(`document.querySelector('[name=delivery_option_id]:checked').dataset.vCost === document.querySelector('[data-v-costs]').textContent`, "true")
}
