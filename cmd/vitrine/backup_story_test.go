package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	links   = regexp.MustCompile(`href="(/[^"#]*)"|<img[^>]* src="(/[^"#?]*)"`)
	numbers = regexp.MustCompile(`[0-9]+`)
)

// crawl visits what can be reached from the home page of a shop.
func crawl(p *program, slug string, most int) (pages map[string]string, paths []string) {
	pages, paths = map[string]string{}, []string{"/"}
	for i := 0; i < len(paths) && i < most; i++ {
		status, header, body := p.visit(slug, paths[i])
		pages[paths[i]] = itoa(status) + " " + header.Get("Content-Type") + " " + header.Get("Location") + "\n" + body
		if !strings.HasPrefix(header.Get("Content-Type"), "text/html") {
			continue
		}
		for _, m := range links.FindAllStringSubmatch(body, -1) {
			if path := m[1] + m[2]; !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	return pages, paths
}

// neutral is a page without what an import changes: the host and the ids.
func neutral(p *program, slug, page string) string {
	page = strings.ReplaceAll(page, strings.Replace(p.edge, "127.0.0.1", slug+".localhost", 1), "HOST")
	return numbers.ReplaceAllString(page, "#")
}

// furnish fills a shop with something of everything that pages show.
func furnish(p *program, key string) {
	p.t.Helper()
	add := func(path string, item map[string]any) string {
		return itoa(p.must(key, "POST", path, map[string]any{"item": item})["id"])
	}
	section := func(name, kind, parent string) string {
		return add("/categories", map[string]any{"name": name, "type": kind, "parent_id": parent, "is_published": true, "is_show_menu": true})
	}
	add("/categories", map[string]any{"name": "Gone", "type": "page"}) // ids are not 1, 2, 3
	tea := section("Tea", "product", "0")
	green, about, news := section("Green", "product", tea), section("About", "page", "0"), section("News", "news", "0")
	for _, name := range []string{"Sencha", "Gyokuro", "Matcha"} {
		add("/products", map[string]any{"name": name, "price": map[string]any{"price": 1290}, "category_id": green, "is_published": true,
			"description": name + " <b>", "seo": map[string]any{"slug": strings.ToLower(name)}})
	}
	add("/articles", map[string]any{"title": "First flush", "category_id": news, "is_published": true, "announce": "It is here"})
	doc := add("/html-documents", map[string]any{"name": "landing", "level": 3})
	html := "<!doctype html><title>t</title><body><p>Welcome.</p></body>"
	p.must(key, "POST", "/html-documents/"+doc+"/releases/"+p.release(key, doc, html)+"/publish", map[string]any{})
	widget := func(kind string, props map[string]any) string {
		return add("/content-blocks", map[string]any{"name": kind, "sections": []any{
			map[string]any{"type": "text", "payload": map[string]any{"v": 2, "kind": kind, "props": props}}}})
	}
	for page, block := range map[string]string{
		about: widget("html", map[string]any{"html": map[string]any{"documentId": doc}}),
		tea:   widget("productListing", map[string]any{"listing": map[string]any{"categoryId": green, "limit": 2}}),
		news:  widget("articleGrid", map[string]any{"articleGrid": map[string]any{"categoryId": news, "limit": 3}}),
	} {
		p.must(key, "PUT", "/categories/"+page+"/content-blocks", map[string]any{"items": []any{map[string]any{"block_id": block, "sort_order": 1}}})
	}
	header := add("/content-blocks", map[string]any{"name": "header", "group_type": "chrome", "sections": []any{
		map[string]any{"type": "text", "payload": map[string]any{"v": 2, "kind": "text", "props": map[string]any{"text": "Everything for tea"}}}}})
	p.must(key, "PUT", "/design/bindings/shop/0", map[string]any{"slots": map[string]any{"header": header}})
	add("/storefront-redirects", map[string]any{"from_path": "/old", "to_target": "/tea/green", "enabled": true})
}

func TestAShopMovesToAnotherInstallation(t *testing.T) {
	t.Parallel()
	from, to := newProgram(t), newProgram(t)
	key := from.shop("tea")
	r := from.start()
	furnish(from, key)
	want, paths := crawl(from, "tea", 40)
	for _, path := range []string{"/", "/tea/green/sencha", "/about", "/news/first-flush", "/old", "/sitemap.xml"} {
		status, header, body := from.visit("tea", path)
		want[path] = itoa(status) + " " + header.Get("Content-Type") + " " + header.Get("Location") + "\n" + body
		if status >= 400 && path != "/sitemap.xml" {
			t.Errorf("%s answers %d", path, status)
		}
	}
	if !strings.Contains(want["/about"], "Welcome.") || !strings.Contains(want["/tea"], "Everything for tea") {
		t.Errorf("the shop shows too little to compare: %s", want["/about"])
	}
	if len(want) < 10 {
		t.Fatalf("only %d pages: %v", len(want), paths)
	}
	file := filepath.Join(from.dir, "shop.zip")
	exported := from.verb("shop", "export", "--shop", "tea", "--to", file)["exported"].(map[string]any)
	r.stop()

	to.shop("other") // so that ids differ
	imported := to.verb("shop", "import", "--from", file)["imported"].(map[string]any)
	if exported["rows"] != imported["rows"] || exported["blobs"] != imported["blobs"] || exported["rows"].(float64) < 20 || exported["blobs"] == 0.0 {
		t.Errorf("exported %v, imported %v", exported, imported)
	}
	to.verb("shop", "import", "--from", file, "--slug", "copy")
	if _, stderr, err := to.run("shop", "import", "--from", file); err == nil || !strings.Contains(stderr, "SHOP_SLUG_TAKEN") || !strings.Contains(stderr, "--slug") {
		t.Errorf("the slug is taken: %v %s", err, stderr)
	}
	to.start()
	for _, slug := range []string{"tea", "copy"} {
		for path, page := range want {
			status, header, body := to.visit(slug, path)
			got := itoa(status) + " " + header.Get("Content-Type") + " " + header.Get("Location") + "\n" + body
			if a, b := neutral(from, "tea", page), neutral(to, slug, got); a != b {
				t.Errorf("%s of %s differs:\n%s", path, slug, firstDifference(a, b))
			}
		}
	}
}

func firstDifference(a, b string) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	from := max(0, i-120)
	return "was  " + a[from:min(len(a), i+200)] + "\nnow  " + b[from:min(len(b), i+200)]
}

func TestBackupsRefuseInWords(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.shop("tea")
	good, bad := filepath.Join(p.dir, "good.zip"), filepath.Join(p.dir, "bad.zip")
	p.verb("shop", "export", "--shop", "tea", "--to", good)
	if err := os.WriteFile(bad, []byte("no zip"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"shop", "export", "--shop", "none", "--to", bad + "2"},
		{"shop", "export", "--shop", "tea", "--to", good},
		{"shop", "import", "--from", bad},
		{"shop", "import", "--from", good},
		{"shop", "import", "--from", good, "--slug", "Not a slug"},
	} {
		stdout, stderr, err := p.run(args...)
		if err == nil || len(stdout) != 0 || !strings.HasPrefix(stderr, "vitrine: ") || strings.Contains(stderr, "SQLSTATE") {
			t.Errorf("%v: %v, printed %q and %q", args, err, stdout, stderr)
		}
	}
}
