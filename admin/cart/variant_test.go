package cart_test

import (
	"fmt"
	"testing"
)

// A product counted by variant is sold by its variants: a line without one is refused or, in a
// merge or a quote, left out, and each line has the stock of its own variant.
func TestLinesOfAProductCountedByVariant(t *testing.T) {
	b := open(t)
	shirt := b.product(b.Owner, m{"stock_by": "variant"})
	var ids []any
	for _, v := range b.Result("PUT", "/products/"+shirt+"/variants", b.Owner, m{"items": []m{
		{"title": "S", "stock_quantity": 2}, {"title": "M", "stock_quantity": 0}, {"title": "L"}, {"title": "old", "is_active": false},
	}})["variants"].(l) {
		ids = append(ids, v.(m)["id"])
	}
	of := func(n int) m { return m{"data": m{"variant_id": ids[n]}} }
	b.Refused("POST", b.line(shirt, "a"), b.buyer, m{}, 400, "VARIANT_REQUIRED")
	b.Refused("POST", b.line(shirt, "a"), b.buyer, of(3), 400, "VARIANT_REQUIRED")
	b.Refused("POST", b.line(shirt, "a"), b.buyer, m{"data": m{"variant_id": "999999"}}, 400, "VARIANT_REQUIRED")
	b.Refused("POST", b.line(shirt, "a"), b.buyer, of(1), 400, "out_of_stock")
	b.OK("POST", b.line(shirt, "s"), b.buyer, of(0))
	b.OK("POST", b.line(shirt, "s"), b.buyer, m{}) // the line names its variant
	b.OK("POST", b.line(shirt, "l"), b.buyer, of(2))
	b.OK("PUT", b.line(shirt, "s"), b.buyer, m{"quantity": 3})
	cart := b.holds(fmt.Sprintf("%s s 3, %s l 1", shirt, shirt))
	for n, want := range []any{2.0, nil} {
		if line := cart["items"].(l)[n].(m); line["available"] != want || line["in_stock"] != true {
			t.Errorf("line %d: %v %v", n, line["available"], line["in_stock"])
		}
	}
	items := l{m{"product_id": shirt, "key": "none", "quantity": 1}, m{"product_id": shirt, "key": "m", "quantity": 1, "data": m{"variant_id": ids[1]}}}
	merged := b.Result("POST", "/cart/merge", b.buyer, m{"company_id": b.Shop.ID, "items": items})
	if got, want := shown(merged), fmt.Sprintf("%s s 3, %s l 1, %s m 1", shirt, shirt, shirt); got != want {
		t.Errorf("merged: %s, want %s", got, want)
	}
	quoted := b.Result("POST", "/cart/quote", "", m{"company_id": b.Shop.ID, "items": items})
	if got, want := shown(quoted), fmt.Sprintf("%s m 1", shirt); got != want {
		t.Errorf("quoted: %s, want %s", got, want)
	}

	// A variant that is deleted while it is in the cart cannot be bought any more.
	b.OK("PUT", "/products/"+shirt+"/variants", b.Owner, m{"items": []m{{"id": ids[0]}, {"id": ids[1]}}})
	b.Refused("PUT", b.line(shirt, "l"), b.buyer, m{"quantity": 2}, 400, "VARIANT_REQUIRED")
	b.OK("PUT", b.line(shirt, "s"), b.buyer, m{"quantity": 1})
	b.OK("DELETE", b.line(shirt, "m"), b.buyer, nil)
	confirm := m{"company_id": b.Shop.ID, "contact": m{"name": "Ann", "phone": "1"}}
	b.Refused("POST", "/cart/confirm", b.buyer, confirm, 400, "VARIANT_REQUIRED")
	b.OK("DELETE", b.line(shirt, "l"), b.buyer, nil)
	b.OK("POST", "/cart/confirm", b.buyer, confirm)
	if card := b.Result("GET", "/products/"+shirt, b.Owner, nil); card["stock_quantity"] != 1.0 {
		t.Errorf("the product has %v left", card["stock_quantity"])
	}
}

// Components of a combo and gifts name a variant of a product counted by variant. One from before
// the switch is out of stock.
func TestCombosAndGiftsNameVariants(t *testing.T) {
	b := open(t)
	shirt, cup := b.product(b.Owner, nil), b.product(b.Owner, m{"name": "Cup"})
	id := b.Result("PUT", "/products/"+shirt+"/variants", b.Owner, m{"items": []m{{"title": "S"}}})["variants"].(l)[0].(m)["id"]
	combo := func(part m) m {
		part["product_id"], part["quantity"] = shirt, 2
		return m{"item": m{"name": "Two", "kind": "combo", "is_published": true, "combo_items": l{part, m{"product_id": cup, "quantity": 1}}}}
	}
	gift := func(value m) m {
		value["product_id"], value["quantity"] = shirt, 1
		return m{"item": m{"name": "Gift", "kind": "gift", "value": value}}
	}
	old := b.Result("POST", "/products", b.Owner, combo(m{}))["id"]
	seller := b.Session(b.OwnerID)
	b.OK("PUT", "/products/"+shirt, b.Owner, m{"item": m{"stock_by": "variant"}})
	b.Refused("POST", "/products", b.Owner, combo(m{}), 400, "COMBO_INVALID")
	b.Refused("POST", "/promotions", b.Owner, gift(m{}), 400, "PROMOTION_INVALID")
	fresh := b.Result("POST", "/products", b.Owner, combo(m{"variant_id": id}))["id"]
	b.OK("POST", "/promotions", b.Owner, gift(m{"variant_id": id}))
	for quantity := 1; quantity <= 2; quantity++ {
		b.OK("PUT", "/products/"+shirt+"/stock", seller, m{"variant_id": id, "quantity": quantity})
		for of, in := range map[any]bool{old: false, fresh: quantity == 2} {
			if card := b.Result("GET", fmt.Sprintf("/products/%v", of), b.Owner, nil); card["in_stock"] != in {
				t.Errorf("with %d shirts, combo %v: %v, want %v", quantity, of, card["in_stock"], in)
			}
		}
	}
	b.Refused("POST", b.line(fmt.Sprint(old), "a"), b.buyer, m{}, 400, "out_of_stock")
	b.OK("POST", b.line(fmt.Sprint(fresh), "a"), b.buyer, m{})
	cart := b.Result("GET", fmt.Sprintf("/cart/items?company_id=%d", b.Shop.ID), b.buyer, nil)
	if items := cart["items"].(l); len(items) != 1 { // the gift would be a third shirt
		t.Errorf("with 2 shirts, of which the combo takes both: %s", shown(cart))
	}
	b.OK("PUT", "/products/"+shirt+"/stock", seller, m{"variant_id": id, "quantity": 3})
	cart = b.Result("GET", fmt.Sprintf("/cart/items?company_id=%d", b.Shop.ID), b.buyer, nil)
	if items := cart["items"].(l); len(items) != 2 {
		t.Errorf("with 3 shirts: %s", shown(cart))
	}
}

// The key v<id> chooses the variant of a line whose data names none: in the cart, a quote, an order
// from the cart and an order by phone, at the price and from the stock of the variant. Any other key
// is only a name.
func TestAKeyChoosesTheVariant(t *testing.T) {
	b := open(t)
	seller := b.Session(b.OwnerID)
	for _, by := range []string{"product", "variant"} {
		shirt := b.product(b.Owner, m{"stock_by": by})
		var ids []any
		for _, v := range b.Result("PUT", "/products/"+shirt+"/variants", b.Owner, m{"items": []m{
			{"title": "S", "price": 7, "stock_quantity": 5}, {"title": "M", "price": 9, "stock_quantity": 5}, {"title": "old", "is_active": false},
		}})["variants"].(l) {
			ids = append(ids, v.(m)["id"])
		}
		key := func(n int) string { return fmt.Sprint("v", ids[n]) }
		unit := func(cart m) (prices []any) {
			for _, line := range cart["items"].(l) {
				prices = append(prices, line.(m)["price"].(m)["price"])
			}
			return prices
		}
		b.OK("POST", b.line(shirt, key(0)), b.buyer, m{})
		b.OK("POST", b.line(shirt, key(1)), b.buyer, m{"data": m{"engraving": "Ann"}})
		b.OK("POST", b.line(shirt, key(1)), b.buyer, m{})
		b.OK("PUT", b.line(shirt, key(0)), b.buyer, m{"quantity": 2})
		cart := b.holds(fmt.Sprintf("%s %s 2, %s %s 2", shirt, key(0), shirt, key(1)))
		if got := fmt.Sprint(unit(cart)); got != "[7 9]" {
			t.Errorf("by %s: the cart has prices %s", by, got)
		}
		items := l{m{"product_id": shirt, "key": key(1), "quantity": 1}}
		if quoted := b.Result("POST", "/cart/quote", "", m{"company_id": b.Shop.ID, "items": items}); fmt.Sprint(unit(quoted)) != "[9]" {
			t.Errorf("by %s: quoted %v", by, quoted)
		}
		contact := m{"name": "Ann", "phone": "1"}
		for what, order := range map[string]m{
			"by phone":      b.Result("POST", "/orders/manual", seller, m{"contact": contact, "items": items}),
			"from the cart": b.Result("POST", "/cart/confirm", b.buyer, m{"company_id": b.Shop.ID, "contact": contact}),
		} {
			lines := order["items"].(l)
			if line := lines[len(lines)-1].(m); line["variant_id"] != ids[1] {
				t.Errorf("by %s: the order %s has %v", by, what, line)
			}
		}
		if by == "variant" {
			if sets := b.Result("GET", "/products/"+shirt, b.Owner, nil)["variants"].(l); sets[0].(m)["stock_quantity"] != 3.0 || sets[1].(m)["stock_quantity"] != 2.0 {
				t.Errorf("left: %v", sets)
			}
			for _, name := range []string{key(2), "v0", "v-1", "v+" + fmt.Sprint(ids[0]), "v0" + fmt.Sprint(ids[0]), "v999999999999999999999", "V" + fmt.Sprint(ids[0]), "v", "x"} {
				b.Refused("POST", b.line(shirt, name), b.buyer, m{}, 400, "VARIANT_REQUIRED")
			}
			b.Refused("POST", b.line(shirt, key(0)), b.buyer, m{"data": m{"variant_id": "none"}}, 400, "VARIANT_REQUIRED")
		}

		mixed := m{"product_id": shirt, "key": key(0), "quantity": 1, "data": m{"variant_id": ids[1]}}
		b.Refused("POST", b.line(shirt, key(0)), b.buyer, m{"data": mixed["data"]}, 400, "INVALID_REQUEST")
		b.Refused("POST", "/cart/quote", "", m{"company_id": b.Shop.ID, "items": l{mixed}}, 400, "INVALID_REQUEST")
		b.Refused("POST", "/orders/manual", seller, m{"contact": contact, "items": l{mixed}}, 400, "INVALID_REQUEST")
		b.OK("PUT", "/products/"+shirt, b.Owner, m{"item": m{"is_published": false}})
		if quoted := b.Result("POST", "/cart/quote", "", m{"company_id": b.Shop.ID, "items": l{mixed}}); len(quoted["items"].(l)) > 0 {
			t.Errorf("quoted a product that is not published: %v", quoted)
		}
		b.OK("PUT", "/products/"+shirt, b.Owner, m{"item": m{"is_published": true}})
		b.OK("POST", b.line(shirt, "v1000000"), b.buyer, m{"data": mixed["data"]}) // no variant of the product
		b.OK("DELETE", b.line(shirt, "v1000000"), b.buyer, nil)
	}
}
