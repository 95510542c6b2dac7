package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// lonely lists the grids of a page whose last row has a single card and room for more.
const lonely = `[...document.querySelectorAll('.v-grid, .v-tiles, .v-notes')].filter((grid) => {
	const boxes = [...grid.children].map((e) => e.getBoundingClientRect())
	const last = boxes.filter((r) => Math.abs(r.top - boxes.at(-1).top) < 2)
	return boxes.length > 1 && last.length === 1 && last[0].width < .9 * grid.clientWidth
}).map((grid) => grid.className + ' of ' + grid.children.length).join('; ')`

// Every list of the demo shop has more than one card in its last row, or one card that fills
// it; there is no overflow. Cases that the demo shop lacks are tested with lists of every
// length.
func TestNoSingleCardInTheLastRow(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	b := demoTab(t, p)
	for _, width := range []int64{1280, 768, 390} {
		for _, path := range []string{"/", "/tea", "/tea/green-tea", "/teaware", "/teaware/cups", "/kitchen", "/living", "/journal", "/journal/brewing", "/tea-hour", "/nothing-here", bowl, "/search?q=zzzz"} {
			b.open(path, width)
			if got := b.text(lonely); got != "" {
				t.Errorf("%s at %d: %s", path, width, got)
			}
			if out := b.text(sticksOut); out != "0" {
				t.Errorf("%s at %d overflows by %s px", path, width, out)
			}
			shoot(t, b.ctx, "/looks"+path, width)
			if path != "/" && path != "/tea" { // a list by itself, and one beside filters
				continue
			}
			got := b.text(`(() => {
				const found = []
				const grid = document.querySelector('.v-grid')
				const cards = [...grid.children]
				for (let n = 1; n <= 30; n++) {
					grid.replaceChildren(...Array.from({ length: n }, (_, i) => cards[i % cards.length].cloneNode(true)))
					if (` + lonely + `.includes('v-grid')) found.push(n)
				}
				return found.join()
			})()`)
			if got != "" {
				t.Errorf("%s at %d: a single card in the last row of a list of %s", path, width, got)
			}
		}
	}
}

// A tablet shows a product beside its pictures, and the total beside the checkout form.
func TestTabletsHaveTwoColumns(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	b := demoTab(t, p)
	const beside = `(([a, b]) => a.right <= b.left && a.top < b.bottom && b.top < a.bottom)(%s.map((s) => document.querySelector(s).getBoundingClientRect()))`
	for _, c := range []struct{ path, parts string }{
		{bowl, `['.v-galleries', '.v-product__side']`}, {"/", `['.v-hero__text', '.v-hero__picture']`}, {"/checkout", `['.v-checkout .v-part', '.v-checkout .v-sum']`},
	} {
		if c.path == "/checkout" {
			b.open(bowl, 768)
			b.click("[data-v-add=cart]")
			b.until(`document.querySelector('.v-drawer')`)
		}
		b.open(c.path, 768)
		b.is(fmt.Sprintf(beside, c.parts), "true")
		b.is(sticksOut, "0")
		b.open(c.path, 390)
		b.is(fmt.Sprintf(beside, c.parts), "false")
	}
}

// The drawer of filters has the colour of the page, and focused elements keep their shape.
func TestDrawerColourAndFocusShape(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	b := demoTab(t, p)
	for _, scheme := range []string{"light", "dark"} {
		b.prefers(scheme, "")
		b.open("/tea", 390)
		b.click(".v-find__bar .v-find__open")
		b.until(`document.querySelector('.v-find:popover-open')`)
		b.is(`((a, b) => a === b && a !== 'rgba(0, 0, 0, 0)')(...['body', '.v-find'].map((s) => getComputedStyle(document.querySelector(s)).backgroundColor))`, "true")
		b.is(unread, "")
		shoot(t, b.ctx, "/looks/drawer/"+scheme, 390)
	}
	for _, path := range []string{"/tea", bowl, "/cart", "/account"} {
		b.open(path, 1280)
		b.presses(kb.Tab) // :focus-visible requires the keyboard
		if got := b.text(`[...document.querySelectorAll('a, button, input, select, summary, textarea')].filter((e) => !e.closest('.svc-body') && e.checkVisibility()).filter((e) => {
			e.blur()
			const before = getComputedStyle(e).borderRadius
			e.focus()
			return e.matches(':focus-visible') && getComputedStyle(e).borderRadius !== before
		}).map((e) => e.className || e.localName).join()`); got != "" {
			t.Errorf("%s: the focus changes the shape of %s", path, got)
		}
	}
}

// A dialog does not move the page behind it, whatever is scrolled or pressed, and leaves no
// gap in place of the scrollbar.
func TestThePageBehindADialogDoesNotMove(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	b := demoTab(t, p)
	const place = `[scrollX, scrollY, Math.round(document.querySelector('main h1').getBoundingClientRect().left), Math.round(document.querySelector('main h1').getBoundingClientRect().width)].join()`
	for _, width := range []int64{1280, 390} {
		b.open(bowl, width)
		b.until(`document.readyState === 'complete'`)
		b.text(`scrollTo(0, 40)`)
		before := b.text(place)
		b.text(`document.querySelector('.v-gallery__slide:not([hidden])').click()`)
		b.until(`document.querySelector('.v-zoom[open] img')?.naturalWidth > 0`)
		b.is(place, before)
		for range 3 {
			if _, err := chromedp.Call(b.ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseWheel, X: 200, Y: 300, DeltaX: .1, DeltaY: 400}); err != nil {
				t.Fatal(err)
			}
		}
		b.presses(kb.PageDown, kb.End, " ", kb.Home, kb.ArrowDown)
		b.is(place, before)
		b.presses(kb.Escape)
		b.until(`!document.querySelector('.v-zoom')`)
		b.is(place, before)
		b.is(`getComputedStyle(document.documentElement).overflowY`, "visible")
	}
}

// Recently viewed products have a placeholder if they have no picture; the search of a shop
// with nothing for sale links to the home page; a count beside a heading in the opposite text
// direction is in the usual order.
func TestShopsWithLittleContent(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	p.start()
	b := p.tab(t)
	for _, width := range []int64{1280, 390} {
		b.open("/search", width)
		b.is(`document.querySelectorAll('main form').length + document.querySelector('main .v-empty a').pathname`, "0/")
		b.is(`document.querySelector('main .v-empty p').textContent`, "There is nothing for sale here yet.")
		b.open("/search?q=cup", width)
		b.is(`document.querySelectorAll('main form').length + document.querySelector('main .v-empty a').pathname`, "1/")
	}
	section := p.must(key, "POST", "/categories", map[string]any{"item": map[string]any{"name": "شاي أخضر", "type": "product", "is_published": true, "seo": map[string]any{"slug": "green"}}})["id"]
	for i, name := range []string{"שלום תה 250", "شاي"} {
		p.must(key, "POST", "/products", map[string]any{"item": map[string]any{"name": name, "category_id": section, "is_published": true, "price": map[string]any{"price": 13}, "seo": map[string]any{"slug": fmt.Sprint("p", i)}}})
	}
	const order = `(() => {
		const node = document.querySelector('.v-heading__count').firstChild
		const at = (from, to) => { const r = document.createRange(); r.setStart(node, from); r.setEnd(node, to); return r.getBoundingClientRect().left }
		return [node.data, at(0, 1) < at(2, 3)].join()
	})()`
	for _, path := range []string{"/green", "/search?q=شا"} {
		b.open(path, 390)
		if got := b.text(order); !strings.HasSuffix(got, ",true") {
			t.Errorf("%s: the count reads %s", path, got)
		}
	}
	b.is(`((words, count) => words.left < count.left)(...['h1 bdi', '.v-heading__count'].map((s) => document.querySelector(s).getBoundingClientRect()))`, "true")
	b.open("/green/p0", 1280)
	b.until(`localStorage.getItem('v-seen')`)
	b.open("/green/p1", 1280)
	b.until(`document.querySelector('.v-seen a')`)
	b.is(`((r) => Math.round(100 * r.width / r.height))(document.querySelector('.v-seen svg').getBoundingClientRect())`, "80")
	shoot(t, b.ctx, "/looks/seen", 1280)
	for _, fault := range b.complaints() {
		t.Error(fault)
	}
}

// The side menu of the guides does not cut off titles.
func TestTitlesOfTheGuidesAreNotCutOff(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.start()
	b := &tab{t: t, ctx: browser(t), host: "http://" + p.admin, seen: &faults{}}
	for _, path := range []string{"/docs/quickstart", "/docs/finding", "/docs/closed"} {
		b.open(path, 1280)
		b.is(`[...document.querySelectorAll('nav a')].filter((a) => a.scrollWidth > a.clientWidth || a.getBoundingClientRect().right > document.querySelector('nav').getBoundingClientRect().right).map((a) => a.textContent).join()`, "")
		b.is(`document.querySelectorAll('nav [aria-current]').length`, "1")
	}
}
