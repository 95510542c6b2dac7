package pay

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/outbound"
	"vitrine/internal/shop"
)

// StripeURL is the origin of Stripe's API.
const StripeURL = "https://api.stripe.com"

// stripe uses hosted Checkout: a payment is a Checkout session.
type stripe struct {
	do     Do
	origin string
	Secrets
}

// Stripe returns a Provider for Stripe at an origin.
func Stripe(do Do, origin string, s Secrets) Provider { return &stripe{do, origin, s} }

// stripeSession is a Checkout session with its payment.
type stripeSession struct {
	ID            string        `json:"id"`
	URL           string        `json:"url"`
	Status        string        `json:"status"`         // open, complete, expired
	PaymentStatus string        `json:"payment_status"` // paid, unpaid, no_payment_required
	AmountTotal   int64         `json:"amount_total"`
	Currency      string        `json:"currency"`
	Reference     string        `json:"client_reference_id"`
	Intent        *stripeIntent `json:"payment_intent"`
}

// stripeIntent is a payment intent: the payment of a session, or a charge. If it was not
// expanded, it is its id as a string.
type stripeIntent struct {
	ID         string            `json:"id"`
	Status     string            `json:"status"`
	Amount     int64             `json:"amount"`
	Capturable *int64            `json:"amount_capturable"`
	Received   *int64            `json:"amount_received"`
	Currency   string            `json:"currency"`
	Metadata   map[string]string `json:"metadata"`
	Charge     *stripeCharge     `json:"latest_charge"`
}

// stripeCharge is the money of an intent, likewise.
type stripeCharge struct {
	Refunded int64 `json:"amount_refunded"`
}

// UnmarshalJSON reads both forms.
func (c *stripeCharge) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return nil
	}
	type whole stripeCharge
	return json.Unmarshal(data, (*whole)(c))
}

// UnmarshalJSON reads both forms.
func (i *stripeIntent) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &i.ID)
	}
	type whole stripeIntent
	return json.Unmarshal(data, (*whole)(i))
}

func (s *stripe) Start(ctx context.Context, a Attempt) (Started, error) {
	amount, err := toStripe(a.Amount, a.Currency)
	if err != nil {
		return Started{}, err
	}
	form := url.Values{
		"mode": {"payment"}, "client_reference_id": {a.Payment.String()}, "success_url": {a.ReturnURL}, "cancel_url": {a.ReturnURL},
		"line_items[0][quantity]":                       {"1"},
		"line_items[0][price_data][currency]":           {strings.ToLower(a.Currency)},
		"line_items[0][price_data][unit_amount]":        {strconv.FormatInt(amount, 10)},
		"line_items[0][price_data][product_data][name]": {a.Title},
		"metadata[payment_id]":                          {a.Payment.String()},
		"metadata[order_id]":                            {a.Order.String()},
		"payment_intent_data[metadata][payment_id]":     {a.Payment.String()}, // copied to the charges
	}
	if a.Email != "" {
		form.Set("customer_email", a.Email)
	}
	var made stripeSession
	err = s.post(ctx, "/v1/checkout/sessions", a.Key, form, &made)
	return Started{made.ID, made.URL}, err
}

func (s *stripe) Fetch(ctx context.Context, ref string) (Status, error) {
	if strings.HasPrefix(ref, intentPrefix) {
		var found stripeIntent
		if err := s.get(ctx, "/v1/payment_intents/"+url.PathEscape(ref)+"?expand[]=latest_charge", 0, &found); err != nil {
			return Status{}, err
		}
		return found.status()
	}
	found, err := s.session(ctx, ref)
	if err != nil {
		return Status{}, err
	}
	seen := Status{Ref: found.ID, State: Open, Currency: strings.ToUpper(found.Currency)}
	if seen.Amount, err = fromStripe(found.AmountTotal, seen.Currency); err != nil {
		return seen, err
	}
	switch {
	case found.PaymentStatus == "paid":
		seen.State = Paid
	case found.Status == "expired":
		seen.State = Failed
	}
	if i := found.Intent; i != nil && i.Charge != nil {
		if seen.Refunded, err = fromStripe(i.Charge.Refunded, seen.Currency); err != nil {
			return seen, err
		}
	}
	id, _ := strconv.ParseInt(found.Reference, 10, 64)
	seen.Payment = shop.PaymentID(id)
	return seen, nil
}

func (s *stripe) session(ctx context.Context, ref string) (found stripeSession, err error) {
	err = s.get(ctx, "/v1/checkout/sessions/"+url.PathEscape(ref)+"?expand[]=payment_intent.latest_charge", 0, &found)
	return found, err
}

func (s *stripe) Refund(ctx context.Context, r Refund) error {
	intent := r.Ref
	if !strings.HasPrefix(intent, intentPrefix) {
		found, err := s.session(ctx, r.Ref)
		if err != nil {
			return err
		}
		if found.Intent == nil {
			return fmt.Errorf("%w: nothing was paid", ErrRefused)
		}
		intent = found.Intent.ID
	}
	amount, err := toStripe(r.Amount, r.Currency)
	if err != nil {
		return err
	}
	var made struct {
		ID string `json:"id"`
	}
	return s.post(ctx, "/v1/refunds", r.Key, url.Values{"payment_intent": {intent}, "amount": {strconv.FormatInt(amount, 10)}}, &made)
}

func (s *stripe) post(ctx context.Context, path, key string, form url.Values, out any) error {
	return call(ctx, s.do, s.form(path, key, form), out)
}

func (s *stripe) form(path, key string, form url.Values) outbound.Request {
	return outbound.Request{
		Method: "POST", URL: s.origin + path, Body: []byte(form.Encode()),
		Header: map[string]string{
			"Authorization": "Bearer " + s.SecretKey, "Content-Type": "application/x-www-form-urlencoded", "Idempotency-Key": key,
		},
	}
}

// Notify reads an event. Stripe-Signature is "t=<seconds>,v1=<hmac>", where the HMAC is of
// the time, a dot and the body, with one v1 per valid secret.
func (s *stripe) Notify(header Header, body []byte, now time.Time) (Notification, error) {
	var at string
	var marks []string
	for part := range strings.SplitSeq(header("Stripe-Signature"), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "t":
			at = value
		case "v1":
			marks = append(marks, value)
		}
	}
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || s.WebhookSecret == "" || now.Sub(time.Unix(seconds, 0)).Abs() > staleAfter {
		return Notification{}, ErrForged
	}
	mac := hmac.New(sha256.New, []byte(s.WebhookSecret))
	mac.Write([]byte(at + "."))
	mac.Write(body)
	want := []byte(hex.EncodeToString(mac.Sum(nil)))
	if !slices.ContainsFunc(marks, func(m string) bool { return hmac.Equal([]byte(m), want) }) {
		return Notification{}, ErrForged
	}
	var event struct {
		Data struct {
			Object struct {
				ID       string            `json:"id"`
				Object   string            `json:"object"`
				Intent   stripeIntent      `json:"payment_intent"` // of a charge or a refund
				Metadata map[string]string `json:"metadata"`
			} `json:"object"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &event) != nil {
		return Notification{}, ErrForged
	}
	about := event.Data.Object
	n := Notification{Signed: true, Ref: about.Intent.ID, Charge: about.Metadata["charge_id"]}
	switch about.Object {
	case "checkout.session", "payment_intent":
		n.Ref = about.ID
	}
	id, _ := strconv.ParseInt(about.Metadata["payment_id"], 10, 64) // also set for a charge, such as a refunded one
	n.Payment = shop.PaymentID(id)
	return n, nil
}

// Currencies whose minor units at Stripe differ from ISO 4217: without decimals although
// ISO has them (MGA), and with two although ISO has none. Units of account cannot be
// charged.
var (
	stripeNone  = []string{"CLF", "UYI", "UYW"}
	stripeWhole = []string{"MGA"}
	stripeCents = []string{"ISK", "UGX"}
)

// toStripe converts an amount to Stripe's units.
func toStripe(amount int64, currency string) (int64, error) {
	switch {
	case slices.Contains(stripeCents, currency):
		return amount * 100, nil
	case slices.Contains(stripeWhole, currency):
		if amount%100 != 0 {
			return 0, fmt.Errorf("%w: fractions of %s are not supported", ErrRefused, currency)
		}
		return amount / 100, nil
	}
	return amount, nil
}

func fromStripe(amount int64, currency string) (int64, error) {
	switch {
	case slices.Contains(stripeCents, currency):
		if amount%100 != 0 {
			return 0, fmt.Errorf("%w: a fraction of %s", ErrUnknown, currency)
		}
		return amount / 100, nil
	case slices.Contains(stripeWhole, currency):
		return amount * 100, nil
	}
	return amount, nil
}
