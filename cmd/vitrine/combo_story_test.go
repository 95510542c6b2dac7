package main

import (
	"strings"
	"testing"
)

// A combo has the same price everywhere, regardless of the price in its data: on cards and
// its page, in structured data, feeds, lists, quotes and documents; all of them follow when
// one of its items gets a new price.
func TestComboHasTheSamePriceEverywhere(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	p.start()
	company := p.must(key, "GET", "/v1/orgs/current", nil)["id"]
	section := p.must(key, "POST", "/categories", map[string]any{"item": map[string]any{
		"name": "Gifts", "type": "product", "is_published": true, "seo": map[string]any{"slug": "gifts"}}})["id"]
	of := func(fields map[string]any) any {
		fields["is_published"] = true
		return p.must(key, "POST", "/products", map[string]any{"item": fields})["id"]
	}
	cup := of(map[string]any{"name": "Cup", "price": map[string]any{"price": 1000}})
	set := of(map[string]any{"name": "Set", "kind": "combo", "price": map[string]any{"price": 9}, "category_id": section,
		"combo_items": []any{map[string]any{"product_id": cup, "quantity": 3}}, "combo_discount": map[string]any{"percent": 10}})
	p.must(key, "POST", "/site-files", map[string]any{
		"name": "prices.txt", "body": `{{range products}}{{.Name}} {{.Price}} {{.OldPrice}};{{end}}`, "is_published": true})
	buyer := p.must("", "POST", "/v1/auth/guest", map[string]any{})["token"].(string)
	p.must(buyer, "PUT", "/v1/account/wishlist/"+itoa(set)+"?company_id="+itoa(company), nil)

	costs := func(price, shown string) {
		t.Helper()
		for path, want := range map[string]string{
			"/gifts/set": `"price":` + price, "/gifts": shown, "/deals": shown, "/prices.txt": "Set " + price,
		} {
			wait(t, path+" contains "+want, func() bool { _, _, body := p.visit("tea", path); return strings.Contains(body, want) })
		}
		card := p.must(key, "GET", "/products/"+itoa(set), nil)["price"].(map[string]any)
		kept := p.must(buyer, "GET", "/v1/account/wishlist?company_id="+itoa(company), nil)["items"].([]any)[0].(map[string]any)["price"].(map[string]any)
		quote := p.must("", "POST", "/cart/quote", map[string]any{"company_id": company, "items": []any{map[string]any{"product_id": set, "key": "default", "quantity": 1}}})
		for where, got := range map[string]any{"the API": card["price"], "the wishlist": kept["price"], "a quote": quote["subtotal"]} {
			if itoa(got) != price {
				t.Errorf("%s has %v, want %s", where, got, price)
			}
		}
	}
	costs("2700", "2,700")
	p.must(key, "PUT", "/products/"+itoa(cup), map[string]any{"item": map[string]any{"price": map[string]any{"price": 2000}}})
	costs("5400", "5,400")
}
