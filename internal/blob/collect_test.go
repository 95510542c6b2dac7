package blob

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"
)

func mustCollect(t testing.TB, s Store, sha string, before time.Time) bool {
	t.Helper()
	gone, err := s.Collect(t.Context(), sha, before)
	if err != nil {
		t.Fatal(err)
	}
	return gone
}

func TestCollectRemovesOnlyOlderObjects(t *testing.T) {
	forEachStore(t, func(t *testing.T, s testStore) {
		ref, line := mustPut(t, s, "hello"), time.Unix(1e9, 0)
		s.age(ref.SHA256, line)
		if mustCollect(t, s, ref.SHA256, line) {
			t.Error("an object put exactly at the time was collected")
		}
		wantObjects(t, s, 1)
		mustPut(t, s, "hello") // again
		if mustCollect(t, s, ref.SHA256, line.Add(time.Hour)) {
			t.Error("an object that was put again was collected")
		}
		s.age(ref.SHA256, line.Add(-time.Second))
		if !mustCollect(t, s, ref.SHA256, line) || mustCollect(t, s, ref.SHA256, line) {
			t.Error("the object was not collected exactly once")
		}
		wantObjects(t, s, 0)
	})
}

func TestEachObjectIsVisitedInItsShard(t *testing.T) {
	forEachStore(t, func(t *testing.T, s testStore) {
		var want, got []string
		for i := range 40 {
			want = append(want, mustPut(t, s, strconv.Itoa(i)).SHA256)
		}
		s.age(want[0], time.Unix(1e9, 0))
		for shard := range Shards() {
			err := s.Each(t.Context(), shard, func(sha string, put time.Time) error {
				if sha[:2] != shard || (sha == want[0]) != put.Equal(time.Unix(1e9, 0)) {
					t.Errorf("%s in %s, put %v", sha, shard, put)
				}
				got = append(got, sha)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%d objects visited, want %d", len(got), len(want))
		}
		enough := errors.New("enough")
		if err := s.Each(t.Context(), want[0][:2], func(string, time.Time) error { return enough }); !errors.Is(err, enough) {
			t.Errorf("error %v", err)
		}
	})
}

// An object that is put while it is collected exists afterwards.
func TestConcurrentPutSurvivesCollect(t *testing.T) {
	s := openTestDir(t)
	for range 300 {
		ref := mustPut(t, s, "hello")
		s.age(ref.SHA256, time.Unix(1e9, 0))
		var both sync.WaitGroup
		for range 3 {
			both.Go(func() { mustCollect(t, s, ref.SHA256, time.Unix(1e9+60, 0)) })
		}
		both.Go(func() { mustPut(t, s, "hello") })
		both.Wait()
		if ok, err := s.Has(t.Context(), ref.SHA256); !ok || err != nil {
			t.Fatal("the put is lost", err)
		}
	}
	wantObjects(t, s, 1)
}

// A process killed in Collect leaves the object moved aside.
func TestOpenRestoresObjectsMovedAside(t *testing.T) {
	root := t.TempDir()
	s, err := OpenDir(root)
	if err != nil {
		t.Fatal(err)
	}
	ref := mustPut(t, s, "hello")
	for _, name := range []string{goneMark + ref.SHA256 + "-X", goneMark + "nothing"} {
		if err := os.WriteFile(filepath.Join(root, "tmp", name), []byte("hello"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(s.path(ref.SHA256)); err != nil {
		t.Fatal(err)
	}
	if s, err = OpenDir(root); err != nil {
		t.Fatal(err)
	}
	if got, err := s.ReadAll(t.Context(), ref.SHA256, 5); err != nil || string(got) != "hello" {
		t.Errorf("%q, %v", got, err)
	}
}
