package stock_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"vitrine/admin/api/apitest"
)

type m = apitest.Map

// product creates a product with a stock and returns its path.
func product(t *testing.T, a *apitest.API, stock any) string {
	t.Helper()
	made := a.Result("POST", "/products", a.Owner, m{"item": m{"name": "Cup", "price": m{"price": 10}, "stock_quantity": stock, "stock_low_threshold": 2}})
	return fmt.Sprintf("/products/%v", made["id"])
}

// Quantity and threshold after each request (document 2, 4.3), one after another on one product.
func TestSettingQuantityAndThreshold(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	seller, path := a.Session(a.OwnerID), product(t, a, nil)
	lines := 0
	for i, c := range []struct {
		body                m
		quantity, threshold any
		in, writes          bool
	}{
		{m{"quantity": 5, "low_threshold": 3}, 5.0, 3.0, true, false}, // tracking begins: no ledger line
		{m{"quantity": 5, "low_threshold": 3}, 5.0, 3.0, true, false}, // the same number
		{m{"quantity": 0}, 0.0, nil, false, true},                     // sold out; the threshold is cleared
		{m{"low_threshold": 4}, 0.0, 4.0, false, false},               // the quantity stays
		{m{"quantity": 7, "low_threshold": 4, "comment": "counted"}, 7.0, 4.0, true, true},
		{m{"quantity": -1, "low_threshold": -1}, nil, nil, true, false}, // not tracked any more
		{m{"quantity": 2147483647}, 2147483647.0, nil, true, false},
	} {
		got := a.OK("PUT", path+"/stock", seller, c.body)
		if got["quantity"] != c.quantity || got["low_threshold"] != c.threshold || got["in_stock"] != c.in {
			t.Errorf("step %d: %v", i, got)
		}
		if c.writes {
			lines++
		}
		if n := len(a.OK("GET", path+"/stock/history", seller, nil)["result"].([]any)); n != lines {
			t.Errorf("step %d: %d lines in the ledger, want %d", i, n, lines)
		}
	}
	newest := a.OK("GET", path+"/stock/history?limit=1", seller, nil)["result"].([]any)
	if line := newest[0].(m); line["delta"] != 7.0 || line["balance_after"] != 7.0 || line["reason"] != "manual" || line["comment"] != "counted" || line["order_id"] != nil {
		t.Errorf("%v", line)
	}
}

func TestARefusedEditKeepsTheStock(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	seller, path := a.Session(a.OwnerID), product(t, a, 5)
	a.Refused("PUT", path+"/stock", seller, m{"quantity": 9, "expected_quantity": 4}, 409, "STOCK_CHANGED")
	a.Refused("PUT", path+"/stock", seller, m{"quantity": 2147483648}, 400, "INVALID_REQUEST")
	a.Refused("PUT", path+"/stock", a.Owner, m{"quantity": 9}, 403, "PAT_METHOD_NOT_ALLOWED")
	a.Refused("GET", "/products/low-stock", a.Owner, nil, 403, "PAT_METHOD_NOT_ALLOWED")
	a.Refused("PUT", "/products/999999/stock", seller, m{"quantity": 9}, 404, "PRODUCT_NOT_FOUND")
	nobody := a.Session(a.Buyer("buyer@example.com"))
	for _, call := range [][2]string{{"PUT", path + "/stock"}, {"GET", path + "/stock/history"}, {"GET", "/products/low-stock"}, {"PUT", "/products/batch/stock"}} {
		a.Refused(call[0], call[1], nobody, m{"items": []any{}}, 403, "ROLE_REQUIRED")
	}
	if got := a.OK("PUT", path+"/stock", seller, m{"expected_quantity": 5}); got["quantity"] != 5.0 {
		t.Errorf("%v", got)
	}
}

// Of many products each is set or refused on its own, and the low ones are listed with the
// scarcest first.
func TestSettingManyStocks(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	seller := a.Session(a.OwnerID)
	one, two, three := product(t, a, 5), product(t, a, nil), product(t, a, 9)
	number := func(path string) any { return path[len("/products/"):] }
	got := a.OK("PUT", "/products/batch/stock", seller, m{"items": []m{
		{"product_id": number(three), "quantity": 1}, {"product_id": number(one), "quantity": 0, "expected_quantity": 5},
		{"product_id": 999999, "quantity": 1}, {"product_id": number(two), "quantity": 3, "expected_quantity": 3},
	}})
	var failed []int
	for i, r := range got["results"].([]any) {
		if r.(m)["error"] != "" {
			failed = append(failed, i)
		}
	}
	if !slices.Equal(failed, []int{2, 3}) || got["failed"] != 2.0 {
		t.Errorf("%v", got)
	}
	var low []m
	if err := json.Unmarshal(a.Send(apitest.Request{Method: "GET", Path: "/products/low-stock", Key: seller}).Body, &low); err != nil {
		t.Fatal(err)
	}
	if len(low) != 2 || low[0]["quantity"] != 0.0 || low[1]["quantity"] != 1.0 || low[0]["low_threshold"] != 2.0 {
		t.Errorf("%v", low)
	}
}
