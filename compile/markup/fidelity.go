package markup

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	codes "vitrine/compile/release"
)

// What a document was on its own it is not always inside a page: the wrapper
// is a div, the storefront's style sheet resets what browsers set, scripts run
// again after a visit elsewhere (document 3, 4.6). Fidelity names what is lost
// that way, with its line, before visitors see it. It only reads: the programs
// are the same with or without it, so the edge, which compiles too, leaves it
// out.
//
// It tells what it is sure of. A selector that may match counts as matching, a
// style sheet of another host that cannot be read silences what depends on it,
// and a script that breaks off in the middle says nothing.

// Codes of what does not survive.
const (
	FidelityReset         = codes.FidelityReset
	FidelityCascade       = codes.FidelityCascade
	FidelitySelector      = codes.FidelitySelector
	FidelityRem           = codes.FidelityRem
	FidelityHeight        = codes.FidelityHeight
	FidelityBelow         = codes.FidelityBelow
	FidelityClass         = codes.FidelityClass
	FidelityHandler       = codes.FidelityHandler
	FidelityBody          = codes.FidelityBody
	FidelityRoot          = codes.FidelityRoot
	FidelityRedeclare     = codes.FidelityRedeclare
	FidelityWrite         = codes.FidelityWrite
	FidelityReady         = codes.FidelityReady
	FidelityCurrentScript = codes.FidelityCurrentScript
)

// fidelity is one look at a document.
type fidelity struct {
	src              Source
	release          *release
	dir              string
	root, head, body *html.Node
	author           *author
	setters          map[string][]*styleRule // by what they set
	classes          map[string]bool         // of html and body by script, that were told
	notes            *notes
}

// Fidelity reports what a document loses by moving into a page. A document that
// does not compile has an empty report: Compile says why.
func Fidelity(src Source) (report Report) {
	found := &notes{}
	defer report.sorted()
	if len(src.Index) > MaxIndex {
		return report
	}
	text, err := decode(src.Index)
	if err != nil {
		return report
	}
	doc, err := parseDocument(text)
	if err != nil {
		return report
	}
	r := &release{prefix: src.Root(), files: src.Files, refs: map[string]bool{}}
	f := &fidelity{src: src.bounded(), release: r, dir: base(doc, r), notes: found, setters: map[string][]*styleRule{}, classes: map[string]bool{}}
	f.root, f.head, f.body = landmarks(doc)
	f.author = f.readAuthor(doc)
	f.handlers()
	f.cascade()
	f.units()
	f.lowest()
	f.resets()
	f.scripts(doc)
	found.report(text, &report)
	return report
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
func (f *fidelity) handlers() {
	for _, a := range f.body.Attr {
		switch {
		case slices.Contains(ofWindow, a.Key):
			f.note(FidelityHandler, "body "+a.Key, attrKey(a.Key, a.Val))
		case slices.Contains(ofBody, a.Key):
			f.note(FidelityBody, "body "+a.Key+"="+quoted(a.Val), attrKey(a.Key, a.Val))
		}
	}
	for _, a := range f.root.Attr {
		if handler(a.Key) {
			f.note(FidelityHandler, "html "+a.Key, attrKey(a.Key, a.Val))
		}
	}
}

func (f *fidelity) note(code, thing, key string) { f.notes.add(code, indexPath, thing, key, 0) }

// at files a finding about a place in a style sheet or script.
func (f *fidelity) at(code, thing string, p place) { f.notes.at(code, thing, p) }

// sourceText is a style sheet or script with its file; inline is one of index.html.
type sourceText struct {
	file   string
	inline bool
	body   string
}

// place is an offset in a text. Its line is counted only when it is told.
type place struct {
	text   *sourceText
	offset int
}

// linked reads the file that an address names; false when the release has none.
func (f *fidelity) linked(dir, address string) (t *sourceText, ok bool) {
	_, path, v := f.release.resolve(dir, address)
	if v != moved || path == "" || f.src.Read == nil {
		return nil, false
	}
	body, ok := f.src.Read(path)
	if !ok {
		return nil, false
	}
	return &sourceText{file: path, body: decodeSheet(body)}, true
}

// shown walks the elements of a tree that a visitor with scripts sees.
func shown(n *html.Node, visit func(n *html.Node)) {
	for c := range n.ChildNodes() {
		if c.Type != html.ElementNode || c.Namespace != "" {
			continue
		}
		switch c.Data {
		case "template", "noscript":
			continue
		}
		visit(c)
		shown(c, visit)
	}
}

// hasText reports whether anything can be read in an element.
func hasText(n *html.Node) bool {
	for c := range n.Descendants() {
		if c.Type == html.TextNode && strings.Trim(c.Data, spaces) != "" {
			return true
		}
	}
	return false
}
