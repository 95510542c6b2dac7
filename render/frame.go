package render

import (
	"slices"
	"strings"

	"vitrine/compile"
	"vitrine/internal/shop"
)

// Frame is the data that every page has around its own content.
type Frame struct {
	Shop      Shop
	Lang      string // "en" or "ru"; empty: the shop's language
	Path      string // shop path of the page without query, "/" for the home page
	Canonical string // absolute address of the page, with ?page= on later pages of a listing; empty: none is printed
	SEO       SEO
	Menu      []MenuItem // published sections that are shown in the menu
	Feed      string     // shop path of the RSS feed of the page's rubric; empty: none
	Crumbs    []Crumb    // from the first section down to the page itself, without the home page
	Guarded   bool       // one of the guarded zones (document 3, 4.6.6)
	Search    string     // the visitor's search words on the page; empty: none
	Nothing   bool       // the search found nothing
	Pages     int        // number of pages of the grid whose page is in the address; 0: there is none
	Narrow    Narrowing  // filters of the page's list; empty: the unfiltered page
	Once      bool       // the page is unlikely to be requested again: it is not cached
	Layout    Layout

	PageURL func(shop.CategoryID) string // path of a published section, which texts link to by its id; nil: no links are resolved

	SessionEnded bool // the visitor came with a session that has ended

	NoCookies bool // the visitor's browser stores no cookies at this address

	Preview bool   // the page shows a draft: a bar announces it and posts to LeavePreview
	Cabinet string // the origin whose pages may frame a preview and talk to it; empty: none
}

// LeavePreview is the path that ends a preview of the draft.
const LeavePreview = "/_vitrine/preview/leave"

// LeavePreview makes the constant available to templates.
func (f *Frame) LeavePreview() string { return LeavePreview }

// Shop is the data of a shop that its pages print.
type Shop struct {
	Name     string
	Currency string // ISO code
	Digits   int    // decimals of its prices
	Language string // of its pages; empty: derived from its currency
	Timezone string // of its clock; empty: UTC
	Origin   string // scheme://host[:port], no trailing slash
	Face     shop.Face
}

// ShopOf returns the data of a compiled shop that pages print.
func ShopOf(s compile.Shop) Shop {
	return Shop{Name: s.Name, Currency: s.Currency, Digits: s.PriceDigits, Language: s.Language, Timezone: s.Timezone, Origin: s.Origin, Face: s.Face}
}

// SEO is the page's data for search engines (document 1, 2.2). Empty fields fall back to the
// page's own name, text and picture.
type SEO struct {
	Heading     string // page_title: the h1
	Title       string // meta_title: the whole title element
	Description string
	Keywords    []string
	NoIndex     bool
	NoFollow    bool
	Image       Image  // Open Graph picture: a shop path or an absolute address
	Twins       []Twin // the page in other languages
}

// MenuItem is one section in the menu tree.
type MenuItem struct {
	Name     string
	Path     string
	Current  bool // the page itself or a section above it
	Children []MenuItem
}

// Within reports whether the page at a path is the page of a menu item or below it. Every
// page is below the home page, so the home page matches only itself.
func Within(path, address string) bool {
	return path == address || address != "/" && strings.HasPrefix(path, address+"/")
}

// MenuAt marks the current items of a menu for the page at a path.
func MenuAt(items []MenuItem, path string) []MenuItem {
	items = slices.Clone(items)
	for i := range items {
		items[i].Current = Within(path, items[i].Path)
		items[i].Children = MenuAt(items[i].Children, path)
	}
	return items
}

// Crumb is one step of the breadcrumbs.
type Crumb struct {
	Name string
	Path string // empty: not a link
}

// Layout is what the shop's design replaces or adds on a page.
type Layout struct {
	Header []Block // nil: the default header
	Footer []Block // nil: the default footer

	// Body is the page's blocks in their order. A BlockSystem among them is the place of the
	// system drawing. Without one it is drawn before them; on a home or text page that mounts
	// an html document only its top layer is drawn, and on an article the blocks are the
	// article's text.
	Body []Block

	// Template reports that Body begins with a template of such pages, so that the system
	// drawing appears only where a BlockSystem asks for it.
	Template bool

	// The flags of the manifest block __page:top (document 3, 2.2). HideSystem
	// leaves out the page's top layer: its breadcrumbs and heading.
	HideHeader bool
	HideFooter bool
	HideSystem bool

	// The content of the layout folder; guarded pages do not get the first three.
	Head  Fragment // its head nodes, already compiled, for the start of body
	Foot  Fragment // its body, for the end of body
	Class string   // classes of the page's body, which its style sheets name
	Icons []Icon   // empty: the storefront's own icons
}

// Icon is a square PNG icon of the site.
type Icon struct {
	Path string
	Size int // pixels
}
