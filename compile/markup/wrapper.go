package markup

import (
	"strings"

	"golang.org/x/net/html"

	"vitrine/compile/markup/dom"
)

// wrapper writes the div that replaces body (document 3, 4.6.1): its own classes first, then
// those of body and html, then the other attributes of body and those of html that body does not
// have.
func (w *writer) wrapper(root, body *html.Node) {
	w.write("<div")
	w.attribute(body, "class", w.wrapperClass(root, body))
	w.begin("data-svc-base")
	w.arena = appendAttr(w.arena, w.doc.release.prefix)
	w.write(`"`)
	if w.doc.below {
		w.write(" " + belowMark)
	}
	own := map[string]bool{}
	for _, a := range body.Attr {
		own[a.Key] = true
		if name := attrName(a); name != "class" && name != "data-svc-base" && name != belowMark {
			w.attribute(body, name, a.Val)
		}
	}
	for _, a := range root.Attr {
		if !own[a.Key] && a.Namespace == "" && inherited(a.Key) {
			w.attribute(root, a.Key, a.Val)
		}
	}
	w.write(">")
	w.children(body)
	w.write("</div>")
}

func (w *writer) wrapperClass(root, body *html.Node) string {
	class := "svc-body svc-body-" + w.doc.src.Doc
	for _, n := range [...]*html.Node{body, root} {
		if own, _ := dom.Attr(n, "class"); strings.Trim(own, dom.Spaces) != "" {
			class += " " + strings.Trim(own, dom.Spaces)
		}
	}
	return class
}

// inherited reports whether the wrapper takes over an attribute of html.
func inherited(name string) bool {
	return name == "lang" || name == "dir" || name == "style" ||
		strings.HasPrefix(name, "data-") && name != "data-svc-base" && name != belowMark
}
