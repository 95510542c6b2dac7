package redirect_test

import (
	"fmt"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
)

func TestTheCompiledSetIsPublic(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	addRule(a, "/Old//Page/", "/new", "query_match", "id=5", "drop_query", true)
	addRule(a, "/goods/*", "https://example.com/$1", "external", true, "override_live", true, "code", 302)
	addRule(a, "/shop/*", "/s")
	addRule(a, "/%ff", "/bytes")
	addRule(a, "/off", "/x", "enabled", false)
	ask := func(query string) apitest.Answer {
		return a.Send(apitest.Request{Method: "GET", Path: "/storefront/redirects" + query})
	}
	got := ask("?slug=tea")
	want := `{"result":{"version":"6",` +
		`"exact":[{"k":"/old/page","id":"1","to":"/new","code":301,"ext":false,"ovr":false,"dq":true,"q":"id=5"},` +
		`{"k":"/%ff","id":"4","to":"/bytes","code":301,"ext":false,"ovr":false,"dq":false,"q":""}],` +
		`"pattern":[{"k":"/goods/*","id":"2","to":"https://example.com/$1","code":302,"ext":true,"ovr":true,"dq":false,"q":""}],` +
		`"prefix":[{"k":"/shop/*","id":"3","to":"/s","code":301,"ext":false,"ovr":false,"dq":false,"q":""}]}}` + "\n"
	if string(got.Body) != want {
		t.Errorf("set:\n%s\nwant\n%s", got.Body, want)
	}
	tag := got.Header.Get("ETag")
	known := func() apitest.Answer {
		return a.Send(
			apitest.Request{Method: "GET", Path: "/storefront/redirects?slug=tea", Header: map[string]string{"If-None-Match": `"x", W/` + tag}},
		)
	}
	if got := known(); got.Status != 304 || len(got.Body) != 0 || got.Header.Get("ETag") != tag ||
		got.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("an unchanged set: %d %v %s", got.Status, got.Header, got.Body)
	}
	a.OK("PUT", rulesPath+"/settings", a.Owner, m{"miss_fallback": false})
	if got := known(); got.Status != 304 {
		t.Errorf("changed settings changed the set: %d", got.Status)
	}
	addRule(a, "/more", "/x")
	if got := known(); got.Status != 200 || got.Header.Get("ETag") == tag || tag == "" {
		t.Errorf("after a mutation: %d, ETag %s, before %s", got.Status, got.Header.Get("ETag"), tag)
	}
	err := a.Store.Write(t.Context(), a.Shop.ID, func(tx *store.Tx) error { return company.SetDomain(t.Context(), tx, "tea.test", time.Now()) })
	if err != nil {
		t.Fatal(err)
	}
	if got := ask("?domain=TEA.test"); got.Status != 200 {
		t.Errorf("by domain: %s", got.Body)
	}
	a.Refused("GET", "/storefront/redirects", "", nil, 400, "INVALID_REQUEST")
	a.Refused("GET", "/storefront/redirects?slug=none", "", nil, 404, "SHOP_NOT_FOUND")
	through := a.Send(apitest.Request{Method: "GET", Path: "/storefront/redirects", Header: a.ThroughStorefront()})
	if through.Status != 200 {
		t.Errorf("through the storefront: %s", through.Body)
	}
	a.Close(true)
	a.Refused("GET", "/storefront/redirects?slug=tea", "", nil, 404, "SHOP_NOT_FOUND")
	a.Refused("GET", "/storefront/redirects?domain=tea.test", a.Owner, nil, 404, "SHOP_NOT_FOUND")
}

func TestFormerSlugsResolveToTheirEntity(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	section := a.Result("POST", "/categories", a.Owner, m{"item": m{"name": "Teas", "is_published": true, "seo": m{"slug": "teas"}}})["id"]
	product := a.Result("POST", "/products", a.Owner, m{"item": m{"name": "Tea", "category_id": section, "is_published": true, "seo": m{"slug": "tea-a"}}})["id"]
	rubric := a.Result("POST", "/categories", a.Owner, m{"item": m{"name": "News", "type": "news", "is_published": true}})["id"]
	article := a.Result("POST", "/articles", a.Owner, m{"item": m{"title": "T", "slug": "art-a", "category_id": rubric, "is_published": true}})["id"]
	rename := func(path string, id any, slug string) {
		a.OK("PUT", path+fmt.Sprint(id), a.Owner, m{"item": m{"seo": m{"slug": slug}}})
	}
	for _, slug := range []string{"b", "c"} {
		rename("/categories/", section, "teas-"+slug)
		rename("/products/", product, "tea-"+slug)
		rename("/articles/", article, "art-"+slug)
	}
	ask := func(kind, slug string) (int, m) {
		return a.Call("GET", fmt.Sprintf("/slug-redirects/resolve?company_id=%d&entity_type=%s&slug=%s", a.Shop.ID, kind, slug), "", nil)
	}
	for _, c := range []struct {
		kind, slug, current string
		id                  any
	}{
		{"category", "teas", "teas-c", section}, {"category", "teas-b", "teas-c", section},
		{"product", "tea-a", "tea-c", product}, {"article", "art-b", "art-c", article},
	} {
		status, got := ask(c.kind, c.slug)
		if status != 200 || got["entity_id"] != c.id || got["current_slug"] != c.current || got["entity_type"] != c.kind {
			t.Errorf("%s %s: %d %v", c.kind, c.slug, status, got)
		}
	}
	a.OK("POST", "/products", a.Owner, m{"item": m{"name": "Other", "is_published": true, "seo": m{"slug": "tea-a"}}})
	for _, c := range []struct{ kind, slug string }{{"product", "tea-c"}, {"product", "tea-a"}, {"article", "tea-b"}, {"product", "never"}, {"product", ""}} {
		if status, got := ask(c.kind, c.slug); status != 404 || apitest.Code(got) != "REDIRECT_NOT_FOUND" {
			t.Errorf("%s %s: %d %v", c.kind, c.slug, status, got)
		}
	}
	a.OK("DELETE", "/products/"+fmt.Sprint(product), a.Owner, nil)
	if status, _ := ask("product", "tea-b"); status != 404 {
		t.Errorf("a deleted product is found by its old slug: %d", status)
	}
	if status, got := ask("shop", "x"); status != 400 || apitest.Code(got) != "INVALID_REQUEST" {
		t.Errorf("unknown type: %d %v", status, got)
	}
	a.Refused("GET", "/slug-redirects/resolve?entity_type=product&slug=x", "", nil, 403, "COMPANY_ID_PROBLEM")
}
