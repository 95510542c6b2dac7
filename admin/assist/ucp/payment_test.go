package ucp_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/admin"
	"vitrine/admin/payment"
	"vitrine/internal/pay/stripetest"
)

// google is a payment by Google Pay with a token of Stripe.
func google(token string) object {
	return object{"payment": object{"instruments": list{object{
		"id": "i1", "handler_id": "stripe-gpay", "type": "card", "selected": true, "credential": object{"type": "PAYMENT_GATEWAY", "token": `{"id":"` + token + `"}`},
	}}}}
}

// openTill is a shop with an account at a Stripe in memory, and a platform that has Google Pay.
func openTill(t *testing.T) (*store, *stripetest.Server, object) {
	t.Helper()
	stripe := stripetest.New(t)
	s := newStore(t, func(cfg *admin.Config) { cfg.Pay.StripeURL = stripe.URL })
	s.cards(object{"publishable_key": "pk_test_1", "google_merchant_id": "BCR2DN"})
	s.platform.lists("com.google.pay", "2026-01-23")
	tea := s.sell(object{"name": "Tea", "price": 14})
	return s, stripe, object{"line_items": lines(tea, 1), "buyer": ann}
}

// cards sets what the shop shows of its account.
func (s *store) cards(shown object) {
	s.t.Helper()
	settings := object{"secret_key": stripetest.SecretKey, "webhook_secret": "whsec_very-secret"}
	for name, value := range shown {
		settings[name] = value
	}
	s.OK("PUT", "/v1/shop/payment-methods/stripe", s.Session(s.OwnerID), object{"title": "Card", "is_active": true, "settings": settings})
}

// lists makes the platform's profile list a way to pay.
func (p *platform) lists(handler, version string) {
	p.publish(func(w http.ResponseWriter) {
		profile := profileOf(all...)
		profile["ucp"].(object)["payment_handlers"] = object{handler: list{object{"id": "g", "version": version}}}
		writeJSON(w, profile)
	})
}

func TestGooglePayPays(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]struct {
		token, status, message string
		intents                string
		orders                 int
	}{
		"a good token":  {"tok_ok", "completed", "", "map[succeeded:1]", 1},
		"a lost answer": {"tok_lost", "completed", "", "map[succeeded:1]", 1},
		"declined":      {"tok_declined", "ready_for_complete", "payment_failed", "map[requires_payment_method:1]", 0},
		"3D Secure":     {"tok_3ds", "requires_escalation", "requires_3ds", "map[canceled:1]", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, stripe, body := openTill(t)
			made := s.rest(createCheckout, "", body).JSON
			expect(t, "status", made["status"], "ready_for_complete")
			expect(t, "key", pick(made, "ucp", "payment_handlers", "com.google.pay", 0, "config", "allowed_payment_methods", 0, "tokenization_specification", "parameters", "stripe:publishableKey"), "pk_test_1")
			id := fmt.Sprint(made["id"])
			out := s.rest(completeCheckout, id, google(o.token), "Idempotency-Key", "pay")
			expect(t, "status", out.JSON["status"], o.status)
			expect(t, "messages", codes(out.JSON), o.message)
			if link := fmt.Sprint(out.JSON["continue_url"]); (o.orders == 0) != strings.Contains(link, "/checkout?session=") || strings.Contains(string(out.Body), "tok_") {
				t.Errorf("%s", out.Body)
			}
			expect(t, "again", string(s.rest(completeCheckout, id, google(o.token), "Idempotency-Key", "pay").Body), string(out.Body))
			s.settled(stripe, o.orders, o.intents)
		})
	}
}

// A token pays once, by either transport, and credentials that are no tokens are declined.
func TestAUsedGooglePayTokenPaysNothing(t *testing.T) {
	t.Parallel()
	s, stripe, body := openTill(t)
	complete := func(with object, key string) object {
		id := s.rest(createCheckout, "", body).JSON["id"]
		_, answer := s.tool(completeCheckout, object{
			"meta": object{"ucp-agent": object{"profile": s.platform.address()}, "idempotency-key": key}, "id": id, "checkout": with,
		})
		return answer
	}
	expect(t, "the first time", complete(google("tok_1"), "1")["status"], "completed")
	for key, token := range map[string]string{"2": "tok_1", "3": "4242424242424242", "4": "pi_1/../x"} {
		answer := complete(google(token), key)
		expect(t, token, answer["status"], "ready_for_complete")
		expect(t, token, codes(answer), "payment_failed")
	}
	s.settled(stripe, 1, "map[succeeded:1]")
}

// Google Pay is offered to platforms that have its version, by shops with a key for it; from others no
// token is taken.
func TestGooglePayIsOfferedToThoseWhoHaveIt(t *testing.T) {
	t.Parallel()
	s, stripe, body := openTill(t)
	offered := func(want bool) {
		t.Helper()
		made := s.rest(createCheckout, "", body).JSON
		if got := pick(made, "ucp", "payment_handlers", "com.google.pay") != nil; got != want {
			t.Errorf("offered: %t, want %t: %v", got, want, made["ucp"])
		}
		if out := s.rest(completeCheckout, fmt.Sprint(made["id"]), google("tok_1")); !want && out.Status != 400 {
			t.Errorf("%d %s", out.Status, out.Body)
		}
	}
	published := func() bool {
		s.Clock.Advance(time.Hour) // no edge tells the version of the shop here
		return strings.Contains(string(s.get("/.well-known/ucp").Body), "com.google.pay")
	}
	other := newPlatform(t)
	first := s.platform
	s.platform = other
	offered(false)
	s.platform = newPlatform(t)
	s.platform.lists("com.google.pay", "2025-09-29")
	offered(false)
	s.platform = first
	expect(t, "published", published(), true)
	s.cards(object{"publishable_key": ""})
	expect(t, "published", published(), false)
	offered(false)
	s.cards(object{"publishable_key": "pk_live_1"}) // not the account of the secret key
	offered(false)
	s.cards(object{"publishable_key": "pk_test_2"})
	offered(true)
	s.settled(stripe, 1, "map[succeeded:1]")
}

// settled runs the worker of payments for a day. Then there are these orders, all of them paid, and
// intents at Stripe; no row has a token.
func (s *store) settled(stripe *stripetest.Server, orders int, intents string) {
	s.t.Helper()
	cfg := s.Config()
	ps := payment.New(payment.Config{Store: s.API.Store, Sealer: cfg.Sealer, Do: cfg.Pay.Do, Now: s.Clock.Now, URLs: cfg.URLs, StripeURL: cfg.Pay.StripeURL})
	for range 10 {
		s.Clock.Advance(150 * time.Minute)
		if _, err := ps.Reconcile(s.t.Context()); err != nil {
			s.t.Fatal(err)
		}
	}
	var made, paid, leaks int
	err := s.API.Store.Pool.QueryRow(s.t.Context(), `
		SELECT (SELECT count(*) FROM shop_order), (SELECT count(*) FROM shop_order WHERE payment_status = 'paid'),
			(SELECT count(*) FROM charge c WHERE strpos(c::text, 'tok_') > 0) + (SELECT count(*) FROM assist_session s WHERE strpos(s::text, 'tok_') > 0)
			+ (SELECT count(*) FROM payment p WHERE strpos(p::text, 'tok_') > 0)`).Scan(&made, &paid, &leaks)
	if err != nil || made != orders || paid != orders || leaks > 0 || fmt.Sprint(stripe.States()) != intents {
		s.t.Errorf("%d orders, %d paid, %v; want %d and %s; %d rows have a token, %v", made, paid, stripe.States(), orders, intents, leaks, err)
	}
}
