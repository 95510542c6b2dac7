// Package blob keeps bytes by what they are: the name of an object is the
// SHA-256 of its content, so an object never changes, two shops that upload the
// same picture share it, and a name proves the bytes behind it.
//
// There are two homes for objects, chosen by VITRINE_BLOB_URL (CONTRACT,
// Program):
//
//	file:///srv/vitrine/blobs                          a directory
//	s3://bucket/prefix?endpoint=https://s3.example     a bucket
//
// In the directory an object with the hash abcd… lies at sha256/ab/abcd…; in the
// bucket the key is the same below the prefix. An object appears under its name
// only when it is complete: it is written to a temporary file, hashed on the
// way, flushed, renamed, and the rename is flushed too. What Put has answered
// survives a power cut.
//
// Derived objects (resized pictures) can be made again, so they live in a Cache:
// a bounded directory keyed by free text, without flushing, where a damaged
// entry is a miss.
//
// A Put of an object that is there already puts it anew, so the time of the last
// Put says how long nobody may have begun to refer to it. Who may see an object,
// who refers to it and when it is collected is not decided here.
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
	"time"

	"vitrine/internal/shop"
)

// Store holds objects by hash. It is an interface because there are two real
// homes, a directory and a bucket; one conformance suite holds both to the same
// behaviour. All methods are safe for concurrent use.
type Store interface {
	// Put stores what r yields, at most limit bytes, under its own hash.
	// Longer input is ErrTooLarge. On any error nothing is left behind.
	Put(ctx context.Context, r io.Reader, limit int64) (Ref, error)

	// PutNoted is Put that calls note when all bytes have arrived, before an
	// object of them can be seen. Its error leaves nothing behind.
	PutNoted(ctx context.Context, r io.Reader, limit int64, note func(Ref) error) (Ref, error)

	// PutExpect stores what r yields only when it has this hash and length, as
	// a release manifest declares them; otherwise ErrSizeMismatch or
	// ErrHashMismatch, and nothing is left behind.
	PutExpect(ctx context.Context, r io.Reader, sha string, size int64) error

	// Open returns the object and its length in bytes, or ErrNotFound. The
	// caller closes it. A reader that is open keeps reading when the object is
	// deleted from a directory meanwhile.
	Open(ctx context.Context, sha string) (io.ReadSeekCloser, int64, error)

	// ReadAll returns the whole object after checking it against its hash. An
	// object over max bytes is ErrTooLarge and is not read; one whose bytes no
	// longer match their name is ErrDamaged.
	ReadAll(ctx context.Context, sha string, max int64) ([]byte, error)

	// Has reports whether the object is there.
	Has(ctx context.Context, sha string) (bool, error)

	// Each calls visit for every object of a shard, one of Shards, with the time
	// when it was last put. An error of visit ends the walk and is returned.
	Each(ctx context.Context, shard string, visit func(sha string, put time.Time) error) error

	// Collect removes the object if it was last put before the time, and
	// reports whether it did; one that is not there is no error. A Put of the
	// same bytes at the same time is never lost: see the implementations for
	// how far that holds.
	Collect(ctx context.Context, sha string, before time.Time) (gone bool, err error)

	// Tidy removes what processes that were killed left of a Put, where nobody
	// has written to it since the time.
	Tidy(ctx context.Context, before time.Time) error
}

// Shards are the beginnings that split the objects of a store into equal parts.
func Shards() iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := 0; i < 256 && yield(fmt.Sprintf("%02x", i)); i++ {
		}
	}
}

// Ref names a stored object.
type Ref struct {
	SHA256 string // 64 lower-case hexadecimal digits
	Size   int64  // bytes
}

// Errors of a store, matched with errors.Is. Failures of the disk or the network
// are ErrAway; any other error is one of what was read to be put.
var (
	ErrNotFound     = errors.New("blob: no such object")
	ErrTooLarge     = errors.New("blob: larger than allowed")
	ErrHashMismatch = errors.New("blob: content does not have the expected hash")
	ErrSizeMismatch = errors.New("blob: content does not have the expected length")
	ErrDamaged      = errors.New("blob: stored content does not match its name")
	ErrBadName      = errors.New("blob: a name is 64 lower-case hexadecimal digits")
)

// ErrAway is a disk that is full or broken, or a bucket that does not answer:
// what was to be put is not there, what is there cannot be had now. The cause
// stands behind it in the chain. Nothing has to be restarted when it is over.
var ErrAway = shop.ErrUnavailable.With("the storage of files does not answer now; nothing was stored, try again").RetryAfter(5)

// away says ErrAway of a failure of the disk or the network. A caller that is
// gone or out of time is none.
func away(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrAway, err)
}

// Open returns the store that a blob URL names: file://<dir>, absolute or
// relative, which is created when missing, or
// s3://bucket/prefix?endpoint=<host or URL>&region=<region>, whose credentials
// come from the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY) or from
// the AWS credentials file. A bucket that does not answer is an error at once,
// not at the first upload.
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
		// file://./var/blobs has its first segment where a host would stand.
		dir := u.Host + u.Path
		if dir == "" {
			return nil, fmt.Errorf("blob: %q names no directory", rawURL)
		}
		return OpenDir(dir)
	case "s3":
		return openBucket(u)
	}
	return nil, fmt.Errorf("blob: %q is neither file:// nor s3://", rawURL)
}

// CheckName returns ErrBadName unless sha is spelled as a hash, which also keeps
// path separators out of file names and keys.
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

// Sum is the name that content would be stored under.
func Sum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// readAll is ReadAll for any store, by way of its Open.
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
		return nil, away(fmt.Errorf("blob: read %s: %w", sha, err))
	}
	if Sum(content) != sha {
		return nil, fmt.Errorf("%w: %s", ErrDamaged, sha)
	}
	return content, nil
}
