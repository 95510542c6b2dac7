package render

import (
	"slices"
	"strings"

	"vitrine/compile"
	"vitrine/internal/shop"
)

// Frame is what every page has around its own content.
type Frame struct {
	Shop      Shop
	Lang      string // "en" or "ru"; empty: that of the shop
	Path      string // shop path of the page without query, "/" for the home page
	Canonical string // absolute address of the page, with ?page= on later pages of a listing; empty: none is printed
	SEO       SEO
	Menu      []MenuItem // published sections that are shown in the menu
	Feed      string     // shop path of the RSS of the rubric that the page is or stands in; empty: none
	Crumbs    []Crumb    // from the first section down to the page itself, without the home page
	Guarded   bool       // one of the guarded zones (document 3, 4.6.6)
	Search    string     // what the visitor is looking for on the page; empty: nothing
	Nothing   bool       // and was not found
	Pages     int        // of the grid that turns with the address; 0: none does
	Narrow    Narrowing  // of the page's list; empty: the page is what it always is
	Once      bool       // nobody else is likely to ask for the page: it is not kept
	Layout    Layout

	PageURL func(shop.CategoryID) string // path of a published section, which texts link to by its id; nil: of none

	SessionEnded bool // the visitor came with a session that has ended

	NoCookies bool // the visitor's browser keeps none at this address

	Preview bool // the page shows a draft: a bar says so and posts to LeavePreview
}

// LeavePreview is the path that ends a preview of the draft.
const LeavePreview = "/_vitrine/preview/leave"

// LeavePreview is the same for templates.
func (f *Frame) LeavePreview() string { return LeavePreview }

// Shop is the part of a shop that its pages print.
type Shop struct {
	Name     string
	Currency string // ISO code
	Digits   int    // of its prices that stand behind the point
	Language string // of its pages; empty: by its currency
	Timezone string // of its clock; empty: UTC
	Origin   string // scheme://host[:port], no trailing slash
	Face     shop.Face
}

// ShopOf is what pages print of a compiled shop.
func ShopOf(s compile.Shop) Shop {
	return Shop{Name: s.Name, Currency: s.Currency, Digits: s.PriceDigits, Language: s.Language, Timezone: s.Timezone, Origin: s.Origin, Face: s.Face}
}

// SEO is what a page tells search engines (document 1, 2.2). Empty fields fall
// back to the page's own name, text and picture.
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

// Within reports whether the page at a path is the one at an address of the menu, or
// stands below it. Everything stands below the home page, which is current alone.
func Within(path, address string) bool {
	return path == address || address != "/" && strings.HasPrefix(path, address+"/")
}

// MenuAt is a menu as the page at a path shows it.
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

// Layout is what the shop's design puts on the page in place of the defaults.
type Layout struct {
	Header []Block // nil: the default header
	Footer []Block // nil: the default footer

	// Body is the page's blocks in their order. A BlockSystem among them says
	// where the system drawing stands. Without one it stands before them; on a
	// home or text page that mounts an html document only its top layer is left of
	// it, and on an article the blocks are the article's text.
	Body []Block

	// Template: Body begins with a template of such pages, so that there is no
	// system drawing but where a BlockSystem asks for it.
	Template bool

	// The flags of the manifest block __page:top (document 3, 2.2). HideSystem
	// leaves out the page's top layer: its breadcrumbs and heading.
	HideHeader bool
	HideFooter bool
	HideSystem bool

	// What the layout folder brings; the first three not to guarded pages.
	Head  Fragment // its head nodes, already compiled, for the start of body
	Foot  Fragment // its body, for the end of body
	Class string   // classes of the page's body, which its style sheets name
	Icons []Icon   // empty: the storefront's own
}

// Icon is a square PNG that stands for the site.
type Icon struct {
	Path string
	Size int // pixels
}
