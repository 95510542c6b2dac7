package render

import (
	"reflect"
	"strings"
	"testing"

	"vitrine/internal/shop"
)

// Every fact of a product must be on its page or in its structured data; otherwise owners
// would enter it in vain. The same holds for facts that are valid only together with others.
func TestProductPageShowsEveryFact(t *testing.T) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[shop.Facts]()) {
		page := fixture()["product"].(*ProductPage)
		page.Product.SKU, page.Product.Attributes = "", nil
		fact := "the " + f.Name
		reflect.ValueOf(&page.Product.Facts).Elem().FieldByIndex(f.Index).SetString(fact)
		if !strings.Contains(string(bytesOf(t, page)), fact) {
			t.Errorf("%s is not on the page", f.Name)
		}
	}
}

func TestEveryLanguageHasEveryText(t *testing.T) {
	for _, w := range []*words{&english, &russian} {
		for _, f := range reflect.VisibleFields(reflect.TypeFor[words]()) {
			if text := reflect.ValueOf(w).Elem().FieldByIndex(f.Index); text.Kind() == reflect.String && text.String() == "" {
				t.Errorf("%s has no text for %s", w.Lang, f.Name)
			}
		}
	}
}

func TestTheCountryOfOriginIsNamedInTheLanguageOfThePage(t *testing.T) {
	for lang, want := range map[string]string{"en": "<dd>Portugal</dd>", "ru": "<dd>Португалия</dd>"} {
		page := fixture()["product"].(*ProductPage)
		page.Lang, page.Product.CountryOfOrigin = lang, "PT"
		html := string(bytesOf(t, page))
		if !strings.Contains(html, want) {
			t.Errorf("%s: no %s", lang, want)
		}
		if !strings.Contains(html, `"countryOfOrigin":{"@type":"Country","name":"PT"}`) {
			t.Errorf("%s: not in the structured data", lang)
		}
	}
}
