package order

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"

	"vitrine/admin/api"
	"vitrine/compile/lead"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

var errShipment = shop.Refuse(shop.InvalidArgument, "SHIPMENT_INVALID").
	When("the field named in the detail is missing, malformed, or more than what is left to ship of the order")

const maxShipments = 100 // of an order

type shipmentView struct {
	ID          shop.ShipmentID   `json:"id"`
	Carrier     string            `json:"carrier"`
	CarrierName string            `json:"carrier_name"`
	Number      string            `json:"number"`
	URL         string            `json:"url"` // of the page that shows where the parcel is; empty: there is none
	Lines       []shippedLineView `json:"lines"`
	ShippedAt   time.Time         `json:"shipped_at"`
	DeliveredAt *time.Time        `json:"delivered_at"` // null: not known to have arrived
}

type shippedLineView struct {
	LineID   shop.Int64 `json:"line_id"`
	Quantity int64      `json:"quantity"`
}

func viewShipment(s sales.Shipment) shipmentView {
	v := shipmentView{
		ID: s.ID, Carrier: s.Carrier, CarrierName: shop.CarrierOf(s.Carrier).Name, Number: s.Number, URL: s.Tracking(),
		Lines: []shippedLineView{}, ShippedAt: s.ShippedAt.UTC(), DeliveredAt: shop.UTC(s.DeliveredAt),
	}
	for _, l := range s.Lines {
		v.Lines = append(v.Lines, shippedLineView{shop.Int64(l.Line), l.Quantity})
	}
	return v
}

func viewShipments(list []sales.Shipment) []shipmentView {
	views := []shipmentView{}
	for _, s := range list {
		views = append(views, viewShipment(s))
	}
	return views
}

// shipments lists the shipments of an order to its seller and its buyer.
func (os *Orders) shipments(ctx context.Context, c *api.Call, in linkedPath) (out api.Result[[]shipmentView], err error) {
	o, who, err := os.linked(ctx, c, in, readsOrders)
	if err != nil {
		return out, err
	}
	if who == stranger {
		return out, sales.ErrOrderDenied
	}
	all, err := sales.Shipments(ctx, os.Store.Shop(o.Company), []shop.OrderID{o.ID})
	return api.Wrap(viewShipments(all[o.ID])), err
}

type shipRequest struct {
	orderPath
	Carrier string `json:"carrier" required:"always" len:"64" refuse:"SHIPMENT_INVALID" doc:"the code or name of a known carrier, or any other name"`
	Number  string `json:"number" required:"always" len:"64" refuse:"SHIPMENT_INVALID" doc:"the number by which the carrier knows the parcel"`
	URL     string `json:"url" len:"1024" refuse:"SHIPMENT_INVALID" doc:"the http or https page that shows where the parcel is; by default that of a known carrier"`
	Lines   *[]struct {
		LineID   shop.Int64 `json:"line_id" required:"always"`
		Quantity int64      `json:"quantity" required:"always"`
	} `json:"lines" max:"1000" refuse:"SHIPMENT_INVALID" doc:"what the parcel contains; by default everything that is left to ship"`
	ShippedAt *time.Time `json:"shipped_at" doc:"by default now"`
}

// shipment checks everything of a request that does not depend on the order.
func (in shipRequest) shipment(now time.Time) (s sales.Shipment, err error) {
	s = sales.Shipment{Carrier: strings.TrimSpace(in.Carrier), Number: strings.TrimSpace(in.Number), URL: strings.TrimSpace(in.URL), ShippedAt: now}
	for _, text := range [...]struct{ field, value string }{{"carrier", s.Carrier}, {"number", s.Number}} {
		if text.value == "" || strings.ContainsFunc(text.value, unicode.IsControl) {
			return s, errShipment.At(text.field).With("1 to 64 characters on one line")
		}
	}
	if s.URL != "" && !lead.WebAddress(s.URL) {
		return s, errShipment.At("url").With("must begin with http:// or https://")
	}
	if in.ShippedAt != nil {
		s.ShippedAt = *in.ShippedAt
	}
	if c := shop.CarrierOf(s.Carrier); c.Code != "" {
		s.Carrier = c.Code
	}
	return s, checkMoment("shipped_at", &s.ShippedAt, now)
}

// checkMoment accepts moments from the year 2000 to a year from now.
func checkMoment(field string, at *time.Time, now time.Time) error {
	if at != nil && (at.Year() < 2000 || at.After(now.AddDate(1, 0, 0))) {
		return errShipment.At(field).With("from the year 2000 to a year from now")
	}
	return nil
}

// lines returns what a shipment contains: the requested lines, or everything that is left.
func (in shipRequest) lines(o sales.Order, earlier []sales.Shipment) (lines []sales.ShippedLine, err error) {
	left := sales.LeftToShip(o, earlier)
	if in.Lines == nil {
		for _, l := range o.Lines {
			if left[l.ID] > 0 {
				lines = append(lines, sales.ShippedLine{Line: l.ID, Quantity: left[l.ID]})
			}
		}
		if len(lines) == 0 {
			err = errShipment.At("lines").With("everything was shipped")
		}
		return lines, err
	}
	if len(*in.Lines) == 0 {
		return nil, errShipment.At("lines").With("must not be empty")
	}
	used := map[int64]bool{}
	for i, l := range *in.Lines {
		most, known := left[int64(l.LineID)]
		entry := fmt.Sprintf("lines[%d]", i)
		switch {
		case !known:
			return nil, errShipment.At("line_id").At(entry).With("the order has no such line")
		case used[int64(l.LineID)]:
			return nil, errShipment.At("line_id").At(entry).With("is listed twice")
		case l.Quantity < 1 || l.Quantity > most:
			return nil, errShipment.At("quantity").At(entry).With(fmt.Sprintf("at least 1, and %d are left to ship", max(most, 0)))
		}
		used[int64(l.LineID)] = true
		lines = append(lines, sales.ShippedLine{Line: int64(l.LineID), Quantity: l.Quantity})
	}
	return lines, nil
}

// ship records a parcel of an order. The lock of the order makes concurrent calls share what is
// left to ship.
func (os *Orders) ship(ctx context.Context, c *api.Call, in shipRequest) (out api.Result[shipmentView], err error) {
	o, err := os.owned(ctx, c, in.ID)
	if err != nil {
		return out, err
	}
	s, err := in.shipment(os.Now())
	if err != nil {
		return out, err
	}
	err = os.Store.Write(ctx, o.Company, func(tx *store.Tx) error {
		if o, err = sales.LockOrder(ctx, tx, o.ID); err != nil {
			return err
		}
		if o.Status == shop.OrderCancelled {
			return errShipment.With("status: the order is cancelled")
		}
		earlier, err := sales.Shipments(ctx, tx.Reader, []shop.OrderID{o.ID})
		if err != nil {
			return err
		}
		if len(earlier[o.ID]) >= maxShipments {
			return errShipment.With("shipments: an order has at most 100")
		}
		if s.Lines, err = in.lines(o, earlier[o.ID]); err != nil {
			return err
		}
		return sales.AddShipment(ctx, tx, &o, &s, c.Person)
	})
	return api.Wrap(viewShipment(s)), err
}

type shipmentPath struct {
	orderPath
	Shipment shop.ShipmentID `path:"shipment_id" json:"-"`
}

// changeShipment runs a change of a shipment under the lock of its order.
func (os *Orders) changeShipment(ctx context.Context, c *api.Call, in shipmentPath, fn func(tx *store.Tx, s *sales.Shipment) error) (s sales.Shipment, err error) {
	o, err := os.owned(ctx, c, in.ID)
	if err != nil {
		return s, err
	}
	err = os.Store.Write(ctx, o.Company, func(tx *store.Tx) error {
		if o, err = sales.LockOrder(ctx, tx, o.ID); err != nil {
			return err
		}
		if err := tx.CheckBasis(o.UpdatedAt); err != nil {
			return err
		}
		if s, err = sales.GetShipment(ctx, tx.Reader, o.ID, in.Shipment); err != nil {
			return err
		}
		return fn(tx, &s)
	})
	return s, err
}

type deliveredRequest struct {
	shipmentPath
	api.Basis
	DeliveredAt api.OptionalTime `json:"delivered_at" doc:"not before shipped_at; null: it has not arrived"`
}

// deliver records that a parcel arrived, or that it did not.
func (os *Orders) deliver(ctx context.Context, c *api.Call, in deliveredRequest) (out api.Result[shipmentView], err error) {
	if err := checkMoment("delivered_at", in.DeliveredAt.At, os.Now()); err != nil {
		return out, err
	}
	s, err := os.changeShipment(ctx, c, in.shipmentPath, func(tx *store.Tx, s *sales.Shipment) error {
		if !in.DeliveredAt.Set {
			return nil
		}
		// Clients send whole seconds, and the time of shipping may be the server's.
		if at := in.DeliveredAt.At; at != nil && at.Before(s.ShippedAt.Truncate(time.Second)) {
			return errShipment.At("delivered_at").With("is before shipped_at")
		}
		return sales.SetShipmentDelivered(ctx, tx, s, in.DeliveredAt.At, c.Person)
	})
	return api.Wrap(viewShipment(s)), err
}

func (os *Orders) deleteShipment(ctx context.Context, c *api.Call, in shipmentPath) (none api.None, err error) {
	_, err = os.changeShipment(ctx, c, in, func(tx *store.Tx, s *sales.Shipment) error { return sales.DeleteShipment(ctx, tx, *s, c.Person) })
	return none, err
}
