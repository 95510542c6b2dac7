package movein

import (
	"net/url"
	"strings"
)

// segment escapes a part of an address for the source of a rule, where * has a meaning.
func segment(text string) string { return strings.ReplaceAll(url.PathEscape(text), "*", "%2A") }

// joined makes a path of names.
func joined(names []string, slug func(string) string) string {
	parts := make([]string, len(names))
	for i, one := range names {
		parts[i] = segment(slug(one))
	}
	return strings.Join(parts, "/")
}

// pathOf returns the path of an address for the source of a rule; "" for the home page and where
// there is no path.
func pathOf(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || strings.Trim(u.Path, "/") == "" || len(address) > maxAddress {
		return ""
	}
	return "/" + strings.ReplaceAll(strings.Trim(u.EscapedPath(), "/"), "*", "%2A")
}

// lastSegment returns the last part of an address, without .html, decoded: the handle of a
// product that a feed names by its page.
func lastSegment(address string) string {
	path := pathOf(address)
	last, err := url.PathUnescape(path[strings.LastIndexByte(path, '/')+1:])
	if err != nil {
		return ""
	}
	for _, ending := range []string{".html", ".htm", ".php"} {
		last = strings.TrimSuffix(last, ending)
	}
	return last
}

// unescapePath decodes an address of another script: WordPress writes %d1%87.
func unescapePath(text string) (string, error) { return url.PathUnescape(text) }
