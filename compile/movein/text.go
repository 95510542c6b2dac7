package movein

import (
	"bufio"
	"bytes"
	"encoding/json"
	"hash/maphash"
	"io"
)

// Spool is where most of a plan is written while its files are read: a plan that held it all would
// be larger than its files, which may have 256 MB.
type Spool interface {
	io.Writer
	io.ReaderAt
}

// Load fills in what a plan does not hold of a product: everything but its key, name, slug, old
// addresses and place. Load a copy, so that it is not held from then on.
func (p *Product) Load() (err error) {
	if err = p.rest.decode(p); err == nil {
		p.Description, err = p.description.read()
	}
	return err
}

// Load fills in the text of a page, which a plan does not hold.
func (p *Page) Load() (err error) {
	p.Text, err = p.text.read()
	return err
}

// kept is something in the spool.
type kept struct {
	in   *spool
	at   int64
	size int
}

func (k kept) isEmpty() bool { return k.size == 0 }

// read reads a text. What was written before the last flush can be read.
func (k kept) read() (string, error) {
	if k.isEmpty() {
		return "", nil
	}
	text := make([]byte, k.size)
	if _, err := k.in.file.ReadAt(text, k.at); err != nil {
		return "", err
	}
	return string(text), nil
}

// decode reads a value.
func (k kept) decode(into any) error {
	text, err := k.read()
	if err != nil || text == "" {
		return err
	}
	return json.Unmarshal([]byte(text), into)
}

// spool writes to a Spool, one thing after the other.
type spool struct {
	file  Spool
	out   *bufio.Writer
	end   int64
	value bytes.Buffer // reused
}

func newSpool(file Spool) *spool { return &spool{file: file, out: bufio.NewWriterSize(file, 64<<10)} }

// keep writes a text. flush returns the error.
func (s *spool) keep(text string) kept {
	_, _ = s.out.WriteString(text)
	k := kept{s, s.end, len(text)}
	s.end += int64(len(text))
	return k
}

// keepValue writes a value.
func (s *spool) keepValue(value any) kept {
	s.value.Reset()
	out := json.NewEncoder(&s.value)
	out.SetEscapeHTML(false)
	_ = out.Encode(value) //nolint:errchkjson // texts and numbers
	return s.keep(s.value.String())
}

func (s *spool) flush() error { return s.out.Flush() }

// set is a set of texts by their hashes: of millions of texts, two that have the same are less likely
// than a broken disk.
type set struct {
	seed maphash.Seed
	has  map[uint64]struct{}
}

func newSet() set { return set{maphash.MakeSeed(), map[uint64]struct{}{}} }

// add adds a text; it reports whether the set had it.
func (s set) add(text string) bool {
	h := maphash.String(s.seed, text)
	_, had := s.has[h]
	s.has[h] = struct{}{}
	return had
}
