package catalog_test

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

func TestCountsMatchTheLists(t *testing.T) {
	b := open(t)
	tea, gift := b.section("product", "Tea"), b.section("product", "Gift")
	below := b.add("categories", m{"name": "Below", "parent_id": tea["id"], "is_published": true})
	news := b.section("news", "News")
	product := func(fields m) m {
		fields["name"] = "P"
		return b.add("products", fields)
	}
	product(m{"category_id": tea["id"], "is_published": true, "categories": l{gift["id"], tea["id"]}})
	product(m{"category_id": tea["id"]})
	product(m{"category_id": tea["id"], "is_published": true, "catalog_hidden": "true"})
	product(m{"category_id": below["id"], "is_published": true})
	gone := product(m{"category_id": tea["id"], "is_published": true, "categories": l{gift["id"]}})
	b.OK("DELETE", at("products", gone), b.Owner, nil)
	b.add("articles", m{"title": "A", "category_id": news["id"], "is_published": true})
	b.add("articles", m{"title": "B", "category_id": news["id"]})
	dead := b.add("articles", m{"title": "C", "category_id": news["id"], "is_published": true})
	b.OK("DELETE", at("articles", dead), b.Owner, nil)
	b.put("categories", tea, m{"count_products": 99, "count_articles": 99})

	mine := "company_id=" + b.company()
	for _, who := range []struct{ key, products, articles string }{{b.Owner, "Tea 3 Gift 1 Below 1 News 0", "0 0 0 2"}, {"", "Tea 1 Gift 1 Below 1 News 0", "0 0 0 1"}} {
		list := b.OK("GET", "/categories?"+mine, who.key, nil)["result"].(l)
		var products, articles []string
		for _, entry := range list {
			c := entry.(m)
			n := strconv.Itoa(int(c["count_products"].(float64)))
			products = append(products, c["name"].(string), n)
			articles = append(articles, strconv.Itoa(int(c["count_articles"].(float64))))
			found := b.OK("GET", "/products?filter."+mine+"&filter.category_id="+id(c), who.key, nil)["result"].(m)
			show(t, "products of "+c["name"].(string), found, c["count_products"].(float64), "total")
			single := b.Result("GET", at("categories", c)+"?"+mine, who.key, nil)
			show(t, "the section alone", single, c["count_products"], "count_products")
			show(t, "the section alone", single, c["count_articles"], "count_articles")
		}
		slices.Sort(articles)
		if got := pairs(products); got != pairs(strings.Fields(who.products)) {
			t.Errorf("%q: products %s", who.key, got)
		}
		if got := strings.Join(articles, " "); got != who.articles {
			t.Errorf("%q: articles %s", who.key, got)
		}
	}
}

// pairs sorts a list of names and numbers by name.
func pairs(list []string) string {
	var out []string
	for i := 0; i+1 < len(list); i += 2 {
		out = append(out, list[i]+" "+list[i+1])
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

func TestTheContentOfASectionLimitsItsType(t *testing.T) {
	b := open(t)
	empty := b.section("product", "Empty")
	for _, kind := range []string{"site", "news", "page", "product"} {
		show(t, "an empty section accepts any type", b.put("categories", empty, m{"type": kind}), kind, "type")
	}
	b.refused("PUT", at("categories", empty), m{"type": "shop"}, 400, "CATEGORY_TYPE_INVALID")
	b.refused("PUT", at("categories", empty), m{"type": ""}, 400, "CATEGORY_TYPE_INVALID")

	main, extra, news := b.section("product", "Main"), b.section("product", "Extra"), b.section("news", "News")
	p := b.add("products", m{"name": "P", "category_id": main["id"], "categories": l{extra["id"]}})
	a := b.add("articles", m{"title": "A", "category_id": news["id"]})
	for _, c := range []m{main, extra} {
		b.refused("PUT", at("categories", c), m{"type": "site"}, 400, "CATEGORY_TYPE_MISMATCH")
		b.refused("PUT", at("categories", c), m{"type": "news"}, 400, "CATEGORY_TYPE_MISMATCH")
		show(t, "a page may show products", b.put("categories", c, m{"type": "page"}), "page", "type")
	}
	for _, kind := range []string{"site", "page", "product"} {
		b.refused("PUT", at("categories", news), m{"type": kind}, 400, "CATEGORY_TYPE_MISMATCH")
	}
	b.OK("DELETE", at("products", p), b.Owner, nil)
	b.OK("DELETE", at("articles", a), b.Owner, nil)
	for _, c := range []m{main, extra, news} {
		show(t, "deleted things do not count", b.put("categories", c, m{"type": "site"}), "site", "type")
	}
	b.refused("POST", "/products", m{"name": "x", "category_id": main["id"]}, 400, "CATEGORY_TYPE_MISMATCH")
}

// A section cannot become a website while a product is concurrently added to it.
func TestTypeAndProductsRace(t *testing.T) {
	b := open(t)
	for range 10 {
		c := b.section("product", "Section")
		var both sync.WaitGroup
		both.Go(func() { b.Call("PUT", at("categories", c), b.Owner, item(m{"type": "site"})) })
		both.Go(func() { b.Call("POST", "/products", b.Owner, item(m{"name": "P", "category_id": c["id"]})) })
		both.Wait()
		c = b.Result("GET", at("categories", c), b.Owner, nil)
		if c["type"] == "site" && c["count_products"] != 0.0 || c["type"] == "product" && c["count_products"] != 1.0 {
			t.Errorf("a %v with %v products", c["type"], c["count_products"])
		}
		b.OK("DELETE", at("categories", c), b.Owner, nil)
	}
}

// If sections are moved below one another concurrently, one of them stays the root.
func TestParentsRace(t *testing.T) {
	b := open(t)
	for _, key := range []string{b.Owner, b.Dev} {
		for range 5 {
			ring := l{}
			for _, name := range []string{"A", "B", "C"} {
				ring = append(ring, b.Result("POST", "/categories", key, item(m{"name": name}))["id"])
			}
			var done sync.WaitGroup
			codes := make([]int, len(ring))
			for i := range ring {
				done.Go(func() {
					child := m{"id": ring[i]}
					codes[i], _ = b.Call("PUT", at("categories", child), key, item(m{"parent_id": ring[(i+1)%len(ring)]}))
				})
			}
			done.Wait()
			slices.Sort(codes)
			if !slices.Equal(codes, []int{200, 200, 400}) {
				t.Errorf("answers %v, want one refused", codes)
			}
			for _, c := range ring {
				if root := b.Result("GET", at("categories", m{"id": c}), key, nil)["root_id"]; root == "0" {
					t.Errorf("section %v has no root", c)
				}
			}
		}
	}
}

func TestASectionIsRestoredWithAnotherSlugAndParent(t *testing.T) {
	b := open(t)
	old, other := b.section("product", "Old"), b.section("product", "Other")
	c := b.add("categories", m{"name": "Tea", "parent_id": old["id"]})
	leaf := b.add("categories", m{"name": "Green", "parent_id": c["id"]})
	b.OK("DELETE", at("categories", c), b.Owner, nil)
	b.OK("DELETE", at("categories", old), b.Owner, nil)
	b.section("product", "Tea")
	b.refused("PUT", at("categories", c), m{"is_deleted": false, "parent_id": other["id"]}, 409, "SLUG_TAKEN")
	for _, parent := range []any{old["id"], leaf["id"], c["id"], 999999} {
		b.refused("PUT", at("categories", c), m{"is_deleted": false, "parent_id": parent, "seo": m{"slug": "teas"}}, 404, "CATEGORY_NOT_FOUND")
	}
	b.refused("PUT", at("categories", c), m{"is_deleted": false, "seo": m{"slug": "teas"}}, 404, "CATEGORY_NOT_FOUND")
	b.Refused("GET", at("categories", leaf), b.Owner, nil, 404, "CATEGORY_NOT_FOUND")
	back := b.put("categories", c, m{"is_deleted": false, "parent_id": other["id"], "seo": m{"slug": "teas"}})
	show(t, "back", back, "teas", "seo", "slug")
	show(t, "back", back, id(other), "root_id")
	show(t, "with its subtree", b.Result("GET", at("categories", leaf), b.Owner, nil), id(other), "root_id")

	b.OK("DELETE", at("categories", c), b.Owner, nil)
	b.section("product", "Green")
	b.refused("PUT", at("categories", c), m{"is_deleted": false}, 409, "SLUG_TAKEN")
	b.Refused("GET", at("categories", c), b.Owner, nil, 404, "CATEGORY_NOT_FOUND")
}

func TestTheContentOfADeletedSectionIsKeptUntilItIsRestored(t *testing.T) {
	b := open(t)
	tea := b.section("product", "Tea")
	news := b.add("categories", m{"name": "News", "type": "news", "parent_id": tea["id"], "is_published": true})
	p := b.add("products", m{"name": "Green", "category_id": tea["id"], "is_published": true})
	a := b.add("articles", m{"title": "A", "category_id": news["id"], "is_published": true})
	mine := "?company_id=" + b.company()
	b.OK("DELETE", at("categories", tea), b.Owner, nil)
	show(t, "the product stays", b.Result("GET", at("products", p), b.Owner, nil), tea["id"], "category_id")
	show(t, "the product stays", b.OK("GET", "/products?filter.category_id="+id(tea), b.Owner, nil)["result"].(m), 1, "total")
	show(
		t, "with its subtree it lists nothing",
		b.OK("GET", "/products?filter.include_subtree=true&filter.category_id="+id(tea), b.Owner, nil)["result"].(m), 0,
		"total",
	)
	b.Refused("GET", "/articles/by-slug/a"+mine, "", nil, 404, "ARTICLE_NOT_FOUND")
	show(t, "no visitor lists it", b.OK("GET", "/articles"+mine, "", nil), 0, "total")
	show(t, "its owner does", b.Result("GET", at("articles", a), b.Owner, nil), news["id"], "category_id")
	show(t, "its owner does", b.OK("GET", "/articles?category_id="+id(news), b.Owner, nil), 1, "total")
	b.refused("POST", "/articles", m{"title": "x", "category_id": news["id"]}, 404, "CATEGORY_NOT_FOUND")
	b.refused("POST", "/products", m{"name": "x", "category_id": tea["id"]}, 404, "CATEGORY_NOT_FOUND")
	b.Refused("PUT", at("categories", tea)+"/content-blocks", b.Owner, m{"items": l{}}, 404, "CATEGORY_NOT_FOUND")
	b.put("categories", tea, m{"is_deleted": false})
	b.OK("GET", "/articles/by-slug/a"+mine, "", nil)
	show(t, "counted again", b.Result("GET", at("categories", tea), b.Owner, nil), 1, "count_products")
}

func TestASidebarIsAListOfTypes(t *testing.T) {
	b := open(t)
	c := b.section("page", "Page")
	for _, good := range []any{l{}, nil, l{m{"type": "menu", "more": 1}}, slices.Repeat(l{m{"type": "a"}}, 20)} {
		show(t, "never used", b.put("categories", c, m{"sidebar_config": good}), l{}, "sidebar_config")
	}
	for _, bad := range []any{l{m{}}, l{m{"type": ""}}, l{m{"type": 5}}, l{"menu"}, l{l{}}, m{"type": "menu"}, 5, slices.Repeat(l{m{"type": "a"}}, 21)} {
		b.refused("PUT", at("categories", c), m{"sidebar_config": bad}, 400, "INVALID_REQUEST")
	}
}

func TestAMovedSectionBecomesTheLastChild(t *testing.T) {
	b := open(t)
	top := b.section("product", "Top")
	for _, name := range []string{"A", "B"} {
		b.add("categories", m{"name": name, "parent_id": top["id"]})
	}
	moved := b.section("product", "Moved")
	show(t, "last", b.put("categories", moved, m{"parent_id": top["id"]}), 2, "order")
	show(t, "and stays there", b.put("categories", moved, m{"parent_id": top["id"], "name": "M"}), 2, "order")
}

func TestASectionIncludesItsBlocks(t *testing.T) {
	b := open(t)
	c := b.add("categories", m{"name": "Page", "type": "page"})
	one, two := b.block("one", "", m{"kind": "text"}), b.block("two", "", m{"kind": "text"})
	b.OK(
		"PUT", at("categories", c)+"/content-blocks", b.Owner,
		m{"items": l{m{"block_id": one, "sort_order": 2}, m{"block_id": two, "sort_order": 1}}},
	)
	mine := "?company_id=" + b.company()
	for _, path := range []string{at("categories", c), "/categories/by-slug/page"} {
		if got := names(b.OK("GET", path, b.Owner, nil)["content_blocks"], "name"); !slices.Equal(got, []string{"two", "one"}) {
			t.Errorf("blocks %v", got)
		}
		b.Refused("GET", path+mine, "", nil, 404, "CATEGORY_NOT_FOUND")
		b.Refused("GET", path, "", nil, 403, "COMPANY_ID_PROBLEM")
	}
	b.put("categories", c, m{"is_published": true})
	for _, path := range []string{at("categories", c), "/categories/by-slug/page"} {
		if got := names(b.OK("GET", path+mine, "", nil)["content_blocks"], "name"); !slices.Equal(got, []string{"two", "one"}) {
			t.Errorf("a visitor gets %v", got)
		}
	}
}
