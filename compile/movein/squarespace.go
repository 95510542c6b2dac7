package movein

import "vitrine/compile/movein/header"

var squarespace = format{
	file: header.File{System: header.Squarespace, Content: header.Products},
	columns: map[field]string{
		id: "product id [non editable]", page: "product page", handle: "product url", name: "title", description: "description", sku: "sku", optionName: "option name #",
		optionValue: "option value #", price: "price", salePrice: "sale price", onSale: "on sale", stock: "stock", sections: "categories", tags: "tags", weight: "weight",
		published: "visible", picture: "hosted image urls",
	},
	lists: ",", pictureList: " \n\t,", path: "/", unit: "?",
	shape: func(e *engine, r *row) (string, role) {
		if group := code(r.text[id]); group != "" {
			return group, head | choice | gallery
		}
		return e.last, choice | gallery
	},
	old: func(d *draft) []string {
		if d.handle == "" {
			return nil
		}
		return []string{"/" + segment(d.page) + "/p/" + segment(d.handle), "/" + segment(d.page) + "/" + segment(d.handle)}
	},
}
