package order

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
)

const (
	exportPage  = 500       // orders read at a time
	exportBytes = 512 << 20 // of a response
)

var errExportLarge = shop.Refuse(shop.FailedPrecondition, "EXPORT_TOO_LARGE").
	When("the export would be too large; use a narrower filter")

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

// export writes the shop's orders as CSV, oldest first, one line each. They are read page by page
// in one database snapshot and written to a temporary file first: memory holds only a page, and a
// slow client does not hold a database connection.
func (os *Orders) export(ctx context.Context, c *api.Call, in exportRequest) (out api.Raw, err error) {
	if c.Company == 0 || !c.Role.Known() || !c.Has(readsOrders) || c.Buyer || in.CompanyID != 0 && in.CompanyID != c.Company {
		return out, sales.ErrOrderDenied
	}
	f, err := in.filter()
	if err != nil {
		return out, err
	}
	out.ContentType = "text/csv; charset=utf-8"
	out.File, err = api.Spool(exportBytes, errExportLarge.With("filter by filter.created_from and filter.created_to"), func(w io.Writer) error {
		return os.Store.Snapshot(ctx, c.Company, func(r store.Reader) error { return writeOrders(ctx, r, f, w) })
	})
	c.SetHeader("Content-Disposition", `attachment; filename="orders.csv"`)
	return out, err
}

// exported are the columns of the CSV.
var exported = []struct {
	name string
	cell func(o sales.Order, p sales.Payment) string
}{
	{"number", func(o sales.Order, _ sales.Payment) string { return strconv.FormatInt(o.Number, 10) }},
	{"id", func(o sales.Order, _ sales.Payment) string { return o.ID.String() }},
	{"created_at", func(o sales.Order, _ sales.Payment) string { return o.CreatedAt.UTC().Format(time.RFC3339) }},
	{"status", func(o sales.Order, _ sales.Payment) string { return string(o.Status) }},
	{"payment", func(_ sales.Order, p sales.Payment) string { return p.Status }},
	{"items_total", func(o sales.Order, _ sales.Payment) string { return strconv.FormatInt(o.ItemsTotal, 10) }},
	{"discount_total", func(o sales.Order, _ sales.Payment) string { return strconv.FormatInt(o.DiscountTotal, 10) }},
	{"delivery", func(o sales.Order, _ sales.Payment) string {
		if o.Delivery == nil {
			return ""
		}
		return o.Delivery.Name
	}},
	{"grand_total", func(o sales.Order, _ sales.Payment) string { return strconv.FormatInt(o.GrandTotal, 10) }},
	{"currency", func(o sales.Order, _ sales.Payment) string { return o.Currency }},
	{"name", func(o sales.Order, _ sales.Payment) string { return o.Contact.Name }},
	{"phone", func(o sales.Order, _ sales.Payment) string { return o.Contact.Phone }},
	{"email", func(o sales.Order, _ sales.Payment) string { return o.Contact.Email }},
	{"address", func(o sales.Order, _ sales.Payment) string { return strings.Join(shop.AddressLines(o.Address), "\n") }},
	{"comment", func(o sales.Order, _ sales.Payment) string { return o.Comment }},
	{"items", func(o sales.Order, _ sales.Payment) string { return linesCell(o.Lines) }},
}

func writeOrders(ctx context.Context, r store.Reader, f sales.OrderFilter, to io.Writer) error {
	buffer := bufio.NewWriter(to)
	w, row := csv.NewWriter(buffer), make([]string, len(exported))
	for i, column := range exported {
		row[i] = column.name
	}
	if err := w.Write(row); err != nil {
		return err
	}
	for after := shop.OrderID(0); ; {
		orders, err := sales.OrdersAfter(ctx, r, f, after, exportPage)
		if err != nil {
			return err
		}
		ids := make([]shop.OrderID, len(orders))
		for i, o := range orders {
			ids[i] = o.ID
		}
		paid, err := sales.Payments(ctx, r, ids)
		if err != nil {
			return err
		}
		for _, o := range orders {
			after = o.ID
			for i, column := range exported {
				row[i] = api.GuardCell(column.cell(o, paid[o.ID].Main()))
			}
			if err := w.Write(row); err != nil {
				return err
			}
		}
		if len(orders) < exportPage {
			w.Flush()
			return errors.Join(w.Error(), buffer.Flush())
		}
	}
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
