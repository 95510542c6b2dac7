// Package condition evaluates the entity tags of conditional requests: for a response only
// if it has changed, or for the rest of one only if it has not (RFC 9110, section 13). A
// strong tag is quoted text; W/ before it makes it weak. Dates are not compared: no
// response of this program has one.
package condition

import (
	"bytes"

	"github.com/valyala/fasthttp"
)

// Unchanged reports whether If-None-Match matches the tag of the current representation, so
// that the response is a 304. The field is a list, over any number of lines, or "*", and is
// compared weakly (section 13.1.2).
func Unchanged(h *fasthttp.RequestHeader, tag []byte) bool {
	first := h.Peek(fasthttp.HeaderIfNoneMatch)
	if len(first) == 0 || len(tag) == 0 {
		return false
	}
	tag = bytes.TrimPrefix(tag, weak)
	if lists(first, tag) {
		return true
	}
	for _, line := range h.PeekAll(fasthttp.HeaderIfNoneMatch)[1:] {
		if lists(line, tag) {
			return true
		}
	}
	return false
}

var weak = []byte("W/")

// lists scans one line of entity tags. A tag may contain commas; text that is not quoted is
// no tag and ends the scan.
func lists(line, opaque []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) == 1 && line[0] == '*' {
		return true
	}
	for {
		line = bytes.TrimLeft(line, " \t,")
		line = bytes.TrimPrefix(line, weak)
		if len(line) < 2 || line[0] != '"' {
			return false
		}
		end := bytes.IndexByte(line[1:], '"')
		if end < 0 {
			return false
		}
		if bytes.Equal(line[:end+2], opaque) {
			return true
		}
		line = line[end+2:]
	}
}

// RangeMatches reports whether a part of a body with this tag fits what the client already
// has: If-Range is absent, or is the same strong tag (section 13.1.5).
func RangeMatches(h *fasthttp.RequestHeader, tag []byte) bool {
	had := h.Peek(fasthttp.HeaderIfRange)
	return len(had) == 0 || bytes.Equal(had, tag) && !bytes.HasPrefix(tag, weak)
}
