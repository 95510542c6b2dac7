// Package pack compresses bodies with br and gzip (RFC 9110, section 8.4.1). A compressed form
// that is not smaller than the body is discarded.
//
// The edge compresses pages on their first visit, a publish compresses the files of a site folder
// once; they use different levels. Of large site files the edge keeps only the gzip form, and
// decompresses it for clients that do not accept it.
package pack

import (
	"bytes"
	"io"
	"sync"

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

// MinSize is the size in bytes from which compression is worth a header field.
const MinSize = 256

// Level holds the compression level of each coding.
type Level struct{ Brotli, Gzip int }

// The levels. Brotli above 6 takes 15 to 70 times as long for at most an eighth less, so 2,000
// files would delay a publish for minutes.
var (
	Page     = Level{Brotli: 5, Gzip: 6} // rendered again after each change
	File     = Level{Brotli: 6, Gzip: 9} // once per content
	Document = Level{Brotli: 9, Gzip: 9} // once per process
	Call     = Level{Brotli: 1, Gzip: 4} // for one response: less than 1 ms for 100 KB of JSON
)

// idle has the Packers of Encode that wait for their next body: a *sync.Pool for each Level. An
// encoder of gzip takes a megabyte, a page 10 KB.
var idle sync.Map

// Encode returns a body in a coding, nil when that would not be smaller.
func Encode(body []byte, c Coding, level Level) ([]byte, error) {
	pool, _ := idle.LoadOrStore(level, &sync.Pool{New: func() any { return New(level) }})
	p := pool.(*sync.Pool).Get().(*Packer)
	defer pool.(*sync.Pool).Put(p)
	return p.Encode(body, c)
}

// Packer compresses bodies one after the other and reuses its encoders: for small files creating
// them takes longer than compressing. It is not safe for concurrent use.
type Packer struct {
	level  Level
	brotli *brotli.Writer
	gzip   *gzip.Writer
	out    bytes.Buffer
}

// New returns a Packer with a level.
func New(level Level) *Packer { return &Packer{level: level} }

// Encode returns a body in a coding, nil when that would not be smaller.
func (p *Packer) Encode(body []byte, c Coding) ([]byte, error) {
	if err := p.write(body, c); err != nil || p.out.Len() >= len(body) {
		return nil, err
	}
	return bytes.Clone(p.out.Bytes()), nil
}

// Form returns a body in a coding, smaller or not, for callers that keep no other form of it.
func (p *Packer) Form(body []byte, c Coding) ([]byte, error) {
	if err := p.write(body, c); err != nil {
		return nil, err
	}
	return bytes.Clone(p.out.Bytes()), nil
}

func (p *Packer) write(body []byte, c Coding) error {
	p.out.Reset()
	w, err := p.encoder(c)
	if err != nil {
		return err
	}
	if _, err := w.Write(body); err != nil {
		return err
	}
	return w.Close()
}

// encoder returns the encoder of a coding, reset.
func (p *Packer) encoder(c Coding) (io.WriteCloser, error) {
	var err error
	switch {
	case c == Gzip && p.gzip == nil:
		p.gzip, err = gzip.NewWriterLevel(&p.out, p.level.Gzip)
	case c == Gzip:
		p.gzip.Reset(&p.out)
	case p.brotli == nil:
		p.brotli = brotli.NewWriterLevel(&p.out, p.level.Brotli)
	default:
		p.brotli.Reset(&p.out)
	}
	if c == Gzip {
		return p.gzip, err
	}
	return p.brotli, err
}
