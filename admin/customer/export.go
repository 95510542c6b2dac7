package customer

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

const (
	exportPage  = 500       // customers per page of the database reads
	exportBytes = 512 << 20 // size limit of a response
)

// exported are the columns of the CSV; names are the names of groups.
var exported = []struct {
	name string
	cell func(c people.Customer, names map[shop.CustomerGroupID]string) string
}{
	{"id", func(c people.Customer, _ map[shop.CustomerGroupID]string) string { return c.ID.String() }},
	{"email", func(c people.Customer, _ map[shop.CustomerGroupID]string) string { return c.Email }},
	{"name", func(c people.Customer, _ map[shop.CustomerGroupID]string) string { return c.Name }},
	{"phone", func(c people.Customer, _ map[shop.CustomerGroupID]string) string { return c.Phone }},
	{"note", func(c people.Customer, _ map[shop.CustomerGroupID]string) string { return c.Note }},
	{"groups", func(c people.Customer, names map[shop.CustomerGroupID]string) string {
		var list []string
		for _, id := range c.Groups {
			list = append(list, names[id])
		}
		return strings.Join(list, "; ")
	}},
	{"orders", func(c people.Customer, _ map[shop.CustomerGroupID]string) string {
		return strconv.FormatInt(c.Orders, 10)
	}},
	{"spent", func(c people.Customer, _ map[shop.CustomerGroupID]string) string {
		return strconv.FormatInt(c.Spent, 10)
	}},
	{"created_at", func(c people.Customer, _ map[shop.CustomerGroupID]string) string { return formatTime(&c.CreatedAt) }},
	{"last_order_at", func(c people.Customer, _ map[shop.CustomerGroupID]string) string { return formatTime(c.LastOrderAt) }},
	{"user_id", func(c people.Customer, _ map[shop.CustomerGroupID]string) string { return c.Person.String() }},
}

func formatTime(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// export writes the matching customers as CSV, oldest first. It reads them page by page in one
// database snapshot into a file: memory holds one page, and a slow client does not hold a
// database connection.
func (cs *Customers) export(ctx context.Context, c *api.Call, in filter) (out api.Raw, err error) {
	out.ContentType = "text/csv; charset=utf-8"
	out.File, err = api.Spool(exportBytes, errExport.With("use filter.group_id to export fewer customers"), func(w io.Writer) error {
		return cs.Store.Snapshot(ctx, c.Company, func(r store.Reader) error { return writeCustomers(ctx, r, in.of(), w) })
	})
	c.SetHeader("Content-Disposition", `attachment; filename="customers.csv"`)
	return out, err
}

func writeCustomers(ctx context.Context, r store.Reader, f people.CustomerFilter, to io.Writer) error {
	groups, err := people.CustomerGroups(ctx, r)
	if err != nil {
		return err
	}
	names := map[shop.CustomerGroupID]string{}
	for _, g := range groups {
		names[g.ID] = g.Name
	}
	buffer := bufio.NewWriter(to)
	w, row := csv.NewWriter(buffer), make([]string, len(exported))
	for i, column := range exported {
		row[i] = column.name
	}
	if err := w.Write(row); err != nil {
		return err
	}
	for after := shop.CustomerID(0); ; {
		list, err := people.CustomersAfter(ctx, r, f, after, exportPage)
		if err != nil {
			return err
		}
		for _, c := range list {
			after = c.ID
			for i, column := range exported {
				row[i] = api.GuardCell(column.cell(c, names))
			}
			if err := w.Write(row); err != nil {
				return err
			}
		}
		if len(list) < exportPage {
			w.Flush()
			return errors.Join(w.Error(), buffer.Flush())
		}
	}
}
