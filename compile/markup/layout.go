package markup

import (
	"strings"

	"golang.org/x/net/html"

	"vitrine/compile/markup/dom"
)

// CompileLayout compiles the document of a layout folder to what every page of the layout gets
// (document 3, section 1 and 4.1): the nodes of its head for the start of the page's body, the
// content of its body for the end, and the class that replaces its bare body, html and :root
// selectors. The page's own body carries that class, so that such a rule applies to the whole
// page.
//
// Guarded pages get nothing of it, so there is no guarded program.
func CompileLayout(src Source) (*Compiled, error) { return assemble(src, (*document).layout) }

func (d *document) layout(doc *html.Node, size int, found *notes, c *Compiled) bool {
	root, head, body := landmarks(doc)
	c.Class = (&writer{doc: d}).wrapperClass(root, body)

	w := &writer{doc: d, notes: found}
	w.head(root, head, body)
	c.Normal = w.program()
	closed := !w.mixed || survives(c.Normal, false)

	w = &writer{doc: d, notes: found}
	w.arena = make([]byte, 0, size)
	if !blank(body) {
		w.write(`<div class="svc-foot svc-foot-`)
		w.arena = appendAttr(w.arena, d.src.Doc)
		w.write(`">`)
		w.children(body)
		w.write("</div>")
	}
	c.Foot = w.program()
	return closed && (!w.mixed || survives(c.Foot, false))
}

// blank reports whether an element contains only white space and comments.
func blank(n *html.Node) bool {
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode || c.Type == html.TextNode && strings.Trim(c.Data, dom.Spaces) != "" {
			return false
		}
	}
	return true
}
