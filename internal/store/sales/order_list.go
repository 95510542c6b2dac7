package sales

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// OrderFilter restricts a list of orders; zero fields don't restrict.
type OrderFilter struct {
	Company     shop.CompanyID // 0: orders of all shops, for the person who made them
	Person      shop.UserID
	Customer    shop.CustomerID
	IDs         []shop.OrderID
	Statuses    []shop.OrderStatus
	Paid        *bool
	Payments    []string // statuses of the payment
	Shipments   []shop.ShipmentStatus
	Waits       Waits
	Sources     []OrderSource
	Platform    int64    // through which assistant they were made
	Tags        []string // any of them
	Delivery    shop.DeliveryID
	Query       string // number, name, phone, e-mail, city, comment, or name or SKU of a product
	CreatedFrom *time.Time
	CreatedTo   *time.Time
	UpdatedFrom *time.Time
	UpdatedTo   *time.Time
}

// OrderSort is the order in which a list of orders is sorted.
type OrderSort struct {
	Field string // one of OrderFields; empty: created_at
	Asc   bool
}

// OrderFields are the fields by which orders can be sorted.
var OrderFields = []string{"created_at", "updated_at", "items_total", "number"}

// Orders lists orders, newest first unless sorted otherwise, and counts all matches. The
// filter must have a Company or a Person.
func Orders(ctx context.Context, s *store.Store, f OrderFilter, sort OrderSort, limit, offset int) (list []Order, total int, err error) {
	where, args := f.where()
	if err := s.Pool.QueryRow(ctx, `SELECT count(*) FROM shop_order o WHERE `+where, args...).Scan(&total); err != nil || total <= offset {
		return nil, total, err
	}
	rows, err := s.Pool.Query(ctx, `SELECT `+orderColumns+` FROM shop_order o WHERE `+where+sort.sql()+
		fmt.Sprintf(` LIMIT %d OFFSET %d`, limit, offset), args...)
	if err != nil {
		return nil, 0, err
	}
	list, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (Order, error) { return scanOrder(row) })
	return list, total, err
}

// OrdersAfter returns the shop's matching orders that follow one, oldest first.
func OrdersAfter(ctx context.Context, r store.Reader, f OrderFilter, after shop.OrderID, limit int) ([]Order, error) {
	f.Company = r.Company
	where, args := f.where()
	rows, err := r.DB.Query(ctx, `SELECT `+orderColumns+` FROM shop_order o WHERE `+where+
		fmt.Sprintf(` AND o.id > %d ORDER BY o.id LIMIT %d`, after, limit), args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (Order, error) { return scanOrder(row) })
}

func (s OrderSort) sql() string {
	direction := " DESC"
	if s.Asc {
		direction = " ASC"
	}
	for _, field := range OrderFields {
		if s.Field == field {
			return " ORDER BY o." + field + direction + ", o.id" + direction
		}
	}
	return " ORDER BY o.created_at" + direction + ", o.id" + direction
}

// where returns the SQL condition of a filter on shop_order o, with its arguments.
func (f OrderFilter) where() (string, []any) {
	var all []string
	var args []any
	add := func(condition string, arg any) {
		args = append(args, arg)
		all = append(all, strings.ReplaceAll(condition, "?", fmt.Sprintf("$%d", len(args))))
	}
	if f.Company != 0 {
		add("o.company_id = ?", f.Company)
	}
	if f.Person != 0 {
		add("o.person_id = ? AND "+store.LiveShop("o.company_id"), f.Person)
	}
	if f.Customer != 0 {
		add("o.customer_id = ?", f.Customer)
	}
	if len(f.IDs) > 0 {
		add("o.id = ANY(?)", f.IDs)
	}
	if len(f.Statuses) > 0 {
		add("o.status = ANY(?)", f.Statuses)
	}
	if f.Paid != nil {
		add(`? = EXISTS (SELECT FROM payment p WHERE p.company_id = o.company_id AND p.order_id = o.id AND p.status IN ('paid', 'refunding', 'refunded'))`, *f.Paid)
	}
	for condition, at := range map[string]*time.Time{
		"o.created_at >= ?": f.CreatedFrom, "o.created_at <= ?": f.CreatedTo, "o.updated_at >= ?": f.UpdatedFrom, "o.updated_at <= ?": f.UpdatedTo,
	} {
		if at != nil {
			add(condition, *at)
		}
	}
	if len(f.Payments) > 0 {
		add("o.payment_status = ANY(?)", f.Payments)
	}
	if len(f.Shipments) > 0 {
		add("o.shipment_status = ANY(?)", f.Shipments)
	}
	if condition := f.Waits.Condition(); condition != "" {
		all = append(all, "("+condition+")")
	}
	if len(f.Sources) > 0 {
		add("o.source = ANY(?)", f.Sources)
	}
	if f.Platform != 0 {
		add("o.assistant IS NOT NULL AND (o.assistant ->> 'platform_id')::bigint = ?", f.Platform)
	}
	if len(f.Tags) > 0 {
		add("o.tags <> '{}' AND o.tags && ?", f.Tags)
	}
	if f.Delivery != 0 {
		add("o.delivery IS NOT NULL AND o.delivery ->> 'id' = ?", f.Delivery.String())
	}
	if f.Query != "" {
		phone := ""
		if digits := shop.PhoneDigits(f.Query); digits != "" {
			args = append(args, digits)
			phone = strings.ReplaceAll(` OR strpos(regexp_replace(o.contact_phone, '[^0-9]', '', 'g'), ?) > 0
				OR phone_key(?) <> '' AND phone_key(o.contact_phone) = phone_key(?)`, "?", fmt.Sprintf("$%d", len(args)))
		}
		// An address is kept as it was sent: only one whose text may contain the words is parsed.
		add(`(o.number::text = ltrim(?, '#') OR strpos(lower(o.contact_name), lower(?)) > 0 OR strpos(o.contact_phone, ?) > 0
			OR strpos(lower(o.contact_email), lower(?)) > 0`+phone+` OR strpos(lower(o.comment), lower(?)) > 0
			OR (strpos(lower(o.address::text), lower(?)) > 0 OR strpos(o.address::text, '\u') > 0) AND strpos(lower(address_left(o.address) ->> 'city'), lower(?)) > 0
			OR EXISTS (SELECT FROM order_line l WHERE l.company_id = o.company_id AND l.order_id = o.id
				AND (strpos(lower(l.name), lower(?)) > 0 OR strpos(lower(l.sku), lower(?)) > 0)))`, f.Query)
	}
	return strings.Join(all, " AND "), args
}
