package order_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

// enter is the body of a manual order of one tea, with the given fields overridden.
func (x *guestShop) enter(with m) m {
	body := m{"contact": m{"name": "Ann", "phone": "1"}, "items": l{m{"product_id": x.tea}}}
	for name, value := range with {
		body[name] = value
	}
	return body
}

const manual = "/orders/manual"

// A manual order has the prices, stock, letters and event of a checkout, and says who entered it.
func TestTheShopEntersAnOrder(t *testing.T) {
	t.Parallel()
	x := newGuestShop(t)
	admin := x.Member(shop.Admin)
	session := x.Session(admin)
	cup := x.Result("POST", "/products", x.Owner, m{"item": m{"name": "Cup", "is_published": true, "price": m{"price": 20}, "stock_quantity": 5}})["id"]
	x.OK("POST", "/promotions", x.owner, m{"item": m{"name": "Cups", "kind": "discount", "value": m{"percent": 50}, "conditions": m{"product_ids": l{cup}}}})
	x.OK("POST", "/promotions", x.owner, m{"item": m{"name": "Code", "kind": "coupon", "code": "SPRING", "value": m{"percent": 10}}})
	x.OK("POST", "/pricing-rules", x.owner, m{"item": m{"name": "Many", "product_ids": l{cup}, "count": "line", "tiers": l{m{"from": 2, "price": 1}}}})
	x.OK("POST", "/cart/items/"+x.tea+"/default", session, m{"quantity": 3})
	made := x.Result("POST", manual, session, x.enter(m{
		"contact": m{"name": "Ann", "phone": "1", "email": "ann@buyers.test"}, "comment": "By phone", "promo_code": " spring ",
		"items": l{m{"product_id": cup, "quantity": 2, "agreed_price": 15}, m{"product_id": cup, "key": "usual"}, m{"product_id": x.tea, "agreed_price": 0}},
	}))
	if made["source"] != "manual" || made["items_total"] != 36.0 || made["grand_total"] != 36.0 || made["discount_total"] != 14.0 {
		t.Errorf("%v", made)
	}
	var lines l
	for _, item := range made["items"].(l) {
		line := item.(m)
		lines = append(lines, l{line["key"], line["unit_price"], line["base_unit_price"], line["agreed"]})
	}
	if want := (l{l{"default", 15.0, 0.0, true}, l{"usual", 10.0, 20.0, false}, l{"default", 0.0, 0.0, true}}); !reflect.DeepEqual(lines, want) {
		t.Errorf("lines %v, want %v", lines, want)
	}
	at := fmt.Sprint("/orders/", made["id"])
	history := x.OK("GET", at+"/history", x.owner, nil)["result"].(l)[0].(m)
	if history["actor_id"] != float64(admin) || history["body"].(m)["source"] != "manual" {
		t.Errorf("the history begins with %v", history)
	}
	if left := x.Result("GET", fmt.Sprint("/products/", cup), x.Owner, nil)["stock_quantity"]; left != 2.0 {
		t.Errorf("%v cups are left", left)
	}
	if cart := x.Result("GET", fmt.Sprintf("/cart/items?company_id=%d", x.Shop.ID), session, nil); cart["count"] != 3.0 || cart["promo_code"] != "" {
		t.Errorf("the seller's cart became %v", cart)
	}
	letters := fmt.Sprint(x.OK("GET", "/v1/shop/letters", x.owner, nil))
	if strings.Count(letters, "name:order_made_buyer") != 1 || strings.Count(letters, "name:order_made_seller") != 1 || strings.Contains(letters, "order_payment") {
		t.Errorf("letters %s", letters)
	}
	_, placed, _ := x.order(nil)
	if placed["result"].(m)["source"] != "storefront" {
		t.Errorf("an order of a cart: %v", placed)
	}
}

func TestInvalidManualOrdersAreRefused(t *testing.T) {
	t.Parallel()
	x := newGuestShop(t)
	hidden := x.Result("POST", "/products", x.Owner, m{"item": m{"name": "Hidden", "price": m{"price": 1}}})["id"]
	theirs := x.Result("POST", "/products", x.Stranger, m{"item": m{"name": "Theirs", "is_published": true, "price": m{"price": 1}}})["id"]
	scarce := x.Result("POST", "/products", x.Owner, m{"item": m{"name": "Scarce", "is_published": true, "price": m{"price": 1}, "stock_quantity": 1}})["id"]
	sized := x.Result("POST", "/products", x.Owner, m{"item": m{"name": "Sized", "is_published": true, "price": m{"price": 1}, "stock_by": "variant"}})["id"]
	item := func(fields m) m {
		one := m{"product_id": x.tea}
		for name, value := range fields {
			one[name] = value
		}
		return m{"items": l{one}}
	}
	var many l
	for i := range 101 {
		many = append(many, m{"product_id": x.tea, "key": fmt.Sprint(i)})
	}
	for what, c := range map[string]struct {
		with m
		code string
	}{
		"no items":          {m{"items": l{}}, "CART_EMPTY"},
		"101 items":         {m{"items": many}, "INVALID_REQUEST"},
		"twice":             {m{"items": l{m{"product_id": x.tea}, m{"product_id": x.tea, "key": "default"}}}, "INVALID_REQUEST"},
		"a slash":           {item(m{"key": "a/b"}), "INVALID_REQUEST"},
		"a long key":        {item(m{"key": strings.Repeat("x", 65)}), "INVALID_REQUEST"},
		"no units":          {item(m{"quantity": 0}), "INVALID_REQUEST"},
		"10000 units":       {item(m{"quantity": 10_000}), "INVALID_REQUEST"},
		"half a unit":       {item(m{"quantity": 0.5}), "INVALID_REQUEST"},
		"data a list":       {item(m{"data": l{}}), "INVALID_REQUEST"},
		"negative price":    {item(m{"agreed_price": -1}), "INVALID_REQUEST"},
		"price too high":    {item(m{"agreed_price": 2_000_000_001}), "INVALID_REQUEST"},
		"a fraction":        {item(m{"agreed_price": 1.5}), "INVALID_REQUEST"},
		"the sum":           {item(m{"agreed_price": 2_000_000_000, "quantity": 2}), "ORDER_TOO_LARGE"},
		"an unknown":        {item(m{"product_id": 999_999}), "PRODUCT_NOT_FOUND"},
		"not published":     {item(m{"product_id": hidden}), "PRODUCT_NOT_FOUND"},
		"another shop's":    {item(m{"product_id": theirs}), "PRODUCT_NOT_FOUND"},
		"one of two":        {m{"items": l{m{"product_id": x.tea}, m{"product_id": hidden}}}, "PRODUCT_NOT_FOUND"},
		"out of stock":      {item(m{"product_id": scarce, "quantity": 2}), "out_of_stock"},
		"no size":           {item(m{"product_id": sized}), "VARIANT_REQUIRED"},
		"no name":           {m{"contact": m{"phone": "1"}}, "CONTACT_REQUIRED"},
		"no phone":          {m{"contact": m{"name": "Ann"}}, "CONTACT_REQUIRED"},
		"a wrong address":   {m{"contact": m{"name": "Ann", "phone": "1", "email": "ann"}}, "CONTACT_INVALID"},
		"a link to nowhere": {m{"send_payment_link": true}, "CONTACT_REQUIRED"},
		"a method":          {m{"payment_method": "gold"}, "PAYMENT_METHOD_INACTIVE"},
		"a delivery":        {m{"delivery_option_id": 99}, "DELIVERY_NOT_FOUND"},
		"a long address":    {m{"address": strings.Repeat("x", 8200)}, "INVALID_REQUEST"},
	} {
		if status, answer := x.Call("POST", manual, x.owner, x.enter(c.with)); status != 400 && status != 409 || apitest.Code(answer) != c.code {
			t.Errorf("%s: %d %v, want %s", what, status, answer, c.code)
		}
	}
	if list := x.Result("POST", "/orders", x.owner, m{"filter": m{"company_id": x.Shop.ID}}); list["total"] != 0.0 {
		t.Errorf("%v", list)
	}
}

// Only sessions of owners and admins on the admin origin enter orders.
func TestOnlyOwnersAndAdminsEnterOrders(t *testing.T) {
	t.Parallel()
	x := newGuestShop(t)
	x.Refused("POST", manual, x.Owner, x.enter(nil), 403, "PAT_METHOD_NOT_ALLOWED")
	x.Refused("POST", manual, "", x.enter(nil), 401, "UNAUTHENTICATED")
	x.Refused("POST", manual, x.Session(x.Member(shop.Editor)), x.enter(nil), 403, "ROLE_REQUIRED")
	x.Refused("POST", manual, x.Session(x.Buyer("ann@people.test")), x.enter(nil), 403, "ROLE_REQUIRED")
	bound := x.Send(apitest.Request{Method: "POST", Path: manual, Body: x.enter(nil), Header: x.OnHost(x.Bound(x.OwnerID))})
	if bound.Status != 403 {
		t.Errorf("a session of the shop's host: %d %s", bound.Status, bound.Body)
	}
	same := apitest.Request{Method: "POST", Path: manual, Key: x.owner, Body: x.enter(nil), Header: map[string]string{"Idempotency-Key": "phone-call-1"}}
	first, again := x.Send(same), x.Send(same)
	if first.Status != 200 || !reflect.DeepEqual(first.JSON, again.JSON) {
		t.Errorf("%d %s\nrepeated %d %s", first.Status, first.Body, again.Status, again.Body)
	}
	if list := x.Result("POST", "/orders", x.owner, m{"filter": m{"company_id": x.Shop.ID}}); list["total"] != 1.0 {
		t.Errorf("%v", list)
	}
}

// The buyer of a manual order is the shop's customer who verified the address, otherwise a guest.
// The answers do not tell whether an account exists, and an account finds the order when it signs
// in with a code.
func TestTheBuyerOfAManualOrderIsFoundByAVerifiedAddress(t *testing.T) {
	t.Parallel()
	x := newGuestShop(t)
	prove := func(person shop.UserID) {
		err := x.Store.Write(t.Context(), x.Shop.ID, func(tx *store.Tx) error { return people.MarkProven(t.Context(), tx, person, x.Clock.Now()) })
		if err != nil {
			t.Fatal(err)
		}
	}
	customer, elsewhere, unproven := x.Buyer("cat@buyers.test"), x.Buyer("eve@buyers.test"), x.Buyer("una@buyers.test")
	prove(customer)
	prove(elsewhere)
	x.Ordered(customer)
	x.Ordered(unproven)
	enter := func(email string) m {
		return x.Result("POST", manual, x.owner, x.enter(m{"contact": m{"name": "Ann", "phone": "1", "email": email}}))
	}
	if made := enter("Cat@buyers.test"); made["user_id"] != float64(customer) {
		t.Errorf("the customer's order belongs to %v", made["user_id"])
	}
	var answers []string
	for _, email := range []string{"eve@buyers.test", "una@buyers.test", "new@buyers.test", ""} {
		made := enter(email)
		if id := made["user_id"]; id == float64(elsewhere) || id == float64(unproven) || id == float64(customer) || id == 0.0 {
			t.Errorf("%q: the order belongs to %v", email, id)
		}
		for _, differs := range []string{"id", "number", "user_id", "contact", "created_at", "updated_at", "status_changed_at", "items"} {
			delete(made, differs)
		}
		answers = append(answers, fmt.Sprint(made))
	}
	if slices.Sort(answers); len(slices.Compact(answers)) != 1 {
		t.Errorf("the answers differ: %s", strings.Join(answers, "\n"))
	}
	code := func(email string) string {
		x.OK("POST", "/v1/auth/code", "", m{"email": email})
		return fmt.Sprint(x.Result("POST", "/v1/auth/code/confirm", "", m{"email": email, "code": x.Code(email)})["token"])
	}
	for _, email := range []string{"eve@buyers.test", "new@buyers.test"} {
		list := x.Result("POST", "/orders", code(email), m{})
		if list["total"] != 1.0 || list["items"].(l)[0].(m)["source"] != "manual" {
			t.Errorf("%s finds %v", email, list)
		}
	}
}
