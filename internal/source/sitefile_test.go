package source_test

import (
	"context"
	"testing"
	"time"

	"vitrine/edge"
	"vitrine/internal/store"
	"vitrine/internal/store/sitefile"
)

// A saved copy is returned with its bytes only if both they and its text fit the limit, and
// always with its description.
func TestASavedCopyIsReadOnlyIfItFits(t *testing.T) {
	t.Parallel()
	h := newTestShop(t)
	file := &sitefile.SiteFile{Name: "f.xml", IsPublished: true, Body: "{{now}}"}
	h.write(func(ctx context.Context, tx *store.Tx) error { return sitefile.Insert(ctx, tx, file, 0, 0) })
	for _, c := range []struct {
		size   int64
		packed string
		most   int64
		comes  bool
	}{{10, "abc", 10, true}, {10, "abc", 9, false}, {2, "abc", 2, false}, {2, "abc", 3, true}, {1 << 40, "abc", 50 << 20, false}} {
		saved := edge.FileCopy{
			Version: file.Version, ShopVersion: 1, At: time.Now().Truncate(time.Millisecond), Items: 3, Size: c.size,
			Packed: []byte(c.packed),
		}
		build := edge.FileBuild{State: edge.BuildGood, At: saved.At, Version: saved.Version, ShopVersion: 1, Copy: &saved}
		if err := h.source.SaveBuild(t.Context(), h.company, file.ID, build); err != nil {
			t.Fatal(err)
		}
		got, err := h.source.LastCopy(t.Context(), h.company, file.ID, c.most)
		if err != nil || got == nil || got.Size != c.size || got.Items != 3 || !got.At.Equal(saved.At) {
			t.Fatalf("%+v, %v", got, err)
		}
		if comes := got.Packed != nil; comes != c.comes || comes && string(got.Packed) != c.packed {
			t.Errorf("%+v within %d bytes: %q", c, c.most, got.Packed)
		}
	}
	if got, err := h.source.LastCopy(t.Context(), h.company, 999, 100); got != nil || err != nil {
		t.Errorf("a missing file: %+v, %v", got, err)
	}
}
