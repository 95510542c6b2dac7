package render

import (
	"html/template"

	"vitrine/compile/widget"
)

// BlockKind is what a block draws.
type BlockKind uint8

// The kinds of blocks that draw something. Any other kind draws nothing.
const (
	BlockNone           BlockKind = iota
	BlockSystem                   // the page kind's own drawing
	BlockHTML                     // Fragment: an html document
	BlockText                     // Text: the small HTML of an owner, or plain text
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

// Block is one content block, resolved to what it draws (document 3, 2.2).
type Block struct {
	Kind BlockKind

	Fragment Fragment // of an html document: hidden head container and wrapper, final bytes
	Boxed    bool     // props.html.boxed: the document stands in the content column

	Text     string
	Literal  bool // of BlockText: tags are printed literally
	Products ProductGrid
	Articles ArticleGrid
	Group    []Block
	Aside    []Block // of BlockColumns

	Widget *Widget // of BlockWidget
	Wrap   *Wrap   // the box that the wrapper axes ask for; nil: none of its own
}

// Fragment appends the bytes of an html document to a page. It is a function so
// that a document is drawn where it stands and not copied there; nil: nothing.
type Fragment func(dst []byte) []byte

// ProductGrid is a listing of products under an optional heading.
type ProductGrid struct {
	Heading  string
	Products []ProductCard
	More     Crumb   // link beside the heading, "See all" without a name; empty Path: none
	Paging   Paging  // of a listing with pages
	Finder   *Finder // what it can be narrowed by; nil: nothing

	Props widget.Values // of the widget productListing, nil where it is none
}

// ArticleGrid is a grid of article cards under an optional heading.
type ArticleGrid struct {
	Heading  string
	Articles []ArticleCard
	More     Crumb
	Columns  int    // 1 to 6; 0 means 3
	Aspect   string // of the covers, one of Aspects; empty means 3/2
	Paging   Paging

	Props   widget.Values  // of the widget articleGrid, nil where it is none
	Rubrics []CategoryCard // links above the grid
}

// Title is the heading of the grid: its own as a widget, or the one that a page
// gives it.
func (g ProductGrid) Title() template.HTML { return gridTitle(g.Props, g.Heading) }

// Title is the heading of the grid, as that of products.
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

// Aspects is the forms that a cover may have (document 3, 2.2).
var Aspects = []string{"3/4", "4/3", "3/2", "16/9", "1/1"}

// holds reports whether a block of the kind is among the blocks or their groups.
func holds(blocks []Block, kind BlockKind) bool {
	for i := range blocks {
		if blocks[i].Kind == kind || holds(blocks[i].Group, kind) || holds(blocks[i].Aside, kind) {
			return true
		}
	}
	return false
}
