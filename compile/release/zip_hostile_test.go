package release

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"vitrine/internal/corpus"
	"vitrine/internal/shop"
)

// spoiled is an archive whose second file has a wrong CRC.
func spoiled(t testing.TB) []byte {
	return corpus.Zip(
		t, corpus.Entry{Name: "index.html", Text: "1"},
		corpus.Entry{Name: "a", Text: "text", Forge: func(h *zip.FileHeader) { h.CRC32++ }},
	)
}

func TestUnzipCorpus(t *testing.T) {
	for of, l := range map[string]Limits{"document": Document, "folder": Folder} {
		for _, c := range corpus.Archives(t, of) {
			t.Run(of+"/"+c.ID, func(t *testing.T) {
				files, skipped, err := unzip(c.Zip, l)
				refusal, _ := shop.AsRefusal(err)
				switch {
				case c.Error != "" && (refusal == nil || refusal.Code != c.Error || !strings.Contains(err.Error(), c.Detail)):
					t.Errorf("got %v, want %s %s", err, c.Error, c.Detail)
				case c.Error == "" && (err != nil || files != strings.Join(c.Files, " ") || reasons(skipped) != strings.Join(c.Skipped, " ")):
					t.Errorf("got %q, skipped %q, %v", files, reasons(skipped), err)
				}
			})
		}
	}
}

func TestTruncatedArchivesAreRefused(t *testing.T) {
	good := honest(t, "index.html=1", "a.css="+strings.Repeat("text ", 1000))
	for n := range len(good) {
		if _, _, err := unzip(good[:n], Document); !errors.Is(err, ErrZip) {
			t.Fatalf("cut to %d bytes: %v", n, err)
		}
	}
}

// TestNoFlippedBitGoesUnnoticed checks that damage never changes the contents passed to put.
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

func TestEntryCountInTheHeaderIsNotTrusted(t *testing.T) {
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

// TestBombsAreDefusedByCounting packs a thousand times more than allowed: with the true size,
// with a false size, and split over files.
func TestBombsAreDefusedByCounting(t *testing.T) {
	l := Document
	l.File, l.Expanded = 100_000, 250_000
	zeros := strings.Repeat("\x00", 10<<20)
	small := func(h *zip.FileHeader) { h.UncompressedSize64 = 10 }
	for name, archive := range map[string][]byte{
		"one file":              corpus.Zip(t, corpus.Entry{Name: "a.bin", Text: zeros}),
		"one file, small claim": corpus.Zip(t, corpus.Entry{Name: "a.bin", Text: zeros, Forge: small}),
		"many files": corpus.Zip(t, corpus.Entry{Name: "a.bin", Text: zeros[:90_000]}, corpus.Entry{Name: "b.bin", Text: zeros[:90_000]},
			corpus.Entry{Name: "c.bin", Text: zeros[:90_000]}),
		"ignore file": corpus.Zip(t, corpus.Entry{Name: ".vizenignore", Text: zeros[:MaxIgnore+1]}, corpus.Entry{Name: "index.html", Text: "1"}),
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
				t.Errorf("%d bytes were unpacked", out)
			}
		})
	}
}

func TestArchiveSizeLimitsHoldAtTheByte(t *testing.T) {
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

func TestNothingIsPutWhenTheDirectoryIsInvalid(t *testing.T) {
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
