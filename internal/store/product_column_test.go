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
	for row, i := reflect.ValueOf(&p).Elem(), 0; i < row.NumField(); i++ {
		name, place := row.Type().Field(i).Name, row.Field(i).Addr().Interface()
		if _, has := at[place]; has == (elsewhere[name] != "") {
			t.Errorf("%s: has a column %v, elsewhere %q", name, has, elsewhere[name])
		}
	}
}

// A field of an offer that is read from no column would be empty in every feed.
func TestEveryFieldOfAnOfferHasItsColumn(t *testing.T) {
	elsewhere := map[string]string{"URL": "of the product's place", "Currency": "of the shop", "CategoryName": "of the section", "CategoryPath": "of the section"}
	var p FeedProduct
	at := map[any]string{}
	for _, c := range feedColumns {
		at[c.at(&p)] = c.name
	}
	if len(at) != len(feedColumns) {
		t.Error("two columns are one field")
	}
	for row, i := reflect.ValueOf(&p.Offer).Elem(), 0; i < row.NumField(); i++ {
		name := row.Type().Field(i).Name
		column, has := at[row.Field(i).Addr().Interface()]
		if has == (elsewhere[name] != "") {
			t.Errorf("%s: has a column %v, elsewhere %q", name, has, elsewhere[name])
		}
		last := column[strings.LastIndexAny(column, ". ")+1:]
		if has && !strings.EqualFold(strings.ReplaceAll(last, "_", ""), name) {
			t.Errorf("%s is read from %s", name, column)
		}
	}
}
