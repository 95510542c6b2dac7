package catalog_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/storetest"
)

// large is a shop of 50,000 products with eight attributes of twelve options each, among a
// thousand shops of 60 products.
type large struct {
	*apitest.API
	conn    *pgx.Conn
	facets  string // a query with three facets
	product m
}

func openLarge(b *testing.B) large {
	a := large{API: apitest.On(b, storetest.ManyShops(b, store.Migrate))}
	storetest.Large(b, a.URL, int(a.Shop.ID), 50_000)
	ctx := context.Background()
	var err error
	if a.conn, err = pgx.Connect(ctx, a.URL); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := a.conn.Close(ctx); err != nil {
			b.Error(err)
		}
	})
	first := a.Result("GET", "/products?page.number=1&page.limit=24", a.Owner, nil)
	a.facets, a.product = threeFacets(first["filterable_attributes"]), first["items"].(l)[7].(m)
	return a
}

// plainRead measures the ceiling: reading 24 whole rows of the shop by id through a dedicated
// connection.
func (a large) plainRead(b *testing.B) time.Duration {
	begin := time.Now()
	rows, err := a.conn.Query(
		b.Context(), `SELECT * FROM product WHERE company_id = $1 AND id BETWEEN $2 AND $2 + 23`, a.Shop.ID, a.product["id"],
	)
	if err != nil {
		b.Fatal(err)
	}
	for rows.Next() {
		if _, err := rows.Values(); err != nil {
			b.Fatal(err)
		}
	}
	if rows.Err() != nil {
		b.Fatal(rows.Err())
	}
	return time.Since(begin)
}

// measure reports the median duration of calls, also as a multiple of plain reads.
func (a large) measure(b *testing.B, call func() time.Duration) {
	var calls, ceiling []time.Duration
	for b.Loop() {
		a.Clock.Advance(time.Second)
		a.Sent.Take() // discard recorded statements
		calls, ceiling = append(calls, call()), append(ceiling, a.plainRead(b))
	}
	b.ReportMetric(float64(median(calls).Microseconds())/1000, "ms/call")
	b.ReportMetric(median(calls).Seconds()/median(ceiling).Seconds(), "x-plain-read")
}

func (a large) get(path, key string) func() time.Duration {
	return func() time.Duration {
		begin := time.Now()
		a.OK("GET", path, key, nil)
		return time.Since(begin)
	}
}

// BenchmarkLargeShop measures reads of a shop of 50,000 products over in-memory HTTP: database
// and server time. Times are medians.
func BenchmarkLargeShop(b *testing.B) {
	a := openLarge(b)
	const first, last = "page.number=1&page.limit=24&", "page.number=2083&page.limit=24&"
	visitor := "filter.company_id=" + a.Shop.ID.String() + "&"
	for _, c := range []struct{ name, path, key string }{
		{"facets", "/products?" + first + a.facets, a.Owner},
		{"facets/visitor", "/products?" + first + visitor + a.facets, ""},
		{"facets/draft", "/products?" + first + a.facets, a.Dev},
		{"facets/by-name", "/products?" + first + "sort.field=name&" + a.facets, a.Owner},
		{"first", "/products?" + first, a.Owner},
		{"last", "/products?" + last, a.Owner},
		{"last/by-name", "/products?" + last + "sort.field=name", a.Owner},
		{"sort/name", "/products?" + first + "sort.field=name", a.Owner},
		{"sort/price", "/products?" + first + "sort.field=price&sort.order=desc", a.Owner},
		{"sort/rating", "/products?" + first + "sort.field=rating", a.Owner},
		{"sort/created_at", "/products?" + first + "sort.field=created_at", a.Owner},
		{"sort/updated_at", "/products?" + first + "sort.field=updated_at", a.Owner},
		{"subtree", "/products?" + first + "filter.include_subtree=true&filter.category_id=" + fmt.Sprint(a.product["category_id"]), a.Owner},
		{"query", "/products?" + first + "filter.query=teapot", a.Owner},
		{"query/typo", "/products?" + first + "filter.query=porcelian", a.Owner},
		{"product", at("products", a.product), a.Owner},
		{"by-slug", "/products/by-slug/" + a.product["slug"].(string), a.Owner},
	} {
		b.Run(c.name, func(b *testing.B) { a.measure(b, a.get(c.path, c.key)) })
	}
	b.Run("facets/after-a-write", func(b *testing.B) {
		list := a.get("/products?"+first+a.facets, a.Owner)
		price := 0
		a.measure(b, func() time.Duration {
			a.Clock.Advance(time.Minute)
			price++
			a.OK("PUT", at("products", a.product), a.Owner, item(m{"price": m{"price": price}}))
			return list()
		})
	})
	b.Run("facets/new-process", func(b *testing.B) {
		a.measure(b, func() time.Duration {
			s, err := store.Open(b.Context(), a.URL)
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			begin := time.Now()
			if _, err := catalog.ListProducts(b.Context(), s, s.Shop(a.Shop.ID), catalog.ProductFilter{Number: 1, Limit: 24}); err != nil {
				b.Fatal(err)
			}
			return time.Since(begin)
		})
	})
	b.Run("hundred-clients", func(b *testing.B) { a.hundredClients(b) })
}
