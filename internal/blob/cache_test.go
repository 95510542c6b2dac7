package blob

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func openTestCache(t testing.TB, root string, limit int64) *Cache {
	t.Helper()
	c, err := OpenCache(root, limit)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sourced is the source that tests use for a key.
func sourced(key string) string { return Sum([]byte("source of " + key)) }

func mustKeep(t testing.TB, c *Cache, key, body string) {
	t.Helper()
	if err := c.Put(sourced(key), key, []byte(body)); err != nil {
		t.Fatal(err)
	}
}

func wantCached(t testing.TB, c *Cache, key, body string) {
	t.Helper()
	if got, ok, err := c.Get(sourced(key), key); err != nil || !ok || string(got) != body {
		t.Errorf("%s: %q, %v, %v, want %q", key, got, ok, err, body)
	}
}

func wantMiss(t testing.TB, c *Cache, key string) {
	t.Helper()
	if got, ok, err := c.Get(sourced(key), key); ok || err != nil {
		t.Errorf("%s: %q, %v, want a miss", key, got, err)
	}
}

func TestCacheKeepsFreeTextKeys(t *testing.T) {
	c := openTestCache(t, t.TempDir(), 1<<20)
	for _, key := range []string{"", "a", "../../etc/passwd", "w=320 q=75", "\x00"} {
		wantMiss(t, c, key)
		mustKeep(t, c, key, "body of "+key)
		wantCached(t, c, key, "body of "+key)
	}
	mustKeep(t, c, "a", "")
	wantCached(t, c, "a", "")
}

func TestCacheSurvivesRestart(t *testing.T) {
	root := t.TempDir()
	mustKeep(t, openTestCache(t, root, 100), "a", "kept")
	c := openTestCache(t, root, 100)
	if c.Bytes() != 12 {
		t.Errorf("counts %d bytes", c.Bytes())
	}
	wantCached(t, c, "a", "kept")
}

func TestCacheEvictsTheLeastRecentlyUsed(t *testing.T) {
	c := openTestCache(t, t.TempDir(), 30) // room for two bodies of two bytes
	mustKeep(t, c, "a", "aa")
	mustKeep(t, c, "b", "bb")
	mustKeep(t, c, "c", "cc")
	wantCached(t, c, "a", "aa")
	mustKeep(t, c, "d", "dd")
	wantMiss(t, c, "b")
	wantCached(t, c, "a", "aa")
	wantCached(t, c, "d", "dd")
}

func TestCacheShrinksAtOpen(t *testing.T) {
	root := t.TempDir()
	c := openTestCache(t, root, 1000)
	for i := range 9 {
		key := fmt.Sprint(i)
		mustKeep(t, c, key, "xx")
		written := time.Unix(int64(1000+i), 0)
		if err := os.Chtimes(c.path(entryName(sourced(key), key)), written, written); err != nil {
			t.Fatal(err)
		}
	}
	c = openTestCache(t, root, 25)
	if got := filesBelow(t, root); len(got) != 2 {
		t.Errorf("%d entries left", len(got))
	}
	wantCached(t, c, "8", "xx")
	wantCached(t, c, "7", "xx")
}

func TestBodyLargerThanTheCacheIsNotKept(t *testing.T) {
	root := t.TempDir()
	c := openTestCache(t, root, 10)
	mustKeep(t, c, "a", "aa")
	mustKeep(t, c, "b", "far too much")
	wantMiss(t, c, "b")
	wantCached(t, c, "a", "aa")
}

func TestTornEntriesAreMisses(t *testing.T) {
	c := openTestCache(t, t.TempDir(), 1<<20)
	for _, cut := range []int{0, 1, 7, 8, 12, 17} {
		mustKeep(t, c, "a", "ten bytes!")
		path := c.path(entryName(sourced("a"), "a"))
		if err := os.Truncate(path, int64(cut)); err != nil {
			t.Fatal(err)
		}
		wantMiss(t, c, "a")
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("cut at %d: the file is still there", cut)
		}
	}
	mustKeep(t, c, "a", "ten bytes!")
	raw, err := os.ReadFile(c.path(entryName(sourced("a"), "a")))
	if err != nil {
		t.Fatal(err)
	}
	raw[len(raw)-1] ^= 1
	if err := os.WriteFile(c.path(entryName(sourced("a"), "a")), raw, 0o644); err != nil {
		t.Fatal(err)
	}
	wantMiss(t, c, "a")
}

func TestOtherProcessesEntriesAreSeen(t *testing.T) {
	root := t.TempDir()
	ours, theirs := openTestCache(t, root, 1<<20), openTestCache(t, root, 1<<20)
	mustKeep(t, theirs, "a", "body")
	wantCached(t, ours, "a", "body")
	if err := os.RemoveAll(filepath.Join(root, "derived")); err != nil {
		t.Fatal(err)
	}
	wantMiss(t, ours, "a")
	if ours.Bytes() != 0 {
		t.Errorf("counts %d bytes", ours.Bytes())
	}
}

func TestCacheCountsBytesOnDisk(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		root, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			rt.Fatal(err)
		}
		c := openTestCache(t, root, 200)
		for i := range rapid.IntRange(1, 30).Draw(rt, "puts") {
			key := rapid.StringMatching(`[a-f]`).Draw(rt, "key")
			body := bytes.Repeat([]byte{byte(i)}, rapid.IntRange(0, 120).Draw(rt, "size"))
			mustKeep(t, c, key, string(body))
			wantCached(t, c, key, string(body))
		}
		var onDisk int64
		for _, path := range filesBelow(t, root) {
			info, err := os.Stat(path)
			if err != nil {
				rt.Fatal(err)
			}
			onDisk += info.Size()
		}
		if c.Bytes() != onDisk || onDisk > 200 {
			rt.Fatalf("counts %d bytes, on disk are %d", c.Bytes(), onDisk)
		}
	})
}

func TestCacheUnderConcurrentUse(t *testing.T) {
	c := openTestCache(t, t.TempDir(), 300)
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			for i := range 50 {
				key := fmt.Sprint((worker + i) % 10)
				mustKeep(t, c, key, "body of "+key)
				if got, ok, err := c.Get(sourced(key), key); err != nil || ok && string(got) != "body of "+key {
					t.Errorf("%s: %q, %v", key, got, err)
				}
			}
		})
	}
	all.Wait()
	if c.Bytes() > 300 {
		t.Errorf("counts %d bytes", c.Bytes())
	}
}

// Entries are found by their source and removed with it; entries of an older version
// without a source are removed when the cache is opened.
func TestEntriesAreRemovedWithTheirSource(t *testing.T) {
	root := filepath.Join(t.TempDir(), "ca[c]he")
	c := openTestCache(t, root, 1<<20)
	source, other := Sum([]byte("a picture")), Sum([]byte("another"))
	for _, key := range []string{"w64", "w128"} {
		if err := errors.Join(c.Put(source, key, []byte(key)), c.Put(other, key, []byte(key))); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := c.DerivedSources(t.Context(), source[:2]); err != nil || !slices.Contains(got, source) {
		t.Errorf("%v %v", got, err)
	}
	if err := c.DropDerived(t.Context(), source); err != nil {
		t.Fatal(err)
	}
	if got, err := c.DerivedSources(t.Context(), source[:2]); err != nil || slices.Contains(got, source) {
		t.Errorf("dropped: %v %v", got, err)
	}
	if _, ok, err := c.Get(source, "w64"); ok || err != nil {
		t.Errorf("dropped: %v %v", ok, err)
	}
	if _, ok, err := c.Get(other, "w64"); !ok || err != nil {
		t.Errorf("another source: %v %v", ok, err)
	}
	old := filepath.Join(root, "derived", source[:2], source)
	if err := errors.Join(os.MkdirAll(filepath.Dir(old), 0o755), os.WriteFile(old, []byte("12345678body"), 0o644)); err != nil {
		t.Fatal(err)
	}
	openTestCache(t, root, 1<<20)
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("entry of an older version: %v", err)
	}
	for _, bad := range []string{"", "../../x", "*"} {
		if c.Put(bad, "k", nil) == nil || c.DropDerived(t.Context(), bad) == nil {
			t.Errorf("%q is taken for a source", bad)
		}
	}
}
