package markup

import (
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// compile compiles a document 7, release 3, in which every file exists.
func compile(t testing.TB, index string) *Compiled {
	t.Helper()
	c, err := Compile(Source{Doc: "7", Release: "3", Index: []byte(index)})
	if err != nil {
		t.Fatalf("%v\n%s", err, index)
	}
	return c
}

// draw returns the contents of the wrapper.
func draw(t testing.TB, p *Program, data *Data) string {
	t.Helper()
	if data == nil {
		data = &Data{}
	}
	_, rest, _ := strings.Cut(string(p.AppendTo(nil, data)), `class="svc-body `)
	_, body, _ := strings.Cut(rest, ">")
	return strings.TrimSuffix(body, "</div>")
}

// around parses a fragment as a browser would inside a page.
func around(t testing.TB, fragment string, scripts bool) *html.Node {
	t.Helper()
	page := "<!DOCTYPE html><html><body><main>" + fragment + `<i id="behind"></i></main></body></html>`
	doc, err := html.ParseWithOptions(strings.NewReader(page), html.ParseOptionEnableScripting(scripts))
	if err != nil {
		return nil // nested too deep together with the page's own elements
	}
	return doc
}

// balanced reports whether the elements after the fragment in the page are still in their place.
func balanced(doc *html.Node) bool { return doc == nil || enclosed(doc, "behind") }

// live returns the first thing in a tree that could run.
func live(doc *html.Node) string {
	if doc == nil {
		return ""
	}
	return running(doc)
}

// dump prints a tree for comparison: attributes sorted, adjacent texts merged.
func dump(n *html.Node) string {
	var b strings.Builder
	var walk func(n *html.Node, depth int)
	walk = func(n *html.Node, depth int) {
		for c := range n.ChildNodes() {
			indent := strings.Repeat(" ", depth)
			switch c.Type {
			case html.TextNode:
				b.WriteString(indent + strconv.Quote(c.Data) + "\n")
			case html.CommentNode:
				b.WriteString(indent + "<!--" + c.Data + "-->\n")
			case html.ElementNode:
				b.WriteString(indent + strings.ReplaceAll(elementKey(c.Namespace+":"+c.Data, c.Attr), "\x00", " ") + "\n")
				walk(c, depth+1)
			}
		}
	}
	walk(n, 0)
	return b.String()
}
