package assist_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/internal/pay/stripetest"
)

// A checkout that is completed fifty times at once, with one key or with fifty, at two processes, becomes
// one order with one charge. Each answer is that order, or says that another call is at work or was
// faster; a repeated call is answered as before.
func TestFiftyCompletesAtOnceMakeOneOrder(t *testing.T) {
	t.Parallel()
	stripe := stripetest.New(t)
	b := openBazaar(t, func(cfg *admin.Config) { cfg.Pay.StripeURL = stripe.URL })
	owner := b.Session(b.OwnerID)
	s := &offering{bazaar: b, token: b.Result("POST", "/v1/shop/assistants/tokens", owner, m{"name": "Chat"})["token"].(string)}
	b.OK("PUT", "/v1/shop/payment-methods/stripe", owner, m{"title": "Card", "is_active": true, "settings": m{
		"secret_key": stripetest.SecretKey, "webhook_secret": "whsec_test", "publishable_key": "pk_test_1", "merchant_id": "acct_1",
	}})
	tea := fmt.Sprint(b.Result("POST", "/products", b.Owner, m{"item": m{"name": "Tea", "price": m{"price": 7}, "is_published": true, "stock_quantity": 100}})["id"])
	buyer := m{"first_name": "Ann", "email": "ann@people.test", "phone_number": "+4930123456"}
	twin := b.Twin()
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
		b.Clock.Advance(time.Minute)
		what := fmt.Sprintf("%s with %d keys", c.sessions, c.keys)
		_, made := s.call("POST", c.sessions, c.create)
		at := fmt.Sprint(c.sessions, "/", made["id"])
		var calls [2][]apitest.Request
		for i := range 50 {
			calls[i%2] = append(calls[i%2], s.request("POST", at+"/complete", fmt.Sprint("key ", n, " ", i%c.keys), c.pay))
		}
		var answers [2][]apitest.Answer
		var both sync.WaitGroup
		for i, a := range []*apitest.API{b.API, twin} {
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
					if again := b.Send(calls[i][k]); again.Status != 200 || string(again.Body) != string(out.Body) {
						t.Errorf("%s: %d %s, and again %d %s", what, out.Status, out.Body, again.Status, again.Body)
					}
				}
			}
		}
		var orders int
		if err := b.Store.Pool.QueryRow(t.Context(), `SELECT count(*) FROM shop_order`).Scan(&orders); err != nil {
			t.Fatal(err)
		}
		if states := fmt.Sprint(stripe.States()); order == "" || orders != n+1 || states != fmt.Sprintf("map[succeeded:%d]", n+1) {
			t.Errorf("%s: %d orders, charges %s", what, orders, states)
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
