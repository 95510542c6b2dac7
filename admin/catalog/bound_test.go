package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/admin/api/apitest"
)

// An item of a batch that exceeds a bound fails alone.
func TestATooLongTextFailsOnlyItsItem(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	out := a.OK("POST", "/products/batch", a.Owner, m{"items": l{
		m{"name": "Tea"}, m{"name": strings.Repeat("x", 256)}, m{"name": "Pot", "tags": strings.Split(strings.Repeat("x", 65), "")}, m{"name": "Cup", "sku": strings.Repeat("x", 256)},
	}})
	for i, want := range []any{nil, "TEXT_TOO_LONG", "INVALID_REQUEST", "PRODUCT_SKU_TOO_LONG"} {
		if got := out["results"].(l)[i].(m)["error"]; got != want {
			t.Errorf("item %d: %v, want %v", i, got, want)
		}
	}
	if out["created"] != 1.0 || out["failed"] != 3.0 {
		t.Errorf("%v", out)
	}
}

// The cells of a CSV have the same bounds as the corresponding fields.
func TestCellsHaveTheBoundsOfTheirFields(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	for _, c := range []struct {
		column string
		most   int
		cell   func(n int) string
		code   string
	}{
		{"name", 255, letters, "TEXT_TOO_LONG"},
		{"description", 100_000, letters, "TEXT_TOO_LONG"},
		{"page_title", 1000, letters, "TEXT_TOO_LONG"},
		{"meta_title", 1000, letters, "TEXT_TOO_LONG"},
		{"meta_description", 1000, letters, "TEXT_TOO_LONG"},
		{"og_image_url", 1000, letters, "TEXT_TOO_LONG"},
		{"sku", 255, letters, "PRODUCT_SKU_TOO_LONG"},
		{"tags", 64, letters, "TEXT_TOO_LONG"},
		{"tags", 64, entries, "INVALID_REQUEST"},
		{"meta_keywords", 64, entries, "INVALID_REQUEST"},
		{"variants", 500, func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("{},", n), ",") + "]" }, "VARIANTS_TOO_MANY"},
	} {
		for _, beyond := range []int{0, 1} {
			cell := strings.ReplaceAll(c.cell(c.most+beyond), `"`, `""`)
			text := "sku,name," + c.column + ",stock_quantity\nnew,Tea,\"" + cell + "\",1\n"
			if c.column == "name" || c.column == "sku" {
				text = strings.Replace("sku,name,stock_quantity\nnew,Tea,1\n", map[string]string{"name": "Tea", "sku": "new"}[c.column], cell, 1)
			}
			out := a.Result("POST", "/products/import", a.Owner, m{"text": text, "dry_run": true})
			reason := strings.Join([]string{text[:20], fmt.Sprint(out)}, " ")
			if got := strings.Contains(reason, c.code); got != (beyond == 1) {
				t.Errorf("%s of %d: %.300s", c.column, c.most+beyond, reason)
			}
		}
	}
}

func letters(n int) string { return strings.Repeat("я", n) }

func entries(n int) string { return strings.TrimSuffix(strings.Repeat("x|", n), "|") }

// Data stored before the bounds existed can be read, and its other fields can be edited, by
// request and by CSV.
func TestDataBeyondTheBoundsCanBeReadAndEdited(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	id := fmt.Sprint(a.Result("POST", "/products", a.Owner, m{"item": m{"name": "Tea", "sku": "old"}})["id"])
	long := strings.Repeat("x", 5000)
	conn, err := pgx.Connect(t.Context(), a.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `UPDATE product SET name = $1::text, tags = array[$1::text], seo = seo || jsonb_build_object('meta_title', $1::text)`, long); err != nil {
		t.Fatal(err)
	}
	path := "/products/" + id
	if got := a.Result("GET", path, a.Owner, nil); got["name"] != long || got["seo"].(m)["meta_title"] != long {
		t.Errorf("read: %.200v", got)
	}
	a.OK("PUT", path, a.Owner, m{"item": m{"price": m{"price": 7}}})
	for _, text := range []string{"sku,price\nold,8\n", "sku,noindex\nold,true\n"} {
		if out := fmt.Sprint(a.Result("POST", "/products/import", a.Owner, m{"text": text})); !strings.Contains(out, "updated") ||
			strings.Contains(out, "TOO_LONG") {
			t.Errorf("%s: %.300s", text, out)
		}
	}
	got := a.Result("GET", path, a.Owner, nil)
	if got["name"] != long || got["price"].(m)["price"] != 8.0 || got["seo"].(m)["noindex"] != true {
		t.Errorf("edited: %.300v", got)
	}
}
