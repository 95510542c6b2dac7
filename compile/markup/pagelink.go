package markup

import (
	"strconv"
	"strings"

	"vitrine/compile/markup/dom"
)

// pageLink writes svc:page/{id} with a query or fragment behind it. What is no id
// names no page; a placeholder is none either, since the pages that a document
// links to are known before it is drawn.
func (w *writer) pageLink(name, value string) bool {
	const prefix = "svc:page/"
	rest := strings.Trim(value, dom.Spaces)
	if len(rest) < len(prefix) || !strings.EqualFold(rest[:len(prefix)], prefix) {
		return false
	}
	rest, tail := rest[len(prefix):], ""
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest, tail = rest[:i], rest[i:]
	}
	w.begin(name)
	if id, err := strconv.ParseInt(rest, 10, 64); err == nil && id > 0 {
		w.page(id, appendAttr(nil, tail))
	} else {
		w.write("#")
	}
	w.write(`"`)
	return true
}
