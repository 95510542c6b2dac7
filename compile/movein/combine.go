package movein

import (
	"slices"
	"strings"

	"vitrine/internal/shop"
)

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
	combined := []option{{At: d.Place}}
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
			at := slices.Index(o.Names, a.name)
			if at >= 0 && o.Values[at] == "" && len(a.values) > 0 {
				o.Names, o.Values = slices.Delete(slices.Clone(o.Names), at, at+1), slices.Delete(slices.Clone(o.Values), at, at+1)
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
			next.Names, next.Values = append(slices.Clone(o.Names), a.name), append(slices.Clone(o.Values), v.text)
			total := v.impact + value(o.Impact)
			if next.Impact = &total; o.Price != nil {
				next.Impact = nil
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
