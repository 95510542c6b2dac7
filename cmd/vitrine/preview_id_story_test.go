package main

import (
	"strings"
	"testing"
)

// Pages that are not published have an address by their id in the previews of everyone who may
// preview: in a part of the shop that a policy closes, in a site section with its files, and with an
// active domain. Strangers find none of them.
func TestHiddenPagesByIDInPreviews(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	owner := p.shop("tea")
	p.verb("member", "add", "--shop", "tea", "--email", "ed@example.test", "--password", "a long password", "--role", "editor")
	draftKey := p.verb("key", "issue", "--shop", "tea", "--scopes", "all", "--contour", "dev")["key"].(string)
	r := p.start()
	editor := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "ed@example.test", "password": "a long password"})["token"].(string)
	made := func(path string, item map[string]any) string {
		return itoa(p.must(owner, "POST", path, map[string]any{"item": item})["id"])
	}
	section := func(name, kind string, published bool) string {
		return made("/categories", map[string]any{"name": name, "type": kind, "is_published": published})
	}
	trade, news, handbook := section("Tradehall", "product", true), section("Insiders", "news", true), section("Handbook", "site", false)
	open := section("Teas", "product", true)
	product := func(name, in string) string {
		return made("/products", map[string]any{"name": name, "category_id": in, "price": map[string]any{"price": 9}})
	}
	files := packFiles(t, map[string][]byte{"index.html": []byte("<title>Manual</title><a href=parts/>Parts</a>"), "parts/index.html": []byte("<p>Parts of it"), "style.css": []byte("p{color:green}")})
	p.must(owner, "POST", "/site-folders/"+handbook+"/releases/zip?base=none&publish=1", files)
	inTrade, alone, article := product("Puerh", trade), product("Sheng", open), made("/articles", map[string]any{"title": "Harvest", "category_id": news})
	closed := section("Cellar", "product", false)
	below := product("Vintage", closed)
	p.must(owner, "POST", "/access-policies", map[string]any{"name": "Trade", "kind": "password", "resources": []any{
		map[string]any{"type": "category", "id": trade}, map[string]any{"type": "category", "id": news}, map[string]any{"type": "category", "id": closed},
		map[string]any{"type": "product", "id": alone}, map[string]any{"type": "site_folder", "id": handbook}}})
	pages := []struct {
		path, words string
		to          string // of a redirect
	}{
		{"/product/" + inTrade, "<title>Puerh", ""},
		{"/product/" + alone, "<title>Sheng", ""},
		{"/product/" + below, "<title>Vintage", ""},
		{"/category/" + closed, "<title>Cellar", ""},
		{"/article/" + article, "<title>Harvest", ""},
		{"/category/" + handbook, "", "/category/" + handbook + "/"},
		{"/category/" + handbook + "/", "<title>Manual", ""},
		{"/category/" + handbook + "/style.css", "color:green", ""},
		{"/category/" + handbook + "/parts", "", "/category/" + handbook + "/parts/"},
		{"/category/" + handbook + "/parts/", "Parts of it", ""},
		{"/category/" + trade, "", "/tradehall"}, // it has another address
	}
	absent := []string{"/category/" + handbook + "/missing.css", "/category/" + closed + "/missing", "/product/" + alone + "/missing"}
	for _, domain := range []string{"", "tea.example.test"} {
		if domain != "" {
			p.verb("shop", "domain", "--shop", "tea", "--domain", domain, "--at-once")
		}
		for name, by := range map[string]string{"owner's key": owner, "editor": editor, "draft key": draftKey} {
			link := p.must(by, "POST", "/drafts/preview", nil)["url"].(string)
			host, path, _ := strings.Cut(strings.TrimPrefix(link, "http://"), "/")
			if !strings.HasPrefix(host, "tea.localhost") {
				t.Errorf("%s, domain %q: the link is on %s", name, domain, host)
			}
			status, header, _ := p.visit("tea", "/"+path)
			cookie, _, _ := strings.Cut(header.Get("Set-Cookie"), ";")
			if status != 303 || cookie == "" {
				t.Fatalf("%s, domain %q: the link answers %d %v", name, domain, status, header)
			}
			for _, c := range pages {
				status, header, body := p.browse("GET", "tea", c.path, cookie)
				if c.to == "" && (status != 200 || !strings.Contains(body, c.words)) || c.to != "" && (status != 308 || header.Get("Location") != c.to) {
					t.Errorf("%s, domain %q, %s: %d %s %.200s", name, domain, c.path, status, header.Get("Location"), body)
				}
				if header.Get("Cache-Control") != "private, no-store" || header.Get("X-Robots-Tag") != "noindex" {
					t.Errorf("%s, domain %q, %s: %v", name, domain, c.path, header)
				}
			}
			for _, path := range absent {
				if status, _, _ := p.browse("GET", "tea", path, cookie); status != 404 {
					t.Errorf("%s, domain %q, %s: %d", name, domain, path, status)
				}
			}
		}
		for _, c := range pages {
			status, _, body := p.visit("tea", c.path)
			if status == 200 || c.words != "" && strings.Contains(body, c.words) {
				t.Errorf("a stranger, domain %q, %s: %d", domain, c.path, status)
			}
		}
	}
	r.stop()
}
