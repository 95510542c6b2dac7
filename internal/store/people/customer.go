package people

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// Refusals of customers.
var (
	ErrCustomerNotFound = shop.Refuse(shop.NotFound, "CUSTOMER_NOT_FOUND").When("the shop has no customer with this id")
	ErrCustomerExists   = shop.Refuse(shop.AlreadyExists, "CUSTOMER_EXISTS").When("the shop has a customer with this address")
	ErrCustomerLimit    = shop.Refuse(shop.FailedPrecondition, "CUSTOMER_LIMIT").When("the shop has 200,000 customers already; people who order or write are still added")
)

// MaxCustomers is how many customers a shop may have before none can be added manually.
const MaxCustomers = 200_000

// Customer is a person who bought in the shop, wrote to it or was added by it
// (CONTRACT-COMMERCE, "Customers"). Cancelled orders do not count; refunded orders count in
// Orders but not in Spent, which is the sum of orders with their delivery. Spent covers
// orders in the present currency of the shop, SpentBy covers all, by currency.
type Customer struct {
	ID          shop.CustomerID
	Person      shop.UserID // 0: no known person
	Email       string      // in lower case; empty: not given
	Name        string
	Phone       string
	Note        string                 // written by the shop
	Groups      []shop.CustomerGroupID // assigned and by rule, in ascending order
	Orders      int64
	Spent       int64
	LastOrderAt *time.Time
	CreatedAt   time.Time
	UpdatedAt   time.Time // by an edit; orders and spending are counted without one
	SpentBy     map[string]int64
}

var customerColumns = `c.id, c.person_id, c.email, c.name, c.phone, c.note, ` + groupsOfRow("c") + `, c.orders, c.spent, c.last_order_at, c.created_at, c.updated_at,
	coalesce((SELECT jsonb_object_agg(s.currency, s.sum) FROM (
		SELECT o.currency, sum(o.grand_total) FROM shop_order o
		WHERE o.company_id = $1 AND o.customer_id = c.id AND o.status <> 'cancelled' AND NOT o.refunded GROUP BY 1) s), '{}')`

// CustomerFilter restricts a list of customers; zero fields don't restrict.
type CustomerFilter struct {
	Query string // in name, e-mail and phone
	Group shop.CustomerGroupID
}

// CustomerSort is the order of a list of customers: by a field of CustomerSorts, newest
// first without one.
type CustomerSort struct {
	Field string
	Asc   bool
}

// CustomerSorts are the fields by which customers can be sorted.
var CustomerSorts = []string{"created_at", "last_order_at", "orders", "spent", "name"}

func (s CustomerSort) sql() string {
	field, direction, nulls := "c.created_at", " DESC", ""
	for _, known := range CustomerSorts {
		if s.Field == known {
			field = "c." + known
		}
	}
	if s.Asc {
		direction = " ASC"
	}
	switch s.Field {
	case "name":
		field = "lower(c.name)"
	case "last_order_at":
		nulls = " NULLS LAST"
	}
	return " ORDER BY " + field + direction + nulls + ", c.id" + direction
}

// where returns the SQL condition of a filter on customer c, with its arguments.
func (f CustomerFilter) where(company shop.CompanyID) (string, []any) {
	where, args := "c.company_id = $1 AND c.erased_at IS NULL", []any{company}
	add := func(condition string, arg any) {
		args = append(args, arg)
		where += " AND " + strings.ReplaceAll(condition, "?", fmt.Sprintf("$%d", len(args)))
	}
	if f.Query != "" {
		phone := ``
		if digits := shop.PhoneDigits(f.Query); digits != "" {
			args = append(args, digits)
			phone = ` OR strpos(regexp_replace(c.phone, '[^0-9]', '', 'g'), $2) > 0 OR phone_key($2) <> '' AND phone_key(c.phone) = phone_key($2)`
		}
		add(`CASE WHEN c.company_id = $1 THEN strpos(lower(c.name), lower(?)) > 0 OR strpos(c.email, lower(?)) > 0 OR strpos(c.phone, ?) > 0`+phone+` END`, f.Query)
	}
	if f.Group != 0 {
		add(`EXISTS (SELECT FROM customer_group g WHERE g.company_id = $1 AND g.id = ? AND (c.spent > g.spent_more_than OR c.last_order_at >= g.ordered_since
			OR EXISTS (SELECT FROM customer_member m WHERE m.company_id = $1 AND m.group_id = g.id AND m.customer_id = c.id)))`, f.Group)
	}
	return where, args
}

// Customers lists the matching customers and counts them.
func Customers(ctx context.Context, r store.Reader, f CustomerFilter, sort CustomerSort, limit, offset int) (list []Customer, total int, err error) {
	where, args := f.where(r.Company)
	if err := r.DB.QueryRow(ctx, `SELECT count(*) FROM customer c WHERE `+where, args...).Scan(&total); err != nil || total <= offset {
		return nil, total, err
	}
	// The columns are computed for the customers of the page alone, not for those before it.
	rows, err := r.DB.Query(ctx, `SELECT `+customerColumns+` FROM (SELECT c.* FROM customer c WHERE `+where+sort.sql()+
		fmt.Sprintf(` LIMIT %d OFFSET %d) c`, limit, offset)+sort.sql(), args...)
	if err != nil {
		return nil, 0, err
	}
	list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Customer])
	return list, total, err
}

// CustomersAfter returns the matching customers that follow one, oldest first.
func CustomersAfter(ctx context.Context, r store.Reader, f CustomerFilter, after shop.CustomerID, limit int) ([]Customer, error) {
	where, args := f.where(r.Company)
	rows, err := r.DB.Query(ctx, `SELECT `+customerColumns+` FROM customer c WHERE `+where+
		fmt.Sprintf(` AND c.id > %d ORDER BY c.id LIMIT %d`, after, limit), args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Customer])
}

// GetCustomer reads one customer of the shop.
func GetCustomer(ctx context.Context, r store.Reader, id shop.CustomerID) (Customer, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT `+customerColumns+` FROM customer c WHERE c.company_id = $1 AND c.id = $2 AND c.erased_at IS NULL`, r.Company, id)
	if err != nil {
		return Customer{}, err
	}
	c, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Customer])
	if store.NoRow(err) {
		err = ErrCustomerNotFound
	}
	return c, err
}

// LockCustomer reads and locks a customer for update.
func LockCustomer(ctx context.Context, tx *store.Tx, id shop.CustomerID) (Customer, error) {
	if _, err := tx.DB.Exec(ctx, `SELECT FROM customer WHERE company_id = $1 AND id = $2 FOR NO KEY UPDATE`, tx.Company, id); err != nil {
		return Customer{}, err
	}
	return GetCustomer(ctx, tx.Reader, id)
}

// LockCustomers locks the customers with these addresses for update and returns them by
// address.
func LockCustomers(ctx context.Context, tx *store.Tx, emails []string) (map[string]Customer, error) {
	_, err := tx.DB.Exec(ctx, `SELECT FROM customer WHERE company_id = $1 AND email = ANY($2) AND email <> '' ORDER BY id FOR NO KEY UPDATE`, tx.Company, emails)
	if err != nil {
		return nil, err
	}
	rows, err := tx.DB.Query(ctx, `SELECT `+customerColumns+` FROM customer c WHERE c.company_id = $1 AND c.email = ANY($2) AND c.email <> ''`, tx.Company, emails)
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

// CustomersLeft returns how many customers can still be added manually.
func CustomersLeft(ctx context.Context, r store.Reader) (n int, err error) {
	err = r.DB.QueryRow(ctx, `
		SELECT $2 - count(*) FROM (SELECT FROM customer WHERE company_id = $1 AND erased_at IS NULL LIMIT $2) c`, r.Company, MaxCustomers).Scan(&n)
	return n, err
}

// AddCustomers adds customers by their addresses, with their groups that have no rule. It
// returns ErrCustomerExists when one exists. Customers are linked to no account until the
// person does something in the shop: the shop must not learn who has an account elsewhere.
func AddCustomers(ctx context.Context, tx *store.Tx, list []Customer) error {
	n := len(list)
	emails, names, phones, notes := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	for i, c := range list {
		emails[i], names[i], phones[i], notes[i] = c.Email, c.Name, c.Phone, c.Note
	}
	rows, err := tx.DB.Query(ctx, `
		INSERT INTO customer (company_id, email, name, phone, note)
		SELECT $1, lower(a.email), a.name, a.phone, a.note
		FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) WITH ORDINALITY a(email, name, phone, note, n)
		ORDER BY a.n RETURNING id`, tx.Company, emails, names, phones, notes)
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[shop.CustomerID])
	switch {
	case store.UniqueViolation(err, "customer_email"):
		return ErrCustomerExists
	case err != nil:
		return err
	}
	for i := range list {
		list[i].ID = ids[i]
	}
	return setCustomerGroups(ctx, tx, list)
}

// SaveCustomers writes the shop's own fields of locked customers: name, phone, note and the
// groups without a rule.
func SaveCustomers(ctx context.Context, tx *store.Tx, list []Customer) error {
	n := len(list)
	ids, names, phones, notes := make([]shop.CustomerID, n), make([]string, n), make([]string, n), make([]string, n)
	for i, c := range list {
		ids[i], names[i], phones[i], notes[i] = c.ID, c.Name, c.Phone, c.Note
	}
	_, err := tx.DB.Exec(ctx, `
		UPDATE customer c SET name = a.name, phone = a.phone, note = a.note, updated_at = now()
		FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[]) a(id, name, phone, note) WHERE c.company_id = $1 AND c.id = a.id`,
		tx.Company, ids, names, phones, notes)
	if err != nil {
		return err
	}
	return setCustomerGroups(ctx, tx, list)
}

// setCustomerGroups makes customers members of the named groups without a rule, and removes them
// from all others.
func setCustomerGroups(ctx context.Context, tx *store.Tx, list []Customer) error {
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
	return tx.DB.SendBatch(ctx, b).Close()
}
