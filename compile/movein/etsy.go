package movein

import (
	"strings"

	"vitrine/compile/movein/header"
)

// etsy reads listings, in English or Italian; they have no addresses on the shop's own website.
var etsy = format{
	file: header.File{System: header.Etsy, Content: header.Products},
	columns: map[field]string{
		name: "title|titolo", description: "description|descrizione", price: "price|prezzo", currency: "currency_code", stock: "quantity|quantità", tags: "tags|tag",
		material: "materials|materiali", picture: "image#|immagine#", optionName: "variation # name|nome variante #", optionValue: "variation # values|valori variante #", sku: "sku",
	},
	lists: ",", plain: true,
	shape: func(e *engine, r *row) (string, role) {
		return or(line(r.text[name])+"\n"+code(r.text[sku]), e.last), head | gallery
	},
	more: func(e *engine, d *draft, r *row) {
		names := r.all(optionName)
		for i, cell := range r.all(optionValue) {
			for _, value := range list(cell, ",") {
				if i < len(names) {
					d.addAxis(line(names[i]), axisValue{text: line(value)})
				}
			}
		}
		d.Attributes = addAttribute(d.Attributes, "Materials", strings.Join(list(strings.ReplaceAll(r.text[material], "_", " "), ","), ", "))
	},
}
