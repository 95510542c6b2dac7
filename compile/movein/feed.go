package movein

import (
	"io"
	"slices"
	"strings"

	"vitrine/compile/movein/header"
)

// google reads feeds of Merchant Center, as XML or as a table.
var google = format{
	file: header.File{System: header.Google, Content: header.Products},
	columns: map[field]string{
		id: "id", parent: "item_group_id|item group id", name: "title", description: "description", address: "link", picture: "image_link|additional_image_link|image link|additional image link",
		stock: "availability", price: "price", salePrice: "sale_price|sale price", saleFrom: "sale_price_effective_date|sale price effective date", gtin: "gtin", brand: "brand",
		sku: "mpn", colour: "color", size: "size", material: "material", pattern: "pattern", sections: "product_type|product type", weight: "shipping_weight|shipping weight",
	},
	lists: "\n", path: ">", pictureList: ",",
	shape: func(e *engine, r *row) (string, role) {
		group := or(code(r.text[parent]), "id "+code(r.text[id]))
		r.text[saleFrom], r.text[saleTo], _ = strings.Cut(r.text[saleFrom], "/")
		r.text[currency] = strings.Trim(r.text[price], "0123456789., \u00a0")
		r.text[handle] = lastSegment(r.text[address])
		if !r.has(sku) {
			r.text[sku] = r.text[id]
		}
		if _, unit, ok := strings.Cut(code(r.text[weight]), " "); ok {
			r.text[weightUnit] = unit
		}
		if r.has(parent) {
			for _, one := range [...]field{colour, size, material, pattern} {
				if r.has(one) {
					r.list[optionName-lists] = append(r.list[optionName-lists], googleOptions[one])
					r.list[optionValue-lists] = append(r.list[optionValue-lists], r.text[one])
				}
			}
		}
		return group, head | choice | gallery
	},
	old: oldPages,
}

var googleOptions = map[field]string{colour: "Color", size: "Size", material: "Material", pattern: "Pattern"}

// yml reads price lists of Yandex Market.
var yml = format{
	file: header.File{System: header.YML, Content: header.Products},
	columns: map[field]string{
		id: "id", parent: "group_id", name: "name", prefix: "typeprefix", brand: "vendor", variantName: "model", price: "price", comparePrice: "oldprice", currency: "currencyid",
		sections: "categoryid", picture: "picture", sku: "vendorcode|shop-sku", gtin: "barcode", description: "description", address: "url", stock: "count", available: "available", weight: "weight",
	},
	lists: ",", unit: "kg",
	shape: func(e *engine, r *row) (string, role) {
		if !r.has(name) {
			r.text[name] = strings.TrimSpace(r.text[brand] + " " + r.text[variantName])
		} else {
			r.text[prefix] = ""
		}
		r.text[handle] = lastSegment(r.text[address])
		return or(code(r.text[parent]), "id "+code(r.text[id])), head | choice | gallery
	},
	finish: func(e *engine, d *draft) { // variants differ in some of their parameters
		first := d.options[0]
		differ := map[string]bool{}
		for _, o := range d.options[1:] {
			for _, label := range append(slices.Clone(first.Names), o.Names...) {
				differ[label] = differ[label] || valueOf(o, label) != valueOf(first, label)
			}
		}
		for i, label := range first.Names {
			if !differ[label] {
				d.Attributes = addAttribute(d.Attributes, label, first.Values[i])
			}
		}
		for i := range d.options {
			o := &d.options[i]
			names, values := o.Names, o.Values
			o.Names, o.Values = nil, nil
			for n, label := range names {
				if differ[label] {
					o.add(label, values[n])
				}
			}
		}
	},
	old: oldPages,
}

// valueOf returns a variant's value of an option, or "".
func valueOf(o option, label string) string {
	if at := slices.Index(o.Names, label); at >= 0 {
		return o.Values[at]
	}
	return ""
}

// feed reads the items of an XML file as rows.
func (e *engine) feed(name string, f *format, r io.Reader) error {
	known := map[string]column{}
	var present [fields]bool
	present[price] = true
	one := &row{present: &present}
	set := func(label, text string) {
		c, seen := known[label]
		if !seen && len(known) < maxNodes {
			c, _ = f.column(label)
			known[label] = c
		}
		if c.field != 0 {
			one.set(c, strings.TrimSpace(text))
		}
	}
	return e.items(name, r, map[string]bool{"item": true, "entry": true, "offer": true, "category": true}, func(at Place, n *node) {
		if n.name == "category" {
			if number := n.attributes["id"]; len(e.folders) < maxHeld && number != "" {
				e.folders[number] = folder{parent: n.attributes["parentId"], name: line(n.text.String())}
			}
			return
		}
		one.clear()
		one.Place = at
		for label, text := range n.attributes {
			set(label, text)
		}
		for _, c := range n.children {
			switch {
			case c.name == "param":
				one.list[optionName-lists] = append(one.list[optionName-lists], c.attributes["name"])
				one.list[optionValue-lists] = append(one.list[optionValue-lists], strings.TrimSpace(c.text.String()+" "+c.attributes["unit"]))
			case c.name == "link" && c.attributes["href"] != "":
				set("link", c.attributes["href"])
			default:
				set(c.name, c.text.String())
			}
		}
		e.add(f, one)
	})
}
