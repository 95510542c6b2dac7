package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/internal/await"
	"vitrine/internal/blob/blobtest"
)

// openTestBucket opens a store in the bucket of a real S3 server.
func openTestBucket(t testing.TB) testStore {
	t.Helper()
	return bucketOn(t, blobtest.Start(t))
}

func bucketOn(t testing.TB, server *blobtest.S3) testStore {
	t.Helper()
	s, err := Open(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	at := func(sha string) string { return filepath.Join(server.Bucket, s.(*Bucket).key(sha)) }
	return testStore{
		Store: s,
		list:  func() []string { return append(filesBelow(t, server.Bucket), filesBelow(t, os.TempDir())...) },
		damage: func(sha string, content []byte) {
			if err := os.WriteFile(at(sha), content, 0o644); err != nil {
				t.Fatal(err)
			}
		},
		age: func(sha string, put time.Time) {
			if err := os.Chtimes(at(sha), put, put); err != nil {
				t.Fatal(err)
			}
		},
	}
}

func TestKeysAreBelowThePrefix(t *testing.T) {
	s := openTestBucket(t)
	mustPut(t, s, "hello")
	if got := s.list(); len(got) != 1 || !strings.HasSuffix(got[0], "/shop/some/prefix/sha256/2c/"+helloSHA) {
		t.Errorf("keys %v", got)
	}
}

func TestUnknownBucketFailsAtOpen(t *testing.T) {
	address := blobtest.Start(t).URL()
	if s, err := Open(strings.Replace(address, "//shop", "//other", 1)); err == nil || s != nil || errors.Is(err, ErrUnavailable) {
		t.Errorf("a bucket that does not exist was opened: %v, %v", s, err)
	}
}

func TestEndpointOption(t *testing.T) {
	for option, want := range map[string]string{
		"": "s3.amazonaws.com true", "minio:9000": "minio:9000 true", "http://minio:9000/": "minio:9000 false",
		"https://s3.example.test": "s3.example.test true",
	} {
		if host, secure := endpointOf(option); fmt.Sprint(host, " ", secure) != want {
			t.Errorf("%q: %s %v, want %s", option, host, secure, want)
		}
	}
}

// A frozen bucket keeps its connections and answers nothing. It holds no call for longer than
// callTime, be it the first or one on an open connection.
func TestAFrozenBucketHoldsNobody(t *testing.T) {
	server := blobtest.Start(t)
	s := bucketOn(t, server)
	kept := mustPut(t, s, "kept before")
	large := strings.Repeat("large ", 1_000_000)
	server.Proxy.Freeze()
	calls := map[string]func() error{
		"put":   func() error { _, err := s.Put(t.Context(), strings.NewReader(large), 10<<20); return err },
		"read":  func() error { _, err := s.ReadAll(t.Context(), kept.SHA256, 100); return err },
		"has":   func() error { _, err := s.Has(t.Context(), kept.SHA256); return err },
		"owner": func() error { _, err := s.Owner(t.Context()); return err },
		"open":  func() error { _, err := Open(server.URL()); return err },
		"list": func() error {
			return s.Each(t.Context(), kept.SHA256[:2], func(string, time.Time) error { return nil })
		},
	}
	failed := map[string]chan error{}
	for name, call := range calls {
		done := make(chan error, 1)
		failed[name] = done
		go func() { done <- call() }()
	}
	for name, done := range failed {
		if err := await.Next(t, done); !errors.Is(err, ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	server.Proxy.Restore()
	if got, err := s.ReadAll(t.Context(), kept.SHA256, 100); err != nil || string(got) != "kept before" {
		t.Errorf("thawed: %q, %v", got, err)
	}
}

// A listing whose page arrives in drops ends like any call that takes too long; a visitor may take longer.
func TestAListingThatTakesTooLongEnds(t *testing.T) {
	server := blobtest.Start(t)
	s := bucketOn(t, server)
	shard, objects := "", 0
	for n := 0; objects < 100; n++ { // more than one drop
		text := strconv.Itoa(n)
		sum := sha256.Sum256([]byte(text))
		if of := hex.EncodeToString(sum[:1]); shard == "" || of == shard {
			shard = of
			mustPut(t, s, text)
			objects++
		}
	}
	seen := 0
	count := func(string, time.Time) error { seen++; return nil }
	if err := s.Each(t.Context(), shard, count); err != nil || seen != objects {
		t.Fatalf("%d of %d objects, %v", seen, objects, err)
	}
	server.Proxy.Slow(8 * time.Second) // less than stallTime
	if err := s.Each(t.Context(), shard, count); !errors.Is(err, ErrUnavailable) {
		t.Errorf("%v", err)
	}
	server.Proxy.Restore()
	if seen = 0; s.Each(t.Context(), shard, count) != nil || seen != objects {
		t.Errorf("restored: %d of %d objects", seen, objects)
	}
}

// A connection that breaks during a PUT leaves nothing behind, and during a GET causes an
// error; once it works again, the store works without a restart.
func TestBucketSurvivesBrokenConnections(t *testing.T) {
	server := blobtest.Start(t)
	s := bucketOn(t, server)
	kept := mustPut(t, s, "kept before")
	large := strings.Repeat("large ", 100_000)
	for name, cut := range map[string]func(){
		"at once": server.Proxy.Cut, "in the middle of the upload": func() { server.Proxy.CutAfter(200_000, 1<<20) },
		"before the answer": func() { server.Proxy.CutAfter(1<<30, 0) },
	} {
		cut()
		ref, err := s.Put(t.Context(), strings.NewReader(large), 1<<20)
		if !errors.Is(err, ErrUnavailable) || ref != (Ref{}) {
			t.Errorf("%s: %v, %v", name, ref, err)
		}
		if _, err := s.ReadAll(t.Context(), kept.SHA256, 100); !errors.Is(err, ErrUnavailable) {
			t.Errorf("%s: read: %v", name, err)
		}
		if _, err := s.Has(t.Context(), kept.SHA256); !errors.Is(err, ErrUnavailable) {
			t.Errorf("%s: has: %v", name, err)
		}
		server.Proxy.Restore()
		if got, err := s.ReadAll(t.Context(), kept.SHA256, 100); err != nil || string(got) != "kept before" {
			t.Errorf("%s, mended: %q, %v", name, got, err)
		}
	}
	ref := mustPut(t, s, large)
	r, size, err := s.Open(t.Context(), ref.SHA256)
	if err != nil || size != int64(len(large)) {
		t.Fatal(size, err)
	}
	server.Proxy.CutAfter(1<<20, 100_000)
	n, err := io.Copy(io.Discard, r)
	if !errors.Is(err, ErrUnavailable) || n >= size {
		t.Errorf("a read that was cut: %d of %d bytes, %v", n, size, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	server.Proxy.Restore()
	if got, err := s.ReadAll(t.Context(), ref.SHA256, size); err != nil || string(got) != large {
		t.Errorf("mended: %d bytes, %v", len(got), err)
	}
}
