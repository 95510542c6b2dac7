package movein

import (
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/shop"
)

// head reads the fields of a product. A row that is also its first variant has the price, the
// stock and the sku of the variant.
func (e *engine) head(f *format, d *draft, r *row, what role) {
	if d.Product == nil {
		d.Product = &Product{}
	}
	d.hasHead, d.Place = true, r.Place
	e.heads = append(e.heads, d)
	d.handle, d.id, d.page = code(r.text[handle]), code(r.text[id]), code(r.text[page])
	title := line(strings.TrimSpace(unguard(r.text[prefix]) + " " + unguard(r.text[name])))
	d.Name = e.short(r.Place, title, maxText)
	text := e.text(f, r.Place, r.text[description])
	if text == "" {
		text = e.text(f, r.Place, r.text[summary])
	}
	d.description = e.spool.keep(text)
	d.Brand = e.short(r.Place, line(unguard(r.text[brand])), maxText)
	d.Published = isPublished(r)
	d.Seo = Seo{e.short(r.Place, line(unguard(r.text[seoTitle])), maxText), e.short(r.Place, line(unguard(r.text[seoDescription])), maxText*4)}
	d.Tags = e.tags(f, r)
	if what&choice == 0 {
		d.SKU, d.GTIN = e.identifier(f, r.Place, r.text[sku]), e.barcode(f, r)
		d.off = e.discount(r)
		d.Price, d.OldPrice, d.price = e.prices(r, d.off)
		d.Stock, d.WeightG = e.stock(r), e.weight(f, r)
	}
	d.named = e.sectionsOf(f, r)
	d.Attributes = e.attributes(r)
	for _, label := range r.all(optionName) {
		d.labelled = append(d.labelled, shop.Clip(line(unguard(label)), maxText))
	}
	e.foreignCurrency(r)
	if f.more != nil {
		f.more(e, d, r)
	}
}

// weight reads a weight in grams; the unit is in the row, or the owner says it.
func (e *engine) weight(f *format, r *row) *int {
	unit := or(r.text[weightUnit], f.unit)
	if unit == "?" {
		if grams(r.text[weight], "kg") == nil {
			return nil
		}
		unit = e.ask("weight_unit", "In which unit are the weights?", "kg", "kg", "g", "lb", "oz")
	}
	return grams(r.text[weight], unit)
}

// text reads a description.
func (e *engine) text(f *format, at Place, cell string) string {
	if cell == "" {
		return ""
	}
	cell = unguard(cell)
	if f.escaped {
		cell = escapes.Replace(cell)
	}
	if f.plain {
		cell = unescape(cell)
	}
	return e.short(at, strings.TrimSpace(dropControls(cell)), maxDescription)
}

// escapes are the two characters that WooCommerce writes for a line end.
var escapes = strings.NewReplacer(`\n`, "\n", `\r`, "", `\\`, `\`)

// isPublished reports whether a product was visible. What the file does not say is visible.
func isPublished(r *row) bool {
	return !no(r.text[published]) && !no(r.text[status]) && !no(r.text[visibility]) && !isYes(r.text[archived])
}

func isYes(cell string) bool {
	yes, known := truth(cell)
	return known && yes || strings.EqualFold(code(cell), "archived")
}

func (e *engine) tags(f *format, r *row) (out []string) {
	for _, tag := range list(r.text[tags], or(f.lists, ",")) {
		tag = line(unguard(tag))
		if f.plain {
			tag = strings.ReplaceAll(tag, "_", " ")
		}
		if tag = shop.Clip(tag, maxTags); tag != "" && !slices.Contains(out, tag) {
			out = append(out, tag)
		}
	}
	if len(out) > maxTags {
		e.lose(r.Place, Changed, "TAGS_TOO_MANY", r.text[name])
		out = out[:maxTags]
	}
	return out
}

// identifier reads a sku.
func (e *engine) identifier(f *format, at Place, cell string) string {
	cell = code(unguard(cell))
	if f.guarded {
		cell = identifier(cell)
	}
	return e.short(at, cell, maxText)
}

// barcode reads a GTIN; a wrong one is a loss.
func (e *engine) barcode(f *format, r *row) string {
	if !r.has(gtin) {
		return ""
	}
	cell := hyphens.Replace(identifier(unguard(r.text[gtin])))
	if cell == "" || strings.Trim(cell, "0") == "" {
		return ""
	}
	if fault := shop.GTINFault(cell); fault != "" {
		e.lose(r.Place, Changed, "BARCODE_INVALID", cell+": "+fault)
		return ""
	}
	return cell
}

var hyphens = strings.NewReplacer(" ", "", "-", "")

// discount reads what a system takes off a price.
func (e *engine) discount(r *row) (off discount) {
	if !r.has(discountPercent) && !r.has(discountValue) {
		return off
	}
	if !e.within(r.text[discountFrom], r.text[discountTo]) {
		return off
	}
	percent, _ := parseAmount(r.text[discountPercent])
	amountCell := r.text[discountValue]
	if strings.EqualFold(code(r.text[discountKind]), "PERCENT") {
		percent, _ = parseAmount(amountCell)
		amountCell = ""
	}
	if n, _ := percent.scaled(3); n > 0 && n <= 100_000 {
		off.percent = float64(n) / 1000
	}
	if n := e.price(r.Place, amountCell); n != nil {
		off.amount = *n
	}
	return off
}

// prices reads the price of a row: the sale counts within its dates and below the price, a
// compare-at price above it. base is the price before a discount, nil if there is none.
func (e *engine) prices(r *row, off discount) (now, old int64, base *int64) {
	base = e.price(r.Place, r.text[price])
	if base == nil {
		return 0, 0, nil
	}
	now = *base
	if off != (discount{}) {
		now = off.off(now)
	}
	if compare := e.price(r.Place, r.text[comparePrice]); compare != nil && *compare > now {
		old = *compare
	}
	onSale := !r.present[onSale] || isYes(r.text[onSale])
	sale := e.price(r.Place, r.text[salePrice])
	if onSale && sale != nil && *sale > 0 && *sale < now && e.within(r.text[saleFrom], r.text[saleTo]) {
		now = *sale
	}
	if *base > now {
		old = max(old, *base)
	}
	return now, old, base
}

// stock reads a quantity; nil if it is not counted.
func (e *engine) stock(r *row) *int {
	if r.present[tracked] && !isTracked(r.text[tracked]) {
		return nil
	}
	n, counted := 0, false
	for i := -1; i < len(r.all(stockAt)); i++ {
		cell := r.text[stock]
		if i >= 0 {
			cell = r.all(stockAt)[i]
		}
		cell = code(unguard(cell))
		switch yes, word := truth(cell); {
		case cell == "":
		case word && !isDigit(rune(cell[0])) && cell[0] != '-':
			if counted = counted || !yes; yes {
				return nil
			}
		default:
			if more, ok := whole(cell); ok {
				n, counted = n+more, true
			}
		}
	}
	if !counted && no(r.text[available]) {
		return new(int)
	}
	if !counted {
		return nil
	}
	if n < 0 {
		e.lose(r.Place, Changed, "STOCK_NEGATIVE", strconv.Itoa(n)+" of "+or(r.text[sku], r.text[name]))
		n = 0
	}
	return &n
}

// isTracked reads the cell of a column that says how stock is counted.
func isTracked(cell string) bool { return code(cell) != "" && !no(cell) }

// attributes reads the named properties of a product.
func (e *engine) attributes(r *row) (out []Attribute) {
	for i, label := range r.all(attributeName) {
		out = addAttribute(out, label, at(r.all(attributeValue), i))
	}
	return out
}

func addAttribute(to []Attribute, label, value string) []Attribute {
	label, value = shop.Clip(line(unguard(label)), maxText), shop.Clip(line(unguard(value)), maxText)
	if label == "" || value == "" || len(to) >= maxAttrs {
		return to
	}
	return append(to, Attribute{label, value})
}

// foreignCurrency asks what to do with prices in another currency.
func (e *engine) foreignCurrency(r *row) {
	of := strings.ToUpper(code(r.text[currency]))
	if of == "RUR" {
		of = "RUB"
	}
	if len(of) != 3 || e.shop.Currency == "" || of == e.shop.Currency {
		return
	}
	e.lose(r.Place, Changed, "CURRENCY_DIFFERENT", of+", the shop has "+e.shop.Currency)
	e.ask("currency", "The prices are in "+of+", those of the shop in "+e.shop.Currency+". Keep their numbers, or bring the products without prices?", "keep", "keep", "without")
}
