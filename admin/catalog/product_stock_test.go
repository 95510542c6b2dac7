package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/store"
	"vitrine/internal/store/catalog"
)

// low returns the stored threshold of a product.
func (b bench) low(p m) any {
	b.t.Helper()
	return b.Result("GET", at("products", p), b.Owner, nil)["stock_low_threshold"]
}

// A threshold of null warns at zero only (document 2, 2.3); any negative number clears it
// (4.3).
func TestAThresholdCanBeNull(t *testing.T) {
	b := open(t)
	show(t, "unsent", b.add("products", m{"name": "Mint"}), nil, "stock_low_threshold")
	show(t, "null", b.add("products", m{"name": "Mint", "stock_low_threshold": nil}), nil, "stock_low_threshold")
	show(t, "negative", b.add("products", m{"name": "Mint", "stock_low_threshold": -1}), nil, "stock_low_threshold")
	p := b.add("products", m{"name": "Tea", "stock_quantity": 4, "stock_low_threshold": 0})
	for _, c := range []struct {
		sent, want any
	}{
		{0, 0}, {5, 5}, {nil, nil}, {7, 7}, {-1, nil}, {2147483647, 2147483647}, {-9000000000, nil},
	} {
		show(t, fmt.Sprint(c.sent), b.put("products", p, m{"stock_low_threshold": c.sent}), c.want, "stock_low_threshold")
	}
	b.put("products", p, m{"stock_low_threshold": 3})
	show(t, "not sent", b.put("products", p, m{"name": "Green tea"}), 3, "stock_low_threshold")
	for _, wrong := range []any{2147483648, 1.5, "3", true, m{}} {
		b.refused("PUT", at("products", p), m{"stock_low_threshold": wrong}, 400, "PRODUCT_STOCK_INVALID")
	}
	show(t, "refused", m{"low": b.low(p)}, 3, "low")
}

// Quantities up to 2147483647 are accepted by every endpoint (document 2, 4.3).
func TestTheMaximumStockIsAccepted(t *testing.T) {
	b := open(t)
	const most = 2147483647
	show(t, "item", b.add("products", m{"name": "Tea", "stock_quantity": most}), most, "stock_quantity")
	b.refused("POST", "/products", m{"name": "Tea", "stock_quantity": most + 1}, 400, "PRODUCT_STOCK_INVALID")
	batch := b.OK(
		"POST", "/products/batch", b.Owner,
		m{"items": l{m{"name": "A", "stock_quantity": most}, m{"name": "B", "stock_quantity": most + 1}}},
	)
	show(t, "batch", batch, 1, "created")
	csv := fmt.Sprintf("name,stock_quantity,stock_low_threshold\nC,%d,%d\nD,%d,\nE,,%d\n", most, most, most+1, most+1)
	rows := b.Result("POST", "/products/import", b.Owner, m{"text": csv, "strict": true})["rows"].(l)
	for i, want := range []any{nil, "PRODUCT_STOCK_INVALID", "PRODUCT_STOCK_INVALID"} {
		if got := rows[i].(m)["error"]; got != want && !(want == nil && got == "") {
			t.Errorf("line %d: %v", i+2, rows[i])
		}
	}
}

// In CSV an empty cell clears the threshold, and an export contains the current one.
func TestThresholdsAreExportedAndImported(t *testing.T) {
	b := open(t)
	p := b.add("products", m{"name": "Tea", "sku": "T", "stock_low_threshold": 5})
	q := b.add("products", m{"name": "Mint", "sku": "M"})
	b.OK("POST", "/products/import", b.Owner, m{"text": "sku,stock_low_threshold\nT,\nM,2\n"})
	show(t, "cleared", m{"low": b.low(p)}, nil, "low")
	show(t, "set", m{"low": b.low(q)}, 2, "low")
	for _, r := range b.Result("POST", "/products/import", b.Owner, m{"text": b.export()})["rows"].(l) {
		if r.(m)["status"] != "unchanged" {
			t.Errorf("the export cannot be imported: %v", r)
		}
	}
}

// Stock has no draft: the threshold of a live product changes immediately, and the draft has no
// pending change (document 2, 2.3).
func TestAThresholdHasNoDraft(t *testing.T) {
	b := open(t)
	p := b.add("products", m{"name": "Tea", "stock_quantity": 4, "stock_low_threshold": 1})
	waits := func() int { return len(b.OK("GET", "/drafts", b.Dev, nil)["result"].(l)) }

	before, err := b.Store.Follow(t.Context(), store.Moment{})
	if err != nil {
		t.Fatal(err)
	}
	answer := b.Result("PUT", at("products", p), b.Dev, item(m{"stock_low_threshold": 9}))
	show(t, "answer", answer, 9, "stock_low_threshold")
	show(t, "live", m{"low": b.low(p)}, 9, "low")
	if n := waits(); n != 0 {
		t.Errorf("the draft has %d pending changes: %v", n, b.OK("GET", "/drafts", b.Dev, nil))
	}
	if now, err := b.Store.Follow(t.Context(), before.Now); err != nil || len(now.Versions) != 1 {
		t.Errorf("the change of the threshold is not recorded for the edge: %v", err)
	}

	b.Result("PUT", at("products", p), b.Dev, item(m{"name": "Draft tea", "stock_low_threshold": nil}))
	show(t, "live beside a draft edit", m{"low": b.low(p)}, nil, "low")
	show(t, "the name waits", b.Result("GET", at("products", p), b.Owner, nil), "Tea", "name")
	b.put("products", p, m{"stock_low_threshold": 2})
	b.OK("POST", "/drafts/publish", b.Owner, m{"all": true})
	show(t, "publishing leaves it alone", m{"low": b.low(p)}, 2, "low")

	fresh := b.Result("POST", "/products", b.Dev, item(m{"name": "Mint", "stock_quantity": 7, "stock_low_threshold": 3}))
	b.Result("PUT", at("products", fresh), b.Dev, item(m{"stock_low_threshold": 6}))
	b.OK("POST", "/drafts/publish", b.Owner, m{"all": true})
	now := b.Result("GET", at("products", fresh), b.Owner, nil)
	show(t, "a product of the draft", now, 6, "stock_low_threshold")
	show(t, "a product of the draft", now, 7, "stock_quantity")
}

// Variants share the stock of their product, and have no numbers, unless it is counted by variant.
func TestVariantsShareTheStockOfTheirProduct(t *testing.T) {
	b := open(t)
	for quantity, in := range map[int]bool{0: false, 3: true} {
		p := b.add("products", m{"name": "Cup", "stock_quantity": quantity, "sku": fmt.Sprint("C", quantity)})
		set := b.Result("PUT", at("products", p)+"/variants", b.Owner, m{"items": l{m{"sku": fmt.Sprint("R", quantity), "stock_quantity": 99}}})
		for what, list := range map[string]any{"set": set["variants"], "card": b.Result("GET", at("products", p), b.Owner, nil)["variants"]} {
			v := list.(l)[0].(m)
			show(t, what, v, in, "in_stock")
			if v["stock_quantity"] != nil {
				t.Errorf("%s: a variant has its own stock: %v", what, v)
			}
		}
	}
	if exported := b.export(); strings.Contains(exported, `""stock_quantity""`) {
		t.Errorf("the export contains stock of variants: %s", exported)
	}
}

// The storefront reports low stock at or below the threshold.
func TestStockIsLowAtOrBelowTheThreshold(t *testing.T) {
	t.Parallel()
	n := func(i int) *int { return &i }
	for _, c := range []struct {
		quantity, threshold *int
		low                 bool
	}{
		{nil, nil, false}, {nil, n(5), false}, {n(0), nil, true}, {n(1), nil, false}, {n(1), n(0), false}, {n(5), n(5), true}, {n(6), n(5), false},
	} {
		if p := (catalog.Product{StockQuantity: c.quantity, StockLowThreshold: c.threshold}); p.StockLow() != c.low {
			t.Errorf("%v of %v", c.quantity, c.threshold)
		}
	}
}

// How a product is counted is stored by create, edit, batch, bulk edit, CSV and the export of a
// shop. TestVariantsShareTheStockOfTheirProduct covers its effect.
func TestStockByRoundTrips(t *testing.T) {
	b := open(t)
	fields := m{"name": "Shirt", "stock_by": "variant"}
	arrived := func(way string, of m) {
		b.t.Helper()
		show(t, way, b.Result("GET", at("products", of), b.Owner, nil), "variant", "stock_by")
	}
	made := b.add("products", fields)
	arrived("POST", made)
	edited := b.add("products", m{"name": "Polo"})
	show(t, "default", edited, "product", "stock_by")
	b.put("products", edited, m{"stock_by": "variant"})
	arrived("PUT", edited)
	arrived("POST of a batch", b.OK("POST", "/products/batch", b.Owner, m{"items": l{fields}})["results"].(l)[0].(m))
	plain := b.add("products", m{"name": "Cap"})
	b.OK("PATCH", "/products/batch", b.Owner, m{"ids": l{plain["id"]}, "item": m{"stock_by": "variant"}})
	arrived("bulk edit", plain)

	set := l{m{"sku": "S", "title": "Small", "stock_quantity": 3, "stock_low_threshold": 1}}
	b.OK("PUT", at("products", made)+"/variants", b.Owner, m{"items": set})
	text := b.export()
	b.put("products", made, m{"stock_by": "product"})
	rows := b.Result("POST", "/products/import", b.Owner, m{"text": text})["rows"].(l)
	if len(rows) != 4 {
		t.Errorf("%v", rows)
	}
	arrived("CSV, an edit", made)
	there, key := newCourier(b, "products", m{"name": "Plain"}).copied()
	for _, p := range there.OK("GET", "/products?page.number=1&page.limit=100", key, nil)["result"].(m)["items"].(l) {
		show(t, "shop export and import", p.(m), "variant", "stock_by")
	}
	added := b.Result("POST", "/products/import", b.Owner, m{
		"text": `sku,name,stock_by,variants` + "\n" + `T,Tee,variant,"[{""sku"":""T-S"",""stock_quantity"":4,""stock_low_threshold"":2}]"` + "\n",
	})["rows"].(l)[0].(m)
	arrived("CSV", added)
	card := b.Result("GET", at("products", added), b.Owner, nil)
	show(t, "CSV, its sum", card, 4, "stock_quantity")
	show(t, "CSV, its variant", card["variants"].(l)[0].(m), 2, "stock_low_threshold")
	wrong := b.Result("POST", "/products/import", b.Owner, m{"text": "sku,stock_by\nT,size\n"})["rows"].(l)[0].(m)
	show(t, "a wrong value", wrong, "error", "status")
}
