package richtext

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

func children(n *html.Node) (list []*html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		list = append(list, c)
	}
	return list
}

// visible reports whether there is a word or a picture among nodes: editors leave
// empty paragraphs behind.
func visible(nodes []*html.Node) bool {
	for _, n := range nodes {
		if n.Type == html.TextNode && strings.TrimSpace(n.Data) != "" || n.Type == html.ElementNode && (n.Data == "img" || n.Data == "hr") {
			return true
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if visible([]*html.Node{c}) {
				return true
			}
		}
	}
	return false
}

// textOf is the words of a node and of what it holds.
func textOf(n *html.Node) string {
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
		case n.Type == html.ElementNode && n.Data == "br":
			b.WriteByte('\n')
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(n)
	return b.String()
}

// breaks reports whether a tag ends a line or a paragraph somewhere.
func breaks(n *html.Node) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if r := roleOf(c); r == block || r == part || r != 0 && c.Data == "br" || breaks(c) {
			return true
		}
	}
	return false
}

// paragraphs parts nodes at the empty lines of their words.
func paragraphs(nodes []*html.Node) (parts [][]*html.Node) {
	var part []*html.Node
	end := func() {
		if len(part) > 0 {
			trim(part[0], strings.TrimLeft)
			trim(part[len(part)-1], strings.TrimRight)
			parts, part = append(parts, part), nil
		}
	}
	for _, n := range nodes {
		if n.Type != html.TextNode {
			part = append(part, n)
			continue
		}
		for i, text := range emptyLine.Split(n.Data, -1) {
			if i > 0 {
				end()
			}
			part = append(part, &html.Node{Type: html.TextNode, Data: text})
		}
	}
	end()
	return parts
}

var emptyLine = regexp.MustCompile(`\n[ \t]*\n\s*`)

func trim(n *html.Node, by func(text, cut string) string) {
	if n.Type == html.TextNode {
		n.Data = by(n.Data, " \t\n")
	}
}
