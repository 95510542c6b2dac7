package upkeep_test

import (
	"fmt"
	"testing"
	"time"

	"vitrine/admin/upkeep"
	"vitrine/internal/shop"
	peopledb "vitrine/internal/store/people"
	"vitrine/internal/store/sales"
)

// product creates a published product and returns the path of its line in a cart.
func (h fixture) product(stock any) (id any, line string) {
	h.t.Helper()
	made := h.Result("POST", "/products", h.Owner, m{"item": m{"name": "Cup", "is_published": true, "price": m{"price": 10}, "stock_quantity": stock}})
	return made["id"], fmt.Sprintf("/cart/items/%v/default", made["id"])
}

func (h fixture) guest() string {
	return h.Result("POST", "/v1/auth/guest", "", m{})["token"].(string)
}

func (h fixture) buy(session, line string) m {
	h.t.Helper()
	h.OK("POST", line, session, m{"quantity": 2})
	return h.Result("POST", "/cart/confirm", session, m{"company_id": h.Shop.ID, "contact": m{"name": "Ines", "phone": "123"}})
}

// A guest without a live session is deleted with their cart and wish list; the order stays with
// the shop. A person with an account is kept, without the old cart.
func TestGuestsAndCartsAreDeletedAfterThirtyDays(t *testing.T) {
	h := open(t)
	_, line := h.product(nil)
	guest, ann := h.guest(), h.Buyer("ann@people.test")
	member := h.Session(ann)
	people := []shop.UserID{shop.UserID(h.Result("GET", "/v1/auth/me", guest, nil)["id"].(float64)), ann}
	order := h.buy(guest, line)
	h.OK("POST", line, guest, m{"quantity": 1})
	h.OK("POST", line, member, m{"quantity": 1})
	// the remaining people, with the units in their carts
	left := func() string {
		h.t.Helper()
		text := ""
		for _, id := range people {
			_, err := peopledb.GetPerson(t.Context(), h.Store, id)
			cart, failed := sales.GetCart(t.Context(), h.Store.Shop(h.Shop.ID), id)
			if failed != nil {
				t.Fatal(failed)
			}
			text += fmt.Sprint(err == nil, len(cart.Lines), " ")
		}
		return text
	}
	h.Clock.Advance(upkeep.Left - time.Hour)
	h.round()
	if got := left(); got != "true 1 true 1 " {
		t.Errorf("within 30 days: %s", got)
	}
	h.Clock.Advance(2 * time.Hour)
	h.round()
	if got := left(); got != "false 0 true 0 " {
		t.Errorf("after 30 days: %s", got)
	}
	if got := h.Result("GET", fmt.Sprintf("/orders/%v", order["id"]), h.Session(h.OwnerID), nil); got["items_total"] != 20.0 {
		t.Errorf("%v", got)
	}
}

// An order that is not paid within the shop's deadline is cancelled automatically, and its units
// return to the stock. Paid or accepted orders are kept, and so are all orders of a shop without
// a deadline.
func TestUnpaidOrdersAreCancelled(t *testing.T) {
	h := open(t)
	seller := h.Session(h.OwnerID)
	id, line := h.product(10)
	orders := map[string]string{}
	for _, name := range []string{"late", "paid", "accepted"} {
		orders[name] = fmt.Sprintf("/orders/%v", h.buy(h.guest(), line)["id"])
	}
	h.OK("POST", orders["paid"]+"/payment/confirm", seller, nil)
	h.OK("PUT", orders["accepted"]+"/status", seller, m{"status": "processing"})
	status := func(name string) any { return h.Result("GET", orders[name], h.Session(h.OwnerID), nil)["status"] }
	h.Clock.Advance(49 * time.Hour)
	h.round()
	if got := status("late"); got != "new" {
		t.Errorf("the shop has no deadline: %v", got)
	}
	h.OK("PUT", "/v1/shop/settings", h.Session(h.OwnerID), m{"cancel_unpaid_after_hours": 50})
	h.round()
	if got := status("late"); got != "new" {
		t.Errorf("an hour before the deadline: %v", got)
	}
	h.Clock.Advance(2 * time.Hour) // the database dates rows slightly later
	h.round()
	for name, want := range map[string]string{"late": "cancelled", "paid": "new", "accepted": "processing"} {
		if got := status(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	stock := h.Result("GET", fmt.Sprintf("/products/%v", id), h.Owner, nil)["stock_quantity"]
	if stock != 6.0 {
		t.Errorf("%v are left", stock)
	}
	story := h.OK("GET", orders["late"]+"/history", h.Session(h.OwnerID), nil)["result"].(l)
	if last := story[len(story)-1].(m); last["actor_id"] != 0.0 || last["body"].(m)["to"] != "cancelled" {
		t.Errorf("%v", story)
	}
	h.round() // cancels each order once
	if n := len(h.OK("GET", orders["late"]+"/history", h.Session(h.OwnerID), nil)["result"].(l)); n != len(story) {
		t.Errorf("%d entries", n)
	}
}
