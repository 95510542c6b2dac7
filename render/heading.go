package render

import (
	"bytes"
	"html"
	"slices"
	"strings"
)

// titles are the classes of headings that a widget draws.
var titles = []string{"v-widget__title", "v-cta__title", "v-slides__title"}

// name gives a page its one h1 where nothing on it has: the first heading of its
// widgets becomes it, and where there is none the page's name stands there for
// those who do not see the page. Own markup has the headings that its author gave
// it.
func (w *writer) name(from int) {
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
	end := at + bytes.Index(w.out[at:], []byte("</"+tag+">")) // a heading holds words alone
	w.out = slices.Replace(w.out, end+2, end+2+len(tag), []byte("h1")...)
	w.out = slices.Replace(w.out, at+1, at+1+len(tag), []byte("h1")...)
}

// firstTitle is where the first heading of a widget begins, below 0 where there is
// none, and its tag.
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

// holdsDocument reports whether own markup stands among blocks, also in columns.
func holdsDocument(blocks []Block) bool {
	return slices.ContainsFunc(blocks, func(b Block) bool {
		if b.Kind == BlockHTML || holdsDocument(b.Group) || holdsDocument(b.Aside) {
			return true
		}
		return b.Widget != nil && slices.ContainsFunc(b.Widget.Cells, holdsDocument)
	})
}
