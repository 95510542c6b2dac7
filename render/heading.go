package render

import (
	"bytes"
	"html"
	"slices"
	"strings"
)

// titles are the classes of widget headings.
var titles = []string{"v-widget__title", "v-cta__title", "v-slides__title"}

// ensureH1 ensures that a page has one h1. If no element is one, the first widget heading becomes
// it; without widget headings, an h1 with the page's name is added for screen readers. Pages
// with own markup are left as their author wrote them.
func (w *writer) ensureH1(from int) {
	if w.err != nil || holdsDocument(w.layout().Body) || bytes.Contains(w.out[from:], []byte("<h1")) {
		return
	}
	tag, at := firstTitle(w.out[from:])
	if at < 0 {
		hidden := `<h1 class="v-sr">` + html.EscapeString(w.view.Heading) + "</h1>\n"
		w.out = slices.Insert(w.out, from, []byte(hidden)...)
		return
	}
	at += from
	end := at + bytes.Index(w.out[at:], []byte("</"+tag+">")) // a heading contains only text
	w.out = slices.Replace(w.out, end+2, end+2+len(tag), []byte("h1")...)
	w.out = slices.Replace(w.out, at+1, at+1+len(tag), []byte("h1")...)
}

// firstTitle returns the tag and the offset of the first widget heading; the offset is
// negative if there is none.
func firstTitle(body []byte) (tag string, at int) {
	at = -1
	for _, class := range titles {
		found := bytes.Index(body, []byte(` class="`+class+`"`))
		if found >= 0 && (at < 0 || found < at) {
			at = found
		}
	}
	if at < 0 {
		return "", at
	}
	start := bytes.LastIndexByte(body[:at], '<')
	return strings.TrimSpace(string(body[start+1 : at])), start
}

// holdsDocument reports whether the blocks contain own markup, also inside columns.
func holdsDocument(blocks []Block) bool {
	return slices.ContainsFunc(blocks, func(b Block) bool {
		if b.Kind == BlockHTML || holdsDocument(b.Group) || holdsDocument(b.Aside) {
			return true
		}
		return b.Widget != nil && slices.ContainsFunc(b.Widget.Cells, holdsDocument)
	})
}
