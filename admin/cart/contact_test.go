package cart_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/shop"
)

// The address for a reminder is checked, shown to the shop only masked until its owner agrees, and
// only to the shop of the cart.
func TestTheAddressForAReminder(t *testing.T) {
	b := open(t)
	tea := b.product(b.Owner, nil)
	contact := func(body m) { b.OK("PUT", "/cart/contact", b.buyer, body) }
	at := func(more m) m {
		body := m{"company_id": b.Shop.ID}
		for name, value := range more {
			body[name] = value
		}
		return body
	}
	carts := func(key string) l { return b.Result("GET", "/carts", key, nil)["items"].(l) }
	contact(at(m{"email": "ann@people.test"})) // no cart yet
	if list := carts(b.Owner); len(list) != 0 {
		t.Errorf("a cart without lines is listed: %v", list)
	}
	b.OK("POST", b.line(tea, "a"), b.buyer, m{"quantity": 3})
	for _, x := range []struct {
		sent m
		want string
	}{
		{m{"email": " jo@people.test "}, "j***@people.test false"},
		{m{"email": "Ärzte@people.test", "agreed": false}, "Ä***@people.test false"},
		{m{"email": "jo@people.test", "agreed": true}, "jo@people.test true"},
		{m{"email": "jo@people.test"}, "j***@people.test false"}, // the consent is withdrawn
		{m{"email": "", "agreed": true}, " false"},
	} {
		contact(at(x.sent))
		row := carts(b.Owner)[0].(m)
		got := row["contact"].(m)
		if said := fmt.Sprint(got["email"], " ", got["agreed"]); said != x.want || row["subtotal"] != 21.0 || row["items"].(l)[0].(m)["quantity"] != 3.0 {
			t.Errorf("%v: %s in %v, want %s", x.sent, said, row, x.want)
		}
	}
	for _, bad := range []any{"jo", "jo@", "a@b@c.test", "Jo <jo@people.test>", "jo@people.test\r\nBcc: x@y.test", strings.Repeat("x", 250) + "@y.test"} {
		b.Refused("PUT", "/cart/contact", b.buyer, at(m{"email": bad, "agreed": true}), 400, "CONTACT_INVALID")
	}
	for _, bad := range []m{{"email": 1}, {"email": l{}}, {"agreed": "yes"}} {
		if status, answer := b.Call("PUT", "/cart/contact", b.buyer, at(bad)); status != 400 {
			t.Errorf("%v: %d %v", bad, status, answer)
		}
	}
	if status, _ := b.Call("PUT", "/cart/contact", "", at(nil)); status != 401 {
		t.Errorf("without a session: %d", status)
	}
	if list := b.Result("GET", "/carts", b.Session(b.StrangerID), nil)["items"].(l); len(list) != 0 {
		t.Errorf("another shop sees %v", list)
	}
	for _, key := range []string{b.buyer, "", b.Scoped("catalog:read")} {
		if status, _ := b.Call("GET", "/carts", key, nil); status != 401 && status != 403 {
			t.Errorf("a stranger reads carts: %d", status)
		}
	}
	carts(b.Scoped("orders:read"))
	carts(b.Session(b.Member(shop.Admin)))
	b.Refused("GET", "/carts?page.number=1&page.limit=101", b.Owner, nil, 400, "INVALID_REQUEST")
}
