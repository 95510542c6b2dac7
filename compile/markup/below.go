package markup

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"vitrine/compile/markup/dom"
	"vitrine/compile/markup/style"
)

// Elements with a negative z-index lie between the background of the window and those of the
// boxes in it. The background of a body is painted on the window; that of the wrapper is painted
// on a box and would cover such elements. So a document with such elements is marked, and the
// storefront gives the window the wrapper's background (document 3, 4.6.1: looks as it did
// alone).

// belowMark is the attribute of such a wrapper, which storefront.css and the
// storefront's script look for.
const belowMark = "data-svc-below"

// liesBelow reports whether the styles of a document put any element below the background, as far
// as they can be read.
func (d *document) liesBelow(doc *html.Node) bool {
	found := style.NewDepths()
	dom.Shown(doc, func(n *html.Node) {
		if text, ok := dom.Attr(n, "style"); ok && strings.Contains(text, "-") {
			found.Read(style.Lex(text), text)
		}
		switch {
		case n.Data == "style":
			d.sheetDepths(&found, dom.Text(n), d.dir, nil)
		case n.Data == "link" && styles(n):
			href, _ := dom.Attr(n, "href")
			d.fileDepths(&found, d.dir, href, nil)
		}
	})
	return found.Any()
}

// fileDepths reads the sheet at an address; above lists the sheets that imported it.
func (d *document) fileDepths(found *style.Depths, dir, href string, above []string) {
	if found.Below || d.ahead.Read == nil || strings.Contains(href, "{{") {
		return
	}
	_, path, v := d.release.resolve(dir, href)
	if v != moved || len(above) == MaxImports || slices.Contains(above, path) {
		return
	}
	if text, ok := d.ahead.Read(path); ok {
		d.sheetDepths(found, string(text), directory(path), append(above[:len(above):len(above)], path))
	}
}

func (d *document) sheetDepths(found *style.Depths, text, dir string, above []string) {
	s := newSheet(text, "", func(string, int, bool) (string, bool) { return "", false })
	found.Read(s.Toks, s.Src)
	if strings.Contains(s.Src, "@") && !found.Below {
		s.imports = func(address, _ string) { d.fileDepths(found, dir, address, above) }
		s.echo = true // the output is not needed
		s.items(0, fresh, false, true)
	}
}
