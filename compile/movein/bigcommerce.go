package movein

import (
	"regexp"
	"strings"

	"vitrine/compile/movein/header"
)

// bigCommerce reads both exports of products.
var bigCommerce = format{
	file: header.File{System: header.BigCommerce, Content: header.Products},
	columns: map[field]string{
		kind: "item type|item", id: "product id|id", name: "product name|name", sku: "product code/sku|sku", brand: "brand name", description: "product description|description", price: "price",
		comparePrice: "retail price", salePrice: "sale price", weight: "product weight|weight", published: "product visible?|product visible|is visible", tracked: "track inventory|inventory tracking",
		stock: "current stock level|stock level|current stock", sections: "category|categories", picture: "product image file - #|product image url - #|internal image url (export)|image url (import)",
		pictureAlts: "product image description - #|image description", seoTitle: "page title", seoDescription: "meta description", gtin: "product upc/ean|gtin|upc/ean", address: "product url",
		optionList: "options", parent: "brand id",
	},
	lists: ";", path: "/", pictures: "/product_images/", unit: "?",
	shape: func(e *engine, r *row) (string, role) {
		switch strings.ToLower(strings.TrimSpace(code(r.text[kind]))) {
		case "product":
			return "product " + or(code(r.text[id]), or(code(r.text[sku]), line(r.text[name]))), head | gallery
		case "sku", "variant":
			bigCommerceOptions(r)
			if !r.has(tracked) && r.has(stock) {
				r.text[tracked] = "yes"
			}
			if cells := r.all(picture); len(cells) > 0 {
				r.text[variantPicture] = cells[0]
				r.list[picture-lists] = cells[:0]
			}
			return e.last, choice
		case "image":
			return e.last, gallery
		}
		return "", nothing
	},
	more: func(e *engine, d *draft, r *row) {
		if r.has(parent) && !no(r.text[parent]) {
			e.lose(r.Place, Changed, "BRAND_NUMBER", r.text[parent])
		}
		if cell := r.text[sections]; r.present[optionList] && strings.Trim(cell, "0123456789;, ") == "" && cell != "" {
			e.lose(r.Place, Changed, "SECTION_NUMBER", cell)
			d.named = nil
		}
	},
	old: oldPages,
}

// bigOption matches a name and a value: [RT]Size=M in the older export,
// Type=Swatch|Name=Colour|Value=Red in the newer one.
var bigOption = regexp.MustCompile(`\[[A-Z]+\]([^=\]]+)=(.*?)(?:,\s*\[[A-Z]|$)|Name=([^|]*)\|Value=(.*?)(?:Type=|$)`)

func bigCommerceOptions(r *row) {
	cell := or(r.text[optionList], r.text[name])
	for len(r.all(optionName)) < maxOptions {
		m := bigOption.FindStringSubmatchIndex(cell)
		if m == nil {
			return
		}
		n := 2
		if m[n] < 0 {
			n = 6
		}
		value, _, _ := strings.Cut(cell[m[n+2]:m[n+3]], ":#")
		value, _, _ = strings.Cut(value, "[#")
		r.list[optionName-lists] = append(r.list[optionName-lists], cell[m[n]:m[n+1]])
		r.list[optionValue-lists] = append(r.list[optionValue-lists], strings.Trim(value, " ;,|"))
		cell = cell[m[n+3]:]
	}
}
