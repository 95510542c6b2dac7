package release

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// IgnoreFiles are the names of the ignore file at the root of a folder or a ZIP. The first that
// exists is read.
var IgnoreFiles = [...]string{".vitrineignore", ".vizenignore"}

// MaxIgnore is the maximum size of an ignore file in bytes; a longer one is refused.
const MaxIgnore = 16 * kib

// defaults apply without an ignore file or with an empty one (document 3, section 7).
const defaults = `
.*
node_modules/
previews*/
originals/
README*
*.md
qa.mjs
*.log
`

// Ignore is a list of patterns for paths to leave out. One pattern per line:
//
//	README*         a file or folder of this name, at any depth
//	node_modules/   folders only, with everything inside
//	docs/draft*     with a slash inside or in front: from the root
//	# text          a comment
//
// '*' is any run of characters, '?' one character; neither matches '/'. Matching is case-sensitive.
// All other characters are literal, including '[' and '!': there are neither classes nor
// exceptions. The zero value leaves nothing out.
type Ignore struct{ patterns []pattern }

type pattern struct {
	globs  []string // one for each segment
	rooted bool
	folder bool
}

// ParseIgnore parses the text of an ignore file. If it has patterns, they replace the defaults;
// otherwise (empty, or comments only) the defaults apply.
func ParseIgnore(text string) Ignore {
	if ig := parsePatterns(text); len(ig.patterns) > 0 {
		return ig
	}
	return parsePatterns(defaults)
}

func parsePatterns(text string) (ig Ignore) {
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimSpace(line)
		name := strings.Trim(line, "/")
		if name == "" || strings.HasPrefix(line, "#") {
			continue
		}
		ig.patterns = append(ig.patterns, pattern{
			globs:  strings.Split(name, "/"),
			rooted: strings.HasPrefix(line, "/") || strings.Contains(name, "/"),
			folder: strings.HasSuffix(line, "/"),
		})
	}
	return ig
}

// Match reports whether a path is left out, itself or through a parent folder. A trailing '/'
// marks the path as a folder.
func (ig Ignore) Match(path string) bool {
	folder := strings.HasSuffix(path, "/")
	segments := strings.Split(strings.Trim(path, "/"), "/")
	for _, p := range ig.patterns {
		if p.match(segments, folder) {
			return true
		}
	}
	return false
}

func (p pattern) match(segments []string, folder bool) bool {
	last := len(segments) - len(p.globs) // where the pattern would end at the last segment
	for i := 0; i <= last; i++ {
		if p.rooted && i > 0 {
			break
		}
		if p.folder && i == last && !folder {
			break
		}
		if p.covers(segments[i:]) {
			return true
		}
	}
	return false
}

func (p pattern) covers(segments []string) bool {
	for i, g := range p.globs {
		if !glob(g, segments[i]) {
			return false
		}
	}
	return true
}

// glob matches a whole name. On a mismatch only the last star is extended, which is sufficient
// and bounds the work by len(pattern) × len(name).
func glob(pattern, name string) bool {
	p, n := 0, 0
	star, mark := -1, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, n
			p++
		case p < len(pattern) && pattern[p] == '?':
			p++
			n += runeLen(name[n:])
		case p < len(pattern) && pattern[p] == name[n]:
			p++
			n++
		case star >= 0:
			mark += runeLen(name[mark:])
			p, n = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// metadata reports files that operating systems and version control create in folders. An ignore
// file cannot include them.
func metadata(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		switch segment {
		case "__MACOSX", ".DS_Store", ".AppleDouble", ".Spotlight-V100", ".Trashes", ".fseventsd", "Icon\r",
			"Thumbs.db", "ehthumbs.db", "desktop.ini", ".git", ".svn", ".hg":
			return true
		}
		if strings.HasPrefix(segment, "._") {
			return true
		}
	}
	return false
}

// isIgnoreFile reports whether a path is an ignore file, which is never published.
func isIgnoreFile(path string) bool { return slices.Contains(IgnoreFiles[:], base(path)) }

// runeLen returns the length in bytes of the first character.
func runeLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}
