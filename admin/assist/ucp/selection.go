package ucp

import (
	"slices"
	"strings"
)

// choose reduces a product to the variants that match selected options, and says for each value of an
// option whether it can be chosen beside them. If no variant matches, options are dropped: those that
// are least preferred first, which are the last ones of preferences.
func (p *Product) choose(selected []Selected, preferences []string) {
	if len(p.Options) == 0 {
		return
	}
	selected = p.known(selected)
	for _, name := range dropOrder(selected, preferences) {
		if slices.ContainsFunc(p.Variants, func(v Variant) bool { return v.matches(selected) }) {
			break
		}
		selected = slices.DeleteFunc(selected, func(s Selected) bool { return s.Name == name })
	}
	if matching := slices.IndexFunc(p.Variants, func(v Variant) bool { return v.matches(selected) && v.Availability.Available }); matching >= 0 {
		p.feature(matching)
	}
	all := slices.Clone(p.Variants)
	p.Variants = slices.DeleteFunc(p.Variants, func(v Variant) bool { return !v.matches(selected) })
	if len(selected) == 0 {
		selected = p.Variants[0].Options
	}
	p.Selected = selected
	for i, o := range p.Options {
		p.Options[i].Values = slices.Clone(o.Values)
		for k := range o.Values {
			value := &p.Options[i].Values[k]
			others := slices.DeleteFunc(slices.Clone(selected), func(s Selected) bool { return s.Name == o.Name })
			with := append(others, Selected{o.Name, value.Label})
			exists, available := false, false
			for _, v := range all {
				if v.matches(with) {
					exists, available = true, available || v.Availability.Available
				}
			}
			value.Exists, value.Available = &exists, &available
		}
	}
}

// known returns the selected options that the product has, in the spelling of the shop.
func (p *Product) known(selected []Selected) (list []Selected) {
	for _, o := range p.Options {
		for _, s := range selected {
			at := slices.IndexFunc(o.Values, func(v OptionValue) bool { return strings.EqualFold(v.Label, s.Label) })
			if strings.EqualFold(s.Name, o.Name) && at >= 0 {
				list = append(list, Selected{o.Name, o.Values[at].Label})
				break
			}
		}
	}
	return list
}

// dropOrder returns the names of selected options, the first to be dropped first: preferences from
// the end, then what was not named as preferred.
func dropOrder(selected []Selected, preferences []string) (names []string) {
	for i := len(preferences) - 1; i >= 0; i-- {
		for _, s := range selected {
			if strings.EqualFold(s.Name, preferences[i]) {
				names = append(names, s.Name)
			}
		}
	}
	for i := len(selected) - 1; i >= 0; i-- {
		if !slices.Contains(names, selected[i].Name) {
			names = append(names, selected[i].Name)
		}
	}
	return names
}

// matches reports whether a variant has all selected options.
func (v Variant) matches(selected []Selected) bool {
	return !slices.ContainsFunc(selected, func(s Selected) bool { return !slices.Contains(v.Options, s) })
}
