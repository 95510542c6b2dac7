package main

import "testing"

// The checkout adds the tax of the country and region. A business in another country of the EU that
// names its number pays none. The order has the sums of the checkout.
func TestCheckoutAddsTheTaxOfTheCountry(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	owner := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "owner@demo.example", "password": "tea-at-four"})["token"].(string)
	rate := func(country, region, name string, percent float64) any {
		return map[string]any{"country": country, "region": region, "class": "standard", "name": name, "percent": percent}
	}
	p.must(owner, "PUT", "/v1/shop/settings", map[string]any{"tax": map[string]any{
		"included": false, "default_country": "DE", "exempt_eu_business": true,
		"rates": []any{rate("DE", "", "MwSt.", 19), rate("FR", "", "TVA", 20), rate("US", "NY", "Sales tax", 8.875)},
	}})
	tea := p.must(owner, "GET", "/products/by-slug/earl-grey-with-calabrian-bergamot", nil)["id"]
	p.must(owner, "PUT", "/products/"+itoa(tea), map[string]any{"item": map[string]any{"tax_class": "standard"}})
	courier := p.must(owner, "GET", "/v1/shop/delivery-options", nil)["result"].([]any)[0].(map[string]any)["id"]
	p.must(owner, "PUT", "/v1/shop/delivery-options/"+itoa(courier), map[string]any{"price": 6, "rates": []any{}})
	inEveryWindow(t, p, func(b *tab, name string, width int64, script bool) {
		b.open("/tea/black-tea/earl-grey-with-calabrian-bergamot", width)
		b.adds() // 12
		b.open("/cart", width)
		b.says(".v-sum", "Plus MwSt. 19%: €2")
		shoot(b.t, b.ctx, "/tax/"+name+"/cart", width)
		b.open("/checkout", width)
		b.is(`document.querySelector('[name=country]').value`, "DE")
		b.says(".v-sum", "Plus MwSt. 19%: €3") // of 12 and of the courier's 6
		b.says("[data-v-grands]", "€21")
		b.types("[name=name]", "Ines Baker")
		b.types("[name=phone]", "+351 912 345 678")
		b.types("[name=region]", "ny")
		b.ships("US", script)
		b.says(".v-sum", "Plus Sales tax 8.875%: €2")
		b.says("[data-v-grands]", "€20")
		shoot(b.t, b.ctx, "/tax/"+name+"/us", width)
		b.ships("FR", script)
		b.says("[data-v-grands]", "€22")
		b.types("[name=vat_number]", "FR 12 123456789")
		b.ships("FR", script)
		b.says("[data-v-grands]", "€18")
		b.is(`document.querySelector('.v-sum').textContent.includes('TVA')`, "false")
		shoot(b.t, b.ctx, "/tax/"+name+"/business", width)
		b.ships("DE", script)
		b.says("[data-v-grands]", "€21")
		b.types("[name=street]", "Weserstrasse 12")
		b.click("label:has([name=payment_method][value=manual])")
		b.click(".v-sum [type=submit]")
		b.until(`document.readyState === 'complete' && location.pathname.startsWith('/orders/')`)
		b.says(".v-sum", "Plus MwSt. 19%: €3")
		b.says(".v-sum", "€21")
		shoot(b.t, b.ctx, "/tax/"+name+"/order", width)
	})
}

// says waits until an element contains a text.
func (b *tab) says(selector, text string) {
	b.t.Helper()
	b.until(`document.readyState === 'complete' && document.querySelector('` + selector + `')?.textContent.replaceAll('\u00a0', ' ').includes('` + text + `')`)
}
