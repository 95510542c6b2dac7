package assist

import (
	"time"

	"vitrine/compile/price"
	"vitrine/internal/shop"
	"vitrine/internal/store/assist"
	"vitrine/internal/store/sales"
)

// State is a session as a platform is answered. Sums are in units of the shop; Totals and Line.Money
// convert them.
type State struct {
	assist.Session
	Input

	Currency string
	Digits   int // decimal places of the shop's sums

	Lines    []Line // in the order of the items, gifts after the line that brought them
	Subtotal int64  // before all discounts
	Goods    int64  // after them
	Applied  []Discount
	Codes    []CodeResult // for each of Input.Codes
	Taxes    []shop.Tax
	Included bool // Taxes are part of the prices; else they are added to them
	Delivery *Delivery
	Total    int64 // to be paid

	Deliveries []Delivery // that are possible
	Methods    []sales.PaymentMethod

	Problems []Problem // that keep it from becoming an order
	Notices  []Problem // that the platform should know

	ContinueURL string // opens the shop's checkout; empty: the session has ended
	Order       *sales.Order
	OrderURL    string
	Gone        bool // it has expired
}

// Line is goods of a session.
type Line struct {
	ID       string // "<product>:<key of the cart>"
	ItemID   string
	Product  shop.ProductID
	Title    string
	Path     string // of its page; empty: it has none
	Image    string // path of its picture; empty: none
	Quantity int64
	Base     int64 // price of a unit before discounts
	Before   int64 // Base for all units; 0 for a gift
	After    int64 // to be paid for all units, before discounts on the sum
	Gift     bool
}

// Discount is what a promotion takes off.
type Discount struct {
	Title  string
	Code   string // that the buyer gave; empty: automatic
	Amount int64
	Shares []Share // of lines that became cheaper; empty: it was taken off the sum, or is a gift
}

// Share is the part of a discount that a line got.
type Share struct {
	Line   int // in State.Lines
	Amount int64
}

// CodeResult is whether a code was applied.
type CodeResult struct {
	Code    string          // as sent
	Refused price.Rejection // empty: it was applied
}

// More reasons why a code is not applied.
const (
	Repeated    price.Rejection = "REPEATED"    // the same code was sent twice
	Combination price.Rejection = "COMBINATION" // another code of the session is applied
)

// Delivery is a way in which the goods can be delivered.
type Delivery struct {
	price.Possible
	Description  string
	NeedsAddress bool
	Points       []shop.DeliveryPoint
	Total        int64 // of the order with it
}

// Chosen returns the point of a chosen pickup, nil if it has none.
func (s *State) Chosen() *shop.DeliveryPoint {
	if s.Delivery == nil {
		return nil
	}
	for i := range s.Delivery.Points {
		if p := &s.Delivery.Points[i]; s.Point == "" || p.ID == s.Point {
			return p
		}
	}
	return nil
}

// Severity is what a problem asks of the platform.
type Severity string

// The severities.
const (
	Recoverable Severity = "recoverable"           // the platform can solve it
	BuyerInput  Severity = "requires_buyer_input"  // the buyer has to open the link
	BuyerReview Severity = "requires_buyer_review" // likewise, to look at it
)

// Problem is what keeps a session from becoming an order, or a notice. Codes are those of the API's
// refusals where there is one.
type Problem struct {
	Code     string
	Field    string // of the input: name, phone, email, address, delivery, items, codes; empty: none
	Line     int    // in State.Lines, -1: none
	Text     string // for people
	Severity Severity
}

// Codes of problems and notices that the API has no refusal for.
const (
	ItemUnavailable  = "ITEM_UNAVAILABLE"
	QuantityAdjusted = "QUANTITY_ADJUSTED"
	PriceChanged     = "PRICE_CHANGED"
	PaymentFailed    = "PAYMENT_FAILED"
	Requires3DS      = "REQUIRES_3DS"
	HandedOff        = "HANDED_OFF"
	NoItems          = "NO_ITEMS"
)

// Status is how far a session has come.
type Status string

// The statuses.
const (
	Incomplete Status = "incomplete"
	Escalation Status = "requires_escalation"
	Ready      Status = "ready_for_complete"
	InProgress Status = "complete_in_progress"
	Done       Status = "completed"
	Canceled   Status = "canceled"
)

// Ability is what a platform can do in a session.
type Ability struct {
	Pays      bool // it can pay in a way that the shop takes
	Addresses bool // it can name an address and choose a delivery
}

// Reasons for an Escalation, besides HandedOff and the codes of problems.
const (
	PaymentPage       = "PAYMENT_PAGE"
	FulfillmentNeeded = "FULFILLMENT_REQUIRED"
)

// Status returns the status of a session for a platform, and for an Escalation the reason.
func (s *State) Status(can Ability) (status Status, why string) {
	switch {
	case s.State == assist.Completed:
		return Done, ""
	case s.State == assist.Canceled, s.Gone:
		return Canceled, ""
	case s.State == assist.Completing:
		return InProgress, ""
	case s.State == assist.HandedOff:
		return Escalation, HandedOff
	}
	needsAddress := s.Delivery != nil && s.Delivery.NeedsAddress && !shop.HasAddress(s.address())
	for _, p := range s.Problems {
		switch {
		case p.Severity != Recoverable:
			return Escalation, p.Code
		case p.Code == PriceChanged, p.Code == PaymentFailed: // another attempt may succeed
		case p.Code == "ADDRESS_REQUIRED" && !can.Addresses: // the page asks for it
		default:
			return Incomplete, ""
		}
	}
	switch {
	case needsAddress && !can.Addresses:
		return Escalation, FulfillmentNeeded
	case s.Total > 0 && !can.Pays:
		return Escalation, PaymentPage
	}
	return Ready, ""
}

// Ended reports whether no call changes the session any more.
func (s *State) Ended() bool {
	return s.State == assist.Completed || s.State == assist.Canceled || s.Gone
}

// expired reports whether the time of a session is over.
func expired(s assist.Session, now time.Time) bool {
	return s.State != assist.Completed && !now.Before(s.ExpiresAt)
}
