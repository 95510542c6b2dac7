package pay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/outbound"
)

// fake simulates both providers: it keeps payments by their idempotency key, and responds
// as the real ones do. fail replaces a response, before or after the effect of the call.
type fake struct {
	*httptest.Server
	mu       sync.Mutex
	payments map[string]*held // by ref
	keys     map[string]string
	refunds  map[string]int64
	fail     func(path string) (status int, done bool)
	seen     []*http.Request
	bodies   []string
}

type held struct {
	ref, reference, currency string
	amount, refunded         int64
	paid, gone               bool
}

func newFake(t *testing.T) *fake {
	f := &fake{payments: map[string]*held{}, keys: map[string]string{}, refunds: map[string]int64{}}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *fake) do() Do {
	return outbound.New(outbound.Allow(netip.MustParsePrefix("127.0.0.0/8"))).Do
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	f.seen, f.bodies = append(f.seen, r), append(f.bodies, string(body))
	status, done := 0, false
	if f.fail != nil {
		status, done = f.fail(r.URL.Path)
	}
	if status != 0 && !done {
		w.WriteHeader(status)
		return
	}
	answer := f.answer(r, body)
	if status != 0 {
		w.WriteHeader(status)
		return
	}
	if answer == nil {
		w.WriteHeader(404)
		return
	}
	json.NewEncoder(w).Encode(answer)
}

func (f *fake) answer(r *http.Request, body []byte) any {
	path := r.URL.Path
	switch {
	case r.Method == "POST" && path == "/v1/checkout/sessions":
		form, _ := url.ParseQuery(string(body))
		amount, _ := strconv.ParseInt(form.Get("line_items[0][price_data][unit_amount]"), 10, 64)
		return f.stripe(f.begin(r.Header.Get("Idempotency-Key"), "cs_", held{
			reference: form.Get("client_reference_id"), currency: form.Get("line_items[0][price_data][currency]"), amount: amount}))
	case strings.HasPrefix(path, "/v1/checkout/sessions/"):
		if p := f.payments[strings.TrimPrefix(path, "/v1/checkout/sessions/")]; p != nil {
			return f.stripe(p)
		}
	case r.Method == "POST" && path == "/v1/refunds":
		form, _ := url.ParseQuery(string(body))
		amount, _ := strconv.ParseInt(form.Get("amount"), 10, 64)
		if f.refund(strings.TrimPrefix(form.Get("payment_intent"), "pi_"), r.Header.Get("Idempotency-Key"), amount) {
			return map[string]any{"id": "re_1"}
		}
	case r.Method == "POST" && path == "/v3/payments":
		var in struct {
			Amount   yooAmount         `json:"amount"`
			Metadata map[string]string `json:"metadata"`
		}
		json.Unmarshal(body, &in)
		amount, _ := yooMinor(in.Amount.Value)
		return f.yoo(f.begin(r.Header.Get("Idempotence-Key"), "", held{reference: in.Metadata["payment_id"], currency: in.Amount.Currency, amount: amount}))
	case strings.HasPrefix(path, "/v3/payments/"):
		if p := f.payments[strings.TrimPrefix(path, "/v3/payments/")]; p != nil {
			return f.yoo(p)
		}
	case r.Method == "POST" && path == "/v3/refunds":
		var in struct {
			Amount  yooAmount `json:"amount"`
			Payment string    `json:"payment_id"`
		}
		json.Unmarshal(body, &in)
		amount, _ := yooMinor(in.Amount.Value)
		if f.refund(in.Payment, r.Header.Get("Idempotence-Key"), amount) {
			return map[string]any{"status": "succeeded"}
		}
	}
	return nil
}

func (f *fake) begin(key, prefix string, p held) *held {
	if ref := f.keys[key]; ref != "" {
		return f.payments[ref]
	}
	p.ref = fmt.Sprint(prefix, len(f.payments)+1)
	f.payments[p.ref], f.keys[key] = &p, p.ref
	return &p
}

func (f *fake) refund(ref, key string, amount int64) bool {
	p := f.payments[ref]
	if _, known := f.refunds[key]; p != nil && !known && p.refunded+amount <= p.amount && p.paid {
		p.refunded += amount
		f.refunds[key] = amount
	}
	_, ok := f.refunds[key]
	return ok
}

func (f *fake) stripe(p *held) any {
	out := map[string]any{
		"id": p.ref, "url": "https://checkout.stripe.test/" + p.ref, "status": "open", "payment_status": "unpaid", "amount_total": p.amount,
		"currency": p.currency, "client_reference_id": p.reference,
	}
	switch {
	case p.paid:
		out["status"], out["payment_status"] = "complete", "paid"
		out["payment_intent"] = map[string]any{"id": "pi_" + p.ref, "latest_charge": map[string]any{"amount_refunded": p.refunded}}
	case p.gone:
		out["status"] = "expired"
	}
	return out
}

func (f *fake) yoo(p *held) any {
	decimal := func(n int64) map[string]any {
		return map[string]any{"value": fmt.Sprintf("%d.%02d", n/100, n%100), "currency": p.currency}
	}
	out := map[string]any{
		"id": p.ref, "status": "pending", "amount": decimal(p.amount), "metadata": map[string]string{"payment_id": p.reference},
		"confirmation": map[string]any{"confirmation_url": "https://yoomoney.test/" + p.ref},
	}
	switch {
	case p.paid:
		out["status"], out["refunded_amount"] = "succeeded", decimal(p.refunded)
	case p.gone:
		out["status"] = "canceled"
	}
	return out
}

// providers are both implementations with one fake.
func providers(f *fake) map[string]Provider {
	secrets := Secrets{ShopID: "77", SecretKey: "sk_test_4", WebhookSecret: "whsec_9"}
	return map[string]Provider{"stripe": Stripe(f.do(), f.URL, secrets), "yookassa": YooKassa(f.do(), f.URL, secrets)}
}

func TestPaymentAndRefundAreIdempotent(t *testing.T) {
	t.Parallel()
	for name := range providers(newFake(t)) {
		f := newFake(t)
		p := providers(f)[name]
		ctx := context.Background()
		a := Attempt{Payment: 12, Order: 9, Title: "Order 1001 & more", Amount: 1250, Currency: "EUR", Key: "k-1", ReturnURL: "https://tea.test/orders/9", Email: "ann@people.test"}
		first, err := p.Start(ctx, a)
		again, failed := p.Start(ctx, a)
		if err != nil || failed != nil || first != again || first.Ref == "" || !strings.HasPrefix(first.URL, "https://") || len(f.payments) != 1 {
			t.Errorf("%s: %+v %v, %+v %v", name, first, err, again, failed)
		}
		seen, err := p.Fetch(ctx, first.Ref)
		if want := (Status{Ref: first.Ref, State: Open, Amount: 1250, Currency: "EUR", Payment: 12}); err != nil || seen != want {
			t.Errorf("%s: %+v, %v", name, seen, err)
		}
		if err := p.Refund(ctx, Refund{first.Ref, 1250, "EUR", "r-0"}); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: an unpaid payment was refunded: %v", name, err)
		}
		f.payments[first.Ref].paid = true
		for range 2 {
			if err := p.Refund(ctx, Refund{first.Ref, 1250, "EUR", "r-1"}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		seen, err = p.Fetch(ctx, first.Ref)
		if err != nil || seen.State != Paid || seen.Refunded != 1250 {
			t.Errorf("%s: %+v, %v", name, seen, err)
		}
		if _, err := p.Fetch(ctx, "../../v1/customers"); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// After a failure of a provider it is unknown whether the call had its effect, and
// repeating it with the same key is safe; a refusal is definite. Errors contain no secret.
func TestFailuresOfProviders(t *testing.T) {
	t.Parallel()
	for name := range providers(newFake(t)) {
		for status, want := range map[int]error{400: ErrRefused, 401: ErrRefused, 402: ErrRefused, 404: ErrRefused, 408: ErrUnknown, 409: ErrUnknown, 429: ErrUnknown, 500: ErrUnknown, 503: ErrUnknown, 200: ErrUnknown} {
			f := newFake(t)
			p := providers(f)[name]
			f.fail = func(string) (int, bool) { return status, true }
			a := Attempt{Payment: 1, Amount: 100, Currency: "EUR", Key: "k"}
			_, err := p.Start(context.Background(), a)
			if !errors.Is(err, want) || strings.Contains(fmt.Sprint(err), "sk_test") {
				t.Errorf("%s %d: %v", name, status, err)
			}
			f.fail = nil
			if _, err := p.Start(context.Background(), a); err != nil || len(f.payments) != 1 {
				t.Errorf("%s %d: %d payments, %v", name, status, len(f.payments), err)
			}
		}
		f := newFake(t)
		f.Close()
		if _, err := providers(f)[name].Fetch(context.Background(), "x"); !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: unreachable: %v", name, err)
		}
	}
}

func TestAmountsAtProviders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		currency     string
		amount, sent int64 // in units of ISO, of Stripe
	}{{"EUR", 1250, 1250}, {"JPY", 500, 500}, {"ISK", 500, 50_000}, {"UGX", 7, 700}, {"MGA", 500, 5}, {"KWD", 1230, 1230}} {
		sent, err := toStripe(c.amount, c.currency)
		back, failed := fromStripe(c.sent, c.currency)
		if sent != c.sent || back != c.amount || err != nil || failed != nil {
			t.Errorf("%v: %d %v, %d %v", c, sent, err, back, failed)
		}
	}
	if _, err := toStripe(150, "MGA"); err == nil {
		t.Error("half an ariary")
	}
	if _, err := fromStripe(150, "ISK"); err == nil {
		t.Error("half a krona")
	}
	for text, want := range map[string]int64{"12.50": 1250, "12": 1200, "12.5": 1250, "0.01": 1} {
		if got, err := yooMinor(text); got != want || err != nil {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "-1.00", "1e3", "1.005", "1,00", ".", "99999999999999999999.00"} {
		if got, err := yooMinor(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
	if a, err := yooDecimal(1205, "RUB"); err != nil || a.Value != "12.05" {
		t.Errorf("%v %v", a, err)
	}
}

func TestCharges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method, currency string
		digits           int
		want             bool
	}{
		{"yookassa", "RUB", 2, true}, {"yookassa", "EUR", 0, true}, {"yookassa", "JPY", 0, false}, {"yookassa", "KWD", 0, false},
		{"stripe", "EUR", 2, true}, {"stripe", "JPY", 0, true}, {"stripe", "KWD", 0, true}, {"stripe", "CLF", 0, false},
		{"stripe", "MGA", 0, true}, {"stripe", "MGA", 2, false}, {"manual", "CLF", 0, true}, {"sandbox", "JPY", 0, true},
	} {
		if got := Charges(c.method, c.currency, c.digits); got != c.want {
			t.Errorf("%v: %v", c, got)
		}
	}
}
