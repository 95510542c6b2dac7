package cart_test

import (
	"fmt"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store"
	"vitrine/internal/store/sales"
	"vitrine/internal/store/storetest"
)

// Among a thousand shops with carts, the worker reads only those that remind of them, and of these
// only the carts that are due: neither new ones, nor those that it has looked at.
func TestTheReminderWorkerReadsOnlyWhatIsDue(t *testing.T) {
	t.Parallel()
	a := apitest.On(t, storetest.ManyShops(t, store.Migrate))
	run := func(sql string, args ...any) {
		t.Helper()
		if _, err := a.Store.Pool.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	a.OK("PUT", "/v1/shop/settings", a.Session(a.OwnerID), m{"cart_reminder": m{"after_hours": 24}})
	now := a.Clock.Now()
	for _, c := range []struct {
		mail   string
		carts  int
		age    time.Duration
		looked any
	}{
		{"due", 3, 25 * time.Hour, "-infinity"}, {"new", 200, time.Hour, "-infinity"}, {"old", 200, 48 * time.Hour, "infinity"},
	} {
		run(`WITH p AS (INSERT INTO person (email, name, password_hash) SELECT $1 || i || '@people.test', '', '' FROM generate_series(1, $2::integer) i RETURNING id)
			INSERT INTO cart (company_id, person_id, updated_at, remind_at) SELECT $3, id, $4, $5::text::timestamptz FROM p`,
			c.mail, c.carts, a.Shop.ID, now.Add(-c.age), c.looked)
	}
	run(`UPDATE cart SET updated_at = $2 WHERE company_id <> $1`, a.Shop.ID, now.Add(-25*time.Hour))
	run(`ANALYZE cart; ANALYZE company`)
	a.Sent.Take()
	left, err := sales.ClaimLeftCarts(t.Context(), a.Store, now.Add(-time.Hour*24), time.Minute, 100) // nothing is due yet
	if err != nil || len(left) != 0 {
		t.Fatalf("%v %v", left, err)
	}
	claim := a.Sent.Take()
	if len(claim) != 1 {
		t.Fatalf("%d statements", len(claim))
	}
	claim[0].Args[0], claim[0].Args[1] = now, now.Add(time.Minute)
	rows, plan := storetest.RowsRead(t, a.Store.Pool, claim[0].SQL, claim[0].Args...)
	if rows["company"] != 1 || rows["cart"] < 3 || rows["cart"] > 6 { // a cart is found, and found again to be claimed
		t.Errorf("%v rows were read: %s", rows, plan)
	}
	if left, err := sales.ClaimLeftCarts(t.Context(), a.Store, now, time.Minute, 100); err != nil || len(left) != 0 {
		t.Errorf("claimed twice: %v", fmt.Sprint(left, err))
	}
}
