package cart_test

import (
	"fmt"
	"reflect"
	"testing"

	"vitrine/internal/shop"
)

// A cart takes two statements for the session, one that finds the shop that the call names outside of
// its host, and three for itself, however many lines, rates and
// taxes it has: what the shop offers is read once per version of the shop.
func TestAReadCartTakesFewStatements(t *testing.T) {
	b := open(t)
	owner := b.Session(b.OwnerID)
	b.OK("PUT", "/v1/shop/settings", owner, m{"tax": m{"included": false, "default_country": "DE", "rates": l{
		m{"country": "DE", "class": "standard", "name": "VAT", "percent": 19}}}})
	b.OK("POST", options, owner, m{"name": "Post", "rates": l{m{"countries": l{"DE"}, "max_weight_g": 100_000, "price": 5}, m{"price": 20}}})
	guest := fmt.Sprint(b.Result("POST", "/v1/auth/guest", "", m{})["token"])
	var items l
	for range 20 {
		product := b.product(b.Owner, m{"weight_g": 400})
		b.OK("POST", b.line(product, "default"), guest, m{"quantity": 2})
		items = append(items, m{"product_id": product, "key": "default", "quantity": 2})
	}
	cart := func() any {
		return b.Result("GET", fmt.Sprintf("/cart/items?company_id=%d", b.Shop.ID), guest, nil)["grand_total"]
	}
	quote := func() any {
		return b.Result("POST", "/cart/quote", "", m{"company_id": b.Shop.ID, "items": items})["grand_total"]
	}
	for name, c := range map[string]struct {
		read func() any
		most int
	}{"cart": {cart, 6}, "quote": {quote, 3}} {
		c.read()
		b.Sent.Take()
		if total := c.read(); total == nil || total == 0.0 {
			t.Errorf("%s: %v", name, total)
		}
		sent := b.Sent.Take()
		if len(sent) > c.most {
			t.Errorf("%s: %d statements", name, len(sent))
		}
	}
}

// A page of carts takes as many statements as one of them, though what each buyer pays depends on
// their orders, groups, code and earlier uses: each cart is priced as if it were alone.
func TestAPageOfCartsTakesTheStatementsOfOne(t *testing.T) {
	b := open(t)
	tea := b.product(b.Owner, m{"price": m{"price": 100}})
	friends := b.Result("POST", "/customer-groups", b.Owner, m{"name": "Friends"})["id"]
	offer := func(fields m) any { return b.Result("POST", "/promotions", b.Owner, m{"item": fields})["id"] }
	offer(m{"name": "Welcome", "kind": "order_discount", "value": m{"amount": 10}, "conditions": m{"first_order": true}})
	offer(m{"name": "Once", "kind": "order_discount", "value": m{"amount": 20}, "limits": m{"per_buyer": 1}})
	offer(m{"name": "Friends", "kind": "discount", "value": m{"amount": 3}, "conditions": m{"customer_group_ids": l{friends}}})
	offer(m{"name": "Code", "kind": "coupon", "code": "SAVE", "value": m{"amount": 5}, "limits": m{"total": 3}})
	dear := offer(m{"name": "Dear", "kind": "personal_coupon", "value": m{"amount": 7}})
	put := func(token, code string) {
		t.Helper()
		b.OK("POST", b.line(tea, "default"), token, m{"quantity": 1})
		if code != "" {
			b.OK("POST", "/cart/promo", token, m{"company_id": b.Shop.ID, "code": code})
		}
	}
	buyer := func(name string) (shop.UserID, string) {
		id := b.Buyer(name + "@people.test")
		return id, b.Session(id)
	}
	_, regular := buyer("regular")
	put(regular, "")
	b.OK("POST", "/cart/confirm", regular, m{"company_id": b.Shop.ID, "contact": m{"name": "Ann", "phone": "1"}})
	put(regular, "SAVE")
	known, friend := buyer("friend")
	if _, err := b.Store.Pool.Exec(t.Context(), `UPDATE person SET proven_at = now() WHERE id = $1`, known); err != nil {
		t.Fatal(err)
	}
	b.OK("POST", "/customers", b.Owner, m{"email": "friend@people.test", "group_ids": l{friends}})
	put(friend, "")
	id, holder := buyer("holder")
	put(holder, "")
	b.OK("POST", "/cart/confirm", holder, m{"company_id": b.Shop.ID, "contact": m{"name": "Bob", "phone": "2"}})
	issued := b.Result("POST", fmt.Sprintf("/promotions/%v/issue", dear), b.Session(b.OwnerID), m{"user_ids": l{id}})
	code := fmt.Sprint(issued["codes"].(l)[0].(m)["code"])
	put(holder, code)
	_, thief := buyer("thief")
	put(thief, code)
	put(fmt.Sprint(b.Result("POST", "/v1/auth/guest", "", m{})["token"]), "")

	page := func(number, limit int) l {
		t.Helper()
		return b.Result("GET", fmt.Sprintf("/carts?page.number=%d&page.limit=%d", number, limit), b.Owner, nil)["items"].(l)
	}
	page(1, 1)
	b.Sent.Take()
	page(1, 1)
	one := len(b.Sent.Take())
	all := page(1, 100)
	if many := len(b.Sent.Take()); many != one {
		t.Errorf("%d statements for %d carts, %d for one", many, len(all), one)
	}
	sums := map[any]bool{}
	for i, row := range all {
		sums[row.(m)["subtotal"]] = true
		if alone := page(i+1, 1)[0]; !reflect.DeepEqual(alone, row) {
			t.Errorf("alone: %v, among others: %v", alone, row)
		}
	}
	if want := map[any]bool{95.0: true, 67.0: true, 93.0: true, 70.0: true}; !reflect.DeepEqual(sums, want) {
		t.Errorf("the carts cost %v, want %v", sums, want)
	}
}

// Long carts are priced a few at a time, and all of a page are answered.
func TestAPageOfLongCarts(t *testing.T) {
	b := open(t)
	tea := b.product(b.Owner, m{"price": m{"price": 100}})
	var lines l
	for i := range 100 {
		lines = append(lines, m{"product_id": tea, "key": fmt.Sprint("k", i), "quantity": 1})
	}
	for range 12 {
		b.OK("POST", "/cart/merge", fmt.Sprint(b.Result("POST", "/v1/auth/guest", "", m{})["token"]), m{"company_id": b.Shop.ID, "items": lines})
	}
	b.Result("GET", "/carts", b.Owner, nil)
	b.Sent.Take()
	rows := b.Result("GET", "/carts", b.Owner, nil)["items"].(l)
	sent := len(b.Sent.Take())
	ids := map[any]bool{}
	for _, row := range rows {
		if ids[row.(m)["id"]] = true; row.(m)["subtotal"] != 10_000.0 || len(row.(m)["items"].(l)) != 100 {
			t.Errorf("%v with %d lines", row.(m)["subtotal"], len(row.(m)["items"].(l)))
		}
	}
	if len(ids) != 12 || sent > 6 {
		t.Errorf("%d carts in %d statements", len(ids), sent)
	}
}
