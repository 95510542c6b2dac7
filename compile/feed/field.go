package feed

import (
	"slices"

	"vitrine/internal/shop"
)

// field is how one name is read from each of the things that have fields. A nil
// function means that such a thing has no field of this name.
type field struct {
	text     func(*Item) string // of a product
	whole    func(*Item) int64  // of a product
	money    bool               // whole, with the digits of the item behind a point
	item     func(*Item) value  // of a product, what is neither
	category func(*Category) value
	shop     func(*Shop) value
	root     bool
}

// namedField is a field with its name and what it means, a sentence for the reference.
// The tables of them are what templates are checked and run by, and what
// the reference and with it the guides are made from.
type namedField struct {
	name, meaning string
	field         field
}

var shopFields = []namedField{
	{"Name", "The name of the shop.", field{shop: func(s *Shop) value { return text(s.Name) }}},
	{"URL", "Scheme and host of the shop, no trailing slash.", field{shop: func(s *Shop) value { return text(s.URL) }}},
	{"Currency", "The currency of the shop.", field{shop: func(s *Shop) value { return text(s.Currency) }}},
}

// productFields are those of shop.Offer.
var productFields = []namedField{
	{"ID", "A number.", field{whole: func(p *Item) int64 { return p.ID }}},
	{"OfferID", "The number, and behind a v that of the variant: letters and digits, as marketplaces want it.", field{text: func(p *Item) string { return p.OfferID }}},
	{"GroupID", "The number of the product that a variant is of, 0 of what is no variant.", field{whole: func(p *Item) int64 { return p.GroupID }}},
	{"Name", "The name.", field{text: func(p *Item) string { return p.Name }}},
	{"Description", "The description as it was sent, tags too, escaped as text.", field{text: func(p *Item) string { return p.Description }}},
	{"URL", "The absolute canonical address.", field{text: func(p *Item) string { return p.URL }}},
	{"SKU", "The article number, empty when there is none.", field{text: func(p *Item) string { return p.SKU }}},
	{"GTIN", "The number under the bars of its code (EAN, UPC), empty when there is none.", field{text: func(p *Item) string { return p.GTIN }}},
	{"Brand", "Who makes it, empty when that is not said.", field{text: func(p *Item) string { return p.Brand }}},
	{"Price", "The price, as an anonymous visitor sees it in a listing: with variants the lowest. It is whole, or a fraction in a shop whose prices have digits behind the point.", field{money: true, whole: func(p *Item) int64 { return p.Price }}},
	{"OldPrice", "The price before, 0 when there is none.", field{money: true, whole: func(p *Item) int64 { return p.OldPrice }}},
	{"Currency", "The currency of the prices.", field{text: func(p *Item) string { return p.Currency }}},
	{"CategoryID", "The main category.", field{whole: func(p *Item) int64 { return p.CategoryID }}},
	{"CategoryName", "Its name.", field{text: func(p *Item) string { return p.CategoryName }}},
	{"CategoryPath", "Its path, Parent > Child.", field{text: func(p *Item) string { return p.CategoryPath }}},
	{"Rating", "The mean of the ratings.", field{item: func(p *Item) value { return float(p.Rating) }}},
	{"RatingCount", "How many there are.", field{whole: func(p *Item) int64 { return p.RatingCount }}},
	{"Kind", "standard, combo or multi.", field{text: func(p *Item) string { return p.Kind }}},
	{"InStock", "Whether it can be bought: its stock is not counted, or at least 1.", field{item: func(p *Item) value { return boolean(p.InStock) }}},
	{"Stock", "How many there are, as a text: empty when that is not counted.", field{text: func(p *Item) string { return p.Stock }}},
}

// traitFields are what a product has beside shop.Offer: lists of things with .Name,
// .Value and .Unit.
var traitFields = []namedField{
	{"Options", "Of a variant what it is chosen by, such as its colour and size: a list of things with .Name and .Value, by name. Empty of what is no variant.", field{item: func(p *Item) value { return traits(p.Options) }}},
	{"Attributes", "The attributes of the product in their order: a list of things with .Name, .Value and .Unit, which is empty of what is no number.", field{item: func(p *Item) value { return traits(p.Attributes) }}},
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
	{"ParentID", "The category above, 0 at the top.", field{category: func(c *Category) value { return number(c.ParentID) }}},
	{"Name", "The name.", field{category: func(c *Category) value { return text(c.Name) }}},
	{"Slug", "The last part of the address.", field{category: func(c *Category) value { return text(c.Slug) }}},
	{"URL", "The absolute address.", field{category: func(c *Category) value { return text(c.URL) }}},
}

// fields are the names that templates may write after a dot.
var fields = byName(shopFields, productFields, traitFields, categoryFields)

// byName joins what the tables say of one name.
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

// get reads the field; ok is false when the thing has no such field. No value
// has no fields and no error either, as in Go's templates.
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
