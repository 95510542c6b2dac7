package order_test

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
)

// A combo is one line of the cart with the price of its items. Ordering it takes its items from
// the stock, in addition to those that are in the cart on their own; a cancellation returns them.
// It cannot be ordered if an item is deleted or out of stock.
func TestAComboIsOrderedAsItsItems(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	seller := a.Session(a.OwnerID)
	of := func(fields m) string {
		return fmt.Sprint(a.Result("POST", "/products", a.Owner, m{"item": fields})["id"])
	}
	cup := of(m{"name": "Cup", "is_published": true, "price": m{"price": 100}, "stock_quantity": 5})
	tin := of(m{"name": "Tin", "is_published": true, "price": m{"price": 50}})
	set := of(m{"name": "Set", "is_published": true, "kind": "combo", "combo_discount": m{"percent": 10},
		"combo_items": l{m{"product_id": cup, "quantity": 2}, m{"product_id": tin, "quantity": 1}}})
	ann := a.Session(a.Buyer("ann@people.test"))
	line := func(id string) string { return "/cart/items/" + id + "/default" }
	left := func() any { return a.Result("GET", "/products/"+cup, a.Owner, nil)["stock_quantity"] }
	checkoutInput := m{"company_id": a.Shop.ID, "contact": m{"name": "Ann", "phone": "1"}}

	a.OK("POST", line(set), ann, m{"quantity": 2})
	a.OK("POST", line(cup), ann, m{"quantity": 2})
	cart := a.Result("GET", fmt.Sprintf("/cart/items?company_id=%d", a.Shop.ID), ann, nil)
	first := cart["items"].(l)[0].(m)
	if cart["subtotal"] != 650.0 || first["is_combo"] != true || first["available"] != 2.0 || len(first["combo_items"].(l)) != 2 {
		t.Fatalf("%v", cart)
	}
	a.Refused("POST", "/cart/confirm", ann, checkoutInput, 400, "out_of_stock") // 6 of 5
	a.OK("PUT", line(cup), ann, m{"quantity": 1})
	order := a.Result("POST", "/cart/confirm", ann, checkoutInput)
	if order["items_total"] != 550.0 || left() != 0.0 {
		t.Errorf("%v, %v left", order, left())
	}
	path := fmt.Sprintf("/orders/%v", order["id"])
	a.OK("PUT", path+"/status", seller, m{"status": "cancelled"})
	if left() != 5.0 {
		t.Errorf("%v units after the cancellation", left())
	}
	a.OK("PUT", path+"/status", seller, m{"status": "processing"})
	a.OK("PUT", "/products/"+cup+"/stock", seller, m{"quantity": 50})

	a.OK("POST", line(set), ann, m{"quantity": 1})
	a.OK("DELETE", "/products/"+tin, a.Owner, nil)
	a.Refused("POST", "/cart/confirm", ann, checkoutInput, 400, "out_of_stock")
	a.Refused("POST", line(set), ann, m{"quantity": 1}, 400, "out_of_stock")
	if got := left(); got != 50.0 {
		t.Errorf("a refused order changed the stock: %v are left", got)
	}
}

// The CSV contains every matching order, for callers who may read them, and no cell is executed
// as a formula.
func TestOrdersAreExported(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	tea := fmt.Sprint(a.Result("POST", "/products", a.Owner, m{"item": m{"name": "=1+1", "is_published": true, "price": m{"price": 7}, "sku": "T1"}})["id"])
	ann := a.Session(a.Buyer("ann@people.test"))
	for range 3 {
		a.OK("POST", "/cart/items/"+tea+"/default", ann, m{"quantity": 2})
		a.OK("POST", "/cart/confirm", ann, m{
			"company_id": a.Shop.ID, "contact": m{"name": "@Ann\n,\"", "phone": "+1"}, "address": m{"city": "Lisboa", "street": "Rua 1"}, "comment": "=cmd",
		})
	}
	a.OK("PUT", "/orders/1/status", a.Owner, m{"status": "cancelled"})
	export := func(query, key string) [][]string {
		t.Helper()
		got := a.Send(apitest.Request{Method: "GET", Path: "/orders/export" + query, Key: key})
		lines, err := csv.NewReader(strings.NewReader(string(got.Body))).ReadAll()
		if got.Status != 200 || err != nil {
			t.Fatalf("%d %v %s", got.Status, err, got.Body)
		}
		return lines
	}
	all := export("", a.Owner)
	if len(all) != 4 || strings.Join(all[1][:16], "|") != "1001|1|"+all[1][2]+"|cancelled||14|0||14|EUR|'@Ann\n,\"|'+1||Rua 1\nLisboa|'=cmd|2 x =1+1 (T1)" {
		t.Errorf("%q", all)
	}
	if some := export("?filter.status=new&filter.query=1003&filter.created_from=2020-01-01T00:00:00Z", a.Owner); len(some) != 2 || some[1][0] != "1003" {
		t.Errorf("%q", some)
	}
	if theirs := export("", a.Stranger); len(theirs) != 1 {
		t.Errorf("%q", theirs)
	}
	a.Refused("GET", "/orders/export", ann, nil, 403, "DENIED")
	a.Refused("GET", "/orders/export", a.Session(a.Member(shop.Editor)), nil, 403, "DENIED")
	a.Refused("GET", fmt.Sprintf("/orders/export?filter.company_id=%d", a.Other.ID), a.Owner, nil, 403, "DENIED")
	a.Refused("GET", "/orders/export?filter.created_from=now", a.Owner, nil, 400, "INVALID_REQUEST")
}
