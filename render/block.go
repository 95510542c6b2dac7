package render

import (
	"html/template"

	"vitrine/compile/widget"
	"vitrine/internal/shop"
)

// BlockKind is the kind of drawing a block produces.
type BlockKind uint8

// The kinds of blocks that draw something. Any other kind draws nothing.
const (
	BlockNone           BlockKind = iota
	BlockSystem                   // the system drawing of the page's kind
	BlockHTML                     // Fragment: an html document
	BlockText                     // Text: an owner's simple HTML, or plain text
	BlockBreadcrumbs              // the frame's crumbs
	BlockPageHeading              // the page's h1
	BlockProductListing           // Products
	BlockArticleGrid              // Articles
	BlockGroup                    // Group, in order
	BlockColumns                  // Group, and Aside beside it
	BlockArticleText              // Group: the blocks of the article itself
	BlockAlbum                    // the pictures of the page's article
	BlockWidget                   // Widget
)

// Block is one content block, resolved to the data it draws (document 3, 2.2).
type Block struct {
	Kind  BlockKind
	Place Place // where it is stored

	Fragment Fragment // of an html document: hidden head container and wrapper, final bytes
	Boxed    bool     // props.html.boxed: the document is drawn in the content column

	Text     string
	Literal  bool // of BlockText: tags are printed literally
	Products ProductGrid
	Articles ArticleGrid
	Group    []Block
	Aside    []Block // of BlockColumns

	Widget *Widget // of BlockWidget
	Wrap   *Wrap   // the box requested by the wrapper props; nil: no box
}

// Place names a section of a content block. Previews mark what it draws, so that the cabinet finds
// the form for what was clicked.
type Place struct {
	Block   shop.BlockID // 0: the platform's own drawing
	Section int
}

// Fragment appends the bytes of an html document to a page. It is a function so that a
// document is written in place and not copied; nil writes nothing.
type Fragment func(dst []byte) []byte

// ProductGrid is a listing of products under an optional heading.
type ProductGrid struct {
	Heading  string
	Products []ProductCard
	More     Crumb   // link beside the heading, "See all" without a name; empty Path: none
	Paging   Paging  // of a listing with pages
	Finder   *Finder // filters and order of the list; nil: none

	Props widget.Values // of the widget productListing, nil for other blocks
}

// ArticleGrid is a grid of article cards under an optional heading.
type ArticleGrid struct {
	Heading  string
	Articles []ArticleCard
	More     Crumb
	Columns  int    // 1 to 6; 0 means 3
	Aspect   string // of the covers, one of Aspects; empty means 3/2
	Paging   Paging

	Props   widget.Values  // of the widget articleGrid, nil for other blocks
	Rubrics []CategoryCard // links above the grid
}

// Title is the heading of the grid: its own if it is a widget, otherwise the one given by the
// page.
func (g ProductGrid) Title() template.HTML { return gridTitle(g.Props, g.Heading) }

// Title is the heading of the grid, chosen like that of ProductGrid.
func (g ArticleGrid) Title() template.HTML { return gridTitle(g.Props, g.Heading) }

func gridTitle(props widget.Values, standard string) template.HTML {
	if own := props.Of("title"); own.Text("text") != "" {
		return heading(props.Text("titleTag"), own.Text("text"), "v-widget__title", own)
	}
	if standard == "" {
		return ""
	}
	return template.HTML("<h2>" + template.HTMLEscapeString(standard) + "</h2>")
}

// Aspects lists the aspect ratios that a cover may have (document 3, 2.2).
var Aspects = []string{"3/4", "4/3", "3/2", "16/9", "1/1"}

// holds reports whether the blocks or their groups contain a block of the kind.
func holds(blocks []Block, kind BlockKind) bool {
	for i := range blocks {
		if blocks[i].Kind == kind || holds(blocks[i].Group, kind) || holds(blocks[i].Aside, kind) {
			return true
		}
	}
	return false
}
