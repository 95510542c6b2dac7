package acp

import (
	"strconv"
	"strings"
	"time"

	"vitrine/admin/assist"
	"vitrine/internal/shop"
	"vitrine/internal/store/sales"
)

// order is an order and everything that happened to it.
type order struct {
	Type         string        `json:"type" enum:"order"`
	ID           string        `json:"id"`
	Session      string        `json:"checkout_session_id"`
	Number       string        `json:"order_number"`
	Permalink    string        `json:"permalink_url" doc:"the page of the order, for its buyer"`
	Status       string        `json:"status" enum:"created,processing,shipped,completed,canceled"`
	Lines        []orderLine   `json:"line_items"`
	Fulfillments []fulfillment `json:"fulfillments"`
	Adjustments  []adjustment  `json:"adjustments"`
	Totals       []total       `json:"totals" doc:"total is what was agreed, whatever was refunded since"`
}

type orderLine struct {
	ID        string   `json:"id"`
	Title     string   `json:"title"`
	ProductID string   `json:"product_id"`
	Image     string   `json:"image_url,omitempty"`
	URL       string   `json:"url,omitempty"`
	Quantity  quantity `json:"quantity"`
	Unit      int64    `json:"unit_price" doc:"before discounts"`
	Subtotal  int64    `json:"subtotal"`
	Totals    []total  `json:"totals"`
	Status    string   `json:"status" enum:"processing,partial,fulfilled,removed"`
}

// quantity is how many units of a line were ordered, are to be delivered, and have left the shop.
type quantity struct {
	Ordered   int64 `json:"ordered"`
	Current   int64 `json:"current"`
	Fulfilled int64 `json:"fulfilled"`
}

type units struct {
	ID       string `json:"id"`
	Quantity int64  `json:"quantity"`
}

// fulfillment is a parcel, or goods that have not left the shop.
type fulfillment struct {
	ID          string   `json:"id"`
	Type        string   `json:"type" enum:"shipping,pickup"`
	Status      string   `json:"status" enum:"processing,shipped,delivered"`
	Lines       []units  `json:"line_items"`
	Carrier     string   `json:"carrier,omitempty"`
	Number      string   `json:"tracking_number,omitempty"`
	Tracking    string   `json:"tracking_url,omitempty"`
	Destination *address `json:"destination,omitempty"`
	Description string   `json:"description,omitempty"`
	Events      []event  `json:"events"`
}

type event struct {
	ID   string    `json:"id"`
	Type string    `json:"type" enum:"shipped,delivered"`
	At   time.Time `json:"occurred_at"`
}

// adjustment is a refund, or the cancellation of an order.
type adjustment struct {
	ID       string    `json:"id"`
	Type     string    `json:"type" enum:"refund,cancellation"`
	At       time.Time `json:"occurred_at"`
	Status   string    `json:"status" enum:"pending,completed,failed"`
	Lines    []units   `json:"line_items,omitempty"`
	Amount   int64     `json:"amount,omitempty"`
	Currency string    `json:"currency,omitempty"`
}

var orderStatuses = map[shop.OrderStatus]string{
	shop.OrderNew: "created", shop.OrderProcessing: "processing", shop.OrderCompleted: "completed", shop.OrderCancelled: "canceled",
}

// orderOf translates an order.
func orderOf(o *assist.Ordered) *order {
	out := &order{
		Type: "order", ID: o.Order.ID.String(), Session: o.Session.ID, Number: assist.OrderLabel(o.Order), Permalink: o.OrderURL, Status: orderStatuses[o.Order.Status],
		Fulfillments: fulfillments(o), Adjustments: []adjustment{}, Totals: totals(o.State),
	}
	gone := true
	for i, p := range o.Progress() {
		l, s := &o.Lines[i], lineOf(o.State, i, o.Origin)
		line := orderLine{
			ID: l.ID, Title: l.Title, ProductID: s.ProductID, Image: o.Picture(l), Quantity: quantity{l.Quantity, p.Total, p.Fulfilled}, Unit: s.UnitAmount,
			Subtotal: o.LineMoney(i).Total, Totals: s.Totals, Status: string(p.Status),
		}
		if l.Path != "" {
			line.URL = o.Origin + l.Path
		}
		gone = gone && p.Status == assist.LineFulfilled
		out.Lines = append(out.Lines, line)
	}
	if gone && o.Order.Status != shop.OrderCompleted {
		out.Status = "shipped"
	}
	var refunded int64
	for _, c := range o.Changes {
		a := adjustment{ID: c.ID, Type: "refund", At: c.At, Status: string(c.Status)}
		if c.Refund {
			a.Amount, a.Currency = c.Amount, strings.ToLower(o.Currency)
			if c.Status == assist.ChangeCompleted {
				refunded += c.Amount
			}
		} else {
			a.Type = "cancellation"
			for _, l := range o.Lines {
				a.Lines = append(a.Lines, units{l.ID, l.Quantity})
			}
		}
		out.Adjustments = append(out.Adjustments, a)
	}
	if refunded > 0 {
		out.Totals = append(out.Totals, total{Type: "amount_refunded", DisplayText: "Refunded", Amount: refunded})
	}
	return out
}

// fulfillments lists the parcels of an order, and then what has not left the shop.
func fulfillments(o *assist.Ordered) []fulfillment {
	list := []fulfillment{}
	for _, s := range o.Shipments {
		id := s.ID.String()
		f := fulfillment{
			ID: "shipment-" + id, Type: "shipping", Status: "shipped", Lines: []units{}, Carrier: shop.CarrierOf(s.Carrier).Name, Number: s.Number, Tracking: s.Tracking(),
			Events: []event{{"shipped-" + id, "shipped", s.ShippedAt.UTC()}},
		}
		for _, l := range s.Lines {
			if i := o.Line(l.Line); i >= 0 {
				f.Lines = append(f.Lines, units{o.Lines[i].ID, l.Quantity})
			}
		}
		if s.DeliveredAt != nil {
			f.Status = "delivered"
			f.Events = append(f.Events, event{"delivered-" + id, "delivered", s.DeliveredAt.UTC()})
		}
		list = append(list, f)
	}
	d := o.Order.Delivery
	if d == nil || o.Cancelled() {
		return list
	}
	rest := fulfillment{ID: "delivery", Type: kindOf(o.Delivery), Status: "processing", Description: d.Name, Destination: destination(o), Events: []event{}}
	if o.Order.Status == shop.OrderCompleted {
		rest.Status = "delivered"
	}
	if d.Days != nil {
		rest.Description += ": " + strconv.Itoa(*d.Days) + " days at the latest"
	}
	left := sales.LeftToShip(*o.Order, o.Shipments)
	for i, l := range o.Order.Lines {
		if n := left[l.ID]; n > 0 {
			rest.Lines = append(rest.Lines, units{o.Lines[i].ID, n})
		}
	}
	if len(rest.Lines) > 0 {
		list = append(list, rest)
	}
	return list
}

// destination returns where an order is delivered; nil: the shop was not told.
func destination(o *assist.Ordered) *address {
	d := o.Order.Delivery
	if d.Point != nil {
		return &address{Name: d.Point.Name, LineOne: d.Point.Address}
	}
	to := o.Destination()
	if to.Street == "" {
		return nil
	}
	return &address{Name: to.Name, LineOne: to.Street, City: to.City, State: to.Region, Country: to.Country, Postcode: to.Postcode}
}
