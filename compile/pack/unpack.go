package pack

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// ErrDamaged tells of a form that does not unpack to as many bytes as it should,
// or whose checksum is not that of its body.
var ErrDamaged = errors.New("pack: the packed form is damaged")

// Unpacking is a gzip form on its way back to its body.
type Unpacking struct{ with *unpacker }

// unpacker holds 40 KB, so one is used after the other.
type unpacker struct {
	form bytes.Reader
	gzip gzip.Reader
}

var unpackers = sync.Pool{New: func() any { return new(unpacker) }}

// Unpack begins to read the body of a gzip form, which stays as it is until
// Close.
func Unpack(form []byte) (*Unpacking, error) {
	u := &Unpacking{unpackers.Get().(*unpacker)}
	u.with.form.Reset(form)
	if err := u.with.gzip.Reset(&u.with.form); err != nil {
		return nil, errors.Join(ErrDamaged, err, u.Close())
	}
	return u, nil
}

// Read implements io.Reader. Its io.EOF says that the checksum was right.
func (u *Unpacking) Read(b []byte) (int, error) { return u.with.gzip.Read(b) }

// Close lets go of the form. It is called once, after the last Read.
func (u *Unpacking) Close() error {
	u.with.form.Reset(nil)
	unpackers.Put(u.with)
	u.with = nil
	return nil
}

// Copy unpacks a gzip form of a body of so many bytes, and no more of it. It is
// ErrDamaged when the form is not that.
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
