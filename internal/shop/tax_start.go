package shop

// TaxStartDate is the date for which StartTaxRules were compared with the database of the European
// Commission (Taxes in Europe) and with the rates of the United Kingdom and Switzerland.
const TaxStartDate = "2026-07-01"

// StartTaxRules returns the rates of VAT in the EU, the United Kingdom and Switzerland, for shops to
// begin with and to edit. A reduced rate is listed where a country has only one; where it has
// several, the goods decide which one applies.
func StartTaxRules() []TaxRule {
	rules := make([]TaxRule, len(startTaxes))
	for i, s := range startTaxes {
		rules[i] = TaxRule{Country: s.country, Class: s.class, TaxRate: TaxRate{Name: "VAT", Percent: s.percent}}
	}
	return rules
}

var startTaxes = []struct {
	country string
	class   TaxClass
	percent Percent
}{
	{"AT", TaxStandard, 20000},
	{"BE", TaxStandard, 21000},
	{"BG", TaxStandard, 20000},
	{"BG", TaxReduced, 9000},
	{"CY", TaxStandard, 19000},
	{"CZ", TaxStandard, 21000},
	{"CZ", TaxReduced, 12000},
	{"DE", TaxStandard, 19000},
	{"DE", TaxReduced, 7000},
	{"DK", TaxStandard, 25000},
	{"EE", TaxStandard, 24000},
	{"ES", TaxStandard, 21000},
	{"FI", TaxStandard, 25500},
	{"FR", TaxStandard, 20000},
	{"GR", TaxStandard, 24000},
	{"HR", TaxStandard, 25000},
	{"HU", TaxStandard, 27000},
	{"IE", TaxStandard, 23000},
	{"IT", TaxStandard, 22000},
	{"LT", TaxStandard, 21000},
	{"LU", TaxStandard, 17000},
	{"LV", TaxStandard, 21000},
	{"MT", TaxStandard, 18000},
	{"NL", TaxStandard, 21000},
	{"NL", TaxReduced, 9000},
	{"PL", TaxStandard, 23000},
	{"PT", TaxStandard, 23000},
	{"RO", TaxStandard, 21000},
	{"RO", TaxReduced, 11000},
	{"SE", TaxStandard, 25000},
	{"SI", TaxStandard, 22000},
	{"SK", TaxStandard, 23000},
	{"GB", TaxStandard, 20000},
	{"GB", TaxReduced, 5000},
	{"GB", TaxZero, 0},
	{"CH", TaxStandard, 8100},
	{"CH", TaxReduced, 2600},
}
