package cabinet

import (
	"bytes"
	"io"
	"sync"

	"github.com/andybalholm/brotli"

	"vitrine/compile/pack"
)

// file is a file of the built program.
type file struct {
	kind         string
	packed       []byte // with Brotli
	plain, gzips func() ([]byte, error)
}

// newFile keeps only the Brotli form in memory until a browser asks for another: over plain http
// browsers accept none but gzip.
func newFile(kind string, packed []byte) *file {
	f := &file{kind: kind, packed: packed}
	f.plain = sync.OnceValues(func() ([]byte, error) { return io.ReadAll(brotli.NewReader(bytes.NewReader(packed))) })
	f.gzips = sync.OnceValues(func() ([]byte, error) {
		body, err := f.plain()
		if err != nil {
			return nil, err
		}
		return pack.Encode(body, pack.Gzip, pack.Document)
	})
	return f
}

// other returns the body in a coding other than Brotli. Small files have no gzip form.
func (f *file) other(coding pack.Coding) (pack.Coding, []byte, error) {
	if coding == pack.Gzip {
		if body, err := f.gzips(); body != nil || err != nil {
			return pack.Gzip, body, err
		}
	}
	body, err := f.plain()
	return "", body, err
}
