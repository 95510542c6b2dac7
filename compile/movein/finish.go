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
	e.shelve(e.current)
	if err := e.spool.flush(); err != nil {
		e.wrong = err
		return
	}
	e.adopt()
	e.drafts, e.byGroup, e.alias = nil, nil, nil
	e.plan.Products = make([]*Product, 0, len(e.heads))
	for i, d := range e.heads {
		e.heads[i] = nil // what it holds is the product's now
		if e.unshelve(d); e.wrong != nil {
			return
		}
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
		slices.SortStableFunc(d.pictures, func(a, b placed) int { return cmp.Compare(a.Position, b.Position) })
		for _, p := range d.pictures {
			d.Pictures = append(d.Pictures, p.Picture)
		}
		if e.answer("currency") == "without" {
			d.dropPrices()
		}
		e.put(d.Product)
	}
	if e.format.end != nil {
		e.format.end(e)
	}
}

// put adds a product to the plan, which holds what identifies it.
func (e *engine) put(p *Product) {
	e.plan.variants += len(p.Variants)
	for _, v := range p.Variants {
		e.picture(v.Picture)
	}
	for _, picture := range p.Pictures {
		e.picture(picture.Address)
	}
	e.plan.Products = append(e.plan.Products, &Product{
		Key: p.Key, Name: p.Name, Slug: p.Slug, Old: p.Old, Place: p.Place, description: p.description, rest: e.spool.keepValue(p),
	})
}

// picture counts an address of a picture.
func (e *engine) picture(address string) {
	if address != "" && !e.pictures.add(address) {
		e.plan.pictures++
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
			e.unshelve(d)
			for _, o := range d.options {
				e.lose(o.At, Skipped, "VARIANT_WITHOUT_PRODUCT", or(o.SKU, d.group))
			}
			for range d.axes {
				e.lose(d.Place, Skipped, "VARIANT_WITHOUT_PRODUCT", d.group)
			}
			continue
		}
		to.parts, to.axes = append(to.parts, d.parts...), append(to.axes, d.axes...)
	}
}

// identify gives a product its key, slug and sku.
func (e *engine) identify(d *draft) {
	d.SKU = e.claim(d.Place, d.SKU)
	for i := range d.Variants {
		d.Variants[i].SKU = e.claim(d.Place, d.Variants[i].SKU)
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

// claim returns a sku, or nothing if another product or variant has it.
func (e *engine) claim(at Place, sku string) string {
	if sku != "" && e.skus.add(sku) {
		e.lose(at, Changed, "SKU_DUPLICATE", sku)
		return ""
	}
	return sku
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

// dropPrices leaves a product without prices.
func (d *draft) dropPrices() {
	d.Price, d.OldPrice, d.Published = 0, 0, false
	for i := range d.Variants {
		d.Variants[i].Price, d.Variants[i].OldPrice = nil, nil
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
