package catalog_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/admin/catalog"
)

func TestAGTINIsCheckedByItsLastDigit(t *testing.T) {
	b := open(t)
	p := b.add("products", m{"name": "Tea"})
	for _, good := range []string{"96385074", "036000291452", "4006381333931", "00012345600012", "00000000", " 4006381333931", ""} {
		show(t, good, b.put("products", p, m{"gtin": good}), strings.TrimSpace(good), "gtin")
	}
	b.put("products", p, m{"gtin": "4006381333931"})
	for _, bad := range []string{"4006381333930", "4006381333913", "1234567", "123456789", "96385075", "9638507a", "-6385074", "４00638133393", "9638 5074", "978-0-306-40615", strings.Repeat("0", 15), strings.Repeat("0", 5000)} {
		b.refused("PUT", at("products", p), m{"gtin": bad}, 400, "PRODUCT_GTIN_INVALID")
		b.refused("POST", "/products", m{"name": "Cup", "gtin": bad}, 400, "PRODUCT_GTIN_INVALID")
		wantRows(t, bad[:min(len(bad), 20)], b.imported("name,gtin\nCup,\""+bad+"\"\n"), "error PRODUCT_GTIN_INVALID")
	}
	show(t, "what was refused changed nothing", b.Result("GET", at("products", p), b.Owner, nil), "4006381333931", "gtin")
	b.refused("PUT", at("products", p), m{"brand": strings.Repeat("я", 256)}, 400, "TEXT_TOO_LONG")
}

// A field that can be sent of a product stands in what is read of it and in the
// CSV, or here with a reason.
func TestEveryFieldOfAProductIsReadAndExported(t *testing.T) {
	elsewhere := map[string]string{
		"categories_replace": "how to write", "gallery_ids_replace": "how to write", "preview": "preview_id, as create takes it",
		"is_deleted": "deleted products are not exported", "gallery_ids": "galleries are no part of the CSV",
	}
	cells := map[string]string{"category_id": "category", "attributes": "attribute:Colour", "seo": "meta_title", "price": "price"}
	b := open(t)
	b.fixtures(b.Owner)
	p := b.add("products", m{"name": "Tea"})
	export := b.Send(apitest.Request{Method: "GET", Path: "/products/export", Key: b.Owner})
	header, _, _ := strings.Cut(string(export.Body), "\n")
	columns := strings.Split(strings.TrimSpace(strings.TrimPrefix(header, "\ufeff")), ",")
	for _, name := range jsonFields(reflect.TypeFor[catalog.ProductItem]()) {
		if _, read := p[name]; !read && elsewhere[name] == "" {
			t.Errorf("%s is not read", name)
		}
		column := name
		if cells[name] != "" {
			column = cells[name]
		}
		if slices.Contains(columns, column) == (elsewhere[name] != "") {
			t.Errorf("%s: the CSV has the columns %q; elsewhere %q", name, columns, elsewhere[name])
		}
	}
}

// jsonFields are the names of the fields of a request, those of embedded structs
// too.
func jsonFields(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			names = append(names, jsonFields(f.Type)...)
		case name != "-":
			names = append(names, name)
		}
	}
	return names
}
