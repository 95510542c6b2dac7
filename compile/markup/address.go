package markup

import (
	"slices"
	"strings"

	"vitrine/internal/shop"
)

// verdict is the result of resolving an address.
type verdict uint8

const (
	kept    verdict = iota // not relative: unchanged
	moved                  // names a file of the release: rewritten
	outside                // climbs out of the release
	missing                // relative, but not a file of the release
)

// release resolves relative addresses against the files of one release.
type release struct {
	prefix string // /_html/{doc}/{rid}/
	files  func(path string) bool
	near   func(path string) string
	refs   map[string]bool
	known  map[reference]resolved // cache of earlier results: documents name the same files repeatedly
}

// reference is an address as written in a file of a directory.
type reference struct{ dir, address string }

// resolved is the result for a reference.
type resolved struct {
	out, path string
	verdict   verdict
}

// resolve resolves an address written in a file of directory dir ("" or "css/"). It returns the
// address to write, which differs from the given one only if the verdict is moved, and the path
// that it names in the release.
//
// A relative address is moved if and only if it names a file. Empty addresses, those that begin
// with #, ? or / and those with a scheme are unchanged, and so are addresses that begin with a
// hole or contain braces of another template system.
func (r *release) resolve(dir, address string) (out, path string, v verdict) {
	ref := reference{dir, address}
	if a, ok := r.known[ref]; ok {
		return a.out, a.path, a.verdict
	}
	out, path, v = r.find(dir, address)
	if r.known == nil {
		r.known = map[reference]resolved{}
	}
	r.known[ref] = resolved{out, path, v}
	return out, path, v
}

// meant suggests the file that a missing path may have meant, as a suffix of its name in a
// finding.
func (r *release) meant(path string) string {
	if r.near == nil {
		return ""
	}
	file := r.near(path)
	if file == "" {
		return ""
	}
	if strings.EqualFold(file, path) {
		return " (the release has " + Quoted(file) + "; case matters)"
	}
	return " (the release has such a file at " + Quoted(file) + ")"
}

func (r *release) find(dir, address string) (out, path string, v verdict) {
	s := trimAddress(address)
	if s == "" || strings.IndexByte("#?/\\", s[0]) >= 0 || s[0] == marker || strings.Contains(s, "{{") {
		return address, "", kept
	}
	if _, ok := scheme(s); ok {
		return address, "", kept
	}
	file, tail := s, ""
	if i := strings.IndexAny(s, "?#"); i >= 0 {
		file, tail = s[:i], s[i:]
	}
	file, ok := joinPath(dir, file)
	if !ok {
		return address, s, outside
	}
	if strings.IndexByte(file, marker) >= 0 {
		return r.prefix + file + tail, "", moved
	}
	if file == "" || strings.HasSuffix(file, "/") {
		file += "index.html"
	}
	path = percentDecode(file)
	if !r.has(path) {
		if !r.has(file) {
			return address, path, missing
		}
		path = file
	}
	r.refs[path] = true
	return r.prefix + file + tail, path, moved
}

func (r *release) has(path string) bool { return r.files == nil || r.files(path) }

// names reports whether an address names a file known to exist. It decides about data-*
// attributes, which may hold anything.
func (r *release) names(dir, address string) bool {
	if r.files == nil || strings.IndexByte(address, marker) >= 0 {
		return false
	}
	file, _, _ := strings.Cut(trimAddress(address), "#")
	file, _, _ = strings.Cut(file, "?")
	if last := file[strings.LastIndexByte(file, '/')+1:]; last == "" || dots(last) > 0 {
		return false // a folder, or only dots
	}
	_, _, v := r.resolve(dir, address)
	return v == moved
}

// rooted reports whether an address is relative to the root of the host and would name a file of
// the release without its leading slash, as some build tools write it.
func (r *release) rooted(address string) bool {
	s := trimAddress(address)
	return len(s) > 1 && s[0] == '/' && s[1] != '/' && s[1] != '\\' && r.names("", s[1:])
}

// sorted lists the referenced paths.
func (r *release) sorted() []string {
	paths := make([]string, 0, len(r.refs))
	for p := range r.refs {
		paths = append(paths, p)
	}
	slices.Sort(paths)
	return paths
}

// trimAddress removes what browsers remove when parsing an address: surrounding controls and
// spaces, and inner tabs and line breaks.
func trimAddress(s string) string {
	s = strings.TrimFunc(s, func(r rune) bool { return r <= ' ' })
	if strings.ContainsAny(s, "\t\n\r") {
		s = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(s)
	}
	return s
}

// joinPath resolves a relative path in a directory; ok is false when it climbs above the root. A
// backslash counts as a slash, as in browsers.
func joinPath(dir, path string) (joined string, ok bool) {
	if strings.IndexByte(path, '\\') >= 0 {
		path = strings.ReplaceAll(path, `\`, "/")
	}
	path = dir + path
	if !hasDots(path) {
		return path, true
	}
	var kept []string
	segments := strings.Split(path, "/")
	for i, s := range segments {
		last := i == len(segments)-1
		switch dots(s) {
		case 0:
			kept = append(kept, s)
			continue
		case 2:
			if len(kept) == 0 {
				return "", false
			}
			kept = kept[:len(kept)-1]
		}
		if last {
			kept = append(kept, "")
		}
	}
	return strings.Join(kept, "/"), true
}

func hasDots(path string) bool {
	for s := range strings.SplitSeq(path, "/") {
		if dots(s) > 0 {
			return true
		}
	}
	return false
}

// dots returns 1 for a segment "." and 2 for "..", plain or percent-encoded, otherwise 0.
func dots(segment string) int {
	if len(segment) > len("%2e%2e") {
		return 0
	}
	n := 0
	for segment != "" {
		switch {
		case segment[0] == '.':
			segment = segment[1:]
		case len(segment) >= 3 && strings.EqualFold(segment[:3], "%2e"):
			segment = segment[3:]
		default:
			return 0
		}
		n++
	}
	if n > 2 {
		return 0
	}
	return n
}

// percentDecode decodes well-formed escapes and keeps the rest.
func percentDecode(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			hi, lo := shop.HexDigit(s[i+1]), shop.HexDigit(s[i+2])
			if hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		out = append(out, s[i])
	}
	return string(out)
}

// directory returns the path up to and including the last slash.
func directory(path string) string { return path[:strings.LastIndexByte(path, '/')+1] }

// plainHTTP reports whether an address would be loaded without encryption.
func plainHTTP(address string) bool {
	name, ok := scheme(address)
	return ok && strings.EqualFold(name, "http")
}
