package render

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"strconv"

	"vitrine/compile/richtext"
)

//go:embed templates/*.html
var templateFiles embed.FS

// templates holds every template, parsed once. A template that does not close what it opens
// is continued by the next piece; each ends between elements.
var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"fourAbreast": fourAbreast,
	"img":         img,
	"initial":     initial,
	"heading":     heading,
	"styled":      styled,
	"menuStyled":  menuStyled,
	"plain":       richtext.Plain,
	"prose":       plainProse,
}).ParseFS(templateFiles, "templates/*.html"))

// Append appends a whole page to dst, from doctype to </html>; it renders an ArticleFeed as
// RSS. An error means a fault in the templates, never in the data; dst is then returned
// unchanged.
func Append(dst []byte, p Page) ([]byte, error) {
	w := &writer{out: dst, view: newView(p)}
	if f, is := p.(*ArticleFeed); is {
		w.rss(f)
		return w.out, nil
	}
	w.page()
	if w.err != nil {
		return dst, fmt.Errorf("drawing %s: %w", p.template(), w.err)
	}
	return w.out, nil
}

// writer appends the pieces of one page. After an error it writes nothing more.
type writer struct {
	out     []byte
	view    *view
	widgets int  // drawn so far
	main    bool // the page's own content has begun
	eager   bool // its first picture has been written
	menu    bool // the header's menu has been written
	err     error
}

// Write makes the writer a target of template execution.
func (w *writer) Write(b []byte) (int, error) {
	w.out = append(w.out, b...)
	return len(b), nil
}

func (w *writer) raw(text string)       { w.out = append(w.out, text...) }
func (w *writer) draw(name string)      { w.drawWith(name, w.view) }
func (w *writer) layout() *Layout       { return &w.view.Layout }
func (w *writer) system() (name string) { return w.view.Page.template() }

func (w *writer) drawWith(name string, data any) {
	if w.err != nil {
		return
	}
	from := len(w.out)
	w.err = templates.ExecuteTemplate(w, name, data)
	if w.main && w.err == nil {
		w.promoteFirstImage(from)
	}
}

func (w *writer) fragment(f Fragment) {
	if f != nil {
		w.out = f(w.out)
	}
}

func (w *writer) page() {
	w.head()
	w.linkedData()
	w.open()
	if name := w.system(); name == "pin" || name == "closed" {
		// The page in front of a closed page reveals nothing more about it.
		w.raw("<main id=\"v-content\">\n")
		w.draw(name)
		w.raw("</main>\n</body>\n</html>\n")
		return
	}
	if !w.view.Guarded {
		w.fragment(w.layout().Head)
	}
	w.chrome(w.layout().HideHeader, w.layout().Header, "header")
	w.raw("<main id=\"v-content\">\n")
	w.main, w.menu = true, true
	from := len(w.out)
	w.body()
	w.ensureH1(from)
	w.main = false
	w.raw("</main>\n")
	w.chrome(w.layout().HideFooter, w.layout().Footer, "footer")
	if !w.view.Guarded {
		w.fragment(w.layout().Foot)
	}
	w.raw("</body>\n</html>\n")
}

// chrome draws the shop's own header or footer, or the default one.
func (w *writer) chrome(hidden bool, own []Block, standard string) {
	switch {
	case hidden:
	case own != nil:
		w.blocks(own)
	default:
		w.draw(standard)
	}
}

// body draws the page's blocks and puts the system drawing at its place among them.
func (w *writer) body() {
	l, name := w.layout(), w.system()
	switch {
	case l.Template || holds(l.Body, BlockSystem):
		w.blocks(l.Body)
	case name == "article":
		w.draw("article-top")
		w.blocks(l.Body)
		w.draw("article-end")
	case (name == "home" || name == "text") && holds(l.Body, BlockHTML):
		w.top()
		w.blocks(l.Body)
	default:
		w.draw(name)
		w.blocks(l.Body)
	}
}

// top draws the top layer of a page, except for the parts that its blocks draw themselves.
// Only the page's flag switches the layer off (document 3, 4.1).
func (w *writer) top() {
	if w.layout().HideSystem {
		return
	}
	if w.system() != "home" && !holds(w.layout().Body, BlockBreadcrumbs) {
		w.draw("crumbs")
	}
	if !holds(w.layout().Body, BlockPageHeading) {
		w.draw("page-heading")
	}
}

func (w *writer) blocks(blocks []Block) {
	for i := range blocks {
		w.block(&blocks[i])
	}
}

func (w *writer) block(b *Block) {
	if w.view.Preview && b.Place.Block != 0 {
		w.raw("<!--v " + b.Place.Block.String() + "-" + strconv.Itoa(b.Place.Section) + "-->")
		defer w.raw("<!--/v-->\n")
	}
	if b.Wrap != nil && b.Kind != BlockNone {
		w.raw(b.Wrap.open())
		defer w.raw("</div>\n")
	}
	switch b.Kind {
	case BlockSystem:
		w.draw(w.system())
	case BlockHTML:
		w.document(b)
	case BlockText:
		w.raw("<div class=\"v-wrap v-section v-section--text\">\n")
		w.raw(string(w.view.text(b)))
		w.raw("</div>\n")
	case BlockBreadcrumbs:
		w.draw("crumbs")
	case BlockPageHeading:
		w.draw("page-heading")
	case BlockProductListing:
		w.drawWith("product-grid", w.view.productGrid(b.Products, 0))
	case BlockArticleGrid:
		w.drawWith("article-grid", w.view.articleGrid(b.Articles))
	case BlockGroup:
		w.blocks(b.Group)
	case BlockColumns, BlockArticleText, BlockAlbum:
		w.articleBlock(b)
	case BlockWidget:
		w.widget(b.Widget)
	}
}

// articleBlock draws the parts of an article's template.
func (w *writer) articleBlock(b *Block) {
	switch b.Kind {
	case BlockColumns:
		w.raw("<div class=\"v-wrap v-article\">\n<div class=\"v-article__main\">\n")
		w.blocks(b.Group)
		w.raw("</div>\n")
		if len(b.Aside) > 0 {
			w.raw("<div class=\"v-article__aside\">\n")
			w.blocks(b.Aside)
			w.raw("</div>\n")
		}
		w.raw("</div>\n")
	case BlockAlbum:
		if w.system() == "article" {
			w.draw("album")
		}
	case BlockArticleText:
		w.raw("<div class=\"v-article__body\">\n")
		w.blocks(b.Group)
		w.raw("</div>\n")
	}
}

// document draws an html document, either into main itself or, when its block asks for a box,
// into the content column (document 3, 4.6.1).
func (w *writer) document(b *Block) {
	if b.Boxed {
		w.raw("<div class=\"v-wrap v-boxed\">\n")
	}
	from := len(w.out)
	w.fragment(b.Fragment)
	w.eager = w.eager || bytes.Contains(w.out[from:], []byte("<img"))
	if b.Boxed {
		w.raw("\n</div>")
	}
	w.raw("\n")
}
