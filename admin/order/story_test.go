package order_test

import (
	"fmt"
	"testing"

	"vitrine/admin/api/apitest"
)

type (
	m = apitest.Map
	l = []any
)

// A buyer fills a cart, orders and writes to the seller, who changes the status of the order: all
// through the API.
func TestABuyerOrdersAndTheSellerMovesIt(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	tea := a.Result("POST", "/products", a.Owner, m{"item": m{
		"name": "Oolong", "price": m{"price": 14}, "is_published": true, "stock_quantity": 5}})["id"]
	ann := a.Session(a.Buyer("ann@people.test"))
	line := fmt.Sprintf("/cart/items/%v/default", tea)
	a.OK("POST", line, ann, m{"quantity": 2, "data": m{"note": "wrapped"}})
	a.OK("POST", line, ann, m{"quantity": 1})
	cart := a.Result("GET", fmt.Sprintf("/cart/items?company_id=%d&explain=1", a.Shop.ID), ann, nil)
	if cart["subtotal"] != 42.0 || cart["count"] != 3.0 || cart["total"] != 1.0 || len(cart["explain"].(l)) != 1 {
		t.Fatalf("%v", cart)
	}
	first := cart["items"].(l)[0].(m)
	if first["data"].(m)["note"] != "wrapped" || first["name"] != "Oolong" || first["available"] != 5.0 || first["url"] == "" {
		t.Errorf("%v", first)
	}
	a.Refused("POST", "/cart/confirm", ann, m{"company_id": a.Shop.ID, "contact": m{"name": " ", "phone": "1"}}, 400, "CONTACT_REQUIRED")
	checkoutInput := m{"company_id": a.Shop.ID, "contact": m{"name": "Ann", "phone": "1"}, "expected_total": 41}
	a.Refused("POST", "/cart/confirm", ann, checkoutInput, 400, "PRICE_CHANGED")
	checkoutInput["expected_total"] = 42
	order := a.Result("POST", "/cart/confirm", ann, checkoutInput)
	if order["number"] != 1001.0 || order["items_total"] != 42.0 || order["status"] != "new" || len(order["items"].(l)) != 1 {
		t.Fatalf("%v", order)
	}
	a.Refused("POST", "/cart/confirm", ann, checkoutInput, 400, "CART_EMPTY")
	at := fmt.Sprintf("/orders/%v", order["id"])
	bob := a.Session(a.Buyer("bob@people.test"))
	a.Refused("GET", at, bob, nil, 403, "DENIED")
	a.Refused("PUT", at+"/status", ann, m{"status": "cancelled"}, 403, "DENIED")
	a.Refused("GET", at+"/messages", bob, nil, 404, "ORDER_NOT_FOUND")
	a.OK("POST", at+"/messages", ann, m{"text": "When?"})
	if seen := a.Result("GET", at, a.Owner, nil); seen["unread"] != 1.0 {
		t.Errorf("%v", seen)
	}
	moved := a.Result("PUT", at+"/status", a.Owner, m{"status": "cancelled", "expected_status": "new"})
	if moved["status"] != "cancelled" {
		t.Errorf("%v", moved)
	}
	a.Refused("PUT", at+"/status", a.Owner, m{"status": "new", "expected_status": "new"}, 409, "STATUS_CHANGED")
	a.Refused("PUT", at+"/status", a.Owner, m{"status": "lost"}, 400, "INVALID_STATUS")
	if p := a.Result("GET", fmt.Sprintf("/products/%v", tea), a.Owner, nil); p["stock_quantity"] != 5.0 {
		t.Errorf("%v", p["stock_quantity"])
	}
	a.Refused("POST", at+"/refund", a.Owner, nil, 400, "ORDER_NOT_PAID")
	owner := a.Session(a.OwnerID)
	paid := a.Result("POST", at+"/payment/confirm", owner, nil)["payment"].(m)
	if paid["amount_minor"] != 4200.0 || paid["status"] != "paid" {
		t.Errorf("%v", paid)
	}
	if back := a.Result("POST", at+"/refund", a.Owner, nil)["payment"].(m); back["status"] != "refunded" {
		t.Errorf("%v", back)
	}
	if list := a.Result("POST", "/orders", a.Owner, m{"filter": m{"paid": true, "query": "oolong"}}); list["total"] != 1.0 {
		t.Errorf("%v", list)
	}
	if list := a.Result("POST", "/orders", bob, m{}); list["total"] != 0.0 {
		t.Errorf("%v", list)
	}
	a.Refused("GET", "/cart/items", a.Owner, nil, 403, "PAT_METHOD_NOT_ALLOWED")
}
