package store_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/company"
	"vitrine/internal/store/draft"
	peopledb "vitrine/internal/store/people"
	"vitrine/internal/store/storetest"
)

// draftedProducts is how many products the benchmark publishes at once.
const draftedProducts = 5000

// BenchmarkPublishDraft publishes 5,000 edited products, each with two listings, in a shop
// of 10,000. It compares this with a plain UPDATE … FROM that writes the same values into
// the same rows in the same run, and measures a visitor who reads at the same time.
func BenchmarkPublishDraft(b *testing.B) {
	ctx := context.Background()
	p := newPublishing(b)
	var published, plain time.Duration
	var reads []time.Duration
	quiet := p.reads(ctx, 500)
	rounds := 0
	for b.Loop() {
		b.StopTimer()
		p.edit(ctx)
		stop := p.visit(ctx)
		b.StartTimer()

		begin := time.Now()
		p.publish(ctx)
		published += time.Since(begin)

		b.StopTimer()
		reads = append(reads, stop()...)
		plain += p.plainUpdate(ctx)
		rounds++
		b.StartTimer()
	}
	b.ReportMetric(published.Seconds()/float64(rounds), "s/publish")
	b.ReportMetric(published.Seconds()/plain.Seconds(), "x-plain-update")
	b.ReportMetric(p99(reads), "p99-read-ms")
	b.ReportMetric(p99(quiet), "p99-read-alone-ms")
	b.ReportMetric(float64(len(reads))/float64(rounds), "reads/publish")
}

// p99 returns the 99th percentile in milliseconds.
func p99(took []time.Duration) float64 {
	slices.Sort(took)
	return float64(took[len(took)*99/100].Microseconds()) / 1000
}

// publishBench is a shop of 10,000 products, half of which are edited.
type publishBench struct {
	*testing.B
	store   *store.Store
	conn    *pgx.Conn
	company shop.CompanyID
	section shop.CategoryID
	round   int
}

func newPublishing(b *testing.B) *publishBench {
	ctx := context.Background()
	url := storetest.URL(b, store.Migrate)
	p := &publishBench{B: b}
	var err error
	if p.store, err = store.Open(ctx, url); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(p.store.Close)
	if p.conn, err = pgx.Connect(ctx, url); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = p.conn.Close(ctx) })
	owner, err := peopledb.CreatePerson(ctx, p.store, "owner@example.test", "", "-")
	if err != nil {
		b.Fatal(err)
	}
	if p.company, err = company.CreateCompany(ctx, p.store, "tea", "Tea", "EUR", owner, nil); err != nil {
		b.Fatal(err)
	}
	if err := p.conn.QueryRow(ctx, `INSERT INTO category (company_id, type, name, slug, is_published) VALUES ($1, 'product', 'Tea', 'tea', true) RETURNING id`,
		p.company).Scan(&p.section); err != nil {
		b.Fatal(err)
	}
	p.exec(ctx, `INSERT INTO product (company_id, category_id, name, description, slug, sku, price, is_published)
		SELECT $1, $2, 'Product ' || n, repeat('tea ', 100), 'p-' || n, 'sku-' || n, n, true FROM generate_series(1, 2 * $3::integer) n`,
		p.company, p.section, draftedProducts)
	// A live shop with statistics from some time of use; the draft has none.
	p.exec(ctx, `ANALYZE product, category`)
	return p
}

func (p *publishBench) exec(ctx context.Context, sql string, args ...any) time.Duration {
	p.Helper()
	begin := time.Now()
	if _, err := p.conn.Exec(ctx, sql, args...); err != nil {
		p.Fatal(err)
	}
	return time.Since(begin)
}

// edit writes the draft: name, price and slug of every second product, and its listings.
func (p *publishBench) edit(ctx context.Context) {
	p.round++
	p.exec(ctx, `SET search_path = dev, public`)
	p.exec(ctx, `UPDATE product SET name = 'Draft ' || $2::integer || ' ' || id, price = price + 1, slug = 'd-' || $2::integer || '-' || id
		WHERE company_id = $1 AND id % 2 = 0`, p.company, p.round)
	p.exec(ctx, `DELETE FROM product_extra_category WHERE company_id = $1`, p.company)
	p.exec(ctx, `INSERT INTO product_extra_category (company_id, product_id, category_id) SELECT company_id, id, category_id FROM product
		WHERE company_id = $1 AND id % 2 = 0 AND $2::integer % 2 = 1`, p.company, p.round)
	p.exec(ctx, `RESET search_path`)
}

func (p *publishBench) publish(ctx context.Context) {
	p.Helper()
	err := p.store.Write(ctx, p.company, func(tx *store.Tx) error {
		if err := draft.LockForPublish(ctx, tx); err != nil {
			return err
		}
		items, err := draft.Publish(ctx, tx, draft.Selection{All: true}, false, 0)
		if err == nil && len(items) != draftedProducts {
			p.Errorf("%d products were published", len(items))
		}
		return err
	})
	if err != nil {
		p.Fatal(err)
	}
}

// plainUpdate measures the lower bound: it writes the values of the published products over
// themselves.
func (p *publishBench) plainUpdate(ctx context.Context) time.Duration {
	p.Helper()
	p.exec(ctx, `CREATE TEMPORARY TABLE copy AS SELECT * FROM product WHERE company_id = $1 AND id % 2 = 0`, p.company)
	took := p.exec(ctx, `UPDATE product l SET name = c.name || '!', price = c.price, slug = c.slug || 'x', updated_at = now()
		FROM copy c WHERE l.company_id = c.company_id AND l.id = c.id`)
	p.exec(ctx, `DROP TABLE copy`)
	return took
}

// visit reads until stop is called, which returns how long each read took.
func (p *publishBench) visit(ctx context.Context) (stop func() []time.Duration) {
	done := make(chan struct{})
	var took []time.Duration
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				took = append(took, p.reads(ctx, 1)...)
			}
		}
	})
	return func() []time.Duration {
		close(done)
		wg.Wait()
		return took
	}
}

// reads reads a product and the first page of its section, n times.
func (p *publishBench) reads(ctx context.Context, n int) (took []time.Duration) {
	for i := range n {
		begin := time.Now()
		_, err := catalog.GetProduct(ctx, p.store.Shop(p.company), shop.ProductID(1+i%(2*draftedProducts)))
		if err == nil {
			_, err = catalog.Products(ctx, p.store.Shop(p.company), catalog.ProductFilter{
				Category: p.section, PublishedOnly: true, Listed: true, Sort: "created_at", Number: 1, Limit: 24,
			})
		}
		if err != nil {
			p.Error(err)
		}
		took = append(took, time.Since(begin))
	}
	return took
}
