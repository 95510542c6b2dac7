package cart_test

import (
	"context"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/await"
	"vitrine/internal/limiter"
)

// Concurrent quotes of one shop use at most half of the processors, and quotes of another shop
// do not wait for them.
func TestQuotesOfAShopShareTheProcessors(t *testing.T) {
	b := open(t)
	tea := b.product(b.Owner, nil)
	theirs := b.product(b.Stranger, nil)
	quote := func(company any, product string) {
		b.Result("POST", "/cart/quote", "", m{"company_id": company, "items": l{m{"product_id": product, "quantity": 1}}})
	}
	quote(b.Shop.ID, tea) // load both shops first
	quote(b.Other.ID, theirs)
	conn, look := b.connect(), b.connect()
	held, err := conn.Begin(t.Context())
	if err == nil {
		_, err = held.Exec(t.Context(), `LOCK TABLE variant_set IN ACCESS EXCLUSIVE MODE`)
	}
	if err != nil {
		t.Fatal(err)
	}
	waiting := func() (n int) {
		if err := look.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	reaches := func(n int) {
		t.Helper()
		if !await.Until(func() bool { return waiting() == n }) {
			t.Fatalf("%d carts are being priced, want %d", waiting(), n)
		}
	}
	var quotes sync.WaitGroup
	for range 3 * limiter.HalfOfCPUs() {
		quotes.Go(func() { quote(b.Shop.ID, tea) })
	}
	reaches(limiter.HalfOfCPUs())
	quotes.Go(func() { quote(b.Other.ID, theirs) })
	reaches(limiter.HalfOfCPUs() + 1)
	if err := held.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	quotes.Wait()
}

func (b basket) connect() *pgx.Conn {
	b.t.Helper()
	conn, err := pgx.Connect(b.t.Context(), b.URL)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = conn.Close(context.Background()) }) // the connection has no open work
	return conn
}
