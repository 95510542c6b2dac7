package release

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxPath is the maximum length of a path in bytes of UTF-8 (document 3, section 8).
const MaxPath = 512

// Clean returns the path in the form stored in a release, or ErrPath with the path and the
// reason. It changes nothing: traversals exploit alternative spellings of a file, so "./a",
// "a//b" and "a\b" are refused, not corrected.
func Clean(path string) (string, error) {
	if why := fault(path); why != "" {
		return "", about(ErrPath, path, why)
	}
	return path, nil
}

// fault returns the reason why a path is invalid, as the end of a sentence, or "".
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

// hasDrive reports whether a path begins with a Windows drive letter, which makes it absolute
// there.
func hasDrive(path string) bool {
	return len(path) > 2 && path[1] == ':' && path[2] == '/' && unicode.IsLetter(rune(path[0]))
}

// conflict finds two paths that cannot be in one release: equal except for case, or one a file
// where the other needs a folder. Such a release would unpack to different sites on different
// machines.
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
			return about(ErrConflict, b.path, "is listed twice")
		case a.key == b.key:
			return about(ErrConflict, b.path, "differs from "+quote(a.path)+" only by case")
		case strings.HasPrefix(b.key, a.key+"\x00"):
			return about(ErrConflict, a.path, "is a file, but "+quote(b.path)+" needs a folder there")
		}
	}
	return nil
}

// fold returns a key that is equal for paths that differ only by case. '/' becomes NUL, which no
// path contains, so that the contents of a folder sort directly after a file with the folder's
// name.
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

// extension returns the lower-case extension of a path's last segment with its dot. Trailing dots
// and blanks are ignored, because some systems treat "a.php. " as a .php.
func extension(path string) string {
	name := strings.TrimRight(base(path), ". ")
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		return strings.ToLower(name[dot:])
	}
	return ""
}

// base returns the last segment of a path.
func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
