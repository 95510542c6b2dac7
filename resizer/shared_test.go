package resizer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"testing"

	"vitrine/internal/await"
	"vitrine/internal/blob"
)

// storeFor is a store that several resizers share.
func storeFor(t *testing.T) blob.Store {
	t.Helper()
	s, err := blob.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// has waits until the store has a variant.
func has(t *testing.T, s blob.Store, source string, w spec) {
	t.Helper()
	if !await.Until(func() bool { _, err := s.Derived(t.Context(), source, w.key(source)); return err == nil }) {
		t.Fatalf("%+v is not stored", w)
	}
}

// machine is a resizer with a disk of its own.
func machine(t *testing.T, all blob.Store) *Resizer {
	return start(t, Config{Cache: cacheFor(t), Shared: all, Log: slog.New(slog.DiscardHandler)})
}

func TestOneMachineMakesAStepAndTheOthersReadIt(t *testing.T) {
	all, file := storeFor(t), jpegOf(t, quartered(500, 300))
	first, second := machine(t, all), machine(t, all)
	for _, width := range []int{320, 640} { // the second one is as wide as the source
		made, _ := cut(t, first, file, width, 0)
		has(t, all, given(file).Key, spec{width: min(width, 500)})
		read, _ := cut(t, second, file, width, 0)
		if !bytes.Equal(made.Body, read.Body) || made.ETag != read.ETag {
			t.Errorf("width %d: another picture", width)
		}
	}
	if s := second.Stats(); s.Decodes != 0 || s.Fetched != 2 {
		t.Errorf("%+v", s)
	}
	cut(t, second, file, 320, 0)
	if s := second.Stats(); s.Hits != 1 || s.Fetched != 2 {
		t.Errorf("it is not cached on disk: %+v", s)
	}
}

func TestOnlyStepsAreSharedInTheirDefaultQuality(t *testing.T) {
	all, file := storeFor(t), jpegOf(t, quartered(500, 300))
	r := machine(t, all)
	source := given(file).Key
	cut(t, r, file, 333, 0)
	cut(t, r, file, 320, 60)
	cut(t, r, file, 128, 0) // stored after the others would have been
	has(t, all, source, spec{width: 128})
	for _, w := range []spec{{width: 333}, {width: 320, quality: 60}} {
		if _, err := all.Derived(t.Context(), source, w.key(source)); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("%+v is stored: %v", w, err)
		}
	}
}

func TestADamagedSharedStepIsMadeAgain(t *testing.T) {
	all, file := storeFor(t), jpegOf(t, quartered(500, 300))
	source, step := given(file).Key, spec{width: 320}
	if err := all.PutDerived(t.Context(), source, step.key(source), []byte("no picture")); err != nil {
		t.Fatal(err)
	}
	r := machine(t, all)
	made, _ := cut(t, r, file, 320, 0)
	if !await.Until(func() bool {
		kept, err := all.Derived(t.Context(), source, step.key(source))
		return err == nil && bytes.Equal(kept, made.Body)
	}) {
		t.Error("the damaged one stays")
	}
}

// frozen is a store that answers nothing.
type frozen struct{ blob.Store }

func (frozen) Derived(ctx context.Context, _, _ string) ([]byte, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (frozen) PutDerived(ctx context.Context, _, _ string, _ []byte) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestAFrozenStoreHoldsNoPicture(t *testing.T) {
	r := machine(t, frozen{})
	file := jpegOf(t, quartered(500, 300))
	for _, width := range []int{64, 128, 320} {
		if v, err := r.Variant(t.Context(), given(file), width, 0); err != nil || v.StandIn {
			t.Errorf("width %d: %v", width, err)
		}
	}
	if s := r.Stats(); s.Decodes != 3 {
		t.Errorf("%+v", s)
	}
}

// gone is a store that is unavailable and counts the calls.
type gone struct {
	blob.Store
	asked chan struct{}
}

func (g gone) Derived(context.Context, string, string) ([]byte, error) {
	g.asked <- struct{}{}
	return nil, io.ErrUnexpectedEOF
}

func (gone) PutDerived(context.Context, string, string, []byte) error { return io.ErrUnexpectedEOF }

func TestAStoreThatFailsIsNotAskedForAWhile(t *testing.T) {
	g := gone{asked: make(chan struct{}, 10)}
	r := machine(t, g)
	file := jpegOf(t, quartered(500, 300))
	for _, width := range []int{64, 128, 320} {
		cut(t, r, file, width, 0)
	}
	if len(g.asked) != 1 {
		t.Errorf("asked %d times", len(g.asked))
	}
}
