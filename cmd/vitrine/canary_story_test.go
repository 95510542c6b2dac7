package main

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// canary matches text that is in everything the closed sections of a shop contain: names,
// slugs, prices.
var canary = regexp.MustCompile(`(?i)canary|77[\s\x{a0}\x{202f},.]?777`)

// cages fills a shop with closed entities containing canaries and with pages that show them
// in every way, and returns the resources for a policy.
func cages(p *program, key string) (resources []any) {
	p.t.Helper()
	add := func(path string, item map[string]any) string {
		return itoa(p.must(key, "POST", path, map[string]any{"item": item})["id"])
	}
	section := func(name, kind, parent string) string {
		slug := strings.ToLower(strings.ReplaceAll(name, " ", "-"))
		return add("/categories", map[string]any{
			"name": name, "type": kind, "parent_id": parent, "is_published": true, "is_show_menu": true, "seo": map[string]any{"slug": slug},
		})
	}
	product := func(name, section string, price int, more map[string]any) string {
		item := map[string]any{
			"name": name, "category_id": section, "is_published": true, "price": map[string]any{"price": price, "old_price": price + 1},
			"seo": map[string]any{"slug": strings.ToLower(strings.ReplaceAll(name, " ", "-"))},
		}
		for k, v := range more {
			item[k] = v
		}
		return add("/products", item)
	}
	teas, cage := section("Teas", "product", "0"), section("Canary cage", "product", "0")
	nest, news, papers := section("Canary nest", "product", cage), section("News", "news", "0"), section("Canary papers", "news", "0")
	shown := section("Shown", "page", "0")
	bird, alone := product("Canary bird", nest, 77777, nil), product("Canary alone", teas, 77777, nil)
	product("Green tea", teas, 7, nil)
	cup := product("Cup", section("Cups", "product", "0"), 5, nil)
	add("/product-groups", map[string]any{"name": "Goes with it", "product_ids": []any{cup, alone, product("Saucer", "0", 3, nil)}})
	product("Set", teas, 0, map[string]any{"kind": "combo", "combo_items": []any{map[string]any{"product_id": bird, "quantity": 1}}})
	article := func(title, rubric string) string {
		return add("/articles", map[string]any{"title": title, "category_id": rubric, "is_published": true, "slug": strings.ToLower(strings.ReplaceAll(title, " ", "-"))})
	}
	article("Canary news", papers)
	letter, harvest := article("Canary letter", news), article("Harvest", news)
	p.must(key, "PUT", "/articles/"+harvest+"/related", map[string]any{"ids": []any{letter}})
	doc := add("/html-documents", map[string]any{"name": "landing", "level": 3})
	html := `<!doctype html><title>t</title><body><a href="svc:page/` + cage + `">first</a><i svc-for="p in products">{{ p.name }} {{ p.url }} {{ p.price_text }}</i></body>`
	p.must(key, "POST", "/html-documents/"+doc+"/releases/"+p.release(key, doc, html)+"/publish", map[string]any{})
	var blocks []any
	for kind, props := range map[string]map[string]any{
		"html":           {"html": map[string]any{"documentId": doc}},
		"productListing": {"listing": map[string]any{"source": "shop", "limit": 12}},
		"productCard":    {"productId": bird},
		"cards":          {"source": "products", "productRefs": []any{bird, alone}},
		"articleGrid":    {"articleGrid": map[string]any{"categoryId": news, "limit": 3}},
		"articleListing": {"limit": 5},
		"articleRubrics": {},
	} {
		block := add("/content-blocks", map[string]any{"name": kind, "sections": []any{
			map[string]any{"type": "text", "payload": map[string]any{"v": 2, "kind": kind, "props": props}}}})
		blocks = append(blocks, map[string]any{"block_id": block, "sort_order": len(blocks) + 1})
	}
	p.must(key, "PUT", "/categories/"+shown+"/content-blocks", map[string]any{"items": blocks})
	feed := `{{range products}}{{.Name}} {{.Price}} {{.URL}};{{end}}{{range categories}}{{.Name}} {{.URL}};{{end}}`
	p.must(key, "POST", "/site-files", map[string]any{"name": "feed.txt", "body": feed, "is_published": true})
	p.must(key, "POST", "/site-files", map[string]any{"category_id": cage, "name": "inner.txt", "body": "A canary's own file. " + feed, "is_published": true})
	add("/storefront-redirects", map[string]any{"from_path": "/old", "to_target": "/canary-cage/canary-nest/canary-bird", "enabled": true})
	p.must(key, "PUT", "/products/"+bird, map[string]any{"item": map[string]any{"seo": map[string]any{"slug": "canary-song"}}}) // the slug journal redirects
	for kind, id := range map[string]string{"category": cage, "product": alone, "article": letter} {
		resources = append(resources, map[string]any{"type": kind, "id": id})
	}
	return append(resources, map[string]any{"type": "category", "id": papers})
}

// Addresses of such a shop that show canaries while nothing is closed: closed pages, and
// pages that show closed entities among others.
var (
	closedAddresses = []string{
		"/canary-cage", "/canary-cage/canary-nest", "/canary-cage/canary-nest/canary-song", "/canary-cage/canary-nest/canary-bird", "/canary-cage/",
		"/teas/canary-alone", "/canary-papers", "/canary-papers/canary-news", "/news/canary-letter", "/canary-cage/inner.txt", "/old", "/canary-song",
		"/teas/set",
	}
	openAddresses = []string{
		"/", "/teas", "/teas/green-tea", "/news", "/news/harvest", "/deals", "/shown", "/sitemap.xml", "/feed.txt",
		"/cups/cup", "/teas?sort=price", "/search", "/search?q=alone", "/search?q=alonne", "/_vitrine/suggest?q=alon", "/news/rss.xml",
		"/api/products", "/api/products?filter.query=canary", "/api/categories?view=menu", "/api/articles", "/api/storefront/redirects?slug=tea",
		"/api/products/by-slug/canary-song", "/api/slug-redirects/resolve?entity_type=product&slug=canary-bird",
	}
	plainAddresses = []string{"/robots.txt", "/nowhere", "/canary-cage/nothing", "/cart", "/wishlist", "/shown?page=2", "/teas?page=2", "/_file/2", "/product/1"}
)

// look requests an address and returns everything in the response: status, header fields,
// body.
func (p *program) look(path, cookie string) (status int, said string) {
	p.t.Helper()
	status, header, body := p.browse("GET", "tea", path, cookie)
	for name, values := range header {
		if name != "Surrogate-Key" {
			said += fmt.Sprintln(name, values)
		}
	}
	return status, said + strings.ReplaceAll(body, url.QueryEscape(path), "") // the form returns to the requested address
}

// Visitors without access see nothing of closed content anywhere: on pages cached before it
// was closed, in feeds, in the sitemap, through the API. With the password they see it until
// the password expires.
func TestClosedContentIsInvisibleWithoutAccess(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	p.start()
	resources := cages(p, key)
	for range 2 { // the second time from the cache
		for _, path := range append(append([]string{}, closedAddresses...), openAddresses...) {
			if status, said := p.look(path, ""); !canary.MatchString(said) {
				t.Errorf("%s shows no canary while everything is open, so nothing is tested: %d %.300s", path, status, said)
			}
		}
	}
	policy := itoa(p.must(key, "POST", "/access-policies", map[string]any{"name": "Cages", "kind": "password", "resources": resources})["id"])
	nothing := func(when, cookie string) {
		t.Helper()
		for range 2 {
			for _, list := range [][]string{closedAddresses, openAddresses, plainAddresses} {
				for _, path := range list {
					if path == "/feed.txt" {
						continue
					}
					status, said := p.look(path, cookie)
					said = strings.ReplaceAll(said, path, "")
					if found := canary.FindString(said); found != "" {
						at := strings.Index(said, found)
						t.Errorf("%s: %s shows %q: %d …%s…", when, path, found, status, said[max(0, at-120):min(len(said), at+120)])
					}
				}
			}
		}
		for _, path := range closedAddresses {
			if status, said := p.look(path, cookie); status != 403 || !strings.Contains(said, "Cache-Control [private, no-store]") && !strings.Contains(said, "no-store") {
				t.Errorf("%s: %s answers %d %.200s", when, path, status, said)
			}
		}
	}
	nothing("closed", "")
	wait(t, "the feed leaves it out", func() bool { _, said := p.look("/feed.txt", ""); return !canary.MatchString(said) })

	word := p.must(key, "POST", "/access-policies/"+policy+"/passwords", map[string]any{"label": "Ann", "password": "open sesame"})
	_, cookie, _ := p.storefront("tea", "/_vitrine/access", nil, url.Values{"next": {"/canary-cage"}, "password": {"open sesame"}})
	for _, path := range append(append([]string{}, closedAddresses...), "/api/products", "/api/categories?view=menu", "/api/articles") {
		if status, said := p.look(path, cookie); !canary.MatchString(said) || status >= 400 {
			t.Errorf("with the password %s answers %d %.200s", path, status, said)
		}
	}
	nothing("without the password, while another visitor has it", "")
	p.must(key, "DELETE", "/access-policies/"+policy+"/passwords/"+itoa(word["id"]), nil)
	nothing("ended", cookie)
}
