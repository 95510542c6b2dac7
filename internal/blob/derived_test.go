package blob

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestDerivedObjectsAreFoundUntilTheyAreDropped(t *testing.T) {
	forEachStore(t, func(t *testing.T, s testStore) {
		source := mustPut(t, s, "a picture").SHA256
		other := source[:63] + "0"
		if other == source {
			other = source[:63] + "1"
		}
		if _, err := s.Derived(t.Context(), source, "w64"); !errors.Is(err, ErrNotFound) {
			t.Errorf("before it is stored: %v", err)
		}
		for _, key := range []string{"w64", "w128"} {
			if err := errors.Join(s.PutDerived(t.Context(), source, key, []byte(key)), s.PutDerived(t.Context(), other, key, nil)); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := s.Derived(t.Context(), source, "w128"); err != nil || string(got) != "w128" {
			t.Errorf("%q %v", got, err)
		}
		both := []string{source, other}
		slices.Sort(both)
		if got, err := s.DerivedSources(t.Context(), source[:2]); err != nil || !slices.Equal(got, both) {
			t.Errorf("sources %v %v", got, err)
		}
		if err := s.DropDerived(t.Context(), source); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Derived(t.Context(), source, "w64"); !errors.Is(err, ErrNotFound) {
			t.Errorf("dropped: %v", err)
		}
		if _, err := s.Derived(t.Context(), other, "w64"); err != nil {
			t.Errorf("of another object: %v", err)
		}
		var objects []string
		if err := s.Each(t.Context(), source[:2], func(sha string, _ time.Time) error { objects = append(objects, sha); return nil }); err != nil || !slices.Equal(objects, []string{source}) {
			t.Errorf("objects of the shard: %v %v", objects, err)
		}
	})
}

func TestADamagedDerivedObjectIsMissing(t *testing.T) {
	forEachStore(t, func(t *testing.T, s testStore) {
		source := Sum([]byte("a picture"))
		for _, damage := range []string{"", "short", "12345678 not what was stored"} {
			if err := s.PutDerived(t.Context(), source, "w64", []byte("small")); err != nil {
				t.Fatal(err)
			}
			files := s.list()
			if len(files) != 1 || !strings.Contains(filepath.ToSlash(files[0]), "/derived/"+source[:2]+"/"+source+"-") {
				t.Fatal(files)
			}
			if err := os.WriteFile(files[0], []byte(damage), 0o644); err != nil {
				t.Fatal(err)
			}
			if got, err := s.Derived(t.Context(), source, "w64"); !errors.Is(err, ErrNotFound) {
				t.Errorf("damaged to %q: %q %v", damage, got, err)
			}
		}
	})
}

func TestWhatIsStoredAsDerivedIsBounded(t *testing.T) {
	forEachStore(t, func(t *testing.T, s testStore) {
		if err := s.PutDerived(t.Context(), Sum(nil), "w64", make([]byte, maxDerived+1)); !errors.Is(err, ErrTooLarge) {
			t.Error(err)
		}
		for _, bad := range []string{"", "../../x", "*"} {
			if _, err := s.Derived(t.Context(), bad, "k"); s.PutDerived(t.Context(), bad, "k", nil) == nil || s.DropDerived(t.Context(), bad) == nil || err == nil {
				t.Errorf("%q is taken for a source", bad)
			}
		}
		wantObjects(t, s, 0)
	})
}
