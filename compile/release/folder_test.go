package release

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// tree returns a folder of the given paths; "path=text" gives a file its text.
func tree(files ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for _, f := range files {
		path, text, ok := strings.Cut(f, "=")
		if !ok {
			text = "x"
		}
		m[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func walked(t *testing.T, fsys fs.FS, l Limits) (files, skipped string) {
	t.Helper()
	found, left, err := Walk(fsys, l)
	if err != nil {
		t.Fatal(err)
	}
	return names(found), reasons(left)
}

func names(files []LocalFile) string {
	var words []string
	for _, f := range files {
		words = append(words, f.Path)
	}
	return strings.Join(words, " ")
}

func reasons(skipped Skipped) string {
	var words []string
	for _, s := range skipped {
		words = append(words, s.Path+":"+s.Reason)
	}
	return strings.Join(words, " ")
}

func TestWalkLeavesOutByTheDefaults(t *testing.T) {
	files, skipped := walked(
		t,
		tree("index.html", "img/a.png", "img-a.css", ".env", ".git/HEAD", "node_modules/x/y.js", "README.md", "Thumbs.db", "a/.DS_Store"),
		Document,
	)
	if files != "img-a.css img/a.png index.html" || skipped != ".env:ignored README.md:ignored node_modules/:ignored" {
		t.Errorf("%q, skipped %q", files, skipped)
	}
}

func TestWalkObeysTheIgnoreFile(t *testing.T) {
	for _, name := range IgnoreFiles {
		files, skipped := walked(t, tree("index.html", name+"=*.psd\n", "a.psd", "README.md", ".env", ".git/HEAD", "sub/"+name), Document)
		if files != ".env README.md index.html" || skipped != "a.psd:ignored" {
			t.Errorf("%s: %q, skipped %q", name, files, skipped)
		}
	}
	files, _ := walked(t, tree("index.html", ".vitrineignore=a", ".vizenignore=b", "a", "b"), Document)
	if files != "b index.html" {
		t.Errorf("two ignore files: %q", files)
	}
	_, _, err := Walk(tree("index.html", ".vizenignore="+strings.Repeat("#", MaxIgnore+1)), Document)
	refused(t, err, ErrTooLarge, ".vizenignore")
}

func TestWalkDropsEmptyFilesOfSiteFolders(t *testing.T) {
	fsys := tree("index.html", "empty.css=")
	if files, skipped := walked(t, fsys, Folder); files != "index.html" || skipped != "empty.css:empty" {
		t.Errorf("%q, %q", files, skipped)
	}
	if files, _ := walked(t, fsys, Document); files != "empty.css index.html" {
		t.Errorf("%q", files)
	}
}

func TestWalkFollowsNoLinks(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{filepath.Join(outside, "secret"): "s", filepath.Join(dir, "index.html"): "x"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"file": filepath.Join(outside, "secret"), "folder": outside, "loop": ".", "inside": "index.html"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	files, skipped := walked(t, os.DirFS(dir), Document)
	if files != "index.html" || skipped != "file:link folder:link inside:link loop:link" {
		t.Errorf("%q, skipped %q", files, skipped)
	}
}

func TestWalkRefusesWhatTheServerRefuses(t *testing.T) {
	_, _, err := Walk(tree("index.html", "a\nb.css"), Document)
	refused(t, err, ErrPath, "control")
	_, _, err = Walk(tree("index.html", `a\b.css`), Document)
	refused(t, err, ErrPath, "backslash")
	_, _, err = Walk(tree("index.html", "a.css", "A.css"), Document)
	refused(t, err, ErrConflict)
	_, _, err = Walk(tree(".env"), Document)
	refused(t, err, ErrEmpty)

	tight := Document
	tight.Files, tight.Release, tight.Index = 3, 10, 5
	for text, want := range map[string]error{
		"index.html=12345 b=12345 c=": nil, "index.html=123456": ErrTooLarge, "a b c": nil, "a b c d": ErrTooLarge, "index.html=12345 b=123456": ErrTooLarge,
	} {
		if _, _, err := Walk(tree(strings.Fields(text)...), tight); !errors.Is(err, want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// failing is a folder whose listing fails.
type failing struct{ fs.FS }

func (failing) ReadDir(string) ([]fs.DirEntry, error) { return nil, fs.ErrPermission }

func TestWalkReportsTheFileSystem(t *testing.T) {
	if _, _, err := Walk(failing{tree("index.html")}, Document); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
}
