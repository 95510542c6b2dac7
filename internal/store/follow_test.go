package store_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
)

func follow(t *testing.T, s *store.Store, since store.Moment) store.Followed {
	t.Helper()
	f, err := s.Follow(t.Context(), since)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// shops creates shops and returns the moment after it.
func shops(t *testing.T, s *store.Store, n int) ([]shop.CompanyID, store.Moment) {
	t.Helper()
	ids := make([]shop.CompanyID, n)
	for i := range ids {
		ids[i] = newShop(t, s, fmt.Sprintf("shop-%d", i))
	}
	f := follow(t, s, store.Moment{})
	if !f.Reset {
		t.Error("whoever begins to follow is not told to compare what it holds")
	}
	return ids, f.Now
}

// Transactions begin in one order and commit in another. Each commit is seen by the next
// look, whatever was seen before it, and once.
func TestALateCommitIsNotSkipped(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ids, now := shops(t, s, 6)
	for range 5 {
		commit, done := make([]chan struct{}, len(ids)), make([]chan error, len(ids))
		for i, id := range ids {
			begun := make(chan struct{})
			commit[i], done[i] = make(chan struct{}), make(chan error, 1)
			go func() {
				done[i] <- s.Write(context.Background(), id, func(tx *store.Tx) error {
					tx.Changed(shop.Key{Kind: shop.KeyShop})
					_, err := tx.DB.Exec(context.Background(), `SELECT pg_current_xact_id()`)
					close(begun)
					<-commit[i]
					return err
				})
			}()
			<-begun
		}
		if f := follow(t, s, now); len(f.Versions) != 0 {
			t.Errorf("seen before its commit: %v", f.Versions)
		}
		for _, i := range rand.Perm(len(ids)) {
			close(commit[i])
			if err := <-done[i]; err != nil {
				t.Fatal(err)
			}
			f := follow(t, s, now)
			info, err := company.Info(t.Context(), s.Shop(ids[i]))
			if want := map[shop.CompanyID]int64{ids[i]: info.Version}; err != nil || f.Reset || !maps.Equal(f.Versions, want) {
				t.Errorf("after a commit %v became visible (reset %t, %v), want %v", f.Versions, f.Reset, err, want)
			}
			now = f.Now
		}
	}
}

func TestFollowersSeeEveryVersionOfConcurrentWriters(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ids, now := shops(t, s, 6)
	const writes = 40
	var writers sync.WaitGroup
	for _, id := range ids {
		writers.Go(func() {
			for range writes {
				err := s.Write(t.Context(), id, func(tx *store.Tx) error {
					tx.Changed(shop.Key{Kind: shop.KeyShop})
					_, err := tx.DB.Exec(t.Context(), `SELECT pg_current_xact_id()`)
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	ended := make(chan struct{})
	go func() { writers.Wait(); close(ended) }()
	held := map[shop.CompanyID]int64{}
	for last := false; !last; {
		select {
		case <-ended:
			last = true
		default:
		}
		f := follow(t, s, now)
		for id, version := range f.Versions {
			if version <= held[id] {
				t.Errorf("version %d of a shop came after %d", version, held[id])
			}
			held[id] = version
		}
		now = f.Now
	}
	for _, id := range ids {
		if info, err := company.Info(t.Context(), s.Shop(id)); err != nil || held[id] != info.Version {
			t.Errorf("followed to version %d of %d (%v)", held[id], info.Version, err)
		}
	}
}

// A database that lost writes has a version again with other content: no process may take it
// for the one that it holds.
func TestVersionsOfALostDatabaseAreNotRepeated(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	ids, now := shops(t, s, 1)
	touch := func() {
		write(t, s, ids[0], func(_ context.Context, tx *store.Tx) error {
			tx.Changed(shop.Key{Kind: shop.KeyShop})
			return nil
		})
	}
	version := func() int64 {
		t.Helper()
		info, err := company.Info(t.Context(), s.Shop(ids[0]))
		if err != nil {
			t.Fatal(err)
		}
		return info.Version
	}
	exec := func(sql string) {
		t.Helper()
		if _, err := s.Pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	touch()
	touch()
	held := version()
	exec(`WITH lost AS (UPDATE company SET version = version - 1 WHERE slug = 'shop-0' RETURNING id, version)
		DELETE FROM company_change c USING lost WHERE c.company_id = lost.id AND c.version > lost.version`)
	if _, _, whole, err := s.Shop(ids[0]).Changes(t.Context(), held); err != nil || !whole {
		t.Errorf("a version that the database does not have can be followed (%v)", err)
	}
	touch()
	if v := version(); v != held {
		t.Fatalf("version %d, want the lost %d again", v, held)
	}
	exec(`VACUUM FULL company`) // a table that another one took the place of, as after pg_restore
	f := follow(t, s, now)
	if v := version(); !f.Reset || v <= held {
		t.Errorf("reset %t, and version %d is no later than %d", f.Reset, v, held)
	}
	if _, _, whole, err := s.Shop(ids[0]).Changes(t.Context(), held); err != nil || !whole {
		t.Errorf("the lost version can be followed (%v)", err)
	}
	var told int64
	s.OnChange(func(_ context.Context, _ shop.CompanyID, version int64) { told = version })
	held = version()
	touch()
	if keys, v, whole, err := s.Shop(ids[0]).Changes(t.Context(), held); err != nil || whole || len(keys) != 1 || v != version() || told != v {
		t.Errorf("after the loss: keys %v to %d (%t, %v), the edge was told of %d", keys, v, whole, err, told)
	}
	if again := follow(t, s, f.Now); again.Reset || again.Versions[ids[0]] != told {
		t.Errorf("%+v, want version %d", again, told)
	}
}
