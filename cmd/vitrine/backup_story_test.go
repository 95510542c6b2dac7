package main

import (
	"bytes"
	"cmp"
	"html"
	"image"
	pngs "image/png"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/shop"
)

var (
	links   = regexp.MustCompile(`(?:href|src)="(/[^"#]*)"|(/(?:w|files|_html)/[^ ",)#]+)`)
	numbers = regexp.MustCompile(`[0-9]+`)
)

// seen is the part of a response that visitors and caches use. ETags and the version in
// addresses depend on the shop's history and are left out.
func seen(status int, header http.Header, body string) string {
	text := itoa(status)
	for _, name := range []string{"Content-Type", "Location", "Cache-Control", "X-Redirect-By", "Surrogate-Key", "Vary"} {
		text += " " + name + "=" + header.Get(name)
	}
	return text + "\n" + body
}

// served visits a page until the shop answers: a busy machine may be late with the first ones.
func (p *program) served(slug, path string) (status int, header http.Header, body string) {
	p.t.Helper()
	wait(p.t, "the page "+path, func() bool {
		status, header, body = p.visit(slug, path)
		return status != http.StatusServiceUnavailable
	})
	return status, header, body
}

// mostPictures is the maximum number of picture sizes requested by a crawl, because each has
// to be created.
const mostPictures = 40

// crawl visits all pages reachable from the given paths, and some pictures.
func crawl(p *program, slug string, most int, paths ...string) (pages map[string]string) {
	pages = map[string]string{}
	pictures := 0
	for i := 0; i < len(paths) && len(pages) < most; i++ {
		if strings.HasPrefix(paths[i], "/w/") {
			if pictures++; pictures > mostPictures {
				continue
			}
		}
		status, header, body := p.served(slug, paths[i])
		pages[paths[i]] = seen(status, header, body)
		if !strings.HasPrefix(header.Get("Content-Type"), "text/html") {
			continue
		}
		for _, m := range links.FindAllStringSubmatch(body, -1) {
			path := html.UnescapeString(m[1] + m[2])
			// The form of a question is the same for every product, except for the product's
			// id.
			if !slices.Contains(paths, path) && !strings.HasPrefix(path, shop.QuestionPrefix) {
				paths = append(paths, path)
			}
		}
	}
	return pages
}

// moved pairs every id of a shop with the one in another installation, matched by visible
// properties of the entities.
type moved map[[2]string]bool

// ids lists the entities of the shop in the order of their ids.
func (p *program) ids(key string) (found [][2]string) {
	p.t.Helper()
	add := func(kind string, list any) {
		entries := list.([]any)
		slices.SortFunc(entries, func(a, b any) int {
			x, y := itoa(a.(map[string]any)["id"]), itoa(b.(map[string]any)["id"])
			return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y))
		})
		for _, e := range entries {
			e := e.(map[string]any)
			found = append(found, [2]string{kind + " " + itoa(e["name"]) + itoa(e["title"]) + itoa(e["from_path"]) + itoa(e["note"]), itoa(e["id"])})
		}
	}
	list := func(path string) any {
		_, answer := p.call(key, "GET", path, nil)
		return answer["result"]
	}
	for _, path := range []string{"/categories", "/articles", "/content-blocks", "/html-documents", "/attributes", "/storefront-redirects"} {
		add(path, list(path))
	}
	products := list("/products").(map[string]any)["items"].([]any)
	add("/products", products)
	for _, product := range products {
		id := itoa(product.(map[string]any)["id"])
		if variants, ok := list("/products/" + id).(map[string]any)["variants"].([]any); ok {
			add("variants of "+itoa(product.(map[string]any)["name"]), variants)
		}
	}
	for _, d := range list("/html-documents").([]any) {
		add("releases", list("/html-documents/"+itoa(d.(map[string]any)["id"])+"/releases"))
	}
	return append(found, [2]string{"shop", itoa(p.must(key, "GET", "/v1/orgs/current", nil)["id"])})
}

// pair maps the old ids to the new ones. Both shops must have the same entities.
func pair(t *testing.T, old, fresh [][2]string) moved {
	t.Helper()
	if len(old) != len(fresh) {
		t.Fatalf("%d entities became %d: %v\n%v", len(old), len(fresh), old, fresh)
	}
	pairs, same := moved{}, 0
	for i := range old {
		if old[i][0] != fresh[i][0] {
			t.Errorf("%s became %s", old[i][0], fresh[i][0])
		}
		if old[i][1] == fresh[i][1] {
			same++
		}
		pairs[[2]string{old[i][1], fresh[i][1]}] = true
	}
	t.Logf("%d entities, %d of them with the same id", len(old), same)
	if same > 0 {
		t.Errorf("%d entities have the same id by chance: an unmapped reference would not be noticed", same)
	}
	return pairs
}

// difference compares pages byte for byte. A number may differ only if one is the id that the
// other was mapped to; mapped counts those. It is empty for equal pages.
func (m moved) difference(a, b string) (mapped int, difference string) {
	x, y := numbers.FindAllStringIndex(a, -1), numbers.FindAllStringIndex(b, -1)
	i, j := 0, 0
	for n := range min(len(x), len(y)) {
		old, fresh := a[x[n][0]:x[n][1]], b[y[n][0]:y[n][1]]
		if a[i:x[n][0]] != b[j:y[n][0]] || old != fresh && !m[[2]string{old, fresh}] {
			break
		}
		if old != fresh {
			mapped++
		}
		i, j = x[n][1], y[n][1]
	}
	if a[i:] == b[j:] {
		return mapped, ""
	}
	return mapped, "was  " + a[max(0, i-80):min(len(a), i+300)] + "\nnow  " + b[max(0, j-80):min(len(b), j+300)]
}

// path maps the path of a page to the other installation: addresses of html documents and
// forms contain ids.
func (m moved) path(path string) string {
	if form, ok := strings.CutPrefix(path, "/_vitrine/form/"); ok {
		for pair := range m {
			if tail, ok := strings.CutPrefix(form, pair[0]); ok {
				return "/_vitrine/form/" + pair[1] + tail
			}
		}
	}
	parts := strings.Split(path, "/")
	if len(parts) < 4 || parts[1] != "_html" {
		return path
	}
	for pair := range m {
		for _, i := range []int{2, 3} {
			if parts[i] == pair[0] {
				parts[i] = "=" + pair[1]
			}
		}
	}
	return strings.ReplaceAll(strings.Join(parts, "/"), "=", "")
}

// hostless is a page with its host removed.
func hostless(p *program, slug, page string) string {
	return strings.ReplaceAll(page, strings.Replace(p.edge, "127.0.0.1", slug+".localhost", 1), "HOST")
}

// furnish fills a shop with every kind of content that pages show.
func furnish(p *program, key string) {
	p.t.Helper()
	add := func(path string, item map[string]any) string {
		return itoa(p.must(key, "POST", path, map[string]any{"item": item})["id"])
	}
	section := func(name, kind, parent string) string {
		return add("/categories", map[string]any{"name": name, "type": kind, "parent_id": parent, "is_published": true, "is_show_menu": true})
	}
	add("/categories", map[string]any{"name": "Gone", "type": "page"}) // so that ids differ from 1, 2, 3
	tea := section("Tea", "product", "0")
	green, about, news := section("Green", "product", tea), section("About", "page", "0"), section("News", "news", "0")
	picture := p.picture(key)
	add("/attributes", map[string]any{"name": "Gone too", "options": []any{}})
	colour := add("/attributes", map[string]any{"name": "Colour", "options": []any{map[string]any{"value": "dark", "label": "Dark green"}}})
	items := []any{map[string]any{"file": map[string]any{"id": picture}, "caption": "Leaves"}}
	add("/galleries", map[string]any{"name": "Not linked"})
	leaves, harvest := add(
		"/galleries", map[string]any{"name": "Leaves", "items": items},
	), add(
		"/galleries", map[string]any{"name": "Harvest", "items": items},
	)
	add("/products", map[string]any{"name": "Bancha", "category_id": green, "is_published": true, "gallery_ids": []any{harvest, leaves}})
	for _, name := range []string{"Sencha", "Gyokuro", "Matcha"} {
		id := add(
			"/products",
			map[string]any{
				"name": name, "price": map[string]any{"price": 1290}, "category_id": green, "categories": []any{tea},
				"is_published": true, "description": name + " <b>", "seo": map[string]any{"slug": strings.ToLower(name)},
				"gallery":    []any{map[string]any{"id": picture}},
				"attributes": []any{map[string]any{"attribute_id": colour, "values": []any{"dark"}}},
			},
		)
		p.must(key, "PUT", "/products/"+id+"/variants", map[string]any{"items": []any{
			map[string]any{
				"sku": name + "-50", "title": "50 g", "price": 700, "image_id": picture, "gallery_id": leaves,
			}, map[string]any{"sku": name + "-100", "title": "100 g"}}})
	}
	add(
		"/articles",
		map[string]any{
			"title": "First flush", "category_id": news, "is_published": true, "announce": "It is here", "cover_id": picture,
			"gallery_ids": []any{harvest},
		},
	)
	p.must(key, "PUT", "/categories/"+green, map[string]any{"item": map[string]any{"preview_id": picture}})
	doc := add("/html-documents", map[string]any{"name": "landing", "level": 3})
	page := "<!doctype html><title>t</title><body><p>Welcome.</p><a href=\"svc:page/" + green + "\">green</a><i svc-for=\"p in products\">{{ p.name }} {{ p.url }}</i></body>"
	p.must(key, "POST", "/html-documents/"+doc+"/releases/"+p.release(key, doc, page)+"/publish", map[string]any{})
	widget := func(kind string, props map[string]any) string {
		return add("/content-blocks", map[string]any{"name": kind, "sections": []any{
			map[string]any{"type": "text", "payload": map[string]any{"v": 2, "kind": kind, "props": props}}}})
	}
	for page, block := range map[string]string{
		about: widget("html", map[string]any{"html": map[string]any{"documentId": doc}}),
		tea:   widget("productListing", map[string]any{"listing": map[string]any{"categoryId": green, "limit": 2}}),
		news:  widget("articleGrid", map[string]any{"articleGrid": map[string]any{"categoryId": news, "limit": 3}}),
	} {
		p.must(
			key, "PUT", "/categories/"+page+"/content-blocks",
			map[string]any{"items": []any{map[string]any{"block_id": block, "sort_order": 1}}},
		)
	}
	header := add("/content-blocks", map[string]any{"name": "header", "group_type": "chrome", "sections": []any{
		map[string]any{
			"type":    "text",
			"payload": map[string]any{"v": 2, "kind": "text", "props": map[string]any{"text": "Everything for tea"}},
		}}})
	p.must(key, "PUT", "/design/bindings/shop/0", map[string]any{"slots": map[string]any{"header": header}})
	for from, to := range map[string]string{"/old": "/tea/green", "/gone/*": "/tea", "/away": "/about"} {
		add("/storefront-redirects", map[string]any{"from_path": from, "to_target": to, "enabled": true})
	}
	p.must(
		key, "PUT", "/categories/"+about, map[string]any{"item": map[string]any{"seo": map[string]any{"slug": "about-us"}}},
	) // the slug journal redirects
}

// picture uploads a picture and returns its id.
func (p *program) picture(key string) string {
	p.t.Helper()
	var png bytes.Buffer
	shades := image.NewRGBA(image.Rect(0, 0, 900, 600))
	for i := range shades.Pix {
		shades.Pix[i] = byte(i / 97)
	}
	if err := pngs.Encode(&png, shades); err != nil {
		p.t.Fatal(err)
	}
	return p.upload(key, "tea.png", png.Bytes())
}

// upload stores a picture and returns its id.
func (p *program) upload(key, name string, file []byte) string {
	p.t.Helper()
	return p.uploadAs(key, "image", name, file)
}

// uploadAs stores a file of a type and returns its id.
func (p *program) uploadAs(key, kind, name string, file []byte) string {
	p.t.Helper()
	_, answer := p.call(key, "POST", "/v1/storages/files", map[string]any{"section": "content", "file_type": kind, "original_name": name})
	upload := answer["upload"].(map[string]any)
	request, err := http.NewRequest("PUT", itoa(upload["url"]), bytes.NewReader(file))
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/octet-stream")
	response, err := http.DefaultClient.Do(request)
	if err != nil || response.StatusCode >= 300 {
		p.t.Fatalf("upload: %v %v", response, err)
	}
	if err := response.Body.Close(); err != nil {
		p.t.Fatal(err)
	}
	p.must(key, "POST", "/v1/storages/files/"+itoa(upload["id"])+"/done", nil)
	return itoa(answer["result"].(map[string]any)["id"])
}

// kinds are an address for each kind of response, and a text that it must contain for the
// comparison to be meaningful.
var kinds = map[string]string{
	"/": "200", "/tea": "Everything for tea", "/tea/green": "Sencha", "/tea/green/sencha": "Dark green", "/about-us": "Welcome.", "/about": "308",
	"/news": "First flush", "/news/first-flush": "200", "/old": "308", "/gone/by": "308", "/away": "308", "/nowhere/at/all": "404", "/article/first-flush": "308",
	"/robots.txt": "200", "/sitemap.xml": "", "/old.html": "", "/tea/nothing": "",
}

func TestShopMovesToAnotherInstallation(t *testing.T) {
	t.Parallel()
	from, to := newProgram(t), newProgram(t)
	key := from.shop("tea")
	r := from.start()
	furnish(from, key)
	want := crawl(from, "tea", 80, slices.Sorted(maps.Keys(kinds))...)
	pictures := 0
	for path, page := range want {
		if !strings.Contains(page, kinds[path]) {
			t.Errorf("%s has too little content to compare:\n%.900s", path, page)
		}
		if strings.HasPrefix(page, "200 Content-Type=image/webp") {
			pictures++
		}
	}
	if len(want) < 25 || pictures < 3 {
		t.Fatalf("only %d addresses, %d of them pictures: %v", len(want), pictures, slices.Sorted(maps.Keys(want)))
	}
	things := from.ids(key)
	file := filepath.Join(from.dir, "shop.zip")
	exported := from.verb("shop", "export", "--shop", "tea", "--to", file)["exported"].(map[string]any)
	r.stop()

	other := to.shop("other")
	to.start()
	for range 40 { // so that all ids differ
		to.must(other, "POST", "/categories", map[string]any{"item": map[string]any{"name": "Other"}})
	}
	furnish(to, other)
	imported := to.verb("shop", "import", "--from", file)["imported"].(map[string]any)
	if exported["rows"] != imported["rows"] || exported["blobs"] != imported["blobs"] || exported["rows"].(float64) < 20 ||
		exported["blobs"] == 0.0 {
		t.Errorf("exported %v, imported %v", exported, imported)
	}
	to.verb("shop", "import", "--from", file, "--slug", "copy")
	if _, stderr, err := to.run("shop", "import", "--from", file); err == nil || !strings.Contains(stderr, "SLUG_TAKEN") ||
		!strings.Contains(stderr, "--slug") {
		t.Errorf("importing under a taken slug: %v %s", err, stderr)
	}
	for _, slug := range []string{"tea", "copy"} {
		pairs := pair(t, things, to.ids(to.verb("key", "issue", "--shop", slug, "--scopes", "all")["key"].(string)))
		mapped := 0
		for path, page := range want {
			got := seen(to.served(slug, pairs.path(path)))
			a, b := hostless(from, "tea", page), hostless(to, slug, got)
			n, difference := pairs.difference(a, b)
			if mapped += n; difference != "" {
				t.Errorf("%s of %s differs:\n%s", path, slug, difference)
			}
		}
		t.Logf("%s: %d addresses, %d of them pictures, equal except for %d ids", slug, len(want), pictures, mapped)
	}
}

func TestBackupErrorsAreReadable(t *testing.T) {
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
