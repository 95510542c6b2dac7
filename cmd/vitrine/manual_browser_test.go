package main

import (
	"encoding/json"
	"testing"
)

// A buyer who ordered by phone opens the link of the letter in a browser without a session, and
// pays there. With and without scripts.
func TestAPhoneOrderIsPaidByItsLink(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	owner := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "owner@demo.example", "password": "tea-at-four"})["token"].(string)
	tea := p.must(owner, "GET", "/products/by-slug/earl-grey-with-calabrian-bergamot", nil)["id"]
	inEveryWindow(t, p, func(b *tab, name string, width int64, _ bool) {
		made := p.must(owner, "POST", "/orders/manual", map[string]any{
			"contact": map[string]any{"name": "Ines Baker", "phone": "+351 912 345 678", "email": name + "@phone.example"},
			"address": map[string]any{"street": "Rua do Alecrim 12", "city": "Lisboa", "country": "PT"},
			"items":   []any{map[string]any{"product_id": tea, "agreed_price": 77}}, "send_payment_link": true, "payment_method": "sandbox",
		})
		letters, err := json.Marshal(p.must(owner, "GET", "/v1/shop/letters?filter.name=order_payment_buyer", nil))
		if err != nil {
			t.Fatal(err)
		}
		link := ""
		for _, found := range letterLink.FindAllStringSubmatch(string(letters), -1) {
			if link == "" && found[1] == made["id"] {
				link = found[0]
			}
		}
		b.open(link, width)
		b.until(`document.readyState === 'complete' && document.querySelector('button[name=pay]')`)
		b.is(`document.querySelector('.v-lines--order').textContent.includes('€77')`, "true")
		shoot(b.t, b.ctx, "/manual/"+name+"/link", width)
		b.paysAgain("manual-"+name, width)
		b.is(`location.search.includes('key=')`, "true")
		b.paidOnce(p, owner, made["id"].(string))
	})
}
