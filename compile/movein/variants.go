package movein

import (
	"slices"
	"strconv"
	"strings"
)

// variants turns the options of a draft into variants, or into the plain product that it is.
func (e *engine) variants(d *draft) {
	e.combine(d)
	for i := range d.options {
		if len(e.counted) == 0 {
			break
		}
		if n, ok := e.counted[countedKey(d.group, d.options[i].Values)]; ok {
			d.options[i].Stock = notNegative(n)
		}
	}
	names := optionsOf(d)
	if len(names) == 0 && len(d.options) > 1 {
		names = []string{e.optionLabel()}
		for i := range d.options {
			o := &d.options[i]
			o.Names, o.Values = names, []string{or(o.SKU, strconv.Itoa(i+1))}
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
		for i, label := range o.Names {
			if at := slices.Index(names, label); at >= 0 {
				v.Values[at] = o.Values[i]
			}
		}
		all := strings.Join(v.Values, "\n")
		switch {
		case seen[all]:
			e.lose(o.At, Skipped, "VARIANT_DUPLICATE", d.Name+": "+strings.Join(v.Values, ", "))
			continue
		case d.price == nil && v.Price == nil && priced: // would cost nothing
			e.lose(o.At, Skipped, "PRICE_MISSING", d.Name+": "+strings.Join(v.Values, ", "))
			continue
		case len(d.Variants) == maxVariants || e.plan.variants+len(d.Variants) >= maxHeld:
			e.lose(o.At, Skipped, "VARIANTS_TOO_MANY", d.Name)
			continue
		}
		seen[all] = true
		d.cost(&v, o.Impact)
		if v.Picture != "" {
			e.addPicture(d, o.At, placed{Picture{Address: v.Picture}, maxPictures})
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
		for n, label := range o.Names {
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
		o.Names = slices.Clone(o.Names)
		for n, label := range o.Names {
			if label == "" {
				label = or(labels[n], "Option "+strconv.Itoa(n+1))
			}
			o.Names[n] = label
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
	if d.cost(&o.Variant, o.Impact); o.Price != nil {
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
