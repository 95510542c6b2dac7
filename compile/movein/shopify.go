package movein

import (
	"strings"

	"vitrine/compile/movein/header"
)

// shopify reads both exports of products, and the inventory by place.
var shopify = format{
	file: header.File{System: header.Shopify, Content: header.Products},
	columns: map[field]string{
		handle: "handle|url handle", name: "title", description: "body (html)|body html|description", brand: "vendor", sectionKind: "type", attributeList: "product category",
		tags: "tags", published: "published|published on online store", status: "status", optionName: "option# name", optionValue: "option# value",
		sku: "variant sku|sku", weight: "variant grams|weight value (grams)", tracked: "variant inventory tracker|inventory tracker",
		stock: "variant inventory qty|inventory quantity|on hand (current)|on hand", price: "variant price|price", comparePrice: "variant compare at price|compare-at price",
		gtin: "variant barcode|barcode", picture: "image src|product image url", picturePosition: "image position", pictureAlt: "image alt text",
		variantPicture: "variant image|variant image url", seoTitle: "seo title", seoDescription: "seo description", page: "location",
	},
	lists: ",", unit: "g", defaults: "Default Title", guarded: true, path: ">",
	shape: func(e *engine, r *row) (string, role) {
		group := or(code(r.text[handle]), e.last)
		if r.present[page] && !r.present[price] {
			return group, quantity
		}
		what := head | gallery
		if r.any(optionValue) || r.has(sku) || r.has(price) {
			what |= choice
		}
		return group, what
	},
	more: func(e *engine, d *draft, r *row) {
		label, taxonomy := line(unguard(r.text[sectionKind])), line(unguard(r.text[attributeList]))
		if label == "" && taxonomy == "" {
			return
		}
		switch e.ask("type", "Shopify's file has no collections. Make sections of the products' type, or of their category in Shopify's own list?", "type", "type", "category", "tag", "none") {
		case "type":
			d.named = []string{strings.ReplaceAll(label, ">", "/")}
		case "category":
			d.named = []string{taxonomy}
		case "tag":
			if label != "" {
				d.Tags = append(d.Tags, label)
			}
		}
	},
	old: func(d *draft) []string {
		if d.handle == "" {
			return nil
		}
		return []string{"/products/" + segment(d.handle), "/collections/*/products/" + segment(d.handle)}
	},
}
