// Package pay calls payment providers: it starts, fetches and refunds payments, and reads
// notifications (CONTRACT-COMMERCE, "Payments").
//
// A Provider has four calls, none of which stores anything: attempts and refunds are rows
// that the caller writes before the call, with their own Key, under which a provider acts
// only once. If it is unknown whether a call arrived (ErrUnknown), it must be made again
// with the same key.
//
// A notification is only a hint: it names the payment to fetch, and what it contains about
// money is not trusted.
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
	// ErrUnknown: the provider did not answer, or failed; the call may have had its effect.
	ErrUnknown = errors.New("pay: the provider gave no clear answer")
	// ErrRefused: the provider refused the call.
	ErrRefused = errors.New("pay: the provider refused")
	// ErrForged: a notification that was not sent by the provider, or is too old.
	ErrForged = errors.New("pay: not a notification of the provider")
)

// State is the state of a payment at its provider.
type State string

// The states.
const (
	Open       State = "open"       // the buyer may still pay
	Authorised State = "authorised" // the money is reserved, see Charger
	Paid       State = "paid"
	Failed     State = "failed" // refused, abandoned, released or expired
)

// Attempt is a payment to start.
type Attempt struct {
	Payment   shop.PaymentID
	Company   shop.CompanyID
	Order     shop.OrderID
	Title     string // shown to the buyer at the provider
	Amount    int64  // in minor units of the currency
	Currency  string // ISO 4217
	Key       string // idempotency key
	ReturnURL string // where the buyer returns to
	Email     string // of the buyer; may be empty
	Phone     string
	Lines     []Line // lines of the receipt; their amounts add up to Amount
}

// Line is a line of a receipt.
type Line struct {
	Name     string
	Quantity int64
	Amount   int64 // of the whole line, in minor units of the currency
}

// Started is a payment that was started.
type Started struct {
	Ref string // the provider's id
	URL string // where the buyer pays
}

// Status is the state of a payment at its provider.
type Status struct {
	Ref      string
	State    State
	Amount   int64 // in minor units of the currency
	Currency string
	Refunded int64
	Payment  shop.PaymentID // our id as stored by the provider; 0: missing
}

// Refund is money to return.
type Refund struct {
	Ref      string // of the payment
	Amount   int64
	Currency string
	Key      string // idempotency key
}

// Provider is a payment provider.
type Provider interface {
	// Start starts a payment; with a key that was used before it returns the same one.
	Start(ctx context.Context, a Attempt) (Started, error)
	// Fetch reads a payment.
	Fetch(ctx context.Context, ref string) (Status, error)
	// Refund returns money; with a key that was used before it returns nothing more.
	Refund(ctx context.Context, r Refund) error
	// Notify reads a notification. It returns ErrForged if the signature is invalid, for
	// providers that sign.
	Notify(header Header, body []byte, now time.Time) (Notification, error)
}

// Notification identifies the payment of a notification.
type Notification struct {
	Ref     string         // the provider's id; empty: missing
	Payment shop.PaymentID // our id as stored by the provider; 0: missing
	Charge  string         // the attempt of a charge (Charger) as stored by the provider; empty: missing
	Signed  bool           // authenticated; otherwise anybody may have sent it
}

// Charges reports whether a method supports a currency for a shop whose prices have the
// given number of decimal digits. Methods have the names of their providers.
func Charges(method, currency string, digits int) bool {
	switch method {
	case "yookassa":
		return shop.Exponent(currency) == 2
	case "stripe":
		return !slices.Contains(stripeNone, currency) && (digits == 0 || !slices.Contains(stripeWhole, currency))
	}
	return true
}

// Header returns a header of a notification by its name, empty if there is none.
type Header func(name string) string

// Secrets are the credentials of a shop at a provider.
type Secrets struct {
	ShopID        string `json:"shop_id,omitempty"`
	SecretKey     string `json:"secret_key,omitempty"`
	WebhookSecret string `json:"webhook_secret,omitempty"`

	Receipt *Receipt `json:"receipt,omitempty"` // nil: payments have no receipt
}

// Receipt holds the settings of YooKassa receipts, in its codes.
type Receipt struct {
	TaxSystem int `json:"tax_system"` // 1 to 6
	VATCode   int `json:"vat_code"`   // 1 to 12
}

// Do sends a request, as [outbound.Client] does.
type Do func(ctx context.Context, r outbound.Request) (*outbound.Answer, error)

const (
	callTime  = 20 * time.Second
	maxAnswer = 256 << 10 // bytes

	// MaxNotification is the maximum size of a notification in bytes.
	MaxNotification = 64 << 10

	// staleAfter is the age at which a signature is too old.
	staleAfter = 5 * time.Minute
)
