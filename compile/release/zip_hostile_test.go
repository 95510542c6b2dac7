package release

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"vitrine/internal/shop"
)

// spoiled is an archive whose second file does not have the CRC it claims.
func spoiled(t testing.TB) []byte {
	return pack(t, packed{name: "index.html", text: "1"}, packed{name: "a", text: "text", lie: func(h *zip.FileHeader) { h.CRC32++ }})
}

func TestUnzipRefusesHostileEntries(t *testing.T) {
	index := packed{name: "index.html", text: "1"}
	for name, tc := range map[string]struct {
		entry packed
		want  *shop.Refusal
		say   string
	}{
		"traversal":             {packed{name: "../a"}, ErrPath, `".."`},
		"traversal inside":      {packed{name: "a/../../b"}, ErrPath, `".."`},
		"traversal by a folder": {packed{name: "../"}, ErrPath, `".."`},
		"absolute":              {packed{name: "/etc/passwd"}, ErrPath, "absolute"},
		"drive":                 {packed{name: "C:/a"}, ErrPath, "absolute"},
		"backslash":             {packed{name: `..\a`}, ErrPath, "backslash"},
		"NUL":                   {packed{name: "a.html\x00.png"}, ErrPath, "control character"},
		"no name":               {packed{name: ""}, ErrPath, "empty"},
		"name in code page 866": {packed{name: "\x8a\xa0\xe0\xe2.png"}, ErrPath, "pack the ZIP with UTF-8 names"},
		"long name":             {packed{name: strings.Repeat("a", 513)}, ErrPath, "512 bytes"},
		"hidden and hostile":    {packed{name: ".x/../../b"}, ErrPath, `".."`},
		"link":                  {packed{name: "a", text: "/etc/passwd", mode: fs.ModeSymlink | 0o777}, ErrZip, "link"},
		"link to a folder":      {packed{name: "a/", mode: fs.ModeSymlink | 0o777}, ErrZip, ""},
		"device":                {packed{name: "a", mode: fs.ModeDevice | 0o666}, ErrZip, "plain file"},
		"pipe":                  {packed{name: "a", mode: fs.ModeNamedPipe | 0o666}, ErrZip, "plain file"},
		"folder with bytes":     {packed{name: "a/", lie: func(h *zip.FileHeader) { h.UncompressedSize64 = 5 }}, ErrZip, "half a folder"},
		"file as a folder":      {packed{name: "a", text: "x", mode: fs.ModeDir | 0o777}, ErrZip, "half a folder"},
		"encrypted":             {packed{name: "a", text: "x", flags: 1}, ErrZip, "encrypted"},
		"strongly encrypted":    {packed{name: "a", text: "x", flags: 1 << 6}, ErrZip, "encrypted"},
		"unknown method":        {packed{name: "a", text: "x", lie: func(h *zip.FileHeader) { h.Method = 14 }}, ErrZip, "method 14"},
		"case twin":             {packed{name: "INDEX.html", text: "2"}, ErrConflict, "only by case"},
		"true twin":             {packed{name: "index.html", text: "2"}, ErrConflict, "twice"},
		"file in a file":        {packed{name: "index.html/a", text: "2"}, ErrConflict, "needs a folder"},
		"wrong CRC":             {packed{name: "a", text: "x", lie: func(h *zip.FileHeader) { h.CRC32++ }}, ErrZip, "CRC"},
		"CRC of 0":              {packed{name: "a", text: "x", lie: func(h *zip.FileHeader) { h.CRC32 = 0 }}, ErrZip, "CRC"},
		"smaller than it is":    {packed{name: "a", text: "text", lie: func(h *zip.FileHeader) { h.UncompressedSize64 = 1 }}, ErrZip, "damaged"},
		"larger than it is":     {packed{name: "a", text: "text", lie: func(h *zip.FileHeader) { h.UncompressedSize64 = 9 }}, ErrZip, "cut off"},
		"of 2^63 bytes":         {packed{name: "a", text: "text", lie: func(h *zip.FileHeader) { h.UncompressedSize64 = 1 << 63 }}, ErrTooLarge, "50 MiB"},
		"stored beyond the end": {packed{name: "a", text: "text", lie: func(h *zip.FileHeader) { h.CompressedSize64 = 1 << 40 }}, ErrZip, "beyond the end"},
		"packed by nonsense":    {packed{name: "a", text: "text", lie: func(h *zip.FileHeader) { h.CompressedSize64 = 2 }}, ErrZip, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := unzip(pack(t, index, tc.entry), Document)
			refused(t, err, tc.want, tc.say)
		})
	}
}

func TestUnzipRefusesDamagedArchives(t *testing.T) {
	good := honest(t, "index.html=1", "a.css="+strings.Repeat("text ", 1000))
	const end, directory, local = "PK\x05\x06", "PK\x01\x02", "PK\x03\x04"
	for name, archive := range map[string][]byte{
		"nothing":                     {},
		"text":                        []byte(strings.Repeat("this is no archive ", 10)),
		"an empty page":               []byte("<!doctype html>"),
		"a program in front":          append([]byte("MZ\x90\x00"), good...),
		"data after":                  append(bytes.Clone(good), 0),
		"a second archive after":      append(bytes.Clone(good), good...),
		"a cut archive in front":      append(bytes.Clone(good[:len(good)-1]), good...),
		"directory beyond the end":    patch(good, end, 16, 1<<30),
		"entry beyond the end":        patch(good, directory, 42, 1<<30),
		"zip64 that is not there":     patch(good, end, 16, 0xffffffff),
		"entry in 64 bits, no extra":  patch(good, directory, 42, 0xffffffff),
		"local header of another age": patch(good, local, 0, 0),
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := unzip(archive, Document)
			refused(t, err, ErrZip)
		})
	}
	for n := range len(good) {
		if _, _, err := unzip(good[:n], Document); !errors.Is(err, ErrZip) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
}

// TestNoFlippedBitGoesUnnoticed holds that damage never changes what is put.
func TestNoFlippedBitGoesUnnoticed(t *testing.T) {
	good := honest(t, "index.html=one", "a.css=two two two")
	for at := range good {
		for bit := range 8 {
			bad := bytes.Clone(good)
			bad[at] ^= 1 << bit
			_, err := Unzip(bytes.NewReader(bad), int64(len(bad)), Document, func(path string, r io.Reader) error {
				text, err := io.ReadAll(r)
				if err == nil && string(text) != "one" && string(text) != "two two two" {
					t.Errorf("bit %d of byte %d: %s=%q", bit, at, path, text)
				}
				return err
			})
			if _, ok := shop.AsRefusal(err); err != nil && !ok {
				t.Errorf("bit %d of byte %d: %v", bit, at, err)
			}
		}
	}
}

func TestEntriesAreCountedWithFoldersAndMetadata(t *testing.T) {
	for d := -1; d <= 1; d++ {
		words := []string{"site/index.html=1"}
		for i := range Folder.Entries - 1 + d {
			words = append(words, fmt.Sprintf([]string{"site/d%d/", "__MACOSX/%d", "site/%d.css=x"}[i%3], i))
		}
		_, _, err := unzip(honest(t, words...), Folder)
		if d <= 0 && err != nil {
			t.Errorf("%d entries: %v", Folder.Entries+d, err)
		} else if d > 0 {
			refused(t, err, ErrTooLarge, "2000 entries")
		}
	}
}

func TestTheCountOfEntriesIsNotBelieved(t *testing.T) {
	var words []string
	for i := range 66_000 { // 464 by the archive's own 16-bit count
		words = append(words, fmt.Sprintf("%d=", i))
	}
	_, _, err := unzip(honest(t, words...), Folder)
	refused(t, err, ErrTooLarge, "2000 entries")
}

func TestFilesOfAnArchiveAreCounted(t *testing.T) {
	for d := -1; d <= 1; d++ {
		words := []string{".env", "x/"}
		for i := range Document.Files + d {
			words = append(words, fmt.Sprintf("%d.css=x", i))
		}
		_, _, err := unzip(honest(t, words...), Document)
		if d <= 0 && err != nil {
			t.Errorf("%d files: %v", Document.Files+d, err)
		} else if d > 0 {
			refused(t, err, ErrTooLarge, "500 files")
		}
	}
}

// TestBombsAreDefusedByCounting packs a thousand times more than allowed,
// announced truly, announced as small, and split over files.
func TestBombsAreDefusedByCounting(t *testing.T) {
	l := Document
	l.File, l.Expanded = 100_000, 250_000
	zeros := strings.Repeat("\x00", 10<<20)
	small := func(h *zip.FileHeader) { h.UncompressedSize64 = 10 }
	for name, archive := range map[string][]byte{
		"one file":              pack(t, packed{name: "a.bin", text: zeros}),
		"one file, small claim": pack(t, packed{name: "a.bin", text: zeros, lie: small}),
		"many files": pack(t, packed{name: "a.bin", text: zeros[:90_000]}, packed{name: "b.bin", text: zeros[:90_000]},
			packed{name: "c.bin", text: zeros[:90_000]}),
		"ignore file": pack(t, packed{name: ".vizenignore", text: zeros[:MaxIgnore+1]}, packed{name: "index.html", text: "1"}),
	} {
		t.Run(name, func(t *testing.T) {
			var out int64
			_, err := Unzip(bytes.NewReader(archive), int64(len(archive)), l, func(_ string, r io.Reader) error {
				n, err := io.Copy(io.Discard, r)
				out += n
				return err
			})
			if !errors.Is(err, ErrTooLarge) && !errors.Is(err, ErrZip) {
				t.Errorf("got %v", err)
			}
			if out > l.Expanded {
				t.Errorf("%d bytes came out", out)
			}
		})
	}
}

func TestSizesOfArchivesHoldAtTheByte(t *testing.T) {
	l := Document
	l.File, l.Index, l.Expanded = 1000, 500, 1400
	for _, tc := range []struct {
		index, file int
		ok          bool
	}{{500, 899, true}, {400, 1000, true}, {500, 900, true}, {500, 901, false}, {501, 1, false}, {1, 1001, false}} {
		archive := honest(t, "index.html="+strings.Repeat("i", tc.index), "a.bin="+strings.Repeat("f", tc.file))
		_, _, err := unzip(archive, l)
		if tc.ok && err != nil {
			t.Errorf("%d and %d bytes: %v", tc.index, tc.file, err)
		} else if !tc.ok {
			refused(t, err, ErrTooLarge)
		}
		l := l
		for d := int64(-1); d <= 1 && tc.ok; d++ {
			l.Zip = int64(len(archive)) + d
			if _, _, err := unzip(archive, l); (err == nil) != (d >= 0) {
				t.Errorf("ZIP of %d bytes, %d allowed: %v", len(archive), l.Zip, err)
			}
		}
	}
}

func TestNothingIsPutWhileTheDirectoryIsWrong(t *testing.T) {
	for _, archive := range [][]byte{honest(t, "a=1", "b=2", "A=3"), honest(t, "a=1", "../b=2"), honest(t, "a=1", "index.html="+strings.Repeat("x", 3<<20))} {
		_, err := Unzip(bytes.NewReader(archive), int64(len(archive)), Document, func(path string, _ io.Reader) error {
			t.Errorf("%s was put", path)
			return nil
		})
		if err == nil {
			t.Error("accepted")
		}
	}
}
