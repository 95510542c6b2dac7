package corpus

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"hash/crc32"
	"io"
	"io/fs"
	"strings"
	"testing"
)

// Entry is an entry of a test archive. The zero values of its fields produce correct
// headers.
type Entry struct {
	Name   string
	Text   string
	Stored bool // not deflated
	Mode   fs.FileMode
	Forge  func(h *zip.FileHeader) // changes the headers to false values
}

// Zip writes an archive whose headers may be false.
func Zip(t testing.TB, entries ...Entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	deflate, err := flate.NewWriter(nil, flate.BestSpeed)
	must(t, err)
	for _, e := range entries {
		raw, err := w.CreateRaw(e.header(t, deflate))
		must(t, err)
		_, err = io.WriteString(raw, e.body(t, deflate))
		must(t, err)
	}
	must(t, w.Close())
	return out.Bytes()
}

// body is the content of an entry as stored in the archive.
func (e Entry) body(t testing.TB, deflate *flate.Writer) string {
	switch {
	case strings.HasSuffix(e.Name, "/"):
		return ""
	case e.Stored:
		return e.Text
	}
	var body strings.Builder
	deflate.Reset(&body)
	_, err := io.WriteString(deflate, e.Text)
	must(t, err)
	must(t, deflate.Close())
	return body.String()
}

func (e Entry) header(t testing.TB, deflate *flate.Writer) *zip.FileHeader {
	h := &zip.FileHeader{Name: e.Name, Method: zip.Deflate, CRC32: crc32.ChecksumIEEE([]byte(e.Text))}
	if e.Stored || strings.HasSuffix(e.Name, "/") {
		h.Method = zip.Store
	}
	h.CompressedSize64, h.UncompressedSize64 = uint64(len(e.body(t, deflate))), uint64(len(e.Text))
	if e.Mode != 0 {
		h.SetMode(e.Mode)
	}
	if e.Forge != nil {
		e.Forge(h)
	}
	return h
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
