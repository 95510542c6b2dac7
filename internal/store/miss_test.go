package store_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/redirect"
)

// flood returns log entries as a scanner creates them: addresses that nobody else requests,
// each with several hits.
func flood(name string, n int, hits int64, at time.Time) (list []redirect.Miss) {
	for i := range n {
		list = append(list, redirect.Miss{Path: fmt.Sprintf("/%s-%d", name, i), Hits: shop.Int64(hits), LastHitAt: at})
	}
	return list
}

func TestAScannerDoesNotEvictBrokenLinksThatPeopleFollow(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	today := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	add := func(list ...redirect.Miss) {
		t.Helper()
		if err := redirect.AddMisses(t.Context(), s, id, list); err != nil {
			t.Fatal(err)
		}
	}
	add(
		redirect.Miss{Path: "/twice", Hits: 1, LastHitAt: today.Add(-24 * time.Hour)},
		redirect.Miss{Path: "/forgotten", Hits: 900, LastHitAt: today.Add(-100 * 24 * time.Hour)},
	)
	add(redirect.Miss{Path: "/twice", Hits: 1, LastHitAt: today}, redirect.Miss{Path: "/often", Hits: 40, LastHitAt: today.Add(-time.Hour)})
	add(redirect.Miss{Path: "/hidden", Hits: 1, LastHitAt: today.Add(-48 * time.Hour)})
	write(t, s, id, func(ctx context.Context, tx *store.Tx) error {
		_, err := redirect.HideMisses(ctx, tx, []string{"/hidden"}, true)
		return err
	})
	for round := range 3 {
		add(flood(fmt.Sprint("scan", round), 1500, 5, today.Add(time.Duration(round)*time.Minute))...)
	}
	list, total, err := redirect.Misses(t.Context(), s.Shop(id), redirect.MissFilter{}, 1, 2)
	if err != nil || total != 2000 || list[0].Path != "/often" {
		t.Fatalf("%d addresses kept, first %v, %v", total, list, err)
	}
	kept := func(f redirect.MissFilter) int {
		_, n, err := redirect.Misses(t.Context(), s.Shop(id), f, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for path, want := range map[string]int{"/TWICE": 1, "/often": 1, "/forgotten": 0, "/scan2-": 1500} {
		if n := kept(redirect.MissFilter{Text: path}); n != want {
			t.Errorf("%d addresses with %s, want %d", n, path, want)
		}
	}
	if n := kept(redirect.MissFilter{Hidden: true}); n != 1 {
		t.Errorf("%d hidden addresses", n)
	}
	if n := kept(redirect.MissFilter{MinHits: 6}); n != 1 {
		t.Errorf("%d addresses with 6 hits", n)
	}
	if n := kept(redirect.MissFilter{Text: "%"}); n != 0 {
		t.Errorf("%% must not be a wildcard, but found %d", n)
	}
}

func TestConcurrentFlushesOfTheSameMisses(t *testing.T) {
	t.Parallel()
	s, id := open(t)
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var edges sync.WaitGroup
	for edge := range 4 {
		edges.Go(func() {
			list := flood("same", 200, 1, at)
			if edge%2 == 1 { // another order
				for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
					list[i], list[j] = list[j], list[i]
				}
			}
			if err := redirect.AddMisses(t.Context(), s, id, list); err != nil {
				t.Error(err)
			}
		})
	}
	edges.Wait()
	list, total, err := redirect.Misses(t.Context(), s.Shop(id), redirect.MissFilter{MinHits: 4}, 1, 1)
	if err != nil || total != 200 || list[0].Hits != 4 {
		t.Errorf("%d addresses with four hits: %v, %v", total, list, err)
	}
	if err := redirect.AddMisses(t.Context(), s, 999_999, flood("gone", 2, 1, at)); err != nil {
		t.Errorf("misses of a deleted shop: %v", err)
	}
}
