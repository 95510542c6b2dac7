package feed

import (
	"slices"

	"vitrine/internal/shop"
)

// field reads the field of one name from each kind of value that has fields. A nil
// function means that this kind has no field of the name.
type field struct {
	text     func(*Item) string // a text of a product
	whole    func(*Item) int64  // an integer of a product
	money    bool               // whole is an amount with the decimal places of the item
	item     func(*Item) value  // any other value of a product
	category func(*Category) value
	shop     func(*Shop) value
	root     bool
}

// namedField is a field with its name and its meaning, a sentence for the reference.
// Its tables drive the checks and the rendering of templates, the reference and thus
// the guides.
type namedField struct {
	name, meaning string
	field         field
}

var shopFields = []namedField{
	{"Name", "The name of the shop.", field{shop: func(s *Shop) value { return text(s.Name) }}},
	{"URL", "Scheme and host of the shop, no trailing slash.", field{shop: func(s *Shop) value { return text(s.URL) }}},
	{"Currency", "The currency of the shop.", field{shop: func(s *Shop) value { return text(s.Currency) }}},
}

// productFields are the fields of shop.Offer.
var productFields = []namedField{
	{"ID", "A number.", field{whole: func(p *Item) int64 { return p.ID }}},
	{"OfferID", "The number of the product, followed by v and the number of the variant: letters and digits only, as marketplaces require.", field{text: func(p *Item) string { return p.OfferID }}},
	{"GroupID", "The number of the product that a variant belongs to, 0 for products.", field{whole: func(p *Item) int64 { return p.GroupID }}},
	{"VariantID", "The number of a variant, 0 for products. Assistants name a variant by .GroupID, a hyphen and this number.", field{whole: func(p *Item) int64 { return p.VariantID }}},
	{"Name", "The name.", field{text: func(p *Item) string { return p.Name }}},
	{"Description", "The description as it was saved, including its tags, escaped as text.", field{text: func(p *Item) string { return p.Description }}},
	{"URL", "The absolute canonical address.", field{text: func(p *Item) string { return p.URL }}},
	{"SKU", "The article number, empty when there is none.", field{text: func(p *Item) string { return p.SKU }}},
	{"GTIN", "The number of its barcode (EAN, UPC), empty when there is none.", field{text: func(p *Item) string { return p.GTIN }}},
	{"Brand", "The brand, empty when there is none.", field{text: func(p *Item) string { return p.Brand }}},
	{"CountryOfOrigin", "The country where it was made, as two letters (ISO 3166-1 alpha-2), empty when there is none.", field{text: func(p *Item) string { return p.CountryOfOrigin }}},
	{"Price", "The price as an anonymous visitor sees it in a listing; of a product with variants the lowest. It is an integer, or a fraction in a shop whose prices have decimals.", field{money: true, whole: func(p *Item) int64 { return p.Price }}},
	{"OldPrice", "The old price, 0 when there is none.", field{money: true, whole: func(p *Item) int64 { return p.OldPrice }}},
	{"WeightG", "The weight in grams, 0 when it is unknown.", field{whole: func(p *Item) int64 { return p.WeightG }}},
	{"Currency", "The currency of the prices.", field{text: func(p *Item) string { return p.Currency }}},
	{"CategoryID", "The main category.", field{whole: func(p *Item) int64 { return p.CategoryID }}},
	{"CategoryName", "Its name.", field{text: func(p *Item) string { return p.CategoryName }}},
	{"CategoryPath", "Its path, Parent > Child.", field{text: func(p *Item) string { return p.CategoryPath }}},
	{"Rating", "The average rating.", field{item: func(p *Item) value { return float(p.Rating) }}},
	{"RatingCount", "The number of ratings.", field{whole: func(p *Item) int64 { return p.RatingCount }}},
	{"Kind", "standard, combo or multi.", field{text: func(p *Item) string { return p.Kind }}},
	{"InStock", "Whether it can be bought: its stock is not tracked, or at least 1.", field{item: func(p *Item) value { return boolean(p.InStock) }}},
	{"Stock", "The number in stock as a text, empty when the stock is not tracked.", field{text: func(p *Item) string { return p.Stock }}},
}

// traitFields are the fields of a product beside shop.Offer: lists of records with
// .Name, .Value and .Unit.
var traitFields = []namedField{
	{"Options", "The options of a variant, such as its colour and size: a list of records with .Name and .Value, sorted by name. Empty for products.", field{item: func(p *Item) value { return traits(p.Options) }}},
	{"Attributes", "The attributes of the product in their order: a list of records with .Name, .Value and .Unit, which is empty for values that are not numbers.", field{item: func(p *Item) value { return traits(p.Attributes) }}},
}

func traits(list []shop.Trait) value {
	records := make([]Record, len(list))
	for i, t := range list {
		records[i] = Record{"Name": t.Name, "Value": t.Value, "Unit": t.Unit}
	}
	return value{kind: kindRecords, ref: records}
}

var categoryFields = []namedField{
	{"ID", "A number.", field{category: func(c *Category) value { return number(c.ID) }}},
	{"ParentID", "The parent category, 0 at the top.", field{category: func(c *Category) value { return number(c.ParentID) }}},
	{"Name", "The name.", field{category: func(c *Category) value { return text(c.Name) }}},
	{"Slug", "The last part of the address.", field{category: func(c *Category) value { return text(c.Slug) }}},
	{"URL", "The absolute address.", field{category: func(c *Category) value { return text(c.URL) }}},
}

// fields are the names that templates may write after a dot.
var fields = byName(shopFields, productFields, traitFields, categoryFields)

// byName merges the fields of one name from all tables.
func byName(tables ...[]namedField) map[string]field {
	all := map[string]field{"Shop": {root: true}}
	for _, n := range slices.Concat(tables...) {
		f := all[n.name]
		switch {
		case n.field.shop != nil:
			f.shop = n.field.shop
		case n.field.category != nil:
			f.category = n.field.category
		default:
			f.text, f.whole, f.money, f.item = n.field.text, n.field.whole, n.field.money, n.field.item
		}
		all[n.name] = f
	}
	return all
}

// get reads the field. ok is false when the kind of v has no such field. A field of a
// missing value is a missing value, as in text/template.
func (f *field) get(v *value) (out value, ok bool) {
	switch v.kind {
	case kindItem:
		switch p := v.ref.(*Item); {
		case f.text != nil:
			return text(f.text(p)), true
		case f.whole != nil && f.money && p.Digits > 0:
			return price(f.whole(p), p.Digits), true
		case f.whole != nil:
			return number(f.whole(p)), true
		case f.item != nil:
			return f.item(p), true
		}
	case kindCategory:
		if f.category != nil {
			return f.category(v.ref.(*Category)), true
		}
	case kindShop:
		if f.shop != nil {
			return f.shop(v.ref.(*Shop)), true
		}
	case kindRoot:
		if f.root {
			return value{kind: kindShop, ref: v.ref}, true
		}
	case kindNone:
		return value{}, true
	}
	return value{}, false
}
