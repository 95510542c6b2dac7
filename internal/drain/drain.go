// Package drain reads request bodies that no handler has read to the end: after
// a refusal, so that the client gets to see the answer, and after an answer, so
// that the connection can be reused.
package drain

import (
	"errors"
	"io"
)

const (
	// MaxRefused is how many bytes of a refused body are read.
	MaxRefused = 64 << 20

	// maxAnswered is how many bytes are read to keep a connection; opening a new
	// one costs less than reading more.
	maxAnswered = 64 << 10
)

// Refused reads the rest of a refused body, at most MaxRefused bytes. Many
// clients read no answer before they have sent everything, and closing the
// connection while they send discards the answer. The error is the body's: it
// ended early.
func Refused(body io.Reader) error {
	_, err := io.CopyN(io.Discard, body, MaxRefused)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// Answered reads what an answered request left of its body, which has size
// bytes (-1 if unknown), and reports whether the connection can be reused. It
// cannot while bytes remain: they would be parsed as the next request, whose
// answer a proxy hands to another client.
func Answered(body io.Reader, size int64) bool {
	if size > maxAnswered {
		return false
	}
	_, err := io.CopyN(io.Discard, body, maxAnswered)
	return err == io.EOF
}
