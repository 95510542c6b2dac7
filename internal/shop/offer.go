package shop

// Offer is a product as feeds see it (document 3, 4.3): the fields that site files may name
// after a dot. A field that is not a fact needs a line here, one in the columns of feeds
// (store) and one in the table of the language, which describes it (compile/feed). It
// deliberately has no methods: a template may name every field and nothing else.
type Offer struct {
	Facts
	ID           int64
	OfferID      string // "12", of a variant "12v34"
	GroupID      int64  // of a variant its product, else 0
	VariantID    int64  // of a variant its own, else 0
	Name         string
	Description  string // text, not markup
	URL          string // absolute and canonical; /product/{id} without a clean path
	SKU          string
	Price        int64 // as an anonymous visitor sees it in a listing, in whole units: with variants the lowest
	OldPrice     int64 // 0 when there is none
	WeightG      int64 // in grams; 0: unknown
	Currency     string
	CategoryID   int64
	CategoryName string
	CategoryPath string // "Parent > Child"
	Rating       float64
	RatingCount  int64
	Kind         string // standard, combo or multi
	InStock      bool   // not tracked, or at least one
	Stock        string // quantity; empty: not tracked
}

// Trait is an attribute of a product, or an option by which a variant is chosen.
type Trait struct {
	Name, Value string
	Unit        string // of a number; else empty
}

// Choice is what a variant of a product costs, and what it cost before; 0: it has no old price.
type Choice struct{ Price, Old int64 }

// ChoiceOf returns the choice of a variant with prices of its own, which may be nil, of a product
// with a price and an old one. The old price of the product belongs to the product's price.
func ChoiceOf(price, old int64, own, ownOld *int64) Choice {
	c := Choice{price, old}
	if own != nil && *own != price {
		c = Choice{*own, 0}
	}
	if ownOld != nil {
		c.Old = *ownOld
	}
	return c
}
