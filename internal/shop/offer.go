package shop

// Offer is a product as feeds tell of it (document 3, 4.3): what site files may
// name after a dot. A field that is no fact is a line here, one of the columns of
// feeds (store) and one of the table of the language, which says what it means
// (compile/feed). It has no methods on purpose: a template may name every field
// and nothing else.
type Offer struct {
	Facts
	ID           int64
	OfferID      string // "12", of a variant "12-34"
	GroupID      int64  // of a variant its product, else 0
	Name         string
	Description  string // text, not markup
	URL          string // absolute and canonical; /product/{id} without a clean path
	SKU          string
	Price        int64 // as an anonymous visitor sees it in a listing, whole units: of variants the lowest
	OldPrice     int64 // 0 when there is none
	Currency     string
	CategoryID   int64
	CategoryName string
	CategoryPath string // "Parent > Child"
	Rating       float64
	RatingCount  int64
	Kind         string // standard, combo or multi
	InStock      bool   // not tracked, or at least one
	Stock        string // how many there are; empty: not tracked
}

// Trait is an attribute of a product, or an option that a variant is chosen by.
type Trait struct {
	Name, Value string
	Unit        string // of a number; else empty
}
