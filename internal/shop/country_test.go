package shop

import (
	"strings"
	"testing"

	"golang.org/x/text/language"
)

func TestCountriesAreTheOfficialCodes(t *testing.T) {
	codes := strings.Fields(countries)
	if len(codes) != 249 {
		t.Errorf("%d codes", len(codes))
	}
	for i, code := range codes {
		if region, err := language.ParseRegion(code); err != nil || !region.IsCountry() || region.String() != code {
			t.Errorf("%s: %v %v", code, region, err)
		}
		if i > 0 && code <= codes[i-1] {
			t.Errorf("%s after %s", code, codes[i-1])
		}
		if !IsCountry(code) {
			t.Errorf("%s is refused", code)
		}
	}
	for _, code := range []string{"", "P", "pt", "PRT", "XX", "UK", "EU", "SU", "AN", " P", "T ", "D AE"} {
		if IsCountry(code) {
			t.Errorf("%q is accepted", code)
		}
	}
}
