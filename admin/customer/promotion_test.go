package customer_test

import (
	"fmt"
	"strings"
	"testing"
)

// A promotion for a group of customers applies to people who have proven the address of one of
// them: quote, cart and order agree, and product cards do not show it.
func TestAPromotionForAGroup(t *testing.T) {
	t.Parallel()
	d := open(t)
	friends := d.Result("POST", "/customer-groups", d.Owner, m{"name": "Friends"})
	rich := d.Result("POST", "/customer-groups", d.Owner, m{"name": "Rich", "rule": m{"spent_more_than": 80}})
	for _, p := range []m{
		{"name": "Dear", "kind": "discount", "value": m{"percent": 50}, "conditions": m{"customer_group_ids": l{friends["id"]}}},
		{"name": "Code", "kind": "coupon", "code": "RICH", "value": m{"amount": 5}, "conditions": m{"customer_group_ids": l{rich["id"], friends["id"]}}},
	} {
		d.OK("POST", "/promotions", d.Owner, m{"item": p})
	}
	for _, wrong := range []l{{"999"}, {friends["id"], "999"}} {
		d.Refused("POST", "/promotions", d.Owner, m{"item": m{"name": "x", "kind": "discount", "value": m{"percent": 5}, "conditions": m{"customer_group_ids": wrong}}}, 400, "PROMOTION_INVALID")
	}
	d.Result("POST", "/customers", d.Owner, m{"email": "ann@people.test", "group_ids": l{friends["id"]}})
	d.Result("POST", "/customers", d.Owner, m{"email": "eve@people.test", "group_ids": l{friends["id"]}})
	where := fmt.Sprintf("?company_id=%d", d.Shop.ID)
	line := fmt.Sprintf("/cart/items/%v/default", d.product)
	agree := func(who, session, code, subtotal, rejected string) {
		t.Helper()
		d.OK("POST", line, session, m{"quantity": 1})
		d.Result("POST", "/cart/promo", session, m{"company_id": d.Shop.ID, "code": code})
		quote := d.Result("POST", "/cart/quote", session, m{"company_id": d.Shop.ID, "items": l{m{"product_id": d.product, "key": "default", "quantity": 1}}, "promo_code": code})
		cart := d.Result("GET", "/cart/items"+where, session, nil)
		order := d.Result("POST", "/cart/confirm", session, m{"company_id": d.Shop.ID, "contact": m{"name": "Ann", "phone": "1"}, "expected_total": cart["subtotal"]})
		got := fmt.Sprint(quote["subtotal"], " ", cart["subtotal"], " ", order["items_total"], " ", quote["promo_rejected"], " ", cart["promo_rejected"])
		if want := fmt.Sprint(subtotal, " ", subtotal, " ", subtotal, " ", rejected, " ", rejected); got != want {
			t.Errorf("%s: %s, want %s", who, got, want)
		}
	}
	ann := d.proven("ann@people.test")
	eve := d.Result("POST", "/v1/auth/register", "", m{"email": "eve@people.test", "name": "Eve", "password": "a long password"})["token"].(string)
	agree("a guest", d.guest(), "RICH", "50", "NOT_APPLICABLE")
	agree("a person with an unproven address", eve, "RICH", "50", "NOT_APPLICABLE")
	agree("a friend", ann, "RICH", "20", "")
	agree("a person with a proven address", d.proven("eve@people.test"), "RICH", "20", "")
	quote := d.Result("POST", "/cart/quote", "", m{"company_id": d.Shop.ID, "items": l{m{"product_id": d.product, "key": "default", "quantity": 1}}})
	card := d.Result("GET", fmt.Sprintf("/products/%v%s", d.product, where), "", nil)
	if quote["subtotal"] != 50.0 || card["price"].(m)["price"] != 50.0 {
		t.Errorf("a stranger: %v, on the card %v", quote["subtotal"], card["price"])
	}
	d.Refused("DELETE", fmt.Sprintf("/customer-groups/%v", friends["id"]), d.Owner, nil, 400, "CUSTOMER_GROUP_IN_USE")
	preview := d.Result("POST", "/promotions/preview", d.Owner, m{"days": 1, "item": m{
		"name": "x", "kind": "order_discount", "value": m{"percent": 10}, "conditions": m{"customer_group_ids": l{friends["id"]}}}})
	if preview["orders"] != 4.0 || preview["orders_touched"] != 3.0 { // those of Ann and both of Eve
		t.Errorf("%v", preview)
	}
}

// Without promotions for groups, a shop needs no additional statements.
func TestGroupsAreReadForGroupPromotionsAlone(t *testing.T) {
	t.Parallel()
	d := open(t)
	friends := d.Result("POST", "/customer-groups", d.Owner, m{"name": "Friends"})
	session := d.Session(d.Buyer("ann@people.test"))
	asks := func() (statements int, groups bool) {
		t.Helper()
		for range 2 { // the first one loads the shop
			d.Sent.Take()
			d.Result("POST", "/cart/quote", session, m{"company_id": d.Shop.ID, "items": l{m{"product_id": d.product, "key": "default", "quantity": 1}}})
		}
		list := d.Sent.Take()
		for _, s := range list {
			groups = groups || strings.Contains(s.SQL, "customer_member")
		}
		return len(list), groups
	}
	before, _ := asks()
	d.OK("POST", "/promotions", d.Owner, m{"item": m{"name": "All", "kind": "discount", "value": m{"percent": 5}}})
	if n, groups := asks(); groups || n != before {
		t.Errorf("%d statements, of groups %v; %d without promotions", n, groups, before)
	}
	d.OK("POST", "/promotions", d.Owner, m{"item": m{"name": "Dear", "kind": "discount", "value": m{"percent": 6}, "conditions": m{"customer_group_ids": l{friends["id"]}}}})
	if n, groups := asks(); !groups || n != before+1 {
		t.Errorf("%d statements, of groups %v; %d without promotions", n, groups, before)
	}
}
