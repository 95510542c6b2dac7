package order_test

import (
	"cmp"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vitrine/admin/api/apitest"
	"vitrine/render"
)

// The quote, the cart and the order have the same prices, line by line, for every cart: with
// existing, hidden or deleted variants, configurations, combos, promotions of every kind, gifts
// and quantity prices; taxes and deliveries by destination. The quantities are equal too. Letters
// and papers of the order show its sums.
func TestQuoteCartAndOrderAgree(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	goodsOnSale := newShelf(a)
	goodsOnSale.offer(a)
	goodsOnSale.tax(a)
	buyer := a.Buyer("ann@people.test")
	where := fmt.Sprintf("?company_id=%d", a.Shop.ID)
	rapid.Check(t, func(r *rapid.T) {
		a.Clock.Advance(2 * time.Minute)
		ann := a.Session(buyer)
		lines := rapid.SliceOfNDistinct(goodsOnSale.line(), 1, 12, func(line m) string { return fmt.Sprint(line["product_id"], line["key"]) }).Draw(r, "lines")
		for _, line := range lines {
			a.Clock.Advance(time.Second)
			a.OK("POST", fmt.Sprintf("/cart/items/%v/%v", line["product_id"], line["key"]), ann, m{"quantity": line["quantity"], "data": line["data"]})
		}
		code := rapid.SampledFrom([]string{"", "TEN", " ten", "MANY", "NOBODYS"}).Draw(r, "code")
		a.Result("POST", "/cart/promo", ann, m{"company_id": a.Shop.ID, "code": code})
		to, number := rapid.SampledFrom([]string{"", "de", "FR", "US", "Mars"}).Draw(r, "country"), rapid.SampledFrom([]string{"", "", "FR 12 123456789"}).Draw(r, "number")
		quote := a.Result("POST", "/cart/quote", "", m{"company_id": a.Shop.ID, "items": lines, "promo_code": code, "country": to, "vat_number": number})
		cart := a.Result("GET", "/cart/items"+where+"&country="+to+"&vat_number="+url.QueryEscape(number), ann, nil)
		a.Clock.Advance(time.Minute)
		order := a.Result("POST", "/cart/confirm", ann, m{
			"company_id": a.Shop.ID, "contact": m{"name": "Ann", "phone": "1", "email": "ann@people.test", "vat_number": number}, "address": m{"country": to, "city": "Rome"},
			"expected_total": cart["subtotal"], "expected_grand_total": cart["grand_total"],
		})
		for _, field := range []string{"subtotal", "subtotal_before", "discount_total", "count", "total", "promo_rejected"} {
			if quote[field] != cart[field] {
				r.Fatalf("%s: quote %v, cart %v", field, quote[field], cart[field])
			}
		}
		if order["items_total"] != cart["subtotal"] || order["discount_total"] != cart["discount_total"] {
			r.Fatalf("cart %v %v, order %v %v", cart["subtotal"], cart["discount_total"], order["items_total"], order["discount_total"])
		}
		for _, field := range []string{"taxes", "tax_total", "grand_total"} {
			if fmt.Sprint(quote[field]) != fmt.Sprint(cart[field]) || fmt.Sprint(order[field]) != fmt.Sprint(cart[field]) {
				r.Fatalf("%s: quote %v, cart %v, order %v", field, quote[field], cart[field], order[field])
			}
		}
		if order["grand_total"] != order["items_total"].(float64)+order["delivery"].(m)["price"].(float64)+order["tax_total"].(float64) {
			r.Fatalf("%v", order)
		}
		shown, ordered, sum := cart["items"].(l), order["items"].(l), 0.0
		for i, item := range quote["items"].(l) {
			q, c, o := item.(m), shown[i].(m), ordered[i].(m)
			unit := q["price"].(m)["price"]
			if c["price"].(m)["price"] != unit || o["unit_price"] != unit || c["base_unit_price"] != o["base_unit_price"] ||
				c["total"] != o["total"] || q["total"] != c["total"] || c["name"] != o["name"] || c["sku"] != o["sku"] ||
				fmt.Sprint(c["data"]) != fmt.Sprint(o["data"]) ||
				fmt.Sprint(q["taxes"]) != fmt.Sprint(c["taxes"]) || fmt.Sprint(c["taxes"]) != fmt.Sprint(o["taxes"]) {
				r.Fatalf("line %d: quote %v, cart %v, order %v", i, q, c, o)
			}
			sum += o["total"].(float64)
		}
		if fmt.Sprint(quote["applied"]) != fmt.Sprint(cart["applied"]) || fmt.Sprint(order["promotions"]) != fmt.Sprint(cart["applied"]) {
			r.Fatalf("quote %v, cart %v, order %v", quote["applied"], cart["applied"], order["promotions"])
		}
		taken := 0.0
		for _, p := range order["promotions"].(l) {
			taken += p.(m)["amount"].(float64)
			if kind := p.(m)["kind"]; kind == "order_discount" || kind == "coupon" {
				sum -= p.(m)["amount"].(float64)
			}
		}
		if taken != order["discount_total"] || cart["subtotal_before"].(float64)-taken != cart["subtotal"] {
			r.Fatalf("the discount is %v, that of the order %v", taken, order["discount_total"])
		}
		if sum != order["items_total"] {
			r.Fatalf("the sum of the lines is %v, that of the order %v", sum, order["items_total"])
		}
		sums := sumsOf(order)
		letter := a.Result("GET", "/v1/shop/letters?page.limit=1&filter.name=order_made_buyer", a.Session(a.OwnerID), nil)["items"].(l)[0].(m)
		a.OK("POST", fmt.Sprintf("/orders/%v/invoice", order["id"]), a.Owner, nil)
		invoice := a.Send(apitest.Request{Method: "GET", Path: fmt.Sprintf("/orders/%v/papers/invoice", order["id"]), Key: a.Owner})
		for _, text := range []string{letter["text"].(string), letter["html"].(string), html.UnescapeString(string(invoice.Body))} {
			for _, sum := range sums {
				if !strings.Contains(text, sum) {
					r.Fatalf("%q is not in %s", sum, text)
				}
			}
		}
	})
}

// sumsOf returns the sums of an order as people read them.
func sumsOf(order m) (sums []string) {
	add := func(amount any) {
		sums = append(sums, render.SumText(int64(amount.(float64)), order["currency"].(string), 0, "en"))
	}
	add(order["grand_total"])
	for _, line := range order["items"].(l) {
		if !line.(m)["is_gift"].(bool) {
			add(line.(m)["total"])
		}
	}
	for _, tax := range order["taxes"].(l) {
		if tax.(m)["percent"].(float64) > 0 {
			add(tax.(m)["amount"])
		}
	}
	return sums
}

// goodsOnSale is the products on sale.
type goodsOnSale struct {
	plain, chosen, set any
	variants           []any // of chosen: priced, without a price, hidden
}

func newShelf(a *apitest.API) (s goodsOnSale) {
	of := func(fields m) any { return a.Result("POST", "/products", a.Owner, m{"item": fields})["id"] }
	s.plain = of(m{"name": "Cup", "sku": "C", "is_published": true, "configurable": true, "price": m{"price": 137}})
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

// offer creates promotions of every kind that depends only on the goods.
func (s goodsOnSale) offer(a *apitest.API) {
	plain := m{"product_ids": l{s.plain}}
	for _, p := range []m{
		{"kind": "discount", "value": m{"percent": 7.77}, "conditions": plain},
		{"kind": "discount", "value": m{"amount": 3}, "conditions": m{"min_quantity": 9}},
		{"kind": "order_discount", "value": m{"percent": 3.33}, "conditions": m{"min_total": 500}},
		{"kind": "order_discount", "value": m{"amount": 40}, "stacking": "exclusive", "conditions": m{"exclude_product_ids": l{s.plain}, "min_total": 300}},
		{"kind": "gift", "value": m{"product_id": s.chosen, "variant_id": s.variants[0], "quantity": 2, "per_quantity": 5}, "conditions": plain},
		{"kind": "coupon", "code": "TEN", "value": m{"percent": 10}},
		{"kind": "coupon", "code": "MANY", "value": m{"amount": 25}, "conditions": m{"min_quantity": 50}},
	} {
		p["name"] = fmt.Sprint(p["kind"], p["value"])
		a.OK("POST", "/promotions", a.Owner, m{"item": p})
	}
	a.OK("POST", "/pricing-rules", a.Owner, m{"item": m{"name": "Many", "product_ids": l{s.plain, s.chosen}, "count": "product", "tiers": l{
		m{"from": 2, "percent": 5}, m{"from": 50, "price": 20}}}})
}

// tax adds classes, rates and deliveries.
func (s goodsOnSale) tax(a *apitest.API) {
	a.OK("PUT", fmt.Sprintf("/products/%v", s.chosen), a.Owner, m{"item": m{"tax_class": "reduced"}})
	a.OK("PUT", fmt.Sprintf("/products/%v", s.set), a.Owner, m{"item": m{"tax_class": "zero"}})
	owner := a.Session(a.OwnerID)
	rate := func(country, class string, percent float64) m {
		return m{"country": country, "class": class, "name": "VAT", "percent": percent}
	}
	a.OK("PUT", "/v1/shop/settings", owner, m{"tax": m{"included": false, "default_country": "DE", "exempt_eu_business": true, "rates": l{
		rate("DE", "standard", 19), rate("DE", "reduced", 7), rate("FR", "standard", 20), rate("FR", "reduced", 5.5), rate("FR", "zero", 2.125),
	}}})
	a.OK("POST", "/v1/shop/delivery-options", owner, m{"name": "Post", "price": 49, "free_from": 5000})
}

// line generates a line of a cart.
func (s goodsOnSale) line() *rapid.Generator[m] {
	return rapid.Custom(func(r *rapid.T) m {
		data := rapid.SampledFrom([]m{
			{}, {"variant_id": s.variants[0]}, {"variant_id": s.variants[1]}, {"variant_id": s.variants[2], "price": m{"total": 5}},
			{"variant_id": "x"}, {"variant_id": 999999, "display": "y"}, {"price": m{"total": rapid.Float64Range(-10, 3e3).Draw(r, "total")}},
			{"price": m{"total": "free"}}, {"text": "for Ines"},
		}).Draw(r, "data")
		key := rapid.SampledFrom([]string{"default", "v", "a", "б", "k-2"}).Draw(r, "key")
		if key == "v" { // the key of a variant; one that data contradicts is refused
			key += fmt.Sprint(cmp.Or(data["variant_id"], any("0")))
		}
		return m{
			"product_id": rapid.SampledFrom([]any{s.plain, s.chosen, s.set}).Draw(r, "product"), "data": data, "key": key,
			"quantity": rapid.OneOf(rapid.IntRange(1, 3), rapid.IntRange(1, 300)).Draw(r, "quantity"),
		}
	})
}
