package store

import (
	"reflect"
	"strings"
	"testing"
)

// A field of a product that no column reads would be lost without a word.
func TestEveryFieldOfAProductHasItsColumn(t *testing.T) {
	elsewhere := map[string]string{
		"Extra": "a table of its own", "SEO": "written as JSON, its slug is a column", "Gallery": "read with its files", "PreviewPath": "of the preview",
		"Attributes": "write only", "Galleries": "write only",
	}
	var p Product
	at := map[any]string{}
	for _, c := range append(append([]tableColumn[Product]{}, productColumns...), productState...) {
		place := c.at(&p)
		if other, twice := at[place]; twice {
			t.Errorf("%s and %s are one field", c.name, other)
		}
		at[place] = c.name
	}
	row := reflect.ValueOf(&p).Elem()
	for _, f := range reflect.VisibleFields(row.Type()) {
		if f.Anonymous {
			continue // its fields follow
		}
		name, place := f.Name, row.FieldByIndex(f.Index).Addr().Interface()
		if _, has := at[place]; has == (elsewhere[name] != "") {
			t.Errorf("%s: has a column %v, elsewhere %q", name, has, elsewhere[name])
		}
	}
}

// A field of an offer that is read from no column would be empty in every feed.
func TestEveryFieldOfAnOfferHasItsColumn(t *testing.T) {
	elsewhere := map[string]string{
		"URL": "of the product's place", "Currency": "of the shop", "CategoryName": "of the section",
		"CategoryPath": "of the section", "OfferID": "of the product and its variant", "GroupID": "of the product",
	}
	var p FeedProduct
	at := map[any]string{}
	for _, c := range feedColumns {
		at[c.at(&p)] = c.name
	}
	if len(at) != len(feedColumns) {
		t.Error("two columns are one field")
	}
	row := reflect.ValueOf(&p.Offer).Elem()
	for _, f := range reflect.VisibleFields(row.Type()) {
		if f.Anonymous {
			continue // its fields follow
		}
		name := f.Name
		column, has := at[row.FieldByIndex(f.Index).Addr().Interface()]
		if has == (elsewhere[name] != "") {
			t.Errorf("%s: has a column %v, elsewhere %q", name, has, elsewhere[name])
		}
		last := column[strings.LastIndexAny(column, ". ")+1:]
		if has && !strings.EqualFold(strings.ReplaceAll(last, "_", ""), name) {
			t.Errorf("%s is read from %s", name, column)
		}
	}
}
