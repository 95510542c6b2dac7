// Package example contains files for new users to try out: a website that becomes a page of
// the shop, a handbook of several pages that becomes a static website, and redirects in the
// formats of other servers. They are embedded in the program and written to a folder on
// request.
package example

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:embed all:files
var files embed.FS

// Example is one of the examples.
type Example struct {
	Name  string
	About string // how to use it, one line
}

// All lists the examples by name.
var All = []Example{
	{"website", "one page: vitrine push website --to page:/workshop"},
	{"handbook", "several pages: vitrine push handbook --to site:ID, with the id of a section of type site"},
	{"redirects", "a file _redirects: vitrine redirects import redirects/_redirects --shop SLUG --dry-run"},
}

// Errors of Write.
var (
	ErrUnknown = errors.New("there is no such example")
	ErrTaken   = errors.New("already exists and is not empty: choose another folder")
)

// Write writes an example into a new or empty folder; a folder with content is refused. It
// returns the paths of the files within it.
func Write(name, dir string) (written []string, err error) {
	root, err := fs.Sub(files, "files/"+name)
	if entries, rerr := fs.ReadDir(files, "files"); err != nil || rerr != nil || !holds(entries, name) {
		return nil, fmt.Errorf("%w: %q; the examples are %s", ErrUnknown, name, names())
	}
	if there, err := os.ReadDir(dir); err == nil && len(there) > 0 {
		return nil, fmt.Errorf("%s %w", dir, ErrTaken)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	err = fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		written = append(written, path)
		return os.WriteFile(to, body, 0o644)
	})
	return written, err
}

func holds(entries []fs.DirEntry, name string) bool {
	for _, e := range entries {
		if e.Name() == name {
			return true
		}
	}
	return false
}

func names() string {
	list := make([]string, len(All))
	for i, e := range All {
		list[i] = e.Name
	}
	return strings.Join(list, ", ")
}
