package movein

import (
	"cmp"
	"slices"
	"strconv"

	"vitrine/internal/shop"
)

// finish turns the drafts into products.
func (e *engine) finish() {
	if e.format == nil {
		return
	}
	e.adopt()
	e.drafts, e.byGroup, e.alias = nil, nil, nil
	e.plan.Products = make([]*Product, 0, len(e.heads))
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
	for {
		e.repeats[last]++
		if one := last + " (" + strconv.Itoa(e.repeats[last]+1) + ")"; !e.keys[one] {
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
	for _, p := range e.plan.Products {
		p.Price, p.OldPrice, p.Published = 0, 0, false
		for n := range p.Variants {
			p.Variants[n].Price, p.Variants[n].OldPrice = nil, nil
		}
	}
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
