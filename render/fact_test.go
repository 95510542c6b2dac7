package render

import (
	"reflect"
	"strings"
	"testing"

	"vitrine/internal/shop"
)

// A fact that neither the page nor what machines read of it tells would have been
// entered for nothing, and so would one that a product must not have alone.
func TestAProductPageTellsEveryFact(t *testing.T) {
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

func TestEveryLanguageHasEveryWord(t *testing.T) {
	for _, w := range []*words{&english, &russian} {
		for _, f := range reflect.VisibleFields(reflect.TypeFor[words]()) {
			if text := reflect.ValueOf(w).Elem().FieldByIndex(f.Index); text.Kind() == reflect.String && text.String() == "" {
				t.Errorf("%s has no word for %s", w.Lang, f.Name)
			}
		}
	}
}
