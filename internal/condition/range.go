package condition

import (
	"bytes"
	"strconv"

	"github.com/valyala/fasthttp"
)

// Span is a part of a body: Length bytes from Start.
type Span struct{ Start, Length int64 }

// RangeKind is the kind of response to a Range field.
type RangeKind uint8

// The kinds of responses.
const (
	WholeBody     RangeKind = iota // no range, or one that is ignored
	OnePart                        // 206
	Unsatisfiable                  // 416
)

// partOf reads a Range field for a body of size bytes (RFC 9110, section 14). Other units,
// several ranges and malformed ones are ignored.
func partOf(field []byte, size int64) (Span, RangeKind) {
	spec, ok := bytes.CutPrefix(field, []byte("bytes="))
	if !ok || bytes.IndexByte(spec, ',') >= 0 {
		return Span{}, WholeBody
	}
	first, last, ok := bytes.Cut(bytes.TrimSpace(spec), []byte("-"))
	if !ok {
		return Span{}, WholeBody
	}
	if len(first) == 0 {
		n, ok := digits(last)
		switch {
		case !ok:
			return Span{}, WholeBody
		case n == 0 || size == 0:
			return Span{}, Unsatisfiable
		}
		n = min(n, size)
		return Span{size - n, n}, OnePart
	}
	start, ok := digits(first)
	if !ok {
		return Span{}, WholeBody
	}
	end := size - 1
	if len(last) > 0 {
		to, ok := digits(last)
		if !ok || to < start {
			return Span{}, WholeBody
		}
		end = min(to, end)
	}
	if start >= size {
		return Span{}, Unsatisfiable
	}
	return Span{start, end - start + 1}, OnePart
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

// RequestedRange reads the Range field of a request for a body with a strong entity tag.
// Only GET has ranges.
func RequestedRange(h *fasthttp.RequestHeader, etag []byte, size int64) (Span, RangeKind) {
	field := h.Peek(fasthttp.HeaderRange)
	if len(field) == 0 || !h.IsGet() {
		return Span{}, WholeBody
	}
	if !RangeMatches(h, etag) {
		return Span{}, WholeBody
	}
	return partOf(field, size)
}

// SetPart sets the status and Content-Range of a 206 or 416 and returns the status.
func SetPart(resp *fasthttp.Response, part Span, kind RangeKind, size int64) (status int) {
	of := "/" + strconv.FormatInt(size, 10)
	if kind == Unsatisfiable {
		resp.Header.Set(fasthttp.HeaderContentRange, "bytes *"+of)
		resp.SetStatusCode(fasthttp.StatusRequestedRangeNotSatisfiable)
		return fasthttp.StatusRequestedRangeNotSatisfiable
	}
	last := part.Start + part.Length - 1
	resp.Header.Set(fasthttp.HeaderContentRange, "bytes "+strconv.FormatInt(part.Start, 10)+"-"+strconv.FormatInt(last, 10)+of)
	resp.SetStatusCode(fasthttp.StatusPartialContent)
	return fasthttp.StatusPartialContent
}
