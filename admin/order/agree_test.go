package order_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vitrine/admin/api/apitest"
)

// What a quote says, the cart shows and the order costs is one number, line by
// line, whatever is in the cart and however it was chosen: by variants that are
// there, hidden or gone, by configurations, in combos. The counts agree too.
func TestQuoteCartAndOrderAgree(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	shelf := newShelf(a)
	buyer := a.Buyer("ann@people.test")
	where := fmt.Sprintf("?company_id=%d", a.Shop.ID)
	rapid.Check(t, func(r *rapid.T) {
		a.Clock.Advance(2 * time.Minute)
		ann := a.Session(buyer)
		lines := rapid.SliceOfNDistinct(shelf.line(), 1, 12, func(line m) string { return fmt.Sprint(line["product_id"], line["key"]) }).Draw(r, "lines")
		for _, line := range lines {
			a.Clock.Advance(time.Second)
			a.OK("POST", fmt.Sprintf("/cart/items/%v/%v", line["product_id"], line["key"]), ann, m{"quantity": line["quantity"], "data": line["data"]})
		}
		quote := a.OK("POST", "/cart/quote", "", m{"company_id": a.Shop.ID, "items": lines})
		cart := a.OK("GET", "/cart/items"+where, ann, nil)
		a.Clock.Advance(time.Minute)
		order := a.Result("POST", "/cart/confirm", ann, m{
			"company_id": a.Shop.ID, "contact": m{"name": "Ann", "phone": "1"}, "expected_total": cart["subtotal"],
		})
		for _, field := range []string{"subtotal", "subtotal_before", "discount_total", "count", "total"} {
			if quote[field] != cart[field] {
				r.Fatalf("%s: quote %v, cart %v", field, quote[field], cart[field])
			}
		}
		if order["items_total"] != cart["subtotal"] || order["discount_total"] != cart["discount_total"] {
			r.Fatalf("cart %v %v, order %v %v", cart["subtotal"], cart["discount_total"], order["items_total"], order["discount_total"])
		}
		shown, ordered, sum := cart["items"].(l), order["items"].(l), 0.0
		for i, item := range quote["items"].(l) {
			q, c, o := item.(m), shown[i].(m), ordered[i].(m)
			unit := q["price"].(m)["price"]
			if c["price"].(m)["price"] != unit || o["unit_price"] != unit || c["base_unit_price"] != o["base_unit_price"] ||
				c["total"] != o["total"] || q["total"] != c["total"] || c["name"] != o["name"] || c["sku"] != o["sku"] ||
				fmt.Sprint(c["data"]) != fmt.Sprint(o["data"]) {
				r.Fatalf("line %d: quote %v, cart %v, order %v", i, q, c, o)
			}
			sum += o["total"].(float64)
		}
		if sum != order["items_total"] {
			r.Fatalf("the lines are %v, the order %v", sum, order["items_total"])
		}
	})
}

// shelf is what there is to buy.
type shelf struct {
	plain, chosen, set any
	variants           []any // of chosen: priced, without a price, hidden
}

func newShelf(a *apitest.API) (s shelf) {
	of := func(fields m) any { return a.Result("POST", "/products", a.Owner, m{"item": fields})["id"] }
	s.plain = of(m{"name": "Cup", "sku": "C", "is_published": true, "price": m{"price": 137}})
	s.chosen = of(m{"name": "Tea", "is_published": true, "price": m{"price": 14, "old_price": 20}})
	made := a.Result("PUT", fmt.Sprintf("/products/%v/variants", s.chosen), a.Owner, m{"items": l{
		m{"title": "Big", "sku": "T-B", "price": 33}, m{"title": "Small"}, m{"title": "Hidden", "price": 1, "is_active": false},
	}})
	for _, v := range made["variants"].(l) {
		s.variants = append(s.variants, v.(m)["id"])
	}
	s.set = of(m{"name": "Set", "is_published": true, "kind": "combo", "combo_discount": m{"percent": 12.5}, "combo_items": l{
		m{"product_id": s.plain, "quantity": 3}, m{"product_id": s.chosen, "variant_id": s.variants[0], "quantity": 1}}})
	return s
}

// line draws a line of a cart.
func (s shelf) line() *rapid.Generator[m] {
	return rapid.Custom(func(r *rapid.T) m {
		data := rapid.SampledFrom([]m{
			{}, {"variant_id": s.variants[0]}, {"variant_id": s.variants[1]}, {"variant_id": s.variants[2], "price": m{"total": 5}},
			{"variant_id": "x"}, {"variant_id": 999999, "display": "y"}, {"price": m{"total": rapid.Float64Range(-10, 3e3).Draw(r, "total")}},
			{"price": m{"total": "free"}}, {"text": "for Ines"},
		}).Draw(r, "data")
		return m{
			"product_id": rapid.SampledFrom([]any{s.plain, s.chosen, s.set}).Draw(r, "product"), "data": data,
			"key":      rapid.SampledFrom([]string{"default", "v1", "a", "б", "k-2"}).Draw(r, "key"),
			"quantity": rapid.OneOf(rapid.IntRange(1, 3), rapid.IntRange(1, 300)).Draw(r, "quantity"),
		}
	})
}
