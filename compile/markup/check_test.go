package markup

import (
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// compile builds a document 7, release 3, in which every file exists.
func compile(t testing.TB, index string) *Compiled {
	t.Helper()
	c, err := Compile(Source{Doc: "7", Release: "3", Index: []byte(index)})
	if err != nil {
		t.Fatalf("%v\n%s", err, index)
	}
	return c
}

// draw renders what follows the wrapper's opening tag, without its end.
func draw(t testing.TB, p *Program, data *Data) string {
	t.Helper()
	if data == nil {
		data = &Data{}
	}
	_, rest, _ := strings.Cut(string(p.AppendTo(nil, data)), `class="svc-body `)
	_, body, _ := strings.Cut(rest, ">")
	return strings.TrimSuffix(body, "</div>")
}

// around reads a fragment as a browser does that meets it inside a page.
func around(t testing.TB, fragment string, scripts bool) *html.Node {
	t.Helper()
	page := "<!DOCTYPE html><html><body><main>" + fragment + `<i id="behind"></i></main></body></html>`
	doc, err := html.ParseWithOptions(strings.NewReader(page), html.ParseOptionEnableScripting(scripts))
	if err != nil {
		return nil // the page's own elements made it too deep
	}
	return doc
}

// balanced reports whether what follows the fragment in the page is still
// where it belongs.
func balanced(doc *html.Node) bool { return doc == nil || enclosed(doc, "behind") }

// live names the first thing in a tree that could run.
func live(doc *html.Node) string {
	if doc == nil {
		return ""
	}
	return running(doc)
}

// dump prints a tree for comparison: attributes sorted, neighbouring text as one.
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
