package markup

import "strings"

// How much of a long line a finding shows, in bytes.
const (
	longLine    = 200 // what can be looked through
	pieceBefore = 30
	pieceBehind = 70
)

// excerpt is the piece of a text around an offset, "" where the line is short
// enough to be found by its number.
func excerpt(text string, offset int) string {
	offset = min(offset, len(text))
	left, right := max(0, offset-longLine), min(len(text), offset+longLine+1)
	from := left + 1 + strings.LastIndexByte(text[left:offset], '\n')
	if i := strings.IndexByte(text[offset:right], '\n'); i >= 0 {
		right = offset + i
	}
	if right-from <= longLine {
		return ""
	}
	piece := text[max(from, offset-pieceBefore):min(right, offset+pieceBehind)]
	return "…" + strings.Join(strings.Fields(strings.ToValidUTF8(piece, "")), " ") + "…"
}

// lineOf is the 1-based line of an offset.
func lineOf(text string, offset int) int {
	return 1 + strings.Count(text[:min(offset, len(text))], "\n")
}
