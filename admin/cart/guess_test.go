package cart_test

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store"
)

// Wrong codes of all endpoints that accept codes share one budget.
func TestWrongCodesOfAllEndpointsShareABudget(t *testing.T) {
	b := open(t)
	tea := b.product(b.Owner, nil)
	promotion := b.Result("POST", "/promotions", b.Session(b.OwnerID), m{"item": m{"name": "Autumn", "kind": "coupon", "code": "AUTUMN", "value": m{"percent": 50}}})
	if promotion["active"] != true {
		t.Fatalf("%v", promotion)
	}
	b.OK("POST", b.line(tea, "default"), b.buyer, m{"company_id": b.Shop.ID, "quantity": 2})
	quote := func(key, code string) m {
		t.Helper()
		return b.Result("POST", "/cart/quote", key, m{"company_id": b.Shop.ID, "items": l{m{"product_id": tea, "quantity": 2}}, "promo_code": code})
	}
	promo := func(code string) (int, string) {
		status, answer := b.Call("POST", "/cart/promo", b.buyer, m{"company_id": b.Shop.ID, "code": code})
		return status, apitest.Code(answer)
	}
	for range 10 { // existing codes are not counted, whether they apply to the cart or not
		if v := quote("", "autumn"); v["promo_rejected"] != "" || v["subtotal"] != 7.0 {
			t.Fatalf("%v", v)
		}
		if status, code := promo("AUTUMN"); status != 200 {
			t.Fatalf("%d %s", status, code)
		}
	}
	for n := range 15 {
		if v := quote("", fmt.Sprint("GUESS", n)); v["promo_rejected"] != "NOT_FOUND" {
			t.Errorf("guess %d: %v", n, v["promo_rejected"])
		}
		if status, code := promo(fmt.Sprint("OTHER", n)); status != 200 {
			t.Errorf("guess %d: %d %s", n, status, code)
		}
		b.Clock.Advance(time.Millisecond)
	}
	for _, key := range []string{"", b.buyer} {
		if v := quote(key, " autumn "); v["promo_rejected"] != "RATE_LIMITED" || v["promo_code"] != "AUTUMN" || v["subtotal"] != 14.0 || len(v["applied"].(l)) != 0 {
			t.Errorf("with an exhausted budget: %v", v)
		}
		if v := quote(key, ""); v["promo_rejected"] != "" || v["subtotal"] != 14.0 {
			t.Errorf("a quote without a code: %v", v)
		}
	}
	if status, code := promo("AUTUMN"); status != 429 || code != "RATE_LIMITED" {
		t.Errorf("%d %s", status, code)
	}
	b.Clock.Advance(time.Minute)
	if v := quote("", "AUTUMN"); v["subtotal"] != 7.0 {
		t.Errorf("a minute later: %v", v)
	}
}

// A buyer who changes networks gets no additional guesses.
func TestWrongCodesAreCountedByBuyerToo(t *testing.T) {
	b := open(t)
	tea := b.product(b.Owner, nil)
	limited := 0
	for n := range 40 {
		from := netip.AddrFrom4([4]byte{198, 51, byte(n), 1}).String()
		v := b.Send(apitest.Request{
			Method: "POST", Path: "/cart/quote", Key: b.buyer, Header: map[string]string{"X-Forwarded-For": from},
			Body: m{"company_id": b.Shop.ID, "items": l{m{"product_id": tea, "quantity": 1}}, "promo_code": fmt.Sprint("GUESS", n)},
		}).JSON["result"].(m)
		if v["promo_rejected"] == "RATE_LIMITED" {
			limited++
		}
	}
	if limited != 10 {
		t.Errorf("%d of 40 guesses were refused", limited)
	}
	// Another process knows of them.
	_, wait, err := b.Store.TakeAttempts(t.Context(), store.Attempt{
		Kind: store.CodesOfBuyer, Key: fmt.Sprint(b.Result("GET", "/v1/auth/me", b.buyer, nil)["id"]), Limit: 30, Window: time.Minute,
	})
	if err != nil || wait == 0 {
		t.Errorf("guesses are not counted in rows: %v, %v", wait, err)
	}
}
