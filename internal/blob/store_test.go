package blob

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"pgregory.net/rapid"
)

// testStore is a store under test with a way to list everything it contains, leftovers
// included.
type testStore struct {
	Store
	list   func() []string
	damage func(sha string, content []byte) // overwrites a stored object
	age    func(sha string, put time.Time)  // sets when an object was put
}

// testStores are the implementations that must behave alike.
var testStores = []struct {
	name string
	open func(t testing.TB) testStore
}{
	{"directory", openTestDir},
	{"bucket", openTestBucket},
}

func forEachStore(t *testing.T, test func(t *testing.T, s testStore)) {
	t.Helper()
	for _, h := range testStores {
		t.Run(h.name, func(t *testing.T) { test(t, h.open(t)) })
	}
}

func mustPut(t testing.TB, s Store, content string) Ref {
	t.Helper()
	ref, err := s.Put(t.Context(), strings.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func wantObjects(t *testing.T, s testStore, n int) {
	t.Helper()
	if got := s.list(); len(got) != n {
		t.Errorf("found %d objects and leftovers, want %d: %v", len(got), n, got)
	}
}

const helloSHA = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

func TestPutNamesContentByItsHash(t *testing.T) {
	forEachStore(t, func(t *testing.T, s testStore) {
		if got := mustPut(t, s, "hello"); got != (Ref{helloSHA, 5}) {
			t.Errorf("ref %+v", got)
		}
		r, size, err := s.Open(t.Context(), helloSHA)
		if err != nil || size != 5 {
			t.Fatalf("size %d, error %v", size, err)
		}
		defer r.Close()
		if got, err := io.ReadAll(r); err != nil || string(got) != "hello" {
			t.Errorf("read %q, %v", got, err)
		}
	})
}

func TestSameContentIsKeptOnce(t *testing.T) {
	forEachStore(t, func(t *testing.T, s testStore) {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { mustPut(t, s, "hello") })
		}
		all.Wait()
		wantObjects(t, s, 1)
	})
}

func TestEmptyObject(t *testing.T) {
	forEachStore(t, func(t *testing.T, s testStore) {
		ref := mustPut(t, s, "")
		if got, err := s.ReadAll(t.Context(), ref.SHA256, 0); err != nil || len(got) != 0 {
			t.Errorf("read %q, %v", got, err)
		}
	})
}

func TestRefusedUploadsLeaveNothing(t *testing.T) {
	broken := errors.New("connection reset")
	wrong := strings.Repeat("0", 64)
	cases := []struct {
		name string
		put  func(context.Context, Store) error
		want error
	}{
		{"one byte over the limit", func(ctx context.Context, s Store) error {
			_, err := s.Put(ctx, strings.NewReader("hello"), 4)
			return err
		}, ErrTooLarge},
		{"endless", func(ctx context.Context, s Store) error {
			_, err := s.Put(ctx, endless{}, 1<<16)
			return err
		}, ErrTooLarge},
		{"no byte allowed", func(ctx context.Context, s Store) error {
			_, err := s.Put(ctx, strings.NewReader("h"), 0)
			return err
		}, ErrTooLarge},
		{"negative limit", func(ctx context.Context, s Store) error {
			_, err := s.Put(ctx, strings.NewReader("h"), -1)
			return err
		}, ErrTooLarge},
		{"source fails", func(ctx context.Context, s Store) error {
			_, err := s.Put(ctx, io.MultiReader(strings.NewReader("he"), iotest.ErrReader(broken)), 9)
			return err
		}, broken},
		{"source fails where its end is expected", func(ctx context.Context, s Store) error {
			return s.PutExpect(ctx, io.MultiReader(strings.NewReader("hello"), iotest.ErrReader(broken)), helloSHA, 5)
		}, broken},
		{"caller gone", func(ctx context.Context, s Store) error {
			ctx, cancel := context.WithCancel(ctx)
			cancel()
			_, err := s.Put(ctx, strings.NewReader("hello"), 5)
			return err
		}, context.Canceled},
		{"other content", func(ctx context.Context, s Store) error {
			return s.PutExpect(ctx, strings.NewReader("jello"), helloSHA, 5)
		}, ErrHashMismatch},
		{"shorter", func(ctx context.Context, s Store) error {
			return s.PutExpect(ctx, strings.NewReader("hell"), helloSHA, 5)
		}, ErrSizeMismatch},
		{"longer", func(ctx context.Context, s Store) error {
			return s.PutExpect(ctx, strings.NewReader("hello!"), helloSHA, 5)
		}, ErrSizeMismatch},
		{"negative length", func(ctx context.Context, s Store) error {
			return s.PutExpect(ctx, strings.NewReader(""), helloSHA, -1)
		}, ErrSizeMismatch},
		{"name is a path", func(ctx context.Context, s Store) error {
			return s.PutExpect(ctx, strings.NewReader("hello"), "../../"+wrong[6:], 5)
		}, ErrBadName},
	}
	forEachStore(t, func(t *testing.T, s testStore) {
		for _, c := range cases {
			if err := c.put(t.Context(), s); !errors.Is(err, c.want) {
				t.Errorf("%s: error %v, want %v", c.name, err, c.want)
			}
			wantObjects(t, s, 0)
		}
	})
}

func TestPutExpectStoresMatchingContent(t *testing.T) {
	forEachStore(t, func(t *testing.T, s testStore) {
		if err := s.PutExpect(t.Context(), strings.NewReader("hello"), helloSHA, 5); err != nil {
			t.Fatal(err)
		}
		if ok, err := s.Has(t.Context(), helloSHA); !ok || err != nil {
			t.Errorf("has %v, %v", ok, err)
		}
	})
}

func TestSeekServesRanges(t *testing.T) {
	forEachStore(t, func(t *testing.T, s testStore) {
		ref := mustPut(t, s, "0123456789")
		r, _, err := s.Open(t.Context(), ref.SHA256)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for _, c := range []struct {
			offset int64
			whence int
			want   string
		}{{4, io.SeekStart, "456"}, {-2, io.SeekEnd, "89"}, {0, io.SeekStart, "012"}} {
			if _, err := r.Seek(c.offset, c.whence); err != nil {
				t.Fatal(err)
			}
			got := make([]byte, len(c.want))
			if _, err := io.ReadFull(r, got); err != nil || string(got) != c.want {
				t.Errorf("at %d: %q, %v, want %q", c.offset, got, err, c.want)
			}
		}
	})
}

func TestMissingObjects(t *testing.T) {
	forEachStore(t, func(t *testing.T, s testStore) {
		ctx := t.Context()
		if _, _, err := s.Open(ctx, helloSHA); !errors.Is(err, ErrNotFound) {
			t.Errorf("open: %v", err)
		}
		if _, err := s.ReadAll(ctx, helloSHA, 9); !errors.Is(err, ErrNotFound) {
			t.Errorf("read: %v", err)
		}
		if ok, err := s.Has(ctx, helloSHA); ok || err != nil {
			t.Errorf("has: %v, %v", ok, err)
		}
		if gone, err := s.Collect(ctx, helloSHA, time.Now()); gone || err != nil {
			t.Errorf("collect: %v, %v", gone, err)
		}
	})
}

func TestReadAllChecksSizeAndBytes(t *testing.T) {
	forEachStore(t, func(t *testing.T, s testStore) {
		ref := mustPut(t, s, "hello")
		if _, err := s.ReadAll(t.Context(), ref.SHA256, 4); !errors.Is(err, ErrTooLarge) {
			t.Errorf("over the limit: %v", err)
		}
		s.damage(ref.SHA256, []byte("hallo"))
		if _, err := s.ReadAll(t.Context(), ref.SHA256, 5); !errors.Is(err, ErrDamaged) {
			t.Errorf("damaged: %v", err)
		}
		mustPut(t, s, "hello")
		if got, err := s.ReadAll(t.Context(), ref.SHA256, 5); err != nil || string(got) != "hello" {
			t.Errorf("stored again: %q, %v", got, err)
		}
	})
}

func TestBadNamesAreRefusedEverywhere(t *testing.T) {
	names := []string{"", "ab", strings.ToUpper(helloSHA), helloSHA + "0", "../" + helloSHA[3:], strings.Repeat("/", 64)}
	forEachStore(t, func(t *testing.T, s testStore) {
		for _, name := range names {
			_, _, openErr := s.Open(t.Context(), name)
			_, hasErr := s.Has(t.Context(), name)
			_, collectErr := s.Collect(t.Context(), name, time.Now())
			for _, err := range []error{openErr, hasErr, collectErr} {
				if !errors.Is(err, ErrBadName) {
					t.Errorf("%q: %v", name, err)
				}
			}
		}
	})
}

func TestPutAndReadRoundTrip(t *testing.T) {
	forEachStore(t, func(t *testing.T, s testStore) {
		rapid.Check(t, func(rt *rapid.T) {
			size := rapid.IntRange(0, 1<<17).Draw(rt, "size")
			content := make([]byte, size)
			source := rand.NewChaCha8([32]byte{byte(size), byte(size >> 8)})
			if _, err := source.Read(content); err != nil {
				rt.Fatal(err)
			}
			ref, err := s.Put(t.Context(), iotest.HalfReader(bytes.NewReader(content)), int64(size))
			if err != nil || ref != (Ref{Sum(content), int64(size)}) {
				rt.Fatalf("ref %+v, %v", ref, err)
			}
			got, err := s.ReadAll(t.Context(), ref.SHA256, int64(size))
			if err != nil || !bytes.Equal(got, content) {
				rt.Fatalf("read %d bytes of %d, %v", len(got), size, err)
			}
		})
	})
}

func TestOpenRefusesAddresses(t *testing.T) {
	for _, address := range []string{
		"", "ftp://x/y", "/plain/path", "file://", "file:///x?y=z", "s3://", "s3:///prefix",
		"s3://key:secret@bucket/x", "s3://bucket/x?endpont=typo", "://",
	} {
		if s, err := Open(address); err == nil {
			t.Errorf("%q opened as %T", address, s)
		}
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func BenchmarkPut(b *testing.B) {
	for _, h := range testStores {
		for _, size := range []int{1 << 10, 1 << 20} {
			b.Run(fmt.Sprintf("%s/%dKiB", h.name, size>>10), func(b *testing.B) {
				s, content := h.open(b), make([]byte, size)
				b.SetBytes(int64(size))
				for i := 0; b.Loop(); i++ {
					content[i%size]++
					if _, err := s.Put(b.Context(), bytes.NewReader(content), int64(size)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func TestAMarkedStoreNamesItsOwner(t *testing.T) {
	forEachStore(t, func(t *testing.T, s testStore) {
		if id, err := s.Owner(t.Context()); id != "" || err != nil {
			t.Errorf("a new store belongs to %q, %v", id, err)
		}
		for _, id := range []string{"one", "two"} {
			if err := s.Mark(t.Context(), id); err != nil {
				t.Fatal(err)
			}
			if got, err := s.Owner(t.Context()); got != id || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		}
		for shard := range Shards() {
			if err := s.Each(t.Context(), shard, func(sha string, _ time.Time) error { t.Error(sha); return nil }); err != nil {
				t.Fatal(err)
			}
		}
		wantObjects(t, s, 1)
	})
}
