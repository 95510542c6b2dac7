package markup

import (
	"encoding/json"
	"strings"

	"golang.org/x/net/html"

	"vitrine/compile/markup/dom"
)

// head writes the hidden container that stands before the wrapper: the
// registry of asset roots, then what the head's author put there, in order
// (document 3, 4.6.2).
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

// registry tells scripts where their release is. An element with the id
// SVC_ASSETS would shadow the object, so only a plain object is taken over.
func (w *writer) registry(more string) {
	root := scriptString(w.doc.release.prefix)
	w.write(`<script>if({}.toString.call(window.SVC_ASSETS)!=="[object Object]")window.SVC_ASSETS={};window.SVC_ASSETS[`)
	w.write(scriptString(w.doc.src.Doc))
	w.write("]=" + root + ";window.SVC_ASSET_BASE=" + root + ";" + more + "</script>")
}

// scriptString is a string literal that cannot end a script element.
func scriptString(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""` // no string is refused by Marshal
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

// dropped reports whether an element has no place inside a page, wherever the
// document has it: the shop page owns its title, its base, its metadata.
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

// strip files what the loss of an element means to its author. Title,
// description, charset and viewport are no loss: the page has them.
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

// staysAway reports whether a robots directive keeps a page out of the index:
// noindex, or none, which is short for noindex and nofollow.
func staysAway(content string) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(content), func(r rune) bool { return r == ',' || r <= ' ' }) {
		if word == "noindex" || word == "none" {
			return true
		}
	}
	return false
}

// commonplace reports whether a meta repeats what the page says itself.
func commonplace(n *html.Node) bool {
	if _, ok := dom.Attr(n, "charset"); ok {
		return true
	}
	directive, _ := dom.Attr(n, "http-equiv")
	return strings.EqualFold(directive, "content-type") || strings.EqualFold(directive, "x-ua-compatible")
}

// shownTag is an element's tag with the attribute that tells it apart.
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
	return filled(cut(title)), filled(cut(description))
}

// maxSEO is how many characters of a title or description a page takes, as many
// as its own fields hold (CONTRACT, "Answers").
const maxSEO = 1000

// cut is the beginning of a text that is longer than a page takes.
func cut(text string) string {
	n := 0
	for i := range text {
		if n++; n > maxSEO {
			return text[:i]
		}
	}
	return text
}

// filled is a text of the page's SEO, "" when it waits for values: those are put
// into the document only.
func filled(text string) string {
	if _, _, _, found := (scope{}).nextHole(text); found {
		return ""
	}
	return text
}

func collapse(s string) string { return strings.Join(strings.FieldsFunc(s, isHTMLSpace), " ") }

func isHTMLSpace(r rune) bool { return strings.ContainsRune(dom.Spaces, r) }

// base is the directory that a relative base names inside the release. Any
// other base is ignored.
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

// inert reports whether an element is no part of the document: it stands in a
// template, or in what is shown without scripts.
func inert(n *html.Node) bool {
	for n = n.Parent; n != nil; n = n.Parent {
		if n.Namespace == "" && (n.Data == "template" || n.Data == "noscript") {
			return true
		}
	}
	return false
}
