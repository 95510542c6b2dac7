package payment_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/internal/store/letter"
	"vitrine/internal/store/sales"
)

// stripeShop imitates Stripe: each session is paid at once, and refunds are accepted or refused.
type stripeShop struct {
	mu       sync.Mutex
	sessions int
	refuses  bool
	refunded map[string]bool // by session
	keys     []string        // of refunds
	wrong    []string
}

// locked runs f while the provider serves no request.
func (s *stripeShop) locked(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// refundKeys returns the keys that refunds were requested with.
func (s *stripeShop) refundKeys() (keys []string) {
	s.locked(func() { keys = slices.Clone(s.keys) })
	return keys
}

func (s *stripeShop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := r.ParseForm(); err != nil {
		s.wrong = append(s.wrong, err.Error())
	}
	say := func(format string, args ...any) {
		if _, err := fmt.Fprintf(w, format, args...); err != nil {
			s.wrong = append(s.wrong, err.Error())
		}
	}
	switch id := strings.TrimPrefix(r.URL.Path, "/v1/checkout/sessions/"); {
	case r.URL.Path == "/v1/refunds":
		s.keys = append(s.keys, r.Header.Get("Idempotency-Key"))
		if s.refuses {
			w.WriteHeader(http.StatusBadRequest)
			say(`{"error":{"code":"charge_disputed","message":"This charge has been charged back"}}`)
			return
		}
		s.refunded[strings.TrimPrefix(r.Form.Get("payment_intent"), "pi_")] = true
		say(`{"id":"re_1"}`)
	case r.Method == http.MethodPost:
		s.sessions++
		say(`{"id":"cs_%d","url":"https://checkout.test/cs_%d","status":"open","payment_status":"unpaid","amount_total":1400,"currency":"eur"}`, s.sessions, s.sessions)
	default:
		back := 0
		if s.refunded[id] {
			back = 1400
		}
		say(`{"id":%q,"status":"complete","payment_status":"paid","amount_total":1400,"currency":"eur","payment_intent":{"id":"pi_%s","latest_charge":{"amount_refunded":%d}}}`, id, id, back)
	}
}

func openStripe(t *testing.T) (*fixture, *stripeShop) {
	t.Helper()
	s := &stripeShop{refunded: map[string]bool{}}
	at := httptest.NewServer(s)
	t.Cleanup(at.Close)
	c := open(t, func(cfg *admin.Config) { cfg.Pay.StripeURL = at.URL })
	c.stripe("Card")
	t.Cleanup(func() {
		s.locked(func() {
			if len(s.wrong) > 0 {
				t.Error(s.wrong)
			}
		})
	})
	return c, s
}

// paid returns an order that was paid by card.
func (c *fixture) paid() string {
	c.t.Helper()
	order := c.order()
	c.OK("POST", order+"/payment", c.buyer, m{"method": "stripe"})
	c.Clock.Advance(time.Minute)
	c.runWorker()
	if got := c.payment(order)["status"]; got != "paid" {
		c.t.Fatalf("the order is %v", got)
	}
	return order
}

func (c *fixture) payment(order string) m {
	c.t.Helper()
	p, _ := c.Result("GET", order, c.Owner, nil)["payment"].(m)
	return p
}

func (c *fixture) letters(name string) (texts []string) {
	c.t.Helper()
	list, _, err := letter.List(c.t.Context(), c.Store.Shop(c.Shop.ID), "", name, 100, 0)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, l := range list {
		texts = append(texts, l.To+" "+l.Facts.Why)
	}
	return texts
}

// A refund refused by the provider leaves the payment paid and notifies the owner of the reason.
// The same call retries it, with a new idempotency key.
func TestARefusedRefundCanBeRetried(t *testing.T) {
	t.Parallel()
	c, s := openStripe(t)
	order := c.paid()
	s.locked(func() { s.refuses = true })
	if back := c.Result("POST", order+"/refund", c.owner, m{}); back["payment"].(m)["status"] != "refunding" || back["payment"].(m)["refunded_at"] != nil {
		t.Errorf("asked: %v", back["payment"])
	}
	c.OK("POST", order+"/refund", c.owner, m{}) // the refund is already in progress
	c.runWorker()
	if p := c.payment(order); p["status"] != "paid" || p["refunded_at"] != nil {
		t.Errorf("refused: %v", p)
	}
	attempt := func(key string) any {
		return c.Result("GET", order, key, nil)["payments"].([]any)[0].(m)["refund_refused"]
	}
	if why := fmt.Sprint(attempt(c.Owner)); !strings.Contains(why, "charged back") {
		t.Errorf("the shop reads %s", why)
	}
	if why := attempt(c.buyer); why != nil {
		t.Errorf("the buyer reads %v", why)
	}
	if said := c.history(order); strings.Count(said, "refund refunding") != 1 || !strings.Contains(said, "refund paid") {
		t.Errorf("%s", said)
	}
	if told := c.letters("refund_refused_seller"); len(told) != 1 || !strings.Contains(told[0], "charged back") {
		t.Errorf("the owner is notified with %q", told)
	}
	s.locked(func() { s.refuses = false })
	c.OK("POST", order+"/refund", c.owner, m{})
	c.runWorker()
	if p := c.payment(order); p["status"] != "refunded" || p["refunded_at"] == nil || attempt(c.Owner) != nil {
		t.Errorf("retried: %v, %v", p, attempt(c.Owner))
	}
	c.OK("POST", order+"/refund", c.owner, m{}) // has no effect
	c.runWorker()
	if keys := s.refundKeys(); len(keys) != 2 || keys[0] == keys[1] {
		t.Errorf("the provider was called with the keys %q", keys)
	}
}

// A refund that the owner makes at the provider is detected, even without a notification.
func TestARefundMadeAtTheProviderIsDetected(t *testing.T) {
	t.Parallel()
	c, s := openStripe(t)
	order := c.paid()
	s.locked(func() { s.refunded["cs_1"] = true })
	c.Clock.Advance(25 * time.Hour)
	c.runWorker()
	if p := c.payment(order); p["status"] != "refunded" || p["refunded_at"] == nil {
		t.Errorf("%v", p)
	}
	c.OK("POST", order+"/refund", c.Owner, m{})
	if c.runWorker(); len(s.refundKeys()) != 0 {
		t.Error("it was requested again")
	}
}

// A refund that the provider has already made counts as done.
func TestARefundAlreadyMadeCountsAsDone(t *testing.T) {
	t.Parallel()
	c, s := openStripe(t)
	order := c.paid()
	s.locked(func() { s.refuses, s.refunded["cs_1"] = true, true })
	c.OK("POST", order+"/refund", c.owner, m{})
	if c.runWorker(); c.payment(order)["status"] != "refunded" {
		t.Errorf("%v", c.payment(order))
	}
}

// Every refund is announced once, however it happens.
func TestEveryRefundIsAnnouncedOnce(t *testing.T) {
	t.Parallel()
	c, s := openStripe(t)
	byHand := c.order()
	c.OK("POST", byHand+"/payment/confirm", c.owner, m{})
	asked, made, done := c.paid(), c.paid(), c.paid()
	for i, refund := range []func(){
		func() { c.OK("POST", byHand+"/refund", c.Owner, m{}) },
		func() { c.OK("POST", asked+"/refund", c.Owner, m{}) },
		func() {
			s.locked(func() { s.refunded["cs_2"] = true })
			c.Clock.Advance(25 * time.Hour)
		},
		func() {
			s.locked(func() { s.refuses, s.refunded["cs_3"] = true, true })
			c.OK("POST", done+"/refund", c.Owner, m{})
		},
	} {
		refund()
		c.runWorker()
		c.runWorker()
		if n := c.events("order.refunded"); n != i+1 {
			t.Errorf("after refund %d, %d were announced", i+1, n)
		}
	}
	for _, order := range []string{byHand, asked, made, done} {
		c.OK("POST", order+"/refund", c.Owner, m{})
		if c.payment(order)["status"] != "refunded" {
			t.Errorf("%v", c.payment(order))
		}
	}
	if c.runWorker(); c.events("order.refunded") != 4 {
		t.Errorf("%d were announced", c.events("order.refunded"))
	}
}

// A buyer who cancels a paid order gets back what each provider holds, through the same requests
// as a refund of the seller.
func TestACancelledOrderIsRefunded(t *testing.T) {
	t.Parallel()
	c, s := openStripe(t)
	c.OK("PUT", "/v1/shop/settings", c.owner, m{"buyer_cancel_minutes": 60})
	order := c.paid()
	got := c.Result("POST", order+"/cancel", c.buyer, nil)
	if got["status"] != "cancelled" || got["payment"].(m)["status"] != "refunding" {
		t.Errorf("%v", got)
	}
	c.Refused("POST", order+"/cancel", c.buyer, nil, 400, "CANCEL_TOO_LATE")
	c.runWorker()
	if p := c.payment(order); p["status"] != "refunded" || len(s.refundKeys()) != 1 || c.events("order.refunded") != 1 {
		t.Errorf("%v, keys %q, announced %d times", p, s.refundKeys(), c.events("order.refunded"))
	}
	byHand := c.order()
	c.OK("POST", byHand+"/payment/confirm", c.owner, m{})
	c.OK("POST", byHand+"/invoice", c.owner, nil)
	if got := c.Result("POST", byHand+"/cancel", c.buyer, nil); got["payment"].(m)["status"] != "refunded" || got["credit_note"] == nil {
		t.Errorf("the answer lacks the credit note: %v", got)
	}
	unpaid := c.order()
	if got := c.Result("POST", unpaid+"/cancel", c.buyer, nil); got["payment"] != nil {
		t.Errorf("%v", got["payment"])
	}
}

// Money that arrives while the buyer cancels is refunded, or shown as paid if it arrives after the
// cancellation. The order is cancelled in either case.
func TestMoneyThatArrivesDuringACancellationIsNotLost(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.sandbox()
	c.OK("PUT", "/v1/shop/settings", c.owner, m{"buyer_cancel_minutes": 60})
	for range 5 {
		order := c.order()
		page := c.Result("POST", order+"/payment", c.buyer, m{"method": "sandbox"})["redirect_url"].(string)
		answers := c.AtOnce(
			apitest.Request{Method: "POST", Path: order + "/cancel", Key: c.buyer}, apitest.Request{Method: "POST", Path: page, Body: "action=pay"})
		c.runWorker()
		o := c.Result("GET", order, c.Owner, nil)
		if status := o["payment"].(m)["status"]; answers[0].Status != 200 || o["status"] != "cancelled" || status != "paid" && status != "refunded" {
			t.Errorf("%d %s, %d: the order is %v, its payment %v", answers[0].Status, answers[0].Body, answers[1].Status, o["status"], o["payment"])
		}
	}
}

// An order paid twice shows both payments and notifies the owner, who refunds the one they name.
func TestAnOrderPaidTwice(t *testing.T) {
	t.Parallel()
	c, s := openStripe(t)
	order := c.order()
	c.OK("POST", order+"/payment", c.buyer, m{"method": "stripe"})
	c.OK("POST", order+"/payment/confirm", c.owner, m{}) // in cash on delivery
	c.Clock.Advance(time.Minute)
	c.runWorker()
	o := c.Result("GET", order, c.owner, nil)
	all := o["payments"].([]any)
	if len(all) != 2 || all[0].(m)["status"] != "paid_again" || all[0].(m)["method"] != "stripe" || all[1].(m)["status"] != "paid" ||
		o["payment"].(m)["method"] != "manual" {
		t.Fatalf("%v, payments %v", o["payment"], all)
	}
	if c.events("order.paid") != 1 || len(c.letters("paid_again_seller")) != 1 {
		t.Errorf("order.paid %d times, letters %q", c.events("order.paid"), c.letters("paid_again_seller"))
	}
	byCard, byHand := all[0].(m)["id"], all[1].(m)["id"]
	for body, code := range map[string]string{
		`{"amount": 100}`: "REFUND_FULL_ONLY", `{"amount": null}`: "", `{"payment_id": "999"}`: "PAYMENT_NOT_FOUND",
	} {
		got := c.Send(apitest.Request{Method: "POST", Path: order + "/refund", Key: c.owner, Body: body})
		if code != "" && apitest.Code(got.JSON) != code {
			t.Errorf("%s: %d %s", body, got.Status, got.Body)
		}
	}
	c.runWorker() // the second body named no payment, so the card payment is refunded
	statuses := func() string {
		text := ""
		for _, p := range c.Result("GET", order, c.owner, nil)["payments"].([]any) {
			text += fmt.Sprint(p.(m)["id"], " ", p.(m)["status"], "; ")
		}
		return text
	}
	if got, want := statuses(), fmt.Sprintf("%v refunded; %v paid; ", byCard, byHand); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	c.OK("POST", order+"/refund", c.owner, m{}) // already refunded: no further effect
	if got, want := statuses(), fmt.Sprintf("%v refunded; %v paid; ", byCard, byHand); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	c.OK("POST", order+"/refund", c.owner, m{"payment_id": byHand})
	if got, want := statuses(), fmt.Sprintf("%v refunded; %v refunded; ", byCard, byHand); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if keys := s.refundKeys(); len(keys) != 1 {
		t.Errorf("the provider was called %d times", len(keys))
	}
	unpaid := c.order()
	c.Refused("POST", unpaid+"/refund", c.owner, m{}, 400, "ORDER_NOT_PAID")
	c.Refused("POST", unpaid+"/refund", c.owner, m{"payment_id": byHand}, 404, "PAYMENT_NOT_FOUND")
}

// While one of two payments pays an invoiced order, the other returns money that was never for the
// invoice: only the refund that leaves the order without money credits it, whichever is last.
func TestOnlyTheLastRefundOfAnOrderPaidTwiceCreditsItsInvoice(t *testing.T) {
	t.Parallel()
	c, _ := openStripe(t)
	for _, first := range []string{"paid", "paid_again"} {
		order := c.order()
		c.OK("POST", order+"/invoice", c.Owner, nil)
		c.OK("POST", order+"/payment", c.buyer, m{"method": "stripe"})
		c.OK("POST", order+"/payment/confirm", c.owner, m{})
		c.Clock.Advance(time.Minute)
		c.runWorker()
		credit := func(refunded string) any {
			for _, p := range c.Result("GET", order, c.owner, nil)["payments"].([]any) {
				if p.(m)["status"] == refunded {
					c.OK("POST", order+"/refund", c.owner, m{"payment_id": p.(m)["id"]})
				}
			}
			c.runWorker()
			return c.Result("GET", order, c.owner, nil)["credit_note"]
		}
		if note := credit(first); note != nil {
			t.Errorf("%s is refunded, the order is still paid, and its credit note is %v", first, note)
		}
		second := map[string]string{"paid": "paid_again", "paid_again": "paid"}[first]
		if note, _ := credit(second).(m); !strings.Contains(fmt.Sprint(note["number"]), "CN") {
			t.Errorf("both payments are refunded, and the credit note is %v", note)
		}
	}
}

// A manual payment can be started, waits for the seller, shows the shop's payment instructions,
// and is not cancelled as unpaid unless the shop configures that.
func TestPayingByHand(t *testing.T) {
	t.Parallel()
	c := open(t)
	const path = "/v1/shop/payment-methods/manual"
	for _, settings := range []any{m{"instructions": strings.Repeat("x", 4001)}, m{"other": "x"}, m{"instructions": 1}, "x"} {
		if got := c.Send(apitest.Request{Method: "PUT", Path: path, Key: c.owner, Body: m{"title": "Transfer", "settings": settings}}); got.Status != 400 {
			t.Errorf("%v: %d %s", settings, got.Status, got.Body)
		}
	}
	c.OK("PUT", path, c.owner, m{"title": "Transfer", "is_active": true, "settings": m{"instructions": "To IBAN <DE 1>"}})
	c.OK("PUT", path, c.owner, m{"title": "By transfer"}) // the instructions stay unchanged
	seen := c.OK("GET", "/v1/shop/payment-methods?company_id="+c.Shop.ID.String(), "", nil)["result"].([]any)[0].(m)
	if seen["instructions"] != "To IBAN <DE 1>" || seen["title"] != "By transfer" {
		t.Errorf("%v", seen)
	}
	order := c.order()
	begun := c.Result("POST", order+"/payment", c.buyer, m{"method": "manual"})
	again := c.Result("POST", order+"/payment", c.buyer, m{"method": "manual"})
	if begun["status"] != "pending" || begun["redirect_url"] != "" || begun["payment_id"] != again["payment_id"] {
		t.Errorf("%v, then %v", begun, again)
	}
	c.OK("PUT", "/v1/shop/settings", c.owner, m{"cancel_unpaid_after_hours": 1})
	due := func() (n int) {
		list, err := sales.UnpaidOrders(t.Context(), c.Store, time.Now().Add(48*time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	if due() != 0 {
		t.Error("an order with a manual payment was cancelled as unpaid")
	}
	c.OK("PUT", "/v1/shop/settings", c.owner, m{"cancel_unpaid_manual": true})
	if due() != 1 {
		t.Error("the setting has no effect")
	}
	c.OK("POST", order+"/payment/confirm", c.owner, m{})
	if o := c.Result("GET", order, c.owner, nil); len(o["payments"].([]any)) != 1 || o["payment"].(m)["status"] != "paid" || o["payment"].(m)["id"] != begun["payment_id"] {
		t.Errorf("%v", o["payments"])
	}
}

// An order with a total of zero is paid when it is placed, is reported once, and has nothing to
// refund.
func TestAnOrderWithTotalZeroIsPaid(t *testing.T) {
	t.Parallel()
	c, s := openStripe(t)
	c.OK("PUT", "/products/"+c.product, c.Owner, m{"item": m{"price": m{"price": 0}}})
	order := c.order()
	p := c.payment(order)
	if p["status"] != "paid" || p["provider"] != "none" || p["amount_minor"] != 0.0 || c.events("order.paid") != 1 {
		t.Errorf("%v, reported %d times", p, c.events("order.paid"))
	}
	if begun := c.Result("POST", order+"/payment", c.buyer, m{"method": "stripe"}); begun["status"] != "paid" || begun["redirect_url"] != "" {
		t.Errorf("%v", begun)
	}
	c.Refused("POST", order+"/refund", c.owner, m{}, 400, "ORDER_NOT_PAID")
	c.Refused("POST", order+"/refund", c.owner, m{"payment_id": p["id"]}, 400, "ORDER_NOT_PAID")
	c.runWorker()
	sessions := 0
	s.locked(func() { sessions = s.sessions })
	if sessions != 0 || c.events("order.paid") != 1 {
		t.Errorf("%d sessions, reported %d times", sessions, c.events("order.paid"))
	}
}

// Notifications from anybody are not stored, only signed ones or those about a payment of the
// shop.
func TestUnsignedNoticesAreNotStored(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.sandbox()
	begun := c.Result("POST", c.order()+"/payment", c.buyer, m{"method": "sandbox"})
	ref := begun["redirect_url"].(string)
	ref = ref[strings.LastIndex(ref, "/")+1:]
	path := "/v1/payments/sandbox/" + c.Shop.ID.String()
	for n := range 50 {
		if got := c.send("POST", path, fmt.Sprintf(`{"ref":"unknown-%d","state":"paid","more":%q}`, n, strings.Repeat("x", 1000)), nil); got.Status != 200 {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
	}
	if n := c.notices(); n != 0 {
		t.Errorf("%d unsigned notices are stored", n)
	}
	if c.send("POST", path, `{"ref":"`+ref+`","state":"paid"}`, nil); c.notices() != 1 {
		t.Errorf("%d notices of a payment are stored", c.notices())
	}
}

func (c *fixture) notices() (n int) {
	c.t.Helper()
	conn, err := pgx.Connect(c.t.Context(), c.URL)
	if err != nil {
		c.t.Fatal(err)
	}
	defer conn.Close(c.t.Context()) //nolint:errcheck // the database is dropped after the test
	if err := conn.QueryRow(c.t.Context(), `SELECT count(*) FROM payment_notice`).Scan(&n); err != nil {
		c.t.Fatal(err)
	}
	return n
}

// A receipt lists the paid lines, after the discounts of the whole order and with the delivery,
// and adds up to the payment to the cent.
func TestAReceiptAddsUp(t *testing.T) {
	t.Parallel()
	var body m
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		if _, err := fmt.Fprint(w, `{"id":"y1","status":"pending","amount":{"value":"1.00","currency":"EUR"},"confirmation":{"confirmation_url":"https://yoomoney.test/y1"}}`); err != nil {
			t.Error(err)
		}
	}))
	defer at.Close()
	c := open(t, func(cfg *admin.Config) { cfg.Pay.YooKassaURL = at.URL })
	settings := func(receipt any) m { return m{"shop_id": "1", "secret_key": "live", "receipt": receipt} }
	const path = "/v1/shop/payment-methods/yookassa"
	for _, wrong := range []any{m{"tax_system": 0, "vat_code": 1}, m{"tax_system": 7, "vat_code": 1}, m{"tax_system": 1, "vat_code": 13}, m{"tax_system": 1}, "x"} {
		if got := c.Send(apitest.Request{Method: "PUT", Path: path, Key: c.owner, Body: m{"title": "Card", "settings": settings(wrong)}}); apitest.Code(got.JSON) != "PAYMENT_METHOD_INVALID" {
			t.Errorf("%v: %d %s", wrong, got.Status, got.Body)
		}
	}
	c.OK("PUT", path, c.owner, m{"title": "Card", "is_active": true, "settings": settings(m{"tax_system": 2, "vat_code": 4})})
	c.OK("POST", "/v1/shop/delivery-options", c.owner, m{"name": "Courier", "price": 3})
	c.OK("POST", "/promotions", c.owner, m{"item": m{"name": "Ten off", "kind": "order_discount", "value": m{"amount": 10}}})
	long := strings.Repeat("я", 200)
	cup := c.Result("POST", "/products", c.Owner, m{"item": m{"name": long, "is_published": true, "price": m{"price": 7}}})["id"]
	c.OK("POST", fmt.Sprintf("/cart/items/%v/default", cup), c.buyer, m{"company_id": c.Shop.ID, "quantity": 3})
	c.OK("POST", c.order()+"/payment", c.buyer, m{"method": "yookassa"})

	receipt := body["receipt"].(m)
	sum, names := 0.0, ""
	for _, i := range receipt["items"].([]any) {
		item := i.(m)
		var each, quantity float64
		if _, err := fmt.Sscan(item["amount"].(m)["value"].(string)+" "+item["quantity"].(string), &each, &quantity); err != nil {
			t.Fatal(err)
		}
		sum += each * quantity
		names += fmt.Sprint(len([]rune(item["description"].(string))), " ")
		if item["vat_code"] != 4.0 {
			t.Errorf("%v", item)
		}
	}
	if total := body["amount"].(m)["value"]; total != fmt.Sprintf("%.2f", sum) || total != "28.00" || receipt["tax_system_code"] != 2.0 ||
		receipt["customer"].(m)["email"] != "ben@people.test" || strings.Contains(names, "200") {
		t.Errorf("the receipt adds up to %.2f, the payment is %v: %v", sum, total, receipt)
	}
}

// YooKassa accepts descriptions of up to 128 characters.
func TestALongShopNameIsTruncated(t *testing.T) {
	t.Parallel()
	var body m
	at := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		w.WriteHeader(http.StatusBadRequest)
	}))
	defer at.Close()
	c := open(t, func(cfg *admin.Config) { cfg.Pay.YooKassaURL = at.URL })
	c.OK("PUT", "/v1/shop/settings", c.owner, m{"name": strings.Repeat("я", 255)})
	c.OK("PUT", "/v1/shop/payment-methods/yookassa", c.owner, m{"title": "Card", "is_active": true, "settings": m{"shop_id": "1", "secret_key": "live"}})
	got := c.Send(apitest.Request{Method: "POST", Path: c.order() + "/payment", Key: c.buyer, Body: m{"method": "yookassa"}})
	if got.Status != 400 || apitest.Code(got.JSON) != "PAYMENT_PROVIDER_REFUSED" || got.Header.Get("Retry-After") != "" {
		t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
	}
	if n := len([]rune(body["description"].(string))); n != 128 {
		t.Errorf("%d characters", n)
	}
}

// The tax of an order is fixed when the order is placed.
func TestTheTaxOfAnOrderIsFrozen(t *testing.T) {
	t.Parallel()
	c := open(t)
	without := c.order()
	c.OK("PUT", "/v1/shop/settings", c.owner, m{"tax": m{"name": "VAT", "percent": 19.5, "included": true}})
	order := c.order()
	c.OK("PUT", "/v1/shop/settings", c.owner, m{"tax": m{"name": "GST", "percent": 5, "included": true}})
	if tax := c.Result("GET", order, c.buyer, nil)["tax"]; fmt.Sprint(tax) != "map[amount:2 name:VAT percent:19.5]" {
		t.Errorf("%v", tax)
	}
	if tax := c.Result("GET", without, c.buyer, nil)["tax"]; tax != nil {
		t.Errorf("before: %v", tax)
	}
}
