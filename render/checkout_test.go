package render

import (
	"regexp"
	"slices"
	"testing"

	"vitrine/internal/shop"
)

var addressField = regexp.MustCompile(`<(?:input|select)[^>]* name="(street|city|region|postcode|country|note)"`)

// Each typed part of an address is in the form once, whether the page shows its field or not: a
// buyer who tries a country in which only a pickup is possible keeps the street.
func TestTheCheckoutKeepsTheWholeAddress(t *testing.T) {
	cart := Cart{Lines: []CartLine{{Name: "Cup", Quantity: 1}}, Units: 1}
	address := Address{Street: "Rua 7", City: "Lisboa", Region: "Lx", Postcode: "1000", Country: "PT", Comment: "ring twice"}
	want := []string{"city", "country", "note", "postcode", "region", "street"}
	for name, asks := range map[string]Asks{
		"not asked first": {}, "by country": {Countries: []string{"PT"}}, "by region": {Countries: []string{"PT"}, Region: true, Postcode: true},
	} {
		for what, needed := range map[string]bool{"courier": true, "pickup": false} {
			p := &ZonePage{Zone: shop.ZoneCheckout, Body: &Checkout{
				Cart: cart, Asks: asks, Filled: CheckoutFields{Address: address}, Options: []DeliveryOption{{ID: "1", Name: what, NeedsAddress: needed}},
			}}
			got := []string{}
			for _, found := range addressField.FindAllStringSubmatch(string(bytesOf(t, p)), -1) {
				got = append(got, found[1])
			}
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("%s, %s: the form has %v", name, what, got)
			}
		}
	}
}
