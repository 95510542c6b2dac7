package main

import (
	"strings"
	"testing"
)

// A published product is visible to visitors only while its section and all sections above
// are published. It stays in carts, and the shop's members see it.
func TestProductsOfUnpublishedSectionsAreHidden(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	p.start()
	company := itoa(p.must(key, "GET", "/v1/orgs/current", nil)["id"])
	section := func(name, parent string) string {
		return itoa(p.must(key, "POST", "/categories", map[string]any{"item": map[string]any{
			"name": name, "type": "product", "is_published": true, "is_show_menu": true, "parent_id": parent, "seo": map[string]any{"slug": strings.ToLower(name)}}})["id"])
	}
	above := section("Above", "0")
	inside, beside := section("Inside", above), section("Beside", "0")
	product := func(name, category string) string {
		return itoa(p.must(key, "POST", "/products", map[string]any{"item": map[string]any{
			"name": name, "is_published": true, "price": map[string]any{"price": 50, "old_price": 70}, "sku": "S" + name,
			"category_id": category, "categories": []any{beside}, "seo": map[string]any{"slug": strings.ToLower(name)}}})["id"])
	}
	id := product("Canary", inside)
	product("Plain", beside)
	product("Loose", "0")
	p.must(key, "POST", "/site-files", map[string]any{"name": "all.txt", "is_published": true, "body": `{{range products}}{{.Name}} {{.URL}};{{end}}{{product_url ` + id + `}}`})
	buyer := p.must("", "POST", "/v1/auth/guest", map[string]any{})["token"].(string)
	p.must(buyer, "PUT", "/v1/account/wishlist/"+id+"?company_id="+company, nil)
	p.must(buyer, "POST", "/cart/items/"+id+"/default?company_id="+company, map[string]any{"quantity": 1})
	pages := []string{
		"/", "/beside", "/beside?sort=price", "/beside?max_price=60", "/search?q=canary", "/search?q=canari", "/_vitrine/suggest?q=cana", "/sitemap.xml", "/deals", "/all.txt",
		"/above/inside/canary", "/product/" + id, "/product/canary",
	}
	calls := []string{
		"/products?filter.company_id=" + company, "/products?filter.query=canary&filter.company_id=" + company, "/products?filter.ids=" + id + "&filter.company_id=" + company,
		"/products?filter.category_id=" + beside + "&filter.company_id=" + company, "/products/" + id + "?company_id=" + company,
		"/products/by-slug/canary?company_id=" + company, "/v1/account/wishlist?company_id=" + company,
	}
	shown := func(when string, want bool) {
		t.Helper()
		for _, path := range pages {
			wait(t, when+": "+path, func() bool {
				status, header, body := p.visit("tea", path)
				body = strings.ReplaceAll(strings.ReplaceAll(body, "q=canar", ""), `"canar`, "")
				return (strings.Contains(body, "/inside/canary") || strings.Contains(header.Get("Location"), "/inside/canary") || path == "/above/inside/canary" && status == 200) == want
			})
		}
		for _, path := range calls {
			status, answer := p.call(buyer, "GET", path, nil)
			if got := status == 200 && strings.Contains(itoa(answer), "Canary"); got != want {
				t.Errorf("%s: %s shows it: %v", when, path, got)
			}
			if strings.Contains(path, "/wishlist") {
				continue
			}
			if _, answer := p.call(key, "GET", path, nil); !strings.Contains(itoa(answer), "Canary") {
				t.Errorf("%s: the owner does not see it at %s", when, path)
			}
		}
		if _, answer := p.call(buyer, "GET", "/cart/items?company_id="+company, nil); !strings.Contains(itoa(answer), "Canary") {
			t.Errorf("%s: it is missing in the cart: %v", when, answer)
		}
		if _, _, body := p.visit("tea", "/beside"); !strings.Contains(body, "/beside/plain") {
			t.Errorf("%s: /beside lacks the product of another section", when)
		}
		if status, _, _ := p.visit("tea", "/product/3"); status != 200 {
			t.Errorf("%s: a product without a section answers %d", when, status)
		}
	}
	publish := func(section string, on bool) {
		p.must(key, "PUT", "/categories/"+section, map[string]any{"item": map[string]any{"is_published": on}})
	}
	shown("published", true)
	publish(above, false)
	shown("the section above is not published", false)
	if status, _ := p.call(buyer, "POST", "/cart/items/"+id+"/other?company_id="+company, map[string]any{"quantity": 1}); status < 400 {
		t.Errorf("a hidden product can be put into a cart: %d", status)
	}
	publish(above, true)
	shown("published again", true)
	publish(inside, false)
	shown("its own section is not published", false)
}
