package shop

import "testing"

func TestVATNumbersHaveTheFormOfTheirCountry(t *testing.T) {
	for text, want := range map[string]string{
		"DE123456789": "DE", "de 123 456 789": "DE", "DE-123.456.789": "DE", "ATU12345678": "AT", "EL123456789": "GR", "FRXX123456789": "FR", "FR12123456789": "FR",
		"NL123456789B01": "NL", "ESA12345678": "ES", "ES12345678Z": "ES", "IE1234567WA": "IE", "IE1A23456B": "IE", "SE123456789001": "SE", "BE0123456789": "BE",
		"LT123456789012": "LT", "XI123456789": "GB", "GB123456789": "", "CHE-123.456.789 MWST": "", "CZ1234567890": "CZ", "CY12345678X": "CY", "RO12": "RO",
	} {
		number, err := ParseVATNumber(text)
		if country := EUCountryOfVAT(number); err != nil || country != want {
			t.Errorf("%s: %s %v, country %q, want %q", text, number, err, country, want)
		}
	}
	for _, text := range []string{
		"D", "DE", "DE12345678", "DE1234567890", "DE12345678X", "GR123456789", "US123456789", "12345678", "AT12345678", "SE123456789002", "NL123456789", "nonsense",
		"DE123456789DE123456789", "DE１２３４５６７８９", "ZZ123456789", "DE123456789\n", "FRIO123456789", "Ünsinn",
	} {
		if number, err := ParseVATNumber(text); err == nil {
			t.Errorf("%q passes as %s", text, number)
		}
	}
}
