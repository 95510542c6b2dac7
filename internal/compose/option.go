package compose

import (
	"cmp"
	"maps"
	"slices"

	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/render"
)

// options are what the variants of a product are choices of, one picker for each,
// and where each variant stands in them. There are none where the variants cannot be
// told apart by them: then the page lists the variants.
//
// A picker is made of an option that every variant has. Its values stand in the order
// of the variants, and so do the pickers: what changes last from variant to variant
// comes first, as an owner writes them down (red S, red M, blue S, blue M: the colour,
// then the size).
func options(sets []store.Variant) (list []render.Option, at [][]int) {
	if len(sets) < 2 {
		return nil, nil
	}
	at = make([][]int, len(sets))
	for _, name := range optionNames(sets) {
		option := render.Option{Name: name}
		for i, v := range sets {
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
	paint(list, at, sets)
	return list, at
}

// runesOf is a place as something to compare by.
func runesOf(place []int) []rune {
	key := make([]rune, len(place))
	for i, n := range place {
		key[i] = rune(n)
	}
	return key
}

// optionNames are the options that every variant has and that differ, in the order of
// their pickers.
func optionNames(sets []store.Variant) []string {
	first := sets[0].Options
	changes := map[string]int{} // the first variant in which the option is another one
	for name, value := range first {
		for i, v := range sets {
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

// paint gives the values of one picker their colours: the first of whose values each
// has one colour in all its variants. Where the variants have no colours, their
// pictures are shown in the same way.
func paint(list []render.Option, at [][]int, sets []store.Variant) {
	for _, look := range []func(store.Variant) string{
		func(v store.Variant) string { return v.Swatch },
		func(v store.Variant) string { return v.ImagePath },
	} {
		for k := range list {
			looks, same := make([]string, len(list[k].Values)), true
			for i, v := range sets {
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
