package main

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// galleryShop is a shop with a product of two variants, the second of which has its own
// gallery, and a page with widgets: a listing that opens products in a dialog, and a form.
func galleryShop(t *testing.T) (b *tab, product string) {
	b = visitShop(t, func(p *program, key string) {
		gallery := func(name string) any {
			return p.must(key, "POST", "/galleries", map[string]any{"item": map[string]any{"name": name, "items": []any{
				map[string]any{"file": map[string]any{"id": p.picture(key)}}, map[string]any{"file": map[string]any{"id": p.picture(key)}},
				map[string]any{"kind": "html", "html": `<script>parent.document.title = 'out'</script>`}}}})["id"]
		}
		row := p.must(key, "POST", "/products", map[string]any{"item": map[string]any{
			"name": "Bowl", "is_published": true, "price": map[string]any{"price": 40}, "gallery_ids": []any{gallery("plain")}}})
		product = "/product/" + itoa(row["id"])
		p.must(key, "PUT", "/products/"+itoa(row["id"])+"/variants", map[string]any{"items": []any{
			map[string]any{
				"sku": "WHITE", "title": "White", "price": 40,
			}, map[string]any{"sku": "RED", "title": "Red", "price": 55, "gallery_id": gallery("red")}}})
		form := p.must(key, "POST", "/forms", map[string]any{"item": map[string]any{"name": "Ask", "fields": []any{map[string]any{"name": "closest", "type": "text", "required": true}}}})["id"]
		page := p.must(
			key, "POST", "/categories",
			map[string]any{"item": map[string]any{"name": "Look", "type": "page", "is_published": true, "seo": map[string]any{"slug": "look"}}},
		)
		var items []any
		for i, s := range []map[string]any{
			{"kind": "productListing", "props": map[string]any{"listing": map[string]any{"source": "shop", "cardClick": "modal"}}},
			{"kind": "form", "props": map[string]any{"form": map[string]any{"formId": form, "successText": "Soon"}}},
		} {
			s["v"] = 2
			id := p.must(key, "POST", "/content-blocks", map[string]any{"item": map[string]any{"name": "b", "sections": []any{map[string]any{"type": "text", "payload": s}}}})["id"]
			items = append(items, map[string]any{"block_id": id, "sort_order": i})
		}
		p.must(key, "PUT", "/categories/"+itoa(page["id"])+"/content-blocks", map[string]any{"items": items})
	})
	return b, product
}

// shownSlide is the visible slide of the galleries.
const shownSlide = `[...document.querySelectorAll('.v-gallery__slide')].filter(s => s.checkVisibility()).map(s => s.id).join(' ')`

func TestGalleryFollowsTheVariantInABrowser(t *testing.T) {
	t.Parallel()
	b, product := galleryShop(t)
	b.open(product, 1280)
	b.is(shownSlide, "photo-0-0")
	b.click(".v-gallery[data-set='0'] li:nth-child(2) a")
	b.is(shownSlide, "photo-0-1")
	b.click("label:has([value='" + b.text(`document.querySelectorAll('[name=variant]')[1].value`) + "'])")
	b.until(`document.querySelector('.v-price__now').textContent === '€55'`)
	b.is(shownSlide, "photo-1-0")
	b.click(".v-gallery[data-set='1'] li:nth-child(3) a")
	b.is(shownSlide, "photo-1-2")
	b.until(`document.querySelector('#photo-1-2 iframe').sandbox.value === 'allow-scripts allow-popups'`)
	b.is(`document.title.includes('out')`, "false")
	b.open(product+"?variant=RED", 390)
	b.is(shownSlide, "photo-1-0")
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	b.open(product, 390)
	b.is(
		`document.querySelector('.v-gallery[data-set="0"]').checkVisibility() && !document.querySelector('.v-gallery[data-set="1"]').checkVisibility()`,
		"true",
	)
	b.click("label:has([data-set='1'])")
	b.is(
		`document.querySelector('.v-gallery[data-set="1"]').checkVisibility() && !document.querySelector('.v-gallery[data-set="0"]').checkVisibility()`,
		"true",
	)
	b.open(product+"?variant=RED", 390)
	b.is(
		`[document.querySelector('.v-price__now').textContent, document.querySelector('.v-gallery[data-set="1"]').checkVisibility()]`,
		"€55,true",
	)
}

// Products of a listing open in a dialog by keyboard, and closing it returns the focus.
func TestListingOpensProductsInADialog(t *testing.T) {
	t.Parallel()
	b, _ := galleryShop(t)
	b.open("/look", 1280)
	b.text(`[...document.querySelectorAll('.v-card a')].find(a => a.textContent === 'Bowl').focus()`)
	b.presses(kb.Enter)
	b.until(`document.querySelector('dialog[open] .v-product h1')?.textContent === 'Bowl'`)
	b.is(`[location.pathname, document.querySelector('dialog').contains(document.activeElement)]`, "/look,true")
	shoot(t, b.ctx, "/window", 1280)
	b.click("dialog label:has([data-set='1'])")
	b.until(`document.querySelector('dialog .v-price__now').textContent === '€55'`)
	b.text(`(sent => {
		fetch = async (address, ...more) => {
			const answer = await sent(address, ...more)
			if (String(address.url ?? address).includes('/cart/drawer')) await new Promise((go) => { letDrawerIn = go })
			return answer
		}
	})(fetch)`)
	b.click("dialog [data-v-add=cart]")
	b.until(`document.querySelector('[data-v-cart-count]').textContent === '1' && window.letDrawerIn`)
	b.presses(kb.Escape)
	b.until(`!document.querySelector('dialog') && document.activeElement.textContent === 'Bowl'`)
	b.text(`letDrawerIn(setTimeout(() => { letDrawerIn = null }, 300))`) // a request of the dialog is answered late
	b.until(`!letDrawerIn`)
	b.is(`[document.querySelectorAll('dialog').length, document.activeElement.textContent]`, "0,Bowl")
	b.text(`[...document.querySelectorAll('.v-card a')].find(a => a.textContent === 'Sencha').click()`) // this one is drawn by a document
	b.until(`location.pathname.endsWith('/sencha')`)
}

// A form with a field that shadows a form method is sent in place, too.
func TestFormWidgetIsSentInPlace(t *testing.T) {
	t.Parallel()
	b, _ := galleryShop(t)
	b.open("/look", 390)
	b.click("main [name=closest]")
	b.presses("Tea", kb.Enter)
	b.until(`document.querySelector('[data-v-thanks]').checkVisibility()`)
	b.is(
		`[location.pathname, document.querySelector('[data-v-thanks] p').textContent, document.activeElement.textContent]`,
		"/look,Soon,Thank you",
	)
	for _, fault := range b.complaints() {
		t.Error(fault)
	}
}
