package upkeep_test

import (
	"bytes"
	"testing"
	"time"

	"vitrine/internal/shop"
	"vitrine/internal/store/visit"
	"vitrine/internal/visitstats"
)

// The salt of a date is kept while the date is current anywhere on earth, and deleted an hour
// later; the counts are kept.
func TestVisitorHashesAreDeletedAfterTheirDay(t *testing.T) {
	h := open(t)
	day := shop.DayOf(h.Clock.Now(), time.UTC)
	salt := func() []byte {
		h.t.Helper()
		value, err := visit.Salt(t.Context(), h.Store, day)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	before := salt()
	batch := visitstats.Batch{Run: [16]byte{1}, Number: 1, Days: []visitstats.Day{{Company: h.Shop.ID, Date: day, Views: 2, Marks: []visitstats.Mark{{Hash: 1}}}}}
	if err := visit.Add(t.Context(), h.Store, batch); err != nil {
		t.Fatal(err)
	}
	over := (day + 1).Date().Add(13 * time.Hour)
	h.Clock.Advance(over.Add(-time.Second).Sub(h.Clock.Now()))
	h.round()
	if !bytes.Equal(salt(), before) {
		t.Error("a salt was deleted before its day ended")
	}
	h.Clock.Advance(time.Second)
	h.round()
	if bytes.Equal(salt(), before) {
		t.Error("a salt was kept after its day ended")
	}
	list, _, err := visit.List(t.Context(), h.Store.Shop(h.Shop.ID), day, day, day)
	if err != nil || len(list) != 1 || list[0].Visits != 1 || list[0].Views != 2 {
		t.Errorf("%+v, %v", list, err)
	}
}
