package movein

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/shop"
)

// finish turns the drafts into products.
func (e *engine) finish() {
	if e.format == nil {
		return
	}
	e.adopt()
	e.drafts, e.byGroup, e.alias = nil, nil, nil
	for i, d := range e.heads {
		e.heads[i] = nil // what it holds is the product's now
		if d.Name == "" {
			d.Name = or(d.SKU, d.handle)
		}
		if d.Name == "" {
			e.lose(d.Place, Skipped, "NAME_MISSING", d.group)
			continue
		}
		if e.format.finish != nil {
			e.format.finish(e, d)
		}
		e.place(e.format, d)
		e.variants(d)
		e.identify(d)
		if e.format.old != nil {
			d.Old = distinct(e.format.old(d))
		}
		slices.SortStableFunc(d.pictures, func(a, b placed) int { return cmp.Compare(a.position, b.position) })
		for _, p := range d.pictures {
			d.Pictures = append(d.Pictures, p.Picture)
		}
		e.plan.Products = append(e.plan.Products, d.Product)
	}
	if e.format.end != nil {
		e.format.end(e)
	}
	if e.answer("currency") == "without" {
		e.dropPrices()
	}
}

// adopt gives variants whose product is elsewhere in the files to it.
func (e *engine) adopt() {
	for _, d := range e.drafts {
		if d.hasHead {
			continue
		}
		to := e.alias[d.group]
		if to == nil || !to.hasHead {
			for _, o := range d.options {
				e.lose(o.place, Skipped, "VARIANT_WITHOUT_PRODUCT", or(o.SKU, d.group))
			}
			for range d.axes {
				e.lose(d.Place, Skipped, "VARIANT_WITHOUT_PRODUCT", d.group)
			}
			continue
		}
		to.options, to.axes = append(to.options, d.options...), append(to.axes, d.axes...)
		for _, p := range d.pictures {
			e.addPicture(to, d.Place, p)
		}
	}
}

// identify gives a product its key, slug and sku.
func (e *engine) identify(d *draft) {
	if d.SKU != "" && e.skus[d.SKU] {
		e.lose(d.Place, Changed, "SKU_DUPLICATE", d.SKU)
		d.SKU = ""
	}
	e.claim(d.SKU)
	for i := range d.Variants {
		v := &d.Variants[i]
		if v.SKU != "" && e.skus[v.SKU] {
			e.lose(d.Place, Changed, "SKU_DUPLICATE", v.SKU)
			v.SKU = ""
		}
		e.claim(v.SKU)
	}
	keySKU := d.SKU
	for _, v := range d.Variants {
		if keySKU == "" {
			keySKU = v.SKU
		}
	}
	d.Key = e.key(d.handle, keySKU, d.Name)
	d.Slug = slugFor(d.handle, d.Name, "product")
}

func (e *engine) claim(sku string) {
	if sku != "" {
		e.skus[sku] = true
	}
}

// key returns the first name that no other object has.
func (e *engine) key(names ...string) string {
	last := ""
	for _, one := range names {
		if one == "" {
			continue
		}
		if !e.keys[one] {
			e.keys[one] = true
			return one
		}
		last = one
	}
	for n := 2; ; n++ {
		if one := last + " (" + strconv.Itoa(n) + ")"; !e.keys[one] {
			e.keys[one] = true
			return one
		}
	}
}

// slugFor returns a slug that the shop can have: the handle if it is one, else one made of it or
// of the name.
func slugFor(handle, name, noun string) string {
	if slug, err := shop.ParseSlug(handle); err == nil {
		return slug
	}
	slug := shop.GenerateSlug(handle, noun)
	if handle == "" || slug == noun+"-1" {
		slug = shop.GenerateSlug(name, noun)
	}
	return slug
}

// variants turns the options of a draft into variants, or into the plain product that it is.
func (e *engine) variants(d *draft) {
	e.combine(d)
	for i := range d.options {
		if n, ok := e.counted[countedKey(d.group, d.options[i].Values)]; ok {
			d.options[i].Stock = notNegative(n)
		}
	}
	names := optionsOf(d)
	if len(names) == 0 && len(d.options) > 1 {
		names = []string{e.optionLabel()}
		for i := range d.options {
			o := &d.options[i]
			o.names, o.Values = names, []string{or(o.SKU, strconv.Itoa(i+1))}
		}
	}
	if len(names) == 0 || len(d.options) == 1 && e.isDefault(d.options[0]) {
		if len(d.options) > 0 {
			d.become(d.options[0])
		}
		e.priceless(d)
		return
	}
	seen, priced := map[string]bool{}, slices.ContainsFunc(d.options, func(o option) bool { return o.Price != nil })
	for _, o := range d.options {
		v := o.Variant
		v.Values = make([]string, len(names))
		for i, label := range o.names {
			if at := slices.Index(names, label); at >= 0 {
				v.Values[at] = o.Values[i]
			}
		}
		all := strings.Join(v.Values, "\n")
		switch {
		case seen[all]:
			e.lose(o.place, Skipped, "VARIANT_DUPLICATE", d.Name+": "+strings.Join(v.Values, ", "))
			continue
		case d.price == nil && v.Price == nil && priced: // would cost nothing
			e.lose(o.place, Skipped, "PRICE_MISSING", d.Name+": "+strings.Join(v.Values, ", "))
			continue
		case len(d.Variants) == maxVariants:
			e.lose(o.place, Skipped, "VARIANTS_TOO_MANY", d.Name)
			continue
		}
		seen[all] = true
		d.cost(&v, o.impact)
		if v.Picture != "" {
			e.addPicture(d, o.place, placed{Picture{Address: v.Picture}, maxPictures})
		}
		d.Variants = append(d.Variants, v)
	}
	d.Options = names
	d.settle()
	e.priceless(d)
}

// optionLabel names an option that has no name.
func (e *engine) optionLabel() string {
	if e.shop.Language == "ru" {
		return "Вариант"
	}
	return "Option"
}

func notNegative(n int) *int {
	n = max(0, n)
	return &n
}

// optionsOf names the options of a draft's variants, also where only one row has the name, and
// returns the names of those that have values.
func optionsOf(d *draft) (names []string) {
	labels := slices.Clone(d.labelled)
	for _, o := range d.options {
		for n, label := range o.names {
			if n == len(labels) {
				labels = append(labels, "")
			}
			if labels[n] == "" {
				labels[n] = label
			}
		}
	}
	for i := range d.options {
		o := &d.options[i]
		o.names = slices.Clone(o.names)
		for n, label := range o.names {
			if label == "" {
				label = or(labels[n], "Option "+strconv.Itoa(n+1))
			}
			o.names[n] = label
			if o.Values[n] != "" && !slices.Contains(names, label) && len(names) < maxOptions {
				names = append(names, label)
			}
		}
	}
	return names
}

// isDefault reports whether the only variant of a product is the product itself.
func (e *engine) isDefault(o option) bool {
	for _, value := range o.Values {
		if value != "" && !strings.EqualFold(value, e.format.defaults) {
			return false
		}
	}
	return true
}

// become makes a draft the plain product that its only variant is.
func (d *draft) become(o option) {
	d.SKU, d.GTIN = or(o.SKU, d.SKU), or(o.GTIN, d.GTIN)
	if d.cost(&o.Variant, o.impact); o.Price != nil {
		d.Price, d.price, d.OldPrice = *o.Price, o.Price, 0
		if o.OldPrice != nil {
			d.OldPrice = *o.OldPrice
		}
	}
	if o.Stock != nil {
		d.Stock = o.Stock
	}
	if o.WeightG != nil {
		d.WeightG = o.WeightG
	}
}

// cost gives a variant the price of its product plus its impact.
func (d *draft) cost(v *Variant, impact *int64) {
	if impact == nil || v.Price != nil || d.price == nil {
		return
	}
	base := max(0, *d.price+*impact)
	now := d.off.off(base)
	if v.Price = &now; base > now {
		v.OldPrice = &base
	}
}

// settle gives a product with variants the lowest of their prices, and leaves out what its
// variants share with it.
func (d *draft) settle() {
	lowest := -1
	for i, v := range d.Variants {
		if v.Price != nil && (lowest < 0 || *v.Price < *d.Variants[lowest].Price) {
			lowest = i
		}
		d.StockByVariant = d.StockByVariant || v.Stock != nil
	}
	inherits := slices.ContainsFunc(d.Variants, func(v Variant) bool { return v.Price == nil })
	if lowest >= 0 && !inherits {
		d.Price, d.price, d.OldPrice = *d.Variants[lowest].Price, d.Variants[lowest].Price, 0
		if old := d.Variants[lowest].OldPrice; old != nil {
			d.OldPrice = *old
		}
	}
	if d.StockByVariant {
		d.Stock = nil
	}
	for i := range d.Variants {
		v := &d.Variants[i]
		if v.Price != nil && *v.Price == d.Price && value(v.OldPrice) == d.OldPrice {
			v.Price, v.OldPrice = nil, nil
		}
		if v.WeightG != nil && d.WeightG != nil && *v.WeightG == *d.WeightG {
			v.WeightG = nil
		}
	}
	used := map[string]bool{}
	for _, v := range d.Variants {
		used[v.SKU] = true
	}
	if d.SKU != "" && used[d.SKU] {
		d.SKU, d.GTIN = "", ""
	}
}

func value(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// priceless keeps a product without a price unpublished: nobody should buy it for nothing.
func (e *engine) priceless(d *draft) {
	if d.price != nil || slices.ContainsFunc(d.Variants, func(v Variant) bool { return v.Price != nil }) {
		return
	}
	if d.Published {
		e.lose(d.Place, Changed, "PRICE_MISSING", d.Name)
	}
	d.Published = false
}

// dropPrices leaves all products without prices.
func (e *engine) dropPrices() {
	for i := range e.plan.Products {
		p := &e.plan.Products[i]
		p.Price, p.OldPrice, p.Published = 0, 0, false
		for n := range p.Variants {
			p.Variants[n].Price, p.Variants[n].OldPrice = nil, nil
		}
	}
}

// combine makes the variants of options whose values combine freely.
func (e *engine) combine(d *draft) {
	if len(d.axes) == 0 {
		return
	}
	if len(d.options) > 0 || d.closed {
		e.fill(d)
		return
	}
	skus := strings.Split(d.SKU, ",")
	combined := []option{{place: d.Place}}
	for _, a := range d.axes {
		combined = e.spread(d, combined, a)
	}
	for i := range combined {
		if len(skus) == len(combined) && len(skus) > 1 {
			combined[i].SKU = code(skus[i])
		}
	}
	if len(skus) > 1 {
		d.SKU = ""
	}
	d.options = combined
}

// addDimension adds a value of an option that combines with those of others.
func (e *engine) addDimension(d *draft, r *row) {
	for i, label := range r.all(optionName) {
		values := r.all(optionValue)
		if i >= len(values) || len(d.axes) >= maxOptions {
			return
		}
		v := axisValue{text: shop.Clip(line(unguard(values[i])), maxText), stock: e.stock(r)}
		v.impact, _ = e.difference(r.Place, r.text[impactSign]+code(r.text[impact]))
		d.addAxis(line(unguard(label)), v)
	}
}

// addAxis adds values to an option.
func (d *draft) addAxis(label string, values ...axisValue) {
	at := slices.IndexFunc(d.axes, func(a axis) bool { return a.name == label })
	if at < 0 {
		if len(d.axes) >= maxOptions || label == "" {
			return
		}
		at = len(d.axes)
		d.axes = append(d.axes, axis{name: label})
	}
	for _, v := range values {
		if v.text != "" && len(d.axes[at].values) < maxVariants {
			d.axes[at].values = append(d.axes[at].values, v)
		}
	}
}

// fill gives a value to options that a variant leaves open: empty means any.
func (e *engine) fill(d *draft) {
	for _, a := range d.axes {
		var filled []option
		for _, o := range d.options {
			at := slices.Index(o.names, a.name)
			if at >= 0 && o.Values[at] == "" && len(a.values) > 0 {
				o.names, o.Values = slices.Delete(slices.Clone(o.names), at, at+1), slices.Delete(slices.Clone(o.Values), at, at+1)
				filled = append(filled, e.spread(d, []option{o}, a)...)
				continue
			}
			filled = append(filled, o)
		}
		d.options = filled
	}
}

// spread multiplies variants by the values of an option.
func (e *engine) spread(d *draft, list []option, a axis) (out []option) {
	for _, o := range list {
		for i, v := range a.values {
			if len(out) >= maxVariants {
				e.lose(d.Place, Changed, "VARIANTS_TOO_MANY", d.Name)
				return out
			}
			next := o
			next.names, next.Values = append(slices.Clone(o.names), a.name), append(slices.Clone(o.Values), v.text)
			total := v.impact + value(o.impact)
			if next.impact = &total; o.Price != nil {
				next.impact = nil
			}
			if v.stock != nil {
				next.Stock = v.stock
			}
			if i > 0 && o.SKU != "" {
				next.SKU = ""
			}
			next.SKU = or(v.sku, next.SKU)
			out = append(out, next)
		}
	}
	return out
}

// distinct drops empty and repeated addresses.
func distinct(addresses []string) (out []string) {
	for _, a := range addresses {
		if a != "" && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}
