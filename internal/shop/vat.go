package shop

import (
	"regexp"
	"strings"
)

// vatNumbers are the forms of VAT numbers by prefix: those of the EU, of Northern Ireland, which
// trades goods as a part of the EU, and of the United Kingdom and Switzerland.
var vatNumbers = map[string]*regexp.Regexp{
	"AT": vatForm(`U\d{8}`), "BE": vatForm(`[01]\d{9}`), "BG": vatForm(`\d{9,10}`), "CY": vatForm(`\d{8}[A-Z]`), "CZ": vatForm(`\d{8,10}`),
	"DE": vatForm(`\d{9}`), "DK": vatForm(`\d{8}`), "EE": vatForm(`\d{9}`), "EL": vatForm(`\d{9}`), "ES": vatForm(`[A-Z]\d{7}[A-Z]|\d{8}[A-Z]|[A-Z]\d{8}`),
	"FI": vatForm(`\d{8}`), "FR": vatForm(`[A-HJ-NP-Z\d]{2}\d{9}`), "HR": vatForm(`\d{11}`), "HU": vatForm(`\d{8}`),
	"IE": vatForm(`\d[A-Z\d+*]\d{5}[A-Z]|\d{7}[A-W][A-I]`), "IT": vatForm(`\d{11}`), "LT": vatForm(`\d{9}|\d{12}`), "LU": vatForm(`\d{8}`),
	"LV": vatForm(`\d{11}`), "MT": vatForm(`\d{8}`), "NL": vatForm(`\d{9}B\d{2}`), "PL": vatForm(`\d{10}`), "PT": vatForm(`\d{9}`),
	"RO": vatForm(`\d{2,10}`), "SE": vatForm(`\d{10}01`), "SI": vatForm(`\d{8}`), "SK": vatForm(`\d{10}`),
	"XI": vatForm(`\d{9}|\d{12}|GD\d{3}|HA\d{3}`),
	"GB": vatForm(`\d{9}|\d{12}|GD\d{3}|HA\d{3}`), "CH": vatForm(`E\d{9}(MWST|TVA|IVA)?`),
}

func vatForm(pattern string) *regexp.Regexp { return regexp.MustCompile(`^(` + pattern + `)$`) }

// outsideEU are the prefixes of countries that are no members of the EU.
const outsideEU = "GB CH"

// vatCountries are the countries whose prefix is not their code of ISO 3166-1.
var vatCountries = map[string]string{"EL": "GR", "XI": "GB"}

// ErrContactInvalid refuses a malformed part of a contact.
var ErrContactInvalid = Refuse(InvalidArgument, "CONTACT_INVALID").When("the e-mail address or the VAT number is malformed")

// ParseVATNumber normalizes a VAT number: upper case, without spaces, dots and dashes. It checks
// the form that the country prescribes; whether the number was issued is not known. An empty text
// is no number.
func ParseVATNumber(text string) (number string, err error) {
	number = strings.ToUpper(vatSeparators.Replace(text))
	if number == "" {
		return "", nil
	}
	if len(number) < 2 || vatNumbers[number[:2]] == nil || !vatNumbers[number[:2]].MatchString(number[2:]) {
		return "", ErrContactInvalid.With("expected the prefix of a country of Europe and its number, such as DE123456789")
	}
	return number, nil
}

var vatSeparators = strings.NewReplacer(" ", "", "\u00a0", "", "\t", "", ".", "", "-", "")

// EUCountryOfVAT returns the country of a VAT number of the EU, empty for others and for none.
func EUCountryOfVAT(number string) string {
	if number == "" || strings.Contains(outsideEU, number[:2]) {
		return ""
	}
	if country := vatCountries[number[:2]]; country != "" {
		return country
	}
	return number[:2]
}
