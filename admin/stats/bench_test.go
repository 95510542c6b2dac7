package stats_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/visitstats"
)

// BenchmarkNinetyDays measures GET /stats of a shop with 100,000 orders in 90 days, with 300,000
// lines of 2,000 products and full lists for each day.
func BenchmarkNinetyDays(b *testing.B) {
	o := open(b)
	o.fill(b.Context())
	const query = "?from=2026-08-27&to=2026-11-24"
	s := o.stats(query)
	if s["orders"].(float64) != 100_000 || len(s["top_products"].([]any)) != 50 || len(s["top_pages"].([]any)) != 50 {
		b.Fatalf("%v orders", s["orders"])
	}
	var took []time.Duration
	for b.Loop() {
		begun := time.Now()
		o.stats(query)
		if took = append(took, time.Since(begun)); len(took)%200 == 0 {
			o.Clock.Advance(time.Minute) // a new window of the rate limit
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-median")
	b.ReportMetric(float64(took[0].Microseconds())/1000, "ms-least")
}

// fill inserts the orders directly, and the sums as the migration does.
func (o *fixture) fill(ctx context.Context) {
	conn, err := pgx.Connect(ctx, o.URL)
	o.must(err)
	// All orders have the same customer, whom the triggers would recount for every order.
	_, err = conn.Exec(ctx, `SET session_replication_role = replica`)
	o.must(err)
	for _, sql := range []string{
		`INSERT INTO product (company_id, name, slug, price) SELECT $1, 'Tea ' || n, 'tea-' || n, 7 FROM generate_series(1, 2000) n`,
		`INSERT INTO shop_order (company_id, number, person_id, items_total, discount_total, currency, grand_total, contact_name, contact_phone, created_at, day)
			SELECT $1, 1000 + n, 1, 60, 3, 'EUR', 60, 'A', '1', at, at::date FROM (
				SELECT n, timestamptz '2026-08-27' + n * (interval '90 days' / 100001) AS at FROM generate_series(1, 100000) n) AS o`,
		`INSERT INTO order_line (company_id, order_id, product_id, key, name, quantity, unit_price)
			SELECT $1, o.id, 1 + (2000 * (abs(hashint8(o.id * 3 + n)) % 1000 / 1000.0) ^ 2)::integer % 2000, 'k', 'P', 1, 21
			FROM shop_order o, generate_series(1, 3) n WHERE o.company_id = $1`,
		`INSERT INTO sale_day (company_id, day, currency, orders, revenue)
			SELECT company_id, day, currency, count(*), sum(items_total) FROM shop_order WHERE company_id = $1 GROUP BY 1, 2, 3`,
		`INSERT INTO sale_product (company_id, span, day, currency, product_id, quantity, revenue)
			SELECT o.company_id, n, CASE n WHEN 1 THEN o.day ELSE date_trunc('week', o.day)::date END, o.currency, l.product_id, sum(l.quantity), sum(l.quantity * 20)
			FROM shop_order o JOIN order_line l ON l.company_id = o.company_id AND l.order_id = o.id, unnest('{1,7}'::smallint[]) n
			WHERE o.company_id = $1 GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`,
	} {
		_, err := conn.Exec(ctx, sql, o.Shop.ID)
		o.must(err)
	}
	for i := range 180 {
		o.visited((day("2026-05-29") + shop.Day(i)).String(), 20, visitstats.Lists{
			Pages: filled(i, "/catalogue/section/product-number-%d"), Referrers: filled(i, "site-%d.example"),
			Campaigns: filled(i, "source\tcpc\tcampaign-%d"), Searches: filled(i, "green tea %d"), Missing: filled(i, "/old/page-%d.html"),
		})
	}
	_, err = conn.Exec(ctx, `VACUUM ANALYZE`)
	o.must(err)
	o.must(conn.Close(ctx))
}

// filled returns a full list, half of whose names are those of the previous day.
func filled(day int, name string) visitstats.List {
	l := visitstats.List{}
	for i := range visitstats.MaxAfterwards {
		l[fmt.Sprintf(name, day*visitstats.MaxAfterwards/2+i)] = int64(1 + i)
	}
	return l
}
