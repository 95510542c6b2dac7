package secret

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
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

// A key is rotated without an outage: processes with the new key first still open and verify what
// those with the old key first have made, and the other way round.
func TestFirstKeySealsAndAllOpen(t *testing.T) {
	t.Parallel()
	const a, b = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA="
	sealers := map[string]*Sealer{}
	for _, keys := range []string{a, b, a + "," + b, b + ", " + a + "\n"} {
		s, err := NewSealer(keys)
		if err != nil {
			t.Fatal(keys, err)
		}
		sealers[keys] = s
	}
	before, during, after := sealers[a], sealers[b+", "+a+"\n"], sealers[b]
	for _, made := range []*Sealer{before, sealers[a+","+b], during, after} {
		if text, err := during.Open(made.Seal([]byte("sk"), "5"), "5"); err != nil || string(text) != "sk" || !during.Verify(made.MAC("5"), "5") || during.Verify(made.MAC("5"), "6") {
			t.Errorf("%q, %v", text, err)
		}
	}
	if _, err := after.Open(during.Seal([]byte("sk"), "5"), "5"); err != nil || !after.Verify(during.MAC("5"), "5") {
		t.Error("the first key does not seal")
	}
	if _, err := before.Open(during.Seal([]byte("sk"), "5"), "5"); !errors.Is(err, ErrSealed) || before.Verify(during.MAC("5"), "5") {
		t.Error("the second key seals")
	}
	if prints := during.Fingerprints("5"); len(prints) != 2 || prints[0] != after.MAC("5") || prints[1] != before.MAC("5") {
		t.Errorf("%q", prints)
	}
	for _, keys := range []string{a + ",", "," + a, a + ",short", strings.Repeat(a+",", 8) + a} {
		if _, err := NewSealer(keys); !errors.Is(err, ErrSealKey) {
			t.Errorf("%q: %v", keys, err)
		}
	}
}
