package shop

import (
	"encoding/json"
	"time"
)

// PaperKind is a kind of document about an order that is printed.
type PaperKind string

// The kinds. A slip goes into the parcel; the others are issued once, with a number, and never
// change.
const (
	PaperSlip       PaperKind = "slip"
	PaperInvoice    PaperKind = "invoice"
	PaperCreditNote PaperKind = "credit_note"
)

// PaperKinds lists the kinds.
var PaperKinds = []PaperKind{PaperSlip, PaperInvoice, PaperCreditNote}

// Values lists the kinds as texts.
func (PaperKind) Values() []string { return Texts(PaperKinds) }

// Paper is a document about an order with all that it says.
type Paper struct {
	Kind     PaperKind
	Order    OrderID
	Number   string    // of an invoice or a credit note
	IssuedAt time.Time // likewise
	Link     string    // where the order is shown; printed as a QR code
	PaperCopy
}

// PaperCopy is what an issued paper keeps.
type PaperCopy struct {
	Seller      PaperSeller     `json:"seller"`
	Buyer       PaperBuyer      `json:"buyer"`
	Address     json.RawMessage `json:"address"`
	OrderNumber int64           `json:"order_number"`
	OrderedAt   time.Time       `json:"ordered_at"`
	Comment     string          `json:"comment"`
	Currency    string          `json:"currency"`
	Lines       []PaperLine     `json:"lines"`
	Goods       int64           `json:"goods"` // after discounts
	Delivery    string          `json:"delivery"`
	Shipping    int64           `json:"shipping"` // the price of the delivery
	Taxes       []Tax           `json:"taxes"`
	TaxAdded    bool            `json:"tax_added"`
	Total       int64           `json:"total"`
	Invoice     string          `json:"invoice,omitempty"` // the invoice that a credit note reverses
	InvoicedAt  *time.Time      `json:"invoiced_at,omitempty"`
}

// PaperSeller is the shop on a paper, and how it writes.
type PaperSeller struct {
	Name     string `json:"name"`
	Legal    Legal  `json:"legal"`
	Address  string `json:"address"`
	Phone    string `json:"phone"`
	Email    string `json:"email"`
	Language string `json:"language"`
	Timezone string `json:"timezone"`
	Digits   int    `json:"digits"` // of its prices
}

// PaperBuyer is the recipient on a paper.
type PaperBuyer struct {
	Name      string `json:"name"`
	Phone     string `json:"phone"`
	Email     string `json:"email"`
	VATNumber string `json:"vat_number"`
}

// PaperLine is a line of an order on a paper.
type PaperLine struct {
	Name     string      `json:"name"`
	SKU      string      `json:"sku"`
	Parts    []PaperPart `json:"parts"` // of a set
	Quantity int64       `json:"quantity"`
	Unit     int64       `json:"unit_price"`
	Gift     bool        `json:"is_gift"`
	Taxes    []TaxRate   `json:"taxes"`
}

// Total returns the price of the line.
func (l PaperLine) Total() int64 { return l.Unit * l.Quantity }

// PaperPart is a component of a set.
type PaperPart struct {
	Name     string `json:"name"`
	Quantity int64  `json:"quantity"`
}

// Discount returns what was taken off the order as a whole.
func (c *PaperCopy) Discount() int64 {
	sum := -c.Goods
	for _, l := range c.Lines {
		sum += l.Total()
	}
	return sum
}
