package release

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"
	"io/fs"
	"sort"
	"strings"
	"testing"
)

// packed is an entry of a test archive. The zero values of the fields are the honest ones.
type packed struct {
	name  string
	text  string
	mode  fs.FileMode
	flags uint16
	// what the headers claim when it is not the truth
	lie func(h *zip.FileHeader)
}

// pack writes an archive whose headers may lie.
func pack(t testing.TB, members ...packed) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	deflate, err := flate.NewWriter(nil, flate.BestSpeed)
	must(t, err)
	for _, m := range members {
		var body bytes.Buffer
		deflate.Reset(&body)
		_, err = io.WriteString(deflate, m.text)
		must(t, err)
		must(t, deflate.Close())
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate, Flags: m.flags, CRC32: crc32.ChecksumIEEE([]byte(m.text))}
		h.CompressedSize64, h.UncompressedSize64 = uint64(body.Len()), uint64(len(m.text))
		if m.mode != 0 {
			h.SetMode(m.mode)
		}
		if strings.HasSuffix(m.name, "/") {
			body.Reset()
			h.CompressedSize64, h.Method = 0, zip.Store
		}
		if m.lie != nil {
			m.lie(h)
		}
		raw, err := w.CreateRaw(h)
		must(t, err)
		_, err = raw.Write(body.Bytes())
		must(t, err)
	}
	must(t, w.Close())
	return out.Bytes()
}

// honest packs "path=text" words.
func honest(t testing.TB, words ...string) []byte {
	var members []packed
	for _, word := range words {
		name, text, ok := strings.Cut(word, "=")
		if !ok && !strings.HasSuffix(name, "/") {
			text = "x"
		}
		members = append(members, packed{name: name, text: text})
	}
	return pack(t, members...)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// unzip unpacks into "path=text" words, sorted.
func unzip(archive []byte, l Limits) (files string, skipped Skipped, err error) {
	var words []string
	skipped, err = Unzip(bytes.NewReader(archive), int64(len(archive)), l, func(path string, r io.Reader) error {
		text, err := io.ReadAll(r)
		words = append(words, path+"="+string(text))
		return err
	})
	sort.Strings(words)
	return strings.Join(words, " "), skipped, err
}

// patch overwrites bytes of the archive at an offset from the last occurrence
// of a signature.
func patch(archive []byte, signature string, offset int, value uint32) []byte {
	at := bytes.LastIndex(archive, []byte(signature))
	out := bytes.Clone(archive)
	binary.LittleEndian.PutUint32(out[at+offset:], value)
	return out
}
