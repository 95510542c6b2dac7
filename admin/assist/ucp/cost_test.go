package ucp_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store/storetest"
)

// taking returns the statements of a call, with the beginning and the end of transactions.
func (s *store) taking(call func()) []storetest.Statement {
	s.t.Helper()
	s.Sent.Take()
	call()
	return s.Sent.Take()
}

// atMost reports a call that takes more statements than it may.
func (s *store) atMost(what string, most int, sent []storetest.Statement) {
	s.t.Helper()
	if len(sent) <= most {
		return
	}
	s.t.Errorf("%s takes %d statements, at most %d", what, len(sent), most)
	for _, one := range sent {
		s.t.Logf("%.150s", strings.Join(strings.Fields(one.SQL), " "))
	}
}

// transaction is the statements that begin and commit one.
const transaction = 2

// A buyer's calls of the storefront are the measure: an update of a checkout with twenty lines takes
// two statements more than reading such a cart, in the one transaction that a read does without and that
// writes the session together with its cart. Completing it takes two more than ordering the cart.
func TestACheckoutTakesFewStatements(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	selling(s)
	guest := s.Send(apitest.Request{Method: "POST", Path: "/v1/auth/guest", Header: s.ThroughStorefront(), Body: object{}})
	buyer := s.OnHost(guest.Cookie())
	var twenty list
	for i := range 20 {
		tea := s.sell(object{"name": fmt.Sprint("Tea ", i), "price": 10, "stock_quantity": 1000})
		twenty = append(twenty, tea, 2)
		s.bought(buyer, "POST", "/cart/items/"+tea+"/default", object{"quantity": 2})
	}
	full := object{"line_items": lines(twenty...), "buyer": ann, "fulfillment": shippingTo("DE")}
	do := func(o op, id string, body any, want string, header ...string) {
		t.Helper()
		if out := s.rest(o, id, body, header...); out.JSON["status"] != want {
			t.Fatalf("%d %s", out.Status, out.Body)
		}
	}
	order := object{"contact": object{"name": "Ann Lee", "phone": "+4930123456", "email": "ann@example.test"}, "address": object{"country": "DE", "city": "Berlin", "street": "Main St 1"}}
	var ids []string
	for range 3 {
		ids = append(ids, fmt.Sprint(s.rest(createCheckout, "", full).JSON["id"]))
	}
	do(completeCheckout, ids[0], offline, "completed") // the shop has its key from now on
	for range 2 {                                      // what is cached was read before
		read := s.taking(func() { s.bought(buyer, "GET", "/cart/items", nil) })
		update := s.taking(func() { do(updateCheckout, ids[1], full, "ready_for_complete") })
		s.atMost("an update", len(read)+2+transaction, update)
		s.atMost("reading it", len(read), s.taking(func() { do(getCheckout, ids[1], nil, "ready_for_complete") }))
	}
	confirm := s.taking(func() { s.bought(buyer, "POST", "/cart/confirm", order) })
	s.atMost("a complete", len(confirm)+2, s.taking(func() { do(completeCheckout, ids[1], offline, "completed") }))
	for i := 0; i < len(twenty); i += 2 {
		s.bought(buyer, "POST", fmt.Sprintf("/cart/items/%v/default", twenty[i]), object{"quantity": 2})
	}
	buyer["Idempotency-Key"] = "a"
	confirm = s.taking(func() { s.bought(buyer, "POST", "/cart/confirm", order) })
	s.atMost("a complete with a key", len(confirm)+2, s.taking(func() { do(completeCheckout, ids[2], offline, "completed", "Idempotency-Key", "a") }))
}

// bought makes a call of a buyer on the shop's host.
func (s *store) bought(as map[string]string, method, path string, body any) {
	s.t.Helper()
	if out := s.Send(apitest.Request{Method: method, Path: path, Header: as, Body: body}); out.Status != 200 {
		s.t.Fatalf("%s %s: %d %s", method, path, out.Status, out.Body)
	}
}

// The profile is made once for each version of the shop, and read without the database.
func TestTheProfileTakesNoStatements(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	selling(s)
	read := func() (text string) {
		s.atMost("the profile", 0, s.taking(func() { text = string(s.get("/.well-known/ucp").Body) }))
		return text
	}
	s.get("/.well-known/ucp")
	before := read()
	s.OK("PUT", "/v1/shop/payment-methods/manual", s.Session(s.OwnerID), object{"title": "Transfer", "is_active": false})
	s.get("/.well-known/ucp")
	if after := read(); !strings.Contains(before, "manual") || strings.Contains(after, "manual") {
		t.Errorf("before %s\nafter %s", before, after)
	}
}

// Found products take as many statements as one.
func TestFoundProductsTakeTheStatementsOfOne(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	var named list
	one, many := object{"query": "jasmine"}, object{"query": "tea", "pagination": object{"limit": 50}}
	named = append(named, s.sell(object{"name": "Jasmine"}))
	for i := range 50 {
		named = append(named, s.sell(object{"name": fmt.Sprint("Tea ", i), "sku": fmt.Sprint("T-", i)}))
	}
	found := func(o op, body any, n int) []storetest.Statement {
		t.Helper()
		return s.taking(func() {
			if out := s.rest(o, "", body); out.Status != 200 || len(out.JSON["products"].(list)) != n {
				t.Fatalf("%d %.300s", out.Status, out.Body)
			}
		})
	}
	found(search, one, 1)
	s.atMost("a search", len(found(search, one, 1)), found(search, many, 50))
	s.atMost("a lookup", len(found(lookup, object{"ids": named[:1]}, 1)), found(lookup, object{"ids": named[1:]}, 50))
}

// A search finds the words that are a sku by an index, however many products there are.
func TestASearchReadsFewRows(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	storetest.Large(t, s.URL, int(s.Shop.ID), 5000)
	s.rest(search, "", object{"query": "teapot"})
	for _, sent := range s.taking(func() { s.rest(search, "", object{"query": "teapot"}) }) {
		if !strings.Contains(sent.SQL, "SELECT") {
			continue
		}
		rows, _ := storetest.RowsRead(t, s.Store.Pool, sent.SQL, sent.Args...)
		for table, n := range rows {
			if n > 500 {
				t.Errorf("%v rows of %s are read: %.300s", n, table, strings.Join(strings.Fields(sent.SQL), " "))
			}
		}
	}
}
