package script

import (
	"strings"

	"golang.org/x/net/html"

	"vitrine/compile/markup/dom"
)

// Kind is how a browser treats a script element.
type Kind uint8

// The kinds.
const (
	Data Kind = iota // not a script
	Classic
	Module
	ImportMap
)

// KindOf returns the kind of an element.
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
