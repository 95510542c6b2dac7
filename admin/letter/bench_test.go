package letter_test

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/admin/api"
	"vitrine/admin/letter"
	"vitrine/internal/catalogue"
	"vitrine/internal/load"
	"vitrine/internal/mail"
	"vitrine/internal/mail/mailtest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
	"vitrine/internal/store/people"
	"vitrine/internal/store/sales"
	"vitrine/internal/store/storetest"
)

// benchFixture is a shop with an order, and a worker that sends its letters to a test mailbox.
type benchFixture struct {
	store   *store.Store
	conn    *pgx.Conn
	shop    shop.CompanyID
	order   sales.Order
	letters *letter.Letters
	server  *mail.Server
}

func newBenchFixture(b *testing.B, box *mailtest.Box) *benchFixture {
	b.Helper()
	ctx, url := b.Context(), storetest.URL(b, store.Migrate)
	must := func(err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
	}
	s := &benchFixture{}
	var err error
	s.store, err = store.Open(ctx, url)
	must(err)
	b.Cleanup(s.store.Close)
	s.conn, err = pgx.Connect(ctx, url)
	must(err)
	owner, err := people.CreatePerson(ctx, s.store, "owner@people.test", "", "x")
	must(err)
	s.shop, err = companydb.CreateCompany(ctx, s.store, "tea", "Tea", "EUR", owner, nil)
	must(err)
	s.order = sales.Order{
		Person: owner, ItemsTotal: 28, GrandTotal: 28, Currency: "EUR", Contact: sales.Contact{Name: "Ann"},
		Lines: []sales.OrderLine{{Product: 1, Key: "a", Name: "Earl Grey", Quantity: 1, Unit: 14}, {Product: 2, Key: "b", Name: "Assam", Quantity: 1, Unit: 14}},
	}
	must(s.store.Write(ctx, s.shop, func(tx *store.Tx) error { return sales.PlaceOrder(ctx, tx, &s.order) }))
	_, err = s.conn.Exec(ctx, `DELETE FROM letter`)
	must(err)
	s.server, err = mail.Parse(mailtest.Serve(b, box).URL, "shops.test")
	must(err)
	hosts, err := shop.ParseStorefronts("http://{shop}.shops.test")
	must(err)
	s.letters = letter.New(letter.Config{
		Store: s.store, Sites: load.NewSites(hosts, time.Now), Catalogues: catalogue.NewCatalogues(hosts, time.Now), Now: time.Now, Server: s.server, From: "shop@shops.test",
		URLs: api.URLs{Storefront: func(c companydb.Company) string { return hosts.Origin(c.Slug, c.Domain) }},
	})
	return s
}

// run sends letters until the benchmark ends.
func (s *benchFixture) run(b *testing.B) {
	ctx, cancel := context.WithCancel(b.Context())
	loop := s.letters.Carrier()
	var worker sync.WaitGroup
	worker.Go(func() { loop.Run(ctx, slog.New(slog.DiscardHandler)) })
	b.Cleanup(func() { cancel(); worker.Wait() })
}

// BenchmarkDrain measures emptying a queue, and compares it with sending the same number of
// already rendered letters over as many connections without a queue.
func BenchmarkDrain(b *testing.B) {
	const n = 10_000
	for b.Loop() {
		var arrived atomic.Int64
		s := newBenchFixture(b, &mailtest.Box{Discard: true, OnAccept: func(mailtest.Mail) { arrived.Add(1) }})
		line := func(from int) {
			l := s.server.Connection()
			defer l.Close()
			for i := range n / 8 {
				if err := l.Send(b.Context(), mail.Letter{
					ID: fmt.Sprint(from, ".", i, "@shops.test"), Date: time.Now(), From: "shop@shops.test", To: "ann@people.test", Subject: "Your order 1001 at Tea", Text: "x", HTML: string(make([]byte, 4000)),
				}); err != nil {
					b.Error(err)
					return
				}
			}
		}
		start := time.Now()
		var raw sync.WaitGroup
		for i := range 8 {
			raw.Go(func() { line(i) })
		}
		raw.Wait()
		bare := time.Since(start)
		arrived.Store(0)
		if _, err := s.conn.Exec(b.Context(), `
			INSERT INTO letter (company_id, name, object, order_id, recipient) SELECT $1, 'order_made_buyer', n::text, $2, 'ann@people.test' FROM generate_series(1, $3) n`,
			s.shop, s.order.ID, n); err != nil {
			b.Fatal(err)
		}
		var before, peak runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		start = time.Now()
		s.run(b)
		for arrived.Load() < n {
			time.Sleep(50 * time.Millisecond)
			var now runtime.MemStats
			if runtime.ReadMemStats(&now); now.HeapInuse > peak.HeapInuse {
				peak = now
			}
		}
		took := time.Since(start)
		b.ReportMetric(n/took.Seconds(), "letters/s")
		b.ReportMetric(n/bare.Seconds(), "bare/s")
		b.ReportMetric(bare.Seconds()/took.Seconds(), "ratio")
		b.ReportMetric((float64(peak.HeapInuse)-float64(before.HeapInuse))/1e6, "MB")
	}
}

// BenchmarkFirstTry measures the time from the commit of an event to the acceptance of its letter
// by the mail server, at 50 letters a second.
func BenchmarkFirstTry(b *testing.B) {
	for b.Loop() {
		var mu sync.Mutex
		at := map[string]time.Time{}
		s := newBenchFixture(b, &mailtest.Box{Discard: true, OnAccept: func(m mailtest.Mail) {
			mu.Lock()
			if m.To != "owner@people.test" {
				at[m.To] = m.At
			}
			mu.Unlock()
		}})
		s.run(b)
		const n = 500
		committed := make([]time.Time, n)
		tick := time.NewTicker(time.Second / 50)
		for i := range n {
			<-tick.C
			o := s.order
			o.Contact.Email = fmt.Sprint("ann", i, "@people.test")
			err := s.store.Write(b.Context(), s.shop, func(tx *store.Tx) error { return sales.PlaceOrder(b.Context(), tx, &o) })
			if err != nil {
				b.Fatal(err)
			}
			committed[i] = time.Now()
		}
		for there := 0; there < n; {
			<-tick.C
			mu.Lock()
			there = len(at)
			mu.Unlock()
		}
		var took []time.Duration
		for i := range n {
			arrived, there := at[fmt.Sprint("ann", i, "@people.test")]
			if !there {
				b.Fatalf("letter %d did not arrive", i)
			}
			took = append(took, arrived.Sub(committed[i]))
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[n/2].Microseconds())/1000, "p50-ms")
		b.ReportMetric(float64(took[n*99/100].Microseconds())/1000, "p99-ms")
	}
}
