// Package leftover reads what is left of a request body that nobody wants, for
// one of two reasons: so that the client gets to see the answer (Hear), or so
// that its connection can go on (Ended).
package leftover

import (
	"errors"
	"io"
)

const (
	// MaxHeard is how many bytes of a refused body are read.
	MaxHeard = 64 << 20

	// maxKept is how many bytes are read to keep a connection; opening a new one
	// costs less than reading more.
	maxKept = 64 << 10
)

// Hear reads the rest of a body that is refused, at most MaxHeard of it. Many
// clients read no answer before they have sent all, and a connection that closes
// while they send takes the answer with it. The error is the body's: it ended
// early.
func Hear(body io.Reader) error {
	_, err := io.CopyN(io.Discard, body, MaxHeard)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Ended reads what an answered request left of its body, size bytes or -1 if
// that is unknown, and reports whether the connection may go on. What is not
// read would be taken for the next request, whose answer a proxy hands to
// somebody else.
func Ended(body io.Reader, size int64) bool {
	if size > maxKept {
		return false
	}
	_, err := io.CopyN(io.Discard, body, maxKept)
	return err == io.EOF
}
