package catalog

import (
	"slices"
	"testing"

	"vitrine/internal/shop"
)

func TestLeastRecentlyUsedIndexesAreEvicted(t *testing.T) {
	t.Parallel()
	p := newProductIndexes(nil)
	const third = indexBytes / 3
	load := func(id shop.CompanyID, size int) { p.setSize(id, p.entry(id), size) }
	kept := func(want ...shop.CompanyID) {
		t.Helper()
		got := p.shops.Keys()
		if slices.Sort(got); !slices.Equal(got, want) || p.shops.Weight() > indexBytes {
			t.Errorf("kept %v of %d bytes, want %v", got, p.shops.Weight(), want)
		}
	}
	for id := range shop.CompanyID(3) {
		load(id, third)
	}
	kept(0, 1, 2)
	p.entry(0) // used again
	load(3, third)
	kept(0, 2, 3)
	load(2, third/2) // smaller than before
	load(4, third/2)
	kept(0, 2, 3, 4)
	dropped := p.entry(0)
	load(5, indexBytes)
	kept(5)
	p.setSize(0, dropped, third) // loaded while it was evicted
	kept(5)
	load(6, indexBytes+1) // serves the reader that loaded it, and is not cached
	kept(5)
}
