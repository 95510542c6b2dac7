package render

import (
	"encoding/json"
	"strings"
	"time"

	"vitrine/internal/shop"
)

// Orders is the page /orders.
type Orders struct {
	Items []Order
	Pages int
	Page  int
	Guest bool // not signed in
}

// Before and After are the numbers of the neighbouring pages.
func (o *Orders) Before() int { return o.Page - 1 }

// After is the next page.
func (o *Orders) After() int { return o.Page + 1 }

// Order is the page of one order, and a line of the list.
type Order struct {
	ID            json.Number     `json:"id"`
	Number        int64           `json:"number"`
	Status        string          `json:"status"`
	Total         int64           `json:"items_total"`
	Discount      int64           `json:"discount_total"`
	Grand         int64           `json:"grand_total"`
	Taxes         []shop.Tax      `json:"taxes"`
	Invoice       *IssuedPaper    `json:"invoice"`
	CreditNote    *IssuedPaper    `json:"credit_note"`
	Currency      string          `json:"currency"`
	Applied       []Applied       `json:"promotions"`
	Delivery      *OrderDelivery  `json:"delivery"`
	Contact       Person          `json:"contact"`
	Sent          json.RawMessage `json:"address"`
	Comment       string          `json:"comment"`
	Lines         []OrderLine     `json:"items"`
	PaymentMethod string          `json:"payment_method"`
	Payment       *Payment        `json:"payment"`
	Shipments     []Shipment      `json:"shipments"`
	Shipped       string          `json:"shipment_status"`
	CancelUntil   *time.Time      `json:"cancel_until"` // nil: the buyer cannot cancel it
	CreatedAt     time.Time       `json:"created_at"`
	Unread        int             `json:"unread"`

	Key       string      `json:"-"` // of the link that opens it; empty: a session gives access
	Messages  []Message   `json:"-"`
	Earlier   string      `json:"-"` // address of the page with the messages before these; empty: there are none
	Made      bool        `json:"-"` // just placed
	CartEmpty bool        `json:"-"` // known to be empty, which other pages in the browser may not know yet
	Back      int         `json:"-"` // how often the page was shown since the buyer returned from paying; 0: they did not
	Methods   []PayMethod `json:"-"` // available at a payment provider

	Instructions string    `json:"-"` // of the shop, for manual payment
	Guest        bool      `json:"-"` // not signed in
	Trouble      FormError `json:"-"`
}

// OrderDelivery is the delivery method of an order.
type OrderDelivery struct {
	Name  string         `json:"name"`
	Price int64          `json:"price"`
	Days  *int           `json:"days"`
	Point *DeliveryPoint `json:"point"` // of a pickup
}

// IssuedPaper is an invoice or a credit note of an order.
type IssuedPaper struct {
	Number string `json:"number"`
}

// Payment is the payment state of an order.
type Payment struct {
	Status string `json:"status"`
	Method string `json:"method"`
}

// TaxAdded reports whether the taxes were added to the prices.
func (o *Order) TaxAdded() bool {
	net := o.Total
	if o.Delivery != nil {
		net += o.Delivery.Price
	}
	return o.Grand > net
}

// Payable reports whether the buyer may pay the order at a provider.
func (o *Order) Payable() bool {
	return !o.Paid() && o.Status != "cancelled" && len(o.Methods) > 0
}

// Waiting reports whether the buyer has returned from a provider that has not yet reported
// the result of the payment.
func (o *Order) Waiting() bool {
	return o.Back > 0 && o.Payment != nil && o.Payment.Status == "pending"
}

// Declined reports whether the payment failed at the provider.
func (o *Order) Declined() bool { return o.Payment != nil && o.Payment.Status == "failed" }

// OrderLine is a line of an order.
type OrderLine struct {
	ID       json.Number     `json:"id"`
	IsGift   bool            `json:"is_gift"` // it was free
	Product  int64           `json:"product_id"`
	Key      string          `json:"key"`
	Name     string          `json:"name"`
	URL      string          `json:"url"`
	Image    string          `json:"image"`
	Quantity int64           `json:"quantity"`
	Unit     int64           `json:"unit_price"`
	Base     int64           `json:"base_unit_price"`
	Total    int64           `json:"total"`
	Data     json.RawMessage `json:"data"`
}

// Shipment is a parcel of an order.
type Shipment struct {
	Carrier string `json:"carrier_name"`
	Number  string `json:"number"`
	URL     string `json:"url"` // of the page that shows where it is; empty: there is none
	Lines   []struct {
		Line     json.Number `json:"line_id"`
		Quantity int64       `json:"quantity"`
	} `json:"lines"`
	ShippedAt   time.Time  `json:"shipped_at"`
	DeliveredAt *time.Time `json:"delivered_at"`
}

// LineName is the name of a line of the order.
func (o *Order) LineName(id json.Number) string {
	for _, l := range o.Lines {
		if l.ID == id {
			return l.Name
		}
	}
	return ""
}

// Thumb is the thumbnail of the line.
func (l *OrderLine) Thumb() string { return thumb(l.Image) }

// Message is a message between buyer and seller about an order.
type Message struct {
	ID        json.Number `json:"id"`
	Author    string      `json:"author"` // buyer, seller
	Text      string      `json:"text"`
	CreatedAt time.Time   `json:"created_at"`
}

// Moment is the time when the message was written, for machines.
func (m *Message) Moment() string { return m.CreatedAt.UTC().Format(time.RFC3339) }

// Before is the total before discounts (document 2, 2.2).
func (o *Order) Before() int64 { return o.Total + o.Discount }

// Path is the address of the order's page.
func (o *Order) Path() string { return o.At("") }

// At is the address of the order's page with a query, including the key that opens it.
func (o *Order) At(query string) string { return o.below("", query) }

// PaperAt is the address of a paper of the order.
func (o *Order) PaperAt(kind string) string { return o.below("/"+kind, "") }

func (o *Order) below(part, query string) string {
	path := "/orders/" + string(o.ID) + part
	if o.Key != "" {
		query = strings.TrimSuffix("key="+o.Key+"&"+query, "&")
	}
	if query != "" {
		path += "?" + query
	}
	return path
}

// Paid reports whether the order was paid, even if it was refunded since.
func (o *Order) Paid() bool {
	return o.Payment != nil && (o.Payment.Status == "paid" || o.Refunding() || o.Refunded())
}

// Refunding reports whether a refund was requested and is not completed.
func (o *Order) Refunding() bool { return o.Payment != nil && o.Payment.Status == "refunding" }

// Refunded reports whether the payment was refunded.
func (o *Order) Refunded() bool { return o.Payment != nil && o.Payment.Status == "refunded" }

// Steps lists the statuses that an order goes through unless it is cancelled.
func (o *Order) Steps() []string { return []string{"new", "processing", "completed"} }

// Reached reports whether the order has reached or passed a status.
func (o *Order) Reached(step string) bool {
	for _, s := range o.Steps() {
		if s == step {
			return true
		}
		if s == o.Status {
			return false
		}
	}
	return false
}
