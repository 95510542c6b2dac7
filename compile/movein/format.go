package movein

import (
	"strconv"
	"strings"

	"vitrine/compile/movein/header"
)

// field is what a column of a table, or an element of a feed, states about a product.
type field uint8

// The fields. Those below lists may occur many times in a row, numbered or repeated.
const (
	handle field = iota + 1 // the last part of its address
	id                      // its number in the old shop
	parent                  // of a variant: its product; of a section: the section above
	kind                    // of the row
	name
	description
	summary
	brand
	tags
	sections
	sectionKind // Shopify's Type
	published
	status
	visibility
	archived
	sku
	gtin
	price
	salePrice
	saleFrom
	saleTo
	onSale
	comparePrice
	impact // on the price of the product
	impactSign
	discountKind
	discountValue
	discountPercent
	discountFrom
	discountTo
	currency
	stock
	tracked
	available
	weight
	weightUnit
	pictureAlt
	picturePosition
	variantPicture
	seoTitle
	seoDescription
	optionList  // all options of a variant in one cell
	optionNames // the names for it
	variantName
	attributeList
	address // of the product's page
	page    // of a shop, to which products belong
	view    // the language or the shop of a translation
	prefix  // what precedes a name
	colour
	size
	material
	pattern

	lists
	picture
	pictureAlts
	optionName
	optionValue
	attributeName
	attributeValue
	stockAt // at a place; the sum counts
	fields
)

// format is a system's export of products: its columns and how it writes what is in them.
type format struct {
	file    header.File
	columns map[field]string // names, separated by |; # is a number, a final … any language, unit or place

	lists       string // separators of a list: of sections, pictures and tags
	pictureList string // of pictures, if it differs
	path        string // separator of a section's path; empty: sections have no path
	root        string // the first section of every path, which is no section
	pictures    string // where relative addresses of pictures begin
	escaped     bool   // line ends in texts are the two characters \n
	plain       bool   // descriptions are plain text with entities
	guarded     bool   // identifiers may begin with an apostrophe
	unit        string // of weights
	defaults    string // the option value of a plain product

	shape func(e *engine, r *row) (group string, what role)
	// more reads what else a row states about its product; nil: nothing.
	more func(e *engine, d *draft, r *row)
	// finish completes a product once all rows are read; nil: nothing to do.
	finish func(e *engine, d *draft)
	end    func(e *engine) // after all products
	// old are the addresses at which the old shop had a product, and those of a section.
	old        func(d *draft) []string
	sectionOld func(names []string) []string
}

// role is what a row adds to a product.
type role uint8

const (
	nothing   role = 0
	head      role = 1 << iota // the fields of the product itself
	choice                     // a variant
	gallery                    // pictures
	quantity                   // stock of a variant that another row has
	dimension                  // a value of an option, for all variants
)

// column is a recognised name.
type column struct {
	field  field
	number int    // from 1; 0: none
	arg    string // language, unit or place
}

// column recognises the name of a column or an element.
func (f *format) column(name string) (column, bool) {
	name = header.Normal(name)
	plain, number := numbered(name)
	var best column
	for field, names := range f.columns {
		for want := range strings.SplitSeq(names, "|") {
			switch open, isOpen := strings.CutSuffix(want, "…"); {
			case want == name:
				return column{field: field}, true
			case want == plain && number > 0:
				return column{field: field, number: number}, true
			case isOpen && strings.HasPrefix(name, open):
				best = column{field: field, arg: strings.TrimRight(name[len(open):], " )")}
			}
		}
	}
	return best, best.field != 0
}

// numbered replaces the number in a name by #.
func numbered(name string) (string, int) {
	start := strings.IndexAny(name, "0123456789")
	if start < 0 {
		return name, 0
	}
	end := start
	for end < len(name) && isDigit(rune(name[end])) {
		end++
	}
	n, err := strconv.Atoi(name[start:end])
	if err != nil || n > maxNumber {
		return name, 0
	}
	return name[:start] + "#" + name[end:], n
}

// maxNumber bounds numbered columns, such as Attribute 3 name.
const maxNumber = 100

// row is one record of a table or one item of a feed.
type row struct {
	Place
	text    [lists]string
	list    [fields - lists][]string
	present *[fields]bool // the fields that the file has
}

func (r *row) clear() {
	r.text = [lists]string{}
	for i := range r.list {
		r.list[i] = r.list[i][:0]
	}
}

// set adds a cell.
func (r *row) set(c column, cell string) {
	if cell == "" {
		return
	}
	if c.field < lists {
		if r.text[c.field] == "" {
			r.text[c.field] = cell
		}
		if c.field == weight && c.arg != "" {
			r.text[weightUnit] = c.arg
		}
		return
	}
	values := &r.list[c.field-lists]
	at := c.number - 1
	if at < 0 {
		at = len(*values)
	}
	if at >= maxList {
		return
	}
	for len(*values) <= at {
		*values = append(*values, "")
	}
	(*values)[at] = cell
}

// all returns the cells of a repeated field, by number.
func (r *row) all(f field) []string { return r.list[f-lists] }

// has reports whether a field has a cell that is not empty.
func (r *row) has(f field) bool { return r.text[f] != "" }

// any reports whether one of the cells of a repeated field is not empty.
func (r *row) any(f field) bool {
	for _, cell := range r.all(f) {
		if cell != "" {
			return true
		}
	}
	return false
}
