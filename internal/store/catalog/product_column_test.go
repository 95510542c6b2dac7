package catalog

import (
	"reflect"
	"strings"
	"testing"
)

// A field of a product that no column reads would be lost silently.
func TestEveryFieldOfAProductHasItsColumn(t *testing.T) {
	storedElsewhere := map[string]string{
		"Extra": "a separate table", "SEO": "written as JSON, its slug is a column", "Gallery": "read with its files", "PreviewPath": "of the preview",
		"Attributes": "write only", "Galleries": "write only", "AnyVariant": "of its variant sets",
	}
	var p Product
	at := map[any]string{}
	for _, c := range append(append([]tableColumn[Product]{}, productColumns...), productState...) {
		place := c.at(&p)
		if other, duplicate := at[place]; duplicate {
			t.Errorf("%s and %s are one field", c.name, other)
		}
		at[place] = c.name
	}
	row := reflect.ValueOf(&p).Elem()
	for _, f := range reflect.VisibleFields(row.Type()) {
		if f.Anonymous {
			continue // its own fields follow
		}
		name, place := f.Name, row.FieldByIndex(f.Index).Addr().Interface()
		if _, hasColumn := at[place]; hasColumn == (storedElsewhere[name] != "") {
			t.Errorf("%s: has a column %v, elsewhere %q", name, hasColumn, storedElsewhere[name])
		}
	}
}

// A field of an offer that no column fills would be empty in every feed.
func TestEveryFieldOfAnOfferHasItsColumn(t *testing.T) {
	filledElsewhere := map[string]string{
		"URL": "of the product's place", "Currency": "of the shop", "CategoryName": "of the section",
		"CategoryPath": "of the section", "OfferID": "of the product and its variant", "GroupID": "of the product",
		"VariantID": "of the variant",
	}
	var p FeedProduct
	at := map[any]string{}
	for _, c := range feedColumns {
		at[c.at(&p)] = c.name
	}
	if len(at) != len(feedColumns) {
		t.Error("two columns share a field")
	}
	row := reflect.ValueOf(&p.Offer).Elem()
	for _, f := range reflect.VisibleFields(row.Type()) {
		if f.Anonymous {
			continue // its own fields follow
		}
		name := f.Name
		column, hasColumn := at[row.FieldByIndex(f.Index).Addr().Interface()]
		if hasColumn == (filledElsewhere[name] != "") {
			t.Errorf("%s: has a column %v, elsewhere %q", name, hasColumn, filledElsewhere[name])
		}
		last := column[strings.LastIndexAny(column, ". ")+1:]
		if hasColumn && !strings.EqualFold(strings.ReplaceAll(last, "_", ""), name) {
			t.Errorf("%s is read from %s", name, column)
		}
	}
}
