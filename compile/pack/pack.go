// Package pack makes the compressed forms in which bodies travel: br and gzip
// (RFC 9110, section 8.4.1). A form that is not smaller than the body is none.
//
// The edge packs pages on their first visit, a publish packs the files of a
// site folder once for all; they differ in the levels.
package pack

import (
	"bytes"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
)

// Coding is a content coding.
type Coding string

// The codings, as Content-Encoding names them.
const (
	Gzip   Coding = "gzip"
	Brotli Coding = "br"
)

// MinSize is the size in bytes from which packing is worth a header field.
const MinSize = 256

// Level is how hard each coding tries.
type Level struct{ Brotli, Gzip int }

// The levels. Brotli beyond 6 takes 15 to 70 times as long for at most an
// eighth less, so 2,000 files would keep a publish waiting for minutes.
var (
	Page = Level{Brotli: 5, Gzip: 6} // drawn anew after each change
	File = Level{Brotli: 6, Gzip: 9} // once for each content
)

// Encode returns a body in a coding, nil when that would not be smaller.
func Encode(body []byte, c Coding, level Level) ([]byte, error) {
	var out bytes.Buffer
	out.Grow(len(body) / 3)
	var w io.WriteCloser = brotli.NewWriterLevel(&out, level.Brotli)
	if c == Gzip {
		var err error
		if w, err = gzip.NewWriterLevel(&out, level.Gzip); err != nil {
			return nil, err
		}
	}
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if out.Len() >= len(body) {
		return nil, nil
	}
	return bytes.Clone(out.Bytes()), nil
}
