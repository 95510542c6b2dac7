package webhook_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/cluster"
	"vitrine/internal/store/sales"
	webhookdb "vitrine/internal/store/webhook"
)

// percentile sorts the durations and returns a percentile in milliseconds.
func percentile(all []time.Duration, p int) float64 {
	slices.Sort(all)
	return float64(all[(len(all)-1)*p/100].Microseconds()) / 1000
}

// told records when events arrived.
type told struct {
	mu    sync.Mutex
	after []time.Duration
	left  atomic.Int64
	done  chan struct{}
}

// BenchmarkFirstAttempt measures the time from the commit of an event to its receiver, at 50
// events a second.
func BenchmarkFirstAttempt(b *testing.B) {
	d := open(b)
	r := newReceiver(b, nil)
	d.subscribe(r.URL, "product.updated")
	d.startWorker()
	const n = 500
	for b.Loop() {
		from := len(r.seen())
		sent := make([]time.Time, n)
		tick := time.NewTicker(20 * time.Millisecond)
		for i := range n {
			<-tick.C
			d.record(d.Shop.ID)
			sent[i] = time.Now()
		}
		tick.Stop()
		var took []time.Duration
		for i, v := range r.wait(b, from+n)[from:] {
			took = append(took, v.at.Sub(sent[i]))
		}
		b.ReportMetric(percentile(took, 50), "ms-p50")
		b.ReportMetric(percentile(took, 99), "ms-p99")
	}
}

// BenchmarkDrain measures how many deliveries per second are sent from a journal of 10,000,
// compared with sending the same bodies from as many goroutines without a journal.
func BenchmarkDrain(b *testing.B) {
	d := open(b)
	const n = 10_000
	for b.Loop() {
		var came atomic.Int64
		done := make(chan struct{})
		r := newReceiver(b, nil)
		r.Config.Handler = http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
			_, _ = io.Copy(io.Discard, q.Body)
			if came.Add(1) == n {
				close(done)
			}
		})
		path, _ := d.subscribe(r.URL, "product.updated")
		d.queue(n)
		began := time.Now()
		stop := d.startWorker()
		<-done
		rate := n / time.Since(began).Seconds()
		stop()
		d.OK("DELETE", path, d.owner, nil)

		body := bytes.Repeat([]byte("x"), 160)
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
		var group sync.WaitGroup
		var next atomic.Int64
		began = time.Now()
		for range 32 {
			group.Go(func() {
				for next.Add(1) <= n {
					answer, err := client.Post(r.URL, "application/json", bytes.NewReader(body))
					if err != nil {
						b.Error(err)
						return
					}
					_ = answer.Body.Close()
				}
			})
		}
		group.Wait()
		b.ReportMetric(rate, "deliveries/s")
		b.ReportMetric(rate/(n/time.Since(began).Seconds()), "of-plain-posts")
	}
}

// queue records n events at once.
func (d *fixture) queue(n int) {
	d.t.Helper()
	d.sql(`INSERT INTO event (company_id, name, body) SELECT $1, 'product.updated', '{"product_id": 1, "company_id": 1}' FROM generate_series(1, $2)`, d.Shop.ID, n)
}

// BenchmarkBesideABlackHole measures the time to the first attempt at 100 healthy receivers:
// alone, next to a receiver that accepts connections but never responds and has 10,000 queued
// deliveries, and while 100,000 dead deliveries are replayed.
func BenchmarkBesideABlackHole(b *testing.B) {
	d := open(b)
	ctx := context.Background()
	t := &told{}
	hole := newReceiver(b, func(_ int, _ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	dead := newReceiver(b, nil)
	for i := range 100 {
		r := newReceiver(b, nil)
		r.Config.Handler = http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
			var sent int64
			at := time.Now()
			body, _ := io.ReadAll(q.Body)
			_, _ = fmt.Sscanf(string(body[bytes.Index(body, []byte(`"data":`)):]), `"data":{"at": %d}`, &sent)
			t.mu.Lock()
			t.after = append(t.after, at.Sub(time.Unix(0, sent)))
			t.mu.Unlock()
			if t.left.Add(-1) == 0 {
				close(t.done)
			}
		})
		d.sql(`INSERT INTO webhook (company_id, url, host, events) VALUES ($1, $2, $3, '{design.changed}')`, d.Other.ID, r.URL, fmt.Sprint("healthy", i))
	}
	hooks, err := webhookdb.List(ctx, d.Store.Shop(d.Other.ID))
	if err != nil {
		b.Fatal(err)
	}
	for _, w := range hooks {
		sealed := d.Config().Hook.Sealer.Seal([]byte("sixteen letters!"), fmt.Sprintf("shop %d webhook %d", d.Other.ID, w.ID))
		d.sql(`INSERT INTO webhook_secret (company_id, webhook_id, version, sealed) VALUES ($1, $2, 1, $3)`, d.Other.ID, w.ID, sealed)
	}
	d.startWorker()
	measure := func(name string) {
		const rounds = 50
		t.after, t.done = nil, make(chan struct{})
		t.left.Store(rounds * 100)
		for range rounds {
			err := d.Store.Write(ctx, d.Other.ID, func(tx *store.Tx) error {
				return tx.RecordEvent(ctx, "design.changed", m{"at": time.Now().UnixNano()})
			})
			if err != nil {
				b.Fatal(err)
			}
			time.Sleep(200 * time.Millisecond)
		}
		<-t.done
		b.ReportMetric(percentile(t.after, 50), name+"-ms-p50")
		b.ReportMetric(percentile(t.after, 99), name+"-ms-p99")
	}
	for b.Loop() {
		measure("alone")
		d.subscribe(hole.URL, "product.updated")
		d.queue(10_000)
		measure("hole")
		path, _ := d.subscribe(dead.URL, "order.paid")
		d.sql(`INSERT INTO event (company_id, name, body) SELECT $1, 'order.paid', '{}' FROM generate_series(1, 100000)`, d.Shop.ID)
		d.OK("PUT", path, d.owner, m{"is_active": false})
		d.OK("PUT", path, d.owner, m{"is_active": true})
		dead.Config.Handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
		began := time.Now()
		got := d.Result("POST", path+"/replay", d.owner, m{"since": "2020-01-01T00:00:00Z"})
		b.Logf("%v in %v", got, time.Since(began))
		measure("replay")
	}
}

// BenchmarkOrder measures how much three subscriptions add to the transaction that places an
// order, alternating with a shop without any, on a database with synchronous commits like that of
// a shop.
func BenchmarkOrder(b *testing.B) {
	ctx := context.Background()
	server, err := cluster.Start(ctx, cluster.Config{Dir: b.TempDir(), Log: slog.New(slog.DiscardHandler)})
	if err == nil {
		b.Cleanup(func() {
			if err := server.Stop(ctx); err != nil {
				b.Error(err)
			}
		})
		err = store.Migrate(ctx, server.URL())
	}
	if err != nil {
		b.Fatal(err)
	}
	a := apitest.On(b, server.URL())
	d := &fixture{API: a, t: b, owner: a.Session(a.OwnerID)}
	for range 3 {
		d.subscribe(public, "order.created", "order.paid")
	}
	place := func(company shop.CompanyID) time.Duration {
		o := sales.Order{Person: d.OwnerID, ItemsTotal: 14, GrandTotal: 14, Currency: "EUR", Contact: sales.Contact{Name: "Ann"},
			Lines: []sales.OrderLine{{Product: 1, Key: "a", Name: "Earl Grey", Quantity: 1, Unit: 14}}}
		began := time.Now()
		if err := d.Store.Write(ctx, company, func(tx *store.Tx) error { return sales.PlaceOrder(ctx, tx, &o) }); err != nil {
			b.Fatal(err)
		}
		return time.Since(began)
	}
	var with, without []time.Duration
	for b.Loop() {
		for range 500 {
			with, without = append(with, place(d.Shop.ID)), append(without, place(d.Other.ID))
		}
	}
	b.ReportMetric(percentile(without, 50), "ms-without")
	b.ReportMetric(percentile(with, 50), "ms-with")
	b.ReportMetric(percentile(with, 50)/percentile(without, 50), "ratio")
}

// sql runs a statement directly on the database.
func (d *fixture) sql(text string, values ...any) {
	d.t.Helper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, d.URL)
	if err == nil {
		_, err = conn.Exec(ctx, text, values...)
		_ = conn.Close(ctx)
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

// record records product.updated without changing a product.
func (d *fixture) record(company shop.CompanyID) {
	d.t.Helper()
	ctx := context.Background()
	if err := d.Store.Write(ctx, company, func(tx *store.Tx) error { return tx.RecordEvent(ctx, "product.updated", m{}) }); err != nil {
		d.t.Fatal(err)
	}
}

// BenchmarkLongJournal measures the time to the first attempt with two million delivered rows in
// the journal.
func BenchmarkLongJournal(b *testing.B) {
	d := open(b)
	r := newReceiver(b, nil)
	path, _ := d.subscribe(r.URL, "product.updated")
	d.sql(`INSERT INTO webhook_delivery (company_id, webhook_id, event_id, bulk, secret, state, attempts, due_at, delivered_at, sequence)
		SELECT $1, $2, n, false, 1, 'delivered', 1, NULL, now(), n FROM generate_series(1, 2000000) n`, d.Shop.ID, id(path))
	d.startWorker()
	for b.Loop() {
		var took []time.Duration
		for range 200 {
			n := len(r.seen())
			d.record(d.Shop.ID)
			at := time.Now()
			took = append(took, r.wait(b, n+1)[n].at.Sub(at))
			time.Sleep(5 * time.Millisecond)
		}
		b.ReportMetric(percentile(took, 50), "ms-p50")
		b.ReportMetric(percentile(took, 99), "ms-p99")
	}
}

// BenchmarkBesideSlowShops measures the time to the first attempt at a healthy receiver, while five
// other shops have 16 receivers each that answer after 9.5 seconds.
func BenchmarkBesideSlowShops(b *testing.B) {
	d := open(b)
	ctx := context.Background()
	slow := newReceiver(b, func(_ int, _ http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(9500 * time.Millisecond):
		case <-r.Context().Done():
		}
	})
	r := newReceiver(b, nil)
	for company := 1000; company < 1005; company++ {
		d.sql(`INSERT INTO company (id, slug, name, currency) OVERRIDING SYSTEM VALUE VALUES ($1, $2, 'Slow', 'EUR')`, company, fmt.Sprint("slow", company))
		for n := range 16 {
			d.sql(`INSERT INTO webhook (company_id, url, host, events, room) VALUES ($1, $2, $3, '{order.paid}', 64)`, company, slow.URL, fmt.Sprint("slow", company, n))
		}
		hooks, err := webhookdb.List(ctx, d.Store.Shop(shop.CompanyID(company)))
		if err != nil {
			b.Fatal(err)
		}
		for _, w := range hooks {
			sealed := d.Config().Hook.Sealer.Seal([]byte("sixteen letters!"), fmt.Sprintf("shop %d webhook %d", company, w.ID))
			d.sql(`INSERT INTO webhook_secret (company_id, webhook_id, version, sealed) VALUES ($1, $2, 1, $3)`, company, w.ID, sealed)
		}
		d.sql(`INSERT INTO event (company_id, name, body) SELECT $1, 'order.paid', '{}' FROM generate_series(1, 200)`, company)
	}
	d.subscribe(r.URL, "product.updated")
	d.startWorker()
	time.Sleep(2 * time.Second) // until the slots are taken
	for b.Loop() {
		var took []time.Duration
		for range 40 {
			n := len(r.seen())
			d.record(d.Shop.ID)
			at := time.Now()
			took = append(took, r.wait(b, n+1)[n].at.Sub(at))
			time.Sleep(250 * time.Millisecond)
		}
		b.ReportMetric(percentile(took, 50), "ms-p50")
		b.ReportMetric(percentile(took, 99), "ms-p99")
	}
}
