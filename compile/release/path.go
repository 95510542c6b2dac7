package release

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxPath is how many bytes of UTF-8 a path may have (document 3, section 8).
const MaxPath = 512

// Clean returns the path as a release stores it, or ErrPath naming it and what
// is wrong. It changes nothing: a second spelling of the same file is how
// traversals begin, so "./a", "a//b" and "a\b" are refused, not mended.
func Clean(path string) (string, error) {
	if why := fault(path); why != "" {
		return "", about(ErrPath, path, why)
	}
	return path, nil
}

// fault is what is wrong with a path, as the end of a sentence; "" when nothing is.
func fault(path string) string {
	switch {
	case path == "":
		return "is empty"
	case len(path) > MaxPath:
		return "is longer than " + strconv.Itoa(MaxPath) + " bytes"
	case !utf8.ValidString(path):
		return "is not UTF-8"
	case strings.IndexFunc(path, unicode.IsControl) >= 0:
		return "has a control character"
	case strings.Contains(path, `\`):
		return "has a backslash"
	case path[0] == '/' || hasDrive(path):
		return "is absolute"
	}
	for segment := range strings.SplitSeq(path, "/") {
		switch segment {
		case "":
			return "has an empty segment"
		case ".", "..":
			return "has a " + strconv.Quote(segment) + " segment"
		}
	}
	return ""
}

// hasDrive reports a Windows drive letter, which makes a path absolute there.
func hasDrive(path string) bool {
	return len(path) > 2 && path[1] == ':' && path[2] == '/' && unicode.IsLetter(rune(path[0]))
}

// conflict finds two paths that cannot live in one release: equal but for
// case, or one a file where the other needs a folder. Such a release would
// unpack to different sites on different machines.
func conflict(paths []string) error {
	type folded struct{ key, path string }
	all := make([]folded, len(paths))
	for i, p := range paths {
		all[i] = folded{fold(p), p}
	}
	slices.SortFunc(all, func(a, b folded) int { return strings.Compare(a.key, b.key) })
	for i := 1; i < len(all); i++ {
		a, b := all[i-1], all[i]
		switch {
		case a.path == b.path:
			return about(ErrConflict, b.path, "stands there twice")
		case a.key == b.key:
			return about(ErrConflict, b.path, "differs from "+quote(a.path)+" only by case")
		case strings.HasPrefix(b.key, a.key+"\x00"):
			return about(ErrConflict, a.path, "is a file, but "+quote(b.path)+" needs a folder there")
		}
	}
	return nil
}

// fold is the key under which paths that differ only by case are equal. '/'
// becomes NUL, which no path holds: so everything inside a folder sorts right
// behind a file of the folder's name.
func fold(path string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' {
			return 0
		}
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, path)
}

// extension is the lower-case extension of a path's last segment with its dot.
// Dots and blanks at the end count as nothing: "a.php. " is a .php to some.
func extension(path string) string {
	name := strings.TrimRight(base(path), ". ")
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		return strings.ToLower(name[dot:])
	}
	return ""
}

// base is the last segment of a path.
func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
