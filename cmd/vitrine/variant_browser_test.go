package main

import "testing"

// A selected variant with only a title is in the address like one with options, and the
// prices by quantity are those of the selected variant.
func TestAddressAndPricesByQuantityFollowTheVariant(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	type m = map[string]any
	owner, _ := p.must("", "POST", "/v1/auth/login", m{"email": "owner@demo.example", "password": "tea-at-four"})["token"].(string)
	made := p.must(owner, "POST", "/products", m{"item": m{"name": "Loose tea", "price": m{"price": 9}, "is_published": true}})
	id := itoa(made["id"])
	sets := p.must(owner, "PUT", "/products/"+id+"/variants", m{"items": []m{{"title": "50 g", "price": 10}, {"title": "100 g", "price": 20}}})["variants"].([]any)
	p.must(owner, "POST", "/pricing-rules", m{"item": m{"name": "Many", "product_ids": []any{made["id"]}, "tiers": []m{{"from": 3, "percent": 50}}}})
	second := itoa(sets[1].(m)["id"])
	inEveryWindow(t, p, func(b *tab, _ string, width int64, script bool) {
		const levels = `[...document.querySelectorAll('.v-levels')].filter((e) => e.checkVisibility()).map((e) => e.querySelector('strong').textContent).join()`
		b.open("/product/"+id, width)
		b.is(levels, "€5")
		b.is(`document.querySelector('.v-price__now').textContent`, "€10")
		if script {
			b.click(`[name=variant][value="` + second + `"]`)
			b.until(`location.search === '?variant=` + second + `'`)
		} else {
			b.open("/product/"+id+"?variant="+second, width)
		}
		b.is(levels, "€10")
		b.is(`document.querySelector('.v-price__now').textContent`, "€20")
	})
}
