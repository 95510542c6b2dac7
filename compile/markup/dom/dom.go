// Package dom has accessors for elements of a parsed document, for the compiler and its checks.
package dom

import (
	"strings"

	"golang.org/x/net/html"
)

// Spaces is the white space of html and CSS.
const Spaces = " \t\r\n\f"

// Attr returns the value of an attribute, and whether the element has it.
func Attr(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// Text returns the text directly inside an element.
func Text(n *html.Node) string {
	if c := n.FirstChild; c != nil && c.NextSibling == nil && c.Type == html.TextNode {
		return c.Data
	}
	var b strings.Builder
	for c := range n.ChildNodes() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}

// Rels returns the link types of a link, in lower case.
func Rels(n *html.Node) []string {
	rel, _ := Attr(n, "rel")
	return strings.Fields(strings.ToLower(rel))
}

// Media returns the media query of a style sheet. A link that is loaded as print and switched to
// all after loading applies to all.
func Media(n *html.Node) string {
	media, _ := Attr(n, "media")
	onload, _ := Attr(n, "onload")
	if strings.EqualFold(strings.Trim(media, Spaces), "print") && strings.Contains(onload, "media") {
		return ""
	}
	return media
}

// Shown walks the elements of a tree that are visible to a visitor with scripts.
func Shown(n *html.Node, visit func(n *html.Node)) {
	for c := range n.ChildNodes() {
		if c.Type != html.ElementNode || c.Namespace != "" {
			continue
		}
		switch c.Data {
		case "template", "noscript":
			continue
		}
		visit(c)
		Shown(c, visit)
	}
}

// Handler reports whether an attribute is an event handler: "on" followed by letters only, so
// on-tap is not one.
func Handler(name string) bool {
	return len(name) > 2 && name[:2] == "on" && strings.Trim(name[2:], "abcdefghijklmnopqrstuvwxyz") == ""
}
