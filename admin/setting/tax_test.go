package setting_test

import (
	"fmt"
	"maps"
	"testing"

	"vitrine/admin/api/apitest"
)

// taxRule is a rate of a table, with some fields changed.
func taxRule(with m) m {
	r := m{"country": "DE", "class": "standard", "name": "VAT", "percent": 19}
	maps.Copy(r, with)
	return r
}

// taxes is a table with one rate, with some fields of the rate changed, and then of the table.
func taxes(rate m, field ...string) m {
	t := m{"default_country": "DE", "rates": l{taxRule(rate)}}
	for i := 0; i < len(field); i += 2 {
		t[field[i]] = field[i+1]
	}
	return t
}

func TestATableOfTaxRatesIsNormalized(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	v := a.Result("PUT", settings, owner, m{"tax": m{"included": false, "default_country": " us ", "exempt_eu_business": true, "rates": l{
		m{"country": "us", "region": "US-NY", "class": "standard", "name": " Sales tax ", "percent": 8.875},
		m{"country": "US", "class": "zero", "name": "Sales tax", "percent": 0},
	}}})
	const want = "map[default_country:US exempt_eu_business:true included:false rates:[" +
		"map[class:standard country:US name:Sales tax percent:8.875 region:NY] map[class:zero country:US name:Sales tax percent:0 region:]]]"
	if got := fmt.Sprint(v["tax"]); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := fmt.Sprint(a.Result("GET", settings, owner, nil)["tax"]); got != want {
		t.Errorf("read: %s", got)
	}
	if v = a.Result("PUT", settings, owner, m{"tax": nil}); v["tax"] != nil {
		t.Errorf("cleared: %v", v["tax"])
	}
}

// The table to begin with is accepted as it is.
func TestTheTaxesToBeginWithAreValid(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	start := a.Result("GET", "/v1/shop/tax-rates", owner, nil)
	v := a.Result("PUT", settings, owner, m{"tax": m{"default_country": "AT", "rates": start["rates"]}})
	if tax := v["tax"].(m); start["as_of"] == "" || fmt.Sprint(tax["rates"]) != fmt.Sprint(start["rates"]) || tax["included"] != true || tax["exempt_eu_business"] != false {
		t.Errorf("%v", tax)
	}
}

func TestATableHasAtMost500Rates(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	owner := a.Session(a.OwnerID)
	var rates l
	for n := range 500 {
		rates = append(rates, taxRule(m{"region": fmt.Sprint("Region ", n)}))
	}
	kept := a.Result("PUT", settings, owner, m{"tax": m{"default_country": "DE", "rates": rates}})["tax"].(m)["rates"].(l)
	if len(kept) != 500 {
		t.Errorf("%d rates", len(kept))
	}
	a.Refused("PUT", settings, owner, m{"tax": m{"default_country": "DE", "rates": append(rates, taxRule(nil))}}, 400, "SETTINGS_INVALID")
}
