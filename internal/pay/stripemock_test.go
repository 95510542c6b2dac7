package pay

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stripe/stripe-mock/embedded"
	"github.com/stripe/stripe-mock/server"

	"vitrine/internal/outbound"
)

// Stripe's mock server, which validates requests against the API description and stores
// nothing, accepts our requests.
func TestRequestsMatchTheStripeAPI(t *testing.T) {
	t.Parallel()
	spec, err := server.LoadSpec(embedded.OpenAPISpec, "")
	if err != nil {
		t.Fatal(err)
	}
	fixtures, err := server.LoadFixtures(embedded.OpenAPIFixtures, "")
	if err != nil {
		t.Fatal(err)
	}
	stub, err := server.NewStubServer(fixtures, spec, false, false)
	if err != nil {
		t.Fatal(err)
	}
	var refused []string
	mock := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Path == "/v1/payment_intents" { // the description leaves the data of cards out
			r.ParseForm() //nolint:errcheck // the mock finds nothing then
			for name := range r.PostForm {
				if strings.HasPrefix(name, "payment_method_data[card]") || name == "payment_method_data[type]" {
					r.PostForm.Del(name)
				}
			}
			r.PostForm.Set("payment_method_data[type]", "link")
			r.Body = io.NopCloser(strings.NewReader(r.PostForm.Encode()))
		}
		seen := httptest.NewRecorder()
		stub.HandleRequest(seen, r)
		if seen.Code/100 != 2 {
			refused = append(refused, r.URL.String()+": "+seen.Body.String())
		}
		w.WriteHeader(seen.Code)
		w.Write(seen.Body.Bytes()) //nolint:errcheck // the client sees it
	}))
	defer mock.Close()
	p := Stripe(outbound.New(outbound.Allow(netip.MustParsePrefix("127.0.0.0/8"))).Do, mock.URL, Secrets{SecretKey: "sk_test_123", WebhookSecret: "whsec_1"})
	started, err := p.Start(t.Context(), Attempt{
		Payment: 17, Company: 1, Order: 9, Title: "Tea #1009", Amount: 1250, Currency: "EUR", Key: "a-key", ReturnURL: "https://tea.test/orders/9", Email: "ann@people.test",
	})
	if err != nil || started.Ref == "" {
		t.Errorf("start: %+v, %v", started, err)
	}
	if _, err := p.Fetch(t.Context(), "cs_test_1"); err != nil && !errors.Is(err, ErrUnknown) { // the mock answers with an unrelated payment
		t.Errorf("fetch: %v", err)
	}
	if err := p.Refund(t.Context(), Refund{Ref: "cs_test_1", Amount: 1250, Currency: "EUR", Key: "b-key"}); err != nil && !errors.Is(err, ErrRefused) {
		t.Errorf("refund: %v", err)
	}
	for name, call := range map[string]func(c Charger) error{
		"authorize": func(c Charger) error {
			_, err := c.Authorize(t.Context(), "attempt", NewCharge{AmountMinor: 1250, Currency: "EUR", Title: "Tea", Email: "ann@people.test", Instrument: Instrument{GooglePay, `{"id":"tok_visa"}`}})
			return err
		},
		"capture": func(c Charger) error { _, err := c.Capture(t.Context(), "pi_1", "c-key"); return err },
		"void":    func(c Charger) error { _, err := c.Void(t.Context(), "pi_1", "v-key"); return err },
		"find": func(c Charger) error {
			_, _, err := c.FindByAttempt(t.Context(), "attempt", time.Unix(1_800_000_000, 0))
			return err
		},
		"fetch": func(c Charger) error { _, err := c.Fetch(t.Context(), "pi_1"); return err },
		"refund": func(c Charger) error {
			return c.Refund(t.Context(), Refund{Ref: "pi_1", Amount: 1250, Currency: "EUR", Key: "r-key"})
		},
	} {
		if err := call(p.(Charger)); err != nil && !errors.Is(err, ErrUnknown) { // the mock answers with an unrelated intent
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, why := range refused {
		t.Error(why)
	}
}
