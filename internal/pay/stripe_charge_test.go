package pay

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"vitrine/internal/outbound"
	"vitrine/internal/pay/stripetest"
)

func charger(s *stripetest.Server) Charger {
	do := outbound.New(outbound.Allow(netip.MustParsePrefix("127.0.0.0/8"))).Do
	return Stripe(do, s.URL, Secrets{SecretKey: stripetest.SecretKey}).(Charger)
}

func googleCharge(token string) NewCharge {
	return NewCharge{AmountMinor: 1450, Currency: "EUR", Title: "Tea", Instrument: Instrument{GooglePay, `{"id":"` + token + `"}`}}
}

// Each call may be repeated with its key, and a charge is taken or released once.
func TestCallsOfChargesAreIdempotent(t *testing.T) {
	t.Parallel()
	s := stripetest.New(t)
	p := charger(s)
	var refs []string
	for range 2 {
		seen, err := p.Authorize(t.Context(), "a-1", googleCharge("tok_1"))
		if err != nil || seen.State != Authorised || seen.Amount != 1450 || seen.Currency != "EUR" {
			t.Fatalf("%+v, %v", seen, err)
		}
		refs = append(refs, seen.Ref)
	}
	if refs[0] != refs[1] || len(s.Intents()) != 1 {
		t.Errorf("%v", refs)
	}
	if _, err := p.Authorize(t.Context(), "a-2", googleCharge("tok_1")); !errors.Is(err, ErrDeclined) || strings.Contains(err.Error(), "tok_") {
		t.Errorf("a used token: %v", err)
	}
	for range 2 {
		if seen, err := p.Capture(t.Context(), refs[0], "a-1-capture"); err != nil || seen.State != Paid || seen.Amount != 1450 {
			t.Errorf("%+v, %v", seen, err)
		}
	}
	if _, err := p.Void(t.Context(), refs[0], "a-1-void"); !errors.Is(err, ErrRefused) {
		t.Errorf("taken money was released: %v", err)
	}
	for range 2 {
		if err := p.Refund(t.Context(), Refund{refs[0], 1450, "EUR", "a-1-refund"}); err != nil {
			t.Error(err)
		}
	}
	if seen, err := p.Fetch(t.Context(), refs[0]); err != nil || seen.State != Paid || seen.Refunded != 1450 {
		t.Errorf("%+v, %v", seen, err)
	}
	seen, err := p.Authorize(t.Context(), "a-3", googleCharge("tok_3"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if seen, err := p.Void(t.Context(), seen.Ref, "a-3-void"); err != nil || seen.State != Failed {
			t.Errorf("%+v, %v", seen, err)
		}
	}
	if _, err := p.Capture(t.Context(), seen.Ref, "a-3-capture"); !errors.Is(err, ErrRefused) {
		t.Errorf("released money was taken: %v", err)
	}
	for _, ref := range []string{"pi_../../customers", "pi_", "pi_99"} {
		if _, err := p.Fetch(t.Context(), ref); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: %v", ref, err)
		}
	}
}

// A charge is found by its attempt among those of several pages, and only near its time.
func TestAChargeIsFoundByItsAttempt(t *testing.T) {
	t.Parallel()
	s := stripetest.New(t)
	p := charger(s)
	now := time.Unix(1_800_000_000, 0)
	for n := range 2*pageSize + 10 {
		s.Now = func() time.Time { return now.Add(time.Duration(n) * time.Second) }
		if _, err := p.Authorize(t.Context(), fmt.Sprint("a-", n), googleCharge(fmt.Sprint("tok_", n))); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []int{0, pageSize - 1, pageSize, 2*pageSize + 9} {
		seen, found, err := p.FindByAttempt(t.Context(), fmt.Sprint("a-", n), now.Add(time.Minute))
		if err != nil || !found || seen.Ref != fmt.Sprint("pi_", n+1) {
			t.Errorf("%d: %+v %t %v", n, seen, found, err)
		}
	}
	if _, found, err := p.FindByAttempt(t.Context(), "a-0", now.Add(time.Hour)); found || err != nil {
		t.Errorf("at another time: %t %v", found, err)
	}
	s.Fault = func(*http.Request) stripetest.Fault { return stripetest.Down }
	if _, found, err := p.FindByAttempt(t.Context(), "a-0", now); found || !errors.Is(err, ErrUnknown) {
		t.Errorf("without an answer: %t %v", found, err)
	}
}

// Refused charges: messages about cards are for the buyer, others are not passed on.
func TestDeclinedCharges(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"error":{"type":"card_error","code":"card_declined","message":"Your card\u0000 was\n declined.","payment_intent":{"id":"pi_1"}}}`: "Your card was declined.",
		`{"error":{"type":"card_error","message":"` + strings.Repeat("x", 400) + `"}}`:                                                      strings.Repeat("x", maxReason),
		`{"error":{"type":"invalid_request_error","message":"No such token: 'tok_secret'"}}`:                                                "",
		`{"error":{"type":"api_error","message":"sk_live_1"}}`:                                                                              "", `{`: "", `null`: "", `{"error":"x"}`: "",
	} {
		_, err := declined([]byte(body))
		var no *Decline
		if !errors.As(err, &no) || no.Reason != want && !strings.HasPrefix(want, strings.TrimSuffix(no.Reason, "…")) {
			t.Errorf("%s: %v", body, err)
		}
	}
	seen, err := declined([]byte(`{"error":{"type":"card_error","code":"authentication_required","payment_intent":{"id":"pi_7"}}}`))
	if !errors.Is(err, ErrActionRequired) || seen.Ref != "pi_7" {
		t.Errorf("%+v, %v", seen, err)
	}
}

// Only tokens of the two kinds are sent; other texts are declined without a call.
func TestOnlyTokensAreSent(t *testing.T) {
	t.Parallel()
	s := stripetest.New(t)
	p := charger(s)
	for _, i := range []Instrument{
		{GooglePay, `tok_1`}, {GooglePay, `{"id":"spt_1"}`}, {GooglePay, `{"id":"tok_"}`}, {GooglePay, `{"id":"tok_a b"}`}, {GooglePay, `{"id":["tok_1"]}`}, {GooglePay, ``},
		{SharedToken, `tok_1`}, {SharedToken, `spt_`}, {SharedToken, "spt_1\n"}, {SharedToken, "spt_" + strings.Repeat("1", 255)}, {SharedToken, `pm_1`}, {0, `spt_1`}, {9, `tok_1`},
	} {
		if _, err := p.Authorize(t.Context(), "a", NewCharge{AmountMinor: 1, Currency: "EUR", Instrument: i}); !errors.Is(err, ErrDeclined) {
			t.Errorf("%+v: %v", i, err)
		}
	}
	if calls := s.Calls(); len(calls) > 0 {
		t.Errorf("%v", calls)
	}
}
