package setting

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vitrine/admin/api"
	"vitrine/internal/shop"
	"vitrine/internal/store/company"
)

const (
	maxTaxRates = 500
	maxTaxName  = 64  // characters
	maxRegion   = 255 // bytes
)

// startTaxesView is a table of rates to begin with.
type startTaxesView struct {
	AsOf  string         `json:"as_of" doc:"the day whose law the rates follow"`
	Rates []shop.TaxRule `json:"rates"`
}

func startTaxes(context.Context, *api.Call, api.None) (api.Result[startTaxesView], error) {
	return api.Wrap(startTaxesView{shop.TaxStartDate, shop.StartTaxRules()}), nil
}

// optionalTax is the tax of a shop: absent leaves it unchanged, null clears it.
type optionalTax struct {
	Set bool        `json:"-"`
	Tax *shop.Taxes `json:"-"`
}

// UnmarshalJSON accepts a tax, included in prices by default, or null.
func (o *optionalTax) UnmarshalJSON(b []byte) error {
	o.Set = true
	if string(b) == "null" {
		return nil
	}
	o.Tax = &shop.Taxes{Included: true}
	if json.Unmarshal(b, o.Tax) != nil {
		return errSetting.With("expected {name, percent, included}, {included, default_country, rates[], exempt_eu_business} or null")
	}
	return nil
}

// checkTax normalizes and checks the single rate or the table of rates.
func checkTax(s *company.Settings) string {
	t := s.Tax
	switch {
	case t == nil:
		return ""
	case t.TaxTable != nil && t.TaxRate != nil:
		return "tax.rates cannot be set together with tax.name and tax.percent"
	case t.TaxTable != nil:
		return checkTaxTable(t.TaxTable)
	case t.TaxRate == nil:
		t.TaxRate = &shop.TaxRate{}
	}
	switch wrong := checkTaxRate("tax", t.TaxRate); {
	case wrong != "":
		return wrong
	case t.Percent%10 != 0:
		return "tax.percent must be 0 to 100 with at most two decimals"
	case !t.Included:
		return "tax.included must be true: prices contain a single rate"
	}
	return ""
}

func checkTaxRate(at string, r *shop.TaxRate) string {
	r.Name = strings.TrimSpace(r.Name)
	switch {
	case r.Name == "", utf8.RuneCountInString(r.Name) > maxTaxName, strings.ContainsFunc(r.Name, unicode.IsControl):
		return at + ".name must have 1 to 64 characters"
	case r.Percent == shop.InvalidPercent:
		return at + ".percent must be 0 to 100 with at most three decimals"
	}
	return ""
}

func checkTaxTable(t *shop.TaxTable) string {
	t.DefaultCountry = strings.ToUpper(strings.TrimSpace(t.DefaultCountry))
	switch {
	case !shop.IsCountry(t.DefaultCountry):
		return "tax.default_country must be two letters of ISO 3166-1, such as DE"
	case len(t.Rates) > maxTaxRates:
		return "tax.rates must have at most 500 entries"
	case t.Rates == nil:
		t.Rates = []shop.TaxRule{}
	}
	taken := map[taxTarget]bool{}
	for i := range t.Rates {
		rule, at := &t.Rates[i], fmt.Sprintf("tax.rates[%d]", i)
		rule.Country = strings.ToUpper(strings.TrimSpace(rule.Country))
		rule.Region = shop.RegionName(rule.Country, rule.Region)
		if wrong := checkTaxRate(at, &rule.TaxRate); wrong != "" {
			return wrong
		}
		switch {
		case !shop.IsCountry(rule.Country):
			return at + ".country must be two letters of ISO 3166-1, such as DE"
		case len(rule.Region) > maxRegion, strings.ContainsFunc(rule.Region, unicode.IsControl):
			return at + ".region must be one line of at most 255 bytes"
		case !slices.Contains(shop.TaxClasses, rule.Class):
			return at + ".class must be standard, reduced or zero"
		case taken[targetOf(rule)]:
			return at + " repeats country, region and class of another rate"
		}
		taken[targetOf(rule)] = true
	}
	return ""
}

// taxTarget is what a rate is for.
type taxTarget struct {
	country, region string
	class           shop.TaxClass
}

func targetOf(r *shop.TaxRule) taxTarget {
	return taxTarget{r.Country, strings.ToLower(r.Region), r.Class}
}
