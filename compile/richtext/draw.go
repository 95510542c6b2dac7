package richtext

import (
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"vitrine/internal/shop"
)

// Picture is a picture of the media library in a text.
type Picture struct {
	Path          string // "/files/…"
	Alt           string
	Width, Height int // as the author gave them, 0 for none
}

// Options configure how a text is drawn.
type Options struct {
	Level   int                                 // of its first heading, 2 to 6: one below the heading of the page above it
	Origin  string                              // of the shop, https://host: addresses below it are its own
	Table   string                              // accessible name of a table that scrolls, in the language of the page
	Page    func(shop.CategoryID) (path string) // resolves svc:page/<id>; empty: there is no such page
	Picture func(Picture) (markup string)       // nil: texts have no pictures
}

// Draw renders a text for which Is is true as HTML that may stand in an element of a
// page. A text beyond the limits is rendered as its words. Drawing the result again with
// the same options does not change it.
func Draw(text string, o Options) string {
	if root := parse(text); root != nil {
		d := &drawing{Options: o, out: &html.Node{Type: html.DocumentNode}, lines: !hasBreaks(root)}
		d.removeForeignPictures(root)
		d.blocks(d.out, root, 0)
		if drawn := d.String(); drawn != "" {
			return drawn
		}
	}
	d := &drawing{Options: o, out: &html.Node{Type: html.DocumentNode}, lines: true}
	d.paragraph(d.out, []*html.Node{words(strip(text))}, 0)
	return d.String()
}

// drawing builds the tree of a drawn text. It copies nothing from the tree of the source
// but words and the names of allowed elements; it makes all attributes itself.
type drawing struct {
	Options
	out      *html.Node
	lines    bool  // no tag ends a line or a paragraph, so line ends of the words do
	linked   bool  // inside a link, which cannot contain another
	ranks    []int // of the source headings above the current position, outermost first
	elements int   // that were added to the tree
}

// String returns the markup, which is empty when there are too many elements.
func (d *drawing) String() string {
	var b strings.Builder
	if d.elements > maxElements || html.Render(&b, d.out) != nil {
		return ""
	}
	return b.String()
}

// add appends a node to its parent and returns it. A node beyond maxElements is not
// appended.
func (d *drawing) add(parent, n *html.Node) *html.Node {
	if d.elements++; d.elements <= maxElements {
		parent.AppendChild(n)
	}
	return n
}

func (d *drawing) element(parent *html.Node, name string, attrs ...html.Attribute) *html.Node {
	return d.add(parent, &html.Node{Type: html.ElementNode, Data: name, Attr: attrs})
}

func words(text string) *html.Node { return &html.Node{Type: html.TextNode, Data: text} }

// blocks draws the content of an element as blocks. Inline nodes between blocks become
// paragraphs, and items outside of a list become a list.
func (d *drawing) blocks(out, n *html.Node, depth int) {
	var loose []*html.Node
	var list *html.Node
	flush := func() {
		if d.paragraph(out, loose, depth) {
			list = nil
		}
		loose = nil
	}
	for c := range n.ChildNodes() {
		switch r := roleOf(c); {
		case r == part: // an item: the parser drops parts of a table outside of tables
			if flush(); list == nil {
				list = d.element(out, "ul")
			}
			d.item(list, c, depth)
		case r == block, r != 0 && c.Data != "a" && holdsBlock(c):
			flush()
			list = nil
			d.block(out, c, depth)
		default:
			loose = append(loose, c)
		}
	}
	flush()
}

func (d *drawing) block(out, n *html.Node, depth int) {
	if depth >= maxDepth {
		d.paragraph(out, []*html.Node{words(textOf(n))}, depth)
		return
	}
	switch n.Data {
	case "hr":
		d.element(out, "hr")
	case "p":
		d.paragraph(out, slices.Collect(n.ChildNodes()), depth+1)
	case "pre":
		if text := textOf(n); strings.TrimSpace(text) != "" {
			d.element(out, "pre", html.Attribute{Key: "tabindex", Val: "0"}).AppendChild(words(text))
		}
	case "blockquote":
		d.blocks(d.element(out, "blockquote"), n, depth+1)
	case "ul", "ol":
		d.list(out, n, depth)
	case "table":
		d.table(out, n, depth)
	case "h1", "h2", "h3", "h4", "h5", "h6":
		d.heading(out, n, depth)
	default: // a div, or an inline element that cannot contain the blocks in it
		d.blocks(out, n, depth+1)
	}
}

// paragraph draws inline nodes if they are visible, and reports whether it has. Where no
// tag ends paragraphs, empty lines do.
func (d *drawing) paragraph(out *html.Node, nodes []*html.Node, depth int) (drawn bool) {
	paragraphs := [][]*html.Node{nodes}
	if d.lines {
		paragraphs = splitAtEmptyLines(nodes)
	}
	for _, nodes := range paragraphs {
		if visible(nodes...) {
			d.inlines(d.element(out, "p"), depth, slices.Values(nodes))
			drawn = true
		}
	}
	return drawn
}

var emptyLine = regexp.MustCompile(`\n[ \t]*\n\s*`)

// splitAtEmptyLines splits nodes at the empty lines of their text nodes.
func splitAtEmptyLines(nodes []*html.Node) (parts [][]*html.Node) {
	var part []*html.Node
	end := func() {
		if len(part) > 0 {
			trimText(part[0], strings.TrimLeft)
			trimText(part[len(part)-1], strings.TrimRight)
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
			part = append(part, words(text))
		}
	}
	end()
	return parts
}

func trimText(n *html.Node, trim func(text, cutset string) string) {
	if n.Type == html.TextNode {
		n.Data = trim(n.Data, " \t\n")
	}
}

func (d *drawing) inlines(out *html.Node, depth int, nodes iter.Seq[*html.Node]) {
	for n := range nodes {
		d.inline(out, n, depth)
	}
}

func (d *drawing) inline(out, n *html.Node, depth int) {
	switch r := roleOf(n); {
	case n.Type == html.TextNode:
		d.text(out, n.Data)
	case r == 0:
	case n.Data == "br":
		d.element(out, "br")
	case depth >= maxDepth:
		out.AppendChild(words(textOf(n)))
	case n.Data == "img":
		d.picture(out, n)
	case n.Data == "a":
		d.link(out, n, depth)
	case r == inline:
		d.inlines(d.element(out, n.Data), depth+1, n.ChildNodes())
	case r == skipped:
		d.inlines(out, depth+1, n.ChildNodes())
	default: // a block where only inline content is allowed
		out.AppendChild(words(" "))
		d.inlines(out, depth+1, n.ChildNodes())
		out.AppendChild(words(" "))
	}
}

// text draws words. Their line ends become br elements where no tag ends lines.
func (d *drawing) text(out *html.Node, text string) {
	if !d.lines {
		out.AppendChild(words(text))
		return
	}
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			d.element(out, "br")
		}
		out.AppendChild(words(line))
	}
}

// heading draws a heading one rank below the nearest heading above it of a higher rank in
// the source, so that no rank is skipped, whatever ranks the author used.
func (d *drawing) heading(out, n *html.Node, depth int) {
	if !visible(n) {
		return
	}
	rank := int(n.Data[1] - '0')
	for len(d.ranks) > 0 && d.ranks[len(d.ranks)-1] >= rank {
		d.ranks = d.ranks[:len(d.ranks)-1]
	}
	d.ranks = append(d.ranks, rank)
	level := min(max(d.Level, 2)+len(d.ranks)-1, 6)
	d.inlines(d.element(out, "h"+strconv.Itoa(level)), depth+1, n.ChildNodes())
}

// list draws a list. A child that is not an item becomes one.
func (d *drawing) list(out, n *html.Node, depth int) {
	list := d.element(out, n.Data)
	for _, c := range slices.Collect(n.ChildNodes()) {
		if roleOf(c) != part {
			if !visible(c) && c.Data != "hr" {
				continue
			}
			n.RemoveChild(c)
			item := &html.Node{Type: html.ElementNode, Data: "li"}
			item.AppendChild(c)
			c = item
		}
		d.item(list, c, depth+1)
	}
}

func (d *drawing) item(list, n *html.Node, depth int) {
	d.cell(d.element(list, "li"), n, depth+1)
}

// cell draws the content of an item or of a cell of a table: as blocks if it contains
// any, else as inline content.
func (d *drawing) cell(out, n *html.Node, depth int) {
	switch {
	case depth >= maxDepth:
		out.AppendChild(words(textOf(n)))
	case holdsBlock(n):
		d.blocks(out, n, depth)
	default:
		d.inlines(out, depth, n.ChildNodes())
	}
}

// table draws a table in a box that scrolls, by touch and by keyboard, where the table is
// wider than the page.
func (d *drawing) table(out, n *html.Node, depth int) {
	box := d.element(out, "div", html.Attribute{Key: "class", Val: "v-rich__wide"}, html.Attribute{Key: "role", Val: "group"},
		html.Attribute{Key: "tabindex", Val: "0"}, html.Attribute{Key: "aria-label", Val: d.Table})
	d.tableParts(d.element(box, "table"), n, depth)
}

// tableParts draws the parts in a table, which the parser has put in order.
func (d *drawing) tableParts(out, n *html.Node, depth int) {
	for c := range n.ChildNodes() {
		switch {
		case roleOf(c) != part:
		case c.Data == "td", c.Data == "th":
			d.cell(d.element(out, c.Data, spans(c)...), c, depth+4)
		default:
			d.tableParts(d.element(out, c.Data), c, depth)
		}
	}
}

// maxSpan is the number of columns or rows that a cell covers at most.
const maxSpan = 100

// spans returns the colspan and rowspan of a cell.
func spans(cell *html.Node) (attrs []html.Attribute) {
	for _, name := range []string{"colspan", "rowspan"} {
		if v, err := strconv.Atoi(strings.TrimSpace(attribute(cell, name))); err == nil && v > 1 {
			attrs = append(attrs, html.Attribute{Key: name, Val: strconv.Itoa(min(v, maxSpan))})
		}
	}
	return attrs
}
