// Package movein reads what other shop systems export (tables, XML, JSON) into one neutral form:
// sections, products, variants, pictures by address, customers, articles, pages and redirects,
// with a list of everything that could not be kept.
//
//	plan, err := movein.Read(files, shop, choices, spool)
//	plan.Counts().Products, plan.Losses, plan.Questions
//	rules := movein.Redirects(plan, paths) // from the old addresses to the new ones
//
// A system is a table: the names of its columns, and how it writes money, lists, booleans and
// stock. One engine collects the rows of a file into products.
//
// The package does not know what the shop already has: which slugs and skus are taken, and which
// objects came with an earlier import, is decided by its caller.
package movein

import (
	"io"
	"time"

	"vitrine/compile/movein/header"
	"vitrine/compile/redirect"
)

// File is one file of an import.
type File struct {
	Name string
	Size int64
	Open func() (io.ReadCloser, error) // the file is read more than once
}

// Shop describes the shop that the files are for.
type Shop struct {
	Currency string // ISO 4217, as EUR
	Digits   int    // decimal places of its prices
	Language string // such as en: which one of several languages in a file is read
	Now      time.Time
}

// Plan is the content of the files in the neutral form. A key identifies an object within its
// kind and system, also in a later export: it is the handle, else the sku, else the name, and for
// a section its whole path. Keys are unique within their list.
type Plan struct {
	System     header.System
	Confidence float64    // of the recognition, from 0 to 1
	Sections   []Section  // parents before their children
	Products   []*Product // see Product.Load
	Customers  []Customer
	Articles   []Article
	Pages      []Page
	Redirects  []Redirect // of files of redirects; Redirects makes those of old addresses
	Losses     []Loss
	Questions  []Question
	Rows       []Row // one for each loss, at most MaxRows

	variants, pictures int
}

// Section is a category of products.
type Section struct {
	Key, Parent string // Parent is the key of a section, empty at the root
	Name, Slug  string // Slug is empty if the system has none
	Description string // HTML
	Seo         Seo
	Picture     string
	Old         []string // see Product.Old
}

// Seo is what search engines show.
type Seo struct{ Title, Description string }

// Picture is a picture by its address.
type Picture struct{ Address, Alt string }

// Attribute is a named property of a product.
type Attribute struct{ Name, Value string }

// Product is a product. Prices are in the units of the shop: 1450 is 14.50 with two digits.
type Product struct {
	Key, Name, Slug, SKU, Brand, GTIN string
	Description                       string // HTML
	Price, OldPrice                   int64  // OldPrice is 0 or above Price
	Published, StockByVariant         bool
	Sections                          []string // keys of sections, the main one first
	Tags                              []string
	Seo                               Seo
	Options                           []string  // names, such as Size
	Variants                          []Variant // none for a plain product
	Pictures                          []Picture
	Stock                             *int // nil: not counted
	WeightG                           *int
	Attributes                        []Attribute
	Old                               []string // paths, with their query, at which the old shop had it
	Place

	description, rest kept
}

// Variant is one choice of a product. A nil price, stock or weight is the product's.
type Variant struct {
	Values          []string // in the order of the product's options
	SKU, GTIN       string
	Price, OldPrice *int64
	Stock           *int
	WeightG         *int
	Picture         string // address, also one of the product's pictures
}

// Customer is a buyer. Its key is the e-mail address in lower case.
type Customer struct {
	Key, FirstName, LastName, Email, Phone, Note string
	Tags                                         []string
	Agreed                                       *bool // to letters; nil: the file does not say
	Place
}

// Article is an entry of a blog.
type Article struct {
	Page
	Summary     string
	PublishedAt time.Time
	Rubrics     []string
	Tags        []string
}

// Page is a page of text.
type Page struct {
	Key, Title, Slug string
	Text             string // HTML; see Load
	Published        bool
	Picture          string
	Seo              Seo
	Old              []string // see Product.Old
	Place

	text kept
}

// Redirect is a rule of a file of redirects, normalized.
type Redirect struct {
	redirect.Rule
	Place
}

// Place is where something begins in the files.
type Place struct {
	File string
	Line int // from 1; 0 where a file has no lines
}

// Loss is something that the shop cannot hold, or that the files do not say.
type Loss struct {
	What    string // a code, such as BARCODE_INVALID
	Count   int
	Example string
}

// Question is a choice of the owner that changes the plan.
type Question struct {
	Key, Text string
	Choices   []string // none: any text
	Default   string
	Chosen    string // the answer, else the default
}

// Row reports one loss.
type Row struct {
	Place
	Status string // skipped or changed
	Code   string // What of the loss
	Detail string
}

// The statuses of a row.
const (
	Skipped = "skipped" // the thing is not in the plan
	Changed = "changed" // it is, without what the detail says
)

// MaxRows bounds the rows of a plan; Loss.Count goes on.
const MaxRows = 1000

// Counts are the numbers of a plan.
type Counts struct {
	Sections, Products, Variants, Pictures, Customers, Articles, Pages, Redirects int
}

// Counts counts the plan's objects: variants of all products, pictures by distinct address.
func (p *Plan) Counts() Counts {
	return Counts{
		Sections: len(p.Sections), Products: len(p.Products), Variants: p.variants, Pictures: p.pictures, Customers: len(p.Customers),
		Articles: len(p.Articles), Pages: len(p.Pages), Redirects: len(p.Redirects),
	}
}

// countPictures counts those that are not of products.
func (e *engine) countPictures() {
	for _, s := range e.plan.Sections {
		e.picture(s.Picture)
	}
	for _, a := range e.plan.Articles {
		e.picture(a.Picture)
	}
	for _, page := range e.plan.Pages {
		e.picture(page.Picture)
	}
}
