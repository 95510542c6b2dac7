package order

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/cells"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

type exportRequest struct {
	CompanyID   shop.CompanyID        `query:"filter.company_id" json:"-" doc:"the shop; by default the caller's"`
	IDs         []shop.OrderID        `query:"filter.ids" json:"-" max:"1000" doc:"repeat the parameter for more than one"`
	UserID      shop.UserID           `query:"filter.user_id" json:"-" doc:"the id of the buyer"`
	CustomerID  shop.CustomerID       `query:"filter.customer_id" json:"-"`
	Status      []shop.OrderStatus    `query:"filter.status" json:"-" max:"10" doc:"repeat the parameter for more than one"`
	Paid        *bool                 `query:"filter.paid" json:"-" doc:"whether the order was paid"`
	Payments    []string              `query:"filter.payment_status" json:"-" max:"10" doc:"none, pending, failed, paid, refunding or refunded; repeat the parameter for more than one"`
	Shipments   []shop.ShipmentStatus `query:"filter.shipment_status" json:"-" max:"10" doc:"none, partial, shipped or delivered; repeat the parameter for more than one"`
	Waits       sales.Waits           `query:"filter.waits_for" json:"-" len:"64" refuse:"INVALID_STATUS" doc:"payment, shipment or refund"`
	Sources     []sales.OrderSource   `query:"filter.source" json:"-" max:"10" doc:"storefront, manual or assistant; repeat the parameter for more than one"`
	Platform    shop.Int64            `query:"filter.platform" json:"-" doc:"the id of an assistant of GET /v1/shop/assistants"`
	Tags        []string              `query:"filter.tags" json:"-" max:"64" len:"64" doc:"orders with any of these tags; repeat the parameter for more than one"`
	Delivery    shop.DeliveryID       `query:"filter.delivery_option_id" json:"-"`
	Days        int                   `query:"filter.days" json:"-" doc:"orders of the last 1 to 3660 days, each of 24 hours"`
	Query       string                `query:"filter.query" json:"-" len:"200" refuse:"INVALID_REQUEST" doc:"number, name, phone, e-mail, city, comment, or name or SKU of a product"`
	CreatedFrom string                `query:"filter.created_from" json:"-" len:"64" refuse:"INVALID_REQUEST" doc:"RFC 3339"`
	CreatedTo   string                `query:"filter.created_to" json:"-" len:"64" refuse:"INVALID_REQUEST" doc:"RFC 3339"`
	UpdatedFrom string                `query:"filter.updated_from" json:"-" len:"64" refuse:"INVALID_REQUEST" doc:"RFC 3339"`
	UpdatedTo   string                `query:"filter.updated_to" json:"-" len:"64" refuse:"INVALID_REQUEST" doc:"RFC 3339"`
}

func (in exportRequest) filter(now time.Time) (f sales.OrderFilter, err error) {
	f = sales.OrderFilter{
		IDs: in.IDs, Person: in.UserID, Customer: in.CustomerID, Statuses: in.Status, Paid: in.Paid, Query: in.Query, Payments: in.Payments, Shipments: in.Shipments,
		Waits: in.Waits, Sources: in.Sources, Platform: int64(in.Platform), Tags: in.Tags, Delivery: in.Delivery,
	}
	for _, bound := range []struct {
		name, text string
		at         **time.Time
	}{
		{"filter.created_from", in.CreatedFrom, &f.CreatedFrom}, {"filter.created_to", in.CreatedTo, &f.CreatedTo},
		{"filter.updated_from", in.UpdatedFrom, &f.UpdatedFrom}, {"filter.updated_to", in.UpdatedTo, &f.UpdatedTo},
	} {
		if bound.text == "" {
			continue
		}
		moment, err := time.Parse(time.RFC3339, bound.text)
		if err != nil {
			return f, shop.ErrInvalidRequest.At(bound.name).With("expected a time in RFC 3339, such as 2026-11-23T00:00:00Z")
		}
		*bound.at = &moment
	}
	return f, checkFilter(&f, in.Days, now)
}

// export writes the shop's orders as CSV, oldest first, one line each.
func (os *Orders) export(ctx context.Context, c *api.Call, in exportRequest) (out api.Raw, err error) {
	if !sells(c) || in.CompanyID != 0 && in.CompanyID != c.Company {
		return out, sales.ErrOrderDenied
	}
	f, err := in.filter(os.Now())
	if err != nil {
		return out, err
	}
	const narrower = "filter by filter.created_from and filter.created_to"
	return api.Export(ctx, c, os.Store, "orders.csv", narrower, func(ctx context.Context, r store.Reader, to io.Writer) error {
		return cells.Write(to, exported, func(last exportedOrder) ([]exportedOrder, error) {
			orders, err := sales.OrdersAfter(ctx, r, f, last.ID, cells.ExportPage)
			if err != nil {
				return nil, err
			}
			ids := make([]shop.OrderID, len(orders))
			for i, o := range orders {
				ids[i] = o.ID
			}
			payments, err := sales.Payments(ctx, r, ids)
			if err != nil {
				return nil, err
			}
			shipments, err := sales.Shipments(ctx, r, ids)
			rows := make([]exportedOrder, len(orders))
			for i, o := range orders {
				rows[i] = exportedOrder{o, payments[o.ID].Main(), shipments[o.ID]}
			}
			return rows, err
		})
	})
}

// exportedOrder is an order with its main payment and its shipments.
type exportedOrder struct {
	sales.Order
	payment   sales.Payment
	shipments []sales.Shipment
}

var exported = []cells.Column[exportedOrder]{
	{Name: "number", Cell: func(o exportedOrder) string { return strconv.FormatInt(o.Number, 10) }},
	{Name: "id", Cell: func(o exportedOrder) string { return o.ID.String() }},
	{Name: "created_at", Cell: func(o exportedOrder) string { return o.CreatedAt.UTC().Format(time.RFC3339) }},
	{Name: "status", Cell: func(o exportedOrder) string { return string(o.Status) }},
	{Name: "payment", Cell: func(o exportedOrder) string { return o.payment.Status }},
	{Name: "items_total", Cell: func(o exportedOrder) string { return strconv.FormatInt(o.ItemsTotal, 10) }},
	{Name: "discount_total", Cell: func(o exportedOrder) string { return strconv.FormatInt(o.DiscountTotal, 10) }},
	{Name: "delivery", Cell: func(o exportedOrder) string {
		if o.Delivery == nil {
			return ""
		}
		return o.Delivery.Name
	}},
	{Name: "grand_total", Cell: func(o exportedOrder) string { return strconv.FormatInt(o.GrandTotal, 10) }},
	{Name: "currency", Cell: func(o exportedOrder) string { return o.Currency }},
	{Name: "name", Cell: func(o exportedOrder) string { return o.Contact.Name }},
	{Name: "phone", Cell: func(o exportedOrder) string { return o.Contact.Phone }},
	{Name: "email", Cell: func(o exportedOrder) string { return o.Contact.Email }},
	{Name: "address", Cell: func(o exportedOrder) string { return strings.Join(shop.AddressLines(o.Address, nil), "\n") }},
	{Name: "comment", Cell: func(o exportedOrder) string { return o.Comment }},
	{Name: "items", Cell: func(o exportedOrder) string { return linesCell(o.Lines) }},
	{Name: "unit_prices", Cell: func(o exportedOrder) string {
		return joinCell(o.Lines, func(l sales.OrderLine) string { return strconv.FormatInt(l.Unit, 10) })
	}},
	{Name: "codes", Cell: func(o exportedOrder) string { return codesCell(o.Promotions) }},
	{Name: "delivery_price", Cell: func(o exportedOrder) string {
		if o.Delivery == nil {
			return ""
		}
		return strconv.FormatInt(o.Delivery.Price, 10)
	}},
	{Name: "payment_method", Cell: func(o exportedOrder) string { return cmp.Or(o.payment.Method, o.PaymentMethod) }},
	{Name: "paid_at", Cell: func(o exportedOrder) string {
		if o.payment.PaidAt == nil {
			return ""
		}
		return o.payment.PaidAt.UTC().Format(time.RFC3339)
	}},
	{Name: "shipment_status", Cell: func(o exportedOrder) string { return string(o.ShipmentStatus) }},
	{Name: "shipments", Cell: func(o exportedOrder) string {
		return joinCell(o.shipments, func(s sales.Shipment) string { return shop.CarrierOf(s.Carrier).Name + " " + s.Number })
	}},
	{Name: "tags", Cell: func(o exportedOrder) string { return strings.Join(o.Tags, "\n") }},
	{Name: "note", Cell: func(o exportedOrder) string { return o.Note }},
	{Name: "source", Cell: func(o exportedOrder) string { return string(o.Source) }},
	{Name: "assistant", Cell: func(o exportedOrder) string {
		if o.Assistant == nil {
			return ""
		}
		return o.Assistant.Platform
	}},
}

// joinCell formats a list, one entry per line of the cell.
func joinCell[T any](list []T, format func(T) string) string {
	var text []string
	for _, entry := range list {
		text = append(text, format(entry))
	}
	return strings.Join(text, "\n")
}

// codesCell formats the promotion codes that an order used.
func codesCell(promotions json.RawMessage) string {
	var used []struct {
		Code string `json:"code"`
	}
	if json.Unmarshal(promotions, &used) != nil {
		return ""
	}
	var codes []string
	for _, p := range used {
		if p.Code != "" {
			codes = append(codes, p.Code)
		}
	}
	return strings.Join(codes, "\n")
}

// linesCell formats the lines of an order.
func linesCell(lines []sales.OrderLine) string {
	return joinCell(lines, func(l sales.OrderLine) string {
		line := fmt.Sprintf("%d x %s", l.Quantity, l.Name)
		if l.SKU != "" {
			line += " (" + l.SKU + ")"
		}
		return line
	})
}
