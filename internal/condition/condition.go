// Package condition evaluates the entity tags of conditional requests: for a response only
// if it has changed, or for the rest of one only if it has not (RFC 9110, section 13). A
// strong tag is quoted text; W/ before it makes it weak. Dates are not compared: no
// response of this program has one. It also reads which part of a body is requested
// (section 14).
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
		var tag []byte
		if tag, line = next(line); tag == nil {
			return false
		}
		if bytes.Equal(bytes.TrimPrefix(tag, weak), opaque) {
			return true
		}
	}
}

// next returns the first entity tag of a list and the rest of the list, or nil and the text that
// is no tag.
func next(line []byte) (tag, rest []byte) {
	line = bytes.TrimLeft(line, " \t,")
	quoted := bytes.TrimPrefix(line, weak)
	if len(quoted) < 2 || quoted[0] != '"' {
		return nil, line
	}
	end := bytes.IndexByte(quoted[1:], '"')
	if end < 0 {
		return nil, line
	}
	n := len(line) - len(quoted) + end + 2
	return line[:n], line[n:]
}

// IfMatch returns the entity tags of If-Match, weak ones with their W/; any reports "*". ok is
// false if the header has text that is no tag.
func IfMatch(h *fasthttp.RequestHeader) (tags []string, any, ok bool) {
	for _, line := range h.PeekAll(fasthttp.HeaderIfMatch) {
		if string(bytes.TrimSpace(line)) == "*" {
			any = true
			continue
		}
		for {
			var tag []byte
			if tag, line = next(line); tag == nil {
				break
			}
			tags = append(tags, string(tag))
		}
		if len(line) > 0 {
			return nil, false, false
		}
	}
	return tags, any, true
}

// RangeMatches reports whether a part of a body with this tag fits what the client already
// has: If-Range is absent, or is the same strong tag (section 13.1.5).
func RangeMatches(h *fasthttp.RequestHeader, tag []byte) bool {
	had := h.Peek(fasthttp.HeaderIfRange)
	return len(had) == 0 || bytes.Equal(had, tag) && !bytes.HasPrefix(tag, weak)
}
