package movein

import (
	"bufio"
	"errors"
	"io"
)

// Spool is where the long texts of a plan are written while its files are read. They are most of
// an export, so a plan that held them would be as large as its files.
type Spool interface {
	io.Writer
	io.ReaderAt
}

// Text is a long text, HTML, in the spool of its plan.
type Text struct {
	in   *texts
	at   int64
	size int
}

// IsEmpty reports whether there is no text.
func (t Text) IsEmpty() bool { return t.size == 0 }

var errNotKept = errors.New("the plan was read without a spool for its texts")

// Read reads the text, which the spool must still have.
func (t Text) Read() (string, error) {
	if t.IsEmpty() {
		return "", nil
	}
	if t.in.spool == nil {
		return "", errNotKept
	}
	text := make([]byte, t.size)
	if _, err := t.in.spool.ReadAt(text, t.at); err != nil {
		return "", err
	}
	return string(text), nil
}

// texts writes texts one after the other.
type texts struct {
	spool Spool // nil: nobody reads them
	out   *bufio.Writer
	end   int64
}

func newTexts(spool Spool) *texts {
	t := &texts{spool: spool}
	if spool != nil {
		t.out = bufio.NewWriterSize(spool, 64<<10)
	}
	return t
}

// keep writes a text; flush returns its error.
func (t *texts) keep(text string) Text {
	if t.out != nil {
		_, _ = t.out.WriteString(text)
	}
	kept := Text{t, t.end, len(text)}
	t.end += int64(len(text))
	return kept
}

func (t *texts) flush() error {
	if t.out == nil {
		return nil
	}
	return t.out.Flush()
}
