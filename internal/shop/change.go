package shop

// Key names something of one shop that a page may be built from. A write
// records the keys it touched; a cached page names the keys it read. A page is
// valid while none of its keys has moved.
type Key struct {
	Kind KeyKind
	ID   int64 // 0 where the kind is about the shop as a whole
}

// KeyKind says what a Key is about.
type KeyKind uint8

// The kinds of keys. Kinds of the first group change what addresses answer, so
// the compiled site takes them up; those of the second only change content.
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
	KeyFiles    // the site files: names, places, publishing, bodies; the compiled site takes them up
	KeyOffers   // what the shop takes off its prices: promotions and prices by quantity; the compiled site takes them up
	KeyStock    // which products are sold out or low
	KeyAccess   // what is closed to whom: policies and what opens them; the compiled site takes them up
)

var keyNames = [...]string{
	KeyShop: "shop", KeyCategories: "categories", KeyRules: "rules", KeyProduct: "product", KeyArticle: "article",
	KeyJournal: "journal", KeyProducts: "products", KeyCategory: "category", KeyDesign: "design", KeyDocument: "document",
	KeyGallery: "gallery",
	KeyFiles:   "files", KeyOffers: "offers", KeyAccess: "access", KeyStock: "stock",
}

// String is the surrogate key: "product-5", "design".
func (k Key) String() string {
	if k.ID == 0 {
		return keyNames[k.Kind]
	}
	return keyNames[k.Kind] + "-" + Long[counter](k.ID).String()
}
