package feed

import (
	"strconv"

	"vitrine/internal/shop"
)

// Shop is the value of .Shop in templates (document 3, 4.3).
type Shop struct {
	Name     string
	URL      string // scheme and host, no trailing slash
	Currency string // RUB when the shop has set none
}

// Product has the fields of a product that templates can read.
type Product = shop.Offer

// Category has the fields of a category that templates can read.
type Category struct {
	ID       int64
	ParentID int64 // 0 at the top and where the parent is not listed
	Name     string
	Slug     string
	URL      string // absolute
}

// Item is a product with the data that functions and options of templates need but
// whose fields templates cannot name.
type Item struct {
	Product
	Digits    int       // decimal places of the prices
	Extra     []int64   // categories besides CategoryID
	Pictures  []string  // absolute addresses of the originals, in order
	Galleries []Gallery // the linked galleries by name

	Options    []shop.Trait // by which a variant is chosen, sorted by name
	Attributes []shop.Trait // of the product, in their order

	Variants []Item // each with the fields that it shares with the product filled in
}

// Gallery is a linked gallery, which `pictures . 5 "name"` reads.
type Gallery struct {
	Name     string
	Pictures []string
}

// Section is a category that options of range products may name, whether or not
// it is listed.
type Section struct {
	ID       int64
	ParentID int64
	Slug     string
}

// Links resolves ids to paths, "/…" without a host. A nil function resolves none.
type Links struct {
	File     func(id int64) (path string, ok bool)
	Category func(id int64) (path string, ok bool)
	Product  func(id int64) (path string, ok bool)
}

// Contents is the data of a catalogue.
type Contents struct {
	Timezone string // of the function now; empty: UTC
	Shop     Shop

	// Items are the products that feeds may list, oldest first: published, not
	// hidden, visible to anonymous visitors, in the grid, taking part in ads.
	// They include products of price 0, which ranges skip unless an option asks
	// for them.
	Items []Item

	Categories []Category // published, of type product, not home, visible to anonymous visitors; in tree order
	Sections   []Section  // every live category
	Links      Links
}

// Catalogue is a snapshot of a shop for feeds. It is immutable, so that a feed is
// consistent, and several renders may use it concurrently.
type Catalogue struct {
	contents Contents
	bySlug   map[string]int64
	children map[int64][]int64
	known    map[int64]bool
}

// NewCatalogue indexes contents and sets the OfferID of items that have none. The
// caller must not modify the slices afterwards.
func NewCatalogue(contents Contents) *Catalogue {
	c := &Catalogue{
		contents: contents,
		bySlug:   make(map[string]int64, len(contents.Sections)),
		children: make(map[int64][]int64, len(contents.Sections)),
		known:    make(map[int64]bool, len(contents.Sections)),
	}
	if c.contents.Shop.Currency == "" {
		c.contents.Shop.Currency = "RUB"
	}
	for _, s := range contents.Sections {
		c.known[s.ID] = true
		c.children[s.ParentID] = append(c.children[s.ParentID], s.ID)
		if s.Slug != "" {
			c.bySlug[s.Slug] = s.ID
		}
	}
	for i := range contents.Items {
		item := &contents.Items[i]
		if item.OfferID == "" {
			item.OfferID = strconv.FormatInt(item.ID, 10)
		}
	}
	return c
}

// Shop returns the shop as templates see it.
func (c *Catalogue) Shop() Shop { return c.contents.Shop }

// Len returns the number of products that feeds may list.
func (c *Catalogue) Len() int { return len(c.contents.Items) }
