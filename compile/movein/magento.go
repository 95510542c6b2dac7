package movein

import (
	"maps"
	"slices"
	"strings"

	"vitrine/compile/movein/header"
	"vitrine/internal/shop"
)

var magento = format{
	file: header.File{System: header.Magento, Content: header.Products},
	columns: map[field]string{
		sku: "sku", view: "store_view_code", kind: "product_type", sections: "categories", name: "name", description: "description", summary: "short_description",
		weight: "weight", published: "product_online", visibility: "visibility", price: "price", salePrice: "special_price",
		saleFrom: "special_price_from_date|special_from_date", saleTo: "special_price_to_date|special_to_date", handle: "url_key", seoTitle: "meta_title",
		seoDescription: "meta_description", picture: "base_image|additional_images", pictureAlts: "base_image_label|additional_image_labels", attributeList: "additional_attributes",
		stock: "qty", tracked: "manage_stock", available: "is_in_stock", optionList: "configurable_variations", optionNames: "configurable_variation_labels", brand: "manufacturer|brand",
	},
	lists: ",|", pictureList: ",|", path: "/", root: "*", pictures: "/media/catalog/product", unit: "?",
	shape: func(e *engine, r *row) (string, role) {
		number := code(unguard(r.text[sku]))
		switch strings.ToLower(code(r.text[kind])) {
		case "grouped", "bundle":
			e.lose(r.Place, Skipped, "KIND_UNSUPPORTED", r.text[kind]+": "+r.text[name])
			return "", nothing
		}
		switch {
		case number == "":
			return "", nothing
		case r.has(view):
			e.lose(r.Place, Skipped, "TRANSLATION_SKIPPED", r.text[view]+": "+number)
			return "", nothing
		case r.has(optionList):
			return number, head | gallery
		}
		if hidden := strings.EqualFold(line(r.text[visibility]), "not visible individually"); hidden {
			o := e.option(e.format, r)
			if cells := r.all(picture); len(cells) > 0 {
				o.Picture = e.address(e.format, r.Place, cells[0])
			}
			if len(e.children) < maxHeld {
				e.children[number] = child{kept: e.spool.keepValue(o)}
			}
			return "", nothing
		}
		return number, head | gallery
	},
	more: func(e *engine, d *draft, r *row) {
		d.listed, d.labels = e.spool.keep(r.text[optionList]), r.text[optionNames]
		for _, pair := range pairs(r.text[attributeList]) {
			d.Attributes = addAttribute(d.Attributes, pair[0], pair[1])
		}
		if d.listed.isEmpty() {
			return
		}
		d.Stock = nil
	},
	finish: magentoVariants,
	end: func(e *engine) { // what no product lists
		for _, number := range slices.Sorted(maps.Keys(e.children)) {
			if c := e.children[number]; !c.listed {
				e.lose(c.load(e).At, Skipped, "VARIANT_WITHOUT_PRODUCT", number)
			}
		}
	},
	old: func(d *draft) []string {
		if d.handle == "" {
			return nil
		}
		out := []string{"/" + segment(d.handle) + ".html"}
		for _, path := range d.Sections {
			out = append(out, "/"+joined(strings.Split(path, " > "), categorySlug)+"/"+segment(d.handle)+".html")
		}
		return out
	},
	sectionOld: func(names []string) []string {
		return []string{"/" + joined(names, categorySlug) + ".html"}
	},
}

func categorySlug(name string) string { return shop.GenerateSlug(name, "category") }

// child is a row that a product elsewhere lists as its variant.
type child struct {
	kept
	listed bool
}

func (c child) load(e *engine) (o option) {
	if err := c.decode(&o); err != nil && e.wrong == nil {
		e.wrong = err
	}
	return o
}

// magentoVariants makes the variants that a product lists: sku=A,size=S|sku=B,size=M.
func magentoVariants(e *engine, d *draft) {
	labels := map[string]string{}
	for _, pair := range pairs(d.labels) {
		labels[pair[0]] = pair[1]
	}
	listed, err := d.listed.read()
	if err != nil && e.wrong == nil {
		e.wrong = err
	}
	known := false
	for _, pair := range pairs(listed) {
		if pair[0] != "sku" {
			if known {
				d.options[len(d.options)-1].add(or(labels[pair[0]], pair[0]), pair[1])
			}
			continue
		}
		c, has := e.children[pair[1]]
		if known = has; !known {
			e.lose(d.Place, Skipped, "VARIANT_MISSING", d.Name+": "+pair[1])
			continue
		}
		c.listed = true
		e.children[pair[1]] = c
		o := c.load(e)
		o.SKU, o.Names, o.Values = pair[1], nil, nil
		d.options = append(d.options, o)
	}
}

// pairs splits name=value pairs, whatever separates them: a pair begins where a name and = follow
// a separator.
func pairs(cell string) (out [][2]string) {
	start := 0
	for i := 1; i <= len(cell) && len(out) < 4*maxVariants*maxOptions; i++ {
		if i < len(cell) && (strings.IndexByte(",|;", cell[i-1]) < 0 || !beginsPair(cell[i:])) {
			continue
		}
		end := i
		if i < len(cell) {
			end--
		}
		if label, text, ok := strings.Cut(cell[start:end], "="); ok {
			out = append(out, [2]string{code(label), code(text)})
		}
		start = i
	}
	return out
}

// beginsPair reports whether a text begins with a name and =.
func beginsPair(text string) bool {
	for i := range len(text) {
		c := text[i] | 0x20
		if text[i] == '=' {
			return i > 0
		}
		if !('a' <= c && c <= 'z' || isDigit(rune(text[i])) || text[i] == '_') {
			return false
		}
	}
	return false
}
