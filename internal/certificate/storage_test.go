package certificate

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/secret"
	"vitrine/internal/store"
	"vitrine/internal/store/acme"
	"vitrine/internal/store/storetest"
)

func newStorage(t *testing.T) *storage {
	t.Helper()
	sealer, err := secret.NewSealer(base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("k"), 32)))
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), storetest.URL(t, store.Migrate))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return &storage{store: s, seal: sealer, leases: map[string]lease{}}
}

func TestStorageKeepsValuesSealed(t *testing.T) {
	t.Parallel()
	s, ctx := newStorage(t), t.Context()
	files := map[string]string{"a/b/one.key": "PRIVATE", "a/b/two.crt": "2", "a/c.json": "3", "ab/d": "4"}
	for key, value := range files {
		if err := s.Store(ctx, key, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Store(ctx, "a/c.json", []byte("three")); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"a/b/one.key": "PRIVATE", "a/c.json": "three"} {
		if got, err := s.Load(ctx, key); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", key, got, err)
		}
	}
	sealed, _, _, err := acme.Get(ctx, s.store, "a/b/one.key")
	if err != nil || bytes.Contains(sealed, []byte("PRIVATE")) {
		t.Errorf("%q, %v", sealed, err)
	}
	if err := acme.Put(ctx, s.store, "a/moved.key", sealed); err != nil { // by somebody who can write to the database
		t.Fatal(err)
	}
	if _, err := s.Load(ctx, "a/moved.key"); !errors.Is(err, secret.ErrSealed) {
		t.Errorf("a value counts under another key: %v", err)
	}
	for _, key := range []string{"a", "a/b", "none", strings.Repeat("k", maxKey+1)} {
		if _, err := s.Load(ctx, key); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%.20s: %v", key, err)
		}
	}
	for path, want := range map[string][]string{"a": {"a/b", "a/c.json", "a/moved.key"}, "a/b": {"a/b/one.key", "a/b/two.crt"}, "none": nil} {
		if got, err := s.List(ctx, path, false); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", path, got, err)
		}
	}
	if got, err := s.List(ctx, "a", true); err != nil || len(got) != 4 {
		t.Errorf("%v, %v", got, err)
	}
	if err := s.Delete(ctx, "a"); err != nil || s.Exists(ctx, "a") || s.Exists(ctx, "a/b") || !s.Exists(ctx, "ab") {
		t.Errorf("a folder is deleted as a whole, and nothing else: %v", err)
	}
	if _, err := s.Stat(ctx, "a/c.json"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	for key, value := range map[string][]byte{strings.Repeat("k", maxKey+1): nil, "big": make([]byte, maxValue+1)} {
		if err := s.Store(ctx, key, value); !errors.Is(err, errTooLong) {
			t.Errorf("%.20s: %v", key, err)
		}
	}
}

// A lock is held by one process at a time, and one that died gives it up.
func TestLocksAreLeases(t *testing.T) {
	t.Parallel()
	one, ctx := newStorage(t), t.Context()
	two := &storage{store: one.store, seal: one.seal, leases: map[string]lease{}}
	if err := one.Lock(ctx, "order"); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	if err := two.Lock(short, "order"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("two hold it: %v", err)
	}
	if err := two.Unlock(ctx, "order"); err != nil { // not its own
		t.Error(err)
	}
	if taken, err := acme.Lease(ctx, one.store, "order", "another", time.Second); taken || err != nil {
		t.Errorf("%v, %v", taken, err)
	}
	if err := one.Unlock(ctx, "order"); err != nil {
		t.Error(err)
	}
	if err := two.Lock(ctx, "order"); err != nil {
		t.Error(err)
	}
	if err := two.Unlock(ctx, "order"); err != nil {
		t.Error(err)
	}
	if taken, err := acme.Lease(ctx, one.store, "dead", "a process that died", 0); !taken || err != nil {
		t.Errorf("%v, %v", taken, err)
	}
	if err := one.Lock(ctx, "dead"); err != nil {
		t.Error(err)
	}
	if err := one.Unlock(ctx, "dead"); err != nil {
		t.Error(err)
	}
}
