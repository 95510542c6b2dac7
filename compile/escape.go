package compile

import (
	"strings"
	"unsafe"
)

const hexDigits = "0123456789ABCDEF"

// plain reports whether a byte is allowed unescaped in a path segment (RFC 3986, pchar).
func plain(c byte) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		return true
	}
	return strings.IndexByte("-._~!$&'()*+,;=:@", c) >= 0
}

// appendSegment appends one segment of a path, percent-encoded.
func appendSegment(dst []byte, segment string) []byte {
	for i := 0; i < len(segment); i++ {
		if c := segment[i]; plain(c) {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return dst
}

// appendSpelling appends a path in the visitor's spelling: escapes are kept, repeated slashes
// become one, and bytes not allowed in a Location are escaped.
func appendSpelling(dst []byte, path string) []byte {
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c == '/':
			if n := len(dst); n == 0 || dst[n-1] != '/' {
				dst = append(dst, c)
			}
		case plain(c) || c == '%':
			dst = append(dst, c)
		default:
			dst = append(dst, '%', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return dst
}

// fold lowers ASCII letters, like the comparison key does (document 3, 2.6).
func fold(s string) string {
	for i := 0; i < len(s); i++ {
		if upper(s[i]) {
			b := []byte(s)
			for ; i < len(b); i++ {
				if upper(b[i]) {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

func upper(c byte) bool { return c >= 'A' && c <= 'Z' }

// equalFold compares ASCII letters case-insensitively and all other bytes exactly.
func equalFold(a, b string) bool {
	if len(a) != len(b) || a == b {
		return a == b
	}
	for i := 0; i < len(a); i++ {
		x, y := a[i], b[i]
		if upper(x) {
			x += 'a' - 'A'
		}
		if upper(y) {
			y += 'a' - 'A'
		}
		if x != y {
			return false
		}
	}
	return true
}

// hasSuffixFold is strings.HasSuffix ignoring ASCII case.
func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && equalFold(s[len(s)-len(suffix):], suffix)
}

// addressable returns a slug that can be a segment of an address, or "": a slash would split the
// segment, dots and control characters never reach a page, and the .html hop would strip a .html
// ending.
func addressable(slug string) string {
	if slug == "." || slug == ".." || hasSuffixFold(slug, ".html") {
		return ""
	}
	for i := 0; i < len(slug); i++ {
		if c := slug[i]; c < 0x20 || c == 0x7f || c == '/' || c == '\\' {
			return ""
		}
	}
	return slug
}

// unsafeString returns a buffer as a string without copying it. The string is valid until the
// buffer is written again.
func unsafeString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
