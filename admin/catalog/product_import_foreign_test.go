package catalog_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
)

// An export of another system has columns with our names but another meaning: it is refused as
// a whole, by both endpoints, and nothing is overwritten.
func TestAnExportOfAnotherSystemIsRefused(t *testing.T) {
	b := open(t)
	p := b.add("products", m{"name": "Tea", "sku": "T", "price": m{"price": 5}})
	woo := "\ufeffID,Type,SKU,Name,Published,Regular price,Categories\n" + id(p) + ",simple,X,Their cup,1,14.50,Cups\n"
	shopify := "Handle,Title,Variant SKU,Variant Price\ncup,Their cup,T,14.50\n"
	for text, system := range map[string]string{woo: "woocommerce", shopify: "shopify", "<yml_catalog><shop>": "yml"} {
		for _, dry := range []bool{true, false} {
			answer := b.Refused("POST", "/products/import", b.Owner, m{"text": text, "dry_run": dry}, 400, "IMPORT_FOREIGN")
			if said := answer["error"].(string); !strings.HasSuffix(said, "IMPORT_FOREIGN: "+system) {
				t.Errorf("%s: %s", system, said)
			}
			if guidance, _ := answer["guidance"].(string); !strings.Contains(guidance, system) || !strings.Contains(guidance, "Nothing was changed") {
				t.Errorf("%s: guidance %q", system, guidance)
			}
			file := b.Send(apitest.Request{
				Method: "POST", Path: fmt.Sprintf("/products/import/file?dry_run=%v", dry), Key: b.Owner, Body: text, Header: map[string]string{"Content-Type": "text/csv"},
			})
			if file.Status != 400 || apitest.Code(file.JSON) != "IMPORT_FOREIGN" {
				t.Errorf("%s as a file: %d %s", system, file.Status, file.Body)
			}
		}
	}
	show(t, "the product", b.Result("GET", at("products", p), b.Owner, nil), "Tea", "name")
	if total, _ := b.list("", b.Owner); total != 1 {
		t.Errorf("%d products", total)
	}
}

// An export of this program is never mistaken for one of another system.
func TestOurOwnExportIsNotForeign(t *testing.T) {
	b := open(t)
	b.fixtures(b.Owner)
	b.add("products", m{"name": "Tea", "sku": "T"})
	wantRows(t, "our own", b.imported(string(b.exportOf(b.Owner))), "unchanged")
}

// An invalid cell of an optional column is skipped and reported; with strict, or in a required
// column, the line fails.
func TestInvalidOptionalCellsAreSkippedWithAWarning(t *testing.T) {
	b := open(t)
	f := b.fixtures(b.Owner)
	_ = f
	const header = "sku,name,price,gtin,og_image_id,description,attribute:Colour,variants\n"
	text := header +
		"A,Cup,5,4006381333932,,Kept,,\n" + // a wrong check digit
		"B,Pot,6,4006381333931,,,,\n" +
		"C,Lid,7,123,7f0c2b1e-9a54-4c1b-8a0e-0d5a3a1f6b11,Kept,purple,\n" + // three invalid cells
		"D,Jug,x,123,,,,\n" + // the price is not optional
		"E,Mug,8,123,,,,\"[{\"\"price\"\":9}]\"\n"
	check := func(report m, status string) {
		t.Helper()
		want := []string{status + " gtin", status, status + " attribute:Colour gtin og_image_id", "error", status + " gtin"}
		for n, r := range report["rows"].(l) {
			row := r.(m)
			got := fmt.Sprint(row["status"])
			list, _ := row["warnings"].(l)
			columns := map[string]bool{}
			for _, w := range list {
				columns[w.(m)["column"].(string)] = true
				if w.(m)["error"] == "" || w.(m)["reason"] == "" {
					t.Errorf("a warning without its reason: %v", w)
				}
			}
			for _, column := range slices.Sorted(maps.Keys(columns)) {
				got += " " + column
			}
			if got != want[n] {
				t.Errorf("line %d: %q, want %q: %v", n+2, got, want[n], row)
			}
		}
	}
	dry := b.Result("POST", "/products/import", b.Owner, m{"text": text, "dry_run": true})
	check(dry, "created")
	if dry["warnings"] != 5.0 || dry["errors"] != 1.0 {
		t.Errorf("%v warnings, %v errors", dry["warnings"], dry["errors"])
	}
	check(b.Result("POST", "/products/import", b.Owner, m{"text": text}), "created")
	for slug, gtin := range map[string]string{"cup": "", "pot": "4006381333931", "lid": "", "mug": ""} {
		show(t, slug, b.Result("GET", "/products/by-slug/"+slug, b.Owner, nil), gtin, "gtin")
	}
	show(t, "other cells of the line", b.Result("GET", "/products/by-slug/lid", b.Owner, nil), "Kept", "description")
	again := b.Result("POST", "/products/import", b.Owner, m{"text": text[:strings.Index(text, "E,Mug")]}) // sets without an id would be added again
	check(again, "unchanged")
	edit := rowsOf(b.Result("POST", "/products/import", b.Owner, m{"text": "sku,name,gtin\nB,Big pot,1\n"}))
	wantRows(t, "an edit", edit, "updated name:Pot>Big pot")
	show(t, "the previous value", b.Result("GET", "/products/by-slug/pot", b.Owner, nil), "4006381333931", "gtin")
	strict := rowsOf(b.Result("POST", "/products/import", b.Owner, m{"text": "sku,name,gtin\nB,Pot,1\nZ,New,1\n", "strict": true}))
	wantRows(t, "strict", strict, "error PRODUCT_GTIN_INVALID", "error PRODUCT_GTIN_INVALID")
	file := b.Send(apitest.Request{
		Method: "POST", Path: "/products/import/file?strict=true", Key: b.Owner, Body: "sku,gtin\nB,1\n", Header: map[string]string{"Content-Type": "text/csv"},
	})
	wantRows(t, "strict, a file", rowsOf(file.JSON["result"].(m)), "error PRODUCT_GTIN_INVALID")
}

// prices=decimal reads prices in common notations and never rounds.
func TestDecimalPricesAreRead(t *testing.T) {
	b := open(t)
	if err := b.Store.Write(t.Context(), b.Shop.ID, func(tx *store.Tx) error { return companydb.SetPriceDigits(t.Context(), tx, 2) }); err != nil {
		t.Fatal(err)
	}
	text := "sku;name;price;old_price\n"
	prices := map[string]any{
		"14.50": 1450.0, "14,50": 1450.0, "14": 1400.0, "1 450,5": 145050.0, "1.234,56": 123456.0, "1,234.56": 123456.0, "34.0000": 3400.0, ".99": 99.0, ".": nil, "-": nil, "14.505": nil, "1,234": nil,
		"1,234,567": nil, "14.50 EUR": nil, "'14.50": 1450.0, "12.34.56": nil, "99999999999999999999.00": nil, "1,23.45": nil,
	}
	var order []string
	for price := range prices {
		order = append(order, price)
		text += fmt.Sprintf("P%d;Tea;%s;20.00\n", len(order), price)
	}
	rows := b.Result("POST", "/products/import", b.Owner, m{"text": text, "prices": "decimal"})["rows"].(l)
	for n, price := range order {
		row := rows[n].(m)
		if want := prices[price]; want == nil {
			if row["error"] != "IMPORT_CELL_INVALID" || !strings.HasPrefix(fmt.Sprint(row["reason"]), "price: ") {
				t.Errorf("%s: %v", price, row)
			}
			continue
		}
		if row["status"] != "created" {
			t.Errorf("%s: %v", price, row)
			continue
		}
		made := b.Result("GET", fmt.Sprintf("/products/%v", row["id"]), b.Owner, nil)["price"].(m)
		if made["price"] != prices[price] || made["old_price"] != 2000.0 {
			t.Errorf("%s is %v", price, made)
		}
	}
	wantRows(t, "units", b.imported("sku,name,price\nU,Tea,1450\nV,Tea,14.50\n"), "created", "error IMPORT_CELL_INVALID")
	b.Refused("POST", "/products/import", b.Owner, m{"text": text, "prices": "rouble"}, 400, "IMPORT_PRICES_INVALID")
}
