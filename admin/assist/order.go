package assist

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"vitrine/internal/shop"
	"vitrine/internal/store/assist"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/sales"
)

// Ordered is an order with everything that happened to it, as its platform is told. Its lines are those
// of State.Order, in the same order.
type Ordered struct {
	*State
	Origin    string // of the shop
	Paid      bool   // money has arrived, even if it was given back
	Shipments []sales.Shipment
	Changes   []Change // of the agreement, oldest first
}

// Change is a refund of an order, or its cancellation.
type Change struct {
	ID     string
	Refund bool
	Status ChangeStatus
	Amount int64 // of a refund, in minor units of the currency
	At     time.Time
}

// ChangeStatus is how far a Change has come.
type ChangeStatus string

// The statuses.
const (
	ChangePending   ChangeStatus = "pending"
	ChangeCompleted ChangeStatus = "completed"
	ChangeFailed    ChangeStatus = "failed"
)

// LineStatus is how far a line of an order has come.
type LineStatus string

// The statuses.
const (
	LineRemoved    LineStatus = "removed"
	LineFulfilled  LineStatus = "fulfilled"
	LinePartial    LineStatus = "partial"
	LineProcessing LineStatus = "processing"
)

// LineProgress is how much of a line is still ordered, and how much of that has left the shop.
type LineProgress struct {
	Total, Fulfilled int64
	Status           LineStatus
}

// Order returns an order that the caller's platform made. A signature proves the platform, a token the
// buyer.
func (a *Assist) Order(ctx context.Context, c *Caller, id shop.OrderID) (*Ordered, error) {
	if !c.Signed && c.Linked == 0 {
		return nil, ErrSignature
	}
	o, err := sales.GetOrder(ctx, a.Store.Shop(c.Shop), id)
	switch {
	case err != nil:
		return nil, err
	case o.Assistant == nil, o.Assistant.PlatformID != c.Platform.ID, !c.Signed && o.Person != c.Linked:
		return nil, sales.ErrOrderNotFound
	}
	return a.told(ctx, o)
}

// OrderChanged returns an order for the platform that is told of a change.
func (a *Assist) OrderChanged(ctx context.Context, company shop.CompanyID, id shop.OrderID) (*Ordered, error) {
	o, err := sales.GetOrder(ctx, a.Store.Shop(company), id)
	if err == nil && o.Assistant == nil {
		err = sales.ErrOrderNotFound
	}
	if err != nil {
		return nil, err
	}
	return a.told(ctx, o)
}

func (a *Assist) told(ctx context.Context, o sales.Order) (*Ordered, error) {
	company, err := companydb.Info(ctx, a.Store.Shop(o.Company))
	if err != nil {
		return nil, err
	}
	s := assist.Session{ID: o.Assistant.Session, Kind: assist.Checkout, State: assist.Completed, Platform: o.Assistant.PlatformID, Order: o.ID}
	st, err := a.asOrdered(company, o, s, Input{Attribution: o.Assistant.Attribution})
	if err != nil {
		return nil, err
	}
	return a.Ordered(ctx, company, st)
}

// Ordered returns a completed session with everything that happened to its order.
func (a *Assist) Ordered(ctx context.Context, company companydb.Company, st *State) (*Ordered, error) {
	o := *st.Order
	r, one := a.Store.Shop(o.Company), []shop.OrderID{o.ID}
	shipments, err := sales.Shipments(ctx, r, one)
	if err != nil {
		return nil, err
	}
	payments, err := sales.Payments(ctx, r, one)
	if err != nil {
		return nil, err
	}
	history, err := sales.OrderHistory(ctx, r, o.ID)
	if err != nil {
		return nil, err
	}
	out := &Ordered{State: st, Origin: a.URLs.Storefront(company), Paid: payments[o.ID].Main().PaidAt != nil, Shipments: shipments[o.ID]}
	out.Changes, err = changes(o, payments[o.ID], history)
	return out, err
}

// changes reads the refunds and the cancellation of an order from its history.
func changes(o sales.Order, payments sales.Attempts, history []sales.OrderEvent) (list []Change, err error) {
	amounts := map[shop.PaymentID]int64{}
	for _, p := range payments {
		amounts[p.ID] = p.AmountMinor
	}
	at := map[string]int{} // index in list by id
	for _, e := range history {
		var said struct {
			Payment shop.PaymentID   `json:"payment_id"`
			Status  string           `json:"status"`
			To      shop.OrderStatus `json:"to"`
		}
		if e.Kind != "refund" && e.Kind != "status" {
			continue
		}
		if err := json.Unmarshal(e.Body, &said); err != nil {
			return nil, err
		}
		c := Change{ID: "cancellation", Status: ChangeCompleted, At: e.CreatedAt.UTC()}
		if e.Kind == "refund" {
			c = Change{ID: "refund-" + said.Payment.String(), Refund: true, Amount: amounts[said.Payment], At: c.At, Status: ChangeFailed}
			switch said.Status {
			case "refunding":
				c.Status = ChangePending
			case "refunded":
				c.Status = ChangeCompleted
			}
		} else if o.Status != shop.OrderCancelled || said.To != shop.OrderCancelled {
			continue
		}
		if i, known := at[c.ID]; known {
			list[i] = c
			continue
		}
		at[c.ID] = len(list)
		list = append(list, c)
	}
	return list, nil
}

// Cancelled reports whether nothing of the order is to be delivered any more.
func (o *Ordered) Cancelled() bool { return o.Order.Status == shop.OrderCancelled }

// Line returns the index of a line by its id in the order; -1: there is none.
func (o *Ordered) Line(id int64) int {
	for i := range o.Order.Lines {
		if o.Order.Lines[i].ID == id {
			return i
		}
	}
	return -1
}

// Progress returns how far each line has come. Goods without a shipment count as handed over with the
// completion of the order.
func (o *Ordered) Progress() []LineProgress {
	list := make([]LineProgress, len(o.Lines))
	left := sales.LeftToShip(*o.Order, o.Shipments)
	for i, l := range o.Order.Lines {
		p := LineProgress{Total: l.Quantity, Fulfilled: l.Quantity - max(left[l.ID], 0)}
		switch {
		case o.Cancelled():
			p.Total, p.Fulfilled = 0, 0
		case o.Order.Status == shop.OrderCompleted:
			p.Fulfilled = l.Quantity
		}
		switch {
		case p.Total == 0:
			p.Status = LineRemoved
		case p.Fulfilled == p.Total:
			p.Status = LineFulfilled
		case p.Fulfilled > 0:
			p.Status = LinePartial
		default:
			p.Status = LineProcessing
		}
		list[i] = p
	}
	return list
}

// Destination returns where the order is delivered. Pages let buyers write an address in one text.
func (o *Ordered) Destination() (a Address) {
	if json.Unmarshal(o.Order.Address, &a) != nil {
		_ = json.Unmarshal(o.Order.Address, &a.Street) //nolint:errcheck // whatever else it is names no place
	}
	a.Name, a.Phone = cmp.Or(a.Name, o.Order.Contact.Name), cmp.Or(a.Phone, o.Order.Contact.Phone)
	return a
}

// Picture returns the address of the picture of a line; empty: it has none.
func (o *Ordered) Picture(l *Line) string {
	if l.Image == "" {
		return ""
	}
	return o.Origin + l.Image
}
