package overview_test

import (
	"context"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store/storetest"
)

// BenchmarkLists measures the calls that the owner's pages begin with, in a shop of 50,000 products,
// 20,000 customers and 100,000 orders: a search (at most 30 ms), what waits today (20 ms), and a list
// of 100 products with each filter (15 ms). x-plain is the multiple of reading 100 whole rows of
// products through a dedicated connection.
func BenchmarkLists(b *testing.B) {
	a := apitest.New(b)
	conn, err := pgx.Connect(b.Context(), a.URL)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := conn.Close(context.Background()); err != nil {
			b.Error(err)
		}
	})
	storetest.Large(b, a.URL, int(a.Shop.ID), 50_000)
	storetest.Trade(b, a.URL, int(a.Shop.ID), 20_000, 100_000)
	if _, err := conn.Exec(b.Context(), `VACUUM`); err != nil {
		b.Fatal(err)
	}
	plain := func() time.Duration {
		begin := time.Now()
		rows, err := conn.Query(b.Context(), `SELECT * FROM product WHERE company_id = $1 AND deleted_at IS NULL ORDER BY id LIMIT 100`, a.Shop.ID)
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
	client := a.Client(a.Owner)
	called := func(path string) time.Duration {
		begin := time.Now()
		answer, err := client.Get(apitest.AdminURL + path)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != 200 {
			b.Fatal(answer.Status, err)
		}
		took := time.Since(begin)
		if err := answer.Body.Close(); err != nil {
			b.Fatal(err)
		}
		return took
	}
	const list = "/products?page.number=1&page.limit=100"
	for _, c := range []struct{ name, path string }{
		{"search/word", "/v1/search?q=teapot"}, {"search/two-letters", "/v1/search?q=te"}, {"search/person", "/v1/search?q=person"}, {"search/email", "/v1/search?q=person-777@people.test"},
		{"search/phone", "/v1/search?q=89161000777"}, {"search/number", "/v1/search?q=51234"}, {"search/sku", "/v1/search?q=SKU-4711"}, {"search/nothing", "/v1/search?q=xqzzyq"},
		{"today", "/v1/shop/today"}, {"list", list}, {"list/last", "/products?page.number=500&page.limit=100"},
		{"list/brand", list + "&filter.brand=brand+7"}, {"list/tag", list + "&filter.tag=tag-7"}, {"list/kind", list + "&filter.kind=standard"}, {"list/in", list + "&filter.stock=in"},
		{"list/low", list + "&filter.stock=low"}, {"list/out", list + "&filter.stock=out"}, {"list/sku", list + "&filter.sku=sku-77"}, {"list/query", list + "&filter.query=SKU-77"},
		{"list/deleted", list + "&filter.is_deleted=true"}, {"list/updated", list + "&sort.field=updated_at&sort.order=desc"},
	} {
		b.Run(c.name, func(b *testing.B) {
			var took, bare []time.Duration
			for b.Loop() {
				a.Clock.Advance(time.Second)
				took, bare = append(took, called(c.path)), append(bare, plain())
			}
			slices.Sort(took)
			slices.Sort(bare)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-median")
			b.ReportMetric(float64(took[0].Microseconds())/1000, "ms-least")
			b.ReportMetric(took[len(took)/2].Seconds()/bare[len(bare)/2].Seconds(), "x-plain")
		})
	}
}
