package compile

import (
	"vitrine/compile/price"
	"vitrine/compile/redirect"
	"vitrine/internal/shop"
)

// Input is everything that decides how the addresses of one shop are answered. It consists of
// plain rows: the store reads them, New compiles them.
type Input struct {
	Shop       Shop
	Categories []Category
	Products   []Product
	Articles   []Article
	Journal    []Journal // oldest first
	Rules      []redirect.Rule
	Files      []SiteFile
	Folders    []Folder
	Offers     *price.Offers // nil: the shop has no discounts
	Policies   []Policy      // the access policies
	Ahead      []Scheduled   // published but dated in the future
}

// Shop is the part of a shop's settings that addresses depend on.
type Shop struct {
	ID           shop.CompanyID
	Slug         string
	Name         string
	Currency     string
	PriceDigits  int      // decimal places of its currency
	Language     string   // of its pages, en or ru
	Timezone     string   // IANA name such as Europe/Berlin; empty: UTC
	Comments     bool     // products accept reviews unless they override it
	Questions    bool     // the same for questions
	Origin       string   // scheme://host[:port] of the canonical host, no trailing slash
	Hosts        []string // every host of the shop without port, the canonical one first
	Closed       bool     // behind a PIN
	PIN          string   // changes with the PIN and reveals nothing about it
	MissFallback bool
	Face         shop.Face // the settings that all pages show
}

// CategoryType is one of the four kinds of sections (document 1, 2.3).
type CategoryType string

// The types of a category. A folder of type site serves a static website.
const (
	TypeProduct CategoryType = "product"
	TypePage    CategoryType = "page"
	TypeNews    CategoryType = "news"
	TypeSite    CategoryType = "site"
)

// Values lists the types as texts.
func (CategoryType) Values() []string {
	return shop.Texts([]CategoryType{TypeProduct, TypePage, TypeNews, TypeSite})
}

// Category is one section of the tree. Deleted ones are left out.
type Category struct {
	ID        shop.CategoryID
	Parent    shop.CategoryID // 0 at the root
	Slug      string
	Name      string
	Type      CategoryType
	Order     int
	Published bool
	ShowMenu  bool
	Home      bool
	Modified  int64 // when, in seconds since 1970
	NoIndex   bool  // its page asks search engines not to index it
}

// Product is the address of one product. A deleted one keeps its slug and
// category so that the fallback can send its visitors to its last section.
type Product struct {
	ID        shop.ProductID
	Category  shop.CategoryID // 0 without a section
	Slug      string          // empty: the product has no clean path
	Published bool
	Deleted   bool
	NoIndex   bool
	Modified  int64            // when, in seconds since 1970
	Parts     []shop.ProductID // contents of a set
}

// Article is the address of one article. Deleted ones are left out.
type Article struct {
	ID        shop.ArticleID
	Category  shop.CategoryID
	Slug      string
	Published bool
	NoIndex   bool
	Modified  int64 // when, in seconds since 1970
}

// Entity is the kind of thing that a page or a journal entry refers to.
type Entity uint8

// The entities that have slugs.
const (
	EntityCategory Entity = iota + 1
	EntityProduct
	EntityArticle
)

// String returns the name of the entity in the API.
func (e Entity) String() string {
	return [...]string{"", "category", "product", "article"}[e]
}

// Journal is an old slug and the entity that once had it.
type Journal struct {
	Entity Entity
	Slug   string
	ID     int64
}

// SiteFile is the address of one site file (document 3, 2.5): the path of its
// category and its name. It answers before the .html hop.
type SiteFile struct {
	ID        shop.SiteFileID
	Category  shop.CategoryID // 0 is the root of the host
	Name      string
	Published bool
	InSitemap bool  // and its text does not ask search engines not to index it
	Version   int64 // increases with every change of the file
	Modified  int64 // when, in seconds since 1970
}

// Folder is the published release of a site folder (document 3, 2.4).
type Folder struct {
	Category shop.CategoryID
	Document shop.DocumentID
	Release  shop.ReleaseID
	NoIndex  bool // its start page asks search engines not to index it
}

// Delta is a change of a shop since a Site was compiled. Nil slices and pointers mean
// "unchanged". Tree and rules are passed whole, because they are small and change rarely;
// products and articles are passed row by row.
type Delta struct {
	Shop         *Shop
	Categories   []Category // the whole tree when not nil
	Products     []Product  // rows that replace those with the same id
	Articles     []Article
	GoneProducts []shop.ProductID // rows removed permanently
	GoneArticles []shop.ArticleID
	Journal      []Journal       // the whole journal when not nil
	Rules        []redirect.Rule // the whole set when not nil
	Files        []SiteFile      // all of them when not nil
	Folders      []Folder        // all of them when not nil
	Offers       *price.Offers   // all of them when not nil
	Policies     []Policy        // all of them when not nil
	Ahead        []Scheduled     // all of them when not nil
}
