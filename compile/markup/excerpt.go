package markup

import "strings"

// Limits of the excerpt of a long line in a finding, in bytes.
const (
	longLine    = 200 // short enough to be searched by eye
	pieceBefore = 30
	pieceBehind = 70
)

// excerpt returns the text around an offset, or "" if the line is short enough for its number to
// suffice.
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

// lineOf returns the 1-based line of an offset.
func lineOf(text string, offset int) int {
	return 1 + strings.Count(text[:min(offset, len(text))], "\n")
}
