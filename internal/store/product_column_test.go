package store

import (
	"reflect"
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
