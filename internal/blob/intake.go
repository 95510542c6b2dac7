package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// expectation is what the content of a Put must satisfy. Put itself only sets a limit.
type expectation struct {
	limit int64  // maximum length in bytes
	sha   string // empty: any
	exact bool   // the length must be limit

	note func(Ref) error // may be nil; called with the content's Ref before the object is visible
}

func atMost(limit int64) expectation { return expectation{limit: limit} }

func exactly(sha string, size int64) (expectation, error) {
	if size < 0 {
		return expectation{}, fmt.Errorf("%w: a length of %d", ErrSizeMismatch, size)
	}
	return expectation{limit: size, sha: sha, exact: true}, CheckName(sha)
}

// take copies r to w while hashing, and checks the expectation. It reads at most one byte
// beyond the limit, so an endless upload costs no more than its limit.
func (e expectation) take(ctx context.Context, w io.Writer, r io.Reader) (Ref, error) {
	hash := sha256.New()
	in := &contextReader{ctx: ctx, r: io.LimitReader(r, e.limit)}
	n, err := io.Copy(io.MultiWriter(sink{w}, hash), in)
	if err != nil {
		return Ref{}, fmt.Errorf("blob: receive: %w", err)
	}
	if n >= e.limit {
		more, err := longer(r)
		if err != nil {
			return Ref{}, fmt.Errorf("blob: receive: %w", err)
		}
		if more && e.exact {
			return Ref{}, fmt.Errorf("%w: more than %d bytes", ErrSizeMismatch, e.limit)
		}
		if more {
			return Ref{}, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, e.limit)
		}
	}
	if e.exact && n != e.limit {
		return Ref{}, fmt.Errorf("%w: %d bytes instead of %d", ErrSizeMismatch, n, e.limit)
	}
	ref := Ref{SHA256: hex.EncodeToString(hash.Sum(nil)), Size: n}
	if e.sha != "" && ref.SHA256 != e.sha {
		return Ref{}, fmt.Errorf("%w: %s instead of %s", ErrHashMismatch, ref.SHA256, e.sha)
	}
	if e.note != nil {
		if err := e.note(ref); err != nil {
			return Ref{}, err
		}
	}
	return ref, nil
}

// sink is the destination of a copy. Its errors are those of the store; errors of reading
// are the caller's.
type sink struct{ io.Writer }

func (s sink) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	return n, wrapAway(err)
}

// longer reports whether r has another byte.
func longer(r io.Reader) (bool, error) {
	var one [1]byte
	switch _, err := io.ReadFull(r, one[:]); err {
	case nil:
		return true, nil
	case io.EOF:
		return false, nil
	default:
		return false, err
	}
}

// contextReader ends a copy when its context ends; a plain reader would continue until its
// source ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
