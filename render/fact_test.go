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
