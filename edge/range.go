package edge

import (
	"bytes"
	"strconv"

	"github.com/valyala/fasthttp"

	"vitrine/internal/condition"
)

// span is a part of a body: length bytes from start.
type span struct{ start, length int64 }

// rangeKind is the kind of response to a Range field.
type rangeKind uint8

const (
	wholeBody     rangeKind = iota // no range, or one that is ignored
	onePart                        // 206
	unsatisfiable                  // 416
)

// partOf reads a Range field for a body of size bytes (RFC 9110, section 14). Other units,
// several ranges and malformed ones are ignored.
func partOf(field []byte, size int64) (span, rangeKind) {
	spec, ok := bytes.CutPrefix(field, []byte("bytes="))
	if !ok || bytes.IndexByte(spec, ',') >= 0 {
		return span{}, wholeBody
	}
	first, last, ok := bytes.Cut(bytes.TrimSpace(spec), []byte("-"))
	if !ok {
		return span{}, wholeBody
	}
	if len(first) == 0 {
		n, ok := digits(last)
		switch {
		case !ok:
			return span{}, wholeBody
		case n == 0 || size == 0:
			return span{}, unsatisfiable
		}
		n = min(n, size)
		return span{size - n, n}, onePart
	}
	start, ok := digits(first)
	if !ok {
		return span{}, wholeBody
	}
	end := size - 1
	if len(last) > 0 {
		to, ok := digits(last)
		if !ok || to < start {
			return span{}, wholeBody
		}
		end = min(to, end)
	}
	if start >= size {
		return span{}, unsatisfiable
	}
	return span{start, end - start + 1}, onePart
}

func digits(b []byte) (int64, bool) {
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(string(b), 10, 64)
	return n, err == nil
}

// requestedRange reads the Range field of a request for a body with a strong entity tag.
// Only GET has ranges.
func requestedRange(h *fasthttp.RequestHeader, etag []byte, size int64) (span, rangeKind) {
	field := h.Peek(fasthttp.HeaderRange)
	if len(field) == 0 || !h.IsGet() {
		return span{}, wholeBody
	}
	if !condition.RangeMatches(h, etag) {
		return span{}, wholeBody
	}
	return partOf(field, size)
}
