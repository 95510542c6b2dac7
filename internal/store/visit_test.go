package store_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	peopledb "vitrine/internal/store/people"
	"vitrine/internal/store/storetest"
	"vitrine/internal/store/visit"
	"vitrine/internal/visitstats"
)

const day = shop.Day(20_781) // 2026-11-24

func batchOf(run byte, number int64, days ...visitstats.Day) visitstats.Batch {
	return visitstats.Batch{Run: [16]byte{run}, Number: number, Days: days}
}

// visitsOf returns the counts of a day.
func visitsOf(t *testing.T, s *store.Store, id shop.CompanyID, on shop.Day) (visit.Visits, visitstats.Lists) {
	t.Helper()
	list, lists, err := visit.List(t.Context(), s.Shop(id), on, on, on)
	check(t, err)
	if len(list) == 0 {
		return visit.Visits{Day: on}, lists
	}
	return list[0], lists
}

// A batch sent twice counts once, also concurrently; a later one of the same process and
// one of another process count too.
func TestABatchOfVisitsCountsOnce(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	_, err := visit.Salt(t.Context(), s, day)
	check(t, err)
	one := visitstats.Day{Company: id, Date: day, Views: 3, Lists: visitstats.Lists{Pages: visitstats.List{"/": 2, "/tea": 1}}, Marks: []visitstats.Mark{
		{Hash: 1}, {Hash: -2}, {Hash: 3, Kind: visitstats.FromReferrer, Name: "search.example"}, {Hash: 4, Kind: visitstats.FromCampaign, Name: "a\tb\tc"},
	}}
	var sending sync.WaitGroup
	for range 8 {
		sending.Go(func() {
			if err := visit.Add(t.Context(), s, batchOf(1, 1, one)); err != nil {
				t.Error(err)
			}
		})
	}
	sending.Wait()
	want := visitstats.Lists{
		Pages: visitstats.List{"/": 2, "/tea": 1}, Referrers: visitstats.List{"search.example": 1}, Campaigns: visitstats.List{"a\tb\tc": 1},
	}
	got, lists := visitsOf(t, s, id, day)
	if got.Visits != 2 || got.Views != 3 || !reflect.DeepEqual(lists, want) {
		t.Errorf("%+v %+v", got, lists)
	}
	check(t, visit.Add(t.Context(), s, batchOf(1, 2, one)))
	check(t, visit.Add(t.Context(), s, batchOf(2, 1, visitstats.Day{Company: id, Date: day, Views: 1, Marks: []visitstats.Mark{{Hash: 1}, {Hash: 5}}})))
	if got, lists = visitsOf(t, s, id, day); got.Visits != 3 || got.Views != 7 || lists.Pages["/"] != 4 || lists.Referrers["search.example"] != 1 {
		t.Errorf("%+v %+v", got, lists)
	}
	check(t, visit.Add(t.Context(), s, batchOf(1, 1, one))) // a late repeat
	if got, _ = visitsOf(t, s, id, day); got.Views != 7 {
		t.Errorf("an old batch counted: %+v", got)
	}
}

// Counts of deleted or unknown shops do not affect the others.
func TestVisitsOfDeletedShopsAreDropped(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	check(t, visit.Add(t.Context(), s, batchOf(1, 1, visitstats.Day{Company: 4711, Date: day, Views: 1}, visitstats.Day{Company: id, Date: day, Views: 2})))
	if got, _ := visitsOf(t, s, id, day); got.Views != 2 {
		t.Errorf("%+v", got)
	}
}

// All callers get the same salt of a date. When it is deleted, so are the hashes; later
// batches count views but no visitors, and the lists are truncated.
func TestVisitorsAreForgottenWithTheirDay(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	salts := make([][]byte, 8)
	var asking sync.WaitGroup
	for i := range salts {
		asking.Go(func() {
			var err error
			if salts[i], err = visit.Salt(t.Context(), s, day); err != nil {
				t.Error(err)
			}
		})
	}
	asking.Wait()
	next, err := visit.Salt(t.Context(), s, day+1)
	check(t, err)
	for _, salt := range salts {
		if len(salt) != 32 || !bytes.Equal(salt, salts[0]) || bytes.Equal(salt, next) {
			t.Fatalf("salts %x and %x", salts, next)
		}
	}
	pages := visitstats.List{}
	for i := range 1000 {
		pages[fmt.Sprintf("/page-%04d", i)] = int64(i + 1)
	}
	full := visitstats.Day{Company: id, Date: day, Views: 9, Lists: visitstats.Lists{Pages: pages}, Marks: []visitstats.Mark{{Hash: 1}}}
	check(t, visit.Add(t.Context(), s, batchOf(1, 1, full, visitstats.Day{Company: id, Date: day + 1, Marks: []visitstats.Mark{{Hash: 1}}})))
	if _, lists := visitsOf(t, s, id, day); len(lists.Pages) != visitstats.MaxDuringDay || lists.Pages["/page-0999"] != 1000 {
		t.Errorf("%d pages of an open day", len(lists.Pages))
	}
	check(t, visit.CloseVisitDays(t.Context(), s, day+1, time.Now().Add(-time.Hour)))
	if _, lists := visitsOf(t, s, id, day); len(lists.Pages) != visitstats.MaxAfterwards || lists.Pages["/page-0900"] != 901 {
		t.Errorf("%d pages of a closed day", len(lists.Pages))
	}
	check(t, visit.Add(t.Context(), s, batchOf(1, 2, visitstats.Day{Company: id, Date: day, Views: 1, Marks: []visitstats.Mark{{Hash: 1}, {Hash: 2}}})))
	if got, lists := visitsOf(t, s, id, day); got.Visits != 1 || got.Views != 10 || len(lists.Pages) != visitstats.MaxAfterwards {
		t.Errorf("after a late batch: %+v, %d pages", got, len(lists.Pages))
	}
	if again, err := visit.Salt(t.Context(), s, day+1); err != nil || !bytes.Equal(again, next) {
		t.Errorf("the salt of an open day has changed (%v)", err)
	}
	check(t, visit.Add(t.Context(), s, batchOf(2, 1, visitstats.Day{Company: id, Date: day + 1, Marks: []visitstats.Mark{{Hash: 1}, {Hash: 2}}})))
	if got, _ := visitsOf(t, s, id, day+1); got.Visits != 2 {
		t.Errorf("the next day: %+v", got)
	}
	check(t, visit.CloseVisitDays(t.Context(), s, day+9, time.Now().Add(time.Hour)))
	if again, err := visit.Salt(t.Context(), s, day+1); err != nil || bytes.Equal(again, next) {
		t.Errorf("the salt of a closed day is kept (%v)", err)
	}
}

// BenchmarkAYearOfShops fills the sums of a year, for shops with little traffic and for
// shops with full lists, and reports their size.
func BenchmarkAYearOfShops(b *testing.B) {
	ctx := b.Context()
	for b.Loop() {
		for name, size := range map[string]int{"small": 25, "full": visitstats.MaxAfterwards} {
			url := storetest.URL(b, store.Migrate)
			s, err := store.Open(ctx, url)
			if err != nil {
				b.Fatal(err)
			}
			owner, err := peopledb.CreatePerson(ctx, s, "a@example.test", "", "x")
			if err != nil {
				b.Fatal(err)
			}
			id, err := company.CreateCompany(ctx, s, "first", "A shop", "EUR", owner, nil)
			if err != nil {
				b.Fatal(err)
			}
			r := rand.New(rand.NewPCG(1, 2))
			const days = 365
			for i := range days {
				if err := visit.Add(ctx, s, batchOf(1, int64(i+1), dayOfAShop(r, id, day+shop.Day(i), size))); err != nil {
					b.Fatal(err)
				}
			}
			if err := visit.CloseVisitDays(ctx, s, day+days, time.Now()); err != nil {
				b.Fatal(err)
			}
			conn, err := pgx.Connect(ctx, url)
			if err != nil {
				b.Fatal(err)
			}
			var rows, bytes int64
			if _, err := conn.Exec(ctx, `VACUUM FULL visit_day`); err != nil {
				b.Fatal(err)
			}
			err = conn.QueryRow(ctx, `SELECT count(*), pg_total_relation_size('visit_day') FROM visit_day`).Scan(&rows, &bytes)
			if err != nil || rows != days {
				b.Fatal(rows, err)
			}
			b.ReportMetric(float64(bytes)/days, "bytes-a-shop-and-day-"+name)
			if err := conn.Close(ctx); err != nil {
				b.Error(err)
			}
			s.Close()
		}
	}
}

// dayOfAShop returns a day with page lists of a size, the other lists shorter.
func dayOfAShop(r *rand.Rand, id shop.CompanyID, on shop.Day, size int) visitstats.Day {
	fill := func(n int, name func(i int) string) visitstats.List {
		l := visitstats.List{}
		for i := range n {
			l[name(i)] = 1 + r.Int64N(int64(1+1000/(i+1)))
		}
		return l
	}
	return visitstats.Day{Company: id, Date: on, Views: 5000, Lists: visitstats.Lists{
		Pages: fill(size, func(int) string {
			return fmt.Sprintf("/catalogue/section-%d/product-number-%d", r.IntN(20), r.IntN(5000))
		}),
		Referrers: fill(size/2, func(i int) string { return fmt.Sprintf("site-%d.example", i) }),
		Campaigns: fill(size/4, func(i int) string { return fmt.Sprintf("source-%d\tcpc\tspring-%d", i%5, i) }),
		Searches:  fill(size/2, func(int) string { return fmt.Sprintf("green tea %d", r.IntN(1000)) }),
		Missing:   fill(size/2, func(int) string { return fmt.Sprintf("/old/page-%d.html", r.IntN(1000)) }),
	}}
}
