package compose

import (
	"cmp"
	"maps"
	"slices"

	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
	"vitrine/render"
)

// options returns the options in which the variants of a product differ, one picker for each, and
// the position of each variant in them. It returns none if they don't identify every variant:
// then the page lists the variants.
//
// A picker is made for each option that every variant has. Its values are in the order of the
// variants. The pickers are ordered by where they first change: the one that changes last comes
// first, as owners write variants down (red S, red M, blue S, blue M: the colour, then the size).
func options(variants []catalog.Variant) (list []render.Option, at [][]int) {
	if len(variants) < 2 {
		return nil, nil
	}
	at = make([][]int, len(variants))
	for _, name := range optionNames(variants) {
		option := render.Option{Name: name}
		for i, v := range variants {
			value := v.Options[name]
			n := slices.IndexFunc(option.Values, func(o render.OptionValue) bool { return o.Name == value })
			if n < 0 {
				n = len(option.Values)
				option.Values = append(option.Values, render.OptionValue{Name: value})
			}
			at[i] = append(at[i], n)
		}
		list = append(list, option)
	}
	seen := map[string]bool{}
	for _, place := range at {
		key := string(runesOf(place))
		if len(list) == 0 || seen[key] {
			return nil, nil
		}
		seen[key] = true
	}
	setSwatches(list, at, variants)
	return list, at
}

// runesOf converts a position for comparison as a string.
func runesOf(place []int) []rune {
	key := make([]rune, len(place))
	for i, n := range place {
		key[i] = rune(n)
	}
	return key
}

// optionNames returns the options that every variant has and that differ, in the order of their
// pickers.
func optionNames(variants []catalog.Variant) []string {
	first := variants[0].Options
	changes := map[string]int{} // the first variant with another value
	for name, value := range first {
		for i, v := range variants {
			own := v.Options[name]
			if own == "" {
				delete(changes, name)
				break
			}
			if _, known := changes[name]; !known && own != value {
				changes[name] = i
			}
		}
	}
	return slices.SortedFunc(maps.Keys(changes), func(a, b string) int {
		return cmp.Or(cmp.Compare(changes[b], changes[a]), cmp.Compare(a, b))
	})
}

// setSwatches sets the colours of the values of one picker: the first one where all variants of a
// value have the same colour. If there is none, it does the same with the variants' pictures.
func setSwatches(list []render.Option, at [][]int, variants []catalog.Variant) {
	for _, look := range []func(catalog.Variant) string{
		func(v catalog.Variant) string { return v.Swatch },
		func(v catalog.Variant) string { return v.ImagePath },
	} {
		for k := range list {
			looks, same := make([]string, len(list[k].Values)), true
			for i, v := range variants {
				of := &looks[at[i][k]]
				same = same && look(v) != "" && (*of == "" || *of == look(v))
				*of = look(v)
			}
			if !same {
				continue
			}
			for i, look := range looks {
				if look[0] == '#' {
					list[k].Values[i].Swatch = look
				} else {
					list[k].Values[i].Image = render.Image{Path: shop.FileURL(look)}
				}
			}
			return
		}
	}
}
