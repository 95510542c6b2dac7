package customer

import (
	"context"
	"io"
	"strconv"
	"strings"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/cells"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/people"
)

// exported returns the columns of the CSV; names are the names of groups.
func exported(names map[shop.CustomerGroupID]string) []cells.Column[people.Customer] {
	return []cells.Column[people.Customer]{
		{Name: "id", Cell: func(c people.Customer) string { return c.ID.String() }},
		{Name: "email", Cell: func(c people.Customer) string { return c.Email }},
		{Name: "name", Cell: func(c people.Customer) string { return c.Name }},
		{Name: "phone", Cell: func(c people.Customer) string { return c.Phone }},
		{Name: "note", Cell: func(c people.Customer) string { return c.Note }},
		{Name: "groups", Cell: func(c people.Customer) string {
			var list []string
			for _, id := range c.Groups {
				list = append(list, names[id])
			}
			return strings.Join(list, "; ")
		}},
		{Name: "orders", Cell: func(c people.Customer) string { return strconv.FormatInt(c.Orders, 10) }},
		{Name: "spent", Cell: func(c people.Customer) string { return strconv.FormatInt(c.Spent, 10) }},
		{Name: "created_at", Cell: func(c people.Customer) string { return formatTime(&c.CreatedAt) }},
		{Name: "last_order_at", Cell: func(c people.Customer) string { return formatTime(c.LastOrderAt) }},
		{Name: "user_id", Cell: func(c people.Customer) string { return c.Person.String() }},
	}
}

func formatTime(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// export returns the matching customers as CSV, oldest first.
func (cs *Customers) export(ctx context.Context, c *api.Call, in filter) (api.Raw, error) {
	const narrower = "use filter.group_id to export fewer customers"
	return api.Export(ctx, c, cs.Store, "customers.csv", narrower, func(ctx context.Context, r store.Reader, to io.Writer) error {
		groups, err := people.CustomerGroups(ctx, r)
		if err != nil {
			return err
		}
		names := map[shop.CustomerGroupID]string{}
		for _, g := range groups {
			names[g.ID] = g.Name
		}
		return cells.Write(to, exported(names), func(last people.Customer) ([]people.Customer, error) {
			return people.CustomersAfter(ctx, r, in.of(), last.ID, cells.ExportPage)
		})
	})
}
