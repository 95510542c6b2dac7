package stock_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
)

// shirt creates a product counted by variant with a set for each stock (nil: not tracked), and
// returns its path and the ids of the sets.
func shirt(t *testing.T, a *apitest.API, stocks ...any) (path string, sets []any) {
	t.Helper()
	made := a.Result("POST", "/products", a.Owner, m{"item": m{"name": "Shirt", "price": m{"price": 10}, "is_published": true, "stock_by": "variant"}})
	path = fmt.Sprintf("/products/%v", made["id"])
	items := []m{}
	for i, n := range stocks {
		items = append(items, m{"sku": fmt.Sprintf("%v-%d", made["id"], i), "options": m{"Size": fmt.Sprint(i)}, "stock_quantity": n})
	}
	for _, v := range a.Result("PUT", path+"/variants", a.Owner, m{"items": items})["variants"].([]any) {
		sets = append(sets, v.(m)["id"])
	}
	return path, sets
}

// state is what the product shows: its number, whether it is in stock, and the same of its sets.
func state(a *apitest.API, path string) string {
	card := a.Result("GET", path, a.Owner, nil)
	text := fmt.Sprint(card["stock_quantity"], card["in_stock"])
	for _, v := range card["variants"].([]any) {
		text += fmt.Sprint(", ", v.(m)["stock_quantity"], v.(m)["in_stock"])
	}
	return text
}

func expect(t *testing.T, a *apitest.API, step, path, want string) {
	t.Helper()
	if got := state(a, path); got != want {
		t.Errorf("%s: %s, want %s", step, got, want)
	}
}

// The number of a product counted by variant is the sum of its tracked sets, whatever changes
// them, and the ledger has a line only when a tracked number changes.
func TestTheStockOfAProductIsTheSumOfItsVariants(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	seller := a.Session(a.OwnerID)
	path, sets := shirt(t, a, 3, 0, nil)
	expect(t, a, "created", path, "3 true, 3 true, 0 false, <nil> true")
	stock := path + "/stock"
	lines := func() []any { return a.OK("GET", stock+"/history", seller, nil)["result"].([]any) }

	got := a.OK("PUT", stock, seller, m{"variant_id": sets[0], "quantity": 5, "low_threshold": 1, "expected_quantity": 3, "comment": "counted"})
	if got["quantity"] != 5.0 || got["low_threshold"] != 1.0 || got["in_stock"] != true {
		t.Errorf("%v", got)
	}
	expect(t, a, "set", path, "5 true, 5 true, 0 false, <nil> true")
	line := lines()[0].(m)
	if line["delta"] != 2.0 || line["balance_after"] != 5.0 || fmt.Sprint(line["variants"]) != fmt.Sprint([]any{m{"variant_id": sets[0], "delta": 2.0, "balance_after": 5.0}}) {
		t.Errorf("%v", line)
	}
	a.OK("PUT", stock, seller, m{"variant_id": sets[2], "quantity": 4})
	expect(t, a, "tracked", path, "9 true, 5 true, 0 false, 4 true")
	a.OK("PUT", stock, seller, m{"variant_id": sets[0], "quantity": -1})
	expect(t, a, "not tracked any more", path, "4 true, <nil> true, 0 false, 4 true")
	if n := len(lines()); n != 1 {
		t.Errorf("tracking or not wrote %d lines", n-1)
	}
	a.Refused("PUT", stock, seller, m{"variant_id": sets[2], "quantity": 1, "expected_quantity": 5}, 409, "STOCK_CHANGED")
	a.Refused("PUT", stock, seller, m{"quantity": 1}, 400, "STOCK_BY_VARIANT")
	a.Refused("PUT", stock, seller, m{"variant_id": "999999", "quantity": 1}, 404, "VARIANT_NOT_FOUND")
	a.Refused("PUT", product(t, a, 1)+"/stock", seller, m{"variant_id": sets[0], "quantity": 1}, 400, "STOCK_BY_VARIANT")
	a.OK("PUT", stock, seller, m{"variant_id": sets[2], "quantity": 2147483646})
	a.Refused("PUT", stock, seller, m{"variant_id": sets[1], "quantity": 2}, 400, "INVALID_REQUEST")
	a.OK("PUT", stock, seller, m{"variant_id": sets[2], "quantity": 4})

	// A removed set leaves with its units; the numbers of sets that stay are not set here.
	sent := a.Send(apitest.Request{Method: "PUT", Path: path + "/variants", Key: a.Owner, Body: m{"items": []m{
		{"id": sets[1], "stock_quantity": 9, "stock_low_threshold": 2}, {"id": sets[0]}, {"title": "XL", "stock_quantity": 6},
	}}})
	if ignored := sent.Header.Get("X-Ignored-Fields"); ignored != "items[0].stock_quantity,items[0].stock_low_threshold" {
		t.Errorf("ignored: %s", ignored)
	}
	expect(t, a, "one removed, one added", path, "6 true, 0 false, <nil> true, 6 true")
}

// Switching how a product is counted keeps the sum, or counts no set at first, and writes no
// ledger line; it has no draft.
func TestSwitchingHowAProductIsCounted(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	seller := a.Session(a.OwnerID)
	path, _ := shirt(t, a, 3, 4)
	edit := func(key string, item m) { a.OK("PUT", path, key, m{"item": item}) }
	edit(a.Owner, m{"stock_by": "product"})
	expect(t, a, "as a whole", path, "7 true, <nil> true, <nil> true")
	a.OK("PUT", path+"/stock", seller, m{"quantity": 2})
	edit(a.Owner, m{"stock_by": "variant", "name": "Polo"})
	expect(t, a, "by variant", path, "<nil> true, <nil> true, <nil> true")
	if lines := a.OK("GET", path+"/stock/history", seller, nil)["result"].([]any); len(lines) != 1 {
		t.Errorf("the ledger: %v", lines)
	}
	edit(a.Dev, m{"stock_by": "variant", "name": "Tee"}) // unchanged
	a.Refused("PUT", path, a.Dev, m{"item": m{"stock_by": "product"}}, 403, "PAT_CONTOUR_MISMATCH")
	a.Refused("POST", "/products", a.Dev, m{"item": m{"name": "Cap", "stock_by": "variant"}}, 403, "PAT_CONTOUR_MISMATCH")
	a.Refused("PUT", path, a.Owner, m{"item": m{"stock_by": "size"}}, 400, "PRODUCT_STOCK_INVALID")
	a.Refused("POST", "/products", a.Owner, m{"item": m{"name": "Cap", "stock_by": "variant", "stock_quantity": 1}}, 400, "STOCK_BY_VARIANT")
	a.Refused("POST", "/products", a.Owner, m{"item": m{"name": "Set", "kind": "combo", "stock_by": "variant",
		"combo_items": []m{{"product_id": path[len("/products/"):], "variant_id": sets(a, path)[0], "quantity": 1}}}}, 400, "STOCK_OF_SET")
}

func sets(a *apitest.API, path string) (ids []any) {
	for _, v := range a.Result("GET", path, a.Owner, nil)["variants"].([]any) {
		ids = append(ids, v.(m)["id"])
	}
	return ids
}

// Publishing a draft that deletes a set or adds one corrects the sum; the sets that stay keep
// the stock that they have then.
func TestPublishingVariantsKeepsTheSum(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	seller := a.Session(a.OwnerID)
	path, ids := shirt(t, a, 3, 4)
	a.OK("PUT", path+"/variants", a.Dev, m{"items": []m{{"id": ids[1], "title": "Large"}, {"title": "XL", "stock_quantity": 5}}})
	expect(t, a, "before", path, "7 true, 3 true, 4 true")
	a.OK("PUT", path+"/stock", seller, m{"variant_id": ids[1], "quantity": 1})
	a.OK("POST", "/drafts/publish", a.Owner, m{"all": true})
	expect(t, a, "published", path, "6 true, 1 true, 5 true")
}

// How a product is counted is no part of a draft: a switch of the live product conflicts with no
// pending edit, and a set that the draft adds has no number if the product is counted as a whole by
// then.
func TestAPendingEditDoesNotConflictWithTheWayOfCounting(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	path, ids := shirt(t, a, 3, 4)
	a.OK("PUT", path, a.Dev, m{"item": m{"name": "Polo"}})
	a.OK("PUT", path+"/variants", a.Dev, m{"items": []m{{"id": ids[0]}, {"id": ids[1]}, {"title": "XL", "stock_quantity": 5}}})
	a.OK("PUT", path, a.Owner, m{"item": m{"stock_by": "product"}})
	a.OK("PUT", path, a.Dev, m{"item": m{"description": "Soft."}}) // saves the whole row again
	for _, thing := range a.OK("GET", "/drafts", a.Owner, nil)["result"].([]any) {
		if text := fmt.Sprint(thing); strings.Contains(text, "stock_by") || strings.Contains(text, "stock_quantity") {
			t.Errorf("pending: %s", text)
		}
	}
	a.OK("POST", "/drafts/publish", a.Owner, m{"all": true})
	expect(t, a, "published", path, "7 true, <nil> true, <nil> true, <nil> true")
}

// A batch sets products and variants; low ones are listed with the title of the variant.
func TestManyStocksMayBeOfVariants(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	seller := a.Session(a.OwnerID)
	path, ids := shirt(t, a, 3, 4)
	number := path[len("/products/"):]
	got := a.OK("PUT", "/products/batch/stock", seller, m{"items": []m{
		{"product_id": number, "variant_id": ids[0], "quantity": 1, "low_threshold": 2}, {"product_id": number, "quantity": 1},
	}})
	results := got["results"].([]any)
	if first := results[0].(m); first["variant_id"] != ids[0] || first["quantity"] != 1.0 || first["error"] != "" {
		t.Errorf("%v", first)
	}
	if second := results[1].(m); got["failed"] != 1.0 || second["error"] == "" {
		t.Errorf("%v", second)
	}
	expect(t, a, "set", path, "5 true, 1 true, 4 true")
	var low []m
	if err := json.Unmarshal(a.Send(apitest.Request{Method: "GET", Path: "/products/low-stock", Key: seller}).Body, &low); err != nil {
		t.Fatal(err)
	}
	if len(low) != 1 || low[0]["variant_id"] != ids[0] || low[0]["variant_title"] != "0" || low[0]["quantity"] != 1.0 || low[0]["low_threshold"] != 2.0 {
		t.Errorf("%v", low)
	}
}
