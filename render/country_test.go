package render

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/shop"
)

// Codes of countries are printed as names, in any case; what was typed as a name stays.
func TestCountriesAreNamed(t *testing.T) {
	for typed, want := range map[string][2]string{
		"DE": {"Germany", "Германия"}, "de": {"Germany", "Германия"}, " pt ": {"Portugal", "Португалия"}, "GB": {"United Kingdom", "Великобритания"},
		"Deutschland": {"Deutschland", "Deutschland"}, "ZZ": {"ZZ", "ZZ"}, "SU": {"SU", "SU"}, "276": {"276", "276"}, "": {"", ""},
	} {
		address := fmt.Appendf(nil, `{"street":"Weserstrasse 41","country":%q,"place":{"country":"DE"}}`, typed)
		for i, lang := range []*words{&english, &russian} {
			if got := lang.Country(typed); got != want[i] {
				t.Errorf("%s: %q, want %q", typed, got, want[i])
			}
			got := strings.Join(lang.AddressLines(address), "|")
			line := strings.TrimPrefix(want[i]+"|", "|")
			if got != "Weserstrasse 41|"+line+"country: DE" {
				t.Errorf("%s: %q", typed, got)
			}
		}
	}
}

var chosen = regexp.MustCompile(`<option value="([^"]*)" selected>([^<]*)</option>`)

// The select of a country shows the value that an address has, also one that the shop does not
// list or that was typed as a name.
func TestTheSelectOfACountryShowsEveryValue(t *testing.T) {
	place := Asks{Countries: []string{"DE", "PT"}}
	for value, want := range map[string]string{"": "", "PT": "PT Portugal", "pt": "PT Portugal", "JP": "JP Japan", "Deutsch<land": "Deutsch<land Deutsch<land"} {
		address := Address{Street: "7", Country: value}
		cart := Cart{Lines: []CartLine{{Name: "Cup", Quantity: 1}}, Units: 1}
		filled := CheckoutFields{Address: address}
		courier := []DeliveryOption{{ID: "1", Name: "Courier", NeedsAddress: true}}
		for name, of := range map[string]struct {
			body    ZoneBody
			options int
		}{
			"checkout by place": {&Checkout{Cart: cart, Asks: place, Options: courier, Filled: filled}, 3},
			"checkout":          {&Checkout{Cart: cart, Options: courier, Filled: filled}, len(shop.Countries()) + 1},
			"account":           {&Account{Person: &Person{Email: "a@b.test"}, Editing: address}, len(shop.Countries()) + 1},
		} {
			drawn := string(bytesOf(t, &ZonePage{Zone: shop.ZoneAccount, Body: of.body}))
			_, drawn, found := strings.Cut(drawn, `name="country"`)
			drawn, _, _ = strings.Cut(drawn, "</select>")
			got := ""
			if m := chosen.FindStringSubmatch(drawn); m != nil {
				got = html.UnescapeString(m[1] + " " + m[2])
			}
			if value == "JP" && of.options == 3 || strings.Contains(value, "<") {
				of.options++
			}
			if n := strings.Count(drawn, "<option"); !found || got != want || n != of.options {
				t.Errorf("%s: %q of %d options, want %q of %d", name, got, n, want, of.options)
			}
		}
	}
}

// The list of orders says how much of an order was shipped, in the language of the shop.
func TestTheListOfOrdersSaysWhatWasShipped(t *testing.T) {
	for status, want := range map[string][2]string{
		"": {}, "none": {}, "partial": {"Partly shipped", "Отправлен частично"}, "shipped": {"Shipped", "Отправлен"}, "delivered": {"Delivered", "Доставлен"},
	} {
		for i, lang := range []string{"en", "ru"} {
			p := &ZonePage{Zone: shop.ZoneOrders, Body: &Orders{Items: []Order{{ID: "7", Number: 7, Status: "processing", Shipped: status, Currency: "EUR"}}}}
			p.Lang = lang
			drawn := string(bytesOf(t, p))
			if n := strings.Count(drawn, `<span class="v-state`); (n == 2) != (want[i] != "") || !strings.Contains(drawn, `<span class="v-state">`+want[i]+`</span>`) == (want[i] != "") {
				t.Errorf("%s in %s: %d states", status, lang, n)
			}
		}
	}
}
