package catalog_test

import (
	"strings"
	"testing"
)

func TestTheCountryOfOriginIsACodeOfISO3166(t *testing.T) {
	b := open(t)
	p := b.add("products", m{"name": "Tea"})
	for sent, stored := range map[string]string{"PT": "PT", "pt": "PT", "": ""} {
		show(t, sent, b.put("products", p, m{"country_of_origin": sent}), stored, "country_of_origin")
	}
	b.put("products", p, m{"country_of_origin": "PT"})
	for _, bad := range []string{"P", "XX", "UK", "EU", "SU", "PRT", "Portugal", "П", "ПТ", strings.Repeat("P", 5000)} {
		b.refused("PUT", at("products", p), m{"country_of_origin": bad}, 400, "PRODUCT_COUNTRY_INVALID")
		b.refused("POST", "/products", m{"name": "Cup", "country_of_origin": bad}, 400, "PRODUCT_COUNTRY_INVALID")
	}
	wantRows(t, "in an import", b.imported("name,country_of_origin\nCup,Portugal\n"), "error PRODUCT_COUNTRY_INVALID")
	show(t, "refused changes had no effect", b.Result("GET", at("products", p), b.Owner, nil), "PT", "country_of_origin")
}
