// Package blob stores content-addressed objects: the name of an object is the SHA-256 of
// its content, so an object never changes, two shops that upload the same picture share it,
// and a name verifies its bytes.
//
// Objects are stored in one of two places, chosen by VITRINE_BLOB_URL (CONTRACT, Program):
//
//	file:///srv/vitrine/blobs                          a directory
//	s3://bucket/prefix?endpoint=https://s3.example     a bucket
//
// In the directory an object with the hash abcd… is the file sha256/ab/abcd…; in the bucket
// the key is the same below the prefix. An object appears under its name only when it is
// complete: it is written to a temporary file, hashed while it is written, flushed,
// renamed, and the rename is flushed too. An object acknowledged by Put survives a power
// failure.
//
// Derived objects (resized pictures) can be made again: they have arbitrary keys, are not flushed, and a
// damaged one is missing. A Store keeps those that every machine asks for, below derived/; a Cache, which
// is a bounded directory, what one machine needs.
//
// A Put of an existing object renews it, so the time of the last Put bounds when a new
// reference to the object may have been started. Permissions, references and the time of
// collection are not decided here.
package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/url"
	"strings"
	"syscall"
	"time"

	"vitrine/internal/shop"
)

// Store holds objects by hash. It is an interface because there are two implementations, a
// directory and a bucket; one conformance suite verifies the same behaviour of both. All
// methods are safe for concurrent use.
type Store interface {
	// Put stores the content of r, at most limit bytes, under its hash. Longer input is
	// ErrTooLarge. On any error nothing is left behind.
	Put(ctx context.Context, r io.Reader, limit int64) (Ref, error)

	// PutWithNote is Put that calls note when all bytes have arrived, before the object is
	// visible. If note fails, nothing is left behind.
	PutWithNote(ctx context.Context, r io.Reader, limit int64, note func(Ref) error) (Ref, error)

	// PutExpect stores the content of r only if it has this hash and length, as a release
	// manifest declares them; otherwise it returns ErrSizeMismatch or ErrHashMismatch, and
	// nothing is left behind.
	PutExpect(ctx context.Context, r io.Reader, sha string, size int64) error

	// Open returns the object and its length in bytes, or ErrNotFound. The caller closes
	// it. An open reader continues to work if the object is deleted from a directory
	// meanwhile.
	Open(ctx context.Context, sha string) (io.ReadSeekCloser, int64, error)

	// ReadAll returns the whole object after verifying its hash. An object over max bytes
	// is ErrTooLarge and is not read; one whose bytes no longer match its name is
	// ErrDamaged.
	ReadAll(ctx context.Context, sha string, max int64) ([]byte, error)

	// Has reports whether the object exists.
	Has(ctx context.Context, sha string) (bool, error)

	// Each calls visit for every object of a shard, one of Shards, with the time of its
	// last Put. An error of visit ends the iteration and is returned.
	Each(ctx context.Context, shard string, visit func(sha string, put time.Time) error) error

	// Collect removes the object if its last Put was before the given time, and reports
	// whether it did; a missing object is no error. A concurrent Put of the same bytes is
	// never lost: see the implementations for the limits of that.
	Collect(ctx context.Context, sha string, before time.Time) (gone bool, err error)

	// RemoveStale removes what Puts of killed processes left behind, if it was not written since
	// before.
	RemoveStale(ctx context.Context, before time.Time) error

	// Derived returns what PutDerived has stored, or ErrNotFound if that is missing or damaged.
	Derived(ctx context.Context, source, key string) ([]byte, error)

	// PutDerived stores what was made of an object and can be made again, such as a resized picture, of
	// at most 16 MB. It may get lost.
	PutDerived(ctx context.Context, source, key string, body []byte) error

	// DropDerived removes everything that was made of an object.
	DropDerived(ctx context.Context, source string) error

	// DerivedSources returns the objects of a shard of which something was made.
	DerivedSources(ctx context.Context, shard string) ([]string, error)

	// Owner returns the id of the installation that the store belongs to, or "" if none has
	// marked it. An ErrUnavailable means that the store is unavailable.
	Owner(ctx context.Context) (string, error)

	// Mark makes the store belong to an installation. Of two processes that mark a store at
	// once, either may win: read it again with Owner.
	Mark(ctx context.Context, id string) error
}

// ownerFile is the name of the object, beside the hashed ones, that Mark writes.
const ownerFile = "installation"

// maxOwner bounds the bytes of such an object.
const maxOwner = 100

// readOwner reads such an object.
func readOwner(r io.Reader) (string, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxOwner))
	return strings.TrimSpace(string(text)), err
}

// Shards returns the name prefixes that split the objects of a store into equal parts.
func Shards() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < 256 && yield(fmt.Sprintf("%02x", i)); i++ {
		}
	}
}

// Ref identifies a stored object.
type Ref struct {
	SHA256 string // 64 lower-case hexadecimal digits
	Size   int64  // bytes
}

// Errors of a store, matched with errors.Is. Failures of the disk or the network are
// ErrUnavailable; any other error comes from the reader passed to a Put.
var (
	ErrNotFound     = errors.New("blob: no such object")
	ErrTooLarge     = errors.New("blob: larger than allowed")
	ErrHashMismatch = errors.New("blob: content does not have the expected hash")
	ErrSizeMismatch = errors.New("blob: content does not have the expected length")
	ErrDamaged      = errors.New("blob: stored content does not match its name")
	ErrBadName      = errors.New("blob: a name is 64 lower-case hexadecimal digits")
)

// ErrUnavailable reports a disk that is full or broken, or a bucket that does not answer: a Put
// has stored nothing, and existing objects cannot be read now. The cause follows in the
// chain. No restart is needed afterwards.
var ErrUnavailable = shop.ErrUnavailable.With("the storage of files does not answer now; nothing was stored, try again").RetryAfter(5)

// ErrDiskFull is ErrUnavailable for a disk without space.
var ErrDiskFull = shop.ErrUnavailable.With("the disk for files is full; nothing was stored").RetryAfter(60)

// wrapAway wraps a failure of the disk or the network in ErrUnavailable or ErrDiskFull. A cancelled
// or expired context is returned unchanged.
func wrapAway(err error) error {
	switch {
	case err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: %w", ErrDiskFull, err)
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// Open returns the store of a blob URL: file://<dir>, absolute or relative, which is
// created if it is missing, or s3://bucket/prefix?endpoint=<host or URL>&region=<region>,
// with credentials from the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY) or from
// the AWS credentials file. A bucket that does not answer is ErrUnavailable here, not at the
// first upload.
func Open(rawURL string) (Store, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, fmt.Errorf("blob: address: %w", err)
	}
	switch u.Scheme {
	case "file":
		if u.RawQuery != "" || u.Fragment != "" {
			return nil, fmt.Errorf("blob: %q: a directory takes no options", rawURL)
		}
		// In file://./var/blobs the first segment is parsed as the host.
		dir := u.Host + u.Path
		if dir == "" {
			return nil, fmt.Errorf("blob: %q names no directory", rawURL)
		}
		d, err := OpenDir(dir)
		if err != nil {
			return nil, err
		}
		return d, nil
	case "s3":
		return openBucket(u)
	}
	return nil, fmt.Errorf("blob: %q is neither file:// nor s3://", rawURL)
}

// CheckName returns ErrBadName unless sha is spelled as a hash, which also excludes path
// separators from file names and keys.
func CheckName(sha string) error {
	if len(sha) != 2*sha256.Size {
		return ErrBadName
	}
	for i := range len(sha) {
		if c := sha[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return ErrBadName
		}
	}
	return nil
}

// Sum returns the name that content is stored under.
func Sum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// readAll implements ReadAll with the store's Open.
func readAll(ctx context.Context, s Store, sha string, max int64) ([]byte, error) {
	r, size, err := s.Open(ctx, sha)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if size > max {
		return nil, fmt.Errorf("%w: %s has %d bytes, allowed are %d", ErrTooLarge, sha, size, max)
	}
	content := make([]byte, size)
	if _, err := io.ReadFull(r, content); err != nil {
		return nil, wrapAway(fmt.Errorf("blob: read %s: %w", sha, err))
	}
	if Sum(content) != sha {
		return nil, fmt.Errorf("%w: %s", ErrDamaged, sha)
	}
	return content, nil
}
