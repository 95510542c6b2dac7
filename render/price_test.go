package render

import (
	"strings"
	"testing"

	"vitrine/internal/shop"
)

// A product without a price offers a way to ask for it: its questions, else the shop's
// address or phone.
func TestPriceOnRequestHasALinkToAsk(t *testing.T) {
	for name, c := range map[string]struct {
		asks     bool
		contacts shop.Contacts
		want     string
	}{
		"its questions": {asks: true, contacts: shop.Contacts{Email: "ann@tea.example"}, want: "/_vitrine/question/1"},
		"the address":   {contacts: shop.Contacts{Email: "ann@tea.example", Phone: "+44 20"}, want: "mailto:ann@tea.example?subject=Cup"},
		"the phone":     {contacts: shop.Contacts{Phone: "+44 20 7946"}, want: "tel:+44207946"},
		"no way":        {},
	} {
		page := fixture()["product"].(*ProductPage)
		page.Product.Price, page.Product.OldPrice, page.Product.Promotion = 0, 0, ""
		page.Remarks.TakesQuestions, page.Shop.Face.Contacts = c.asks, c.contacts
		link := draw(t, page).Find(".v-buy a.v-button")
		if got := link.AttrOr("href", ""); got != c.want || (link.Text() == "Ask for the price") != (c.want != "") {
			t.Errorf("%s: %q links to %q", name, link.Text(), got)
		}
	}
	priced := draw(t, fixture()["product"]).Find(".v-buy a.v-button")
	if priced.Length() != 0 {
		t.Error("a product with a price has a link to ask for it")
	}
}

// The card of a product with variants shows the lowest price and its previous price.
func TestCardOfReducedVariantsShowsBothPrices(t *testing.T) {
	for want, card := range map[string]ProductCard{
		"from €19 €23": {Price: 19, OldPrice: 23, PriceTo: 40}, "€19 €23": {Price: 19, OldPrice: 23}, "€19 – €40": {Price: 19, PriceTo: 40},
	} {
		page := fixture()["home"].(*Home)
		card.ID, card.Name, card.Path = 1, "Cup", "/cup"
		page.Products.Products = []ProductCard{card}
		price := draw(t, page).Find(".v-card .v-price")
		price.Find(".v-sr").Remove()
		if got := strings.Join(strings.Fields(price.Text()), " "); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
