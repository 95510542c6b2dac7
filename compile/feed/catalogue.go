package feed

import (
	"strconv"

	"vitrine/internal/shop"
)

// Shop is what templates see as .Shop (document 3, 4.3).
type Shop struct {
	Name     string
	URL      string // scheme and host, no trailing slash
	Currency string // RUB when the shop has set none
}

// Product is what templates see of a product.
type Product = shop.Offer

// Category is what templates see of a category.
type Category struct {
	ID       int64
	ParentID int64 // 0 at the top and where the parent is not listed
	Name     string
	Slug     string
	URL      string // absolute
}

// Item is a product with what decides about it but is out of sight of templates.
type Item struct {
	Product
	Digits    int       // of the prices that stand behind the point
	Extra     []int64   // categories besides CategoryID
	Pictures  []string  // absolute addresses of the originals, in order
	Galleries []Gallery // the linked galleries by name

	Options    []shop.Trait // of a variant what it is chosen by, by name
	Attributes []shop.Trait // of the product, in their order

	Variants []Item // what is sold of it, each with all that it shares with the product
}

// Gallery is a linked gallery, as `pictures . 5 "name"` asks for it.
type Gallery struct {
	Name     string
	Pictures []string
}

// Section is a category that the options of range products may name, listed or
// not.
type Section struct {
	ID       int64
	ParentID int64
	Slug     string
}

// Links finds the path of what a template names by id, "/…" without a host. A
// nil function knows nothing.
type Links struct {
	File     func(id int64) (path string, ok bool)
	Category func(id int64) (path string, ok bool)
	Product  func(id int64) (path string, ok bool)
}

// Contents is what a catalogue is made of.
type Contents struct {
	Timezone string // of the shop's clock, which now shows; empty: UTC
	Shop     Shop

	// Items are the products that feeds may list, oldest first: published, not
	// hidden, visible to anonymous visitors, in the grid, taking part in ads.
	// Products of price 0 belong to them; ranges leave them out unless asked.
	Items []Item

	Categories []Category // published, of type product, not home, visible to anonymous visitors; in tree order
	Sections   []Section  // every live category
	Links      Links
}

// Catalogue is a snapshot of a shop for feeds. It never changes, so that a feed
// is consistent with itself, and may be used by several renders at once.
type Catalogue struct {
	contents Contents
	bySlug   map[string]int64
	children map[int64][]int64
	known    map[int64]bool
}

// NewCatalogue indexes contents and gives an OfferID to items that have none.
// The caller must not touch the slices afterwards.
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

// Shop is the shop as templates see it.
func (c *Catalogue) Shop() Shop { return c.contents.Shop }

// Len is the number of products that feeds may list.
func (c *Catalogue) Len() int { return len(c.contents.Items) }
