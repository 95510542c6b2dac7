package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
)

// combo creates two products and a set of them: two units at 100 and one at 50.
func (b bench) combo() (set m, one, two any) {
	b.t.Helper()
	of := func(name string, price, stock int) any {
		return b.Result("POST", "/products", b.Owner, item(m{"name": name, "is_published": true, "price": m{"price": price}, "stock_quantity": stock}))["id"]
	}
	one, two = of("Cup", 100, 5), of("Tin", 50, 9)
	set = b.Result("POST", "/products", b.Owner, item(m{
		"name": "Set", "is_published": true, "kind": "combo", "price": m{"price": 9}, "sku": "set",
		"combo_items": l{m{"product_id": one, "quantity": 2}, m{"product_id": two, "quantity": 1}}, "combo_discount": m{"percent": 12.5},
	}))
	return set, one, two
}

// A combo costs the sum of its items minus its discount, whatever price was sent, and is
// available while every item is.
func TestTheComboPriceFollowsItsItems(t *testing.T) {
	b := open(t)
	set, one, two := b.combo()
	path := at("products", set)
	price := func() string {
		b.t.Helper()
		got := b.Result("GET", path, b.Owner, nil)
		p := got["price"].(m)
		return fmt.Sprint(p["price"], " ", p["old_price"], " ", got["in_stock"])
	}
	if got := price(); got != "219 250 true" {
		t.Errorf("%s", got)
	}
	b.OK("PUT", fmt.Sprint("/products/", one), b.Owner, item(m{"price": m{"price": 60}}))
	b.OK("PUT", path, b.Owner, item(m{"price": m{"price": 1, "old_price": 7000}}))
	if got := price(); got != "149 170 true" {
		t.Errorf("%s", got)
	}
	b.OK("PUT", path, b.Owner, item(m{"combo_discount": m{"percent": 0}}))
	if got := price(); got != "170 0 true" {
		t.Errorf("%s", got)
	}
	b.OK("PUT", fmt.Sprintf("/products/%v/stock", two), b.Session(b.OwnerID), m{"quantity": 0})
	if got := price(); got != "170 0 false" {
		t.Errorf("%s", got)
	}
	b.OK("PUT", fmt.Sprintf("/products/%v/stock", two), b.Session(b.OwnerID), m{"quantity": -1})
	if got := price(); got != "170 0 true" {
		t.Errorf("%s", got)
	}
	b.OK("DELETE", fmt.Sprint("/products/", two), b.Owner, nil)
	if got := price(); got != "120 0 false" {
		t.Errorf("with a deleted item: %s", got)
	}
	b.OK("PUT", path, b.Owner, item(m{"kind": "standard", "price": m{"price": 9}}))
	if got := b.Result("GET", path, b.Owner, nil); got["price"].(m)["price"] != 9.0 || len(got["combo_items"].(l)) != 0 || got["combo_discount"] != nil {
		t.Errorf("no longer a combo: %v", got)
	}
}

func TestInvalidCombosAreRefused(t *testing.T) {
	b := open(t)
	set, one, two := b.combo()
	theirs := b.Result("POST", "/products", b.Stranger, item(m{"name": "Theirs"}))["id"]
	gone := b.Result("POST", "/products", b.Owner, item(m{"name": "Gone"}))["id"]
	b.OK("DELETE", fmt.Sprint("/products/", gone), b.Owner, nil)
	many := l{}
	for i := range 21 {
		many = append(many, m{"product_id": i + 1, "quantity": 1})
	}
	part := func(id, n any) l { return l{m{"product_id": id, "quantity": n}} }
	for name, fields := range map[string]m{
		"none":               {"combo_items": l{}},
		"21":                 {"combo_items": many},
		"quantity 0":         {"combo_items": part(one, 0)},
		"quantity 10000":     {"combo_items": part(one, 10_000)},
		"quantity negative":  {"combo_items": part(one, -1)},
		"unknown":            {"combo_items": part(999999, 1)},
		"another shop's":     {"combo_items": part(theirs, 1)},
		"deleted":            {"combo_items": part(gone, 1)},
		"itself":             {"combo_items": part(set["id"], 1)},
		"twice":              {"combo_items": append(part(one, 1), part(one, 2)...)},
		"unknown variant":    {"combo_items": l{m{"product_id": one, "variant_id": 7, "quantity": 1}}},
		"no combo":           {"kind": "multi", "combo_items": part(one, 1)},
		"discount above 100": {"combo_discount": m{"percent": 100.01}},
		"discount below 0":   {"combo_discount": m{"percent": -1}},
		"three decimals":     {"combo_discount": m{"percent": 1.005}},
		"discount of 1e308":  {"combo_discount": m{"percent": 1e308}},
	} {
		answer := b.Refused("PUT", at("products", set), b.Owner, item(fields), 400, "COMBO_INVALID")
		if text := answer["error"].(string); strings.HasSuffix(text, "COMBO_INVALID") {
			t.Errorf("%s: %s does not give the reason", name, text)
		}
	}
	combo := item(m{"kind": "combo", "combo_items": part(two, 1)})
	b.Refused("PUT", fmt.Sprint("/products/", one), b.Owner, combo, 400, "COMBO_INVALID") // it is part of a combo
	other := b.Result("POST", "/products", b.Owner, item(m{"name": "Box"}))
	b.Refused("PUT", at("products", other), b.Owner, item(m{"kind": "combo", "combo_items": part(set["id"], 1)}), 400, "COMBO_INVALID")
	if got := b.Result("GET", at("products", set), b.Owner, nil); len(got["combo_items"].(l)) != 2 {
		t.Errorf("%v", got)
	}
}

// A combo is stored by create, edit, batch, bulk edit, CSV, draft and publish.
func TestCombosRoundTrip(t *testing.T) {
	b := open(t)
	set, one, two := b.combo()
	items := l{m{"product_id": one, "quantity": 3.0}}
	fields := m{"kind": "combo", "combo_items": items, "combo_discount": m{"percent": 10.0}}
	arrived := func(way, key string, of m) {
		b.t.Helper()
		got := b.Result("GET", at("products", of), key, nil)
		if fmt.Sprint(got["combo_items"], got["combo_discount"]) != fmt.Sprint(items, m{"percent": 10.0}) {
			t.Errorf("%s: %v %v", way, got["combo_items"], got["combo_discount"])
		}
	}
	b.OK("PUT", at("products", set), b.Owner, item(fields))
	arrived("PUT", b.Owner, set)

	named := m{"name": "Batch"}
	for k, v := range fields {
		named[k] = v
	}
	made := b.OK("POST", "/products/batch", b.Owner, m{"items": l{named}})["results"].(l)[0].(m)
	arrived("POST of a batch", b.Owner, made)

	plain := b.Result("POST", "/products", b.Owner, item(m{"name": "Plain"}))
	b.OK("PATCH", "/products/batch", b.Owner, m{"ids": l{plain["id"]}, "item": fields})
	arrived("bulk edit", b.Owner, plain)

	text := string(b.exportOf(b.Owner))
	if want := fmt.Sprintf("%v*3,10", one); !strings.Contains(text, want) {
		t.Errorf("CSV export: no %q in %s", want, text)
	}
	row := b.Result("POST", "/products/import", b.Owner, m{
		"text": fmt.Sprintf("name,kind,combo_items,combo_discount\nImported,combo,%v*3,10\nBad,combo,%v*x,10\nBad,combo,%v*1,x\n", one, two, two),
	})["rows"].(l)
	arrived("CSV import", b.Owner, row[0].(m))
	for _, r := range row[1:] {
		if r.(m)["status"] == "created" {
			t.Errorf("%v", r)
		}
	}

	drafted := b.Result("POST", "/products", b.Owner, item(m{"name": "Drafted"}))
	b.OK("PUT", at("products", drafted), b.Dev, item(fields))
	if got := b.Result("GET", at("products", drafted), b.Owner, nil); len(got["combo_items"].(l)) != 0 {
		t.Errorf("the draft shows: %v", got)
	}
	b.OK("POST", "/drafts/publish", b.Owner, m{"all": true})
	arrived("publish", b.Owner, drafted)
}

// The stock of a combo follows from its items, so it cannot be set.
func TestACombosStockCannotBeSet(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	part := a.Result("POST", "/products", a.Owner, item(m{"name": "Tea", "stock_quantity": 4, "price": m{"price": 7}, "is_published": true}))["id"]
	set := m{"name": "Set", "kind": "combo", "combo_items": []any{m{"product_id": part, "quantity": 3}}, "is_published": true}
	for name, value := range map[string]int{"stock_quantity": 5, "stock_low_threshold": 2} {
		set[name] = value
		a.Refused("POST", "/products", a.Owner, item(set), 400, "STOCK_OF_SET")
		delete(set, name)
	}
	made := a.Result("POST", "/products", a.Owner, item(set))
	path := fmt.Sprintf("/products/%v", made["id"])
	if made["stock_quantity"] != nil {
		t.Errorf("%v", made["stock_quantity"])
	}
	owner := a.Session(a.OwnerID)
	a.Refused("PUT", path+"/stock", owner, m{"quantity": 3}, 400, "STOCK_OF_SET")
	many := a.OK("PUT", "/products/batch/stock", owner, m{"items": []any{m{"product_id": made["id"], "quantity": 3}, m{"product_id": part, "quantity": 4}}})
	if many["failed"] != 1.0 || !strings.Contains(fmt.Sprint(many["results"]), "STOCK_OF_SET") {
		t.Errorf("%v", many)
	}
	put := a.Send(apitest.Request{Method: "PUT", Path: path, Key: a.Owner, Body: item(m{"name": "Set", "stock_quantity": 7, "stock_low_threshold": 2})})
	if put.Status != 200 || put.Header.Get("X-Ignored-Fields") != "item.stock_quantity,item.stock_low_threshold" {
		t.Errorf("%d, ignored %q", put.Status, put.Header.Get("X-Ignored-Fields"))
	}
	if card := a.Result("GET", path, a.Owner, nil); card["stock_quantity"] != nil || card["stock_low_threshold"] != nil || card["in_stock"] != true {
		t.Errorf("%v %v %v", card["stock_quantity"], card["stock_low_threshold"], card["in_stock"])
	}
}
