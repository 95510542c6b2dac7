package pay

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

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
	for _, why := range refused {
		t.Error(why)
	}
}
