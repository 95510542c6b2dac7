package ucp

import (
	"context"
	"strconv"
	"time"

	"vitrine/admin/assist"
	"vitrine/internal/shop"
)

// Order is an order and everything that happened to it.
type Order struct {
	UCP         Meta              `json:"ucp"`
	ID          string            `json:"id"`
	Label       string            `json:"label"`
	Checkout    string            `json:"checkout_id"`
	Permalink   string            `json:"permalink_url" doc:"the page of the order, for its buyer"`
	Lines       []OrderLine       `json:"line_items"`
	Fulfillment OrderFulfillment  `json:"fulfillment"`
	Adjustments []Adjustment      `json:"adjustments,omitempty"`
	Currency    string            `json:"currency"`
	Totals      []OrderTotal      `json:"totals"`
	Attribution map[string]string `json:"attribution,omitempty"`
}

// OrderLine is goods of an order.
type OrderLine struct {
	ID       string        `json:"id"`
	Item     OrderItem     `json:"item"`
	Quantity OrderQuantity `json:"quantity"`
	Totals   []OrderTotal  `json:"totals"`
	Status   string        `json:"status" enum:"processing,partial,fulfilled,removed"`
}

// OrderItem is a product as it was ordered.
type OrderItem struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Price int64  `json:"price" doc:"of a unit before discounts"`
	Image string `json:"image_url,omitempty"`
}

// OrderQuantity is how many units of a line were ordered, are to be delivered, and have left the shop.
type OrderQuantity struct {
	Original  int64 `json:"original"`
	Total     int64 `json:"total"`
	Fulfilled int64 `json:"fulfilled"`
}

// OrderTotal is an amount in minor units; all but the total add up to the total.
type OrderTotal struct {
	Type   string           `json:"type"`
	Text   string           `json:"display_text,omitempty"`
	Amount int64            `json:"amount"`
	Lines  []OrderTotalLine `json:"lines,omitempty"`
}

// OrderTotalLine is a part of an amount.
type OrderTotalLine struct {
	Text   string `json:"display_text"`
	Amount int64  `json:"amount"`
}

// OrderFulfillment is how the goods are to be delivered, and what was.
type OrderFulfillment struct {
	Expectations []Expectation `json:"expectations"`
	Events       []OrderEvent  `json:"events"`
}

// Expectation is what the buyer may expect of goods.
type Expectation struct {
	ID          string           `json:"id"`
	Lines       []OrderLineUnits `json:"line_items"`
	Method      string           `json:"method_type" enum:"shipping,pickup"`
	Destination OrderPlace       `json:"destination"`
	Description string           `json:"description,omitempty"`
}

// OrderLineUnits is units of a line.
type OrderLineUnits struct {
	ID       string `json:"id"`
	Quantity int64  `json:"quantity"`
}

// OrderPlace is where goods are delivered.
type OrderPlace struct {
	Street   string `json:"street_address,omitempty"`
	City     string `json:"address_locality,omitempty"`
	Region   string `json:"address_region,omitempty"`
	Country  string `json:"address_country,omitempty"`
	Postcode string `json:"postal_code,omitempty"`
	Name     string `json:"last_name,omitempty"`
	Phone    string `json:"phone_number,omitempty"`
}

// OrderEvent is a parcel that was shipped or has arrived.
type OrderEvent struct {
	ID       string           `json:"id"`
	At       time.Time        `json:"occurred_at"`
	Type     string           `json:"type" enum:"shipped,delivered"`
	Lines    []OrderLineUnits `json:"line_items"`
	Carrier  string           `json:"carrier"`
	Number   string           `json:"tracking_number"`
	Tracking string           `json:"tracking_url"`
}

// Adjustment is a refund, or the cancellation of an order.
type Adjustment struct {
	ID     string           `json:"id"`
	Type   string           `json:"type" enum:"refund,cancellation"`
	At     time.Time        `json:"occurred_at"`
	Status string           `json:"status" enum:"pending,completed,failed"`
	Lines  []OrderLineUnits `json:"line_items,omitempty" doc:"with negative quantities"`
	Totals []OrderTotal     `json:"totals,omitempty" doc:"negative: returned to the buyer"`
}

// getOrder reads an order that the platform made.
func (u *UCP) getOrder(ctx context.Context, r *request) (out Order, err error) {
	id, err := strconv.ParseInt(r.id, 10, 64)
	if err != nil {
		id = 0 // of no order
	}
	o, err := u.Assist.Order(ctx, r.caller, shop.OrderID(id))
	if err != nil {
		return out, err
	}
	return orderOf(o), nil
}

// orderOf translates an order.
func orderOf(o *assist.Ordered) Order {
	out := Order{
		UCP: Meta{Version: Version, Status: "success", Capabilities: map[string][]Entry{order: {{Version: Version}}}},
		ID:  o.Order.ID.String(), Label: strconv.FormatInt(o.Order.Number, 10), Checkout: o.Session.ID, Permalink: o.OrderURL,
		Currency: o.Currency, Totals: orderTotals(o), Attribution: o.Attribution,
		Fulfillment: OrderFulfillment{Expectations: []Expectation{}, Events: orderEvents(o)},
	}
	expected := []OrderLineUnits{}
	for i, p := range o.Progress() {
		l := &o.Lines[i]
		money := o.LineMoney(i)
		line := OrderLine{
			ID: l.ID, Item: OrderItem{ID: l.ItemID, Title: l.Title, Price: money.Unit, Image: o.Picture(l)},
			Quantity: OrderQuantity{l.Quantity, p.Total, p.Fulfilled}, Status: string(p.Status),
			Totals: []OrderTotal{{Type: "subtotal", Amount: money.Subtotal}},
		}
		if money.Discount > 0 {
			line.Totals = append(line.Totals, OrderTotal{Type: "items_discount", Amount: -money.Discount})
		}
		line.Totals = append(line.Totals, OrderTotal{Type: "total", Amount: money.Total})
		out.Lines = append(out.Lines, line)
		if p.Total > 0 {
			expected = append(expected, OrderLineUnits{l.ID, p.Total})
		}
	}
	if d := o.Order.Delivery; d != nil && len(expected) > 0 {
		e := Expectation{ID: "delivery", Lines: expected, Method: "shipping", Destination: placeOf(o), Description: d.Name}
		if d.Kind == shop.DeliveryPickup {
			e.Method = "pickup"
		}
		if d.Days != nil {
			e.Description += ": " + strconv.Itoa(*d.Days) + " days at the latest"
		}
		out.Fulfillment.Expectations = append(out.Fulfillment.Expectations, e)
	}
	for _, c := range o.Changes {
		a := Adjustment{ID: c.ID, Type: "refund", At: c.At, Status: string(c.Status)}
		if c.Refund {
			a.Totals = []OrderTotal{{Type: "total", Text: "Refund", Amount: -c.Amount}}
		} else {
			a.Type = "cancellation"
			for _, l := range o.Lines {
				a.Lines = append(a.Lines, OrderLineUnits{l.ID, -l.Quantity})
			}
		}
		out.Adjustments = append(out.Adjustments, a)
	}
	return out
}

// orderTotals lists the amounts of an order. Taxes that prices include are parts of the total.
func orderTotals(o *assist.Ordered) (list []OrderTotal) {
	for _, t := range o.Totals() {
		list = append(list, OrderTotal{Type: string(t.Kind), Text: t.Title, Amount: t.Amount})
	}
	if all := &list[len(list)-1]; o.Included && len(o.Taxes) > 0 {
		net := all.Amount
		for _, t := range o.Taxes {
			amount := o.Minor(t.Amount)
			net -= amount
			all.Lines = append(all.Lines, OrderTotalLine{t.Name, amount})
		}
		all.Lines = append([]OrderTotalLine{{"Net", net}}, all.Lines...)
	}
	return list
}

func orderEvents(o *assist.Ordered) []OrderEvent {
	list := []OrderEvent{}
	for _, s := range o.Shipments {
		e := OrderEvent{
			ID: "shipped-" + s.ID.String(), At: s.ShippedAt.UTC(), Type: "shipped", Lines: []OrderLineUnits{}, Carrier: shop.CarrierOf(s.Carrier).Name,
			Number: s.Number, Tracking: s.Tracking(),
		}
		if e.Tracking == "" {
			e.Tracking = o.OrderURL
		}
		for _, l := range s.Lines {
			if i := o.Line(l.Line); i >= 0 {
				e.Lines = append(e.Lines, OrderLineUnits{o.Lines[i].ID, l.Quantity})
			}
		}
		list = append(list, e)
		if s.DeliveredAt != nil {
			e.ID, e.Type, e.At = "delivered-"+s.ID.String(), "delivered", s.DeliveredAt.UTC()
			list = append(list, e)
		}
	}
	return list
}

// placeOf returns where an order is delivered.
func placeOf(o *assist.Ordered) (p OrderPlace) {
	if d := o.Order.Delivery; d.Kind == shop.DeliveryPickup {
		if d.Point != nil {
			p.Street, p.Name = d.Point.Address, d.Point.Name
		}
		return p
	}
	a := o.Destination()
	return OrderPlace{Street: a.Street, City: a.City, Region: a.Region, Country: a.Country, Postcode: a.Postcode, Name: a.Name, Phone: a.Phone}
}
