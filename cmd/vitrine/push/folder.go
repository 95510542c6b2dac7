package push

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"vitrine/compile/markup"
	"vitrine/compile/release"
)

// folder is what is pushed.
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
		err = fmt.Errorf("%s changed while it was read", file.Path)
	}
	return hex.EncodeToString(h.Sum(nil)), err
}

// read is the whole of a file, which must still have the size that was hashed.
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

// check finds what publishing would find. The compiler of html is asked where
// the folder is a document; a site folder is served as it is.
func (f *folder) check(compiled bool) (release.Report, error) {
	report, err := release.Validate(f.files, f.read, f.limits)
	if err != nil || !compiled || !report.OK() {
		return report, err
	}
	c, lost, err := f.compile()
	report.Merge(findings(c.Report), findings(lost))
	if errors.Is(err, markup.ErrParse) {
		return report, nil // the report says why
	}
	used := map[string]bool{}
	for _, path := range c.Refs {
		used[path] = true
	}
	report.Add(release.Unused(f.files, used)...)
	return report, err
}

// compile reads the folder as a document, and what that loses in a page:
// markup.ErrParse when it is none, any other error when it cannot be read.
func (f *folder) compile() (c *markup.Compiled, lost markup.Report, err error) {
	index, err := f.read(release.Index)
	if err != nil {
		return &markup.Compiled{}, lost, err
	}
	var unread error
	src := markup.Source{
		Doc: "0", Release: "0", Index: index,
		Files: func(path string) bool { _, ok := release.Find(f.files, path); return ok },
		Read: func(path string) ([]byte, bool) {
			if _, ok := release.Find(f.files, path); !ok {
				return nil, false
			}
			body, err := f.read(path)
			unread = errors.Join(unread, err)
			return body, err == nil
		},
	}
	c, err = markup.Compile(src)
	lost = markup.Fidelity(src)
	if c == nil {
		c = &markup.Compiled{}
	}
	return c, lost, errors.Join(unread, err)
}

func findings(r markup.Report) (out release.Report) {
	level := func(list []markup.Finding) (found []release.Finding) {
		for _, x := range list {
			found = append(found, release.Finding(x))
		}
		return found
	}
	return release.Report{Errors: level(r.Errors), Warnings: level(r.Warnings), Info: level(r.Infos)}
}

// title is the title of the folder's index.html, or else the name given.
func (f *folder) title(otherwise string) string {
	c, _, err := f.compile()
	if title := strings.TrimSpace(c.Title); err == nil && title != "" {
		return shorten(title)
	}
	return shorten(otherwise)
}

// shorten cuts a name to what names may have.
func shorten(name string) string {
	const most = 255
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most])
	}
	return name
}

// describe says what is pushed and what is left out.
func (f *folder) describe(w io.Writer) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%d files, %s\n", len(f.files), sizeText(release.Size(f.files)))
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
