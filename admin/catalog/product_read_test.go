package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"vitrine/internal/store/people"
)

// list lists products and returns the total and the names.
func (b bench) list(query, key string) (total int, found []string) {
	b.t.Helper()
	result := b.Result("GET", "/products?"+query, key, nil)
	if _, ok := result["filterable_attributes"].(l); !ok {
		b.t.Errorf("filterable_attributes is %T", result["filterable_attributes"])
	}
	return int(result["total"].(float64)), names(result["items"], "name")
}

// stock creates a small catalogue: Tea > Green, with products in both.
func (b bench) stock() (tea, green m, products []m) {
	tea = b.section("product", "Tea")
	green = b.add("categories", m{"name": "Green", "parent_id": tea["id"], "is_published": true})
	for _, p := range []m{
		{"name": "Assam", "category_id": tea["id"], "price": m{"price": 10}, "is_published": true},
		{"name": "Sencha", "category_id": green["id"], "price": m{"price": 30}, "is_published": true},
		{"name": "Bancha 100%", "category_id": green["id"], "price": m{"price": 20}},
		{"name": "Cup", "categories": l{tea["id"]}, "is_published": true, "catalog_hidden": "true"},
	} {
		products = append(products, b.add("products", p))
	}
	return tea, green, products
}

func TestProductFilters(t *testing.T) {
	b := open(t)
	tea, green, p := b.stock()
	for query, want := range map[string]string{
		"":                                "Assam Sencha Bancha 100% Cup",
		"filter.category_id=" + id(tea):   "Assam Cup",
		"filter.category_id=" + id(green): "Sencha Bancha 100%",
		"filter.include_subtree=true":     "Assam Sencha Bancha 100% Cup",
		"filter.include_subtree=1&filter.category_id=" + id(tea): "Assam Sencha Bancha 100% Cup",
		"category_id=" + id(tea):                                 "Assam Sencha Bancha 100% Cup",
		"filter.nonsense=1&ids=1":                                "Assam Sencha Bancha 100% Cup",
		"filter.category_id=999999":                              "",
		"filter.ids=" + id(p[0]) + "&filter.ids=" + id(p[2]):     "Assam Bancha 100%",
		"filter.ids=999999":                                      "",
		"filter.query=CHA":                                       "Sencha Bancha 100%",
		"filter.query=100%25":                                    "Bancha 100%",
		"filter.query=_":                                         "",
		"filter.query=%5C":                                       "",
		"filter.query=%27%3B--":                                  "",
		"filter.is_published=true":                               "Assam Sencha Cup",
		"filter.is_published=false":                              "Assam Sencha Bancha 100% Cup",
		"filter.min_price=20":                                    "Sencha Bancha 100%",
		"filter.min_price=11&filter.max_price=29":                "Bancha 100%",
		"filter.max_price=0":                                     "Cup",
		"sort.field=name":                                        "Assam Bancha 100% Cup Sencha",
		"sort.field=price&sort.order=DESC":                       "Sencha Bancha 100% Assam Cup",
		"sort.order=desc":                                        "Cup Bancha 100% Sencha Assam",
	} {
		total, got := b.list(query, b.Owner)
		if strings.Join(got, " ") != want || total != len(got) {
			t.Errorf("%q: %d of %d: %v, want %s", query, len(got), total, got, want)
		}
	}
	for query, code := range map[string]string{
		"filter.ids=1,2": "INVALID_REQUEST", "filter.ids=x": "INVALID_REQUEST", "filter.category_id=x": "INVALID_REQUEST",
		"filter.min_price=x": "INVALID_REQUEST", "filter.is_published=maybe": "INVALID_REQUEST", "filter.query=%FF": "INVALID_REQUEST",
		"filter.query=%00": "INVALID_REQUEST", "filter.ids=99999999999": "INVALID_REQUEST",
		"sort.field=sku": "INVALID_SORT", "sort.order=up": "INVALID_SORT", "sort.field=name;drop": "INVALID_SORT",
	} {
		b.Refused("GET", "/products?"+query, b.Owner, nil, 400, code)
	}
}

func TestListsArePaged(t *testing.T) {
	b := open(t)
	rubric := b.section("news", "News")
	for n := range 5 {
		b.add("products", m{"name": fmt.Sprintf("P%d", n)})
		b.add("articles", m{"title": fmt.Sprintf("A%d", n), "category_id": rubric["id"]})
	}
	for query, want := range map[string]string{
		"page.number=1&page.limit=2": "P0 P1", "page.number=3&page.limit=2": "P4", "page.limit=3": "P0 P1 P2", "page.number=9&page.limit=2": "",
		"page.number=1&page.limit=100": "P0 P1 P2 P3 P4", "number=2&limit=1": "P0 P1 P2 P3 P4",
	} {
		if total, got := b.list(query, b.Owner); strings.Join(got, " ") != want || total != 5 {
			t.Errorf("%s: %v of %d, want %s of 5", query, got, total, want)
		}
	}
	answer := b.OK("GET", "/articles?page.number=9&page.limit=2", b.Owner, nil)
	show(t, "articles", answer, 5, "total")
	show(t, "articles", answer, 9, "current_page")
	show(t, "articles", answer, l{}, "result")
	show(t, "products", b.Result("GET", "/products?page.number=2&page.limit=2", b.Owner, nil), 2, "currentPage")
	for _, query := range []string{
		"page.limit=101&page.number=1", "page.number=1", "page.limit=0&page.number=1", "page.number=0&page.limit=5", "page.number=-1&page.limit=5",
		"page.number=x&page.limit=5", "page.number=99999999999999999999&page.limit=5", "page.number=9999999&page.limit=100",
	} {
		for _, path := range []string{"/products?", "/articles?"} {
			b.Refused("GET", path+query, b.Owner, nil, 400, "INVALID_REQUEST")
		}
	}
}

func TestVisitorsSeePublishedProducts(t *testing.T) {
	b := open(t)
	_, _, p := b.stock()
	company := "filter.company_id=" + b.company()
	stranger, err := people.CreatePerson(t.Context(), b.Store, "buyer@people.test", "", "-")
	if err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]string{"anonymous": "", "a buyer": b.Session(stranger)} {
		if total, got := b.list(company, key); total != 2 || !slices.Equal(got, []string{"Assam", "Sencha"}) {
			t.Errorf("%s sees %v", name, got)
		}
		for i, status := range map[int]int{0: 200, 1: 200, 2: 404, 3: 200} {
			for _, path := range []string{at("products", p[i]), "/products/by-slug/" + p[i]["slug"].(string)} {
				if got, _ := b.Call("GET", path+"?company_id="+b.company(), key, nil); got != status {
					t.Errorf("%s: %s answers %d, want %d", name, path, got, status)
				}
			}
		}
	}
	if total, _ := b.list("", b.Scoped("catalog:write")); total != 2 {
		t.Errorf("a key without catalog:read sees %d products, want the visitor's 2", total)
	}
	if total, _ := b.list(company, b.Stranger); total != 0 {
		t.Errorf("another shop's key sees %d products: the shop comes from the key", total)
	}
	if total, _ := b.list("", b.Dev); total != 4 {
		t.Errorf("a draft key sees %d products, want the owner's view", total)
	}
}

func TestVisitorsNameTheShop(t *testing.T) {
	b := open(t)
	name := "company_id=" + b.company()
	for path, code := range map[string]string{
		"/products": "AUTH_COMPANY_PROBLEM", "/products?" + name: "AUTH_COMPANY_PROBLEM", "/products?filter.company_id=0": "AUTH_COMPANY_PROBLEM",
		"/products/1": "COMPANY_ID_PROBLEM", "/products/by-slug/tea?filter." + name: "COMPANY_ID_PROBLEM",
		"/categories": "COMPANY_ID_PROBLEM", "/categories?filter." + name: "COMPANY_ID_PROBLEM", "/categories/by-slug/x": "COMPANY_ID_PROBLEM",
		"/articles": "COMPANY_ID_PROBLEM", "/articles?filter." + name: "COMPANY_ID_PROBLEM", "/articles/by-slug/x": "COMPANY_ID_PROBLEM",
	} {
		answer := b.Refused("GET", path, "", nil, 403, code)
		if text := answer["error"]; text != "rpc error: code = PermissionDenied desc = "+code {
			t.Errorf("%s: %q", path, text)
		}
	}
	b.Refused("GET", "/products?filter.company_id="+b.company(), "vtr_nobody", nil, 401, "UNAUTHENTICATED")
}

func TestUnpublishedSectionsAnswer404ToVisitors(t *testing.T) {
	b := open(t)
	shown, hidden := b.section("page", "Shown"), b.add("categories", m{"name": "Hidden", "type": "page"})
	for _, path := range []string{at("categories", hidden), "/categories/by-slug/hidden"} {
		b.Refused("GET", path+"?company_id="+b.company(), "", nil, 404, "CATEGORY_NOT_FOUND")
		b.Refused("GET", path, b.Scoped("catalog:write"), nil, 404, "CATEGORY_NOT_FOUND")
		b.OK("GET", path, b.Owner, nil)
	}
	answer := b.OK("GET", "/categories/by-slug/shown?company_id="+b.company(), "", nil)
	show(t, "by slug", answer, shown["id"], "result", "id")
	show(t, "by slug", answer, l{}, "content_blocks")
	b.put("categories", hidden, m{"is_published": true})
	b.OK("GET", at("categories", hidden)+"?company_id="+b.company(), "", nil)
}

func TestAStorefrontHostDeterminesTheShop(t *testing.T) {
	b := open(t)
	_, _, p := b.stock()
	get := func(path, key string) int {
		header := b.ThroughStorefront()
		if key != "" {
			header["Cookie"] = "__Host-vitrine-session=" + key
		}
		return b.Send(request("GET", path, header)).Status
	}
	for _, c := range []struct {
		path, key string
		want      int
	}{
		{"/products", "", 200},
		{at("products", p[0]), "", 200},
		{at("products", p[2]), "", 404},
		{at("products", p[2]), b.Session(b.StrangerID), 404},
		{at("products", p[0]), b.Session(b.StrangerID), 200},
		{at("products", p[2]), b.Session(b.OwnerID), 404}, // a cookie carries no member rights, because the shop's own scripts can send it
		{at("products", p[0]) + "?company_id=" + b.Other.ID.String(), "", 200},
	} {
		if got := get(c.path, c.key); got != c.want {
			t.Errorf("%s: %d, want %d", c.path, got, c.want)
		}
	}
}
