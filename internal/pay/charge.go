package pay

import (
	"context"
	"errors"
	"time"
)

// Charger is a Provider that can also charge a token instead of sending the buyer to a page: it
// reserves the money before an order is placed, and takes or releases it afterwards. A call with a
// key that was used before has no further effect.
type Charger interface {
	Provider
	// Authorize reserves the money of a charge. attempt identifies it at the provider and is the
	// idempotency key. Errors: ErrDeclined, as a *Decline; ErrActionRequired, with the Ref of what is
	// to be voided; ErrUnknown.
	Authorize(ctx context.Context, attempt string, c NewCharge) (Status, error)
	// Capture takes reserved money.
	Capture(ctx context.Context, ref, key string) (Status, error)
	// Void releases reserved money.
	Void(ctx context.Context, ref, key string) (Status, error)
	// FindByAttempt finds what Authorize did at about a time; found is false if it did nothing.
	FindByAttempt(ctx context.Context, attempt string, at time.Time) (seen Status, found bool, err error)
}

// Errors of charges, matched with errors.Is.
var (
	// ErrDeclined: the money was not reserved. The error is a *Decline.
	ErrDeclined = errors.New("pay: the payment was declined")
	// ErrActionRequired: the buyer has to confirm the payment on a page, for example with 3D Secure.
	ErrActionRequired = errors.New("pay: the buyer has to act")
	// ErrUndecided: it is unknown whether the money was reserved or taken; the worker finds out and
	// ends it.
	ErrUndecided = errors.New("pay: the charge is undecided")
)

// Decline is the refusal of a charge.
type Decline struct {
	Reason string // by the provider, for the buyer, in English; empty: none that the buyer may see
}

func (d *Decline) Error() string { return ErrDeclined.Error() + ": " + d.Reason }

// Is makes a Decline match ErrDeclined.
func (d *Decline) Is(target error) bool { return target == ErrDeclined }

// NewCharge is a charge to make.
type NewCharge struct {
	Session     string // what is paid
	AmountMinor int64  // in minor units of the currency
	Currency    string // ISO 4217
	Title       string // shown by the provider
	Email       string // of the buyer; may be empty
	Instrument  Instrument
}

// Instrument is what a buyer pays with. It must not be stored or logged.
type Instrument struct {
	Kind  InstrumentKind
	Token string
}

// InstrumentKind is the kind of a token.
type InstrumentKind int

// The kinds.
const (
	GooglePay   InstrumentKind = iota + 1 // the JSON text of Google Pay's token for Stripe
	SharedToken                           // a shared payment token of Stripe, "spt_…"
)

// Handler is what a shop offers to programs that pay with tokens.
type Handler struct {
	Provider string // "stripe"; empty: the shop accepts no tokens
	Live     bool   // otherwise the account is in test mode

	MerchantName string
	MerchantID   string // the account or profile that shared tokens are granted to; may be empty

	PublishableKey   string // for Google Pay; empty: it is not offered
	GoogleMerchantID string // may be empty in test mode
}
