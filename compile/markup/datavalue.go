package markup

import (
	"encoding/json"
	"strconv"
	"strings"

	"vitrine/compile/markup/dom"
)

// Scripts read data-* attributes in unknown ways. A value is rewritten only where it names files
// that the release is known to have: as one address, as candidates that are all such addresses,
// in url(), or as the strings of a JSON value.

func (w *writer) dataValue(value string) string {
	files, dir := w.doc.release, w.doc.dir
	if files.files == nil || strings.Contains(value, "{{") {
		return value
	}
	moved := func(address string) (string, bool) {
		if !files.names(dir, address) {
			return address, false
		}
		out, _, _ := files.resolve(dir, address)
		return out, true
	}
	trimmed := strings.Trim(value, dom.Spaces)
	switch out, ok := moved(value); {
	case ok:
		return out
	case strings.Contains(value, "url("):
		return rewriteStyle(value, func(address string, _ int, comment bool) (string, bool) {
			out, ok := moved(address)
			return out, ok && !comment
		})
	case trimmed != "" && (trimmed[0] == '[' || trimmed[0] == '{'):
		if !json.Valid([]byte(trimmed)) {
			return value
		}
		return rewriteJSON(value, func(s string, _ int, key bool) (string, bool) {
			if key {
				return "", false
			}
			return moved(s)
		})
	case candidates(value):
		all := true
		out := rewriteSrcset(value, func(candidate string) string {
			out, ok := moved(candidate)
			all = all && ok
			return out
		})
		if all {
			return out
		}
	}
	return value
}

// candidates reports whether a value may be a srcset: its addresses are followed by widths and
// densities only.
func candidates(value string) bool {
	if !strings.Contains(value, ",") && !strings.ContainsAny(strings.Trim(value, dom.Spaces), " \n\t") {
		return false
	}
	rest := rewriteSrcset(value, func(string) string { return "" })
	for word := range strings.FieldsFuncSeq(rest, func(r rune) bool { return r == ',' || isHTMLSpace(r) }) {
		number := strings.TrimRight(word, "wxh")
		if _, err := strconv.ParseFloat(number, 64); err != nil || len(word) != len(number)+1 {
			return false
		}
	}
	return true
}
