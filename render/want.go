package render

import (
	"vitrine/compile"
	"vitrine/internal/shop"
)

// WantKind says what sort of page is wanted.
type WantKind uint8

// The kinds of pages that visitors may want.
const (
	WantPage    WantKind = iota // a live page: Page, at listing page Number
	WantMissing                 // what the shop shows with a 404
	WantZone                    // a guarded zone (document 3, 4.6.6): Zone
	WantForm                    // the shop's frame around a lead form, an empty FormPage
	WantFeed                    // the articles of the rubric Page as RSS, an ArticleFeed
	WantSearch                  // the shop's search: Search, at Number, a SearchPage
	WantSuggest                 // what may be meant by the beginning of Search, Suggestions
	WantRemark                  // the shop's frame around what a visitor says of the product Page, a RemarkPage
)

// Want names a page. It is comparable, and equal wants are the same page.
type Want struct {
	Kind   WantKind
	Page   compile.PageRef // of a WantPage
	Number int             // page of a listing, from 1; 1 where the visitor named none
	Zone   shop.Zone       // of a WantZone, and of a WantMissing below one

	// Variant is the sku or id of what is chosen on the page of a product, which
	// its address may name (?variant=). One that the product does not offer is
	// shop.ErrNotFound.
	Variant string

	// Search is what the visitor is looking for on a page (?q=), which its grids of
	// articles answer (document 3, 2.2), or what the shop's search is asked for; at most
	// MaxSearch characters.
	Search string

	// Narrow is what the address asks of the page's list of products. A page without
	// such a list is the same with it.
	Narrow Narrowing

	// Remarks is which of the reviews and questions of a product its page shows.
	Remarks RemarksAsked

	// Opened is what the visitor has opened of what is closed. Pages of everybody are
	// drawn for a stranger.
	Opened shop.Opened
}

// Guarded reports whether no script of an author may run on the page (document
// 3, 4.6.6).
func (w Want) Guarded() bool { return w.Kind == WantZone || w.Zone != "" }
