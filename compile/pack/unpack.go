package pack

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
)

// ErrDamaged is returned for a form that does not unpack to the expected number of bytes, or
// whose checksum is wrong.
var ErrDamaged = errors.New("pack: the packed form is damaged")

// Unpacking is a gzip form being decompressed.
type Unpacking struct{ with *unpacker }

// unpacker takes 40 KB, so unpackers are pooled.
type unpacker struct {
	form bytes.Reader
	gzip gzip.Reader
}

var unpackers = sync.Pool{New: func() any { return new(unpacker) }}

// Unpack starts decompressing a gzip form, which must not change until Close.
func Unpack(form []byte) (*Unpacking, error) {
	u := &Unpacking{unpackers.Get().(*unpacker)}
	u.with.form.Reset(form)
	if err := u.with.gzip.Reset(&u.with.form); err != nil {
		return nil, errors.Join(ErrDamaged, err, u.Close())
	}
	return u, nil
}

// Read implements io.Reader. io.EOF means that the checksum was correct.
func (u *Unpacking) Read(b []byte) (int, error) { return u.with.gzip.Read(b) }

// Close releases the form. It must be called once, after the last Read.
func (u *Unpacking) Close() error {
	u.with.form.Reset(nil)
	unpackers.Put(u.with)
	u.with = nil
	return nil
}

// Copy unpacks a gzip form of a body of size bytes, and no more than that. It returns ErrDamaged
// when the form does not match.
func Copy(w io.Writer, form []byte, size int64) error {
	u, err := Unpack(form)
	if err != nil {
		return err
	}
	n, err := io.Copy(w, io.LimitReader(u, size+1))
	if err != nil || n != size {
		err = errors.Join(ErrDamaged, err)
	}
	return errors.Join(err, u.Close())
}

// Body returns the body of size bytes that Encode made a form of.
func Body(form []byte, c Coding, size int) ([]byte, error) {
	body := bytes.NewBuffer(make([]byte, 0, size))
	if c == Gzip {
		err := Copy(body, form, int64(size))
		return body.Bytes(), err
	}
	n, err := io.Copy(body, io.LimitReader(brotli.NewReader(bytes.NewReader(form)), int64(size)+1))
	if err != nil || n != int64(size) {
		err = errors.Join(ErrDamaged, err)
	}
	return body.Bytes(), err
}
