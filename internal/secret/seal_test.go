package secret

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestSealedTextNeedsItsKeyAndOwner(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "secret.key")
	var keys sync.Map
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			key, err := SealKey(file)
			if err != nil {
				t.Error(err)
			}
			keys.Store(key, true)
		})
	}
	wait.Wait()
	n := 0
	var key string
	keys.Range(func(k, _ any) bool { key = k.(string); n++; return true })
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 || n != 1 {
		t.Errorf("%d keys, %v, %v", n, info, err)
	}
	s, err := NewSealer(key)
	if err != nil {
		t.Fatal(err)
	}
	sealed := s.Seal([]byte("sk_live_1"), "shop 5 stripe")
	if bytes.Contains(sealed, []byte("sk_live")) || bytes.Equal(sealed, s.Seal([]byte("sk_live_1"), "shop 5 stripe")) {
		t.Errorf("%q", sealed)
	}
	if text, err := s.Open(sealed, "shop 5 stripe"); err != nil || string(text) != "sk_live_1" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := s.Open(sealed, "shop 6 stripe"); !errors.Is(err, ErrSealed) {
		t.Errorf("another shop opens it: %v", err)
	}
	for i := range sealed {
		forged := bytes.Clone(sealed)
		forged[i] ^= 1
		if _, err := s.Open(forged, "shop 5 stripe"); !errors.Is(err, ErrSealed) {
			t.Fatalf("byte %d: %v", i, err)
		}
	}
	for _, short := range [][]byte{nil, {}, sealed[:10]} {
		if _, err := s.Open(short, ""); !errors.Is(err, ErrSealed) {
			t.Errorf("%v", err)
		}
	}
	other, err := NewSealer("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Open(sealed, "shop 5 stripe"); !errors.Is(err, ErrSealed) {
		t.Errorf("another key opens it: %v", err)
	}
	for _, key := range []string{"", "short", "AAAA", "!!!"} {
		if _, err := NewSealer(key); !errors.Is(err, ErrSealKey) {
			t.Errorf("%q: %v", key, err)
		}
	}
}
