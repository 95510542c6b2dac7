package catalog_test

import (
	"strings"
	"testing"
)

func TestTheCheckDigitOfAGTINIsVerified(t *testing.T) {
	b := open(t)
	p := b.add("products", m{"name": "Tea"})
	for _, good := range []string{"96385074", "036000291452", "4006381333931", "00012345600012", "00000000", " 4006381333931", ""} {
		show(t, good, b.put("products", p, m{"gtin": good}), strings.TrimSpace(good), "gtin")
	}
	b.put("products", p, m{"gtin": "4006381333931"})
	for _, bad := range []string{"4006381333930", "4006381333913", "1234567", "123456789", "96385075", "9638507a", "-6385074", "４00638133393", "9638 5074", "978-0-306-40615", strings.Repeat("0", 15), strings.Repeat("0", 5000)} {
		b.refused("PUT", at("products", p), m{"gtin": bad}, 400, "PRODUCT_GTIN_INVALID")
		b.refused("POST", "/products", m{"name": "Cup", "gtin": bad}, 400, "PRODUCT_GTIN_INVALID")
		wantRows(t, bad[:min(len(bad), 20)], b.imported("name,gtin\nCup,\""+bad+"\"\n"), "error PRODUCT_GTIN_INVALID")
	}
	show(t, "refused changes had no effect", b.Result("GET", at("products", p), b.Owner, nil), "4006381333931", "gtin")
	b.refused("PUT", at("products", p), m{"brand": strings.Repeat("я", 256)}, 400, "TEXT_TOO_LONG")
}
