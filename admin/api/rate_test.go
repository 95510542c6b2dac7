package api_test

import (
	"sync"
	"testing"
	"time"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

func taken(l *api.Limiter, company shop.CompanyID, calls int) (ok int) {
	for range calls {
		if l.Take(company, api.Write) == nil {
			ok++
		}
	}
	return ok
}

func TestProcessesShareOneBudget(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), storetest.URL(t, store.Migrate))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	now := time.Unix(1_200_000_000, 0) // the first second of a minute
	clock := func() time.Time { return now }
	a, b := api.NewLimiter(clock), api.NewLimiter(clock)
	share := func(list ...*api.Limiter) {
		t.Helper()
		for _, l := range list {
			if err := l.Share(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := taken(a, 1, 200) + taken(b, 1, 10) + taken(b, 2, 10); n != 220 {
		t.Fatalf("%d calls", n)
	}
	share(a, b, a)
	if n := taken(b, 1, 100); n != 30 {
		t.Errorf("210 of 240 calls were made on both; %d more were admitted", n)
	}
	if n := taken(b, 2, 300); n != 230 {
		t.Errorf("another shop: %d more", n)
	}
	share(b, a, a)
	if n := taken(a, 1, 1); n != 0 {
		t.Error("the other process has used up the budget")
	}
	now = now.Add(time.Minute)
	if n := taken(a, 1, 300); n != 240 {
		t.Errorf("the next minute: %d", n)
	}
	share(a)
	if err := s.SweepRates(t.Context(), now.Unix()/60+1); err != nil {
		t.Fatal(err)
	}
	share(b, a)
	if n := taken(b, 1, 1); n != 1 {
		t.Error("a process without counts has not received any yet")
	}
}

func TestWithoutTheDatabaseAProcessUsesItsOwnCounts(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), storetest.URL(t, store.Migrate))
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	l := api.NewLimiter(func() time.Time { return time.Unix(1_200_000_000, 0) })
	var calls sync.WaitGroup
	var mu sync.Mutex
	through := 0
	for range 4 {
		calls.Go(func() {
			n := taken(l, 1, 100)
			mu.Lock()
			through += n
			mu.Unlock()
		})
	}
	calls.Wait()
	if err := l.Share(t.Context(), s); err == nil {
		t.Error("a closed database answered")
	}
	if through != 240 {
		t.Errorf("%d calls were admitted", through)
	}
}
