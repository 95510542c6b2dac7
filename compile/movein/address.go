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

// oldPages returns where the old shop had a product whose pages the file names. Of the address
// of a program, such as /index.php?product_id=5, the number says which page it is.
func oldPages(d *draft) (out []string) {
	for _, one := range d.pages {
		path := pathOf(one)
		if path != "" && !isProgram(path) {
			out = append(out, path)
			continue
		}
		u, err := url.Parse(one)
		if err != nil {
			continue
		}
		for pair := range strings.SplitSeq(u.RawQuery, "&") {
			if _, number, ok := strings.Cut(pair, "="); ok && isNumber(number) {
				out = append(out, or(path, "/")+"?"+pair)
			}
		}
	}
	return out
}

// isProgram reports whether a path is that of a program for many pages.
func isProgram(path string) bool { return strings.HasSuffix(strings.ToLower(path), ".php") }

// lastSegment returns the last part of an address, without .html, decoded: the handle of a
// product that a feed names by its page.
func lastSegment(address string) string {
	path := pathOf(address)
	if isProgram(path) {
		return ""
	}
	last := decoded(path[strings.LastIndexByte(path, '/')+1:])
	return strings.TrimSuffix(strings.TrimSuffix(last, ".html"), ".htm")
}

// decoded decodes a part of an address; WordPress writes letters of other scripts as %d1%87.
func decoded(part string) string {
	text, err := url.PathUnescape(part)
	if err != nil {
		text = part
	}
	return code(strings.ToValidUTF8(text, ""))
}
