// Package fidelity reports what a document loses by moving into a page, with line numbers, before
// visitors see it.
//
// In a page a document does not behave exactly as it does alone: the wrapper is a div, the storefront's
// style sheet resets browser defaults, scripts run again after a visit elsewhere (document 3,
// 4.6). The check does not change the compiled programs, so the edge, which compiles too, skips
// it.
//
// It reports only what is certain. A selector that may match counts as matching, an unreadable
// style sheet of another host suppresses findings that depend on it, and a script that breaks off
// has no findings.
//
// The package matches selectors itself, within a limit of steps. Those of cascadia have no limit
// (eight nested element names take hours in a deep tree), do not support states such as
// :focus-visible, and do not expose the parts of a selector, which most findings are about.
package fidelity

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"vitrine/compile/markup"
	"vitrine/compile/markup/dom"
	"vitrine/compile/release"
)

// look is the check of one document.
type look struct {
	*markup.Inspection
	author  *author
	setters map[string][]*styleRule // by the properties that they set
	classes map[string]bool         // set on html and body by scripts, already reported
}

// Check reports what a document loses by moving into a page. A document that does not compile has
// an empty report: markup.Compile gives the reason.
func Check(src markup.Source) markup.Report {
	doc, err := markup.NewInspection(src, mend)
	if err != nil {
		return markup.Report{Errors: []markup.Finding{}, Warnings: []markup.Finding{}, Infos: []markup.Finding{}}
	}
	f := &look{Inspection: doc, setters: map[string][]*styleRule{}, classes: map[string]bool{}}
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

// ofWindow lists the handlers that a body element forwards to the window. On a div their events
// never fire, in particular load.
var ofWindow = []string{
	"onload", "onunload", "onbeforeunload", "onpageshow", "onpagehide", "onresize", "onscroll", "onblur", "onfocus", "onerror",
	"onhashchange", "onpopstate", "onmessage", "onmessageerror", "onstorage", "ononline", "onoffline", "onlanguagechange",
	"onbeforeprint", "onafterprint", "onrejectionhandled", "onunhandledrejection",
}

// ofBody lists the attributes that style only a body.
var ofBody = []string{"background", "bgcolor", "text", "link", "vlink", "alink"}

// handlers finds event handlers and other attributes that have no effect any more.
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

// hasText reports whether an element contains visible text.
func hasText(n *html.Node) bool {
	for c := range n.Descendants() {
		if c.Type == html.TextNode && strings.Trim(c.Data, dom.Spaces) != "" {
			return true
		}
	}
	return false
}
