package catalog_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// BenchmarkBatchImport measures POST /products/batch with a hundred products over HTTP against
// a ceiling from the same run: one plain INSERT of a hundred such rows into the same table of
// an empty database, in a transaction. Both alternate and the medians are compared, because the
// machine may be busy.
func BenchmarkBatchImport(b *testing.B) {
	a := apitest.New(b)
	section := a.Result("POST", "/categories", a.Owner, item(m{"name": "Tea", "type": "product"}))
	plain := newPlainInsert(b)
	var batch, ceiling []time.Duration
	n := 0
	for b.Loop() {
		a.Clock.Advance(time.Minute) // the next window of the rate limits
		items := make(l, 100)
		for i := range items {
			items[i] = m{
				"name": fmt.Sprintf("Product %d of %d", i, n), "sku": fmt.Sprintf("S-%d-%d", n, i), "category_id": section["id"],
				"price": m{"price": 100}, "description": "A cup of tea", "is_published": true,
			}
		}
		body, err := json.Marshal(m{"items": items})
		if err != nil {
			b.Fatal(err)
		}
		begin := time.Now()
		answer := a.OK("POST", "/products/batch", a.Owner, body)
		batch = append(batch, time.Since(begin))
		if answer["created"] != 100.0 {
			b.Fatal(answer)
		}
		ceiling = append(ceiling, plain.insert(b, n))
		n++
	}
	b.ReportMetric(100/median(batch).Seconds(), "rows/s")
	b.ReportMetric(median(ceiling).Seconds()/median(batch).Seconds(), "of-plain-insert")
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

type plainInsert struct {
	conn    *pgx.Conn
	company int
}

func newPlainInsert(b *testing.B) plainInsert {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, storetest.URL(b, store.Migrate))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := conn.Close(ctx); err != nil {
			b.Error(err)
		}
	})
	p := plainInsert{conn: conn}
	if err := conn.QueryRow(ctx, `INSERT INTO company (slug, name, currency) VALUES ('tea', 'Tea', 'EUR') RETURNING id`).Scan(&p.company); err != nil {
		b.Fatal(err)
	}
	return p
}

func (p plainInsert) insert(b *testing.B, n int) time.Duration {
	sql := `INSERT INTO product (company_id, category_id, name, slug, sku, price, description, is_published) VALUES `
	args := []any{p.company, 1, 100, "A cup of tea", true}
	for i := range 100 {
		if i > 0 {
			sql += ", "
		}
		k := len(args)
		sql += fmt.Sprintf("($1, $2, $%d, $%d, $%d, $3, $4, $5)", k+1, k+2, k+3)
		args = append(args, fmt.Sprintf("Product %d of %d", i, n), fmt.Sprintf("product-%d-of-%d", i, n), fmt.Sprintf("S-%d-%d", n, i))
	}
	begin := time.Now()
	err := pgx.BeginFunc(context.Background(), p.conn, func(tx pgx.Tx) error {
		_, err := tx.Exec(context.Background(), sql, args...)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return time.Since(begin)
}
