package api_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"vitrine/internal/budget"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

type network string

func (n network) String() string { return string(n) }

// Every limit of visitors is one of these budgets: several processes together admit hardly more than
// one, whichever gets the calls; what one that has died admitted stays counted, and one that joins
// learns of it with its first portion.
func TestVisitorsHaveOneBudgetAtAllProcesses(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t, store.Migrate)
	now := time.Now()
	clock := func() time.Time { return now }
	open := func() *store.Store {
		s, err := store.Open(t.Context(), url, storetest.FewConnections)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		s.TestClock = clock
		return s
	}
	stores := []*store.Store{open(), open(), open(), open(), open(), open()}
	for _, size := range []struct {
		limit  int
		window time.Duration
	}{{3, 24 * time.Hour}, {10, time.Minute}, {30, 10 * time.Minute}, {60, time.Hour}, {120, time.Minute}, {600, time.Minute}, {6000, time.Minute}} {
		for _, n := range []int{1, 2, 5} {
			name, portion := fmt.Sprint(size, n), max(1, size.limit/50)
			var processes []*budget.Budgets[network]
			for _, s := range stores[:n] {
				processes = append(processes, budget.Shared[network](name, size.limit, size.window, clock, s.CountAttempts))
			}
			spend := func(calls int, key network, at ...*budget.Budgets[network]) (admitted int) {
				for i := range calls {
					if _, wait := at[i%len(at)].Take(key); wait == 0 {
						admitted++
					}
				}
				return admitted
			}
			if got := spend(2*n*size.limit, "in turn", processes...); got < size.limit || got > size.limit+(n-1)*portion {
				t.Errorf("%d processes admit %d of %d in %v", n, got, size.limit, size.window)
			}
			if got := spend(2*size.limit, "at one", processes[0]); got != size.limit {
				t.Errorf("one of %d processes admits %d of %d in %v", n, got, size.limit, size.window)
			}
			joined := budget.Shared[network](name, size.limit, size.window, clock, stores[5].CountAttempts)
			if got := spend(2*size.limit, "at one", joined); got > portion {
				t.Errorf("a process that has joined admits %d beyond %d in %v", got, size.limit, size.window)
			}
			taken, _ := joined.Take("given back")
			taken.GiveBack()
			if got := spend(2*size.limit, "given back", joined); got != size.limit {
				t.Errorf("%d of %d in %v after one that did not count", got, size.limit, size.window)
			}
		}
	}
}

// Attempts counted before the clock of the database was set back delay nobody until it shows the same
// time again.
func TestBudgetsOfAllProcessesBearAClockThatIsSetBack(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), storetest.URL(t, store.Migrate), storetest.FewConnections)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	now := time.Now()
	s.TestClock = func() time.Time { return now }
	for _, window := range []time.Duration{time.Minute, time.Hour} {
		for _, moved := range []time.Duration{0, -48 * time.Hour} {
			now = now.Add(moved)
			b, admitted := budget.Shared[network](window.String(), 100, window, s.TestClock, s.CountAttempts), 0
			for range 200 {
				if _, wait := b.Take("a"); wait == 0 {
					admitted++
				}
			}
			if admitted != 100 {
				t.Errorf("%d of 100 in %v after the clock moved by %v", admitted, window, moved)
			}
		}
	}
}

// Without a database a process counts alone, and asks again later.
func TestABudgetCountsAloneWithoutADatabase(t *testing.T) {
	t.Parallel()
	now, asked, down := time.Now(), 0, true
	told := 0
	b := budget.Shared[network]("calls", 100, time.Hour, func() time.Time { return now },
		func(_ context.Context, _, _ string, each, _ time.Duration, attempts int) (time.Duration, error) {
			if asked++; down {
				return 0, errors.New("down")
			}
			told += attempts
			return each * time.Duration(told), nil
		})
	admitted := 0
	for range 200 {
		if _, wait := b.Take("a"); wait == 0 {
			admitted++
		}
	}
	if admitted != 100 || asked != 1 {
		t.Errorf("%d admitted, the database was asked %d times", admitted, asked)
	}
	now, down = now.Add(time.Minute), false
	if _, wait := b.Take("a"); wait != 0 || told != 101 {
		t.Errorf("it waits %v, and %d were told", wait, told)
	}
}
