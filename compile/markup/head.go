package markup

import (
	"encoding/json"
	"strings"

	"golang.org/x/net/html"

	"vitrine/compile/markup/dom"
	"vitrine/internal/shop"
)

// head writes the hidden container before the wrapper: the registry of asset roots, then the
// contents of the document's head, in order (document 3, 4.6.2).
func (w *writer) head(root, head, body *html.Node) {
	id := w.doc.src.Doc
	w.write(`<div class="svc-head svc-head-`)
	w.arena = appendAttr(w.arena, id)
	w.write(`" hidden>`)
	if !w.guarded {
		w.registry(w.doc.noJS(root, body))
	}
	if head != nil {
		for c := range head.ChildNodes() {
			w.headNode(c)
		}
	}
	w.write("</div>")
}

// registry tells scripts the path of their release. An element with the id SVC_ASSETS would
// shadow the object, so only a plain object is reused.
func (w *writer) registry(more string) {
	root := scriptString(w.doc.release.prefix)
	w.write(`<script>if({}.toString.call(window.SVC_ASSETS)!=="[object Object]")window.SVC_ASSETS={};window.SVC_ASSETS[`)
	w.write(scriptString(w.doc.src.Doc))
	w.write("]=" + root + ";window.SVC_ASSET_BASE=" + root + ";" + more + "</script>")
}

// scriptString returns a string literal that cannot end a script element.
func scriptString(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""` // Marshal does not fail for strings
	}
	return string(b)
}

func (w *writer) headNode(n *html.Node) {
	if n.Type != html.ElementNode {
		return
	}
	switch n.Data {
	case "link", "style", "script", "noscript", "template":
		w.element(n)
	default:
		w.strip(n)
	}
}

// dropped reports whether an element is not allowed inside a page, anywhere in the document: the
// shop page has its own title, base and metadata.
func dropped(n *html.Node) bool {
	if n.Namespace != "" {
		return false
	}
	switch n.Data {
	case "title", "base":
		return true
	case "meta":
		_, directive := dom.Attr(n, "http-equiv")
		return directive || openGraph(n) || strings.EqualFold(metaName(n), "description")
	case "link":
		for _, rel := range dom.Rels(n) {
			if rel == "manifest" || rel == "canonical" {
				return true
			}
		}
	}
	return false
}

func openGraph(n *html.Node) bool {
	property, _ := dom.Attr(n, "property")
	const prefix = "og:"
	for _, s := range [...]string{property, metaName(n)} {
		s = strings.TrimLeft(s, dom.Spaces)
		if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
			return true
		}
	}
	return false
}

func metaName(n *html.Node) string {
	name, _ := dom.Attr(n, "name")
	return strings.Trim(name, dom.Spaces)
}

// strip reports what the loss of an element means to its author. Title, description, charset and
// viewport are no loss: the page has its own.
func (w *writer) strip(n *html.Node) {
	key := elementKey(n.Data, n.Attr)
	switch n.Data {
	case "title":
		return
	case "meta":
		name := strings.ToLower(metaName(n))
		content, _ := dom.Attr(n, "content")
		if (name == "robots" || name == "googlebot" || name == "yandex") && staysAway(content) {
			w.note(PageNoIndex, "meta "+Quoted(content), key)
			return
		}
		if name == "description" || name == "viewport" || commonplace(n) {
			return
		}
	}
	w.note(HeadStripped, shownTag(n), key)
}

// staysAway reports whether a robots directive keeps a page out of the index: noindex, or none,
// which is short for noindex and nofollow.
func staysAway(content string) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(content), func(r rune) bool { return r == ',' || r <= ' ' }) {
		if word == "noindex" || word == "none" {
			return true
		}
	}
	return false
}

// commonplace reports whether a meta repeats what the page declares itself.
func commonplace(n *html.Node) bool {
	if _, ok := dom.Attr(n, "charset"); ok {
		return true
	}
	directive, _ := dom.Attr(n, "http-equiv")
	return strings.EqualFold(directive, "content-type") || strings.EqualFold(directive, "x-ua-compatible")
}

// shownTag returns an element's tag with its distinguishing attribute.
func shownTag(n *html.Node) string {
	for _, name := range [...]string{"property", "name", "http-equiv", "rel", "href"} {
		if value, ok := dom.Attr(n, name); ok {
			return "<" + n.Data + " " + name + "=" + Quoted(value) + ">"
		}
	}
	return "<" + n.Data + ">"
}

// seo reads the document's own title and description.
func seo(doc *html.Node) (title, description string) {
	titled, described := false, false
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode {
			switch {
			case n.Namespace != "" || n.Data == "template" || n.Data == "noscript":
				return
			case n.Data == "title" && !titled:
				title, titled = collapse(dom.Text(n)), true
			case n.Data == "meta" && !described && strings.EqualFold(metaName(n), "description"):
				content, _ := dom.Attr(n, "content")
				description, described = collapse(content), true
			}
		}
		for c := range n.ChildNodes() {
			walk(c)
		}
	}
	walk(doc)
	return filled(shop.Clip(title, maxSEO)), filled(shop.Clip(description, maxSEO))
}

// maxSEO is the maximum number of characters of a title or description, equal to the limit of the
// page's own fields (CONTRACT, "Answers").
const maxSEO = 1000

// filled returns a text for the page's SEO, or "" if it has placeholders: values are inserted
// only into the document.
func filled(text string) string {
	if _, _, _, found := (scope{}).nextHole(text); found {
		return ""
	}
	return text
}

func collapse(s string) string { return strings.Join(strings.FieldsFunc(s, isHTMLSpace), " ") }

func isHTMLSpace(r rune) bool { return strings.ContainsRune(dom.Spaces, r) }

// base returns the directory that a relative base names inside the release. Any other base is
// ignored.
func base(doc *html.Node, r *release) string {
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode || n.Namespace != "" || n.Data != "base" || inert(n) {
			continue
		}
		href, ok := dom.Attr(n, "href")
		if !ok {
			continue
		}
		href = trimAddress(href)
		if _, absolute := scheme(href); absolute || href == "" || strings.IndexByte(`#?/\`, href[0]) >= 0 {
			return ""
		}
		file, _, _ := strings.Cut(href, "#")
		file, _, _ = strings.Cut(file, "?")
		joined, inside := joinPath("", file)
		if !inside {
			return ""
		}
		return directory(joined)
	}
	return ""
}

// inert reports whether an element is not part of the document as shown: it is in a template, or
// in contents shown only without scripts.
func inert(n *html.Node) bool {
	for n = n.Parent; n != nil; n = n.Parent {
		if n.Namespace == "" && (n.Data == "template" || n.Data == "noscript") {
			return true
		}
	}
	return false
}
