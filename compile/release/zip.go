package release

import (
	"archive/zip"
	"io"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// leftOut returns the patterns for a ZIP without patterns in an ignore file: only hidden files
// for a complete website (document 3, 4.2), all of the defaults for a document, which is made in
// a working folder.
func leftOut(l Limits) Ignore {
	if l.OnePage {
		return parsePatterns(defaults)
	}
	return parsePatterns(".*")
}

// Unzip passes every file of a ZIP of size bytes to put as a stream, in the archive's order. It
// strips a single outer folder, leaves out hidden metadata and applies an ignore file inside the
// archive (document 3, 4.2). Sizes in the archive's headers are not trusted: bytes are counted as
// they are unpacked, and checked against their CRC.
//
// Links, encrypted entries, hostile or conflicting paths, exceeded limits, and every kind of
// damage are refusals: ErrZip, ErrPath, ErrConflict, ErrTooLarge, ErrEmpty. Paths and announced
// sizes are checked before the first put; after an error the caller discards what it was given.
// Archives inside the archive are ordinary files.
func Unzip(r io.ReaderAt, size int64, l Limits, put func(path string, r io.Reader) error) (Skipped, error) {
	src := &source{r: r, left: math.MaxInt64}
	archive, err := openZip(src, size, l)
	if err != nil {
		return nil, err
	}
	entries, err := listEntries(archive.File, size)
	if err != nil {
		return nil, err
	}
	entries = stripOuter(entries)
	ignore, err := zipIgnore(entries, src, l)
	if err != nil {
		return nil, err
	}
	entries, skipped := leaveOut(entries, ignore)
	if err := checkEntries(entries, l); err != nil {
		return nil, err
	}
	x := extraction{src: src, limits: l, left: l.Expanded, skipped: skipped}
	for _, e := range entries {
		if err := x.extract(e, put); err != nil {
			return nil, err
		}
	}
	if x.files == 0 {
		return nil, ErrEmpty.With("the ZIP has no file to publish")
	}
	return x.skipped, nil
}

// entry is a file of the archive and its path in the release.
type entry struct {
	path string
	file *zip.File
}

// listEntries checks every entry except metadata. The packed sizes cannot exceed the archive's
// size unless entries overlap.
func listEntries(files []*zip.File, size int64) (entries []entry, err error) {
	left := uint64(size)
	for _, f := range files {
		name, folder := strings.CutSuffix(f.Name, "/")
		if metadata(name) {
			continue
		}
		if !utf8.ValidString(name) { // old packers write names in the local code page
			return nil, about(ErrPath, name, "is not UTF-8; pack the ZIP with UTF-8 names, or rename the file in Latin letters")
		}
		if _, err := Clean(name); err != nil {
			return nil, err
		}
		if why := unfit(f, folder); why != "" {
			return nil, about(ErrZip, name, why)
		}
		if folder {
			continue
		}
		if f.CompressedSize64 > left {
			return nil, about(ErrZip, name, "lies beyond the end or inside another entry")
		}
		left -= f.CompressedSize64
		entries = append(entries, entry{name, f})
	}
	return entries, nil
}

// unfit returns the reason why an entry is refused, as the end of a sentence, or "".
func unfit(f *zip.File, folder bool) string {
	const encrypted, strong, masked = 1 << 0, 1 << 6, 1 << 13
	kind := f.Mode().Type()
	switch {
	case f.Flags&(encrypted|strong|masked) != 0:
		return "is encrypted"
	case kind == fs.ModeSymlink:
		return "is a link"
	case folder && f.UncompressedSize64 != 0, !folder && kind == fs.ModeDir:
		return "is both a folder and a file"
	case kind&^fs.ModeDir != 0:
		return "is not a plain file"
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return "is packed by method " + strconv.Itoa(int(f.Method)) + ", use deflate"
	}
	return ""
}

// stripOuter removes the single folder that contains everything. Hidden files next to it are
// ignored.
func stripOuter(entries []entry) []entry {
	outer := ""
	for _, e := range entries {
		first, _, inside := strings.Cut(e.path, "/")
		switch {
		case strings.HasPrefix(first, "."):
		case !inside, outer != "" && outer != first:
			return entries
		default:
			outer = first
		}
	}
	if outer == "" {
		return entries
	}
	for i := range entries {
		entries[i].path = strings.TrimPrefix(entries[i].path, outer+"/")
	}
	return entries
}

// zipIgnore reads the ignore file at the root of the archive.
func zipIgnore(entries []entry, src *source, l Limits) (Ignore, error) {
	for _, name := range IgnoreFiles {
		for _, e := range entries {
			if e.path != name {
				continue
			}
			text, err := readEntry(e, src, MaxIgnore)
			if err != nil {
				return Ignore{}, err
			}
			if ig := parsePatterns(text); len(ig.patterns) > 0 {
				return ig, nil
			}
			return leftOut(l), nil
		}
	}
	return leftOut(l), nil
}

// leaveOut divides entries into those to publish and those that the patterns match.
func leaveOut(entries []entry, ignore Ignore) (kept []entry, skipped Skipped) {
	for _, e := range entries {
		switch {
		case isIgnoreFile(e.path):
		case ignore.Match(e.path):
			skipped = append(skipped, Skip{e.path, ReasonIgnored})
		default:
			kept = append(kept, e)
		}
	}
	return kept, skipped
}

// checkEntries validates the entries as a whole before any is unpacked. An announced size that is
// too large is refused whether it is true or not.
func checkEntries(entries []entry, l Limits) error {
	if err := l.checkCount(len(entries)); err != nil {
		return err
	}
	left := uint64(l.Expanded)
	paths := make([]string, len(entries))
	for i, e := range entries {
		paths[i] = e.path
		size := e.file.UncompressedSize64
		if err := l.checkSize(e.path, int64(min(size, math.MaxInt64))); err != nil {
			return err
		}
		if size > left {
			return tooExpanded(l)
		}
		left -= size
	}
	return conflict(paths)
}

func tooExpanded(l Limits) error {
	return ErrTooLarge.With("the ZIP unpacks to more than " + bytesText(l.Expanded))
}
