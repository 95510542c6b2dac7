package main

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// designed is a shop with a layout, its own header and footer, a product template and a
// section template, all pushed as folders.
type designed struct {
	*program
	key     string
	theme   string
	product string // path of a product
	header  string // id of its document
}

const (
	layoutIndex = `<!doctype html><html><head><title>Layout</title><link rel="stylesheet" href="css/site.css">
<script>window.layoutHead = 1</script></head><body class="brand"><script>window.layoutFoot = 1</script></body></html>`
	layoutCSS   = `:root { --brand: #0b5d4e } body { background: #f6f3ec; font-family: Georgia, serif } .brand a { color: var(--brand) }`
	headerIndex = `<!doctype html><html><head><title>Header</title><link rel="stylesheet" href="h.css"></head><body style="display: block; background: #123; color: #fff; padding: 16px">
<nav style="display: flex; flex-wrap: wrap; gap: 16px"><a href="/" style="color: #fff">Tea House</a>
<span svc-for="m in menu"><a href="{{ m.url }}" style="color: #fff">{{ m.name }}</a><span svc-if="m.children"> (<i svc-for="c in m.children"><a href="{{ c.url }}" style="color: #fff">{{ c.name }}</a></i>)</span></span></nav>
<script>window.headerRan = (window.headerRan || 0) + 1</script></body></html>`
	footerIndex  = `<!doctype html><html><head><title>Footer</title></head><body style="padding: 24px; background: #e8e2d4"><p>Own footer, <a href="/about">about us</a></p></body></html>`
	productIndex = `<!doctype html><html><head><title>Product</title></head><body style="padding: 24px"><nav><span svc-for="c in crumbs">/ {{ c.name }} </span></nav><h1>{{ product.name }}</h1>
<b class="price">{{ product.price_text }}</b><ul><li svc-for="a in product.attributes">{{ a.name }}: {{ a.value }}</li></ul>
<button svc-add-to-cart="{{ product.id }}" svc-nonsense="x">Buy</button><img svc-for="g in product.gallery" src="{{ g.url }}" alt=""></body></html>`
	sectionIndex = `<!doctype html><html><head><title>All our teas</title></head><body style="padding: 24px"><h1>{{ category.name }}</h1><article svc-for="p in products"><a href="{{ p.url }}">{{ p.name }}</a> {{ p.price_text }}</article></body></html>`
)

// folder writes files into a new folder.
func (d *designed) folder(name string, files map[string]string) string {
	d.t.Helper()
	dir := filepath.Join(d.dir, name)
	for path, text := range files {
		file := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			d.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			d.t.Fatal(err)
		}
	}
	return dir
}

// document pushes a folder into a new document and returns a group that shows it.
func (d *designed) document(name, groupType, index string) (group string) {
	d.t.Helper()
	doc := itoa(d.must(d.key, "POST", "/html-documents", map[string]any{"item": map[string]any{"name": name, "level": 3}})["id"])
	d.verb(
		"push", d.folder(name, map[string]string{"index.html": index, "h.css": "nav { letter-spacing: 1px }"}), "--to",
		"doc:"+doc, "--admin", "http://"+d.admin, "--key", d.key,
	)
	if name == "header" {
		d.header = doc
	}
	block := d.block(name, "", "html", map[string]any{"html": map[string]any{"documentId": doc}})
	return d.block(name, groupType, "group", map[string]any{"widgets": []string{block}})
}

func (d *designed) block(name, groupType, kind string, props map[string]any) string {
	d.t.Helper()
	section := map[string]any{"type": "text", "payload": map[string]any{"v": 2, "kind": kind, "props": props}}
	return itoa(
		d.must(d.key, "POST", "/content-blocks", map[string]any{"item": map[string]any{"name": name, "group_type": groupType, "sections": []any{section}}})["id"],
	)
}

func (d *designed) bind(resource string, slots map[string]any) {
	d.t.Helper()
	d.must(d.key, "PUT", "/design/bindings/"+resource, map[string]any{"slots": slots})
}

func (d *designed) add(path string, item map[string]any) map[string]any {
	d.t.Helper()
	return d.must(d.key, "POST", path, map[string]any{"item": item})
}

func newDesigned(t *testing.T) *designed {
	d := &designed{program: newProgram(t)}
	d.key = d.shop("tea")
	d.start()
	teas := d.add("/categories", map[string]any{"name": "Teas", "type": "product", "is_published": true, "is_show_menu": true})
	green := d.add(
		"/categories",
		map[string]any{"name": "Green", "type": "product", "parent_id": teas["id"], "is_published": true, "is_show_menu": true},
	)
	news := d.add("/categories", map[string]any{"name": "News", "type": "news", "is_published": true, "is_show_menu": true})
	colour := d.add("/attributes", map[string]any{"name": "Origin", "options": []any{map[string]any{"value": "uji", "label": "Uji <Kyoto>"}}})
	product := d.add(
		"/products",
		map[string]any{
			"name": `Sencha "First" & {{ menu }}`, "price": map[string]any{"price": 12}, "category_id": green["id"],
			"is_published": true, "seo": map[string]any{"slug": "sencha"},
			"attributes": []any{map[string]any{"attribute_id": colour["id"], "values": []string{"uji"}}},
		},
	)
	d.product = "/teas/green/" + product["slug"].(string)
	for _, title := range []string{"First flush", "Second flush"} {
		d.add("/articles", map[string]any{"title": title, "category_id": news["id"], "is_published": true, "announce": "From the gardens."})
	}
	d.theme = d.block("Look", "theme", "group", map[string]any{"widgets": []string{}})
	chrome := map[string]any{"header": d.document("header", "chrome", headerIndex), "footer": d.document("footer", "chrome", footerIndex)}
	d.bind("theme/"+d.theme, chrome)
	d.bind("category_children/"+itoa(teas["id"]), map[string]any{"body": d.document("product", "product", productIndex)})
	d.bind("category/"+itoa(teas["id"]), map[string]any{"body": d.document("section", "category", sectionIndex)})
	d.verb("push", d.folder("layout", map[string]string{"index.html": layoutIndex, "css/site.css": layoutCSS, "favicon.png": redSquare(t)}),
		"--to", "theme:"+d.theme, "--admin", "http://"+d.admin, "--key", d.key)
	return d
}

func redSquare(t *testing.T) string {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, 256, 256))
	for i := range 256 * 256 {
		img.SetNRGBA(i%256, i/256, color.NRGBA{180, 20, 20, 255})
	}
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// expect checks that a page contains the given parts; parts beginning with "!" must not
// occur.
func (d *designed) expect(path string, parts ...string) {
	d.t.Helper()
	status, _, body := d.visit("tea", path)
	if status != 200 {
		d.t.Fatalf("%s answers %d", path, status)
	}
	for _, part := range parts {
		text, forbidden := strings.CutPrefix(part, "!")
		if strings.Contains(body, text) == forbidden {
			d.t.Errorf("%s: %s\n%s", path, part, body)
		}
	}
}

// The pages of a shop designed by folders: the places of the documents, and what guarded
// pages leave out (document 3, 4.1 and 4.6).
func TestShopDesignedByFolders(t *testing.T) {
	t.Parallel()
	d := newDesigned(t)
	site := d.must(d.key, "GET", "/themes/"+d.theme+"/site", nil)
	scope, base := site["scope_class"].(string), site["base"].(string)
	menu := `<a href="/teas" style="color: #fff">Teas</a><span> (<i><a href="/teas/green" style="color: #fff">Green</a></i>)</span>`
	layout := []string{
		`<body class="svc-body ` + scope + ` brand">`, `href="` + base + `css/site.css"`,
		"." + scope + "{ background: #f6f3ec", "layoutHead = 1", "layoutFoot = 1",
		`<link rel="icon" href="` + base + `svc-icons/icon-32.png" type="image/png" sizes="32x32">`,
		`<link rel="apple-touch-icon" href="` + base + `svc-icons/icon-180.png" sizes="180x180">`, menu, "headerRan",
		`/h.css"`, "Own footer", "!v-header", "!v-footer",
	}
	d.expect("/", append(layout, "!All our teas")...)
	d.expect(
		"/teas",
		append(
			layout, "<title>All our teas", "<h1>Teas</h1>", `<a href="`+d.product+`">Sencha "First" &amp; {{ menu }}</a> €12`,
			"!v-products",
		)...)
	d.expect("/teas/green", append(layout, "!<h1>Teas</h1>", "v-crumbs")...)
	d.expect(
		d.product,
		append(
			layout, `<h1>Sencha "First" &amp; {{ menu }}</h1>`, "<li>Origin: Uji &lt;Kyoto&gt;</li>", `svc-add-to-cart="1"`,
			"!svc-nonsense", "!v-buy", "/ Teas ", "!{{ product",
		)...)
	d.expect("/news", append(layout, `<h1>News</h1>`, `class="v-notes v-notes--3 v-notes--cover-3-4"`, "First flush", "Second flush")...)
	d.expect(
		"/news/first-flush",
		append(
			layout, `<div class="v-article__main">`, `<h1 class="v-article__title">First flush</h1>`,
			`<div class="v-article__aside">`, `<a href="/news/second-flush">`, `!<a href="/news/first-flush">`,
		)...)
	d.expect(
		"/cart", menu, "Own footer", "padding: 16px", `svc-icons/icon-32.png`, "!headerRan", "!h.css", "!"+scope+" ",
		"!css/site.css", "!layoutHead", "!layoutFoot", "!v-header", `data-v-zone`,
	)
	d.guardedInABrowser()
}

// guardedInABrowser checks the pages in a browser: the layout's style sheet applies to the
// whole page, and no script of it or of the header runs in the cart.
func (d *designed) guardedInABrowser() {
	t := d.t
	_, port, err := net.SplitHostPort(d.edge)
	if err != nil {
		t.Fatal(err)
	}
	ctx := browser(t)
	seen := &faults{}
	if err := seen.listen(ctx); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int64{1280, 390} {
		for _, path := range []string{"/", "/teas", d.product, "/news", "/news/first-flush", "/cart"} {
			if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate("http://tea.localhost:"+port+path)); err != nil {
				t.Fatal(err)
			}
			d.looks(t, ctx, path, width)
			for _, fault := range seen.take() {
				t.Errorf("%s at %d px: %s", path, width, fault)
			}
			shoot(t, ctx, "/design"+path, width)
		}
	}
}

func (d *designed) looks(t testing.TB, ctx context.Context, path string, width int64) {
	guarded := path == "/cart"
	for expression, want := range map[string]int64{
		`document.documentElement.scrollWidth - document.documentElement.clientWidth`:           0,
		`getComputedStyle(document.body).backgroundColor === "rgb(246, 243, 236)" ? 1 : 0`:      truth(!guarded),
		`getComputedStyle(document.body).fontFamily.includes("Georgia") ? 1 : 0`:                truth(!guarded),
		`(window.headerRan || 0) + (window.layoutHead || 0) + (window.layoutFoot || 0)`:         3 * truth(!guarded),
		`document.querySelectorAll("body > .svc-body-` + d.header + ` a[href='/teas']").length`: 1,
		`document.querySelectorAll("h1").length`:                                                1,
	} {
		if got := evaluate(t, ctx, expression); got != want {
			t.Errorf("%s at %d px: %s is %d, not %d", path, width, expression, got, want)
		}
	}
}

func truth(holds bool) int64 {
	if holds {
		return 1
	}
	return 0
}
