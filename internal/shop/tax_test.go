package shop

import (
	"encoding/json"
	"testing"
)

func TestPercentagesAreReadExactly(t *testing.T) {
	for text, want := range map[string]Percent{
		`0`: 0, `19`: 19000, `7.75`: 7750, `5.125`: 5125, `0.001`: 1, `100`: 100_000, `8.100000000000001`: 8100, `1.9e1`: 19000,
		`100.001`: InvalidPercent, `-1`: InvalidPercent, `-0.001`: InvalidPercent, `5.1255`: InvalidPercent, `"19"`: InvalidPercent,
		`null`: InvalidPercent, `1e99`: InvalidPercent, `[]`: InvalidPercent,
	} {
		got := Percent(7)
		if err := json.Unmarshal([]byte(`{"P":`+text+`}`), &struct{ P *Percent }{&got}); text != "null" && (err != nil || got != want) {
			t.Errorf("%s: %d, want %d (%v)", text, got, want, err)
		}
	}
	for p, want := range map[Percent]string{0: "0", 19000: "19", 7750: "7.75", 5125: "5.125", 1: "0.001", 1010: "1.01"} {
		if got, err := json.Marshal(p); string(got) != want || err != nil {
			t.Errorf("%d is written as %s, want %s", p, got, want)
		}
	}
}

func TestTaxIsRoundedHalfUp(t *testing.T) {
	for _, c := range []struct{ percent, amount, of, in int64 }{
		{19000, 100, 19, 16}, {19000, 1190, 226, 190}, {20000, 3, 1, 1}, {50000, 1, 1, 0}, {50000, 3, 2, 1}, {7750, 0, 0, 0}, {0, 999, 0, 0},
		{100_000, 1, 1, 1}, {100_000, 9_000_000_000_000_000_000, 9_000_000_000_000_000_000, 4_500_000_000_000_000_000},
	} {
		if p := Percent(c.percent); p.Of(c.amount) != c.of || p.In(c.amount) != c.in {
			t.Errorf("%v %% of %d: %d, want %d; in it %d, want %d", p, c.amount, p.Of(c.amount), c.of, p.In(c.amount), c.in)
		}
	}
}

func TestTaxesHaveOneOfTwoForms(t *testing.T) {
	for text, table := range map[string]bool{
		`{"name":"VAT","percent":19.5,"included":true}`:                                   false,
		`{"default_country":"DE","rates":[],"exempt_eu_business":false,"included":false}`: true,
		`{"default_country":"US","rates":[{"country":"US","region":"ny","class":"standard","name":"Sales tax","percent":8.875}],"exempt_eu_business":true,"included":true}`: true,
	} {
		var taxes Taxes
		if err := json.Unmarshal([]byte(text), &taxes); err != nil || (taxes.TaxTable != nil) != table || (taxes.TaxRate == nil) != table {
			t.Errorf("%s: %+v %v", text, taxes, err)
		}
		if again, err := json.Marshal(taxes); string(again) != text || err != nil {
			t.Errorf("%s is written as %s", text, again)
		}
	}
}

// Every country of the EU, the United Kingdom and Switzerland has a standard rate in the table to
// begin with, and no rule is listed twice.
func TestTheTaxesToBeginWithNameEveryCountry(t *testing.T) {
	standard, seen := map[string]bool{}, map[TaxRule]bool{}
	for _, r := range StartTaxRules() {
		if !IsCountry(r.Country) || r.Percent < 0 || r.Percent > 27000 || r.Class != TaxZero && r.Percent == 0 {
			t.Errorf("%+v", r)
		}
		target := TaxRule{Country: r.Country, Class: r.Class}
		if seen[target] {
			t.Errorf("%s %s is listed twice", r.Country, r.Class)
		}
		seen[target] = true
		standard[r.Country] = standard[r.Country] || r.Class == TaxStandard
	}
	for prefix := range vatNumbers {
		country := prefix
		if other := vatCountries[prefix]; other != "" {
			country = other
		}
		if !standard[country] {
			t.Errorf("%s has no standard rate", country)
		}
	}
	if len(standard) != 29 {
		t.Errorf("%d countries, want 27 of the EU, the United Kingdom and Switzerland", len(standard))
	}
}
