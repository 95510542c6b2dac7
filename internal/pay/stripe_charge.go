package pay

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/outbound"
	"vitrine/internal/shop"
)

// StripeVersion is the version of Stripe's API that Google Pay's tokens are made for.
const StripeVersion = "2018-10-31"

// sharedVersion is the API version in which a payment intent accepts shared tokens.
const sharedVersion = "2026-04-22.preview"

// intentPrefix begins the ids of payment intents. Other references are Checkout sessions.
const intentPrefix = "pi_"

func (s *stripe) Authorize(ctx context.Context, attempt string, c NewCharge) (Status, error) {
	amount, err := toStripe(c.AmountMinor, c.Currency)
	if err != nil {
		return Status{}, &Decline{}
	}
	form := url.Values{
		"amount": {strconv.FormatInt(amount, 10)}, "currency": {strings.ToLower(c.Currency)}, "description": {c.Title},
		"capture_method": {"manual"}, "confirm": {"true"}, "metadata[charge_id]": {attempt},
		"automatic_payment_methods[enabled]": {"true"}, "automatic_payment_methods[allow_redirects]": {"never"},
	}
	r := s.form("/v1/payment_intents", attempt, form)
	switch c.Instrument.Kind {
	case GooglePay:
		token, ok := googleToken(c.Instrument.Token)
		if !ok {
			return Status{}, &Decline{}
		}
		form.Set("payment_method_data[type]", "card")
		form.Set("payment_method_data[card][token]", token)
		if c.Email != "" {
			form.Set("payment_method_data[billing_details][email]", c.Email)
		}
	case SharedToken:
		if !isToken(c.Instrument.Token, "spt_") {
			return Status{}, &Decline{}
		}
		form.Set("payment_method_data[shared_payment_granted_token]", c.Instrument.Token)
		r.Header["Stripe-Version"] = sharedVersion
	default:
		return Status{}, &Decline{}
	}
	r.Body = []byte(form.Encode())
	status, text, err := send(ctx, s.do, r)
	if err != nil {
		return Status{}, err
	}
	if status/100 != 2 {
		return declined(text)
	}
	var made stripeIntent
	if json.Unmarshal(text, &made) != nil {
		return Status{}, fmt.Errorf("%w: unexpected JSON", ErrUnknown)
	}
	seen, err := made.status()
	switch {
	case err != nil:
		return seen, err
	case made.Status == "requires_action":
		return seen, ErrActionRequired
	case seen.State != Authorised:
		return seen, fmt.Errorf("%w: status %s", ErrUnknown, made.Status)
	}
	return seen, nil
}

// declined reads a refused authorization. Only messages about cards are meant for buyers; others may
// repeat the token.
func declined(text []byte) (Status, error) {
	var said struct {
		Error struct {
			Type    string       `json:"type"`
			Code    string       `json:"code"`
			Message string       `json:"message"`
			Intent  stripeIntent `json:"payment_intent"`
		} `json:"error"`
	}
	if json.Unmarshal(text, &said) != nil || said.Error.Type != "card_error" {
		return Status{}, &Decline{}
	}
	seen := Status{Ref: said.Error.Intent.ID}
	if said.Error.Code == "authentication_required" && seen.Ref != "" {
		return seen, ErrActionRequired
	}
	return seen, &Decline{Reason: plain(said.Error.Message)}
}

// maxToken bounds the length of a token, in bytes.
const maxToken = 255

// googleToken returns the id of the token that Google Pay encrypts for Stripe.
func googleToken(text string) (string, bool) {
	var t struct {
		ID string `json:"id"`
	}
	return t.ID, json.Unmarshal([]byte(text), &t) == nil && isToken(t.ID, "tok_")
}

func isToken(s, prefix string) bool {
	rest, ok := strings.CutPrefix(s, prefix)
	return ok && rest != "" && len(s) <= maxToken && !strings.ContainsFunc(rest, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

func (s *stripe) Capture(ctx context.Context, ref, key string) (Status, error) {
	return s.act(ctx, ref, "capture", key)
}

func (s *stripe) Void(ctx context.Context, ref, key string) (Status, error) {
	return s.act(ctx, ref, "cancel", key)
}

func (s *stripe) act(ctx context.Context, ref, action, key string) (Status, error) {
	var made stripeIntent
	if err := s.post(ctx, "/v1/payment_intents/"+url.PathEscape(ref)+"/"+action, key, url.Values{}, &made); err != nil {
		return Status{}, err
	}
	return made.status()
}

const (
	pageSize    = 50
	maxPages    = 100
	maxPage     = 4 << 20 // bytes
	searchRange = 10 * time.Minute
)

// FindByAttempt looks through the payment intents that were created at about the time: Stripe's search
// by metadata lags behind, and exists only in some countries.
func (s *stripe) FindByAttempt(ctx context.Context, attempt string, at time.Time) (Status, bool, error) {
	ask := url.Values{
		"limit":        {strconv.Itoa(pageSize)},
		"created[gte]": {strconv.FormatInt(at.Add(-searchRange).Unix(), 10)}, "created[lte]": {strconv.FormatInt(at.Add(searchRange).Unix(), 10)},
	}
	for range maxPages {
		var page struct {
			Data []stripeIntent `json:"data"`
			More bool           `json:"has_more"`
		}
		if err := s.get(ctx, "/v1/payment_intents?"+ask.Encode(), maxPage, &page); err != nil {
			return Status{}, false, err
		}
		for _, i := range page.Data {
			if i.Metadata["charge_id"] == attempt {
				seen, err := i.status()
				return seen, err == nil, err
			}
		}
		if !page.More || len(page.Data) == 0 {
			return Status{}, false, nil
		}
		ask.Set("starting_after", page.Data[len(page.Data)-1].ID)
	}
	return Status{}, false, fmt.Errorf("%w: too many payments", ErrUnknown)
}

// status is the state of a payment intent.
func (i stripeIntent) status() (seen Status, err error) {
	seen = Status{Ref: i.ID, State: Open, Currency: strings.ToUpper(i.Currency)}
	amount := &i.Amount
	switch i.Status {
	case "requires_capture":
		seen.State, amount = Authorised, cmp.Or(i.Capturable, amount)
	case "succeeded":
		seen.State, amount = Paid, cmp.Or(i.Received, amount)
	case "canceled", "requires_payment_method":
		seen.State = Failed
	}
	if seen.Amount, err = fromStripe(*amount, seen.Currency); err != nil {
		return seen, err
	}
	if i.Charge != nil {
		seen.Refunded, err = fromStripe(i.Charge.Refunded, seen.Currency)
	}
	id, _ := strconv.ParseInt(i.Metadata["payment_id"], 10, 64)
	seen.Payment = shop.PaymentID(id)
	return seen, err
}

func (s *stripe) get(ctx context.Context, path string, most int64, out any) error {
	return call(ctx, s.do, outbound.Request{URL: s.origin + path, MaxBody: most, Header: map[string]string{"Authorization": "Bearer " + s.SecretKey}}, out)
}

// StripeLive reports whether a key of Stripe is for real money.
func StripeLive(key string) bool { return strings.Contains(key, "_live_") }
