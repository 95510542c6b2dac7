package release

import (
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// LocalFile is a file of a local folder that a push would send.
type LocalFile struct {
	Path string
	Size int64 // from the file system; the contents may differ by the time they are read
}

// Walk lists the files that pushing a folder would send, sorted by path, and the files it leaves
// out: those matched by the folder's ignore file or the defaults, metadata, links (they may lead
// out of the folder), devices and, for site folders, empty files. Anything that the server would
// refuse is refused here before any file is read: hostile and conflicting paths, too many or too
// large files.
//
// An ignored folder is listed once, with a trailing '/', and not entered.
func Walk(fsys fs.FS, l Limits) ([]LocalFile, Skipped, error) {
	ignore, err := folderIgnore(fsys)
	if err != nil {
		return nil, nil, err
	}
	w := walk{limits: l, ignore: ignore}
	if err := fs.WalkDir(fsys, ".", w.visit); err != nil {
		return nil, nil, err
	}
	if len(w.files) == 0 {
		return nil, nil, ErrEmpty.With("the folder has no file to publish")
	}
	slices.SortFunc(w.files, func(a, b LocalFile) int { return strings.Compare(a.Path, b.Path) })
	if err := w.check(); err != nil {
		return nil, nil, err
	}
	return w.files, w.skipped, nil
}

type walk struct {
	limits  Limits
	ignore  Ignore
	files   []LocalFile
	skipped Skipped
}

// visit is the fs.WalkDirFunc.
func (w *walk) visit(path string, d fs.DirEntry, err error) error {
	switch {
	case err != nil:
		return err
	case path == ".":
		return nil
	case d.IsDir():
		return w.folder(path)
	case metadata(path) || isIgnoreFile(path):
		return nil
	case w.ignore.Match(path):
		w.skip(path, ReasonIgnored)
	case d.Type()&fs.ModeSymlink != 0:
		w.skip(path, ReasonLink)
	case !d.Type().IsRegular():
		w.skip(path, ReasonSpecial)
	default:
		return w.file(path, d)
	}
	return nil
}

func (w *walk) folder(path string) error {
	if metadata(path) {
		return fs.SkipDir
	}
	if w.ignore.Match(path + "/") {
		w.skip(path+"/", ReasonIgnored)
		return fs.SkipDir
	}
	return nil
}

func (w *walk) file(path string, d fs.DirEntry) error {
	if _, err := Clean(path); err != nil {
		return err
	}
	info, err := d.Info()
	if err != nil {
		return err
	}
	if w.limits.DropEmpty && info.Size() == 0 {
		w.skip(path, ReasonEmpty)
		return nil
	}
	if err := w.limits.checkSize(path, info.Size()); err != nil {
		return err
	}
	w.files = append(w.files, LocalFile{path, info.Size()})
	return w.limits.checkCount(len(w.files))
}

func (w *walk) skip(path, reason string) { w.skipped = append(w.skipped, Skip{path, reason}) }

// check validates the files as a whole.
func (w *walk) check() error {
	var sum int64
	paths := make([]string, len(w.files))
	for i, f := range w.files {
		paths[i], sum = f.Path, sum+f.Size
	}
	if w.limits.Release > 0 && sum > w.limits.Release {
		return ErrTooLarge.With("the folder has more than " + bytesText(w.limits.Release))
	}
	return conflict(paths)
}

// folderIgnore reads the ignore file at the root of a folder.
func folderIgnore(fsys fs.FS) (Ignore, error) {
	for _, name := range IgnoreFiles {
		text, err := readIgnore(fsys, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return Ignore{}, err
		default:
			return ParseIgnore(text), nil
		}
	}
	return ParseIgnore(""), nil
}

func readIgnore(fsys fs.FS, name string) (string, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxIgnore+1))
	if err != nil {
		return "", err
	}
	if len(text) > MaxIgnore {
		return "", tooLarge(name, MaxIgnore)
	}
	return string(text), nil
}
