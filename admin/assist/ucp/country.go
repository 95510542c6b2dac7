package ucp

import (
	"strings"
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"vitrine/internal/shop"
)

// countryOf returns the code of two letters of a country that is named by its code of two or three
// letters or by its English name; what names none is returned as it is.
func countryOf(text string) string {
	text = strings.TrimSpace(text)
	if len(text) == 2 || len(text) == 3 {
		if region, err := language.ParseRegion(text); err == nil && shop.IsCountry(region.String()) {
			return region.String()
		}
	}
	if code, known := countryNames()[strings.ToLower(text)]; known {
		return code
	}
	return text
}

// countryNames maps the English names of countries, in lower case.
var countryNames = sync.OnceValue(func() map[string]string {
	names, english := map[string]string{}, display.English.Regions()
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string(a) + string(b)
			if region, err := language.ParseRegion(code); err == nil && shop.IsCountry(code) {
				names[strings.ToLower(english.Name(region))] = code
			}
		}
	}
	return names
})
