package shop

// Key identifies something of one shop from which a page may be built. A write records the
// keys it changed; a cached page records the keys it depends on. A page is valid until one
// of its keys changes.
type Key struct {
	Kind KeyKind
	ID   int64 // 0 where the kind concerns the whole shop
}

// KeyKind is what a Key refers to.
type KeyKind uint8

// The kinds of keys. Kinds of the first group change the resolution of addresses, so the
// compiled site reads them again; those of the second only change content.
const (
	KeyShop       KeyKind = iota + 1 // settings of the shop: name, hosts, closed, fallback
	KeyCategories                    // the tree as a whole: names, slugs, order, publishing
	KeyRules                         // the redirect set
	KeyProduct                       // one product: address, price, pictures
	KeyArticle                       // one article; with ID 0, any article of the shop
	KeyJournal                       // the slug journal

	KeyProducts // any product of the shop: feeds, home page, svc-for loops
	KeyCategory // the page of one category: its text, blocks and listing
	KeyDesign   // chrome, blocks and bindings of the shop
	KeyDocument // one html document's active release
	KeyGallery  // the items of one gallery
	KeyFiles    // the site files: names, places, publishing, bodies; the compiled site reads them again
	KeyOffers   // promotions and prices by quantity; the compiled site reads them again
	KeyStock    // which products are sold out or low
	KeyAccess   // access policies and what unlocks them; the compiled site reads them again
)

var keyNames = [...]string{
	KeyShop: "shop", KeyCategories: "categories", KeyRules: "rules", KeyProduct: "product", KeyArticle: "article",
	KeyJournal: "journal", KeyProducts: "products", KeyCategory: "category", KeyDesign: "design", KeyDocument: "document",
	KeyGallery: "gallery",
	KeyFiles:   "files", KeyOffers: "offers", KeyAccess: "access", KeyStock: "stock",
}

// String returns the name of a key within its shop: "product-5", "design".
func (k Key) String() string {
	if k.ID == 0 {
		return keyNames[k.Kind]
	}
	return keyNames[k.Kind] + "-" + Long[counter](k.ID).String()
}

// Caches in front of the edges keep the responses of many shops. These are the surrogate keys that
// name some of them: all, all of a shop ("s12"), those of the files of its site folders, and those
// that were built from a key ("s12-product-5").
const AllSurrogates = "vitrine"

// Surrogate returns the surrogate key of all responses of a shop.
func Surrogate(company CompanyID) string { return "s" + company.String() }

// FolderSurrogate returns the surrogate key of the files of a shop's site folders.
func FolderSurrogate(company CompanyID) string { return Surrogate(company) + "-folders" }

// Surrogate returns the surrogate key of the responses of a shop that were built from a key.
func (k Key) Surrogate(company CompanyID) string { return Surrogate(company) + "-" + k.String() }
