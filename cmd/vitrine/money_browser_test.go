package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/internal/await"
)

// A second click returns the order of the first click, with a script and without.
func TestDoubleClickAtTheCheckoutPlacesOneOrder(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	inEveryWindow(t, p, func(b *tab, name string, width int64, script bool) {
		b.fillsCheckout(name, width, "manual")
		b.clicks(".v-sum [type=submit]", 2)
		b.until(`location.pathname.startsWith('/orders/') && document.querySelector('.v-notice:not(.v-notice--bad)')`)
		shoot(b.t, b.ctx, "/twice/"+name, width)
		b.open("/orders", width)
		b.is(`document.querySelectorAll('.v-order').length`, "1")
	})
}

// fillsCheckout takes a tea to the checkout and fills in its form.
func (b *tab) fillsCheckout(name string, width int64, method string) {
	b.t.Helper()
	b.open("/tea/black-tea/earl-grey-with-calabrian-bergamot", width)
	b.adds()
	b.open("/checkout", width)
	b.types("[name=name]", "Ines Baker")
	b.types("[name=phone]", "+351 912 345 678")
	b.types("[name=email]", name+"-money@example.com")
	b.click("label:has([name=delivery_option_id]:not(.v-choice__sent))")
	b.click("label:has([name=payment_method][value=" + method + "])")
}

// fakeStripe is a fake of Stripe. Its page accepts payments immediately and redirects back; a
// refund waits for the test's decision.
type fakeStripe struct {
	mu       sync.Mutex
	back     map[string]string // return addresses, by session
	payment  map[string]string // the payment of each session
	paid     map[string]bool
	refunded map[string]bool
	decides  chan bool // whether the next refund is accepted
	wrong    []string
}

func (h *fakeStripe) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	say := func(format string, args ...any) {
		if _, err := fmt.Fprintf(w, format, args...); err != nil {
			h.wrong = append(h.wrong, err.Error())
		}
	}
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	taken := r.URL.Path == "/v1/refunds" && <-h.decides
	h.mu.Lock()
	defer h.mu.Unlock()
	id := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
	switch {
	case r.URL.Path == "/v1/refunds" && !taken:
		w.WriteHeader(http.StatusBadRequest)
		say(`{"error":{"code":"insufficient_funds","message":"Your balance is too low"}}`)
	case r.URL.Path == "/v1/refunds":
		h.refunded[strings.TrimPrefix(r.Form.Get("payment_intent"), "pi_")] = true
		say(`{"id":"re_1"}`)
	case strings.HasPrefix(r.URL.Path, "/pay/"):
		h.paid[id] = true
		w.Header().Set("Content-Type", "text/html")
		say(`<!doctype html><title>Card</title><link rel="icon" href="data:,"><a id="back" href=%q>Paid. Back to the shop</a>`, h.back[id])
	case r.Method == http.MethodPost:
		id = fmt.Sprintf("cs_%d", len(h.back)+1)
		h.back[id], h.payment[id] = r.Form.Get("success_url"), r.Form.Get("client_reference_id")
		say(`{"id":%q,"url":"http://%s/pay/%s","status":"open","payment_status":"unpaid","amount_total":1200,"currency":"eur"}`, id, r.Host, id)
	default:
		status, back := "unpaid", 0
		if h.paid[id] {
			status = "paid"
		}
		if h.refunded[id] {
			back = 1200
		}
		say(`{"id":%q,"status":"complete","payment_status":%q,"amount_total":1200,"currency":"eur","client_reference_id":%q,
			"payment_intent":{"id":"pi_%s","latest_charge":{"amount_refunded":%d}}}`, id, status, h.payment[id], id, back)
	}
}

// decide waits for a refund and accepts or refuses it.
func (h *fakeStripe) decide(t testing.TB, taken bool) {
	t.Helper()
	select {
	case h.decides <- taken:
	case <-time.After(await.Limit):
		t.Fatal("no refund was requested")
	}
}

// notifies sends the shop a signed notification about a session.
func (h *fakeStripe) notifies(p *program, company, secret, id string) {
	p.t.Helper()
	body := fmt.Sprintf(`{"type":"checkout.session.completed","data":{"object":{"id":%q,"object":"checkout.session"}}}`, id)
	at := time.Now().Unix()
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%d.%s", at, body)
	r, err := http.NewRequest("POST", "http://"+p.admin+"/v1/payments/stripe/"+company, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Stripe-Signature", fmt.Sprintf("t=%d,v1=%s", at, hex.EncodeToString(mac.Sum(nil))))
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusOK {
		p.t.Fatalf("the notification: %d, %v", answer.StatusCode, err)
	}
}

// payments lists the methods and states of an order's payments, oldest first.
func (p *program) payments(owner, order string) (said string, ids []string) {
	p.t.Helper()
	for _, one := range p.must(owner, "GET", "/orders/"+order, nil)["payments"].([]any) {
		y := one.(map[string]any)
		said += fmt.Sprint(y["method"], " ", y["status"], "; ")
		ids = append(ids, itoa(y["id"]))
	}
	return said, ids
}

func (p *program) becomes(owner, order, want string) {
	p.t.Helper()
	wait(p.t, "the payments are "+want, func() bool { said, _ := p.payments(owner, order); return said == want })
}

// A buyer pays an order by card while the page of another provider is open, and pays there
// too. The owner is notified, refunds the first payment, which the provider refuses at first,
// and then the second; the page of the order shows the current state. Without a script.
func TestOrderPaidTwiceIsRefunded(t *testing.T) {
	t.Parallel()
	h := &fakeStripe{back: map[string]string{}, payment: map[string]string{}, paid: map[string]bool{}, refunded: map[string]bool{}, decides: make(chan bool)}
	at := httptest.NewServer(h)
	t.Cleanup(at.Close)
	t.Cleanup(func() { close(h.decides) })
	p := newDemo(t)
	p.env = append(p.env, "VITRINE_OUTBOUND_ALLOW=127.0.0.0/8", "VITRINE_STRIPE_URL="+at.URL)
	p.start()
	owner := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "owner@demo.example", "password": "tea-at-four"})["token"].(string)
	company := itoa(p.must(owner, "GET", "/v1/orgs/current", nil)["id"])
	p.must(owner, "PUT", "/v1/shop/payment-methods/stripe", map[string]any{
		"title": "Card", "is_active": true, "settings": map[string]any{"secret_key": "sk_test", "webhook_secret": "whsec_test"}})

	b := bareTab(t, p)
	const width = 390
	b.fillsCheckout("paid-twice", width, "sandbox")
	b.click(".v-sum [type=submit]")
	b.until(`document.querySelector('button[value=pay]')`)
	sandbox := b.text(`location.href`)
	b.open("/orders", width)
	b.click(".v-order__name")
	b.until(`document.querySelector('button[name=pay][value=stripe]')`)
	order := b.text(`location.pathname.split('/')[2]`)
	b.click("button[name=pay][value=stripe]")
	b.until(`document.querySelector('#back')`)
	b.click("#back")
	h.notifies(p, company, "whsec_test", "cs_1")
	b.until(`location.pathname.startsWith('/orders/') && document.querySelector('main').textContent.includes('was received')`)
	b.goTo(sandbox, width)
	b.click("button[value=pay]")
	p.becomes(owner, order, "sandbox paid_again; stripe paid; ")
	if letters := fmt.Sprint(p.call(owner, "GET", "/v1/shop/letters", nil)); !strings.Contains(letters, "name:paid_again_seller") {
		t.Errorf("the owner is not notified: %s", letters)
	}

	says := func(text, picture string) {
		t.Helper()
		b.open("/orders/"+order, width)
		b.is(`document.querySelector('[data-v-zone] > .v-muted').textContent.split('·')[1].trim()`, text)
		shoot(b.t, b.ctx, "/back/"+picture, width)
	}
	refund := func(body map[string]any) { t.Helper(); p.must(owner, "POST", "/orders/"+order+"/refund", body) }
	refund(map[string]any{})
	says("The refund is being processed", "under-way")
	h.decide(t, false)
	p.becomes(owner, order, "sandbox paid_again; stripe paid; ")
	says("Paid", "refused")
	if letters := fmt.Sprint(p.call(owner, "GET", "/v1/shop/letters", nil)); !strings.Contains(letters, "name:refund_refused_seller") ||
		!strings.Contains(letters, "Your balance is too low") {
		t.Errorf("the owner is not told the reason: %s", letters)
	}
	refund(map[string]any{})
	h.decide(t, true)
	p.becomes(owner, order, "sandbox paid_again; stripe refunded; ")
	says("Refunded", "refunded")
	_, ids := p.payments(owner, order)
	refund(map[string]any{"payment_id": ids[0]})
	p.becomes(owner, order, "sandbox refunded; stripe refunded; ")
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.wrong) > 0 {
		t.Error(h.wrong)
	}
}
