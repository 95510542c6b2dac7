package docs_test

import (
	"reflect"
	"strings"
	"testing"

	"vitrine/internal/shop"
)

func TestTheGuideOfTheCatalogueNamesEveryFact(t *testing.T) {
	h := open(t)
	text := h.get("/docs/catalogue").body
	for _, f := range reflect.VisibleFields(reflect.TypeFor[shop.Facts]()) {
		if name := f.Tag.Get("json"); !strings.Contains(text, "`"+name+"`") {
			t.Errorf("the guide does not mention %s", name)
		}
	}
}
