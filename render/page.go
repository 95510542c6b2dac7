package render

import (
	"cmp"
	"strconv"
	"time"

	"vitrine/internal/shop"
)

// Page is one of the page kinds of this file; no other package can add one.
type Page interface {
	frame() *Frame
	// name is the page's name if the shop set no heading or title.
	name(t *words) string
	// template returns the name of the system drawing.
	template() string
}

// Home is the shop's first page.
type Home struct {
	Frame
	Category Category // the home category; its name may be empty
	Sections []CategoryCard
	Products ProductGrid
	Articles ArticleGrid
}

// Listing is a section of type product: its sub-sections and products.
type Listing struct {
	Frame
	Category Category
	Sections []CategoryCard
	Products []ProductCard
	Total    int // products on all pages
	Paging   Paging
	Finder   *Finder // filters and order of the list; nil: none
}

// Rubric is a section of type news: its articles, newest first.
type Rubric struct {
	Frame
	Category Category
	Rubrics  []CategoryCard // rubrics below it
	Articles []ArticleCard
	Paging   Paging
}

// ProductPage is the page of one product.
type ProductPage struct {
	Frame
	Product Product
	Remarks Remarks
	Related []ProductCard
	Terms   Terms
}

// ArticlePage is the page of one article. Its Layout.Body is the article's text.
type ArticlePage struct {
	Frame
	Article Article
	More    []ArticleCard // other articles, in the aside
}

// TextPage is a section of type page.
type TextPage struct {
	Frame
	Category Category
	Sections []CategoryCard
}

// NotFoundPage is the 404 of a shop.
type NotFoundPage struct {
	Frame
	Products []ProductCard // suggestions
}

// PinPage is the only page a visitor of a closed shop sees until they enter the right PIN. It
// posts the fields pin and next.
type PinPage struct {
	Frame
	Action string        // where the form posts to
	Next   string        // shop path to redirect to
	Wrong  bool          // the last PIN was wrong
	Wait   time.Duration // until the next attempt is allowed
}

// ClosedPage replaces a page that a policy closes to the visitor. It posts the fields
// password and next.
type ClosedPage struct {
	Frame
	Title, Text string        // the owner's plain text; empty: the platform's
	Action      string        // where the form posts to
	Next        string        // shop path to redirect to
	Password    bool          // a password opens it
	SignIn      string        // address of the sign-in page; empty: signing in does not open the page
	Stranger    bool          // the visitor is signed in, but has no access
	Unproven    bool          // with an address that is not confirmed: the sign-in page lets them
	Wrong       bool          // the last password was wrong
	Wait        time.Duration // until the next attempt is allowed
}

// Paragraphs splits the text into paragraphs.
func (p *ClosedPage) Paragraphs() []string { return paragraphs(p.Text) }

// ZonePage is a page of a guarded zone.
type ZonePage struct {
	Frame
	Zone shop.Zone
	Body ZoneBody // nil: the zone has nothing to show

	// Apart replaces the content by a remark that the frame of a preview does not have it.
	Apart bool
}

// FrameOf returns the frame of a page, to be filled in.
func FrameOf(p Page) *Frame { return p.frame() }

func (p *Home) frame() *Frame         { return &p.Frame }
func (p *Listing) frame() *Frame      { return &p.Frame }
func (p *Rubric) frame() *Frame       { return &p.Frame }
func (p *ProductPage) frame() *Frame  { return &p.Frame }
func (p *ArticlePage) frame() *Frame  { return &p.Frame }
func (p *TextPage) frame() *Frame     { return &p.Frame }
func (p *NotFoundPage) frame() *Frame { return &p.Frame }
func (p *PinPage) frame() *Frame      { return &p.Frame }
func (p *ClosedPage) frame() *Frame   { return &p.Frame }
func (p *ZonePage) frame() *Frame     { return &p.Frame }
func (p *FormPage) frame() *Frame     { return &p.Frame }

func (p *Home) template() string         { return "home" }
func (p *Listing) template() string      { return "listing" }
func (p *Rubric) template() string       { return "rubric" }
func (p *ProductPage) template() string  { return "product" }
func (p *ArticlePage) template() string  { return "article" }
func (p *TextPage) template() string     { return "text" }
func (p *NotFoundPage) template() string { return "notfound" }
func (p *PinPage) template() string      { return "pin" }
func (p *ClosedPage) template() string   { return "closed" }
func (p *ZonePage) template() string {
	if p.Apart {
		return "zone-apart"
	}
	if p.Body == nil {
		return "zone"
	}
	return p.Body.drawing()
}
func (p *FormPage) template() string { return "form-page" }

func (p *Home) name(*words) string           { return cmp.Or(p.Category.Name, p.Shop.Name) }
func (p *Listing) name(*words) string        { return p.Category.Name }
func (p *Rubric) name(*words) string         { return p.Category.Name }
func (p *ProductPage) name(*words) string    { return p.Product.Name }
func (p *ArticlePage) name(*words) string    { return p.Article.Title }
func (p *TextPage) name(*words) string       { return p.Category.Name }
func (p *NotFoundPage) name(t *words) string { return t.NotFound }
func (p *PinPage) name(t *words) string      { return t.Closed }
func (p *ClosedPage) name(t *words) string   { return cmp.Or(p.Title, t.Shut) }
func (p *ZonePage) name(t *words) string {
	if o, one := p.Body.(*Order); one {
		return t.Buy.Order + " " + strconv.FormatInt(o.Number, 10)
	}
	return t.zone(p.Zone).Name
}
func (p *FormPage) name(*words) string { return p.Form.Name }
