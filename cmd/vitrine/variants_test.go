package main

import (
	"context"
	"log/slog"
	"slices"
	"testing"

	"vitrine/internal/blob"
)

// A round removes variants of a picture that was deleted on another machine; other variants
// stay.
func TestRoundRemovesVariantsOfDeletedObjects(t *testing.T) {
	t.Parallel()
	kept, err := blob.OpenCache(t.TempDir(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	gone, stays := blob.Sum([]byte("gone")), blob.Sum([]byte("stays"))
	for _, sha := range []string{gone, stays} {
		if err := kept.Put(sha, "w64", []byte("small")); err != nil {
			t.Fatal(err)
		}
	}
	v := &variants{kept: kept, log: slog.New(slog.DiscardHandler), gone: func(_ context.Context, of []string) (over []string, err error) {
		if slices.Contains(of, gone) {
			over = append(over, gone)
		}
		return over, nil
	}}
	if err := v.round(t.Context()); err != nil {
		t.Fatal(err)
	}
	for sha, want := range map[string]bool{gone: false, stays: true} {
		if _, ok, err := kept.Get(sha, "w64"); ok != want || err != nil {
			t.Errorf("%s is cached: %v %v", sha, ok, err)
		}
	}
}
