package movein

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"vitrine/compile/movein/header"
)

// wooCommerce reads the export of products, whose names are in the language of its user: English,
// German, Russian, French or Spanish.
var wooCommerce = format{
	file: header.File{System: header.WooCommerce, Content: header.Products},
	columns: map[field]string{
		id: "id", kind: "type|typ|тип|tipo", sku: "sku|artikelnummer|артикул|ugs", name: "name|имя|название|nom|nombre",
		gtin:           "gtin, upc, ean, or isbn|gtin, upc, ean oder isbn|gtin, upc, ean или isbn|gtin, upc, ean ou isbn|gtin, upc, ean o isbn",
		published:      "published|veröffentlicht|опубликован|publié|publicado",
		visibility:     "visibility in catalog|sichtbarkeit im katalog|видимость в каталоге|visibilité dans le catalogue|visibilidad en el catálogo",
		summary:        "short description|kurzbeschreibung|краткое описание|короткое описание|description courte|descripción corta",
		description:    "description|beschreibung|описание|descripción",
		saleFrom:       "date sale price starts|datum, an dem angebotspreis beginnt|дата начала действия скидки|дата начала действия продажной цены|date de début de promo|día en que empieza el precio rebajado",
		saleTo:         "date sale price ends|datum, an dem angebotspreis endet|дата окончания действия скидки|дата окончания действия продажной цены|date de fin de promo|día en que termina el precio rebajado",
		available:      "in stock?|vorrätig?|auf lager?|наличие|в наличии?|en stock ?|en stock?|¿existencias?|¿en inventario?|¿hay existencias?",
		stock:          "stock|lager|bestand|запасы|inventario",
		weight:         "weight (…|gewicht (…|вес (…|poids (…|peso (…",
		salePrice:      "sale price|angebotspreis|акционная цена|цена распродажи|tarif promo|precio rebajado",
		price:          "regular price|regulärer preis|базовая цена|обычная цена|tarif régulier|precio normal",
		sections:       "categories|kategorien|категории|catégories|categorías",
		tags:           "tags|schlagwörter|метки|étiquettes|etiquetas",
		picture:        "images|bilder|изображения|imágenes",
		parent:         "parent|übergeordnetes produkt|übergeordnet|родительский|superior|principal",
		brand:          "brands|marken|бренды|marques|marcas",
		attributeName:  "attribute # name|attribut # name|attribut # (name)|имя атрибута #|название атрибута #|nom de l’attribut #|nom de l'attribut #|nom de l’attribut#|nombre del atributo #",
		attributeValue: "attribute # value(s)|attribut # wert(e)|attribut # (wert(e))|значение(-я) аттрибута(-ов) #|значение(-я) атрибута(-ов) #|значения атрибутов #|valeur(s) de l’attribut #|valeur(s) de l'attribut #|valor(es) del atributo #",
	},
	lists: ",", pictureList: ",", path: ">", escaped: true,
	shape: func(e *engine, r *row) (string, role) {
		kinds := list(strings.ToLower(r.text[kind]), ",")
		switch {
		case slices.Contains(kinds, "variation"):
			if no(r.text[published]) {
				e.lose(r.Place, Skipped, "VARIANT_HIDDEN", r.text[name])
				return "", nothing
			}
			r.list[optionName-lists], r.list[optionValue-lists] = r.all(attributeName), r.all(attributeValue)
			if cells := r.all(picture); len(cells) > 0 {
				if first := list(cells[0], ","); len(first) > 0 {
					r.text[variantPicture] = first[0]
				}
				r.list[picture-lists] = r.list[picture-lists][:0]
			}
			return reference(r.text[parent], r.Place), choice
		case slices.Contains(kinds, "grouped"), slices.Contains(kinds, "external"):
			e.lose(r.Place, Skipped, "KIND_UNSUPPORTED", r.text[kind]+": "+r.text[name])
			return "", nothing
		}
		group := or(code(r.text[id]), or(code(r.text[sku]), line(r.text[name])))
		return "product " + group, head | gallery
	},
	more: func(e *engine, d *draft, r *row) {
		if d.id != "" {
			e.alias["id:"+d.id] = d
		}
		if d.SKU != "" {
			e.alias["sku:"+d.SKU] = d
		}
		if !strings.Contains(strings.ToLower(r.text[kind]), "variable") {
			return
		}
		d.closed = true
		values := r.all(attributeValue)
		for i, label := range r.all(attributeName) {
			if i < len(values) {
				for _, v := range list(values[i], ",") {
					d.addAxis(line(label), axisValue{text: line(v)})
				}
			}
		}
	},
	finish: func(e *engine, d *draft) { // what its variants differ in is no attribute
		d.Attributes = slices.DeleteFunc(d.Attributes, func(a Attribute) bool {
			return slices.ContainsFunc(d.options, func(o option) bool { return slices.Contains(o.Names, a.Name) })
		})
	},
	old: func(d *draft) []string {
		slug := wordPressSlug(d.Name)
		out := []string{"/product/" + segment(slug), "/?product=" + segment(slug)}
		if d.id != "" {
			out = append(out, "/?p="+d.id)
		}
		return out
	},
	sectionOld: func(names []string) []string {
		return []string{"/product-category/" + joined(names, wordPressSlug)}
	},
}

// reference is the group of the product that a variation names: a sku or id:N.
func reference(cell string, at Place) string {
	cell = code(unguard(cell))
	switch {
	case cell == "":
		return "no product" // no product has this reference
	case strings.HasPrefix(cell, "id:"):
		return "id:" + code(cell[len("id:"):])
	}
	return "sku:" + cell
}

// wordPressSlug returns the slug that WordPress makes of a name: Latin letters without accents,
// letters of other scripts as they are, and digits, joined by hyphens.
func wordPressSlug(title string) string {
	var b strings.Builder
	gap := false
	for _, c := range norm.NFC.String(strings.ToLower(title)) {
		switch {
		case unicode.IsLetter(c), unicode.IsDigit(c), unicode.Is(unicode.Mn, c), c == '_':
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			if unicode.Is(unicode.Latin, c) {
				c, _ = utf8.DecodeRuneInString(norm.NFD.String(string(c)))
			}
			b.WriteRune(c)
		case unicode.IsSpace(c), c == '-', c == '/', c == '–', c == '—', c == '.':
			gap = true
		}
	}
	return b.String()
}
