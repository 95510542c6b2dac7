package catalog_test

import (
	"strings"
	"testing"
	"time"

	"vitrine/internal/await"
	"vitrine/internal/store"
	companydb "vitrine/internal/store/company"
)

func TestAnswersHaveTheTypesOfAProduct(t *testing.T) {
	b := open(t)
	tea := b.section("product", "Tea")
	p := b.add("products", m{
		"name": " Sencha ", "category_id": id(tea), "price": m{"price": 1200, "currency": "EUR"}, "sku": "S-1", "tags": l{"a", "b"}, "stock_quantity": 3,
	})
	for _, c := range []struct {
		want any
		path []string
	}{
		{"Sencha", []string{"name"}},
		{"sencha", []string{"slug"}},
		{"sencha", []string{"seo", "slug"}},
		{tea["id"], []string{"category_id"}},
		{l{}, []string{"categories"}},
		{1200, []string{"price", "price"}},
		{0, []string{"price", "old_price"}},
		{"EUR", []string{"price", "currency"}},
		{l{"a", "b"}, []string{"tags"}},
		{l{}, []string{"seo", "meta_keywords"}},
		{nil, []string{"seo", "og_image_id"}},
		{l{}, []string{"gallery"}},
		{nil, []string{"preview"}},
		{false, []string{"is_published"}},
		{"", []string{"catalog_hidden"}},
		{3, []string{"stock_quantity"}},
		{true, []string{"in_stock"}},
		{"standard", []string{"kind"}},
		{0, []string{"rating_count"}},
	} {
		show(t, "product", p, c.want, c.path...)
	}
	if _, number := p["id"].(float64); !number {
		t.Errorf("id is %T, want a number", p["id"])
	}
	bare := b.add("products", m{"name": "Bare"})
	show(t, "stock is not kept", bare, nil, "stock_quantity")
	show(t, "stock is not kept", bare, true, "in_stock")
}

func TestInvalidProductsAreRefused(t *testing.T) {
	b := open(t)
	site, rubric := b.section("site", "Site"), b.section("news", "News")
	foreign := b.Result("POST", "/categories", b.Stranger, item(m{"name": "Foreign"}))
	tea := b.add("products", m{"name": "Tea"})
	price := func(fields m) m { return m{"name": "x", "price": fields} }
	for name, c := range map[string]struct {
		fields m
		status int
		code   string
	}{
		"no name":          {m{"name": "\t "}, 400, "PRODUCT_NAME_REQUIRED"},
		"other currency":   {price(m{"price": 1, "currency": "USD"}), 400, "CURRENCY_IS_STORE_LEVEL"},
		"currency's case":  {price(m{"price": 1, "currency": "eur"}), 400, "CURRENCY_IS_STORE_LEVEL"},
		"negative price":   {price(m{"price": -1}), 400, "PRODUCT_PRICE_INVALID"},
		"negative old":     {price(m{"old_price": -1}), 400, "PRODUCT_PRICE_INVALID"},
		"huge price":       {price(m{"price": 2_000_000_001}), 400, "PRODUCT_PRICE_INVALID"},
		"price beyond int": {price(m{"price": 1e30}), 400, "INVALID_REQUEST"},
		"minor units":      {price(m{"price": 1.5}), 400, "INVALID_REQUEST"},
		"price as number":  {m{"name": "x", "price": 5}, 400, "INVALID_REQUEST"},
		"unknown section":  {m{"name": "x", "category_id": 999999}, 404, "CATEGORY_NOT_FOUND"},
		"foreign section":  {m{"name": "x", "category_id": foreign["id"]}, 404, "CATEGORY_NOT_FOUND"},
		"site folder":      {m{"name": "x", "category_id": site["id"]}, 400, "CATEGORY_TYPE_MISMATCH"},
		"rubric":           {m{"name": "x", "categories": l{rubric["id"]}}, 400, "CATEGORY_TYPE_MISMATCH"},
		"foreign extra":    {m{"name": "x", "categories": l{foreign["id"]}}, 404, "CATEGORY_NOT_FOUND"},
		"unknown picture":  {m{"name": "x", "gallery": l{m{"id": missingFile}}}, 404, "PRODUCT_FILE_NOT_FOUND"},
		"foreign picture":  {m{"name": "x", "gallery": l{m{"id": b.picture(b.Other.ID)}}}, 404, "PRODUCT_FILE_NOT_FOUND"},
		"deleted picture":  {m{"name": "x", "gallery": l{m{"id": b.gone()}}}, 404, "PRODUCT_FILE_NOT_FOUND"},
		"no picture":       {m{"name": "x", "gallery": l{m{}}}, 404, "PRODUCT_FILE_NOT_FOUND"},
		"share picture":    {m{"name": "x", "seo": m{"og_image_id": missingFile}}, 404, "PRODUCT_FILE_NOT_FOUND"},
		"kind":             {m{"name": "x", "kind": "bundle"}, 400, "PRODUCT_KIND_UNKNOWN"},
		"switch":           {m{"name": "x", "catalog_hidden": "yes"}, 400, "INVALID_REQUEST"},
		"switch as bool":   {m{"name": "x", "catalog_hidden": true}, 400, "INVALID_REQUEST"},
		"threshold":        {m{"name": "x", "stock_low_threshold": 1 << 40}, 400, "PRODUCT_STOCK_INVALID"},
		"long sku":         {m{"name": "x", "sku": strings.Repeat("s", 10_000)}, 400, "PRODUCT_SKU_TOO_LONG"},
	} {
		t.Log(name)
		b.refused("POST", "/products", c.fields, c.status, c.code)
		b.refused("PUT", at("products", tea), c.fields, c.status, c.code)
	}
	b.refused("POST", "/products", m{"name": "x", "stock_quantity": 1 << 40}, 400, "PRODUCT_STOCK_INVALID")
	b.refused("POST", "/products", m{"name": "x", "preview": m{"id": missingFile}}, 404, "PRODUCT_FILE_NOT_FOUND")
	b.refused("PUT", at("products", tea), m{"preview_id": missingFile}, 404, "PRODUCT_FILE_NOT_FOUND")
}

func TestUnknownAndForeignProductsGetTheSameAnswer(t *testing.T) {
	b := open(t)
	foreign := b.Result("POST", "/products", b.Stranger, item(m{"name": "Foreign", "is_published": true}))
	for _, path := range []string{at("products", foreign), "/products/999999", "/products/0", "/products/-7"} {
		b.Refused("GET", path, b.Owner, nil, 404, "PRODUCT_NOT_FOUND")
		b.refused("PUT", path, m{"name": "y"}, 404, "PRODUCT_NOT_FOUND")
		b.Refused("DELETE", path, b.Owner, nil, 404, "PRODUCT_NOT_FOUND")
	}
	for _, path := range []string{"/products/by-slug/foreign", "/products/by-slug/%20", "/products/by-slug/%D1%87%D0%B0%D0%B9"} {
		b.Refused("GET", path, b.Owner, nil, 404, "PRODUCT_NOT_FOUND")
	}
	for _, path := range []string{"/products/tea", "/products/99999999999999999999", "/products/1.5"} {
		b.Refused("GET", path, b.Owner, nil, 404, "NOT_FOUND")
	}
	show(t, "company_id does not switch the tenant", b.Result("POST", "/products?company_id="+b.Other.ID.String(), b.Owner,
		m{"company_id": b.Other.ID, "item": m{"name": "x", "company_id": b.Other.ID}}), int(b.Shop.ID), "company_id")
}

func TestOnlySentFieldsOfAProductChange(t *testing.T) {
	b := open(t)
	p := b.add("products", m{
		"name": "Tea", "description": "d", "price": m{"price": 5, "old_price": 7}, "sku": "S", "tags": l{"a"}, "is_published": true,
		"seo": m{"slug": "tea", "meta_title": "M", "noindex": true}, "stock_quantity": 4,
	})
	for _, c := range []struct {
		what string
		sent m
		want any
		path []string
	}{
		{"nothing", m{}, "Tea", []string{"name"}},
		{"null is absent", m{"name": nil}, "Tea", []string{"name"}},
		{"an unknown field", m{"colour": "red"}, "Tea", []string{"name"}},
		{"a part of the price", m{"price": m{"price": 6}}, 7, []string{"price", "old_price"}},
		{"price zero", m{"price": m{"price": 0}}, 0, []string{"price", "price"}},
		{"the currency alone", m{"price": m{"currency": "EUR"}}, 7, []string{"price", "old_price"}},
		{"no tags", m{"tags": l{}}, l{}, []string{"tags"}},
		{"no sku", m{"sku": ""}, "", []string{"sku"}},
		{"stock is not edited here", m{"stock_quantity": 99}, 4, []string{"stock_quantity"}},
		{"seo stays", m{"name": "New"}, "M", []string{"seo", "meta_title"}},
		{"slug stays with the name", m{"name": "Newer"}, "tea", []string{"slug"}},
		{"seo is replaced as a whole", m{"seo": m{"slug": "tea"}}, "", []string{"seo", "meta_title"}},
		{"an empty share picture", m{"seo": m{"slug": "tea", "og_image_id": ""}}, nil, []string{"seo", "og_image_id"}},
		{"seo without slug empties the address", m{"seo": m{"meta_title": "x"}}, "", []string{"slug"}},
		{"and leaves it empty", m{"name": "Tea"}, "", []string{"seo", "slug"}},
	} {
		show(t, c.what, b.put("products", p, c.sent), c.want, c.path...)
	}
	b.Refused("GET", "/products/by-slug/tea", b.Owner, nil, 404, "PRODUCT_NOT_FOUND")
}

func TestExtraSectionsAreReplacedOrClearedByFlag(t *testing.T) {
	b := open(t)
	one, two := b.section("product", "One")["id"], b.section("page", "Two")["id"]
	p := b.add("products", m{"name": "Tea", "categories": l{two, one, two}})
	for _, c := range []struct {
		sent m
		want l
	}{
		{m{}, l{one, two}},
		{m{"categories": l{}}, l{one, two}},
		{m{"categories": nil}, l{one, two}},
		{m{"categories": l{two}}, l{two}},
		{m{"categories": l{}, "categories_replace": true}, l{}},
	} {
		show(t, "extra sections", b.put("products", p, c.sent), c.want, "categories")
	}
}

func TestAGalleryKeepsItsOrderAndProvidesThePreview(t *testing.T) {
	b := open(t)
	one, two, promo := b.picture(b.Shop.ID), b.picture(b.Shop.ID), b.picture(b.Shop.ID)
	p := b.add("products", m{"name": "Tea", "gallery": l{m{"id": two}, m{"id": one}}})
	if got := names(p["gallery"], "id"); got[0] != two || got[1] != one {
		t.Errorf("gallery %v", got)
	}
	show(t, "the first picture", p, two, "preview", "id")
	show(t, "preview is for create", b.put("products", p, m{"preview": m{"id": missingFile}}), nil, "preview_id")
	p = b.put("products", p, m{"preview_id": promo})
	show(t, "own preview", p, promo, "preview", "id")
	if url := p["preview"].(m)["url"].(string); !strings.Contains(url, promo) {
		t.Errorf("preview %q", url)
	}
	p = b.put("products", p, m{"preview_id": ""})
	show(t, "cleared", p, two, "preview", "id")
	b.OK("DELETE", "/v1/storages/files/"+two, b.Owner, nil)
	p = b.Result("GET", at("products", p), b.Owner, nil)
	show(t, "a deleted picture is not shown", p, one, "preview", "id")
	show(t, "no pictures", b.put("products", p, m{"gallery": l{}}), l{}, "gallery")

	created := b.add("products", m{"name": "Tea", "preview": m{"id": promo}, "preview_id": missingFile})
	show(t, "create uses the other form", created, promo, "preview_id")
}

func TestASKUIsUniqueAmongLiveProducts(t *testing.T) {
	b := open(t)
	first := b.add("products", m{"name": "One", "sku": "S"})
	second := b.add("products", m{"name": "Two"})
	b.add("products", m{"name": "Three"})
	b.refused("POST", "/products", m{"name": "x", "sku": "S"}, 409, "already_exists")
	b.refused("PUT", at("products", second), m{"sku": "S"}, 409, "already_exists")
	b.Result("POST", "/products", b.Stranger, item(m{"name": "x", "sku": "S"}))
	b.OK("DELETE", at("products", first), b.Owner, nil)
	b.put("products", second, m{"sku": "S"})
	b.refused("PUT", at("products", first), m{"is_deleted": false}, 409, "already_exists")
	show(t, "restored with another", b.put("products", first, m{"is_deleted": false, "sku": "S2"}), "S2", "sku")
}

func TestADeletedProductCanBeRestoredForThirtyDays(t *testing.T) {
	b := open(t)
	p := b.add("products", m{"name": "Tea", "is_published": true})
	for range 2 {
		b.OK("DELETE", at("products", p), b.Owner, nil)
		b.Refused("DELETE", at("products", p), b.Owner, nil, 404, "PRODUCT_NOT_FOUND")
		b.Refused("GET", at("products", p), b.Owner, nil, 404, "PRODUCT_NOT_FOUND")
		b.Refused("GET", "/products/by-slug/tea", b.Owner, nil, 404, "PRODUCT_NOT_FOUND")
		b.refused("PUT", at("products", p), m{"name": "x"}, 404, "PRODUCT_NOT_FOUND")
		b.Refused("PUT", at("products", p), b.Stranger, item(m{"is_deleted": false}), 404, "PRODUCT_NOT_FOUND")
		b.Clock.Advance(30 * 24 * time.Hour)
		show(t, "restored", b.put("products", p, m{"is_deleted": false}), "tea", "slug")
	}
	b.OK("DELETE", at("products", p), b.Owner, nil)
	b.Clock.Advance(30*24*time.Hour + time.Second)
	b.refused("PUT", at("products", p), m{"is_deleted": false}, 400, "RESTORE_WINDOW_OVER")
}

func TestThePlanLimitsLiveProducts(t *testing.T) {
	b := open(t)
	first := b.add("products", m{"name": "One"})
	b.Limit(companydb.Limits{store.LimitProducts: 2})
	b.add("products", m{"name": "Two"})
	answer := b.Refused("POST", "/products", b.Owner, item(m{"name": "Three"}), 429, "PRODUCT_LIMIT_REACHED")
	show(t, "refusal", answer, "products_max", "limit_code")
	b.OK("DELETE", at("products", first), b.Owner, nil)
	b.add("products", m{"name": "Three"})
	b.refused("PUT", at("products", first), m{"is_deleted": false}, 429, "PRODUCT_LIMIT_REACHED")
	usage := b.Result("GET", "/tariff/usage", b.Owner, nil)
	show(t, "usage", usage, "2", "products_max", "used")
	show(t, "usage", usage, "2", "products_max", "limit")
	b.Limit(companydb.Limits{store.LimitProducts: 0})
	b.put("products", first, m{"is_deleted": false})
}

func TestThePlanLimitHoldsForConcurrentCalls(t *testing.T) {
	b := open(t)
	b.Limit(companydb.Limits{store.LimitProducts: 3})
	statuses := make(chan int)
	for range 12 {
		go func() {
			status, _ := b.Call("POST", "/products", b.Owner, item(m{"name": "Tea"}))
			statuses <- status
		}()
	}
	count := map[int]int{}
	for range 12 {
		count[await.Next(t, statuses)]++
	}
	if count[200] != 3 || count[429] != 9 {
		t.Errorf("answers %v, want 3 times 200 and 9 times 429", count)
	}
}

func TestDraftKeysWriteNothingLive(t *testing.T) {
	b := open(t)
	p := b.add("products", m{"name": "One"})
	session := b.session(b.OwnerID)
	for _, path := range []string{"/attributes", "/product-groups"} { // these have no draft
		b.Refused("POST", path, b.Dev, item(m{"name": "x"}), 403, "PAT_CONTOUR_MISMATCH")
		answer := session("POST", path, "dev", item(m{"name": "x"}))
		if answer.Status != 400 || !strings.Contains(string(answer.Body), "FailedPrecondition desc = DEV_MODE_UNAVAILABLE") {
			t.Errorf("%s: %d %s", path, answer.Status, answer.Body)
		}
	}
	b.put("products", p, m{"name": "live"})
	b.Result("PUT", at("products", p), b.Dev, item(m{"name": "x"}))
	show(t, "the live product", b.Result("GET", at("products", p), b.Owner, nil), "live", "name")
	show(t, "the draft", b.Result("GET", at("products", p), b.Dev, nil), "x", "name")
	if answer := session("PUT", at("products", p), "", item(m{"name": "y"})); answer.Status != 200 {
		t.Errorf("live session: %d %s", answer.Status, answer.Body)
	}
	show(t, "editors write", b.Result("PUT", at("products", p), b.Editor, item(m{"name": "z"})), "z", "name")
	b.Refused("PUT", at("products", p), b.Scoped("catalog:read"), item(m{}), 403, "PAT_SCOPE_MISSING")
	b.Refused("PUT", at("products", p), "", item(m{}), 401, "UNAUTHENTICATED")
}
