package catalog_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/shop"
	"vitrine/internal/store/catalog"
	"vitrine/internal/store/storetest"
)

func TestTheCatalogueCanBeExportedAndImported(t *testing.T) {
	b := open(t)
	tea, more := b.section("product", "Tea"), b.section("product", "More")
	b.add("products", m{
		"name": `=cmd|' /C calc'!A0`, "sku": "+1", "category_id": tea["id"], "categories": l{more["id"]}, "tags": l{`a|b`, `c\d`}, "price": m{"price": 10, "old_price": 12},
		"description": "two\nlines, \"quoted\"", "is_published": true, "seo": m{"slug": "calc", "meta_title": "@x", "noindex": true},
	})
	b.add("products", m{"name": "'=quoted", "description": "'''-x"})
	answer := b.export()
	for _, cell := range []string{`'=cmd|`, `,'+1,`, `,'@x,`, `,''=quoted,`, `''''-x`} {
		if !strings.Contains(answer, cell) {
			t.Errorf("no %s in\n%s", cell, answer)
		}
	}
	report := b.Result("POST", "/products/import", b.Owner, m{"text": answer})
	show(t, "nothing changed", report, 2, "unchanged")
	if b.export() != answer {
		t.Error("the second export differs")
	}
	// Into an empty shop: ids of another shop are ignored there.
	for _, c := range []string{"Tea", "More"} {
		b.Result("POST", "/categories", b.Stranger, item(m{"name": c, "type": "product"}))
	}
	report = b.Result("POST", "/products/import", b.Stranger, m{"text": answer})
	show(t, "another shop", report, 2, "created")
	p := b.Result("GET", "/products/by-slug/calc", b.Stranger, nil)
	show(t, "formula", p, `=cmd|' /C calc'!A0`, "name")
	show(t, "tags", p, l{`a|b`, `c\d`}, "tags")
	show(t, "old price", p, 12, "price", "old_price")
}

func TestALongExportIsComplete(t *testing.T) {
	b := open(t)
	storetest.Large(t, b.URL, int(b.Shop.ID), 1200)
	if lines := strings.Count(b.export(), "\n"); lines != 1+1200 {
		t.Errorf("%d lines", lines)
	}
}

func (b bench) export() string {
	b.t.Helper()
	answer := b.Send(request("GET", "/products/export", map[string]string{"Authorization": "Bearer " + b.Owner}))
	if answer.Status != 200 || answer.Header.Get("Content-Type") != "text/csv; charset=utf-8" ||
		!strings.Contains(answer.Header.Get("Content-Disposition"), "products.csv") {
		b.t.Fatalf("%d %v %s", answer.Status, answer.Header, answer.Body)
	}
	return string(answer.Body)
}

func TestAnImportReportsEveryLine(t *testing.T) {
	b := open(t)
	b.section("product", "Tea")
	kept := b.add(
		"products",
		m{
			"name": "Kept", "sku": "K", "price": m{"price": 5, "old_price": 9}, "description": "d", "tags": l{"x"},
			"seo": m{"slug": "kept", "meta_title": "M"},
		},
	)
	text := strings.Join([]string{
		"\ufeffSKU; name;price;category;tags;colour;old_price",
		"N;New;10;tea;a|b;red;",
		"K;;7;;;;",
		"K;;7;;;;",
		"N;Newer;;tea;a|b;;",
		"B;;1;;;;",
		"C;Cup;ten;;;;",
		"D;Dish;1;nowhere;;;",
		`E;"Ear`,
	}, "\n")
	want := []string{
		"created", "updated", "unchanged", "updated", "error PRODUCT_NAME_REQUIRED", "error IMPORT_CELL_INVALID",
		"error IMPORT_CELL_INVALID", "error IMPORT_CELL_INVALID",
	}
	for _, dry := range []bool{true, false} {
		report := b.Result("POST", "/products/import", b.Owner, m{"text": text, "dry_run": dry})
		var got []string
		for i, r := range report["rows"].(l) {
			code, _ := r.(m)["error"].(string)
			got = append(got, strings.TrimSpace(fmt.Sprint(r.(m)["status"], " ", code)))
			show(t, "line", r.(m), i+2, "line")
		}
		if !slices.Equal(got, want) {
			t.Errorf("dry run %v: %q\nwant %q", dry, got, want)
		}
		show(t, "report", report, dry, "dry_run")
		if total, _ := b.list("", b.Owner); total != map[bool]int{true: 1, false: 2}[dry] {
			t.Errorf("dry run %v: %d products", dry, total)
		}
	}
	p := b.Result("GET", at("products", kept), b.Owner, nil)
	for _, c := range []struct {
		want any
		path []string
	}{
		{"Kept", []string{"name"}}, {7, []string{"price", "price"}}, {0, []string{"price", "old_price"}}, {l{}, []string{"tags"}},
		{"d", []string{"description"}}, {"M", []string{"seo", "meta_title"}}, {"kept", []string{"slug"}},
	} {
		show(t, "kept", p, c.want, c.path...)
	}
}

func TestInvalidImportsAreRefusedAsAWhole(t *testing.T) {
	b := open(t)
	for text, code := range map[string]string{
		"": "IMPORT_EMPTY", "\ufeff": "IMPORT_EMPTY", "sku,name\n": "IMPORT_EMPTY", "sku,name": "IMPORT_EMPTY", "colour\nred": "IMPORT_HEADER_INVALID", "sku,sku\n1,2": "IMPORT_HEADER_INVALID",
		`"sku`: "IMPORT_HEADER_INVALID", "sku\n" + strings.Repeat("1\n", 5001): "IMPORT_TOO_LARGE", "sku\n" + strings.Repeat("x", 8<<20): "IMPORT_TOO_LARGE",
	} {
		b.Refused("POST", "/products/import", b.Owner, m{"text": text}, 400, code)
	}
}

func TestAnImportOfHundredsKeepsItsOrder(t *testing.T) {
	b := open(t)
	var text strings.Builder
	text.WriteString("sku,name,price\n")
	for n := range 230 {
		text.WriteString("S" + strconv.Itoa(n) + ",Tea,1\n")
	}
	text.WriteString("S0,Coffee,2\n")
	report := b.Result("POST", "/products/import", b.Owner, m{"text": text.String()})
	show(t, "report", report, 230, "created")
	show(t, "report", report, 1, "updated")
	list, err := catalog.ProductsFor(t.Context(), b.Store.Shop(b.Shop.ID), []string{"S0"}, nil)
	if err != nil || len(list) != 1 || list[0].Name != "Coffee" || list[0].Price != 2 {
		t.Fatalf("%+v %v", list, err)
	}
	if list, err := catalog.ProductsFor(t.Context(), b.Store.Shop(b.Other.ID), []string{"S0"}, []shop.ProductID{list[0].ID}); len(list) != 0 ||
		err != nil {
		t.Error("another shop finds the product")
	}
}
