package release

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"vitrine/internal/shop"
)

// MaxNote is the maximum length of a release's note in characters.
const MaxNote = 500

// Request is a release in the form of POST …/releases (document 3, 2.3 and 4.2).
type Request struct {
	Base   string   `json:"base" len:"255" refuse:"RELEASE_BASE_INVALID"` // "active" (also when empty), "none" or a release id
	Files  []File   `json:"files" max:"2000" refuse:"RELEASE_TOO_LARGE"`
	Delete []string `json:"delete" max:"2000" len:"512" refuse:"RELEASE_PATH_INVALID" spaces:"kept"`
	Note   string   `json:"note" len:"500" refuse:"INVALID_REQUEST"`
}

// Base is what a new release is based on. The zero value is an empty base.
type Base struct {
	Active  bool           // the release that is live in the caller's contour
	Release shop.ReleaseID // a specific release
}

// ParseBase parses a request's base: "active", "none" or a release id. Empty means active, the
// interpretation that loses no files.
func ParseBase(text string) (Base, error) {
	switch text {
	case "active", "":
		return Base{Active: true}, nil
	case "none":
		return Base{}, nil
	}
	var id shop.ReleaseID
	if err := id.UnmarshalText([]byte(text)); err != nil || id <= 0 || strings.Contains(text, `"`) {
		return Base{}, ErrBase.At("base").With(`"active", "none" or the id of a release`)
	}
	return Base{Release: id}, nil
}

// Manifest is the result of Plan.
type Manifest struct {
	Files     []File   // the whole new release, sorted by path
	Upload    []File   // rows whose contents must be uploaded: one for each distinct sha256
	Reused    []string // paths of the request whose contents are already stored or come with another row
	Inherited []string // paths of the base that the request does not mention
	Dropped   []string // empty files, which site folders do not store
}

// Plan merges a request into the files of its base. Paths to delete are removed from the base
// first, then the request's files are added, replacing existing ones; so a rename by case only is
// one request, and a path in both lists is kept. Deleting a missing path is not an error. With
// base "none" the given base is ignored.
//
// has reports whether the shop already stores the contents of a hash. It must not look in other
// shops: knowing a hash does not prove ownership of the contents.
func Plan(req Request, base []File, has func(sha string) bool, l Limits) (Manifest, error) {
	from, err := ParseBase(req.Base)
	if err != nil {
		return Manifest{}, err
	}
	if from == (Base{}) {
		base = nil
	}
	if err := checkNote(req.Note); err != nil {
		return Manifest{}, err
	}
	files, dropped, err := requested(req.Files, l)
	if err != nil {
		return Manifest{}, err
	}
	kept, err := remaining(base, req.Delete, l)
	if err != nil {
		return Manifest{}, err
	}
	m := merge(kept, files)
	m.Dropped = dropped
	if err := m.check(l); err != nil {
		return Manifest{}, err
	}
	m.split(files, has)
	return m, nil
}

// requested checks the rows of a request and indexes them by path. An identical repeated row is
// accepted; one path with two contents is refused.
func requested(rows []File, l Limits) (files map[string]File, dropped []string, err error) {
	if err := l.checkCount(len(rows)); err != nil {
		return nil, nil, err
	}
	files = make(map[string]File, len(rows))
	for n, row := range rows {
		f, err := row.check(l)
		if err != nil {
			return nil, nil, shop.AtEntry(err, "files", n)
		}
		if l.DropEmpty && f.Size == 0 {
			dropped = append(dropped, f.Path)
			continue
		}
		if other, ok := files[f.Path]; ok && other != f {
			return nil, nil, shop.AtEntry(about(ErrConflict.At("path"), f.Path, "is listed twice with different contents"), "files", n)
		}
		files[f.Path] = f
	}
	return files, dropped, nil
}

// remaining indexes the base by path, without the files to be deleted.
func remaining(base []File, gone []string, l Limits) (map[string]File, error) {
	if err := l.checkCount(len(gone)); err != nil {
		return nil, err
	}
	kept := make(map[string]File, len(base))
	for _, f := range base {
		kept[f.Path] = f
	}
	for _, path := range gone {
		if _, err := Clean(path); err != nil {
			return nil, err
		}
		delete(kept, path)
	}
	return kept, nil
}

func merge(kept, files map[string]File) Manifest {
	var m Manifest
	for path := range kept {
		if _, mentioned := files[path]; !mentioned {
			m.Inherited = append(m.Inherited, path)
		}
	}
	slices.Sort(m.Inherited)
	maps.Copy(kept, files)
	m.Files = slices.SortedFunc(maps.Values(kept), byPath)
	return m
}

// check validates the release as a whole.
func (m Manifest) check(l Limits) error {
	if len(m.Files) == 0 {
		return ErrEmpty.With("the release has no file; it needs at least " + Index)
	}
	if err := l.checkCount(len(m.Files)); err != nil {
		return err
	}
	if l.Release > 0 && Size(m.Files) > l.Release {
		return ErrTooLarge.With("the release has more than " + bytesText(l.Release))
	}
	paths := make([]string, len(m.Files))
	sizes := make(map[string]int64, len(m.Files))
	for i, f := range m.Files {
		paths[i] = f.Path
		if size, ok := sizes[f.SHA256]; ok && size != f.Size {
			return about(ErrFile, f.Path, "has the sha256 of another file and another size")
		}
		sizes[f.SHA256] = f.Size
	}
	return conflict(paths)
}

// split divides the request's rows into those to upload and those already available.
func (m *Manifest) split(files map[string]File, has func(sha string) bool) {
	seen := make(map[string]bool, len(files))
	for _, f := range slices.SortedFunc(maps.Values(files), byPath) {
		if seen[f.SHA256] || has(f.SHA256) {
			m.Reused = append(m.Reused, f.Path)
		} else {
			m.Upload = append(m.Upload, f)
		}
		seen[f.SHA256] = true
	}
}

func checkNote(note string) error {
	if !utf8.ValidString(note) || strings.Contains(note, "\x00") {
		return shop.ErrInvalidRequest.At("note").With("it is not valid text")
	}
	if utf8.RuneCountInString(note) > MaxNote {
		return shop.ErrInvalidRequest.At("note").With("it has more than 500 characters")
	}
	return nil
}
