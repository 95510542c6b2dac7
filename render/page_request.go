package render

import (
	"vitrine/compile"
	"vitrine/internal/shop"
)

// PageRequestKind is the kind of a requested page.
type PageRequestKind uint8

// The kinds of pages that can be requested.
const (
	WantPage    PageRequestKind = iota // a live page: Page, at listing page Number
	WantMissing                        // the shop's 404 page
	WantZone                           // a guarded zone (document 3, 4.6.6): Zone
	WantForm                           // the shop's frame around a lead form, an empty FormPage
	WantFeed                           // the articles of the rubric Page as RSS, an ArticleFeed
	WantSearch                         // the shop's search: Search, at Number, a SearchPage
	WantSuggest                        // completions of Search, Suggestions
	WantRemark                         // the shop's frame around a review or question about the product Page, a RemarkPage
)

// PageRequest identifies a requested page. It is comparable; equal wants are the same page.
type PageRequest struct {
	Kind   PageRequestKind
	Page   compile.PageRef // of a WantPage
	Number int             // page of a listing, from 1; 1 if the address has none
	Zone   shop.Zone       // of a WantZone, and of a WantMissing below one

	// Variant is the sku or id of the variant selected on the page of a product, as named in
	// its address (?variant=). A variant that the product does not offer results in
	// shop.ErrNotFound.
	Variant string

	// Search is the search words of a page (?q=), which filter its grids of articles
	// (document 3, 2.2), or the query of the shop's search; at most MaxSearch characters.
	Search string

	// Narrow is the filters of the page's product list. It has no effect on pages without
	// such a list.
	Narrow Narrowing

	// Remarks selects the reviews and questions on a product's page.
	Remarks RemarksQuery

	// Unsaved is the sections of blocks that somebody is editing, in place of the stored ones: a
	// JSON object by the ids of the blocks. Only previews have it.
	Unsaved string

	// Opened lists the policies that the visitor has unlocked. Shared pages are drawn for a
	// visitor without access.
	Opened shop.Unlocked
}

// Guarded reports whether scripts of authors are forbidden on the page (document 3, 4.6.6).
func (w PageRequest) Guarded() bool { return w.Kind == WantZone || w.Zone != "" }
