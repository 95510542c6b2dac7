package store_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// five returns the stores of five processes on one database, with a clock.
func five(t *testing.T, now *time.Time) (list []*store.Store) {
	t.Helper()
	*now = time.Unix(1_800_000_000, 0)
	url := storetest.URL(t, store.Migrate)
	for range 5 {
		s, err := store.Open(t.Context(), url, storetest.FewConnections)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		s.TestClock = func() time.Time { return *now }
		list = append(list, s)
	}
	return list
}

func passwordOf(key string) []store.Attempt {
	return []store.Attempt{
		{store.PasswordsOfPair, key, 10, 15 * time.Minute}, {store.PasswordsOfNetwork, "net " + key, 30, 15 * time.Minute},
	}
}

func TestProcessesTogetherHaveOneBudgetOfAttempts(t *testing.T) {
	t.Parallel()
	var now time.Time
	processes := five(t, &now)
	var passed atomic.Int64
	var all sync.WaitGroup
	for n := range 100 {
		all.Go(func() {
			_, wait, err := processes[n%5].TakeAttempts(t.Context(), passwordOf("ann")...)
			if err != nil {
				t.Error(err)
			}
			if wait == 0 {
				passed.Add(1)
			}
		})
	}
	all.Wait()
	if passed.Load() != 10 {
		t.Errorf("%d of 100 concurrent attempts passed", passed.Load())
	}
	take := func(n int, key string) (spent int, wait time.Duration) {
		t.Helper()
		spent, wait, err := processes[n].TakeAttempts(t.Context(), passwordOf(key)...)
		if err != nil {
			t.Fatal(err)
		}
		return spent, wait
	}
	if _, wait := take(1, "ann"); wait != 90*time.Second {
		t.Errorf("the next one is %v away", wait)
	}
	if spent, wait := take(2, "bob"); wait != 0 || spent != 1 {
		t.Errorf("another key: %d %v", spent, wait)
	}
	now = now.Add(90 * time.Second)
	if spent, wait := take(3, "ann"); wait != 0 || spent != 10 {
		t.Errorf("after 90 seconds: %d, %v", spent, wait)
	}
	if _, wait := take(4, "ann"); wait == 0 {
		t.Error("two came back")
	}
	taken := now
	if err := processes[0].ReturnAttempts(t.Context(), now.Sub(taken), passwordOf("ann")...); err != nil {
		t.Fatal(err)
	}
	if _, wait := take(4, "ann"); wait != 0 {
		t.Error("an attempt that was given back counts")
	}
	now = now.Add(time.Minute)
	if err := processes[0].ReturnAttempts(t.Context(), now.Sub(taken), passwordOf("ann")...); err != nil {
		t.Fatal(err)
	}
	now = now.Add(29 * time.Second)
	if _, wait := take(4, "ann"); wait != 0 && wait > time.Second {
		t.Error("the part that was earned back was returned again")
	}
}

// A refused attempt counts in none of its budgets.
func TestARefusedAttemptCountsNowhere(t *testing.T) {
	t.Parallel()
	var now time.Time
	s := five(t, &now)[0]
	attempt := func(account string) bool {
		_, wait, err := s.TakeAttempts(t.Context(), store.Attempt{store.PasswordsOfNetwork, "n", 3, time.Hour}, store.Attempt{store.PasswordsOfAccount, account, 1, time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		return wait == 0
	}
	for n, want := range []bool{true, false, false, false} {
		if attempt("ann") != want {
			t.Errorf("attempt %d", n)
		}
	}
	if !attempt("bob") || !attempt("cid") || attempt("dan") {
		t.Error("refused attempts at one account used up those of the network")
	}
}

// However many keys are made up, the rows are bounded, the budget of an attacked key stays used up, and
// rows disappear once all is earned back.
func TestAFloodOfKeysIsBounded(t *testing.T) {
	t.Parallel()
	var now time.Time
	s := five(t, &now)[0]
	one := func(key string) store.Attempt { return store.Attempt{store.PasswordsOfPair, key, 10, 15 * time.Minute} }
	for range 10 {
		if _, wait, err := s.TakeAttempts(t.Context(), one("ann")); wait != 0 || err != nil {
			t.Fatal(wait, err)
		}
	}
	if _, err := s.Pool.Exec(t.Context(), `INSERT INTO attempt (kind, cell, paid) SELECT 1, n, $1 FROM generate_series(0, 99999) n ON CONFLICT DO NOTHING`, now.Add(90*time.Second).UnixMicro()); err != nil {
		t.Fatal(err)
	}
	for n := range 200 {
		if _, wait, err := s.TakeAttempts(t.Context(), one(fmt.Sprint("fresh ", n))); wait != 0 || err != nil {
			t.Fatal("an unrelated key is refused", wait, err)
		}
	}
	if _, wait, err := s.TakeAttempts(t.Context(), one("ann")); wait == 0 || err != nil {
		t.Error("the flood gave the attacked key an attempt", err)
	}
	now = now.Add(89 * time.Second)
	if err := s.SweepAttempts(t.Context()); err != nil {
		t.Fatal(err)
	}
	count := func() (n int) {
		if err := s.Pool.QueryRow(t.Context(), `SELECT count(*) FROM attempt`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count(); n < 100_000 {
		t.Errorf("%d rows are left before they expired", n)
	}
	now = now.Add(15*time.Minute - 89*time.Second)
	if err := s.SweepAttempts(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := count(); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

func TestProcessesTogetherKeepThePaceOfALock(t *testing.T) {
	t.Parallel()
	var now time.Time
	processes := five(t, &now)
	start := now
	lock := store.Attempt{store.PINsOfLock, "7 0", 535, 535 * 270 * time.Second}
	pace := store.Pace{Typos: 5, Soonest: 5 * time.Second, Slower: time.Second / 2}
	take := func(n int, at time.Time) time.Duration {
		t.Helper()
		now = at
		wait, err := processes[n%5].TakePaced(t.Context(), lock, pace)
		if err != nil {
			t.Fatal(err)
		}
		return wait
	}
	for n := range 6 {
		if wait := take(n, start); wait != 0 {
			t.Errorf("wrong attempt %d waits %v", n, wait)
		}
	}
	if wait := take(0, start); wait != 5*time.Second+time.Second/2 {
		t.Errorf("after the sixth: %v", wait)
	}
	now = start.Add(5*time.Second + time.Second/2)
	if wait := take(1, now); wait != 0 {
		t.Errorf("at its turn: %v", wait)
	}
	if wait := take(2, now); wait != 6*time.Second {
		t.Errorf("after the seventh: %v", wait)
	}
	if err := processes[3].ReturnAttempts(t.Context(), 0, lock); err != nil { // it was right
		t.Fatal(err)
	}
	if wait := take(4, now); wait != 0 {
		t.Errorf("after a right one: %v", wait)
	}
	for n := 7; n < 700; { // as soon as possible
		if wait := take(n, now); wait != 0 {
			now = now.Add(wait)
		} else {
			n++
		}
	}
	if wait := take(0, now); wait < 180*time.Second || wait > 270*time.Second {
		t.Errorf("after 700: %v", wait)
	}
}

// By default the database's clock counts.
func TestAttemptsAreCountedByTheClockOfTheDatabase(t *testing.T) {
	t.Parallel()
	s := five(t, new(time.Time))[0]
	s.TestClock = nil
	for n := range 11 {
		_, wait, err := s.TakeAttempts(t.Context(), store.Attempt{store.PasswordsOfPair, "ann", 10, 15 * time.Minute})
		if err != nil || (wait > 0) != (n == 10) || wait > 90*time.Second {
			t.Errorf("attempt %d: %v, %v", n, wait, err)
		}
	}
	var off float64
	if err := s.Pool.QueryRow(t.Context(), `SELECT abs(paid / 1e6 - extract(epoch FROM now()) - 900) FROM attempt`).Scan(&off); err != nil || off > 90 {
		t.Errorf("%v seconds off, %v", off, err)
	}
	if err := s.SweepAttempts(t.Context()); err != nil {
		t.Fatal(err)
	}
	if wait, err := s.TakePaced(t.Context(), store.Attempt{store.PINsOfLock, "1 0", 535, 535 * 270 * time.Second}, store.Pace{Soonest: 5 * time.Second}); wait != 0 || err != nil {
		t.Error(wait, err)
	}
	if _, wait, err := s.TakeAttempts(t.Context(), store.Attempt{store.PasswordsOfPair, "ann", 10, 15 * time.Minute}); wait == 0 || err != nil {
		t.Error("the sweep forgot attempts", err)
	}
}

func TestProcessesThatStartAtOnceShareOneSecret(t *testing.T) {
	t.Parallel()
	processes := five(t, new(time.Time))
	var values sync.Map
	var all sync.WaitGroup
	for n := range 50 {
		all.Go(func() {
			value, err := processes[n%5].Secret(t.Context(), fmt.Sprint("new ", n/10))
			if err != nil {
				t.Error(err)
			}
			values.Store(fmt.Sprint(n/10, value), true)
		})
	}
	all.Wait()
	n := 0
	values.Range(func(any, any) bool { n++; return true })
	if n != 5 {
		t.Errorf("5 secrets have %d values", n)
	}
}
