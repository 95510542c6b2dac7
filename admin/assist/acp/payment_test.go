package acp_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/admin/payment"
	"vitrine/internal/await"
	"vitrine/internal/pay/stripetest"
)

// till is a shop that takes tokens with a Stripe in memory.
type till struct {
	*world
	stripe *stripetest.Server
	fault  atomic.Pointer[func(*http.Request) stripetest.Fault]
	tea    string
}

func openTill(t testing.TB) *till {
	t.Helper()
	s := stripetest.New(t)
	w := &till{stripe: s}
	s.Fault = func(r *http.Request) stripetest.Fault {
		if f := w.fault.Load(); f != nil {
			return (*f)(r)
		}
		return stripetest.None
	}
	w.world = open(t, func(cfg *admin.Config) { cfg.Pay.StripeURL = s.URL })
	w.OK("PUT", "/v1/shop/payment-methods/stripe", w.Session(w.OwnerID), object{"title": "Card", "is_active": true, "settings": object{
		"secret_key": stripetest.SecretKey, "webhook_secret": "whsec_very-secret", "merchant_id": "acct_1",
	}})
	w.tea = w.sell("Tea", 14)
	return w
}

// fail decides about the calls of Stripe whose path ends in something.
func (w *till) fail(path string, f stripetest.Fault) {
	do := func(r *http.Request) stripetest.Fault {
		if f != stripetest.None && strings.HasSuffix(r.URL.Path, path) {
			return f
		}
		return stripetest.None
	}
	w.fault.Store(&do)
}

// begin returns the address of a session that can be paid.
func (w *till) begin() string {
	w.t.Helper()
	return "/checkout_sessions/" + w.ok("POST", "/checkout_sessions", with(request(w.tea), object{"buyer": ann}))["id"].(string)
}

func token(text string) object {
	return object{"payment_data": object{"handler_id": "card_tokenized", "instrument": object{"type": "card", "credential": object{"type": "spt", "token": text}}}}
}

// settle runs the worker of payments for a day.
func (w *till) settle() {
	w.t.Helper()
	cfg := w.Config()
	ps := payment.New(payment.Config{Store: w.Store, Sealer: cfg.Sealer, Do: cfg.Pay.Do, Now: w.Clock.Now, URLs: cfg.URLs, StripeURL: cfg.Pay.StripeURL})
	for range 10 {
		w.Clock.Advance(150 * time.Minute)
		if _, err := ps.Reconcile(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
	}
}

// balance returns the number of orders, of paid ones, and the states of the intents at Stripe. It
// checks that no row has a token.
func (w *till) balance() string {
	w.t.Helper()
	var orders, paid, leaks int
	err := w.Store.Pool.QueryRow(w.t.Context(), `
		SELECT (SELECT count(*) FROM shop_order), (SELECT count(*) FROM shop_order WHERE payment_status = 'paid'),
			(SELECT count(*) FROM charge c WHERE strpos(c::text, 'spt_') > 0) + (SELECT count(*) FROM assist_session s WHERE strpos(s::text, 'spt_') > 0)
			+ (SELECT count(*) FROM payment p WHERE strpos(p::text, 'spt_') > 0) + (SELECT count(*) FROM order_history h WHERE strpos(h::text, 'spt_') > 0)`).
		Scan(&orders, &paid, &leaks)
	if err != nil || leaks > 0 {
		w.t.Errorf("%d rows have a token, %v", leaks, err)
	}
	return fmt.Sprint(orders, " orders, ", paid, " paid, ", w.stripe.States())
}

func TestATokenPays(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]struct {
		token           string
		status, message string // of the session
		balance         string // after the worker has run
	}{
		"a good one":     {"spt_ok", "completed", "", "1 orders, 1 paid, map[succeeded:1]"},
		"a lost answer":  {"spt_lost", "completed", "", "1 orders, 1 paid, map[succeeded:1]"},
		"declined":       {"spt_declined", "ready_for_payment", "payment_declined $.payment_data", "0 orders, 0 paid, map[requires_payment_method:1]"},
		"3D Secure":      {"spt_3ds", "requires_escalation", "requires_3ds $.payment_data", "0 orders, 0 paid, map[canceled:1]"},
		"of another API": {"pm_1", "ready_for_payment", "payment_declined $.payment_data", "0 orders, 0 paid, map[]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := openTill(t)
			at := w.begin()
			handlers := w.ok("GET", at, nil)["capabilities"].(object)["payment"].(object)["handlers"].(list)
			if len(handlers) != 2 || handlers[1].(object)["name"] != "dev.acp.tokenized.card" || handlers[1].(object)["config"].(object)["merchant_id"] != "acct_1" {
				t.Errorf("%v", handlers)
			}
			out := w.send("POST", at+"/complete", token(o.token), "Idempotency-Key", "pay")
			if out.JSON["status"] != o.status || codesOf(out.JSON) != o.message || strings.Contains(string(out.Body), o.token) {
				t.Errorf("%d %s", out.Status, out.Body)
			}
			if link, _ := out.JSON["continue_url"].(string); (o.status == "completed") == strings.Contains(link, "/checkout?session=") {
				t.Errorf("the link is %q", link)
			}
			again := w.send("POST", at+"/complete", token(o.token), "Idempotency-Key", "pay")
			if string(again.Body) != string(out.Body) || again.Header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("again: %d %s", again.Status, again.Body)
			}
			if o.status != "completed" { // the session can still be paid
				if paid := w.ok("POST", at+"/complete", object{"payment_data": object{"handler_id": "manual"}}); paid["status"] != "completed" {
					t.Errorf("%v", paid)
				}
				o.balance = strings.Replace(o.balance, "0 orders", "1 orders", 1)
			}
			w.settle()
			if got := w.balance(); got != o.balance {
				t.Errorf("%s, want %s", got, o.balance)
			}
		})
	}
}

func TestAUsedTokenPaysNothing(t *testing.T) {
	t.Parallel()
	w := openTill(t)
	if paid := w.ok("POST", w.begin()+"/complete", token("spt_1")); paid["status"] != "completed" {
		t.Errorf("%v", paid)
	}
	if out := w.ok("POST", w.begin()+"/complete", token("spt_1")); out["status"] != "ready_for_payment" || codesOf(out) != "payment_declined $.payment_data" || out["order"] != nil {
		t.Errorf("%v", out)
	}
	w.settle()
	if got := w.balance(); got != "1 orders, 1 paid, map[succeeded:1]" {
		t.Error(got)
	}
}

// While Stripe does not answer, the order is being placed: it can be neither changed nor placed twice.
func TestASlowTokenIsWaitedFor(t *testing.T) {
	t.Parallel()
	w := openTill(t)
	at := w.begin()
	done := make(chan object)
	go func() {
		fields := w.ThroughStorefront()
		fields["Authorization"], fields["API-Version"], fields["Idempotency-Key"], fields["Content-Type"] = "Bearer "+w.token, "2026-04-17", "pay", "application/json"
		done <- w.Send(apitest.Request{Method: "POST", Path: "/acp" + at + "/complete", Header: fields, Body: token("spt_slow")}).JSON
	}()
	if !await.Until(func() bool { return len(w.stripe.Intents()) == 1 }) {
		t.Fatal("Stripe was not asked")
	}
	if got := w.ok("GET", at, nil); got["status"] != "complete_in_progress" {
		t.Errorf("%v", got)
	}
	for what, c := range map[string]struct {
		path, key, code string
		body            object
	}{
		"the same call": {at + "/complete", "pay", "idempotency_in_flight", token("spt_slow")},
		"another one":   {at + "/complete", "pay 2", "conflict", token("spt_2")},
		"a change":      {at, "change", "conflict", object{"order_notes": "Late"}},
	} {
		if out := w.send("POST", c.path, c.body, "Idempotency-Key", c.key); out.Status != 409 || out.JSON["code"] != c.code || out.Header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %s", what, out.Status, out.Body)
		}
	}
	w.stripe.Release()
	if paid := await.Next(t, done); paid["status"] != "completed" {
		t.Errorf("%v", paid)
	}
	w.settle()
	if got := w.balance(); got != "1 orders, 1 paid, map[succeeded:1]" {
		t.Error(got)
	}
}

// What Stripe does not answer makes no order before the money is reserved, and an order that the worker
// takes the money of afterwards.
func TestWhatStripeDoesNotAnswerIsEnded(t *testing.T) {
	t.Parallel()
	w := openTill(t)
	at := w.begin()
	w.fail("/payment_intents", stripetest.Lost)
	out := w.send("POST", at+"/complete", token("spt_1"), "Idempotency-Key", "pay")
	if out.Status != 503 || out.JSON["type"] != "service_unavailable" || out.Header.Get("Retry-After") == "" || strings.Contains(string(out.Body), "spt_") {
		t.Errorf("%d %s", out.Status, out.Body)
	}
	w.fail("", stripetest.None)
	if got := w.ok("GET", at, nil); got["status"] != "ready_for_payment" {
		t.Errorf("%v", got)
	}
	w.fail("/capture", stripetest.Down)
	if paid := w.ok("POST", at+"/complete", token("spt_2"), "Idempotency-Key", "pay"); paid["status"] != "completed" {
		t.Errorf("%v", paid)
	}
	w.fail("", stripetest.None)
	w.settle()
	if got := w.balance(); got != "1 orders, 1 paid, map[canceled:1 succeeded:1]" {
		t.Error(got)
	}
}

// When the goods are gone between the authorisation and the order, the money is released.
func TestALostRaceReleasesTheMoney(t *testing.T) {
	t.Parallel()
	w := openTill(t)
	at := w.begin()
	do := func(r *http.Request) stripetest.Fault {
		if strings.HasSuffix(r.URL.Path, "/payment_intents") {
			w.OK("PUT", "/products/"+w.tea+"/stock", w.Session(w.OwnerID), object{"quantity": 0})
		}
		return stripetest.None
	}
	w.fault.Store(&do)
	out := w.send("POST", at+"/complete", token("spt_1"))
	if out.Status != 200 || out.JSON["status"] == "completed" || out.JSON["order"] != nil || len(out.JSON["messages"].(list)) == 0 {
		t.Errorf("%d %s", out.Status, out.Body)
	}
	w.settle()
	if got := w.balance(); got != "0 orders, 0 paid, map[canceled:1]" {
		t.Error(got)
	}
}

// A token is taken only by a shop that offers it.
func TestTokensAreOnlyTakenWhereTheyAreOffered(t *testing.T) {
	t.Parallel()
	w := openTill(t)
	owner, at := w.Session(w.OwnerID), w.begin()
	for param, instrument := range map[string]any{
		"$.payment_data.instrument.credential":      object{"type": "card"},
		"$.payment_data.instrument.credential.type": object{"type": "card", "credential": object{"type": "card", "token": "4242424242424242"}},
	} {
		if out := w.send("POST", at+"/complete", object{"payment_data": object{"handler_id": "card_tokenized", "instrument": instrument}}); out.Status != 400 || out.JSON["param"] != param {
			t.Errorf("%v: %d %s", instrument, out.Status, out.Body)
		}
	}
	for _, settings := range []object{
		{"is_active": true, "settings": object{"merchant_id": ""}},
		{"is_active": false, "settings": object{"merchant_id": "acct_1"}},
	} {
		settings["title"] = "Card"
		w.OK("PUT", "/v1/shop/payment-methods/stripe", owner, settings)
		at = w.begin()
		if handlers := w.ok("GET", at, nil)["capabilities"].(object)["payment"].(object)["handlers"].(list); len(handlers) != 1 {
			t.Errorf("%v: %v", settings, handlers)
		}
		if out := w.send("POST", at+"/complete", token("spt_1")); out.Status != 400 || out.JSON["param"] != "$.payment_data.handler_id" {
			t.Errorf("%v: %d %s", settings, out.Status, out.Body)
		}
	}
	if got := w.balance(); got != "0 orders, 0 paid, map[]" {
		t.Error(got)
	}
}
