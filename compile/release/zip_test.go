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
)

// TestStreamedArchivesWithCommentsAreFine reads archives whose tools did not know sizes in
// advance and wrote data descriptors.
func TestStreamedArchivesWithCommentsAreFine(t *testing.T) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	must(t, w.SetComment("made by PK\x05\x06 hand"))
	for _, name := range []string{"site/index.html", "site/a.css"} {
		f, err := w.Create(name)
		must(t, err)
		_, err = io.WriteString(f, "text")
		must(t, err)
	}
	must(t, w.Close())
	if files, _, err := unzip(out.Bytes(), Folder); err != nil || files != "a.css=text index.html=text" {
		t.Errorf("%q, %v", files, err)
	}
}

func TestPutMaySkipReadingAndMayFail(t *testing.T) {
	archive := honest(t, "a=1", "b="+strings.Repeat("x", 100_000))
	n := 0
	_, err := Unzip(bytes.NewReader(archive), int64(len(archive)), Document, func(string, io.Reader) error { n++; return nil })
	if err != nil || n != 2 {
		t.Errorf("%d files, %v", n, err)
	}
	full := errors.New("disk full")
	_, err = Unzip(bytes.NewReader(archive), int64(len(archive)), Document, func(string, io.Reader) error { return full })
	if !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	// A file that put did not read is still verified.
	_, err = Unzip(bytes.NewReader(spoiled(t)), int64(len(spoiled(t))), Document, func(string, io.Reader) error { return nil })
	refused(t, err, ErrZip, "CRC")
	// A put that replaces the reader's refusal by its own error changes nothing.
	_, err = Unzip(bytes.NewReader(spoiled(t)), int64(len(spoiled(t))), Document, func(_ string, r io.Reader) error {
		if _, err := io.ReadAll(r); err != nil {
			return fmt.Errorf("storing: %v", err)
		}
		return nil
	})
	refused(t, err, ErrZip, "CRC")
}

// dying is storage that fails from a byte offset on.
type dying struct {
	*bytes.Reader
	from int64
	err  error
}

func (d dying) ReadAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) > d.from {
		return 0, d.err
	}
	return d.Reader.ReadAt(p, at)
}

func TestStorageFailuresAreNotBlamedOnTheArchive(t *testing.T) {
	archive := honest(t, "index.html=1", "a.css=2")
	broken := errors.New("network")
	for from := range int64(len(archive)) {
		_, err := Unzip(dying{bytes.NewReader(archive), from, broken}, int64(len(archive)), Document, func(_ string, r io.Reader) error {
			_, err := io.ReadAll(r)
			return err
		})
		if !errors.Is(err, broken) {
			t.Fatalf("failing at %d: %v", from, err)
		}
	}
}

func FuzzUnzip(f *testing.F) {
	f.Add(honest(f, "site/index.html=1", "site/css/a.css=2", "__MACOSX/x=3", "site/empty="))
	f.Add(honest(f, "index.html=1", ".vizenignore=*.psd", "a.psd", "b/.env"))
	f.Add(honest(f, "../a=1", `a\b=2`, "/c=3"))
	f.Add(honest(f, "a="+strings.Repeat("0", 5000)))
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	for _, c := range corpus.Archives(f, "folder") {
		if len(c.Zip) < 1<<14 {
			f.Add(c.Zip)
		}
	}
	small := Limits{Files: 4, Index: 100, HTML: 100, Raster: 100, File: 1000, Zip: 1 << 16, Expanded: 1500, Entries: 8, DropEmpty: true}
	f.Fuzz(func(t *testing.T, archive []byte) {
		var total int64
		var got []string
		_, err := Unzip(bytes.NewReader(archive), int64(len(archive)), small, func(path string, r io.Reader) error {
			n, err := io.Copy(io.Discard, r)
			if _, bad := Clean(path); bad != nil || metadata(path) {
				t.Errorf("put %q", path)
			}
			if n > small.most(path) || n == 0 && err == nil {
				t.Errorf("%q has %d bytes", path, n)
			}
			total, got = total+n, append(got, path)
			return err
		})
		if total > small.Expanded || len(got) > small.Files {
			t.Errorf("%d bytes in %d files were unpacked", total, len(got))
		}
		if err == nil && (len(got) == 0 || conflict(got) != nil) {
			t.Errorf("accepted %q", got)
		}
	})
}
