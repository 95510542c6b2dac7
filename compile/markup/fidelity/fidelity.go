// Package fidelity names what a document loses by moving into a page, with its
// line, before visitors see it.
//
// What a document was on its own it is not always there: the wrapper is a div, the
// storefront's style sheet resets what browsers set, scripts run again after a
// visit elsewhere (document 3, 4.6). Programs are the same with or without this
// look, so the edge, which compiles too, leaves it out.
//
// It tells what it is sure of. A selector that may match counts as matching, a
// style sheet of another host that cannot be read silences what depends on it, and
// a script that breaks off in the middle says nothing.
//
// Selectors are matched by the package itself, within a number of steps. Those of
// cascadia know neither a bound (eight names of elements, one inside the other,
// take hours in a deep tree), nor states such as :focus-visible, nor what a
// selector is made of, which is what most findings are about.
package fidelity

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"vitrine/compile/markup"
	"vitrine/compile/markup/dom"
	"vitrine/compile/release"
)

// look is one look at a document.
type look struct {
	*markup.Look
	author  *author
	setters map[string][]*styleRule // by what they set
	classes map[string]bool         // of html and body by script, that were told
}

// Check reports what a document loses by moving into a page. A document that does
// not compile has an empty report: markup.Compile says why.
func Check(src markup.Source) markup.Report {
	doc, err := markup.NewLook(src, mend)
	if err != nil {
		return markup.Report{Errors: []markup.Finding{}, Warnings: []markup.Finding{}, Infos: []markup.Finding{}}
	}
	f := &look{Look: doc, setters: map[string][]*styleRule{}, classes: map[string]bool{}}
	f.author = f.readAuthor()
	f.handlers()
	f.cascade()
	f.units()
	f.lowest()
	f.covers()
	f.resets()
	f.scripts()
	return f.Report()
}

// ofWindow is the handlers that a body element gives to the window. On a div
// they are those of events that never come, load before all.
var ofWindow = []string{
	"onload", "onunload", "onbeforeunload", "onpageshow", "onpagehide", "onresize", "onscroll", "onblur", "onfocus", "onerror",
	"onhashchange", "onpopstate", "onmessage", "onmessageerror", "onstorage", "ononline", "onoffline", "onlanguagechange",
	"onbeforeprint", "onafterprint", "onrejectionhandled", "onunhandledrejection",
}

// ofBody is the attributes that paint a body and nothing else.
var ofBody = []string{"background", "bgcolor", "text", "link", "vlink", "alink"}

// handlers finds event handlers and other attributes that stand where nobody
// obeys them any more.
func (f *look) handlers() {
	for _, a := range f.Body.Attr {
		switch {
		case slices.Contains(ofWindow, a.Key):
			f.OfAttribute(release.FidelityHandler, "body "+a.Key, a.Key, a.Val)
		case slices.Contains(ofBody, a.Key):
			f.OfAttribute(release.FidelityBody, "body "+a.Key+"="+markup.Quoted(a.Val), a.Key, a.Val)
		}
	}
	for _, a := range f.Root.Attr {
		if dom.Handler(a.Key) {
			f.OfAttribute(release.FidelityHandler, "html "+a.Key, a.Key, a.Val)
		}
	}
}

// hasText reports whether anything can be read in an element.
func hasText(n *html.Node) bool {
	for c := range n.Descendants() {
		if c.Type == html.TextNode && strings.Trim(c.Data, dom.Spaces) != "" {
			return true
		}
	}
	return false
}
