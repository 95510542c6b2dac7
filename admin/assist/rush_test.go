package assist_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/pay/stripetest"
)

// A checkout that is completed fifty times at once, with one key or with fifty, at two processes, becomes
// one order with one charge. Each answer is that order, or says that another call is at work or was
// faster; a repeated call is answered as before.
func TestFiftyCompletesAtOnceMakeOneOrder(t *testing.T) {
	t.Parallel()
	stripe := stripetest.New(t)
	s := takesCards(t, stripe)
	tea := fmt.Sprint(s.Result("POST", "/products", s.Owner, m{"item": m{"name": "Tea", "price": m{"price": 7}, "is_published": true, "stock_quantity": 100}})["id"])
	buyer := m{"first_name": "Ann", "email": "ann@people.test", "phone_number": "+4930123456"}
	twin := s.Twin()
	for n, c := range []struct {
		sessions string
		create   m
		pay      m
		keys     int
	}{
		{"/ucp/checkout-sessions", m{"line_items": l{m{"item": m{"id": tea}, "quantity": 1}}, "buyer": buyer}, google("tok_1"), 1},
		{"/ucp/checkout-sessions", m{"line_items": l{m{"item": m{"id": tea}, "quantity": 1}}, "buyer": buyer}, google("tok_2"), 50},
		{"/acp/checkout_sessions", m{"line_items": l{m{"id": tea}}, "currency": "eur", "capabilities": m{}, "buyer": buyer}, shared("spt_1"), 1},
		{"/acp/checkout_sessions", m{"line_items": l{m{"id": tea}}, "currency": "eur", "capabilities": m{}, "buyer": buyer}, shared("spt_2"), 50},
	} {
		s.Clock.Advance(time.Minute)
		what := fmt.Sprintf("%s with %d keys", c.sessions, c.keys)
		_, made := s.call("POST", c.sessions, c.create)
		at := fmt.Sprint(c.sessions, "/", made["id"])
		var calls [2][]apitest.Request
		for i := range 50 {
			calls[i%2] = append(calls[i%2], s.request("POST", at+"/complete", fmt.Sprint("key ", n, " ", i%c.keys), c.pay))
		}
		var answers [2][]apitest.Answer
		var both sync.WaitGroup
		for i, a := range []*apitest.API{s.API, twin} {
			both.Go(func() { answers[i] = a.AtOnce(calls[i]...) })
		}
		both.Wait()
		order := ""
		for i := range calls {
			for k, out := range answers[i] {
				switch placed, _ := out.JSON["order"].(m); {
				case out.Status == 409:
				case out.Status != 200 || placed == nil || order != "" && order != placed["id"]:
					t.Errorf("%s: %d %s", what, out.Status, out.Body)
				default:
					order = fmt.Sprint(placed["id"])
					if again := s.Send(calls[i][k]); again.Status != 200 || string(again.Body) != string(out.Body) {
						t.Errorf("%s: %d %s, and again %d %s", what, out.Status, out.Body, again.Status, again.Body)
					}
				}
			}
		}
		var orders int
		if err := s.Store.Pool.QueryRow(t.Context(), `SELECT count(*) FROM shop_order`).Scan(&orders); err != nil {
			t.Fatal(err)
		}
		if states := fmt.Sprint(stripe.States()); order == "" || orders != n+1 || states != fmt.Sprintf("map[succeeded:%d]", n+1) {
			t.Errorf("%s: %d orders, charges %s", what, orders, states)
		}
	}
}

// A program that ends between the order and the answer leaves a key without an answer. The call that is
// repeated with it gets the order; other calls hear that the checkout has ended.
func TestARepeatedCompleteGetsTheOrderOfACallThatEnded(t *testing.T) {
	t.Parallel()
	b := openBazaar(t)
	owner := b.Session(b.OwnerID)
	s := &offering{bazaar: b, token: b.Result("POST", "/v1/shop/assistants/tokens", owner, m{"name": "Chat"})["token"].(string)}
	b.OK("PUT", "/v1/shop/payment-methods/manual", owner, m{"title": "Transfer", "is_active": true})
	tea := fmt.Sprint(b.Result("POST", "/products", b.Owner, m{"item": m{"name": "Tea", "price": m{"price": 7}, "is_published": true}})["id"])
	buyer := m{"first_name": "Ann", "email": "ann@people.test", "phone_number": "+4930123456"}
	for _, c := range []struct {
		sessions    string
		create, pay m
	}{
		{"/ucp/checkout-sessions", m{"line_items": l{m{"item": m{"id": tea}, "quantity": 1}}, "buyer": buyer}, m{"payment": m{"instruments": l{m{"id": "i", "handler_id": "manual", "type": "offline", "selected": true}}}}},
		{"/acp/checkout_sessions", m{"line_items": l{m{"id": tea}}, "currency": "eur", "capabilities": m{}, "buyer": buyer}, m{"payment_data": m{"handler_id": "manual", "instrument": m{"type": "offline", "credential": m{"type": "none", "token": "none"}}}}},
	} {
		_, made := s.call("POST", c.sessions, c.create)
		at := fmt.Sprint(c.sessions, "/", made["id"], "/complete")
		first := b.Send(s.request("POST", at, "the key", c.pay))
		if first.Status != 200 || first.JSON["status"] != "completed" {
			t.Fatalf("%s: %d %s", c.sessions, first.Status, first.Body)
		}
		if _, err := b.Store.Pool.Exec(t.Context(), `UPDATE idempotency_key SET status = 0, content_type = '', answer = NULL WHERE key = 'the key'`); err != nil {
			t.Fatal(err)
		}
		if early := b.Send(s.request("POST", at, "the key", c.pay)); early.Status != 409 {
			t.Errorf("%s: while the first call may be at work: %d %s", c.sessions, early.Status, early.Body)
		}
		b.Clock.Advance(2 * time.Minute)
		again := b.Send(s.request("POST", at, "the key", c.pay))
		was, _ := first.JSON["order"].(m)
		if now, _ := again.JSON["order"].(m); again.Status != 200 || again.JSON["status"] != "completed" || now == nil || now["id"] != was["id"] {
			t.Errorf("%s: repeated: %d %s", c.sessions, again.Status, again.Body)
		}
		if other := b.Send(s.request("POST", at, "another key", c.pay)); other.Status != 409 {
			t.Errorf("%s: with another key: %d %s", c.sessions, other.Status, other.Body)
		}
	}
}

// google pays by UCP with Google Pay.
func google(token string) m {
	return m{"payment": m{"instruments": l{m{
		"id": "i", "handler_id": "stripe-gpay", "type": "card", "selected": true, "credential": m{"type": "PAYMENT_GATEWAY", "token": fmt.Sprintf(`{"id":%q}`, token)},
	}}}}
}

// shared pays by ACP with a shared payment token.
func shared(token string) m {
	return m{"payment_data": m{"handler_id": "card_tokenized", "instrument": m{"type": "card", "credential": m{"type": "spt", "token": token}}}}
}
