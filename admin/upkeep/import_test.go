package upkeep_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"vitrine/admin/upkeep"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	moveindb "vitrine/internal/store/movein"
)

// The record of an import is deleted 90 days after it was undone, unless it is the last that brought
// pictures of an object.
func TestRecordsOfUndoneImportsAreDeleted(t *testing.T) {
	h := open(t)
	ctx := t.Context()
	write := func(id shop.JobID, undo, shows bool) {
		t.Helper()
		err := h.Store.Write(ctx, h.Shop.ID, func(tx *store.Tx) error {
			err := moveindb.Begin(ctx, tx, moveindb.Import{ID: id, Person: h.OwnerID, System: "shopify", Files: []string{"a.csv"}, CreatedAt: h.Clock.Now()})
			if err == nil && shows {
				err = moveindb.Places(ctx, tx, id, []moveindb.Place{{Kind: "product", Object: 1, Addresses: []string{"https://old.test/1.jpg"}, Places: json.RawMessage("{}")}}, h.Clock.Now())
			}
			if err == nil && undo {
				err = moveindb.Undone(ctx, tx, id, h.Clock.Now())
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	const undone, kept, showing = 1, 2, 3
	write(undone, true, false)
	write(kept, false, false)
	write(showing, true, true)
	there := func(id shop.JobID) bool {
		_, err := moveindb.Get(ctx, h.Store.Shop(h.Shop.ID), id)
		if err != nil && !errors.Is(err, moveindb.ErrNotFound) {
			t.Fatal(err)
		}
		return err == nil
	}
	h.Clock.Advance(upkeep.UndoneImport - time.Minute)
	h.round()
	if !there(undone) {
		t.Error("deleted within 90 days")
	}
	h.Clock.Advance(2 * time.Minute)
	h.round()
	if there(undone) || !there(kept) || !there(showing) {
		t.Error(there(undone), there(kept), there(showing))
	}
}
