package main

import (
	"bytes"
	"image"
	"image/color"
	pngs "image/png"
	"net/url"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// sketch is a picture of one colour with a darker disc.
func sketch(t *testing.T, of color.RGBA) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 450, 550))
	for y := range 550 {
		for x := range 450 {
			c := of
			if dx, dy := x-225, y-275; dx*dx+dy*dy < 150*150 {
				c = color.RGBA{of.R / 2, of.G / 2, of.B / 2, 255}
			}
			m.Set(x, y, c)
		}
	}
	var body bytes.Buffer
	if err := pngs.Encode(&body, m); err != nil {
		t.Fatal(err)
	}
	return body.Bytes()
}

const shirt = "/teaware/cups/linen-shirt"

// createShirt gives the demo shop a product with everything that its page can show: pickers, a
// group, terms, a stock of each variant.
func createShirt(t *testing.T, p *program) {
	t.Helper()
	type m = map[string]any
	owner, _ := p.must("", "POST", "/v1/auth/login", m{"email": "owner@demo.example", "password": "tea-at-four"})["token"].(string)
	cups := p.must(owner, "GET", "/products/by-slug/dipped-tea-bowl-sea-and-sand", nil)
	sea, sand := color.RGBA{74, 122, 168, 255}, color.RGBA{217, 181, 139, 255}
	pictures := []any{p.upload(owner, "sea.png", sketch(t, sea)), p.upload(owner, "sand.png", sketch(t, sand)), p.upload(owner, "back.png", sketch(t, color.RGBA{160, 160, 150, 255}))}
	p.must(owner, "PUT", "/v1/storages/files/"+itoa(pictures[2]), m{"item": m{"alt": "The back with its pleat"}})
	gallery := []m{{"id": pictures[0]}, {"id": pictures[1]}, {"id": pictures[2]}}
	made := p.must(owner, "POST", "/products", m{"item": m{
		"name": "Linen shirt", "price": m{"price": 64}, "category_id": cups["category_id"], "is_published": true, "gallery": gallery, "stock_by": "variant", "weight_g": 290,
		"description": "Washed linen, cut wide.", "brand": "Loom & Lark", "seo": m{"slug": "linen-shirt"},
	}})
	var sets []m
	for _, v := range []struct {
		colour, swatch, size string
		price, old, weight   any
		picture, stock       any
	}{
		{"Sea", "#4a7aa8", "S", nil, nil, nil, pictures[0], nil}, {"Sea", "#4a7aa8", "M", nil, nil, nil, pictures[0], 3},
		{"Sea", "#4a7aa8", "L", 68, nil, 1340, pictures[0], 9},
		{"Sand", "#d9b58b", "S", 59, 74, nil, pictures[1], nil}, {"Sand", "#d9b58b", "M", 59, nil, nil, pictures[1], 0},
	} {
		sets = append(sets, m{
			"options": m{"Colour": v.colour, "Size": v.size}, "swatch": v.swatch, "price": v.price, "old_price": v.old, "weight_g": v.weight, "image_id": v.picture,
			"stock_quantity": v.stock, "stock_low_threshold": 3,
		})
	}
	p.must(owner, "PUT", "/products/"+itoa(made["id"])+"/variants", m{"items": sets})
	p.must(owner, "POST", "/product-groups", m{"item": m{"name": "Goes with it", "product_ids": []any{made["id"], cups["id"]}}})
	p.must(owner, "PUT", "/v1/shop/settings", m{"notes": m{"delivery": "Sent on weekdays before noon.\n\nAbroad it takes a week.", "returns": "Within 30 days, unworn."}})
}

// Options are picked, including an unavailable pair, a quantity is chosen, pictures are
// zoomed, the product is saved and removed again; group members are links, and recently
// viewed products are listed. In a wide and a narrow window, and without scripts.
func TestProductPageInABrowser(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	createShirt(t, p)
	inEveryWindow(t, p, func(b *tab, name string, width int64, script bool) {
		b.open(shirt, width)
		b.picks(name, width, script)
		if script {
			b.looksCloser(name, width)
			b.savesAndDrops()
		} else {
			b.is(`new URL(document.querySelector('.v-gallery__slide').href).pathname.startsWith('/w/2560/webp/')`, "true")
			b.is(`getComputedStyle(document.querySelector('[data-v-bar]')).display`, "none")
		}
		if script && width < 1024 {
			b.keepsTheBar(name, width)
		}
		b.is(`document.documentElement.scrollWidth <= document.documentElement.clientWidth`, "true")
		b.takesThree(name, width, script)
		b.goesOn(name, width, script)
	})
}

// A visitor without a session presses two buttons at once: both act for the same guest.
func TestTwoButtonsAtOnceCreateOneGuest(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	b := demoTab(t, p)
	bowl := "/teaware/cups/dipped-tea-bowl-sea-and-sand"
	both := `(document.querySelector('[data-v-add=wishlist]').click(), document.querySelector('[data-v-add=cart]').click(), 'pressed')`
	for _, session := range []string{"none", "an expired one"} {
		b.open(bowl, 1280)
		b.until(`document.readyState === 'complete'`)
		b.text(both)
		b.until(`document.querySelector('.v-drawer[open] .v-line__name') && document.querySelector('[data-v-wish]').ariaPressed === 'true'`)
		b.open("/wishlist", 1280)
		b.until(`document.querySelector('main a[href="` + bowl + `"]')`)
		b.open("/cart", 1280)
		b.until(`document.querySelector('main .v-line__name')`)
		if session == "none" {
			if _, err := chromedp.Call(b.ctx, network.ClearBrowserCookies, cdp.Empty{}); err != nil { // the page still assumes that there is a session
				t.Fatal(err)
			}
			b.text(`(Object.keys(localStorage).filter((k) => /wishes|units/.test(k)).forEach((k) => localStorage.removeItem(k)), 'forgotten')`)
		}
	}
}

const (
	pickedNow = `[...document.querySelectorAll('[data-v-picked]')].map((e) => e.textContent).join()`
	amissNow  = `[...document.querySelectorAll('.v-pick--amiss')].map((e) => e.title).join()`
	outNow    = `[...document.querySelectorAll('.v-pick--out')].map((e) => e.title).join()`
	stockNow  = `[...document.querySelectorAll('.v-product .v-stock')].filter((e) => e.checkVisibility()).map((e) => e.textContent.trim()).join()`
	priceNow  = `document.querySelector('.v-product .v-price__now').textContent`
	factsNow  = `[...document.querySelectorAll('.v-product .v-price__old, .v-product .v-flag, [data-v-weight] dd')].filter((e) => e.checkVisibility()).map((e) => e.textContent.replace('\u00a0', ' ')).join()`
)

// picks Sand, which does not exist in L and is sold out in M, then M, and then L, which exists
// in Sea.
func (b *tab) picks(name string, width int64, script bool) {
	b.t.Helper()
	b.is(pickedNow, "Sea,S")
	b.is(amissNow, "")
	b.is(factsNow, "290 g")
	b.is(`document.querySelector('.v-variants').checkVisibility()`, "false")
	b.is(`[...document.querySelectorAll('.v-gallery__main img')].map((e) => e.alt).join('; ')`, "Linen shirt; Linen shirt, photo 2; The back with its pleat")
	shoot(b.t, b.ctx, "/product/"+name, width)
	if script {
		b.text(`(addEventListener('keypress', () => { window.scrolls = true }), 1)`)
		b.key(".v-pick[title=Sand]", " ") // a link that looks like a button reacts like one
		b.is(`window.scrolls`, "undefined")
	} else {
		b.click(".v-pick[title=Sand]")
	}
	b.until(pickedNow + ` === 'Sand,S'`)
	b.until(priceNow + ` === '€59'`)
	b.is(amissNow, "L")
	b.is(factsNow, "−20%,Was €74,290 g")
	b.is(`document.querySelector('.v-pick[title=L]').textContent.includes('not available with')`, "true")
	b.is(`new URL(location).search !== ''`, "true")
	if script {
		b.is(`document.querySelector('.v-gallery__slide:not([hidden]) img').alt`, "Linen shirt, photo 2")
		b.is(`document.querySelector('.v-bar strong').textContent`, "€59")
	}
	b.is(outNow, "M")
	b.is(`document.querySelector('.v-pick[title=M]').textContent.includes('Sold out')`, "true")
	shoot(b.t, b.ctx, "/product/"+name+"/picked", width)
	b.click(".v-pick[title=M]")
	b.until(pickedNow + ` === 'Sand,M'`)
	b.is(stockNow, "Sold out")
	b.is(`document.querySelector('#v-buyform [data-v-add=cart]').checkVisibility()`, "false")
	b.is(`document.querySelector('[data-v-none]').checkVisibility()`, "true")
	b.is(`document.querySelector('[data-v-bar]').checkVisibility()`, "false")
	shoot(b.t, b.ctx, "/product/"+name+"/out", width)
	b.click(".v-pick[title=L]")
	b.until(pickedNow + ` === 'Sea,L'`)
	b.until(priceNow + ` === '€68'`)
	b.is(amissNow, "Sand")
	b.is(factsNow, "1.34 kg")
	b.is(stockNow, "In stock")
	b.open(b.text(`location.pathname + location.search`), width) // the address contains the choice
	b.is(pickedNow+` + `+priceNow, "Sea,L€68")
}

// looksCloser opens the zoom dialog, turns pictures by key and by swipe, enlarges one, and
// returns to the opener.
func (b *tab) looksCloser(name string, width int64) {
	b.t.Helper()
	const at = `(() => { const s = document.querySelector('.v-zoom__strip'); return s.scrollLeft / s.clientWidth })()` // an integer once nothing moves
	b.key(".v-gallery__slide:not([hidden])", kb.Enter)
	b.until(`document.querySelector('.v-zoom[open] img')?.naturalWidth > 0`)
	b.is(`document.querySelectorAll('.v-zoom__slide').length`, "3")
	b.is(`document.activeElement.className`, "v-zoom__strip")
	shoot(b.t, b.ctx, "/product/"+name+"/zoom", width)
	b.presses(kb.ArrowRight)
	b.until(at + ` === 1`)
	if width < 1024 {
		b.swipes(300, 20)
		b.until(at + ` === 2`)
		b.presses(kb.ArrowLeft)
		b.until(at + ` === 1`)
	}
	b.text(`document.querySelectorAll('.v-zoom__slide img')[1].click()`)
	b.until(`document.querySelectorAll('.v-zoom__slide')[1].scrollWidth > 2 * innerWidth`)
	b.text(`document.querySelectorAll('.v-zoom__slide img')[1].click()`)
	b.until(`document.querySelectorAll('.v-zoom__slide')[1].scrollWidth <= innerWidth`)
	b.presses(kb.Tab, kb.Tab, kb.Tab, kb.Tab, kb.Tab, kb.Tab, kb.Tab, kb.Tab)
	b.is(`document.activeElement === document.body || document.querySelector('.v-zoom').contains(document.activeElement)`, "true")
	b.presses(kb.Escape)
	b.until(`!document.querySelector('.v-zoom')`)
	b.is(`document.activeElement.id + document.activeElement.hidden`, "photo-0-1false")
}

// swipes moves a finger across the middle of the window, from one x to another.
func (b *tab) swipes(from, to float64) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
	touch := func(kind input.DispatchTouchEventType, at ...*input.TouchPoint) {
		if err == nil {
			_, err = chromedp.Call(b.ctx, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: append([]*input.TouchPoint{}, at...)})
		}
	}
	touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: from, Y: 300})
	for step := range 10 {
		touch(input.DispatchTouchEventTypeTouchMove, &input.TouchPoint{X: from + (to-from)*float64(step+1)/10, Y: 300})
	}
	touch(input.DispatchTouchEventTypeTouchEnd)
	if err != nil {
		b.t.Fatal(err)
	}
}

// savesAndDrops presses the wishlist button twice.
func (b *tab) savesAndDrops() {
	b.t.Helper()
	const pressed = `document.querySelector('[data-v-wish]').ariaPressed`
	b.is(pressed, "false")
	b.click("[data-v-wish]")
	b.until(pressed + ` === 'true'`)
	b.open(b.text(`location.pathname`), 1280)
	b.is(pressed, "true")
	b.click("[data-v-wish]")
	b.until(pressed + ` === 'false'`)
}

// keepsTheBar scrolls: the bar is visible while the button is not, and ends above the footer.
func (b *tab) keepsTheBar(name string, width int64) {
	b.t.Helper()
	b.open(shirt, width)
	const on = `document.querySelector('.v-bar--on')?.checkVisibility({ visibilityProperty: true })`
	b.text(`document.querySelector('#v-buyform [data-v-add]').scrollIntoView({ block: 'center' })`)
	b.until(`document.querySelector('.v-bar:not([hidden], .v-bar--on)')`)
	b.text(`scrollTo(0, document.querySelector('#reviews').offsetTop)`)
	b.until(on)
	b.is(`Math.round(document.querySelector('.v-bar').getBoundingClientRect().bottom) === innerHeight`, "true")
	if shot, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot()); err == nil {
		keepPicture(b.t, "390_product_"+name+"_bar.png", shot)
	}
	b.text(`scrollTo(0, document.documentElement.scrollHeight)`)
	b.until(`document.querySelector('.v-bar').getBoundingClientRect().bottom <= document.querySelector('.v-footer').getBoundingClientRect().top`)
}

// takesThree puts three of them into the cart.
func (b *tab) takesThree(name string, width int64, script bool) {
	b.t.Helper()
	b.open(shirt, width)
	b.click(".v-pick[title=M]")
	b.until(pickedNow + ` === 'Sea,M'`)
	b.is(stockNow, "Only 3 left")
	b.is(`document.querySelector('.v-product [name=quantity]').max`, "3")
	if script {
		b.click("[data-v-step='1']")
		b.click("[data-v-step='1']")
		b.is(`document.querySelector('.v-product [name=quantity]').value`, "3")
	} else {
		b.is(`document.querySelector('[data-v-step]').checkVisibility({ visibilityProperty: true })`, "false")
		b.types(".v-product [name=quantity]", "3")
	}
	b.click("#v-buyform [data-v-add=cart]")
	if script {
		b.until(`document.querySelector('.v-drawer[open] .v-line__name')`)
		b.open("/cart", width)
	}
	b.until(`location.pathname === '/cart' && document.querySelector('.v-line__name')`)
	b.is(`document.querySelector('.v-line__name').textContent + document.querySelector('.v-qty [name=quantity]').value`, "Linen shirt, Sea, M3")
}

// goesOn follows a product of the group, where the shirt is listed as recently viewed.
func (b *tab) goesOn(name string, width int64, script bool) {
	b.t.Helper()
	b.open(shirt, width)
	b.click(".v-terms summary")
	b.is(`document.querySelector('.v-terms').textContent.includes('Abroad it takes a week.') && document.querySelectorAll('.v-terms__ways li').length > 0`, "true")
	shoot(b.t, b.ctx, "/product/"+name+"/terms", width)
	b.is(`document.querySelector('.v-pick--sibling[aria-current=page]').title`, "Linen shirt")
	b.click(".v-pick--sibling:not([aria-current])")
	b.until(`location.pathname === '/teaware/cups/dipped-tea-bowl-sea-and-sand' && document.querySelector('.v-pick--sibling[aria-current=page]')?.title.startsWith('Dipped')`)
	if !script {
		b.until(`document.querySelector('[data-v-seen]')`)
		b.is(`document.querySelector('[data-v-seen]').checkVisibility()`, "false")
		return
	}
	b.until(`document.querySelector('.v-seen a')?.textContent === 'Linen shirt'`)
	shoot(b.t, b.ctx, "/product/"+name+"/seen", width)
	b.is(`document.cookie.includes('seen')`, "false")
	link, err := url.Parse(b.text(`document.querySelector('.v-seen a').href`))
	if err != nil {
		b.t.Fatal(err)
	}
	b.open(link.Path, width)
	b.is(`location.pathname`, shirt)
}
