package richtext

import (
	"slices"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// What a text may cost. Beyond it is drawn without its tags.
const (
	maxBytes    = 512 << 10 // the longest field has 100,000 characters
	maxTags     = 10_000    // written
	maxElements = 20_000    // drawn: what is left open is begun again in every paragraph
	maxDepth    = 24        // of elements in one another; what stands deeper is drawn as words
)

// policy is the first gate: the list in the words of bluemonday. Schemes are held
// to what Followed and PageAddress of internal/shop read; which of them, the second
// gate decides.
var policy = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	for name := range tags {
		p.AllowElements(name)
	}
	for name, list := range attributes {
		p.AllowAttrs(list...).OnElements(name)
	}
	p.AllowRelativeURLs(true)
	p.RequireParseableURLs(true)
	p.AllowURLSchemes("http", "https", "mailto", "tel", "form", "svc")
	return p
})

// parse reads a text as a tree of what the first gate lets through. It is nil
// where that would cost too much.
func parse(text string) *html.Node {
	if len(text) > maxBytes || strings.Count(text, "<") > maxTags {
		return nil
	}
	// Ends of lines would be lost in attributes and are what paragraphs are told by.
	clean := policy().Sanitize(strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"))
	root := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	nodes, err := html.ParseFragment(strings.NewReader(clean), root)
	if err != nil { // more than 512 open elements
		return nil
	}
	for _, n := range nodes {
		root.AppendChild(n)
	}
	return root
}

func roleOf(n *html.Node) role {
	if n.Type != html.ElementNode {
		return 0
	}
	return tags[n.Data]
}

// holdsBlock reports whether a block stands in an element. Its depth is bounded
// by that of the tree.
func holdsBlock(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if r := roleOf(c); r == block || r == part || holdsBlock(c) {
			return true
		}
	}
	return false
}

func attribute(n *html.Node, name string) string {
	i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name && a.Namespace == "" })
	if i < 0 {
		return ""
	}
	return n.Attr[i].Val
}
