package main

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// Menus that fold out over a page are closed by pressing another element, by Escape, which
// restores the focus, and by following one of their links: nothing of them covers the next
// page. A long name does not wrap the header of a phone.
func TestMenusCloseAgain(t *testing.T) {
	t.Parallel()
	b := visitShop(t, func(p *program, key string) {
		green := p.must(key, "GET", "/products/by-slug/sencha", nil)["category_id"]
		section := p.must(key, "POST", "/categories", map[string]any{"item": map[string]any{
			"name": "Japanese", "type": "product", "parent_id": green, "is_published": true, "is_show_menu": true, "seo": map[string]any{"slug": "japanese"}}})
		p.must(key, "POST", "/products", map[string]any{"item": map[string]any{
			"name": "Asahi", "category_id": section["id"], "is_published": true, "price": map[string]any{"price": 13}}})
	})
	const open = `[document.querySelectorAll('.v-sub[open]').length, document.querySelector('.v-fold').open].join()`
	for _, width := range []int64{1280, 390} {
		b.open("/green-tea/japanese/asahi", width) // its header is that of its section, so it is kept
		if width == 390 {
			b.click(".v-burger")
			b.is(open, "0,true")
		}
		b.click("#v-nav summary")
		b.until(open + `.startsWith('1,')`)
		b.click("#v-nav .v-sub__list a")
		b.until(`location.pathname === '/green-tea/japanese' && !document.querySelector('.v-product')`)
		b.until(open + ` === '0,false'`)
		b.open("/green-tea", width)
		b.click(".v-find__order")
		b.is(open, "1,false")
		b.presses(kb.Escape)
		b.is(open+` + document.activeElement.className`, "0,falsev-find__order")
		b.click(".v-find__order")
		b.is(open, "1,false")
		b.click(".v-heading h1")
		b.is(open, "0,false")
	}
	b.text(`document.querySelector('.v-header .v-brand bdi').textContent = 'The tea house of the old harbour and of the new one'`)
	b.is(`new Set([...document.querySelectorAll('.v-burger, .v-header .v-brand, .v-actions')].map((e) => e.getBoundingClientRect()).map((r) => Math.round((r.top + r.bottom) / 2))).size`, "1")
	for _, fault := range b.complaints() {
		t.Error(fault)
	}
}

// The drawer takes the focus from the button, as a whole rather than at a picture hidden from
// screen readers, and returns it; a visitor typing elsewhere is not interrupted.
func TestDrawerTakesAndReturnsTheFocus(t *testing.T) {
	t.Parallel()
	b := visitShop(t)
	b.open("/green-tea/gyokuro", 1280)
	b.until(`document.readyState === 'complete'`)
	b.key("[data-v-add=cart]", kb.Enter)
	b.until(`document.querySelector('.v-drawer[open]')`)
	b.is(`document.activeElement.className`, "v-wrap v-drawer")
	b.presses(kb.Tab)
	b.is(`document.activeElement.closest('.v-drawer') !== null && document.activeElement.closest('[aria-hidden]') === null`, "true")
	b.presses(kb.Escape)
	b.is(`document.querySelector('.v-drawer') === null && document.activeElement.dataset.vAdd`, "cart")
	b.text(`(document.querySelector('.v-header [type=search]').focus(), document.querySelector('[data-v-add=cart]').click(), 1)`)
	b.until(`document.querySelector('.v-drawer[open]')`)
	b.is(`document.activeElement.type`, "search")
	for _, fault := range b.complaints() {
		t.Error(fault)
	}
}

// The account link is beside the cart and in the menu of phones, which is initially closed;
// the cart shows its number of units. None of this needs a script.
func TestHeaderWorksWithoutAScript(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	inEveryWindow(t, p, func(b *tab, name string, width int64, script bool) {
		const seen = `((s) => String(document.querySelector(s).checkVisibility()))`
		b.open("/teaware", width)
		b.is(`[...document.querySelectorAll('.v-actions a')].filter((a) => a.checkVisibility()).map((a) => a.pathname).slice(-2)`, "/account,/cart")
		if width == 390 {
			b.is(seen+`('.v-nav')`, "false")
			b.click(".v-burger")
			b.until(`document.querySelector('.v-nav').checkVisibility()`)
			b.is(seen+`('.v-nav a[href="/account"]')`, "true")
			b.is(seen+`('.v-nav .v-sub__list a')`, "false")
			b.click(".v-burger")
			b.until(`!document.querySelector('.v-nav').checkVisibility()`)
		} else {
			b.is(seen+`('.v-nav')`, "true")
			b.is(seen+`('.v-burger')`, "false")
		}
		count := `getComputedStyle(document.querySelector('.v-count'), '::after').content`
		if script {
			count = `document.querySelector('.v-count').textContent`
		}
		b.is(seen+`('.v-count')`, "false")
		b.open("/teaware/cups/tea-glass-pair", width)
		b.types("[name=quantity]", "2")
		b.click("[data-v-add=cart]")
		if script {
			b.until(`document.querySelector('.v-drawer')`)
		} else {
			b.until(`location.pathname === '/cart'`)
		}
		b.open("/teaware", width)
		b.until(seen + `('.v-count') === 'true'`)
		if got := b.text(count); got != "2" && got != fmt.Sprintf("%q", "2") {
			t.Errorf("%s: the cart shows %s", name, got)
		}
		b.is(sticksOut, "0")
	})
}
