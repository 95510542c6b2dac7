package redirect

const upperHex = "0123456789ABCDEF"

// appendEscaped appends c, percent-encoded unless it may stay.
func appendEscaped(dst []byte, c byte, stays bool) []byte {
	if stays {
		return append(dst, c)
	}
	return append(dst, '%', upperHex[c>>4], upperHex[c&15])
}

// inFragment reports whether a byte of a target's fragment may stay: it is passed on as
// it was typed, but for what a header or a browser would not take.
func inFragment(c byte) bool {
	switch c {
	case '"', '<', '>', '`':
		return false
	}
	return c > ' ' && c < 0x7f
}

// inPath reports whether a byte may stand in the path of a Location as it is: what a
// browser sends without escaping.
func inPath(c byte) bool {
	switch c {
	case '"', '#', '<', '>', '?', '\\', '^', '`', '{', '}', '%':
		return false
	}
	return c > ' ' && c < 0x7f
}

// inTargetQuery reports whether a byte of a target's own query may stay.
func inTargetQuery(c byte) bool {
	switch c {
	case '"', '<', '>', '\\', '#':
		return false
	}
	return c > ' ' && c < 0x7f
}

// inQueryValue reports whether a byte of a star may stay when it lands in a
// query, where & + and = would mean something else than in a path.
func inQueryValue(c byte) bool {
	switch c {
	case '-', '.', '_', '~':
		return true
	}
	c |= 0x20
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
}

// appendQueryText appends a visitor's query as sent. Only what could end the
// header, the query or the line is escaped.
func appendQueryText(dst []byte, query string) []byte {
	for i := range len(query) {
		c := query[i]
		dst = appendEscaped(dst, c, c > ' ' && c != 0x7f && c != '#')
	}
	return dst
}

// appendTyped appends bytes start to end of the decoded path as the visitor
// typed them: escapes stay, other bytes are escaped unless keep allows them.
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
