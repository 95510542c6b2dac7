package movein

import (
	"strings"

	"vitrine/compile/movein/header"
)

// prestaShop reads products and their combinations, files in any order.
var prestaShop = format{
	file: header.File{System: header.PrestaShop, Content: header.Products},
	columns: map[field]string{
		id: "product id|product id*|id", published: "active (0/1)", name: "name *|name|name*", sections: "categories (x,y,z...)|categories (x,y,z…)", price: "price tax excluded|price tax excl.",
		discountValue: "discount amount", discountPercent: "discount percent", discountFrom: "discount from (yyyy-mm-dd)", discountTo: "discount to (yyyy-mm-dd)",
		sku: "reference #|reference", brand: "manufacturer|brand", gtin: "ean13|ean-13", weight: "weight", stock: "quantity", visibility: "visibility", summary: "summary|short description",
		description: "description", tags: "tags (x,y,z...)|tags (x,y,z…)", seoTitle: "meta title", seoDescription: "meta description", handle: "url rewritten|friendly url|rewritten url",
		picture: "image urls (x,y,z...)|image urls (x,y,z…)", pictureAlt: "image alt texts (x,y,z...)|image alt texts (x,y,z…)",
		attributeList: "feature(name:value:position)|feature (name:value:position)|feature (name:value:position:customized)",
		optionNames:   "attribute (name:type:position)*|attribute (name:type:position)", optionList: "value (value:position)*|value (value:position)", impact: "impact on price",
	},
	lists: ",", pictureList: ",", root: "home|root", unit: "kg",
	shape: func(e *engine, r *row) (string, role) {
		if !r.present[optionList] {
			r.list[pictureAlts-lists] = list(r.text[pictureAlt], ",")
			return or(code(r.text[id]), line(r.text[name])), head | gallery
		}
		for _, part := range list(r.text[optionNames], ",") {
			r.list[optionName-lists] = append(r.list[optionName-lists], beforeColon(part))
		}
		for _, part := range list(r.text[optionList], ",") {
			r.list[optionValue-lists] = append(r.list[optionValue-lists], beforeColon(part))
		}
		for _, cell := range r.all(picture) {
			if found := list(cell, ","); len(found) > 0 {
				r.text[variantPicture] = found[0]
			}
		}
		r.list[picture-lists] = r.list[picture-lists][:0]
		return code(r.text[id]), choice
	},
	more: func(e *engine, d *draft, r *row) {
		if r.has(price) {
			e.lose(r.Place, Changed, "TAX_EXCLUDED", r.text[price])
		}
		for _, feature := range list(r.text[attributeList], ",") {
			if parts := strings.Split(feature, ":"); len(parts) > 1 {
				d.Attributes = addAttribute(d.Attributes, parts[0], parts[1])
			}
		}
	},
	old: func(d *draft) []string {
		if d.handle == "" || d.id == "" {
			return nil
		}
		last, number := segment(d.handle)+".html", segment(d.id)
		return []string{"/" + number + "-" + last, "/*/" + number + "-" + last, "/index.php?id_product=" + number, "/*/" + number + "-*-" + last}
	},
}

// beforeColon returns the name of Name:Type:Position.
func beforeColon(part string) string {
	parts := strings.Split(part, ":")
	if n := len(parts); n > 1 && isNumber(parts[n-1]) { // a value may have colons itself
		parts = parts[:n-1]
		if n > 2 && isKind(parts[n-2]) {
			parts = parts[:n-2]
		}
	}
	return strings.TrimSpace(strings.Join(parts, ":"))
}

func isNumber(text string) bool {
	return strings.TrimSpace(text) != "" && strings.Trim(text, " 0123456789") == ""
}

func isKind(text string) bool {
	switch strings.TrimSpace(text) {
	case "select", "radio", "color":
		return true
	}
	return false
}
