package api_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// perMinute are the limits of the specification.
var perMinute = map[api.Class]int{api.Read: 600, api.Write: 240, api.Storage: 180}

// limiters are those of processes on one database.
func limiters(t *testing.T, processes int, clock func() time.Time) (list []*api.Limiter, first *store.Store) {
	t.Helper()
	url := storetest.URL(t, store.Migrate)
	for range processes {
		s, err := store.Open(t.Context(), url, storetest.FewConnections)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		if first == nil {
			first = s
		}
		list = append(list, api.NewLimiter(clock, s))
	}
	return list, first
}

func taken(t *testing.T, l *api.Limiter, company shop.CompanyID, class api.Class, calls int) (ok int) {
	for range calls {
		if l.Take(t.Context(), company, class) == nil {
			ok++
		}
	}
	return ok
}

// In a burst on five processes no more than the limit passes; a caller who spreads calls over them
// gets nearly all of it, and one who stays at one process all that others have not taken.
func TestProcessesShareOneBudget(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_200_000_000, 0) // the first second of a minute
	var step atomic.Int64
	list, s := limiters(t, 5, func() time.Time { return now.Add(time.Duration(step.Load()) * time.Minute) })
	for class, limit := range perMinute {
		var passed atomic.Int64
		var burst sync.WaitGroup
		for n := range 20 {
			burst.Go(func() { passed.Add(int64(taken(t, list[n%5], 1, class, limit))) })
		}
		burst.Wait()
		if n := int(passed.Load()); n > limit || n < limit*9/10 {
			t.Errorf("a burst on five processes: %d of %d passed", n, limit)
		}
		n := 0
		for i := range limit {
			n += taken(t, list[i%5], 2, class, 1)
		}
		if n < limit*9/10 || n > limit {
			t.Errorf("a caller on five processes in turn: %d of %d", n, limit)
		}
		for _, l := range list[1:] {
			taken(t, l, 3, class, 1)
		}
		if n := taken(t, list[0], 3, class, 2*limit); n < limit*9/10 || n > limit {
			t.Errorf("a caller at one process: %d of %d", n, limit)
		}
	}
	step.Add(1)
	if n := taken(t, list[0], 1, api.Write, 300); n != 240 {
		t.Errorf("the next minute: %d", n)
	}
	if err := s.SweepRates(t.Context(), now.Unix()/60+2); err != nil {
		t.Fatal(err)
	}
	var rows int
	if err := s.Pool.QueryRow(t.Context(), `SELECT count(*) FROM rate_count`).Scan(&rows); err != nil || rows != 0 {
		t.Errorf("%d rows are left, %v", rows, err)
	}
}

func TestWithoutTheDatabaseAProcessUsesItsOwnCounts(t *testing.T) {
	t.Parallel()
	list, s := limiters(t, 1, func() time.Time { return time.Unix(1_200_000_000, 0) })
	s.Close()
	var calls sync.WaitGroup
	var through atomic.Int64
	for range 4 {
		calls.Go(func() { through.Add(int64(taken(t, list[0], 1, api.Write, 100))) })
	}
	calls.Wait()
	if through.Load() != 240 {
		t.Errorf("%d calls were admitted", through.Load())
	}
}
