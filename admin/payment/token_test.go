package payment_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/admin/payment"
	"vitrine/internal/pay"
	"vitrine/internal/pay/stripetest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

const methodPath = "/v1/shop/payment-methods/stripe"

// openTokens is a shop whose Stripe, in memory, takes tokens.
func openTokens(t *testing.T) (*fixture, *stripetest.Server) {
	t.Helper()
	s := stripetest.New(t)
	c := open(t, func(cfg *admin.Config) { cfg.Pay.StripeURL = s.URL })
	c.OK("PUT", methodPath, c.owner, m{"title": "Card", "is_active": true, "settings": m{
		"secret_key": stripetest.SecretKey, "webhook_secret": "whsec_very-secret", "publishable_key": "pk_test_1", "merchant_id": "acct_1",
	}})
	return c, s
}

func (c *fixture) payments() *payment.Payments {
	cfg := c.Config()
	return payment.New(payment.Config{Store: c.Store, Sealer: cfg.Sealer, Do: cfg.Pay.Do, Now: c.Clock.Now, URLs: cfg.URLs, StripeURL: cfg.Pay.StripeURL})
}

// byToken places an order with a token; without capture, as if the process died after the order.
func (c *fixture) byToken(token string, capture bool) string {
	c.t.Helper()
	ctx, ps := c.t.Context(), c.payments()
	charge, err := ps.Authorize(ctx, c.Shop.ID, pay.NewCharge{
		Session: "session", AmountMinor: 1400, Currency: "EUR", Title: "Tea", Instrument: pay.Instrument{Kind: pay.GooglePay, Token: `{"id":"` + token + `"}`},
	})
	if err != nil {
		c.t.Fatal(err)
	}
	product, err := strconv.ParseInt(c.product, 10, 64)
	if err != nil {
		c.t.Fatal(err)
	}
	o := sales.Order{
		Person: c.buyerID, Contact: sales.Contact{Name: "Ben", Phone: "1", Email: "ben@people.test"}, ItemsTotal: 14, GrandTotal: 14, Currency: "EUR", PaymentMethod: "stripe",
		Lines: []sales.OrderLine{{Product: shop.ProductID(product), Key: "default", Name: "Earl Grey", Quantity: 1, Unit: 14, Base: 14}},
	}
	err = c.Store.Write(ctx, c.Shop.ID, func(tx *store.Tx) error {
		if err := sales.PlaceOrder(ctx, tx, &o); err != nil {
			return err
		}
		return ps.Attach(ctx, tx, charge, &o)
	})
	if err == nil && capture {
		err = ps.Capture(ctx, c.Shop.ID, charge)
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return "/orders/" + o.ID.String()
}

// An order paid by token is refunded like others, by the shop or at Stripe.
func TestPaymentsByTokenAreRefunded(t *testing.T) {
	t.Parallel()
	c, s := openTokens(t)
	for n, refund := range []func(order string){
		func(order string) { c.OK("POST", order+"/refund", c.owner, m{}) },
		func(string) {
			all := s.Intents()
			if err := pay.Stripe(c.Config().Pay.Do, s.URL, pay.Secrets{SecretKey: stripetest.SecretKey}).Refund(t.Context(), pay.Refund{Ref: all[len(all)-1].ID, Amount: 1400, Currency: "EUR", Key: "by hand"}); err != nil {
				t.Error(err)
			}
			c.Clock.Advance(25 * time.Hour)
		},
	} {
		order := c.byToken(fmt.Sprint("tok_", n), true)
		if p := c.payment(order); p["status"] != "paid" || p["provider"] != "stripe" || c.events("order.paid") != n+1 || len(c.letters("order_paid_buyer")) != n+1 {
			t.Errorf("%v, %d events, %d letters", p, c.events("order.paid"), len(c.letters("order_paid_buyer")))
		}
		refund(order)
		c.runWorker()
		if p := c.payment(order); p["status"] != "refunded" || c.events("order.refunded") != n+1 {
			t.Errorf("%d: %v", n, p)
		}
	}
	for _, i := range s.Intents() {
		if i.Refunded != 1400 {
			t.Errorf("%+v", i)
		}
	}
}

// A notification about a reserved payment completes it; the buyer who comes to pay meanwhile is sent
// to the order. Forged notifications do nothing.
func TestNotificationsAboutPaymentsByToken(t *testing.T) {
	t.Parallel()
	c, s := openTokens(t)
	order := c.byToken("tok_1", false)
	begun := c.Result("POST", order+"/payment", c.buyer, m{"method": "stripe"})
	if begun["status"] != "pending" || !strings.HasSuffix(fmt.Sprint(begun["redirect_url"]), order) {
		t.Errorf("%v", begun)
	}
	body := `{"type":"payment_intent.amount_capturable_updated","data":{"object":{"id":"pi_1","object":"payment_intent","status":"succeeded","metadata":{"charge_id":"` + s.Intents()[0].Metadata["charge_id"] + `"}}}}`
	hook := "/v1/payments/stripe/" + c.Shop.ID.String()
	if got := c.send("POST", hook, body, signed("whsec_other", body, c.Clock.Now())); got.Status != 400 || c.history(order) != "" {
		t.Errorf("forged: %d, %s", got.Status, c.history(order))
	}
	for range 3 {
		if got := c.send("POST", hook, body, signed("whsec_very-secret", body, c.Clock.Now())); got.Status != 200 {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	}
	if said := c.history(order); strings.Count(said, "payment paid") != 1 || c.events("order.paid") != 1 || s.States()["succeeded"] != 1 {
		t.Errorf("%s, %v", said, s.States())
	}
	// The answer to a charge was lost, so that its id is not known; Stripe tells it.
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := c.payments().Authorize(ctx, c.Shop.ID, pay.NewCharge{Session: "2", AmountMinor: 1400, Currency: "EUR", Instrument: pay.Instrument{Kind: pay.SharedToken, Token: "spt_slow"}})
	if !errors.Is(err, pay.ErrUndecided) {
		t.Fatal(err)
	}
	for _, id := range []string{"", "x", "6c1a4d5e-0000-4000-8000-000000000000", s.Intents()[1].Metadata["charge_id"]} {
		if s.States()["canceled"] != 0 {
			t.Error("the notification of another charge released it")
		}
		body := `{"data":{"object":{"id":"pi_2","object":"payment_intent","metadata":{"charge_id":"` + id + `"}}}}`
		if got := c.send("POST", hook, body, signed("whsec_very-secret", body, c.Clock.Now())); got.Status != 200 {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	}
	if s.States()["canceled"] != 1 {
		t.Errorf("%v", s.States())
	}
}

// What a shop offers to assistants follows from its settings.
func TestWhatAssistantsMayPayWith(t *testing.T) {
	t.Parallel()
	c, _ := openTokens(t)
	offered := func() pay.Handler {
		t.Helper()
		h, err := c.payments().HandlerOf(t.Context(), c.Shop.ID)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	set := func(settings m) { t.Helper(); c.OK("PUT", methodPath, c.owner, m{"settings": settings}) }
	name := c.Shop.Name
	if got, want := offered(), (pay.Handler{Provider: "stripe", MerchantName: name, MerchantID: "acct_1", PublishableKey: "pk_test_1"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	set(m{"google_merchant_id": "BCR2DN4T"}) // the others stay
	if got := offered(); got.GoogleMerchantID != "BCR2DN4T" || got.PublishableKey != "pk_test_1" || got.MerchantID != "acct_1" {
		t.Errorf("%+v", got)
	}
	if seen := c.Result("GET", methodPath, c.owner, nil)["settings"]; fmt.Sprint(seen) != "map[google_merchant_id:BCR2DN4T merchant_id:acct_1 publishable_key:pk_test_1]" {
		t.Errorf("%v", seen)
	}
	if seen := c.Send(apitest.Request{Method: "GET", Path: "/v1/shop/payment-methods?company_id=" + c.Shop.ID.String()}); strings.Contains(string(seen.Body), "pk_test") {
		t.Errorf("visitors see %s", seen.Body)
	}
	set(m{"publishable_key": "pk_live_1"})
	if got := offered(); got.PublishableKey != "" || got.GoogleMerchantID != "" || got.Provider != "stripe" {
		t.Errorf("a live key of an account in test mode: %+v", got)
	}
	set(m{"publishable_key": "", "merchant_id": ""})
	if got := offered(); got != (pay.Handler{Provider: "stripe", MerchantName: name}) {
		t.Errorf("%+v", got)
	}
	for _, wrong := range []m{
		{"publishable_key": "sk_test_1"}, {"publishable_key": 1}, {"publishable_key": "pk_test_1 "}, {"publishable_key": "pk_" + strings.Repeat("x", 253)},
		{"merchant_id": "a b"}, {"google_merchant_id": []any{}}, {"publishable_key": "pk_test_1", "other": "x"}, {"publishable_key": "pk_test_1", "secret_key": "sk"},
	} {
		c.Refused("PUT", methodPath, c.owner, m{"settings": wrong}, 400, "PAYMENT_METHOD_INVALID")
	}
	c.Refused("PUT", "/v1/shop/payment-methods/yookassa", c.owner, m{"title": "x", "settings": m{"publishable_key": "pk_1"}}, 400, "PAYMENT_METHOD_INVALID")
	c.OK("PUT", methodPath, c.owner, m{"is_active": false})
	if got := offered(); got != (pay.Handler{}) {
		t.Errorf("an inactive method: %+v", got)
	}
	if _, err := c.payments().Authorize(t.Context(), c.Shop.ID, pay.NewCharge{Session: "s", AmountMinor: 1, Currency: "EUR"}); err == nil {
		t.Error("an inactive method was charged")
	}
}
