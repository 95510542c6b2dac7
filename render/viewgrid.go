package render

import (
	"cmp"
	"html/template"
	"slices"
	"strings"

	"vitrine/compile/widget"
)

// cardView, noteView and the grids are the data of the templates in card.html: the page's
// view and the item to draw.
type cardView struct {
	*view
	Card  ProductCard
	Eager bool // its picture is visible without scrolling
	Quick bool // a button opens a quick view

	Changes bool // the script shows the old price of another variant in its place
}

type noteView struct {
	*view
	Note   ArticleCard
	props  widget.Values // of its grid
	aspect string        // of its cover, one of Aspects or empty
}

type productGridView struct {
	*view
	Grid  ProductGrid
	eager int // number of first pictures visible without scrolling
}

type articleGridView struct {
	*view
	Grid ArticleGrid
}

// pageLinks is the data of the template "paging".
type pageLinks struct {
	T          *words
	Links      []PageLink
	Prev, Next string
}

func (v *view) links(p Paging) pageLinks {
	return pageLinks{T: v.T, Links: p.links(v.Path), Prev: p.prev(v.Path), Next: p.next(v.Path)}
}

func (v *view) productGrid(g ProductGrid, eager int) productGridView {
	g.More.Name = cmp.Or(g.More.Name, v.T.SeeAll)
	return productGridView{view: v, Grid: g, eager: eager}
}

func (v *view) articleGrid(g ArticleGrid) articleGridView {
	if g.Columns < 1 || g.Columns > 6 {
		g.Columns = 3
	}
	if !slices.Contains(Aspects, g.Aspect) {
		g.Aspect = ""
	}
	g.More.Name = cmp.Or(g.More.Name, v.T.SeeAll)
	return articleGridView{view: v, Grid: g}
}

// CoverClass is the class for the aspect ratio of the grid's covers.
func (g articleGridView) CoverClass() string {
	if g.Grid.Aspect == "" || g.Grid.Aspect == "3/2" {
		return ""
	}
	return " v-notes--cover-" + strings.ReplaceAll(g.Grid.Aspect, "/", "-")
}

// MoreList is the list of other articles beside an article.
func (v *view) MoreList() widgetView {
	w := Widget{Kind: "articleListing"}
	if p, ok := v.Page.(*ArticlePage); ok {
		w.Articles = p.More
	}
	return v.widget(w)
}

// Card is the i-th card of the grid.
func (g productGridView) Card(c ProductCard, i int) cardView {
	return cardView{view: g.view, Card: c, Eager: i < g.eager, Quick: g.Grid.Props.Bool("showQuickViewButton")}
}

// Looks reports whether products of the grid open in a quick view over the page.
func (g productGridView) Looks() bool {
	return g.Grid.Props.Bool("showQuickViewButton") || g.Grid.Props.Text("cardClick") == "modal"
}

// PageLinks lists the links to the grid's other pages.
func (g productGridView) PageLinks() pageLinks { return g.links(g.Grid.Paging) }

// PageLinks lists the links to the grid's other pages.
func (g articleGridView) PageLinks() pageLinks { return g.links(g.Grid.Paging) }

// GridNote is one card of the grid.
func (g articleGridView) GridNote(a ArticleCard) noteView {
	return noteView{view: g.view, Note: a, props: g.Grid.Props, aspect: g.Grid.Aspect}
}

// Root is the attributes with the settings of the grid that the style sheet reads.
func (g articleGridView) Root() template.HTMLAttr {
	return Widget{Kind: "articleGrid", Props: g.Grid.Props}.Root()
}

// PagingMode is the way further pages are loaded in place: auto or more; empty if there are only
// links.
func (g articleGridView) PagingMode() string {
	how := g.Grid.Props.Text("paging")
	if g.Grid.Paging.Pages < 2 || how != "auto" && how != "more" {
		return ""
	}
	return how
}

// Searches reports whether visitors can search the grid.
func (g articleGridView) Searches() bool { return g.Grid.Props.Bool("searchVisible") }

// Nothing reports whether a search of the grid has no result.
func (g articleGridView) Nothing() bool {
	return g.Searches() && g.Search != "" && len(g.Grid.Articles) == 0
}

// Look is the style attribute of a part of the grid.
func (g articleGridView) Look(part string) template.HTMLAttr { return styled(g.Grid.Props.Of(part)) }

// CoverPlace is the place of the cover with its aspect ratio.
func (n noteView) CoverPlace() string {
	if n.aspect == "" || n.aspect == "3/2" {
		return "note"
	}
	return "note " + n.aspect
}

// Look is the style attribute of a part of the grid's cards.
func (n noteView) Look(part string) template.HTMLAttr { return styled(n.props.Of(part)) }

// Shows reports whether the grid shows a part of its cards.
func (n noteView) Shows(part string) bool { return !n.props.Has("hiddenParts", part) }

// Dated reports whether the date is drawn at a place: beside the rubric, under the headline,
// or after the author if one is shown.
func (n noteView) Dated(place string) bool {
	at := cmp.Or(n.props.Text("datePosition"), "meta")
	if at == "author" && !n.Signed() {
		at = "meta"
	}
	return at == place && n.Shows("date") && !n.Note.Published.IsZero()
}

// HasMeta reports whether the line of rubric and date has any content.
func (n noteView) HasMeta() bool {
	return n.Note.Rubric.Name != "" && n.Shows("rubric") || n.Dated("meta") || n.Dated("title")
}

// Signed reports whether the card shows its author: only cards of a grid do.
func (n noteView) Signed() bool {
	return n.props != nil && n.Note.Author.Name != "" && n.Shows("author")
}

// AuthorPosition is the position of the author.
func (n noteView) AuthorPosition() string { return n.props.Text("authorPosition") }

// More is the style of the card's "read more" link, empty if it has none.
func (n noteView) More() string {
	if style := n.props.Text("readMoreStyle"); style != "none" && n.Shows("readMore") {
		return style
	}
	return ""
}

// Card is one card outside a grid.
func (v *view) Card(c ProductCard, _ int) cardView { return cardView{view: v, Card: c} }

// Price is the price of a product on its page.
func (v *view) Price() cardView {
	p := &v.Page.(*ProductPage).Product
	return cardView{view: v, Card: p.ProductCard, Changes: p.SomeSave()}
}

// Note is one article card.
func (v *view) Note(a ArticleCard) noteView { return noteView{view: v, Note: a} }

// eagerCards is the number of cards of a listing visible without scrolling at 1280 px.
const eagerCards = 4

// ListingGrid is the grid of the products of a section or a search.
func (v *view) ListingGrid(products []ProductCard, p Paging, f *Finder) productGridView {
	return v.productGrid(ProductGrid{Products: products, Paging: p, Finder: f}, eagerCards)
}

// RubricGrid is the grid of a rubric's articles.
func (v *view) RubricGrid(articles []ArticleCard, p Paging) articleGridView {
	return v.articleGrid(ArticleGrid{Articles: articles, Paging: p})
}

// ProductGrid is a grid with its own heading or the default one.
func (v *view) ProductGrid(g ProductGrid, heading string) productGridView {
	g.Heading = cmp.Or(g.Heading, heading)
	return v.productGrid(g, 0)
}

// ArticleGrid is a grid with its own heading or the default one.
func (v *view) ArticleGrid(g ArticleGrid, heading string) articleGridView {
	g.Heading = cmp.Or(g.Heading, heading)
	return v.articleGrid(g)
}

// Related is the grid of related products below a product.
func (v *view) Related(products []ProductCard) productGridView {
	return v.productGrid(ProductGrid{Heading: v.T.Related, Products: products}, 0)
}

// Suggested is the grid of products on the 404 page.
func (v *view) Suggested(products []ProductCard) productGridView {
	return v.productGrid(ProductGrid{Heading: v.T.MaybeLike, Products: products}, 0)
}

// fourAbreast reports whether n tiles fill rows of four better than rows of three, so that
// the last row is not a single tile.
func fourAbreast(n int) bool { return n%4 == 0 || n%3 == 1 }
