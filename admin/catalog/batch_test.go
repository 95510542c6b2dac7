package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/await"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
)

// outcomes returns the errors of a batch's results, "" for success.
func outcomes(answer m) (errors []string) {
	for _, r := range answer["results"].(l) {
		code, _ := r.(m)["error"].(string)
		errors = append(errors, code)
	}
	return errors
}

func TestABatchNamesTheRefusedField(t *testing.T) {
	b := open(t)
	b.add("products", m{"name": "Old", "sku": "TAKEN"})
	p := b.add("products", m{"name": "Tea"})
	for _, c := range []struct {
		item  m
		place string
	}{
		{m{"name": " "}, "name"},
		{m{"sku": "TAKEN"}, "sku"},
		{m{"price": m{"old_price": -1}}, "price.old_price"},
		{m{"category_id": 999999}, "category_id"},
		{m{"gtin": "123"}, "gtin"},
	} {
		c.item["id"] = p["id"]
		answer := b.OK("PATCH", "/products/batch", b.Owner, m{"items": l{c.item}})
		show(t, "result", answer["results"].(l)[0].(m), c.place, "place")
	}
}

func TestABatchCreatesItsValidItems(t *testing.T) {
	b := open(t)
	site := b.section("site", "Site")
	b.add("products", m{"name": "Old", "sku": "TAKEN", "seo": m{"slug": "taken"}})
	cases := []struct {
		item any
		code string // empty: it is created
	}{
		{m{"name": "Tea"}, ""},
		{m{"name": " "}, "PRODUCT_NAME_REQUIRED"},
		{m{"name": "Tea", "category_id": 999999}, "CATEGORY_NOT_FOUND"},
		{m{"name": "Tea", "category_id": site["id"]}, "CATEGORY_TYPE_MISMATCH"},
		{m{"name": "Tea", "seo": m{"slug": "taken"}}, "SLUG_TAKEN"},
		{m{"name": "Tea", "sku": "TAKEN"}, "already_exists"},
		{m{"name": "Tea", "gallery": l{m{"id": missingFile}}}, "PRODUCT_FILE_NOT_FOUND"},
		{m{"name": "Tea", "price": m{"price": 1.5}}, "INVALID_REQUEST"},
		{"no item", "INVALID_REQUEST"},
		{m{"name": "Tea", "price": m{"price": 1, "currency": "USD"}}, "CURRENCY_IS_STORE_LEVEL"},
		{m{"name": "Tea", "seo": m{"slug": "own"}, "sku": "OWN"}, ""},
		{m{"name": "Tea", "seo": m{"slug": "own"}}, "SLUG_TAKEN"},
		{m{"name": "Tea", "sku": "OWN"}, "already_exists"},
		{m{"name": "Tea", "seo": m{"slug": "cart"}}, "SLUG_RESERVED"},
		{nil, "PRODUCT_NAME_REQUIRED"},
	}
	var items l
	for _, c := range cases {
		items = append(items, c.item)
	}
	answer := b.OK("POST", "/products/batch", b.Owner, m{"items": items})
	show(t, "batch", answer, 2, "created")
	show(t, "batch", answer, len(cases)-2, "failed")
	got := outcomes(answer)
	if len(got) != len(cases) {
		t.Fatalf("%d results of %d items", len(got), len(cases))
	}
	for i, r := range answer["results"].(l) {
		show(t, "result", r.(m), i, "index")
		if got[i] != cases[i].code {
			t.Errorf("%v: %q, want %q", cases[i].item, got[i], cases[i].code)
		}
		failed := cases[i].code != ""
		if message, _ := r.(m)["message"].(string); failed != (r.(m)["id"] == 0.0) || failed != (message != "") {
			t.Errorf("result %v", r)
		}
	}
	if total, _ := b.list("", b.Owner); total != 3 {
		t.Errorf("%d products, want 3", total)
	}
}

func TestABatchStoresTheSentFields(t *testing.T) {
	b := open(t)
	tea, more := b.section("product", "Tea"), b.section("product", "More")
	picture := b.picture(b.Shop.ID)
	colour := b.attribute(m{"name": "Colour", "options": l{m{"value": "red"}, m{"value": "blue"}}})
	item := func(name string) m {
		return m{
			"name": name, "category_id": tea["id"], "categories": l{more["id"]}, "price": m{"price": 5}, "tags": l{"a"}, "is_published": true,
			"gallery": l{m{"id": picture}}, "preview": m{"id": picture}, "stock_quantity": 3, "seo": m{"meta_title": "T"},
			"attributes": l{m{"attribute_id": colour["id"], "values": l{"red"}}},
		}
	}
	answer := b.OK("POST", "/products/batch", b.Owner, m{"items": l{item("One"), item("Two")}})
	alone := b.add("products", item("Three"))
	for i, r := range answer["results"].(l) {
		p := b.Result("GET", at("products", r.(m)), b.Owner, nil)
		show(t, "slug", p, r.(m)["slug"], "slug")
		for _, field := range []string{"category_id", "categories", "price", "tags", "gallery", "preview_id", "stock_quantity", "attributes", "is_published", "kind"} {
			show(t, fmt.Sprint("product ", i), p, alone[field], field)
		}
	}
	if total, _ := b.list("filter.category_id="+id(more), b.Owner); total != 3 {
		t.Errorf("%d products in the additional section", total)
	}
}

func TestWholeBatchesAreRefused(t *testing.T) {
	b := open(t)
	for _, body := range []any{m{}, m{"items": l{}}, m{"items": nil}, m{"items": 5}, m{"items": make(l, 101)}, "", "[]"} {
		b.Refused("POST", "/products/batch", b.Owner, body, 400, "INVALID_REQUEST")
		b.Refused("PATCH", "/products/batch", b.Owner, body, 400, "INVALID_REQUEST")
	}
	b.Refused("POST", "/products/batch", "", m{"items": l{m{"name": "x"}}}, 401, "UNAUTHENTICATED")
}

func TestABatchStopsAtThePlanLimit(t *testing.T) {
	b := open(t)
	b.Limit(companydb.Limits{store.LimitProducts: 3})
	items := l{m{"name": "A"}, m{"name": ""}, m{"name": "A"}, m{"name": "A"}, m{"name": "A"}, m{"name": ""}}
	answer := b.OK("POST", "/products/batch", b.Owner, m{"items": items})
	want := []string{"", "PRODUCT_NAME_REQUIRED", "", "", "PRODUCT_LIMIT_REACHED", "PRODUCT_NAME_REQUIRED"}
	if got := outcomes(answer); !slices.Equal(got, want) {
		t.Errorf("results %q", got)
	}
}

// A hundred products with the same name need more suffixes than are looked up at once, and
// concurrent batches claim each other's.
func TestGeneratedSlugsOfBatchesAreAllDifferent(t *testing.T) {
	b := open(t)
	items := make(l, 40)
	for i := range items {
		items[i] = m{"name": "Чайник"}
	}
	answers := make(chan m)
	for range 3 {
		go func() {
			_, answer := b.Call("POST", "/products/batch", b.Owner, m{"items": items})
			answers <- answer
		}()
	}
	seen := map[any]bool{}
	for range 3 {
		for _, r := range await.Next(t, answers)["results"].(l) {
			seen[r.(m)["slug"]] = true
		}
	}
	if len(seen) != 120 || seen[""] {
		t.Errorf("%d different slugs, want 120", len(seen))
	}
}

func TestABatchRecordsItsChanges(t *testing.T) {
	b := open(t)
	tea := b.section("product", "Tea")
	_, since, _, err := b.Store.Shop(b.Shop.ID).Changes(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	answer := b.OK("POST", "/products/batch", b.Owner, m{"items": l{m{"name": "One", "category_id": tea["id"]}, m{"name": "Two"}}})
	keys := b.changes(since)
	for _, r := range answer["results"].(l) {
		if !slices.Contains(keys, "product-"+id(r.(m))) {
			t.Errorf("%v lacks product %v", keys, r)
		}
	}
	for _, key := range []string{"products", "category-" + id(tea)} {
		if !slices.Contains(keys, key) {
			t.Errorf("%v lacks %s", keys, key)
		}
	}
}

// changes returns the keys that changed since a version.
func (b bench) changes(since int64) (names []string) {
	b.t.Helper()
	keys, _, _, err := b.Store.Shop(b.Shop.ID).Changes(b.t.Context(), since)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, key := range keys {
		names = append(names, key.String())
	}
	return names
}

func TestABulkEditAppliesItsValidItems(t *testing.T) {
	b := open(t)
	one, two := b.add("products", m{"name": "One", "sku": "1"}), b.add("products", m{"name": "Two", "sku": "2"})
	gone := b.add("products", m{"name": "Gone"})
	b.OK("DELETE", at("products", gone), b.Owner, nil)
	foreign := b.Result("POST", "/products", b.Stranger, item(m{"name": "Foreign"}))
	answer := b.OK("PATCH", "/products/batch", b.Owner, m{
		"ids": l{two["id"], one["id"], gone["id"], foreign["id"], 0}, "item": m{"is_published": true, "price": m{"price": 7}},
	})
	if got := outcomes(answer); !slices.Equal(got, []string{"", "", "PRODUCT_NOT_FOUND", "PRODUCT_NOT_FOUND", "PRODUCT_NOT_FOUND"}) {
		t.Errorf("results %q", got)
	}
	show(t, "bulk", answer, 2, "updated")
	show(t, "bulk", answer, 3, "failed")
	for _, p := range []m{one, two} {
		p = b.Result("GET", at("products", p), b.Owner, nil)
		show(t, "published", p, true, "is_published")
		show(t, "price", p, 7, "price", "price")
	}
	answer = b.OK("PATCH", "/products/batch", b.Owner, m{"items": l{
		m{"id": one["id"], "sku": "2"}, m{"id": one["id"], "name": "New"}, m{"id": id(two), "price": 5}, m{"id": two["id"], "sku": "3"}, m{"id": one["id"], "sku": "2"},
		m{"id": gone["id"], "is_deleted": false},
	}})
	if got := outcomes(answer); !slices.Equal(got, []string{"already_exists", "", "INVALID_REQUEST", "", "", ""}) {
		t.Errorf("results %q", got)
	}
	show(t, "two edits of one", b.Result("GET", at("products", one), b.Owner, nil), "New", "name")
	b.Refused("PATCH", "/products/batch", b.Owner, m{"ids": l{1}, "items": l{m{"id": 1}}}, 400, "INVALID_REQUEST")
}

func TestFeedsLeaveOutExcludedProducts(t *testing.T) {
	b := open(t)
	p := b.add("products", m{"name": "Tea"})
	path := at("products", p) + "/ad-participation"
	show(t, "at first", b.OK("GET", path, b.Owner, nil), "include", "mode")
	show(t, "answer", b.OK("PUT", path, b.Owner, m{"mode": "exclude"}), "exclude", "mode")
	b.put("products", p, m{"name": "Green tea"})
	show(t, "later", b.OK("GET", path, b.Editor, nil), "exclude", "mode")
	for _, mode := range []any{"", "none", "Include", nil} {
		b.Refused("PUT", path, b.Owner, m{"mode": mode}, 400, "AD_MODE_UNKNOWN")
	}
	b.Refused("PUT", path, b.Editor, m{"mode": "include"}, 403, "ROLE_REQUIRED")
	for _, key := range []string{b.Stranger} {
		b.Refused("GET", path, key, nil, 404, "PRODUCT_NOT_FOUND")
		b.Refused("PUT", path, key, m{"mode": "include"}, 404, "PRODUCT_NOT_FOUND")
	}
	b.OK("DELETE", at("products", p), b.Owner, nil)
	b.Refused("GET", path, b.Owner, nil, 404, "PRODUCT_NOT_FOUND")
	b.Refused("PUT", path, b.Owner, m{"mode": "include"}, 404, "PRODUCT_NOT_FOUND")
}

func TestABatchWritesVariantSets(t *testing.T) {
	b := open(t)
	b.add("products", m{"name": "Old", "sku": "TAKEN"})
	size := func(sku, size string, stock int) m {
		return m{"sku": sku, "options": m{"Size": size}, "stock_quantity": stock}
	}
	for _, key := range []string{b.Owner, b.Dev} {
		shirt := m{"name": "Shirt", "variants": l{size("S-"+key, "S", 2), size("M-"+key, "M", 3)}}
		if key == b.Owner { // stock has no draft
			shirt["stock_by"] = "variant"
		}
		answer := b.OK("POST", "/products/batch", key, m{"items": l{
			shirt,
			m{"name": "Taken", "variants": l{size("OWN", "S", 0), size("TAKEN", "M", 0)}},
			m{"name": "Again", "sku": "S-" + key},
			m{"name": "Twice", "variants": l{size("X", "S", 0), size("X", "M", 0)}},
		}})
		if got, want := outcomes(answer), []string{"", "already_exists", "already_exists", "DUPLICATE_VARIANT_SKU"}; !slices.Equal(got, want) {
			t.Fatal(answer)
		}
		id := answer["results"].(l)[0].(m)["id"]
		made := b.Result("GET", fmt.Sprintf("/products/%v", id), key, nil)
		if list := made["variants"].(l); len(list) != 2 || list[1].(m)["sku"] != "M-"+key || list[1].(m)["options"].(m)["Size"] != "M" {
			t.Fatal(made)
		}
		if key == b.Owner && made["stock_quantity"] != 5.0 {
			t.Error(made["stock_quantity"])
		}
		kept := made["variants"].(l)[1].(m)
		b.OK("PATCH", "/products/batch", key, m{"items": l{m{"id": id, "variants": l{m{"id": kept["id"], "title": "Medium"}}}}})
		if list := b.Result("GET", fmt.Sprintf("/products/%v", id), key, nil)["variants"].(l); len(list) != 1 || list[0].(m)["title"] != "Medium" {
			t.Fatal(list)
		}
	}
}

// Valid edits share one savepoint; with a refused one among them each has its own, and the others are
// written all the same.
func TestValidEditsOfABatchShareASavepoint(t *testing.T) {
	b := open(t)
	var items l
	for i := range 5 {
		p := b.add("products", m{"name": fmt.Sprint("P", i), "sku": fmt.Sprint("S", i)})
		items = append(items, m{"id": p["id"], "name": fmt.Sprint("Q", i)})
	}
	edit := func(want int) m {
		t.Helper()
		b.Sent.Take()
		answer := b.OK("PATCH", "/products/batch", b.Owner, m{"items": items})
		savepoints := 0
		for _, s := range b.Sent.Take() {
			if strings.HasPrefix(s.SQL, "savepoint") {
				savepoints++
			}
		}
		if savepoints != want {
			t.Errorf("%d savepoints, want %d", savepoints, want)
		}
		return answer
	}
	edit(1)
	items[2].(m)["sku"] = "S0"
	items[4].(m)["name"] = "Last"
	if got := outcomes(edit(1 + len(items))); !slices.Equal(got, []string{"", "", "already_exists", "", ""}) {
		t.Error(got)
	}
	for i, want := range []string{"Q0", "Q1", "Q2", "Q3", "Last"} {
		show(t, "the product", b.Result("GET", at("products", items[i].(m)), b.Owner, nil), want, "name")
	}
}
