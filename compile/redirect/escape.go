package redirect

const upperHex = "0123456789ABCDEF"

// appendEscaped appends c, percent-encoded unless stays is set.
func appendEscaped(dst []byte, c byte, stays bool) []byte {
	if stays {
		return append(dst, c)
	}
	return append(dst, '%', upperHex[c>>4], upperHex[c&15])
}

// inFragment reports whether a byte of a target's fragment is kept: everything except what
// headers or browsers do not accept.
func inFragment(c byte) bool {
	switch c {
	case '"', '<', '>', '`':
		return false
	}
	return c > ' ' && c < 0x7f
}

// inPath reports whether a byte is kept unescaped in the path of a Location: the bytes that a
// browser sends without escaping.
func inPath(c byte) bool {
	switch c {
	case '"', '#', '<', '>', '?', '\\', '^', '`', '{', '}', '%':
		return false
	}
	return c > ' ' && c < 0x7f
}

// inTargetQuery reports whether a byte of a target's own query is kept unescaped.
func inTargetQuery(c byte) bool {
	switch c {
	case '"', '<', '>', '\\', '#':
		return false
	}
	return c > ' ' && c < 0x7f
}

// inQueryValue reports whether a byte of a star is kept unescaped in a query, where & + and =
// have a meaning that they do not have in a path.
func inQueryValue(c byte) bool {
	switch c {
	case '-', '.', '_', '~':
		return true
	}
	c |= 0x20
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
}

// appendQueryText appends a visitor's query as sent. It escapes only what could end the header,
// the query or the line.
func appendQueryText(dst []byte, query string) []byte {
	for i := range len(query) {
		c := query[i]
		dst = appendEscaped(dst, c, c > ' ' && c != 0x7f && c != '#')
	}
	return dst
}

// appendTyped appends bytes start to end of the decoded path in the visitor's spelling: escapes
// are kept, other bytes are escaped unless keep allows them.
func (a *Address) appendTyped(dst []byte, start, end int, keep func(byte) bool) []byte {
	for i := start; i < end; i++ {
		at := a.place(i)
		c := a.Path[at]
		if c == '%' {
			dst = append(dst, a.Path[at:at+3]...)
			continue
		}
		dst = appendEscaped(dst, c, keep(c))
	}
	return dst
}
