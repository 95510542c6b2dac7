package script

import (
	"strings"

	"golang.org/x/net/html"

	"vitrine/compile/markup/dom"
)

// Kind is what a browser makes of a script element.
type Kind uint8

// The kinds.
const (
	Data Kind = iota // no script
	Classic
	Module
	ImportMap
)

// KindOf is the kind of an element.
func KindOf(n *html.Node) Kind {
	t, ok := dom.Attr(n, "type")
	t = strings.ToLower(strings.Trim(t, dom.Spaces))
	switch {
	case t == "module":
		return Module
	case t == "importmap":
		return ImportMap
	case t == "" && (ok || !hasLanguage(n)),
		strings.Contains(t, "javascript"), strings.Contains(t, "ecmascript"), t == "text/jscript",
		t == "text/livescript":
		return Classic
	}
	return Data
}

func hasLanguage(n *html.Node) bool {
	language, _ := dom.Attr(n, "language")
	return language != "" && !strings.Contains(strings.ToLower(language), "javascript")
}
