package sales

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
)

// The sales of a shop are kept per day as two sums, over orders and per product, updated in
// the transaction that makes an order count or not count. All orders of a day share these
// rows: checkouts of a shop are serialised by the order number anyway, and a cancellation
// locks the rows before promotions and products, as a checkout does.

// timezone returns the shop's time zone.
func timezone(ctx context.Context, r store.Reader) (*time.Location, error) {
	var zone string
	err := r.DB.QueryRow(ctx, `SELECT coalesce(settings->>'timezone', '') FROM company WHERE id = $1`, r.Company).Scan(&zone)
	if store.NoRow(err) {
		err = store.ErrShopNotFound
	}
	return shop.Clock(zone), err
}

// queueSale adds an order o of shop $1 to its sales, or subtracts it with a sign of -1. The
// row of the day is locked before the products', and these by their ids.
func queueSale(b *pgx.Batch, order string, sign int, company shop.CompanyID, more ...any) {
	args := append([]any{company, sign}, more...)
	b.Queue(fmt.Sprintf(`
		INSERT INTO sale_day AS s (company_id, day, currency, orders, revenue)
		SELECT $1, o.day, o.currency, $2::integer, $2::integer * o.items_total FROM shop_order o WHERE o.company_id = $1 AND %s
		ON CONFLICT (company_id, day, currency) DO UPDATE SET orders = s.orders + excluded.orders, revenue = s.revenue + excluded.revenue`, order), args...)
	b.Queue(fmt.Sprintf(`
		INSERT INTO sale_product AS s (company_id, span, day, currency, product_id, quantity, revenue)
		SELECT $1, n, CASE n WHEN 1 THEN o.day ELSE date_trunc('week', o.day)::date END, o.currency, l.product_id, $2::integer * l.quantity, $2::integer * l.revenue
		FROM shop_order o, order_sold($1, o.id) l, unnest('{1,7}'::smallint[]) n WHERE o.company_id = $1 AND %s ORDER BY n, l.product_id
		ON CONFLICT (company_id, span, day, currency, product_id) DO UPDATE SET quantity = s.quantity + excluded.quantity, revenue = s.revenue + excluded.revenue`, order), args...)
}

// Sale is the sales of a shop on a day in a currency.
type Sale struct {
	Day      shop.Day
	Currency string
	Orders   int64
	Revenue  int64
}

// Sales returns the sales of the days from to to, both included, by day.
func Sales(ctx context.Context, r store.Reader, from, to shop.Day) ([]Sale, error) {
	rows, err := r.DB.Query(ctx, `
		SELECT day, currency, orders, revenue FROM sale_day
		WHERE company_id = $1 AND day BETWEEN $2 AND $3 AND orders > 0 ORDER BY day, currency`, r.Company, from.Date(), to.Date())
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (s Sale, err error) {
		var day time.Time
		err = row.Scan(&day, &s.Currency, &s.Orders, &s.Revenue)
		s.Day = shop.DayOf(day, time.UTC)
		return s, err
	})
}

// Assisted is the sales through an assistant in a period and in the preceding one.
type Assisted struct {
	Platform                    int64
	Protocol, Name              string
	Orders, Revenue             int64
	OrdersBefore, RevenueBefore int64
}

// AssistedSales returns the sales through assistants in the days from to to and in those since before,
// by revenue. Revenue is that in a currency.
func AssistedSales(ctx context.Context, r store.Reader, before, from, to shop.Day, currency string) ([]Assisted, error) {
	rows, err := r.DB.Query(ctx, `
		WITH sold AS (
			SELECT (assistant ->> 'platform_id')::bigint AS platform, max(assistant ->> 'protocol') AS protocol, max(assistant ->> 'platform') AS name,
				count(*) FILTER (WHERE day >= $3) AS orders, coalesce(sum(items_total) FILTER (WHERE day >= $3 AND currency = $5), 0)::bigint AS revenue,
				count(*) FILTER (WHERE day < $3) AS orders_before, coalesce(sum(items_total) FILTER (WHERE day < $3 AND currency = $5), 0)::bigint AS revenue_before
			FROM shop_order WHERE company_id = $1 AND assistant IS NOT NULL AND day BETWEEN $2 AND $4 AND status <> 'cancelled' GROUP BY 1)
		SELECT * FROM sold ORDER BY revenue DESC, orders DESC, platform`, r.Company, before.Date(), from.Date(), to.Date(), currency)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Assisted])
}

// SoldProduct is the sales of a product.
type SoldProduct struct {
	Product  shop.ProductID
	Name     string // its present name
	Quantity int64
	Revenue  int64
}

// TopProducts returns the products with the highest revenue in the days from to to, in a
// currency. For whole weeks it reads the sums by week.
func TopProducts(ctx context.Context, r store.Reader, from, to shop.Day, currency string, limit int) (list []SoldProduct, err error) {
	monday, next := (from + 6).Week(), (to + 1).Week() // the whole weeks: from monday to before next
	if monday >= next {
		monday, next = to+1, to+1
	}
	b := &pgx.Batch{}
	// Starting parallel workers takes longer than the sums do.
	b.Queue(`SELECT set_config('max_parallel_workers_per_gather', '0', true)`)
	b.Queue(`
		WITH sold AS (
			SELECT product_id, quantity, revenue FROM sale_product
			WHERE company_id = $1 AND span = 7 AND day >= $4 AND day < $5 AND currency = $6
			UNION ALL SELECT product_id, quantity, revenue FROM sale_product
			WHERE company_id = $1 AND span = 1 AND day >= $2 AND day < $4 AND currency = $6
			UNION ALL SELECT product_id, quantity, revenue FROM sale_product
			WHERE company_id = $1 AND span = 1 AND day >= $5 AND day <= $3 AND currency = $6),
		best AS (
			SELECT product_id, sum(quantity)::bigint AS quantity, sum(revenue)::bigint AS revenue FROM sold
			GROUP BY product_id HAVING sum(quantity) > 0 ORDER BY revenue DESC, quantity DESC, product_id LIMIT $7)
		SELECT b.product_id, coalesce(p.name, ''), b.quantity, b.revenue FROM best b
		LEFT JOIN product p ON p.company_id = $1 AND p.id = b.product_id
		ORDER BY b.revenue DESC, b.quantity DESC, b.product_id`, r.Company, from.Date(), to.Date(), monday.Date(), next.Date(), currency, limit).
		Query(func(rows pgx.Rows) (err error) {
			list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[SoldProduct])
			return err
		})
	err = r.DB.SendBatch(ctx, b).Close()
	return list, err
}
