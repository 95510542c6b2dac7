package push

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"vitrine/compile/inspect"
	"vitrine/compile/release"
	"vitrine/internal/shop"
)

// folder is the folder being pushed.
type folder struct {
	fsys    fs.FS
	limits  release.Limits
	files   []release.File // sorted by path
	skipped release.Skipped
}

// readFolder lists and hashes the files of a folder.
func readFolder(fsys fs.FS, l release.Limits) (*folder, error) {
	local, skipped, err := release.Walk(fsys, l)
	if err != nil {
		return nil, err
	}
	f := &folder{fsys: fsys, limits: l, skipped: skipped}
	for _, file := range local {
		sum, err := f.hash(file)
		if err != nil {
			return nil, err
		}
		f.files = append(f.files, release.File{Path: file.Path, SHA256: sum, Size: file.Size, MIME: release.MIME(file.Path)})
	}
	return f, nil
}

// hash reads a file once, at most one byte beyond its size.
func (f *folder) hash(file release.LocalFile) (sum string, err error) {
	r, err := f.fsys.Open(file.Path)
	if err != nil {
		return "", err
	}
	defer r.Close()
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(r, file.Size+1))
	if err == nil && n != file.Size {
		err = fmt.Errorf("%s changed while it was being read", file.Path)
	}
	return hex.EncodeToString(h.Sum(nil)), err
}

// read returns the content of a file, which must still have the size at hashing.
func (f *folder) read(path string) ([]byte, error) {
	file, ok := release.Find(f.files, path)
	if !ok {
		return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	r, err := f.fsys.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	body := make([]byte, file.Size)
	_, err = io.ReadFull(r, body)
	return body, err
}

// look finds what publishing would find, except problems with forms, which only the shop
// knows.
func (f *folder) look(kind inspect.Kind) (inspect.Result, error) {
	return inspect.Check(inspect.Release{Kind: kind, Doc: "0", ID: "0", Files: f.files, Read: f.read})
}

const maxName = 255 // characters, a limit of the API

// title is the title of the folder's index.html, or the given fallback.
func (f *folder) title(otherwise string) (string, error) {
	found, err := f.look(inspect.Document)
	if title := strings.TrimSpace(found.Title); title != "" {
		otherwise = title
	}
	return shop.Clip(otherwise, maxName), err
}

// describe prints which files are pushed and which are left out.
func (f *folder) describe(w io.Writer) {
	var b bytes.Buffer
	noun := "files"
	if len(f.files) == 1 {
		noun = "file"
	}
	fmt.Fprintf(&b, "%d %s, %s\n", len(f.files), noun, sizeText(release.Size(f.files)))
	const shown = 10
	for i, s := range f.skipped {
		if i == shown {
			fmt.Fprintf(&b, "left out: %d more\n", len(f.skipped)-shown)
			break
		}
		fmt.Fprintf(&b, "left out: %s (%s)\n", s.Path, s.Reason)
	}
	fmt.Fprint(w, b.String())
}

func sizeText(n int64) string {
	const mb = 1 << 20
	if n < mb {
		return fmt.Sprintf("%d kB", (n+1023)/1024)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/mb)
}
