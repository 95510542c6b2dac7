package store_test

import (
	"slices"
	"testing"

	"vitrine/internal/store"
	"vitrine/internal/store/draft"
	"vitrine/internal/store/storetest"
)

// Every test of the API checks that its calls keep the lock order; this one checks that a
// violation is detected.
func TestLocksOutOfOrderAreDetected(t *testing.T) {
	t.Parallel()
	counter := &storetest.Counter{Order: store.LockOrder}
	s, err := store.Open(t.Context(), storetest.URL(t, store.Migrate), store.Traced(counter))
	check(t, err)
	t.Cleanup(s.Close)
	id := newShop(t, s, "first")
	check(t, s.Write(t.Context(), id, func(tx *store.Tx) error { return draft.LockForPublish(t.Context(), tx) }))
	check(t, s.Write(t.Context(), id, func(tx *store.Tx) error { return tx.LockTree(t.Context()) }))
	if found := counter.OrderViolations(); len(found) > 0 {
		t.Errorf("in order: %v", found)
	}
	check(t, s.Write(t.Context(), id, func(tx *store.Tx) error {
		if _, err := tx.LockRules(t.Context()); err != nil {
			return err
		}
		return tx.LockTree(t.Context())
	}))
	if found := counter.OrderViolations(); !slices.Equal(found, []string{"rules, tree"}) {
		t.Errorf("out of order: %v", found)
	}
}
