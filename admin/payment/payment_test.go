package payment_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/admin/payment"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
	"vitrine/internal/store/storetest"
)

type m = apitest.Map

// fixture is a shop, its owner and a buyer who can place orders.
type fixture struct {
	*apitest.API
	t            *testing.T
	owner, buyer string
	buyerID      shop.UserID
	product      string
}

func open(t *testing.T, change ...func(*admin.Config)) *fixture {
	t.Helper()
	a := apitest.New(t, change...)
	ben := a.Buyer("ben@people.test")
	c := &fixture{API: a, t: t, owner: a.Session(a.OwnerID), buyer: a.Session(ben), buyerID: ben}
	c.product = fmt.Sprint(a.Result("POST", "/products", a.Owner, m{"item": m{"name": "Earl Grey", "price": m{"price": 14}, "is_published": true}})["id"])
	return c
}

func (c *fixture) sandbox() {
	c.t.Helper()
	c.OK("PUT", "/v1/shop/settings", c.owner, m{"sandbox": true})
	c.OK("PUT", "/v1/shop/payment-methods/sandbox", c.owner, m{"title": "By card", "is_active": true})
}

func (c *fixture) stripe(title string) {
	c.t.Helper()
	c.OK("PUT", "/v1/shop/payment-methods/stripe", c.owner, m{"title": title, "is_active": true, "settings": m{"secret_key": "sk_live_very-secret", "webhook_secret": "whsec_very-secret"}})
}

func (c *fixture) order() string {
	c.t.Helper()
	c.OK("POST", "/cart/items/"+c.product+"/default", c.buyer, m{"company_id": c.Shop.ID, "quantity": 1})
	made := c.Result("POST", "/cart/confirm", c.buyer, m{"company_id": c.Shop.ID, "contact": m{"name": "Ben", "phone": "1", "email": "ben@people.test"}})
	return "/orders/" + fmt.Sprint(made["id"])
}

// history summarizes the payment entries of an order's history.
func (c *fixture) history(order string) (said string) {
	c.t.Helper()
	for _, e := range c.OK("GET", order+"/history", c.owner, nil)["result"].([]any) {
		if entry := e.(m); entry["kind"] != "created" {
			body := entry["body"].(m)
			said += fmt.Sprint(entry["kind"], " ", body["status"], body["state"], body["amount"], "; ")
		}
	}
	return said
}

func (c *fixture) send(method, path, body string, header map[string]string) apitest.Answer {
	c.t.Helper()
	return c.Send(apitest.Request{Method: method, Path: path, Body: body, Header: header})
}

func (c *fixture) events(name string) (n int) {
	c.t.Helper()
	events := storetest.Events(c.t, c.Store.Pool, int(c.Shop.ID))
	for _, e := range events {
		if e.Name == name {
			n++
		}
	}
	return n
}

// runWorker runs the worker for all payments that are due.
func (c *fixture) runWorker() {
	c.t.Helper()
	cfg := c.Config()
	ps := payment.New(payment.Config{
		Store: c.Store, Sealer: cfg.Sealer, Do: cfg.Pay.Do, Now: c.Clock.Now, URLs: cfg.URLs, StripeURL: cfg.Pay.StripeURL, YooKassaURL: cfg.Pay.YooKassaURL,
	})
	for more := true; more; {
		var err error
		if more, err = ps.Reconcile(c.t.Context()); err != nil {
			c.t.Fatal(err)
		}
	}
}

func TestPaymentMethodsAreSetUp(t *testing.T) {
	t.Parallel()
	c := open(t)
	const path = "/v1/shop/payment-methods"
	c.Refused("PUT", path+"/barter", c.owner, m{"title": "x"}, 400, "PAYMENT_METHOD_INVALID")
	c.Refused("PUT", path+"/sandbox", c.owner, m{"title": "Test", "is_active": true}, 400, "SANDBOX_OFF")
	c.Refused("PUT", path+"/manual", c.Session(c.EditorID), m{"title": "x"}, 403, "ROLE_REQUIRED")
	for name, body := range map[string]m{
		"no secrets": {"title": "Card", "is_active": true}, "no title": {"settings": m{"secret_key": "a", "webhook_secret": "b"}},
		"half": {"title": "Card", "settings": m{"secret_key": "a"}}, "blank": {"title": "Card", "settings": m{"secret_key": " ", "webhook_secret": "b"}},
		"more": {"title": "Card", "settings": m{"secret_key": "a", "webhook_secret": "b", "other": "c"}}, "numbers": {"title": "Card", "settings": m{"secret_key": 1, "webhook_secret": 2}},
		"a list": {"title": "Card", "settings": []any{}}, "long": {"title": "Card", "settings": m{"secret_key": strings.Repeat("x", 501), "webhook_secret": "b"}},
		"title of 256": {"title": strings.Repeat("я", 256), "settings": m{"secret_key": "a", "webhook_secret": "b"}},
	} {
		if got := c.Send(apitest.Request{Method: "PUT", Path: path + "/stripe", Key: c.owner, Body: body}); got.Status != 400 || apitest.Code(got.JSON) != "PAYMENT_METHOD_INVALID" {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
	c.stripe("Card")
	c.OK("PUT", path+"/yookassa", c.owner, m{"title": "ЮKassa", "settings": m{"shop_id": "1", "secret_key": "live_very-secret"}})
	c.OK("PUT", path+"/manual", c.owner, m{"title": "As agreed", "is_active": true})
	c.OK("PUT", path+"/stripe", c.owner, m{"title": "Cards"}) // the secrets stay unchanged
	all := c.Send(apitest.Request{Method: "GET", Path: path, Key: c.owner})
	if s := string(all.Body); strings.Contains(s, "very-secret") || strings.Count(s, `"is_set":true`) != 3 || !strings.Contains(s, "Cards") {
		t.Errorf("%s", s)
	}
	seen := c.Send(apitest.Request{Method: "GET", Path: path + "?company_id=" + c.Shop.ID.String()})
	if want := `{"result":[{"method":"stripe","title":"Cards"},{"method":"manual","title":"As agreed"}]}`; strings.TrimSpace(string(seen.Body)) != want {
		t.Errorf("%s", seen.Body)
	}
	methods, err := sales.PaymentMethods(t.Context(), c.Store.Shop(c.Shop.ID))
	if err != nil {
		t.Fatal(err)
	}
	for _, kept := range methods {
		if strings.Contains(string(kept.Sealed), "secret") {
			t.Errorf("%s is not encrypted in the database", kept.Method)
		}
	}
}

// Whatever the sandbox simulates, an order is paid once and reported once.
func TestSandboxPaymentsArePaidOnce(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.sandbox()
	c.Refused("POST", c.order()+"/payment", c.buyer, m{"method": "stripe"}, 400, "PAYMENT_METHOD_INACTIVE")
	for n, action := range []string{"pay", "twice", "out_of_order", "before", "late"} {
		order := c.order()
		begun := c.Result("POST", order+"/payment", c.buyer, m{"method": "sandbox", "return_url": "https://evil.test/"})
		again := c.Result("POST", order+"/payment", c.buyer, m{"method": "sandbox"})
		if begun["status"] != "pending" || begun["payment_id"] != again["payment_id"] || begun["redirect_url"] != again["redirect_url"] {
			t.Errorf("%v, then %v", begun, again)
		}
		page := begun["redirect_url"].(string)
		if got := c.Send(apitest.Request{Method: "GET", Path: page}); got.Status != 200 || !strings.Contains(string(got.Body), "14.00 EUR") {
			t.Errorf("%d %s", got.Status, got.Body)
		}
		for _, wrong := range []string{"", "action=steal", "{", `{"action":1}`, "action=" + strings.Repeat("x", 5000)} {
			if got := c.send("POST", page, wrong, nil); got.Status != 400 && got.Status != 413 {
				t.Errorf("%q: %d", wrong, got.Status)
			}
		}
		got := c.send("POST", page, "action="+action, map[string]string{"Content-Type": "application/x-www-form-urlencoded"})
		if want := "http://" + c.Shop.Slug + ".shops.test" + order; got.Status != 303 || got.Header.Get("Location") != want {
			t.Errorf("%s: %d to %s, want %s", action, got.Status, got.Header.Get("Location"), want)
		}
		c.send("POST", page, "action=refuse", nil) // the payment is already completed
		if action == "late" || action == "before" {
			if c.history(order) != "" {
				t.Errorf("%s: %s", action, c.history(order))
			}
			c.Clock.Advance(20 * time.Second)
			ref := page[strings.LastIndexByte(page, '/')+1:]
			c.send("POST", "/v1/payments/sandbox/"+c.Shop.ID.String(), `{"ref":"`+ref+`"}`, nil) // the same as the worker's own query
		}
		if said := c.history(order); strings.Count(said, "payment paid") != 1 || c.events("order.paid") != n+1 {
			t.Errorf("%s: %s, reported %d times", action, said, c.events("order.paid"))
		}
		if now := c.Result("POST", order+"/payment", c.buyer, m{"method": "sandbox"}); now["status"] != "paid" {
			t.Errorf("%s: paid again: %v", action, now)
		}
	}
}

// An open shop without the sandbox setting cannot use the sandbox any more.
func TestTheSandboxRequiresItsSetting(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.sandbox()
	order := c.order()
	c.OK("PUT", "/v1/shop/settings", c.owner, m{"sandbox": false})
	if seen := c.OK("GET", "/v1/shop/payment-methods?company_id="+c.Shop.ID.String(), "", nil); len(seen["result"].([]any)) != 0 {
		t.Errorf("%v", seen)
	}
	c.Refused("POST", order+"/payment", c.buyer, m{"method": "sandbox"}, 400, "PAYMENT_METHOD_INACTIVE")
	c.Close(true)
	c.OK("POST", order+"/payment", c.buyer, m{"method": "sandbox"})
}

// A refused payment can be started again; one of a cancelled order cannot.
func TestARefusedPaymentCanBeStartedAgain(t *testing.T) {
	t.Parallel()
	c := open(t)
	c.sandbox()
	order := c.order()
	first := c.Result("POST", order+"/payment", c.buyer, m{"method": "sandbox"})
	c.send("POST", first["redirect_url"].(string), "action=refuse", nil)
	second := c.Result("POST", order+"/payment", c.buyer, m{"method": "sandbox"})
	if first["payment_id"] == second["payment_id"] || second["status"] != "pending" {
		t.Errorf("%v, then %v", first, second)
	}
	c.OK("PUT", order+"/status", c.owner, m{"status": "cancelled"})
	c.Refused("POST", order+"/payment", c.buyer, m{"method": "sandbox"}, 400, "ORDER_CANCELLED")
	c.send("POST", second["redirect_url"].(string), "action=pay", nil) // the payment still succeeds
	if said := c.history(order); !strings.Contains(said, "payment paid") || c.events("order.paid") != 1 {
		t.Errorf("%s", said)
	}
	if o := c.Result("GET", order, c.owner, nil); o["status"] != "cancelled" || o["payment"].(m)["status"] != "paid" {
		t.Errorf("%v", o)
	}
	c.OK("POST", order+"/refund", c.owner, m{})
	c.OK("POST", order+"/refund", c.owner, m{})
	c.runWorker()
	if said := c.history(order); strings.Count(said, "refund ") != 2 || !strings.Contains(said, "refund refunding") || !strings.Contains(said, "refund refunded") {
		t.Errorf("%s", said)
	}
	for _, who := range []string{c.Session(c.Buyer("eve@people.test")), c.Session(c.StrangerID)} {
		if got := c.Send(apitest.Request{Method: "POST", Path: order + "/payment", Key: who, Body: m{"method": "sandbox"}}); got.Status < 400 {
			t.Errorf("another person pays: %s", got.Body)
		}
	}
}

// bank imitates Stripe with configured responses.
type bank struct {
	mu     sync.Mutex
	status int
	paid   string // the session returned by a query
	calls  int
}

// locked runs f while the provider serves no request.
func (b *bank) locked(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}

// called returns how often the provider was called.
func (b *bank) called() (calls int) {
	b.locked(func() { calls = b.calls })
	return calls
}

func (b *bank) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls++
	switch {
	case b.status == -1:
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.Close() // in the middle of the response
		}
	case b.status != 0:
		w.WriteHeader(b.status)
	case r.Method == http.MethodPost:
		_, _ = io.WriteString(w, `{"id":"cs_1","url":"https://checkout.test/cs_1","status":"open","payment_status":"unpaid","amount_total":1400,"currency":"eur"}`)
	default:
		_, _ = io.WriteString(w, b.paid)
	}
}

// A failing provider changes nothing, and the next attempt continues.
func TestAFailingProviderChangesNothing(t *testing.T) {
	t.Parallel()
	b := &bank{}
	at := httptest.NewServer(b)
	defer at.Close()
	c := open(t, func(cfg *admin.Config) { cfg.Pay.StripeURL = at.URL })
	c.stripe("Card")
	order := c.order()
	for _, status := range []int{500, 503, 429, -1} {
		b.locked(func() { b.status = status })
		c.Refused("POST", order+"/payment", c.buyer, m{"method": "stripe"}, 503, "PAYMENT_PROVIDER_UNAVAILABLE")
	}
	if said := c.history(order); said != "" {
		t.Errorf("%s", said)
	}
	b.locked(func() { b.status = 401 })
	c.Refused("POST", order+"/payment", c.buyer, m{"method": "stripe"}, 400, "PAYMENT_PROVIDER_REFUSED")
	b.locked(func() { b.status = 0 })
	before := b.called()
	if begun := c.Result("POST", order+"/payment", c.buyer, m{"method": "stripe"}); begun["redirect_url"] != "https://checkout.test/cs_1" {
		t.Errorf("%v", begun)
	}
	calls := b.called()
	if calls != before+1 {
		t.Errorf("starting a payment took %d calls of the provider", calls-before)
	}
	c.OK("POST", order+"/payment", c.buyer, m{"method": "stripe"})
	if b.called() != calls {
		t.Errorf("an open payment was started again")
	}
}

// signed returns the header of a notification of Stripe.
func signed(secret, body string, at time.Time) map[string]string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%d.%s", at.Unix(), body)
	return map[string]string{"Stripe-Signature": fmt.Sprintf("t=%d,v1=%s", at.Unix(), hex.EncodeToString(mac.Sum(nil)))}
}

// Notifications are only hints, and only signed ones count: forged, replayed, truncated and wrong
// ones do not pay an order.
func TestForgedNotificationsPayNothing(t *testing.T) {
	t.Parallel()
	b := &bank{}
	at := httptest.NewServer(b)
	defer at.Close()
	c := open(t, func(cfg *admin.Config) { cfg.Pay.StripeURL = at.URL })
	c.stripe("Card")
	hook := "/v1/payments/stripe/" + c.Shop.ID.String()
	begin := func() (string, string) {
		order := c.order()
		return order, fmt.Sprint(c.Result("POST", order+"/payment", c.buyer, m{"method": "stripe"})["payment_id"])
	}
	session := func(reference, state, amount, currency string) string {
		return `{"id":"cs_1","status":"complete","payment_status":"` + state + `","amount_total":` + amount + `,"currency":"` + currency + `","client_reference_id":"` + reference + `"}`
	}
	const body = `{"type":"checkout.session.completed","data":{"object":{"id":"cs_1","object":"checkout.session"}}}`
	now := c.Clock.Now()
	order, id := begin()
	b.locked(func() { b.paid = session(id, "paid", "1400", "eur") })
	for name, q := range map[string]struct {
		path, body string
		header     map[string]string
		status     int
	}{
		"unsigned": {hook, body, nil, 400}, "signed with another secret": {hook, body, signed("whsec_other", body, now), 400}, "replayed": {hook, body, signed("whsec_very-secret", body, now.Add(-6*time.Minute)), 400},
		"truncated": {hook, body[:40], signed("whsec_very-secret", body, now), 400}, "of another method": {"/v1/payments/yookassa/" + c.Shop.ID.String(), body, nil, 404},
		"of no method": {"/v1/payments/barter/" + c.Shop.ID.String(), body, nil, 404}, "of another shop": {"/v1/payments/stripe/" + c.Other.ID.String(), body, signed("whsec_very-secret", body, now), 404},
		"of no shop": {"/v1/payments/stripe/999", body, nil, 404}, "large": {hook, strings.Repeat(" ", 65<<10), nil, 413},
	} {
		if got := c.send("POST", q.path, q.body, q.header); got.Status != q.status {
			t.Errorf("%s: %d %s", name, got.Status, got.Body)
		}
	}
	if said := c.history(order); said != "" {
		t.Fatalf("%s", said)
	}
	for _, wrong := range []string{
		session(id, "paid", "1399", "eur"), session(id, "paid", "1400", "usd"), session("99999", "paid", "1400", "eur"),
	} {
		order, id := begin()
		b.locked(func() { b.paid = strings.Replace(wrong, `"`+id+`"`, `"`+id+`"`, 1) })
		if got := c.send("POST", hook, body, signed("whsec_very-secret", body, now)); got.Status != 200 {
			t.Errorf("%d %s", got.Status, got.Body)
		}
		if said := c.history(order); strings.Contains(said, "payment paid") || !strings.Contains(said, "payment.mismatch") {
			t.Errorf("%s: %s", wrong, said)
		}
	}
	order, id = begin()
	b.locked(func() { b.paid = session(id, "paid", "1400", "eur") })
	for range 3 {
		if got := c.send("POST", hook, body, signed("whsec_very-secret", body, now)); got.Status != 200 {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	}
	if said := c.history(order); strings.Count(said, "payment paid") != 1 || c.events("order.paid") != 1 {
		t.Errorf("%s", said)
	}
}

// A new currency deactivates the methods that cannot charge it, and they cannot be activated
// again while it is used. An order in the former currency cannot be paid with a method that does
// not support it.
func TestANewCurrencyDeactivatesUnsupportedMethods(t *testing.T) {
	t.Parallel()
	c := open(t)
	const path = "/v1/shop/payment-methods"
	becomes := func(currency string) (off []string) {
		t.Helper()
		err := c.Store.Write(t.Context(), c.Shop.ID, func(tx *store.Tx) (err error) {
			off, err = payment.SetCurrency(t.Context(), tx, currency)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return off
	}
	c.stripe("Card")
	c.OK("PUT", path+"/yookassa", c.owner, m{"title": "YooKassa", "is_active": true, "settings": m{"shop_id": "1", "secret_key": "live"}})
	c.OK("PUT", path+"/manual", c.owner, m{"title": "As agreed", "is_active": true})
	if off := becomes("USD"); len(off) > 0 {
		t.Errorf("switching to dollars deactivates %v", off)
	}
	if off := becomes("JPY"); fmt.Sprint(off) != "[yookassa]" {
		t.Errorf("switching to yen deactivates %v", off)
	}
	order := c.order()
	c.Refused("POST", order+"/payment", c.buyer, m{"method": "yookassa"}, 400, "PAYMENT_METHOD_INACTIVE")
	c.Refused("PUT", path+"/yookassa", c.owner, m{"is_active": true}, 400, "PAYMENT_METHOD_INVALID")
	c.OK("PUT", path+"/yookassa", c.owner, m{"title": "Later"})
	if seen := c.Send(apitest.Request{Method: "GET", Path: path + "?company_id=" + c.Shop.ID.String()}); strings.Contains(string(seen.Body), "yookassa") ||
		!strings.Contains(string(seen.Body), "stripe") {
		t.Errorf("%s", seen.Body)
	}
	becomes("EUR")
	c.OK("PUT", path+"/yookassa", c.owner, m{"is_active": true})
	c.Refused("POST", order+"/payment", c.buyer, m{"method": "yookassa"}, 400, "PAYMENT_METHOD_INACTIVE") // the order is in yen
}
