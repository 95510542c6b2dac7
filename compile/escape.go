package compile

import (
	"strings"
	"unsafe"
)

const hexDigits = "0123456789ABCDEF"

// plain reports whether a byte may stand in a path segment as it is (RFC 3986,
// pchar).
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

// appendSpelling appends a path as the visitor spelled it: escapes stay as
// they are, repeated slashes become one, and what may not stand in a Location
// is escaped.
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

// fold lowers ASCII letters, as the comparison key does (document 3, 2.6).
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

// equalFold compares ASCII letters without case and all other bytes as they
// are.
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

// hasSuffixFold is strings.HasSuffix without regard to the case of ASCII.
func hasSuffixFold(s, suffix string) bool {
	return len(s) >= len(suffix) && equalFold(s[len(s)-len(suffix):], suffix)
}

// addressable returns a slug that can stand as a segment of an address, or
// nothing: a slash would split the segment, dots and control characters never
// reach a page, and the .html hop takes the rest of its name away.
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

// view reads a buffer as a string without copying it. The string is good
// until the buffer is written again.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
