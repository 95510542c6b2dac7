package markup

import (
	"errors"
	"strings"

	"golang.org/x/net/html"

	"vitrine/compile/markup/dom"
)

// Html inside svg or mathml can be parsed differently the second time: browsers decide by the
// enclosing element whether a tag or a comment ends there. A document with such a mixture is
// parsed once more as part of a page, and refused when it would leave its wrapper or run in a
// guarded zone.

var errUnstable = errors.New("html inside svg or mathml is not closed where it seems to be")

// survives reports whether a program stays inside its wrapper and, if guarded, contains nothing
// that runs.
func survives(p *Program, guarded bool) bool {
	var page strings.Builder
	page.WriteString("<!DOCTYPE html><html><body><main>")
	page.Write(p.AppendTo(nil, &Data{}))
	page.WriteString(`<i id="svc-behind"></i></main></body></html>`)
	for _, scripts := range [...]bool{true, false} {
		doc, err := html.ParseWithOptions(strings.NewReader(page.String()), html.ParseOptionEnableScripting(scripts))
		if err != nil || !enclosed(doc, "svc-behind") || guarded && running(doc) != "" {
			return false
		}
	}
	return true
}

// enclosed reports whether the element with that id is still the last one in the page's main.
func enclosed(doc *html.Node, id string) bool {
	for n := range doc.Descendants() {
		if own, _ := dom.Attr(n, "id"); own == id && n.NextSibling == nil && n.Parent.Data == "main" && n.Parent.NextSibling == nil {
			return true
		}
	}
	return false
}

// running returns the first thing in a tree that could run, or "".
func running(doc *html.Node) string {
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if strings.EqualFold(n.Data, "script") {
			return "<script>"
		}
		for _, a := range n.Attr {
			kind := kindOf(n, attrName(a))
			s, ok := scheme(a.Val)
			if kind == scriptAttr || ok && scriptScheme(s) && (kind == address || kind == destination) {
				return attrName(a)
			}
		}
	}
	return ""
}
