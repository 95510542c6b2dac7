package richtext

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"vitrine/internal/shop"
)

// Picture is one of the media library as a text shows it.
type Picture struct {
	Path          string // "/files/…"
	Alt           string
	Width, Height int // as the author said them, 0 without a word
}

// Options is what a text is drawn with.
type Options struct {
	Level   int                                 // of its first heading, 2 to 6: one below the heading that it stands under
	Origin  string                              // of the shop, https://host: addresses below it are its own
	Table   string                              // what a table that scrolls is called, in the language of the page
	Page    func(shop.CategoryID) (path string) // of svc:page/<id>; empty: none
	Picture func(Picture) (markup string)
}

// Draw prints a text that Is HTML, as what may stand in an element of a page. What
// costs too much is printed as its words.
func Draw(text string, o Options) string {
	d := &drawing{Options: o}
	if root := parse(text); root != nil {
		d.library(root)
		d.lines = !breaks(root)
		d.blocks(root, 0)
	}
	if d.over || d.Len() == 0 {
		d = &drawing{Options: o, lines: true}
		d.paragraph([]*html.Node{{Type: html.TextNode, Data: strip(text)}}, 0)
	}
	return d.String()
}

// drawing is a text on its way to the page.
type drawing struct {
	strings.Builder
	Options
	lines    bool  // no tag says where a line or a paragraph ends, so ends of lines do
	linked   bool  // in a link, which holds no other
	ranks    []int // of the headings that the text has come below, outermost first
	elements int
	over     bool // too many of them
}

func (d *drawing) open(name, attrs string) {
	d.elements++
	d.over = d.over || d.elements > maxElements
	if !d.over {
		d.WriteString("<" + name + attrs + ">")
	}
}

func (d *drawing) close(name string) {
	if !d.over {
		d.WriteString("</" + name + ">")
	}
}

func (d *drawing) words(text string) {
	if !d.over {
		d.WriteString(html.EscapeString(text))
	}
}

// blocks prints what an element holds as blocks: what stands loosely between them
// becomes paragraphs.
func (d *drawing) blocks(n *html.Node, depth int) {
	var loose []*html.Node
	flush := func() {
		d.paragraph(loose, depth)
		loose = nil
	}
	for c := n.FirstChild; c != nil && !d.over; c = c.NextSibling {
		switch r := roleOf(c); {
		case r == block:
			flush()
			d.block(c, depth)
		case r == part:
			flush()
			if c = d.orphans(c, depth); c == nil {
				return
			}
		case r != 0 && c.Data != "a" && holdsBlock(c): // emphasis around whole paragraphs
			flush()
			d.loosened(c, depth)
		default:
			loose = append(loose, c)
		}
	}
	flush()
}

// orphans prints items that stand in no list, as one, and returns the last of
// them. Parts of a table outside of one do not outlive the parser.
func (d *drawing) orphans(n *html.Node, depth int) (last *html.Node) {
	d.open("ul", "")
	for ; ; n = n.NextSibling {
		d.item(n, depth)
		next := n.NextSibling
		for next != nil && next.Type == html.TextNode && strings.TrimSpace(next.Data) == "" {
			next = next.NextSibling
		}
		if next == nil || roleOf(next) != part {
			break
		}
		for n.NextSibling != next {
			n = n.NextSibling
		}
	}
	d.close("ul")
	return n
}

func (d *drawing) block(n *html.Node, depth int) {
	if depth >= maxDepth {
		d.paragraph([]*html.Node{{Type: html.TextNode, Data: textOf(n)}}, depth)
		return
	}
	switch n.Data {
	case "hr":
		d.open("hr", "")
	case "div":
		d.blocks(n, depth+1)
	case "p":
		d.paragraph(children(n), depth+1)
	case "pre":
		if text := textOf(n); strings.TrimSpace(text) != "" {
			d.open("pre", ` tabindex="0"`)
			d.words(text)
			d.close("pre")
		}
	case "blockquote":
		d.open("blockquote", "")
		d.blocks(n, depth+1)
		d.close("blockquote")
	case "ul", "ol":
		d.list(n, depth)
	case "table":
		d.table(n, depth)
	default:
		d.heading(n, depth)
	}
}

// loosened prints the blocks of an element that cannot hold any.
func (d *drawing) loosened(n *html.Node, depth int) {
	if depth < maxDepth {
		d.blocks(n, depth+1)
	} else {
		d.paragraph([]*html.Node{{Type: html.TextNode, Data: textOf(n)}}, depth)
	}
}

// paragraph prints inline nodes, unless there is nothing to see. Where no tag says
// where paragraphs end, they end at empty lines.
func (d *drawing) paragraph(nodes []*html.Node, depth int) {
	parts := [][]*html.Node{nodes}
	if d.lines {
		parts = paragraphs(nodes)
	}
	for _, part := range parts {
		if visible(part) {
			d.open("p", "")
			for _, n := range part {
				d.inline(n, depth)
			}
			d.close("p")
		}
	}
}

func (d *drawing) inlines(n *html.Node, depth int) {
	for c := n.FirstChild; c != nil && !d.over; c = c.NextSibling {
		d.inline(c, depth)
	}
}

func (d *drawing) inline(n *html.Node, depth int) {
	switch r := roleOf(n); {
	case n.Type == html.TextNode:
		d.lineEnds(n.Data)
	case r == 0:
	case depth >= maxDepth:
		d.words(textOf(n))
	case n.Data == "br":
		d.open("br", "")
	case n.Data == "img":
		d.picture(n)
	case n.Data == "a":
		d.link(n, depth)
	case r == inline:
		d.open(n.Data, "")
		d.inlines(n, depth+1)
		d.close(n.Data)
	case r == skipped:
		d.inlines(n, depth+1)
	default: // a block where there is room for words alone
		d.words(" ")
		d.inlines(n, depth+1)
		d.words(" ")
	}
}

// lineEnds prints words, whose line ends count where no tag stands for them.
func (d *drawing) lineEnds(text string) {
	if !d.lines {
		d.words(text)
		return
	}
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			d.open("br", "")
		}
		d.words(line)
	}
}

// heading prints a heading one below those that stand above it in the text, so
// that no rank is left out, whatever ranks the author took.
func (d *drawing) heading(n *html.Node, depth int) {
	if !visible(children(n)) {
		return
	}
	rank := int(n.Data[1] - '0')
	for len(d.ranks) > 0 && d.ranks[len(d.ranks)-1] >= rank {
		d.ranks = d.ranks[:len(d.ranks)-1]
	}
	d.ranks = append(d.ranks, rank)
	name := "h" + strconv.Itoa(min(max(d.Level, 2)+len(d.ranks)-1, 6))
	d.open(name, "")
	d.inlines(n, depth+1)
	d.close(name)
}

// list prints a list of items: whatever else stands in it is one.
func (d *drawing) list(n *html.Node, depth int) {
	d.open(n.Data, "")
	for c := n.FirstChild; c != nil && !d.over; c = c.NextSibling {
		if c.Data == "li" && c.Type == html.ElementNode {
			d.item(c, depth+1)
		} else if visible([]*html.Node{c}) {
			alone := &html.Node{Type: html.ElementNode, Data: "li"}
			alone.FirstChild = &html.Node{Type: c.Type, Data: c.Data, Attr: c.Attr, FirstChild: c.FirstChild}
			d.item(alone, depth+1)
		}
	}
	d.close(n.Data)
}

func (d *drawing) item(n *html.Node, depth int) {
	d.open("li", "")
	d.cell(n, depth+1)
	d.close("li")
}

// cell prints what an item of a list or a cell of a table holds: words as they
// are, and blocks where there are any.
func (d *drawing) cell(n *html.Node, depth int) {
	switch {
	case depth >= maxDepth:
		d.words(textOf(n))
	case holdsBlock(n):
		d.blocks(n, depth)
	default:
		d.inlines(n, depth)
	}
}
