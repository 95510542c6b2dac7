// Package pay talks to payment providers: a payment is begun there, looked at, and
// given back, and what a provider tells is read (CONTRACT-COMMERCE, "Payments").
//
// A Provider is four calls. None of them keeps anything: attempts and refunds are
// rows that the caller writes before the call, with a Key of its own under which a
// provider does a thing once. When nobody knows whether a call arrived (ErrUnknown)
// it is made again with the same key.
//
// A notification is a hint: it says which payment to look at, and nothing that it
// says about money is believed.
package pay

import (
	"context"
	"errors"
	"slices"
	"time"

	"vitrine/internal/outbound"
	"vitrine/internal/shop"
)

// Errors of a call, matched with errors.Is.
var (
	// ErrUnknown: the provider did not answer, or failed; the thing may have been done.
	ErrUnknown = errors.New("pay: the provider gave no clear answer")
	// ErrRefused: the provider answered that it will not do it.
	ErrRefused = errors.New("pay: the provider refused")
	// ErrForged: a notification that is not the provider's, or too old.
	ErrForged = errors.New("pay: this is no notification of the provider")
)

// State is where a payment stands at its provider.
type State string

// The states.
const (
	Open   State = "open" // the buyer may still pay
	Paid   State = "paid"
	Failed State = "failed" // refused, given up or expired
)

// Attempt is a payment that is to begin.
type Attempt struct {
	Payment   shop.PaymentID
	Company   shop.CompanyID
	Order     shop.OrderID
	Title     string // what the buyer reads at the provider
	Amount    int64  // in the smallest units of the currency
	Currency  string // ISO 4217
	Key       string // under which it begins once
	ReturnURL string // where the buyer comes back
	Email     string // of the buyer; may be empty
	Phone     string
	Lines     []Line // what is paid for; their amounts add up to Amount
}

// Line is a line of a receipt.
type Line struct {
	Name     string
	Quantity int64
	Amount   int64 // of all of it, in the smallest units of the currency
}

// Started is a payment that has begun.
type Started struct {
	Ref string // what the provider calls it
	URL string // where the buyer pays
}

// Seen is a payment as its provider sees it.
type Seen struct {
	Ref      string
	State    State
	Amount   int64 // in the smallest units of the currency
	Currency string
	Refunded int64
	Payment  shop.PaymentID // that it was begun for, by what the provider kept; 0: it says nothing
}

// Refund is money that is to go back.
type Refund struct {
	Ref      string // of the payment
	Amount   int64
	Currency string
	Key      string // under which it goes once
}

// Provider is where money is taken.
type Provider interface {
	// Start begins a payment; with a key that was used before it answers the same one.
	Start(ctx context.Context, a Attempt) (Started, error)
	// Fetch looks at a payment.
	Fetch(ctx context.Context, ref string) (Seen, error)
	// Refund gives money back; with a key that was used before it gives nothing more.
	Refund(ctx context.Context, r Refund) error
	// Notify reads a notification. It is ErrForged for one that the provider has not
	// signed, where it signs.
	Notify(header Header, body []byte, now time.Time) (Notice, error)
}

// Notice is what a notification is about.
type Notice struct {
	Ref     string         // what the provider calls the payment; empty: it does not say
	Payment shop.PaymentID // by what the provider kept; 0: it does not say
	Signed  bool           // it is the provider's word; else anybody may have sent it
}

// Charges reports whether a method takes money in a currency, of a shop whose prices have
// so many digits behind the point. Providers are known by the names of their methods.
func Charges(method, currency string, digits int) bool {
	switch method {
	case "yookassa":
		return shop.Exponent(currency) == 2
	case "stripe":
		return !slices.Contains(stripeNone, currency) && (digits == 0 || !slices.Contains(stripeWhole, currency))
	}
	return true
}

// Header is a header of a notification by its name, empty where there is none.
type Header func(name string) string

// Secrets are what a shop's provider is reached with.
type Secrets struct {
	ShopID        string `json:"shop_id,omitempty"`
	SecretKey     string `json:"secret_key,omitempty"`
	WebhookSecret string `json:"webhook_secret,omitempty"`

	Receipt *Receipt `json:"receipt,omitempty"` // nil: payments carry none
}

// Receipt is how receipts of YooKassa are made out, by its codes.
type Receipt struct {
	TaxSystem int `json:"tax_system"` // 1 to 6
	VATCode   int `json:"vat_code"`   // 1 to 12
}

// Do sends a request; it is that of an [outbound.Client].
type Do func(ctx context.Context, r outbound.Request) (*outbound.Answer, error)

const (
	callTime  = 20 * time.Second
	maxAnswer = 256 << 10 // bytes

	// MaxNotification is how many bytes of a notification are read.
	MaxNotification = 64 << 10

	// staleAfter is when a signature is too old.
	staleAfter = 5 * time.Minute
)
