package cells

import (
	"errors"
	"io"
	"strings"
)

// A stream holds one window of its text. A record within the limits is at most lowWater bytes
// long as written, with doubled quotes and separators, so it never ends beyond the window.
const (
	lowWater = 2*MaxRecord + 4*MaxCells
	window   = 3 * lowWater
)

// stream is the part of a text that is not read yet.
type stream struct {
	from  io.Reader // nil: there is none
	bytes []byte    // reused between fills
	fault error     // of from
}

// NewStream returns a Reader of a text that is read as it is needed, a few megabytes at a time.
// Cells point into the part that is held: copy what is kept. An error of from ends the text, and
// is returned by Next together with its end.
func NewStream(from io.Reader) *Reader {
	r := &Reader{line: 1, stream: stream{from: from}}
	r.fill()
	start := New(r.text)
	r.text, r.separator, r.line = start.text, start.separator, start.line
	return r
}

// fill reads on if little of the text is left. The window grows with the text.
func (r *Reader) fill() {
	for r.from != nil && len(r.text) < lowWater {
		if len(r.bytes) < window {
			r.bytes = make([]byte, min(window, max(64<<10, 4*len(r.bytes))))
		}
		n := copy(r.bytes, r.text)
		more, err := io.ReadFull(r.from, r.bytes[n:])
		if err != nil {
			r.from = nil
			if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				r.fault = err
			}
		}
		if more > 0 {
			r.text = string(r.bytes[:n+more])
		}
	}
}

// skipTo drops the text up to the first of the characters; it reports whether there is one.
func (r *Reader) skipTo(chars string) bool {
	for {
		if end := strings.IndexAny(r.text, chars); end >= 0 {
			r.text = r.text[end:]
			return true
		}
		r.text = ""
		if r.fill(); r.text == "" {
			return false
		}
	}
}

// skipQuoted drops the rest of a quoted cell that is too long or never ends.
func (r *Reader) skipQuoted() error {
	for r.text != "" {
		end := strings.IndexByte(r.text, '"')
		if end < 0 {
			// A CR at the end may be half of a CRLF.
			r.drop(max(1, len(strings.TrimSuffix(r.text, "\r"))))
			continue
		}
		if r.drop(end + 1); !strings.HasPrefix(r.text, `"`) {
			return ErrTooLong
		}
		r.drop(1)
	}
	return ErrOpenQuote
}

// drop skips n bytes, and reads on.
func (r *Reader) drop(n int) {
	r.line += LineEnds(r.text[:n])
	r.text = r.text[n:]
	r.fill()
}
