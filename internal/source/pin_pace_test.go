package source

import (
	"net/netip"
	"testing"
	"time"

	"vitrine/edge"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/storetest"
)

// Five edges let through as many wrong PINs as one, and a right one counts nowhere.
func TestEdgesKeepThePaceOfPINsTogether(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t, store.Migrate)
	var edges []*Source
	for range 5 {
		s, err := store.Open(t.Context(), url, storetest.FewConnections)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		edges = append(edges, New(s, nil, shop.Storefronts{}))
	}
	for what, c := range map[string]struct {
		guess edge.PINGuess
		want  int
	}{
		"PINs of anybody":               {edge.PINGuess{Company: 1}, 6},
		"passwords of a policy":         {edge.PINGuess{Company: 1, Policy: 3}, 6},
		"those of a network that knows": {edge.PINGuess{Company: 1, From: netip.MustParsePrefix("203.0.113.7/32")}, 10},
	} {
		guess := func(n int) time.Duration {
			wait, err := edges[n%5].GuessPIN(t.Context(), c.guess)
			if err != nil {
				t.Fatal(err)
			}
			return wait
		}
		for n := range 20 { // right ones
			if wait := guess(n); wait != 0 {
				t.Errorf("%s: a right one waits %v", what, wait)
			}
			if err := edges[n%5].ForgivePIN(t.Context(), c.guess, time.Now()); err != nil {
				t.Fatal(err)
			}
		}
		passed := 0
		for n := range 50 {
			if guess(n) == 0 {
				passed++
			}
		}
		if passed != c.want {
			t.Errorf("%s: %d of 50 wrong ones passed, want %d", what, passed, c.want)
		}
	}
}
