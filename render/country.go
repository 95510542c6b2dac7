package render

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"vitrine/internal/shop"
)

type country struct{ Code, Name string }

// countryNames are the names of all countries by their codes, in each language. They are kept
// because a select prints all of them, and x/text takes a microsecond or more for each.
var countryNames = map[string]func() map[string]string{"en": namesIn(language.English), "ru": namesIn(language.Russian)}

func namesIn(lang language.Tag) func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		names, in := map[string]string{}, display.Regions(lang)
		for _, code := range shop.Countries() {
			names[code] = cmp.Or(in.Name(language.MustParseRegion(code)), code)
		}
		return names
	})
}

// Country returns the name of a country by its two letters, in any case. Any other text was typed
// as a name and is returned unchanged.
func (t *words) Country(typed string) string {
	return cmp.Or(countryNames[t.Lang]()[strings.ToUpper(strings.TrimSpace(typed))], typed)
}

// Countries returns countries with their names, sorted by name.
func (t *words) Countries(codes []string) []country {
	list := make([]country, len(codes))
	for i, code := range codes {
		list[i] = country{code, t.Country(code)}
	}
	slices.SortFunc(list, func(a, b country) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// AddressLines returns the lines of an address as people read it, with the name of its country.
func (t *words) AddressLines(address []byte) []string { return shop.AddressLines(address, t.Country) }

// AddressLine formats an address of the book on one line.
func (t *words) AddressLine(a Address) string {
	a.Country = t.Country(a.Country)
	return a.Line()
}

// countryView is the select of a country.
type countryView struct {
	fieldView
	Countries []country // to choose from
}

// CountryField is the select of a country among codes, on which the deliveries of a checkout depend
// then; without codes, of any country. A value that is not among them can be chosen, too: it comes
// from an address that was typed elsewhere.
func (v *view) CountryField(value string, codes []string) countryView {
	f := countryView{v.Field("country", v.T.Buy.Country, value, "country", ""), nil}
	if f.Place = codes != nil; !f.Place {
		codes = shop.Countries()
	}
	if code := strings.ToUpper(value); shop.IsCountry(code) {
		f.Value = code
	}
	if f.Value != "" && !slices.Contains(codes, f.Value) {
		codes = append(slices.Clip(codes), f.Value)
	}
	f.Countries = v.T.Countries(codes)
	return f
}
