package example

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"vitrine/compile/inspect"
	"vitrine/compile/redirect/foreign"
	"vitrine/compile/release"
)

// Publishing the examples for new users produces no findings.
func TestExamplesArePublishedWithoutFindings(t *testing.T) {
	for name, kind := range map[string]inspect.Kind{"website": inspect.Document, "handbook": inspect.Folder} {
		dir := filepath.Join(t.TempDir(), "a", name)
		written, err := Write(name, dir)
		if err != nil || !slices.Contains(written, "index.html") {
			t.Fatalf("%s: %v %v", name, written, err)
		}
		var list []release.File
		for _, path := range written {
			info, err := os.Stat(filepath.Join(dir, path))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, release.File{Path: path, Size: info.Size(), MIME: release.MIME(path)})
		}
		found, err := inspect.Check(inspect.Release{Kind: kind, Doc: "1", ID: "1", Files: list,
			Read: func(path string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, path)) }})
		if err != nil || len(found.Report.Errors)+len(found.Report.Warnings) > 0 {
			t.Errorf("%s: %+v %v", name, found.Report, err)
		}
	}
}

func TestRedirectsExampleIsParsed(t *testing.T) {
	dir := t.TempDir()
	if _, err := Write("redirects", dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "_redirects"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := foreign.Parse("netlify", string(text), foreign.Site{Hosts: []string{"tea.localhost"}})
	if err != nil || len(rows) != 4 {
		t.Fatalf("%+v %v", rows, err)
	}
	for _, row := range rows {
		if row.Reason != "" {
			t.Errorf("%+v", row)
		}
	}
}

func TestWriteOverwritesNothing(t *testing.T) {
	dir := t.TempDir()
	for _, e := range All {
		if _, err := Write(e.Name, filepath.Join(dir, e.Name)); err != nil {
			t.Error(err)
		}
		if _, err := Write(e.Name, filepath.Join(dir, e.Name)); !errors.Is(err, ErrTaken) {
			t.Errorf("%s twice: %v", e.Name, err)
		}
	}
	for _, name := range []string{"", "..", ".", "website/css", "../files/website", "no"} {
		if _, err := Write(name, filepath.Join(dir, "new")); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
		t.Error("a folder was created for an unknown example")
	}
}
