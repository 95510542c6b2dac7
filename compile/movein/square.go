package movein

import "vitrine/compile/movein/header"

var square = format{
	file: header.File{System: header.Square, Content: header.Products},
	columns: map[field]string{
		id: "token", name: "item name", variantName: "variation name", sku: "sku", description: "description", sections: "categories|category", seoTitle: "seo title",
		seoDescription: "seo description", handle: "permalink", gtin: "gtin", visibility: "square online item visibility", weight: "weight (…", price: "price", salePrice: "online sale price",
		archived: "archived", optionName: "option name #", optionValue: "option value #", stockAt: "current quantity …",
	},
	lists: ",", path: ">", defaults: "Regular", plain: true,
	shape: func(e *engine, r *row) (string, role) {
		group := line(r.text[name])
		if !r.any(optionValue) && r.has(variantName) {
			r.list[optionName-lists] = append(r.list[optionName-lists][:0], e.optionLabel())
			r.list[optionValue-lists] = append(r.list[optionValue-lists][:0], r.text[variantName])
		}
		if r.present[visibility] && !r.has(visibility) {
			r.text[visibility] = "hidden"
		}
		return group, head | choice
	},
	old: func(d *draft) []string {
		if d.handle == "" {
			return nil
		}
		return []string{"/product/" + segment(d.handle) + "/*"}
	},
}
