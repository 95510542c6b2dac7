package movein

import (
	"strings"

	"vitrine/compile/movein/header"
)

// wix reads both exports of products.
var wix = format{
	file: header.File{System: header.Wix, Content: header.Products},
	columns: map[field]string{
		id: "handleid", handle: "handle", kind: "fieldtype", name: "name", description: "description|plaindescription", picture: "productimageurl|media", pictureAlt: "mediaalttext",
		sections: "collection", sku: "sku", price: "price", comparePrice: "strikethroughprice", impact: "surcharge", published: "visible", discountKind: "discountmode",
		discountValue: "discountvalue", stock: "inventory", weight: "weight", brand: "brand", gtin: "barcode", optionName: "productoptionname#",
		optionValue: "productoptiondescription#|productoptionchoices#", attributeName: "additionalinfotitle#", attributeValue: "additionalinfodescription#",
	},
	lists: ";", pictureList: ";", pictures: "https://static.wixstatic.com/media/", unit: "?",
	shape: func(e *engine, r *row) (string, role) {
		group := or(code(r.text[id]), or(code(r.text[handle]), e.last))
		switch strings.ToLower(code(r.text[kind])) {
		case "variant":
			for i, value := range r.all(optionValue) {
				r.all(optionValue)[i] = wixColour(value)
			}
			if cells := r.all(picture); len(cells) > 0 {
				r.text[variantPicture] = cells[0]
				r.list[picture-lists] = cells[:0]
			}
			return group, choice
		case "media":
			return group, gallery
		}
		return group, head | gallery
	},
	more: func(e *engine, d *draft, r *row) {
		names := r.all(optionName)
		for i, cell := range r.all(optionValue) {
			for _, value := range list(cell, ";") {
				if i < len(names) {
					d.addAxis(line(names[i]), axisValue{text: line(wixColour(value))})
				}
			}
		}
	},
	old: func(d *draft) []string {
		return []string{"/product-page/" + segment(or(d.handle, wordPressSlug(d.Name)))}
	},
}

// wixColour returns the name of a colour that is written #ff0000:Red.
func wixColour(value string) string {
	if _, label, ok := strings.Cut(value, ":"); ok && strings.HasPrefix(strings.TrimSpace(value), "#") && label != "" {
		return label
	}
	return value
}
