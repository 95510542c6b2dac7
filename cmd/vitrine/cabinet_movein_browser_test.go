package main

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// An export of Shopify with the traps that real ones have: rows of one handle with pictures of their
// own, a variant picture, a barcode with a wrong check digit, an apostrophe before a formula, a draft,
// a handle that cannot be a slug here, a sku that is used twice, negative stock, a picture that is gone.
const shopifyExport = "Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Variant SKU,Variant Grams,Variant Inventory Tracker,Variant Inventory Qty,Variant Price,Variant Compare At Price,Variant Barcode,Image Src,Image Position,Image Alt Text,Variant Image,SEO Title,SEO Description,Status\n" +
	`linen-shirt,Linen shirt,"<p>Soft, airy.</p><p><img src=""PICTURES/inside.png"" alt=""Weave""></p>",Acme,Shirts,"linen, summer",true,Size,S,LS-S,250,shopify,3,49.90,59.90,4006381333931,PICTURES/front.png,1,Front,PICTURES/front.png,Linen shirt to order,Airy,active` + "\n" +
	"linen-shirt,,,,,,,,M,LS-M,260,shopify,-2,49.90,,4006381333930,PICTURES/gone.png,2,Back,,,,\n" +
	"linen-shirt,,,,,,,,,,,,,,,,PICTURES/side.png,3,Side,,,,\n" +
	"cup,'=Cup,A cup,Acme,Kitchen,,true,Title,Default Title,CUP,300,,,12.00,,,PICTURES/front.png,1,,,,,active\n" +
	"2-plates,Two plates,Plates,Acme,Kitchen,,true,Title,Default Title,CUP,,,,20.00,,,,,,,,,active\n" +
	"secret,Secret,Draft,Acme,Kitchen,,true,Title,Default Title,SECRET,,,,1.00,,,,,,,,,draft\n"

// An export of WooCommerce: variations apart from their product, paths of categories, line ends as two
// characters, a product without a price, a group.
const wooExport = "ID,Type,SKU,Name,Published,Is featured?,Visibility in catalog,Short description,Description,Tax status,In stock?,Stock,Weight (kg),Sale price,Regular price,Categories,Tags,Images,Parent,Position,Attribute 1 name,Attribute 1 value(s),Attribute 1 visible,Attribute 1 global\n" +
	`11,variable,TEE,Tee,1,0,visible,,"Cotton.\nWarm.",taxable,1,,0.2,,,"Clothes > Tees, New",soft,"PICTURES/front.png, PICTURES/side.png",,0,Colour,"Red, Blue",1,1` + "\n" +
	"12,variation,TEE-R,Tee - Red,1,0,visible,,,taxable,1,4,,15,19,,,,TEE,1,Colour,Red,,1\n" +
	"13,variation,TEE-B,Tee - Blue,1,0,visible,,,taxable,1,0,,,19,,,,TEE,2,Colour,Blue,,1\n" +
	"14,\"simple, virtual\",CARD,Gift card,1,0,visible,,For friends,none,1,,,,25,New,,,,0,,,,\n" +
	"15,grouped,SET,Set,1,0,visible,,,taxable,1,,,,,New,,,,0,,,,\n"

// oldServer serves pictures as an old shop does.
func oldServer(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "gone.png") {
			http.NotFound(w, r)
			return
		}
		canvas := image.NewRGBA(image.Rect(0, 0, 320, 240))
		for x := range 320 {
			for y := range 240 {
				canvas.Set(x, y, color.RGBA{uint8(len(r.URL.Path) * 9), uint8(x / 2), uint8(y), 255})
			}
		}
		w.Header().Set("Content-Type", "image/png")
		_ = png.Encode(w, canvas) //nolint:errcheck // the client may be gone
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// choosesTexts puts files into the field of files of the page.
func (b *tab) choosesTexts(files map[string]string) {
	b.t.Helper()
	var list []string
	for name, text := range files {
		list = append(list, fmt.Sprintf("new File([%s], %s, { type: 'text/csv' })", quoted(text), quoted(name)))
	}
	b.until(`document.querySelector('input[type=file]')`)
	b.text(fmt.Sprintf(`((field) => {
		const carried = new DataTransfer();
		for (const file of [%s]) carried.items.add(file);
		field.files = carried.files;
		field.dispatchEvent(new Event('change', { bubbles: true }));
		return 'chosen';
	})(document.querySelector('input[type=file]'))`, strings.Join(list, ", ")))
}

// An owner brings a shop from Shopify and one from WooCommerce: plan, import, pictures, the pages of
// the shop, undo, import again. Old addresses lead to live pages in at most one hop.
func TestOwnerBringsAShopFromAnotherSystem(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.env = append(p.env, "VITRINE_ADMIN_URL=http://admin.localhost:"+portOf(t, p.admin), "VITRINE_OUTBOUND_ALLOW=127.0.0.0/8")
	p.start()
	pictures := oldServer(t)
	core, found := axeCore(t), map[string]bool{}
	for _, c := range []struct {
		width  int64
		slug   string
		file   string
		plan   []string
		hidden []string
		taken  string   // the slug of a product with two pictures that are there
		old    []string // addresses of the old shop
	}{
		{
			1280, "shirts", strings.ReplaceAll(shopifyExport, "PICTURES", pictures),
			[]string{"Plan: Shopify", "4 products", "2 variants", "Barcode dropped: it is not a valid number", "Stock below zero becomes 0", "SKU dropped: the files have it twice"},
			[]string{"/products/secret"}, "linen-shirt",
			[]string{"/products/linen-shirt", "/products/cup", "/products/linen-shirt?variant=1", "/collections/all/products/cup", "/products/2-plates", "/collections/summer/products/2-plates"},
		},
		{
			390, "tees", strings.ReplaceAll(wooExport, "PICTURES", pictures),
			[]string{"Plan: WooCommerce", "2 products", "2 variants", "Product left out: this kind does not exist here"},
			nil, "tee",
			[]string{"/product/tee/", "/?product=tee", "/?p=11", "/?post_type=product&p=14", "/product-category/clothes/tees/", "/product/gift-card/"},
		},
	} {
		key := p.shop(c.slug)
		b := cabinet(t, p, c.width)
		b.entersCabinet(c.slug+"@example.test", "a long password")
		b.until(`location.pathname === '/cabinet/` + c.slug + `/start'`)
		b.open("/cabinet/"+c.slug+"/transfer", c.width)
		b.pushes("Choose files")
		b.until(`location.pathname.endsWith('/transfer/move-in')`)
		b.fits("move-in-"+c.slug, c.width)
		b.axeHere(core, "move-in", found)

		b.choosesTexts(map[string]string{"export.csv": c.file})
		for _, text := range append(c.plan, "What does not come along") {
			b.shows(text)
		}
		b.fits("move-in-plan-"+c.slug, c.width)
		b.axeHere(core, "move-in plan", found)
		b.pushes("Import")
		b.shows("The import is done.")
		b.until(`/Pictures: (\d+) of \1\b/.test(document.body.innerText)`)
		b.fits("move-in-done-"+c.slug, c.width)
		b.axeHere(core, "move-in done", found)

		for _, path := range c.hidden {
			if status, _, _ := p.visit(c.slug, path); status == 200 {
				t.Errorf("%s is published", path)
			}
		}
		for _, path := range c.old {
			p.leadsOn(c.slug, path)
		}
		product := p.must(key, "GET", "/products/by-slug/"+c.taken, nil)
		if list := product["gallery"].([]any); len(list) != 2 {
			t.Errorf("the gallery of %s: %v", c.taken, list)
		}
		if text := itoa(product["description"]); strings.Contains(text, pictures) {
			t.Errorf("pictures of the text: %s", text)
		}

		b.pushes("Undo")
		b.shows("Undo this import?")
		b.pushes("Undo")
		b.shows("The import is undone.")
		b.fits("move-in-undone-"+c.slug, c.width)
		if left := p.must(key, "GET", "/products?page.number=1&page.limit=100", nil)["items"].([]any); len(left) != 0 {
			t.Errorf("an undo leaves %v", left)
		}
		b.choosesTexts(map[string]string{"export.csv": c.file})
		b.shows(c.plan[0])
		b.pushes("Import")
		b.shows("The import is done.")
		if again := p.must(key, "GET", "/products/by-slug/"+c.taken, nil); again["id"] == product["id"] {
			t.Error("the product that was removed is back")
		}
		b.quiet()
	}
}

// leadsOn checks that an old address answers 200, or one permanent redirect to a page that does.
func (p *program) leadsOn(slug, path string) {
	p.t.Helper()
	status, header, _ := p.visit(slug, path)
	if status == 301 || status == 308 {
		to := header.Get("Location")
		if at := strings.Index(to, "localhost"); at > 0 {
			to = to[at:]
			to = to[strings.IndexByte(to, '/'):]
		}
		if status, _, _ = p.visit(slug, to); status != 200 {
			p.t.Errorf("%s leads to %s, which answers %d", path, to, status)
		}
		return
	}
	if status != 200 {
		p.t.Errorf("%s answers %d", path, status)
	}
}
