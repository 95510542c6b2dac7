package cart_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
)

type (
	m = apitest.Map
	l = []any
)

// basket is a buyer with an empty cart.
type basket struct {
	*apitest.API
	t     *testing.T
	buyer string
}

func open(t *testing.T) basket {
	t.Helper()
	t.Parallel()
	a := apitest.New(t)
	return basket{a, t, a.Session(a.Buyer("ann@people.test"))}
}

// product creates a product at price 7 unless the fields say otherwise.
func (b basket) product(key string, fields m) string {
	b.t.Helper()
	item := m{"name": "Tea", "is_published": true, "price": m{"price": 7}}
	for name, value := range fields {
		item[name] = value
	}
	return fmt.Sprint(b.Result("POST", "/products", key, m{"item": item})["id"])
}

func (b basket) line(product, key string) string { return "/cart/items/" + product + "/" + key }

// holds checks that the cart has the given lines of product, key and quantity.
func (b basket) holds(want string) m {
	b.t.Helper()
	cart := b.Result("GET", fmt.Sprintf("/cart/items?company_id=%d", b.Shop.ID), b.buyer, nil)
	if got := shown(cart); got != want {
		b.t.Errorf("the cart holds %q, want %q", got, want)
	}
	return cart
}

func shown(cart m) string {
	var lines []string
	for _, item := range cart["items"].(l) {
		line := item.(m)
		lines = append(lines, fmt.Sprintf("%v %v %v", line["product_id"], line["key"], line["quantity"]))
	}
	return strings.Join(lines, ", ")
}

// What a line accepts and refuses (document 2, 4.1, rules 1 and 2). A refused change leaves the
// cart as it was.
func TestLinesByTheRules(t *testing.T) {
	b := open(t)
	tea, soldOut := b.product(b.Owner, nil), b.product(b.Owner, m{"stock_quantity": 0})
	hidden, gone, theirs := b.product(b.Owner, m{"is_published": false}), b.product(b.Owner, nil), b.product(b.Stranger, nil)
	b.OK("DELETE", "/products/"+gone, b.Owner, nil)
	shop := fmt.Sprintf("?company_id=%d", b.Shop.ID)
	for _, c := range []struct {
		path   string
		body   any
		status int
		code   string
	}{
		{b.line(tea, "default"), m{"quantity": 0}, 400, "INVALID_REQUEST"},
		{b.line(tea, "default"), m{"quantity": -1}, 400, "INVALID_REQUEST"},
		{b.line(tea, "default"), m{"quantity": 1.5}, 400, "INVALID_REQUEST"},
		{b.line(tea, "default"), m{"quantity": "x"}, 400, "INVALID_REQUEST"},
		{b.line(tea, "default"), `{"quantity": 99999999999999999999}`, 400, "INVALID_REQUEST"},
		{b.line(tea, "default"), m{"quantity": 1, "data": "words"}, 400, "INVALID_REQUEST"},
		{b.line(tea, "default"), m{"quantity": 1, "data": m{"x": strings.Repeat("x", 16<<10)}}, 400, "INVALID_REQUEST"},
		{b.line(tea, ""), m{"quantity": 1}, 404, "NOT_FOUND"},
		{b.line(tea, strings.Repeat("я", 65)), m{"quantity": 1}, 404, "NOT_FOUND"},
		{b.line(tea, "%00"), m{"quantity": 1}, 404, "NOT_FOUND"},
		{b.line(tea, "%ff"), m{"quantity": 1}, 404, "NOT_FOUND"},
		{b.line(soldOut, "default"), m{"quantity": 1}, 400, "out_of_stock"},
		{b.line(hidden, "default"), m{"quantity": 1}, 400, "PRODUCT_NOT_FOUND"},
		{b.line(gone, "default"), m{"quantity": 1}, 400, "PRODUCT_NOT_FOUND"},
		{b.line("999999", "default"), m{"quantity": 1}, 400, "PRODUCT_NOT_FOUND"},
		{b.line(theirs, "default") + shop, m{"quantity": 1}, 400, "PRODUCT_NOT_FOUND"},
		{b.line("0", "default"), m{"quantity": 1}, 400, "PRODUCT_NOT_FOUND"},
		{b.line("x", "default"), m{"quantity": 1}, 404, "NOT_FOUND"},
		{b.line("99999999999999999999", "default"), m{"quantity": 1}, 404, "NOT_FOUND"},
	} {
		got := b.Send(apitest.Request{Method: "POST", Path: c.path, Key: b.buyer, Body: c.body})
		if got.Status < 400 || got.Status >= 500 {
			t.Errorf("%s %v: %d %s", c.path, c.body, got.Status, got.Body)
		} else if code := apitest.Code(got.JSON); got.Status != c.status || code != c.code {
			t.Errorf("%s %.80v: %d %s, want %d %s", c.path, c.body, got.Status, code, c.status, c.code)
		}
	}
	b.holds("")
	b.OK("POST", b.line(tea, "default"), b.buyer, m{"quantity": 9998})
	b.OK("POST", b.line(tea, "default"), b.buyer, m{"quantity": 2147483648})
	b.OK("POST", b.line(tea, "ключ%20x"), b.buyer, m{})
	b.holds(tea + " default 9999, " + tea + " ключ x 1")
	b.OK("PUT", b.line(tea, "default"), b.buyer, m{"quantity": 100_000})
	b.OK("PUT", b.line(tea, "default"), b.buyer, m{"quantity": 3})
	b.Refused("PUT", b.line(tea, "default"), b.buyer, m{"quantity": 0}, 400, "INVALID_REQUEST")
	b.Refused("PUT", b.line(tea, "none"), b.buyer, m{"quantity": 1}, 404, "CART_LINE_NOT_FOUND")
	b.OK("DELETE", b.line(tea, "none"), b.buyer, nil)
	b.OK("DELETE", b.line(tea, "ключ%20x"), b.buyer, nil)
	b.holds(tea + " default 3")
	b.Refused("POST", b.line(tea, "default"), b.Owner, m{"quantity": 1}, 403, "PAT_METHOD_NOT_ALLOWED")
	b.Refused("POST", b.line(tea, "default"), "", m{"quantity": 1}, 401, "UNAUTHENTICATED")
}

// A merge adds lines, skips invalid ones, drops lines beyond the hundredth, and is applied once
// per id (rule 3).
func TestAMergeByTheRules(t *testing.T) {
	b := open(t)
	tea, cup, soldOut, hidden := b.product(b.Owner, nil), b.product(b.Owner, nil), b.product(b.Owner, m{"stock_quantity": 0}), b.product(b.Owner, m{"is_published": false})
	items := l{
		m{"product_id": tea, "key": "", "quantity": 2, "data": m{"a": 1}}, m{"product_id": cup, "key": "default", "quantity": -5},
		m{"product_id": hidden, "key": "default", "quantity": 1}, m{"product_id": 999999, "key": "default", "quantity": 1},
		m{"product_id": tea, "key": "a/b", "quantity": 1}, m{"product_id": soldOut, "key": "default", "quantity": 1},
		m{"product_id": tea, "key": "default", "quantity": 1, "data": m{"b": 2}},
	}
	merge := func(fields m) string {
		fields["company_id"] = b.Shop.ID
		return shown(b.Result("POST", "/cart/merge", b.buyer, fields))
	}
	first := tea + " default 3, " + cup + " default 1, " + soldOut + " default 1"
	if got := merge(m{"items": items, "merge_id": "phone"}); got != first {
		t.Errorf("%q", got)
	}
	if got := merge(m{"items": items, "merge_id": "phone"}); got != first {
		t.Errorf("the same merge again: %q", got)
	}
	if cart := b.holds(first); fmt.Sprint(cart["items"].(l)[0].(m)["data"]) != "map[b:2]" {
		t.Errorf("the later data wins: %v", cart["items"])
	}
	if got := merge(m{"items": items}); got != tea+" default 6, "+cup+" default 2, "+soldOut+" default 2" {
		t.Errorf("without an id it is applied again: %q", got)
	}
	many := l{}
	for range 99 {
		many = append(many, m{"product_id": 999999, "key": "x", "quantity": 1})
	}
	many = append(many, m{"product_id": cup, "key": "hundredth", "quantity": 1}, m{"product_id": cup, "key": "beyond", "quantity": 1})
	if got := merge(m{"items": many}); !strings.Contains(got, "hundredth") || strings.Contains(got, "beyond") {
		t.Errorf("%q", got)
	}
	for page := range 4 {
		b.Clock.Advance(time.Minute)
		fresh := l{}
		for i := range 100 {
			fresh = append(fresh, m{"product_id": tea, "key": fmt.Sprint("k", page*100+i), "quantity": 1})
		}
		got := b.Send(apitest.Request{Method: "POST", Path: "/cart/merge", Key: b.buyer, Body: m{"company_id": b.Shop.ID, "items": fresh}})
		if full := page >= 2; full != (apitest.Code(got.JSON) == "CART_FULL") {
			t.Errorf("page %d: %d %.200s", page, got.Status, got.Body)
		}
	}
}

// A quote writes nothing, is independent of sessions, leaves out unavailable products and
// ignores stock (rule 4).
func TestAQuoteByTheRules(t *testing.T) {
	b := open(t)
	tea, soldOut, hidden, theirs := b.product(b.Owner, nil), b.product(b.Owner, m{"stock_quantity": 0}), b.product(b.Owner, m{"is_published": false}), b.product(b.Stranger, nil)
	of := func(product string, quantity any) m {
		return m{"product_id": product, "key": "default", "quantity": quantity}
	}
	quote := func(items ...any) m {
		t.Helper()
		return b.Result("POST", "/cart/quote", "", m{"company_id": b.Shop.ID, "items": items, "promo_code": "spring"})
	}
	got := quote(of(tea, 9000), of(soldOut, 2), of(hidden, 1), of(theirs, 1), of("999999", 1), of(tea, 9000), of(tea, -4))
	if shown(got) != tea+" default 9999, "+soldOut+" default 2" || got["subtotal"] != 7.0*10001 || got["promo_rejected"] != "NOT_FOUND" {
		t.Errorf("%v", got)
	}
	b.holds("")
	many := l{}
	for range 101 {
		many = append(many, of(tea, 1))
	}
	b.Refused("POST", "/cart/quote", "", m{"company_id": b.Shop.ID, "items": many}, 400, "INVALID_REQUEST")
	if got := quote(); got["subtotal"] != 0.0 || len(got["items"].(l)) != 0 {
		t.Errorf("of nothing: %v", got)
	}
	b.Clock.Advance(time.Minute)
	for range 60 {
		quote(of(tea, 1))
	}
	b.Refused("POST", "/cart/quote", "", m{"company_id": b.Shop.ID, "items": l{}}, 429, "RATE_LIMITED")
}

// A cart belongs to one person in one shop. A session created on a shop's host is valid for
// that shop only.
func TestCartsOfOthersAreInvisible(t *testing.T) {
	b := open(t)
	tea, theirs := b.product(b.Owner, nil), b.product(b.Stranger, nil)
	b.OK("POST", b.line(tea, "default"), b.buyer, m{"quantity": 2})
	b.OK("POST", b.line(theirs, "default"), b.buyer, m{"quantity": 5})
	b.holds(tea + " default 2")
	bob := b.Session(b.API.Buyer("bob@people.test"))
	if got := b.Result("GET", fmt.Sprintf("/cart/items?company_id=%d", b.Shop.ID), bob, nil); shown(got) != "" {
		t.Errorf("%v", got)
	}
	guest := b.OnHost(b.Send(apitest.Request{Method: "POST", Path: "/v1/auth/guest", Header: b.ThroughStorefront()}).Cookie())
	for _, c := range []struct {
		method, path, code string
	}{
		{"POST", b.line(tea, "default"), ""}, {"POST", b.line(theirs, "default"), "PRODUCT_NOT_FOUND"},
		{"GET", fmt.Sprintf("/cart/items?company_id=%d", b.Other.ID), "DENIED"},
	} {
		r := apitest.Request{Method: c.method, Path: c.path, Header: guest}
		if c.method == "POST" {
			r.Body = m{"quantity": 1}
		}
		if got := b.Send(r); apitest.Code(got.JSON) != c.code {
			t.Errorf("%s %s: %d %s", c.method, c.path, got.Status, got.Body)
		}
	}
	b.OK("DELETE", "/products/"+tea, b.Owner, nil)
	b.holds("")
}

// An invalid line of a merge does not affect the others.
func TestABadLineOfAMergeIsSkipped(t *testing.T) {
	b := open(t)
	tea := b.product(b.Owner, nil)
	good := m{"product_id": tea, "key": "default", "quantity": 2}
	bad := l{
		nil, "line", 7, true, l{}, m{}, m{"product_id": "tea"}, m{"product_id": m{}}, m{"product_id": 1.5}, m{"product_id": -1}, m{"product_id": 1e30},
		m{"product_id": tea, "quantity": "many"}, m{"product_id": tea, "quantity": 1e30}, m{"product_id": tea, "key": 7}, m{"product_id": tea, "key": strings.Repeat("k", 65)},
		m{"product_id": tea, "key": "a/b"}, m{"product_id": tea, "key": "d", "data": "text"}, m{"product_id": tea, "key": "d", "data": l{}}, m{"product_id": 999999},
	}
	cart := b.Result("POST", "/cart/merge", b.buyer, m{"company_id": b.Shop.ID, "items": append(bad, good)})
	if got := shown(cart); got != tea+" default 2" {
		t.Errorf("the cart holds %q", got)
	}
}

func TestTheCartOfAnUnknownShopIsEmpty(t *testing.T) {
	b := open(t)
	for _, company := range []string{"?company_id=999999", "?company_id=0", ""} {
		cart := b.Result("GET", "/cart/items"+company, b.buyer, nil)
		if len(cart["items"].(l)) != 0 || cart["subtotal"] != 0.0 || cart["version"] != "0" {
			t.Errorf("%q: %v", company, cart)
		}
	}
}
