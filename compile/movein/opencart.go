package movein

import (
	"html"
	"strings"

	"vitrine/compile/movein/header"
)

// openCart reads the sheets of the export tool: products, categories, values of options.
var openCart = format{
	file: header.File{System: header.OpenCart, Content: header.Products},
	columns: map[field]string{
		id: "product_id|category_id", parent: "parent_id", name: "name(…|name", sections: "categories", sku: "sku", variantName: "model", gtin: "ean|upc|jan", stock: "quantity",
		brand: "manufacturer", picture: "image_name", price: "price", impactSign: "price_prefix", weight: "weight", weightUnit: "weight_unit", published: "status",
		handle: "seo_keyword(…|seo_keyword", description: "description(…|description", seoTitle: "meta_title(…|meta_title", seoDescription: "meta_description(…|meta_description",
		tags: "tags(…|tags", tracked: "subtract", optionName: "option", optionValue: "option_value",
	},
	lists: ",", pictures: "/image/",
	shape: func(e *engine, r *row) (string, role) {
		number := code(r.text[id])
		switch {
		case r.present[parent]:
			if len(e.folders) < maxHeld && number != "" {
				e.folders[number] = folder{code(r.text[parent]), line(unguard(r.text[name])), code(r.text[handle])}
			}
			return "", nothing
		case r.present[optionValue]:
			r.text[impact], r.text[price] = r.text[price], ""
			return number, dimension
		}
		if !r.has(sku) {
			r.text[sku] = r.text[variantName]
		}
		if text := r.text[description]; !strings.Contains(text, "<") { // a dump of the table
			r.text[description] = html.UnescapeString(text)
		}
		return number, head | gallery
	},
	finish: func(e *engine, d *draft) {
		if len(d.axes) < 2 {
			return
		}
		counted := false
		for _, a := range d.axes {
			for i := range a.values {
				counted = counted || a.values[i].stock != nil
				a.values[i].stock = nil
			}
		}
		if counted {
			e.lose(d.Place, Changed, "STOCK_BY_VALUE", d.Name)
		}
	},
	old: func(d *draft) []string {
		var out []string
		if d.handle != "" {
			out = append(out, "/"+segment(d.handle))
		}
		out = append(out, "/index.php?product_id="+segment(d.id))
		if d.handle != "" {
			out = append(out, "/product/"+segment(d.handle), "/*/product/"+segment(d.handle))
		}
		return out
	},
}
