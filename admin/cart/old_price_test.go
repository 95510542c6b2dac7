package cart_test

import (
	"fmt"
	"testing"
)

// The old price of a line is typed for the chosen variant or its product, unless a promotion or
// the discount of a set computes one.
func TestTheOldPriceOfALine(t *testing.T) {
	b := open(t)
	tea := b.product(b.Owner, m{"price": m{"price": 50, "old_price": 70}})
	set := b.Result("PUT", "/products/"+tea+"/variants", b.Owner, m{"items": []m{
		{"title": "own", "price": 40, "old_price": 90}, {"title": "the product's"}, {"title": "another price", "price": 45}, {"title": "none", "old_price": 0},
	}})["variants"].(l)
	cup := b.product(b.Owner, m{"price": m{"price": 30, "old_price": 35}, "configurable": true})
	combo := b.product(b.Owner, m{"kind": "combo", "price": m{"price": 1, "old_price": 999}, "combo_items": []m{{"product_id": cup, "quantity": 2}}, "combo_discount": m{"percent": 10}})
	var items l
	for n, v := range set {
		items = append(items, m{"product_id": tea, "key": fmt.Sprint(n), "quantity": 1, "data": m{"variant_id": v.(m)["id"]}})
	}
	items = append(items,
		m{"product_id": tea, "key": "no variant", "quantity": 1}, m{"product_id": cup, "key": "configured", "quantity": 1, "data": m{"price": m{"total": 33}}},
		m{"product_id": combo, "key": "combo", "quantity": 1})
	prices := func() (list []string) {
		for _, line := range b.Result("POST", "/cart/quote", "", m{"company_id": b.Shop.ID, "items": items})["items"].(l) {
			price := line.(m)["price"].(m)
			list = append(list, fmt.Sprint(price["price"], "/", price["old_price"]))
		}
		return list
	}
	if got, want := fmt.Sprint(prices()), "[40/90 50/70 45/0 50/0 50/70 33/0 54/60]"; got != want {
		t.Errorf("typed: %s, want %s", got, want)
	}
	b.OK("POST", "/promotions", b.Owner, m{"item": m{"name": "Sale", "kind": "discount", "value": m{"percent": 50}}})
	if got, want := fmt.Sprint(prices()), "[20/40 25/50 23/45 25/50 25/50 33/0 54/60]"; got != want {
		t.Errorf("computed: %s, want %s", got, want)
	}
}
