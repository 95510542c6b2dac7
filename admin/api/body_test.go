package api

import (
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

// line is a connection: the bytes after a body are the next request.
type line struct {
	parts [][]byte
	ends  error
}

func (l *line) Read(p []byte) (int, error) {
	if len(l.parts) == 0 {
		return 0, l.ends
	}
	n := copy(p, l.parts[0])
	l.parts = l.parts[1:]
	return n, l.ends
}

func TestReadingStopsAtTheEndOfABody(t *testing.T) {
	t.Parallel()
	for name, ends := range map[string]error{"whole": io.EOF, "cut off": io.ErrUnexpectedEOF} {
		body := &bodyStream{from: &line{parts: [][]byte{[]byte("body"), []byte("the next request")}, ends: ends}}
		for i, want := range []string{"body", "", ""} {
			p := make([]byte, 64)
			if n, err := body.Read(p); string(p[:n]) != want || !errors.Is(err, ends) {
				t.Errorf("%s, read %d: %q %v", name, i, p[:n], err)
			}
		}
	}
}

func TestTheConnectionIsReusedOnlyAfterTheWholeBody(t *testing.T) {
	t.Parallel()
	whole := func() io.Reader { return &line{parts: [][]byte{[]byte("body")}, ends: io.EOF} }
	for name, c := range map[string]struct {
		from io.Reader
		want bool
	}{
		"unread":  {whole(), true},
		"cut off": {iotest.ErrReader(io.ErrUnexpectedEOF), false},
	} {
		call := &Call{stream: &bodyStream{from: c.from}}
		if got := call.drained(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	read := &Call{stream: &bodyStream{from: whole()}}
	if _, err := io.ReadAll(read.stream); err != nil || !read.drained() {
		t.Errorf("read to its end: %v", err)
	}
}
