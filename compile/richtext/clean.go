package richtext

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits of a text. Text beyond them is drawn without its tags.
const (
	maxBytes    = 512 << 10 // the longest field has 100,000 characters
	maxTags     = 10_000    // in the source
	maxElements = 20_000    // in the output: each paragraph reopens the elements left open before it
	maxDepth    = 24        // of nested elements; deeper ones are drawn as their words
)

// policy allows the elements and attributes of the tables. It also limits the schemes of
// addresses; shop.SafeLink and shop.PageAddress restrict them further.
var policy = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements(slices.Collect(maps.Keys(tags))...)
	for name, list := range attributes {
		p.AllowAttrs(list...).OnElements(name)
	}
	p.AllowRelativeURLs(true)
	p.RequireParseableURLs(true)
	p.AllowURLSchemes("http", "https", "mailto", "tel", "form", "svc")
	return p
})

// parse sanitizes a text and returns its tree, or nil when the text exceeds a limit.
func parse(text string) *html.Node {
	if len(text) > maxBytes || strings.Count(text, "<") > maxTags {
		return nil
	}
	// Paragraphs are found by line feeds.
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

func attribute(n *html.Node, name string) string {
	i := slices.IndexFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name && a.Namespace == "" })
	if i < 0 {
		return ""
	}
	return n.Attr[i].Val
}

// holdsBlock reports whether a block is among the descendants of an element.
func holdsBlock(n *html.Node) bool {
	for c := range n.Descendants() {
		if r := roleOf(c); r == block || r == part {
			return true
		}
	}
	return false
}

// hasBreaks reports whether any tag ends a line or a paragraph.
func hasBreaks(n *html.Node) bool {
	for c := range n.Descendants() {
		if r := roleOf(c); r == block || r == part || r == inline && c.Data == "br" {
			return true
		}
	}
	return false
}

// visible reports whether nodes show any words or pictures. Editors leave empty
// paragraphs behind.
func visible(nodes ...*html.Node) bool {
	for _, n := range nodes {
		if shows(n) {
			return true
		}
		for c := range n.Descendants() {
			if shows(c) {
				return true
			}
		}
	}
	return false
}

func shows(n *html.Node) bool {
	return n.Type == html.TextNode && strings.TrimSpace(n.Data) != "" || roleOf(n) == inline && n.Data == "img"
}

// textOf returns the words of a node and its descendants.
func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		switch {
		case c.Type == html.TextNode:
			b.WriteString(c.Data)
		case roleOf(c) == inline && c.Data == "br":
			b.WriteByte('\n')
		}
	}
	return b.String()
}
