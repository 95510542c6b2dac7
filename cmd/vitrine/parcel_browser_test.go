package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// ordersByAPI orders two pounds of tea as a guest of the demo shop, and returns the id of the
// order and the link in its letter.
func (p *program) ordersByAPI(owner, email string) (id, link string) {
	p.t.Helper()
	company := itoa(p.must(owner, "GET", "/v1/orgs/current", nil)["id"])
	product := itoa(p.must(owner, "GET", "/products/by-slug/longjing-before-the-rains?company_id="+company, nil)["id"])
	guest := p.must("", "POST", "/v1/auth/guest", map[string]any{})["token"].(string)
	p.must(guest, "POST", "/cart/merge", map[string]any{"company_id": company, "items": []any{map[string]any{"product_id": product, "quantity": 2}}})
	id = itoa(p.must(guest, "POST", "/cart/confirm", map[string]any{
		"company_id": company, "contact": map[string]any{"name": "Ines Baker", "phone": "+351 912 345 678", "email": email},
		"address": map[string]any{"street": "Rua do Alecrim 12", "city": "Lisboa"}})["id"])
	letters, err := json.Marshal(p.must(owner, "GET", "/v1/shop/letters?filter.name=order_made_buyer", nil))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, found := range letterLink.FindAllStringSubmatch(string(letters), -1) {
		if found[1] == id {
			return id, found[0]
		}
	}
	p.t.Fatalf("order %s has no letter", id)
	return "", ""
}

// An order leaves in two parcels. The page that the letter links to shows each with its carrier,
// its number, the link to its tracking page, what is in it and whether it has arrived.
func TestBuyerFollowsTwoParcels(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	owner := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "owner@demo.example", "password": "tea-at-four"})["token"].(string)
	inEveryWindow(t, p, func(b *tab, name string, width int64, _ bool) {
		id, link := p.ordersByAPI(owner, name+"@example.com")
		line := p.must(owner, "GET", "/orders/"+id, nil)["items"].([]any)[0].(map[string]any)["id"]
		first := p.must(owner, "POST", "/orders/"+id+"/shipments", map[string]any{
			"carrier": "royal_mail", "number": "QA 1234 5678 9GB", "shipped_at": "2026-11-22T09:00:00Z", "lines": []any{map[string]any{"line_id": line, "quantity": 1}}})
		p.must(owner, "PUT", "/orders/"+id+"/shipments/"+itoa(first["id"]), map[string]any{"delivered_at": "2026-11-24T10:00:00Z"})
		p.must(owner, "POST", "/orders/"+id+"/shipments", map[string]any{"carrier": "Bob <b>Rider</b>", "number": strings.Repeat("7", 64)})
		b.open(link, width)
		b.until(`document.querySelectorAll('.v-parcel').length === 2`)
		b.is(`[...document.querySelectorAll('.v-parcel .v-state')].map((e) => e.textContent).join()`, "Delivered,On its way")
		b.is(`[...document.querySelectorAll('.v-parcel strong')].map((e) => e.textContent).join()`, "Royal Mail,Bob <b>Rider</b>")
		b.is(`[...document.querySelectorAll('.v-parcel li')].map((e) => e.textContent.trim()).join()`, "1 × Longjing, picked before the rains,1 × Longjing, picked before the rains,1 × Cherrywood tea scoop") // the gift ships, too
		b.is(`[...document.querySelectorAll('.v-parcel a')].map((e) => e.href).join()`, "https://www.royalmail.com/track-your-item#/tracking-results/QA%201234%205678%209GB")
		b.is(`document.documentElement.scrollWidth <= innerWidth`, "true")
		shoot(b.t, b.ctx, "/parcels/"+name, width)
	})
}

// A buyer cancels a paid order on its page, after a confirmation: without scripts as well. The
// order is cancelled, the money is returned, and the button is gone; on a page from before, it
// explains why it no longer works.
func TestBuyerCancelsAnOrder(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	owner := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "owner@demo.example", "password": "tea-at-four"})["token"].(string)
	p.must(owner, "PUT", "/v1/shop/settings", map[string]any{"buyer_cancel_minutes": 30})
	inEveryWindow(t, p, func(b *tab, name string, width int64, _ bool) {
		id, link := p.ordersByAPI(owner, name+"@example.com")
		p.must(owner, "POST", "/orders/"+id+"/payment/confirm", nil)
		b.open(link, width)
		b.is(`document.querySelector('.v-cancel [value=cancel]').checkVisibility()`, "false")
		b.click(".v-cancel summary")
		b.until(`document.querySelector('.v-cancel [value=cancel]').checkVisibility()`)
		b.is(`document.querySelector('.v-cancel p').textContent`, "Do you want to cancel this order? This cannot be undone. Your payment will be refunded.")
		shoot(b.t, b.ctx, "/cancel/"+name+"/ask", width)
		b.click(".v-cancel [value=cancel]")
		b.until(`document.querySelector('.v-state--cancelled') && !document.querySelector('.v-cancel')`)
		b.is(`location.search.includes('key=')`, "true")
		b.is(`document.querySelector('[data-v-zone] > .v-muted').textContent.split('·')[1].trim()`, "Refunded")
		shoot(b.t, b.ctx, "/cancel/"+name+"/done", width)

		late, link := p.ordersByAPI(owner, name+"@example.com")
		b.open(link, width)
		b.click(".v-cancel summary")
		p.must(owner, "PUT", "/orders/"+late+"/status", map[string]any{"status": "processing"})
		b.click(".v-cancel [value=cancel]")
		b.until(`document.querySelector('.v-notice--bad')?.textContent.includes('can no longer be cancelled')`)
		b.is(`document.querySelector('[aria-current=step]').textContent`, "In progress")
	})
}
