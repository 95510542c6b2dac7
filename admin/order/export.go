package order

import (
	"context"
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
	CompanyID   shop.CompanyID     `query:"filter.company_id" json:"-" doc:"the shop; by default the caller's"`
	IDs         []shop.OrderID     `query:"filter.ids" json:"-" max:"1000" doc:"repeat the parameter for more than one"`
	UserID      shop.UserID        `query:"filter.user_id" json:"-" doc:"the id of the buyer"`
	Status      []shop.OrderStatus `query:"filter.status" json:"-" max:"10" doc:"repeat the parameter for more than one"`
	Paid        *bool              `query:"filter.paid" json:"-" doc:"whether the order was paid"`
	Query       string             `query:"filter.query" json:"-" len:"200" refuse:"INVALID_REQUEST" doc:"number, name, phone, e-mail or name of a product"`
	CreatedFrom string             `query:"filter.created_from" json:"-" len:"64" refuse:"INVALID_REQUEST" doc:"RFC 3339"`
	CreatedTo   string             `query:"filter.created_to" json:"-" len:"64" refuse:"INVALID_REQUEST" doc:"RFC 3339"`
	UpdatedFrom string             `query:"filter.updated_from" json:"-" len:"64" refuse:"INVALID_REQUEST" doc:"RFC 3339"`
	UpdatedTo   string             `query:"filter.updated_to" json:"-" len:"64" refuse:"INVALID_REQUEST" doc:"RFC 3339"`
}

func (in exportRequest) filter() (f sales.OrderFilter, err error) {
	f = sales.OrderFilter{IDs: in.IDs, Person: in.UserID, Statuses: in.Status, Paid: in.Paid, Query: in.Query}
	if err := knownStatuses(in.Status); err != nil {
		return f, err
	}
	for text, at := range map[*string]**time.Time{
		&in.CreatedFrom: &f.CreatedFrom, &in.CreatedTo: &f.CreatedTo, &in.UpdatedFrom: &f.UpdatedFrom, &in.UpdatedTo: &f.UpdatedTo,
	} {
		if *text == "" {
			continue
		}
		moment, err := time.Parse(time.RFC3339, *text)
		if err != nil {
			return f, shop.ErrInvalidRequest.With("expected a time in RFC 3339, such as 2026-11-23T00:00:00Z")
		}
		*at = &moment
	}
	return f, nil
}

// export writes the shop's orders as CSV, oldest first, one line each.
func (os *Orders) export(ctx context.Context, c *api.Call, in exportRequest) (out api.Raw, err error) {
	if c.Company == 0 || !c.Role.Known() || !c.Has(readsOrders) || c.Buyer || in.CompanyID != 0 && in.CompanyID != c.Company {
		return out, sales.ErrOrderDenied
	}
	f, err := in.filter()
	if err != nil {
		return out, err
	}
	const narrower = "filter by filter.created_from and filter.created_to"
	return api.Export(ctx, c, os.Store, "orders.csv", narrower, func(r store.Reader, to io.Writer) error {
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
			rows := make([]exportedOrder, len(orders))
			for i, o := range orders {
				rows[i] = exportedOrder{o, payments[o.ID].Main()}
			}
			return rows, err
		})
	})
}

// exportedOrder is an order with its main payment.
type exportedOrder struct {
	sales.Order
	payment sales.Payment
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
	{Name: "address", Cell: func(o exportedOrder) string { return strings.Join(shop.AddressLines(o.Address), "\n") }},
	{Name: "comment", Cell: func(o exportedOrder) string { return o.Comment }},
	{Name: "items", Cell: func(o exportedOrder) string { return linesCell(o.Lines) }},
}

// linesCell formats the lines of an order, one per line of the cell.
func linesCell(lines []sales.OrderLine) string {
	var text []string
	for _, l := range lines {
		line := fmt.Sprintf("%d x %s", l.Quantity, l.Name)
		if l.SKU != "" {
			line += " (" + l.SKU + ")"
		}
		text = append(text, line)
	}
	return strings.Join(text, "\n")
}
