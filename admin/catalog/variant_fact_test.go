package catalog_test

import (
	"fmt"
	"testing"
)

// The old price, the barcode and the weight of a set are refused like those of a product, in every
// way to write them, and a refused write changes nothing.
func TestFactsOfVariantsAreRefusedLikeThoseOfProducts(t *testing.T) {
	b := open(t)
	p := b.add("products", m{"name": "Tea", "weight_g": 250})
	path := at("products", p) + "/variants"
	b.OK("PUT", path, b.Owner, m{"items": l{m{"sku": "A", "old_price": 90, "gtin": "96385074", "weight_g": 100}}})
	for _, x := range []struct {
		field string
		bad   any
		code  string
	}{
		{"weight_g", -1, "PRODUCT_WEIGHT_INVALID"}, {"weight_g", 10_000_001, "PRODUCT_WEIGHT_INVALID"}, {"weight_g", int64(1) << 31, "PRODUCT_WEIGHT_INVALID"},
		{"weight_g", 1e30, "PRODUCT_WEIGHT_INVALID"}, {"weight_g", 2.5, "PRODUCT_WEIGHT_INVALID"}, {"weight_g", "250", "PRODUCT_WEIGHT_INVALID"},
		{"weight_g", true, "PRODUCT_WEIGHT_INVALID"}, {"weight_g", l{1}, "PRODUCT_WEIGHT_INVALID"},
		{"gtin", "96385075", "PRODUCT_GTIN_INVALID"}, {"gtin", "1", "PRODUCT_GTIN_INVALID"}, {"gtin", "000000000000000", "PRODUCT_GTIN_INVALID"},
		{"old_price", -1, "PRODUCT_PRICE_INVALID"}, {"old_price", 2_000_000_001, "PRODUCT_PRICE_INVALID"}, {"old_price", int64(1) << 40, "PRODUCT_PRICE_INVALID"},
		{"old_price", 1.5, "PRODUCT_PRICE_INVALID"}, {"old_price", "90", "PRODUCT_PRICE_INVALID"},
	} {
		b.Refused("PUT", path, b.Owner, m{"items": l{m{"sku": "A", x.field: x.bad}}}, 400, x.code)
		if x.field == "old_price" {
			continue // of a product it is part of price, which is refused as a whole
		}
		b.refused("PUT", at("products", p), m{x.field: x.bad}, 400, x.code)
		b.refused("POST", "/products", m{"name": "Cup", x.field: x.bad}, 400, x.code)
	}
	for cell, want := range map[string]string{"-1": "PRODUCT_WEIGHT_INVALID", "2147483648": "PRODUCT_WEIGHT_INVALID", "2.5": "IMPORT_CELL_INVALID", "heavy": "IMPORT_CELL_INVALID"} {
		wantRows(t, cell, b.imported("name,weight_g\nCup,"+cell+"\n"), "error "+want)
	}
	read := b.Result("GET", at("products", p), b.Owner, nil)
	if got := fmt.Sprint(read["weight_g"], factsOf(read)); got != "250 [90 96385074 100]" {
		t.Errorf("after refused writes: %s", got)
	}
}

// Absent fields keep their values, null and empty clear them, 0 is a value.
func TestFactsOfVariantsAreKeptAndCleared(t *testing.T) {
	b := open(t)
	path := at("products", b.add("products", m{"name": "Tea", "price": m{"price": 50, "old_price": 70}})) + "/variants"
	for _, x := range []struct {
		sent m
		want string
	}{
		{m{"old_price": 90, "gtin": " 96385074 ", "weight_g": 10_000_000}, "[90 96385074 1e+07]"},
		{m{}, "[90 96385074 1e+07]"},
		{m{"old_price": 0, "weight_g": 0}, "[0 96385074 0]"},
		{m{"old_price": 10}, "[10 96385074 0]"}, // below the price: stored, and not shown
		{m{"old_price": nil, "gtin": "", "weight_g": nil}, "[<nil>  <nil>]"},
	} {
		x.sent["sku"] = "A"
		if got := fmt.Sprint(factsOf(b.Result("PUT", path, b.Owner, m{"items": l{x.sent}}))); got != x.want {
			t.Errorf("%v: %s, want %s", x.sent, got, x.want)
		}
	}
}

// factsOf returns the facts of the first set of a product.
func factsOf(product m) l {
	v := product["variants"].(l)[0].(m)
	return l{v["old_price"], v["gtin"], v["weight_g"]}
}

// Visitors see the old price that a discount results in, in place of a typed one.
func TestVisitorsSeeTheComputedOldPriceOfAVariant(t *testing.T) {
	b := open(t)
	p := b.add("products", m{"name": "Tea", "is_published": true, "price": m{"price": 50, "old_price": 70}})
	b.OK("PUT", at("products", p)+"/variants", b.Owner, m{"items": l{m{"sku": "A", "price": 40, "old_price": 90}, m{"sku": "B", "old_price": 80}}})
	lists := func() string {
		product := b.Result("GET", at("products", p)+"?company_id="+b.Shop.ID.String(), "", nil)
		listed := b.Result("GET", "/products?filter.company_id="+b.Shop.ID.String(), "", nil)["items"].(l)[0].(m)["price"].(m)
		return fmt.Sprint(factsOf(product)[0], product["variants"].(l)[1].(m)["old_price"], listed["price"], listed["old_price"])
	}
	if got := lists(); got != "90 80 40 90" {
		t.Errorf("typed: %s", got)
	}
	b.OK("POST", "/promotions", b.Owner, m{"item": m{"name": "Sale", "kind": "discount", "value": m{"percent": 50}}})
	if got := lists(); got != "40 50 20 40" {
		t.Errorf("computed: %s", got)
	}
}
