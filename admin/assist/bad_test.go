package assist_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
)

// stall is a random shop of a bazaar with one more product, and calls of both faces about it.
type stall struct {
	*offering
	tea string
}

func (b *bazaar) stall(n int) *stall {
	b.t.Helper()
	s := &stall{offering: b.shop(n)}
	s.tea = fmt.Sprint(b.Result("POST", "/products", b.Owner, m{"item": m{"name": "Tea", "price": m{"price": 7}, "is_published": true}})["id"])
	return s
}

// ucp and acp are bodies of new sessions, with other fields.
func (s *stall) ucp(more m) m {
	return with(m{"line_items": l{m{"item": m{"id": s.tea}, "quantity": 1}}}, more)
}

func (s *stall) acp(more m) m {
	return with(m{"line_items": l{m{"id": s.tea, "quantity": 1}}, "currency": s.currency, "capabilities": m{}}, more)
}

func with(o, more m) m {
	for name, value := range more {
		o[name] = value
	}
	return o
}

// Numbers that are no quantities, and lists beyond their bounds, are refused by both faces, make nothing and
// change nothing. A quantity above the largest becomes that.
func TestBadNumbersMakeAndChangeNoSession(t *testing.T) {
	t.Parallel()
	b := openBazaar(t)
	s := b.stall(0)
	sessions := func() (n int) {
		if err := s.Store.Pool.QueryRow(t.Context(), `SELECT count(*) FROM assist_session`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	many := func(of any) (list l) {
		for range 10_000 {
			list = append(list, of)
		}
		return list
	}
	bad := map[string][2]any{
		"10,000 lines": {s.ucp(m{"line_items": many(m{"item": m{"id": s.tea}, "quantity": 1})}), s.acp(m{"line_items": many(m{"id": s.tea})})},
		"10,000 codes": {s.ucp(m{"discounts": m{"codes": many("SPRING")}}), s.acp(m{"discounts": m{"codes": many("SPRING")}})},
		"10,000 destinations": {
			s.ucp(m{"fulfillment": m{"methods": l{m{"type": "shipping", "destinations": many(m{"address_country": "DE"})}}}}),
			s.acp(m{"selected_fulfillment_options": many(m{"type": "shipping", "option_id": "1"})}),
		},
		"10,000 methods": {s.ucp(m{"fulfillment": m{"methods": many(m{"type": "shipping"})}}), s.acp(m{"coupons": many("SPRING")})},
		"10,000 levels":  {`{"line_items":` + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + "}", `{"line_items":` + strings.Repeat(`[{"item":`, 5_000)},
		"300 KB":         {s.ucp(m{"x": strings.Repeat("x", 300<<10)}), s.acp(m{"order_notes": strings.Repeat("x", 300<<10)})},
		"no JSON":        {"{", "{"},
		"a list":         {"[]", "[]"},
	}
	for _, quantity := range []string{"0", "-1", "1.5", `"2"`, "1e400", "99999999999999999999", "true", "[1]", "{}"} {
		bad["a quantity of "+quantity] = [2]any{
			fmt.Sprintf(`{"line_items":[{"item":{"id":%q},"quantity":%s}]}`, s.tea, quantity),
			fmt.Sprintf(`{"line_items":[{"id":%q,"quantity":%s}],"currency":%q,"capabilities":{}}`, s.tea, quantity, s.currency),
		}
	}
	_, ucp := s.call("POST", "/ucp/checkout-sessions", s.ucp(nil))
	_, acp := s.call("POST", "/acp/checkout_sessions", s.acp(nil))
	atUCP, atACP := fmt.Sprint("/ucp/checkout-sessions/", ucp["id"]), fmt.Sprint("/acp/checkout_sessions/", acp["id"])
	for name, bodies := range bad {
		s.Clock.Advance(4e9)
		for i, calls := range [][2]string{{"POST", "/ucp/checkout-sessions"}, {"POST", "/acp/checkout_sessions"}, {"PUT", atUCP}, {"POST", atACP}} {
			if status, answer := s.call(calls[0], calls[1], bodies[i%2]); status != 400 && status != 413 {
				t.Errorf("%s at %s: %d %.300v", name, calls[1], status, answer)
			}
		}
	}
	if n := sessions(); n != 2 {
		t.Errorf("%d sessions, want 2", n)
	}
	for path, was := range map[string]m{atUCP: ucp, atACP: acp} {
		if _, now := s.call("GET", path, nil); fmt.Sprint(now["line_items"], now["totals"]) != fmt.Sprint(was["line_items"], was["totals"]) {
			t.Errorf("%s: %v became %v", path, was, now)
		}
	}
	for path, body := range map[string]m{
		"/ucp/checkout-sessions": s.ucp(m{"line_items": l{m{"item": m{"id": s.tea}, "quantity": 1_000_000_000_000}}}),
		"/acp/checkout_sessions": s.acp(m{"line_items": l{m{"id": s.tea, "quantity": 1_000_000_000_000}}}),
	} {
		status, answer := s.call("POST", path, body)
		if status != 201 || answer["line_items"].(l)[0].(m)["quantity"] != 9999.0 {
			t.Errorf("%s: %d %v", path, status, answer)
		}
	}
}

// Nothing of a shop is known at another one: no session, no cart, no order, no token. A platform that one
// shop has blocked buys at the others.
func TestNothingIsKnownAtAnotherShop(t *testing.T) {
	t.Parallel()
	b := openBazaar(t)
	one := b.stall(0)
	there := b.Shop
	_, cart := one.call("POST", "/ucp/carts", one.ucp(nil))
	_, ucp := one.call("POST", "/ucp/checkout-sessions", one.ucp(nil))
	_, acp := one.call("POST", "/acp/checkout_sessions", one.acp(nil))
	manual := m{"payment": m{"instruments": l{m{"id": "i", "handler_id": "manual", "type": "offline"}}}}
	if ucp["id"] == nil || acp["id"] == nil || cart["id"] == nil {
		t.Fatalf("%v %v %v", cart, ucp, acp)
	}
	two := b.stall(1)
	for _, c := range []struct {
		method, path string
		body         any
	}{
		{"GET", fmt.Sprint("/ucp/checkout-sessions/", ucp["id"]), nil},
		{"PUT", fmt.Sprint("/ucp/checkout-sessions/", ucp["id"]), two.ucp(nil)},
		{"POST", fmt.Sprint("/ucp/checkout-sessions/", ucp["id"], "/complete"), manual},
		{"POST", fmt.Sprint("/ucp/checkout-sessions/", ucp["id"], "/cancel"), nil},
		{"GET", fmt.Sprint("/ucp/carts/", cart["id"]), nil},
		{"POST", "/ucp/checkout-sessions", two.ucp(m{"cart_id": cart["id"]})},
		{"GET", fmt.Sprint("/ucp/checkout-sessions/", acp["id"]), nil}, // of the other protocol
	} {
		if status, answer := two.call(c.method, c.path, c.body); status != 200 || answer["id"] != nil || !strings.Contains(fmt.Sprint(answer["messages"]), "not_found") {
			t.Errorf("%s %s: %d %v", c.method, c.path, status, answer)
		}
	}
	at := fmt.Sprint("/acp/checkout_sessions/", acp["id"])
	for path, body := range map[string]any{at: m{}, at + "/complete": m{}, at + "/cancel": m{}} {
		if status, answer := two.call("POST", path, body); status != 404 {
			t.Errorf("%s: %d %v", path, status, answer)
		}
	}
	mine := two.token
	two.token = one.token
	if status, answer := two.call("GET", at, nil); status != 401 {
		t.Errorf("the token of another shop: %d %v", status, answer)
	}
	two.token = mine
	if status, answer := two.call("GET", at, nil); status != 404 {
		t.Errorf("the session of another shop: %d %v", status, answer)
	}
	if status, answer := two.call("POST", "/ucp/checkout-sessions", two.ucp(nil)); status != 201 {
		t.Errorf("%d %v", status, answer)
	}
	two.OK("PUT", "/v1/shop/assistants/platforms", two.Session(two.OwnerID), m{"profile": two.profile, "blocked": true})
	for path, body := range map[string]m{"/ucp/checkout-sessions": two.ucp(nil), "/ucp/carts": two.ucp(nil), "/ucp/catalog/search": {"query": "tea"}} {
		if status, answer := two.call("POST", path, body); status != 403 || answer["code"] != "profile_not_trusted" {
			t.Errorf("%s of a blocked platform: %d %v", path, status, answer)
		}
	}
	b.Shop = there
	if status, answer := one.call("GET", fmt.Sprint("/ucp/checkout-sessions/", ucp["id"]), nil); status != 200 || answer["id"] != ucp["id"] {
		t.Errorf("at the shop that has not blocked it: %d %v", status, answer)
	}
}

// A call that names two platforms is of none.
func TestTwoAgentsAreNone(t *testing.T) {
	t.Parallel()
	b := openBazaar(t)
	s := b.stall(0)
	request, err := http.NewRequest("POST", apitest.AdminURL+"/ucp/catalog/search", strings.NewReader(`{"query":"tea"}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range s.ThroughStorefront() {
		request.Header.Set(name, value)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Add("UCP-Agent", fmt.Sprintf("profile=%q", s.profile))
	request.Header.Add("UCP-Agent", fmt.Sprintf("profile=%q", s.profile+"/other"))
	answer, err := s.Client("").Do(request)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != 400 {
		t.Errorf("%d", answer.StatusCode)
	}
}

// Amounts are in the minor units of the currency, however many digits it has. Taxes of two rates that
// prices include are parts of the total, and no entries beside it.
func TestAmountsAreInMinorUnits(t *testing.T) {
	t.Parallel()
	for currency, whole := range map[string]int64{"JPY": 1, "EUR": 100, "KWD": 1000} {
		t.Run(currency, func(t *testing.T) {
			t.Parallel()
			f := openBazaar(t)
			owner := f.Session(f.OwnerID)
			s := &stall{offering: &offering{bazaar: f, currency: currency, token: f.Result("POST", "/v1/shop/assistants/tokens", owner, m{"name": "Chat"})["token"].(string)}}
			s.OK("PUT", "/v1/shop/currency", owner, m{"currency": currency})
			s.OK("PUT", "/v1/shop/settings", owner, m{"tax": m{"included": true, "default_country": "DE", "rates": l{
				m{"country": "DE", "class": "standard", "name": "VAT", "percent": 20}, m{"country": "DE", "class": "reduced", "name": "Reduced", "percent": 2.5},
			}}})
			book := fmt.Sprint(s.Result("POST", "/products", s.Owner, m{"item": m{"name": "Book", "price": m{"price": 1320}, "is_published": true, "tax_class": "reduced"}})["id"])
			pen := fmt.Sprint(s.Result("POST", "/products", s.Owner, m{"item": m{"name": "Pen", "price": m{"price": 45}, "is_published": true}})["id"])
			status, ucp := s.call("POST", "/ucp/checkout-sessions", m{"line_items": l{m{"item": m{"id": book}, "quantity": 1}, m{"item": m{"id": pen}, "quantity": 4}}})
			other, acp := s.call("POST", "/acp/checkout_sessions", m{"line_items": l{m{"id": book}, m{"id": pen, "quantity": 4}}, "currency": strings.ToLower(currency), "capabilities": m{}})
			if status != 201 || other != 201 {
				t.Fatalf("%d %v, %d %v", status, ucp, other, acp)
			}
			all := ucp["totals"].(l)[1].(m)
			got := fmt.Sprint(len(ucp["totals"].(l)), " ", amount(ucp["totals"].(l)[0]), " ", amount(all))
			for _, part := range all["lines"].(l) {
				got += fmt.Sprint(" ", part.(m)["display_text"], " ", amount(part))
			}
			if want := fmt.Sprint("2 ", 1500*whole, " ", 1500*whole, " Without tax ", 1438*whole, " VAT ", 30*whole, " Reduced ", 32*whole); got != want {
				t.Errorf("UCP: %s, want %s", got, want)
			}
			got = ""
			for _, entry := range acp["totals"].(l) {
				got += fmt.Sprint(entry.(m)["type"], " ", amount(entry), " ")
			}
			if want := fmt.Sprint("items_base_amount ", 1500*whole, " subtotal ", 1500*whole, " total ", 1500*whole, " "); got != want || acp["currency"] != strings.ToLower(currency) || ucp["currency"] != currency {
				t.Errorf("ACP: %s, want %s", got, want)
			}
			for _, answer := range []m{ucp, acp} {
				if line := answer["line_items"].(l)[1].(m); amount(line["totals"].(l)[0]) != 180*whole {
					t.Errorf("%v", line)
				}
			}
		})
	}
}

func amount(entry any) int64 { return int64(entry.(m)["amount"].(float64)) }
