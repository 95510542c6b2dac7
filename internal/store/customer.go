package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
)

// Refusals of customers.
var (
	ErrCustomerNotFound = shop.Refuse(shop.NotFound, "CUSTOMER_NOT_FOUND").When("the shop has no customer of this id")
	ErrCustomerExists   = shop.Refuse(shop.AlreadyExists, "CUSTOMER_EXISTS").When("the shop has a customer of this address")
	ErrCustomerLimit    = shop.Refuse(shop.FailedPrecondition, "CUSTOMER_LIMIT").When("the shop has 200,000 customers already; those who order and write are added all the same")
)

// MaxCustomers is how many customers a shop has before none can be added by hand.
const MaxCustomers = 200_000

// Customer is somebody who bought in the shop, wrote to it or was added (CONTRACT-COMMERCE,
// "Customers"). Orders that were cancelled do not count; those whose money went back count
// among Orders and are not in Spent, which is what orders cost with their delivery. Spent
// is of the orders in the present currency of the shop, SpentBy of all, by their currency.
type Customer struct {
	ID          shop.CustomerID
	Person      shop.UserID // 0: nobody knows who that is
	Email       string      // in lower case; empty: none was given
	Name        string
	Phone       string
	Note        string                 // the shop's own
	Groups      []shop.CustomerGroupID // put there and by rule, rising
	Orders      int64
	Spent       int64
	LastOrderAt *time.Time
	CreatedAt   time.Time
	SpentBy     map[string]int64
}

var customerColumns = `c.id, c.person_id, c.email, c.name, c.phone, c.note, ` + groupsIn("c") + `, c.orders, c.spent, c.last_order_at, c.created_at,
	coalesce((SELECT jsonb_object_agg(s.currency, s.sum) FROM (
		SELECT o.currency, sum(o.grand_total) FROM shop_order o
		WHERE o.company_id = $1 AND o.customer_id = c.id AND o.status <> 'cancelled' AND NOT o.refunded GROUP BY 1) s), '{}')`

// CustomerFilter narrows a list of customers; what is zero does not.
type CustomerFilter struct {
	Query string // in name, e-mail and phone
	Group shop.CustomerGroupID
}

// CustomerSort is how a list of customers is sorted: by a field of CustomerSorts, newest
// first without one.
type CustomerSort struct {
	Field string
	Asc   bool
}

// CustomerSorts are what customers can be sorted by.
var CustomerSorts = []string{"created_at", "last_order_at", "orders", "spent", "name"}

func (s CustomerSort) sql() string {
	field, way, empty := "c.created_at", " DESC", ""
	for _, known := range CustomerSorts {
		if s.Field == known {
			field = "c." + known
		}
	}
	if s.Asc {
		way = " ASC"
	}
	switch s.Field {
	case "name":
		field = "lower(c.name)"
	case "last_order_at":
		empty = " NULLS LAST"
	}
	return " ORDER BY " + field + way + empty + ", c.id" + way
}

// where is the condition of a filter on customer c, with its arguments.
func (f CustomerFilter) where(company shop.CompanyID) (string, []any) {
	where, args := "c.company_id = $1 AND c.erased_at IS NULL", []any{company}
	add := func(condition string, arg any) {
		args = append(args, arg)
		where += " AND " + strings.ReplaceAll(condition, "?", fmt.Sprintf("$%d", len(args)))
	}
	if f.Query != "" {
		add(`CASE WHEN c.company_id = $1 THEN strpos(lower(c.name), lower(?)) > 0 OR strpos(c.email, lower(?)) > 0 OR strpos(c.phone, ?) > 0 END`, f.Query)
	}
	if f.Group != 0 {
		add(`EXISTS (SELECT FROM customer_group g WHERE g.company_id = $1 AND g.id = ? AND (c.spent > g.spent_more_than OR c.last_order_at >= g.ordered_since
			OR EXISTS (SELECT FROM customer_member m WHERE m.company_id = $1 AND m.group_id = g.id AND m.customer_id = c.id)))`, f.Group)
	}
	return where, args
}

// Customers lists the customers that match, and counts them.
func (r Reader) Customers(ctx context.Context, f CustomerFilter, sort CustomerSort, limit, offset int) (list []Customer, total int, err error) {
	where, args := f.where(r.Company)
	if err := r.q.QueryRow(ctx, `SELECT count(*) FROM customer c WHERE `+where, args...).Scan(&total); err != nil || total <= offset {
		return nil, total, err
	}
	rows, err := r.q.Query(ctx, `SELECT `+customerColumns+` FROM customer c WHERE `+where+sort.sql()+
		fmt.Sprintf(` LIMIT %d OFFSET %d`, limit, offset), args...)
	if err != nil {
		return nil, 0, err
	}
	list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Customer])
	return list, total, err
}

// CustomersAfter are the customers that match and follow one, oldest first.
func (r Reader) CustomersAfter(ctx context.Context, f CustomerFilter, after shop.CustomerID, limit int) ([]Customer, error) {
	where, args := f.where(r.Company)
	rows, err := r.q.Query(ctx, `SELECT `+customerColumns+` FROM customer c WHERE `+where+
		fmt.Sprintf(` AND c.id > %d ORDER BY c.id LIMIT %d`, after, limit), args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Customer])
}

// Customer is one customer of the shop.
func (r Reader) Customer(ctx context.Context, id shop.CustomerID) (Customer, error) {
	rows, err := r.q.Query(ctx, `
		SELECT `+customerColumns+` FROM customer c WHERE c.company_id = $1 AND c.id = $2 AND c.erased_at IS NULL`, r.Company, id)
	if err != nil {
		return Customer{}, err
	}
	c, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Customer])
	if noRow(err) {
		err = ErrCustomerNotFound
	}
	return c, err
}

// LockCustomer is a customer for a change of it.
func (tx *Tx) LockCustomer(ctx context.Context, id shop.CustomerID) (Customer, error) {
	if _, err := tx.q.Exec(ctx, `SELECT FROM customer WHERE company_id = $1 AND id = $2 FOR NO KEY UPDATE`, tx.Company, id); err != nil {
		return Customer{}, err
	}
	return tx.Customer(ctx, id)
}

// LockCustomers are those of the customers with these addresses that are there, for a
// change of them, by address.
func (tx *Tx) LockCustomers(ctx context.Context, emails []string) (map[string]Customer, error) {
	_, err := tx.q.Exec(ctx, `SELECT FROM customer WHERE company_id = $1 AND email = ANY($2) AND email <> '' ORDER BY id FOR NO KEY UPDATE`, tx.Company, emails)
	if err != nil {
		return nil, err
	}
	rows, err := tx.q.Query(ctx, `SELECT `+customerColumns+` FROM customer c WHERE c.company_id = $1 AND c.email = ANY($2) AND c.email <> ''`, tx.Company, emails)
	if err != nil {
		return nil, err
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Customer])
	found := make(map[string]Customer, len(list))
	for _, c := range list {
		found[c.Email] = c
	}
	return found, err
}

// RoomForCustomers is how many customers can still be added by hand.
func (r Reader) RoomForCustomers(ctx context.Context) (n int, err error) {
	err = r.q.QueryRow(ctx, `
		SELECT $2 - count(*) FROM (SELECT FROM customer WHERE company_id = $1 AND erased_at IS NULL LIMIT $2) c`, r.Company, MaxCustomers).Scan(&n)
	return n, err
}

// AddCustomers adds customers by their addresses, with the groups that have no rule. It is
// ErrCustomerExists when one is there. They are linked to no account before its person has
// done something in the shop: the shop is not told who has one elsewhere.
func (tx *Tx) AddCustomers(ctx context.Context, list []Customer) error {
	n := len(list)
	emails, names, phones, notes := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	for i, c := range list {
		emails[i], names[i], phones[i], notes[i] = c.Email, c.Name, c.Phone, c.Note
	}
	rows, err := tx.q.Query(ctx, `
		INSERT INTO customer (company_id, email, name, phone, note)
		SELECT $1, lower(a.email), a.name, a.phone, a.note
		FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) WITH ORDINALITY a(email, name, phone, note, n)
		ORDER BY a.n RETURNING id`, tx.Company, emails, names, phones, notes)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[shop.CustomerID])
	switch {
	case uniqueViolation(err, "customer_email"):
		return ErrCustomerExists
	case err != nil:
		return err
	}
	for i := range list {
		list[i].ID = ids[i]
	}
	return tx.putInGroups(ctx, list)
}

// SaveCustomers writes what the shop says of locked customers: name, phone, note and the
// groups without a rule.
func (tx *Tx) SaveCustomers(ctx context.Context, list []Customer) error {
	n := len(list)
	ids, names, phones, notes := make([]shop.CustomerID, n), make([]string, n), make([]string, n), make([]string, n)
	for i, c := range list {
		ids[i], names[i], phones[i], notes[i] = c.ID, c.Name, c.Phone, c.Note
	}
	_, err := tx.q.Exec(ctx, `
		UPDATE customer c SET name = a.name, phone = a.phone, note = a.note
		FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[]) a(id, name, phone, note) WHERE c.company_id = $1 AND c.id = a.id`,
		tx.Company, ids, names, phones, notes)
	if err != nil {
		return err
	}
	return tx.putInGroups(ctx, list)
}

// putInGroups lets customers be in the groups without a rule that are named, and in no
// other one.
func (tx *Tx) putInGroups(ctx context.Context, list []Customer) error {
	var all, members []shop.CustomerID
	var groups []shop.CustomerGroupID
	for _, c := range list {
		all = append(all, c.ID)
		for _, g := range c.Groups {
			members, groups = append(members, c.ID), append(groups, g)
		}
	}
	b := &pgx.Batch{}
	b.Queue(`
		DELETE FROM customer_member m WHERE m.company_id = $1 AND m.customer_id = ANY($2) AND NOT EXISTS (
			SELECT FROM unnest($3::bigint[], $4::bigint[]) a(customer_id, group_id) WHERE a.customer_id = m.customer_id AND a.group_id = m.group_id)`,
		tx.Company, all, members, groups)
	b.Queue(`
		INSERT INTO customer_member (company_id, group_id, customer_id)
		SELECT $1, g.id, a.customer_id FROM unnest($2::bigint[], $3::bigint[]) a(customer_id, group_id)
		JOIN customer_group g ON g.company_id = $1 AND g.id = a.group_id AND g.spent_more_than IS NULL AND g.ordered_since IS NULL
		ON CONFLICT DO NOTHING`, tx.Company, members, groups)
	return tx.q.SendBatch(ctx, b).Close()
}
