package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"vitrine/internal/await"
)

// tab is a page of one shop in a browser.
type tab struct {
	t      testing.TB
	ctx    context.Context
	host   string // http://tea.localhost:port
	seen   *faults
	effort *effort // nil: nobody counts

	byKeyboard bool // pushes and fills go to buttons and fields with Tab
}

// visitShop is a shop with two uploaded pages, a product page drawn by an uploaded document,
// and one drawn by the platform.
func visitShop(t *testing.T, more ...func(p *program, key string)) *tab {
	p := newProgram(t)
	key := p.shop("tea")
	p.start()
	for _, name := range []string{"first", "second"} {
		p.verb("push", "testdata/visit/"+name, "--to", "page:/"+name, "--admin", "http://"+p.admin, "--key", key)
	}
	section := p.must(
		key, "POST", "/categories",
		map[string]any{"item": map[string]any{"name": "Green tea", "type": "product", "is_published": true, "is_show_menu": true}},
	)
	for _, name := range []string{"Sencha", "Gyokuro"} {
		product := itoa(p.must(key, "POST", "/products", map[string]any{"item": map[string]any{
			"name": name, "category_id": section["id"], "is_published": true, "price": map[string]any{"price": 13}}})["id"])
		p.must(key, "PUT", "/products/"+product+"/variants", map[string]any{"items": []any{
			map[string]any{"sku": name + "-50", "title": "50 g", "price": 13}, map[string]any{"sku": name + "-100", "title": "100 g", "price": 24}}})
		if name == "Sencha" {
			p.bind(key, "product/"+product, "body", "product", "product")
		}
	}
	for _, add := range more {
		add(p, key)
	}
	return p.tab(t)
}

// bind puts an uploaded document into a slot of the shop's design, by itself.
func (p *program) bind(key, owner, slot, groupType, folder string) {
	p.t.Helper()
	group := p.group(key, groupType, filepath.Join("testdata/visit", folder))
	p.must(key, "PUT", "/design/bindings/"+owner, map[string]any{"slots": map[string]any{slot: group}})
}

// group uploads a folder as a document and creates a group that shows it.
func (p *program) group(key, groupType, dir string) any {
	p.t.Helper()
	name := filepath.Base(dir)
	doc := itoa(p.must(key, "POST", "/html-documents", map[string]any{"item": map[string]any{"name": name, "level": 3}})["id"])
	p.verb("push", dir, "--to", "doc:"+doc, "--admin", "http://"+p.admin, "--key", key)
	block := func(item map[string]any, kind string, props map[string]any) any {
		item["sections"] = []any{map[string]any{"type": "text", "payload": map[string]any{"v": 2, "kind": kind, "props": props}}}
		return p.must(key, "POST", "/content-blocks", map[string]any{"item": item})["id"]
	}
	html := block(map[string]any{"name": name}, "html", map[string]any{"html": map[string]any{"documentId": doc}})
	return block(map[string]any{"name": name + " group", "group_type": groupType}, "group", map[string]any{"widgets": []any{html}})
}

func (b *tab) open(path string, width int64) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(width, 800), chromedp.Navigate(b.host+path)); err != nil {
		b.t.Fatalf("%s: %v", path, err)
	}
}

// text evaluates an expression that returns a string.
func (b *tab) text(expression string) string {
	b.t.Helper()
	s, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`String(`+expression+`)`))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return s
}

func (b *tab) is(expression, want string) {
	b.t.Helper()
	if got := b.text(expression); got != want {
		b.t.Errorf("%s is %q, want %q", expression, got, want)
	}
}

// away evaluates an expression that leaves the page. On a busy machine the page may be gone
// before it has answered. A timer of the page would not work: a sandboxed page runs none.
func (b *tab) away(expression string) {
	b.t.Helper()
	_, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`String(`+expression+`)`))
	if err != nil && !strings.Contains(err.Error(), "navigated or closed") {
		b.t.Fatalf("%s: %v", expression, err)
	}
}

// until waits for an expression to become true; it cannot be evaluated during a page change.
func (b *tab) until(expression string) {
	b.t.Helper()
	asked, slowest, last := 0, time.Duration(0), error(nil)
	if !await.Until(func() (is bool) {
		began := time.Now()
		is, last = chromedp.Run(b.ctx, chromedp.Evaluate[bool](`Boolean(`+expression+`)`))
		asked, slowest = asked+1, max(slowest, time.Since(began))
		return last == nil && is
	}) {
		page, _ := chromedp.Run(b.ctx, chromedp.Evaluate[string](`location.href + '\n' + document.body.innerText`))
		b.t.Fatalf("timed out waiting for: %s\nasked %d times, the slowest answer took %v, the last error is %v\non the page %.2000s", expression, asked, slowest, last, page)
	}
}

// complaints lists the faults except those of the test site itself.
func (b *tab) complaints() (rest []string) {
	for _, fault := range b.seen.take() {
		if !strings.Contains(fault, "an author's mistake") {
			rest = append(rest, fault)
		}
	}
	return rest
}

// ranOnFirst is the log of the scripts of the page /first, in the order of document 3, 4.6.5;
// it is the same after a load and after navigation within the shop.
var ranOnFirst = []string{"head of 5", "outer", "inline after 1", "last, base is true", "late", "module", "navigate /first"}

// asParsed checks parser features of the page /first that must also work when it is swapped
// in: a shadow root, noscript without elements, the form of a field in a table. A class for
// missing scripts is removed.
const asParsed = `[document.getElementById('host').shadowRoot.textContent, document.getElementById('spare').content.querySelector('noscript').childElementCount, document.getElementById('field').form.id, document.querySelector('.first').className.replace(/svc\S+ /g, '')]`

// A website works as it did alone, both after a load and after navigation within the shop:
// its scripts run in order, its styles are applied when it shows, and the browser's history,
// scrolling and focus behave as usual.
func TestNavigationWithinAShop(t *testing.T) {
	t.Parallel()
	b := visitShop(t)
	for _, width := range []int64{1280, 390} {
		b.open("/first", width)
		b.until(`window.ran && ran.at(-1) === 'navigate /first'`)
		b.is(`ran`, strings.Join(ranOnFirst, ","))
		b.is(asParsed, "in the shadow,0,spread,first js")
		b.text(`window.mark = 'same window', window.colours = [],
			new MutationObserver(() => colours.push(getComputedStyle(document.querySelector('h1')).color)).observe(document.getElementById('v-content'), { childList: true })`)
		b.text(`scrollTo(0, 10000), window.bottom = scrollY`)
		b.click("#below")
		b.until(`ran.at(-1) === 'navigate /second'`)
		b.is(`[mark, location.pathname, document.title, scrollY, document.activeElement.id]`, "same window,/second,Second page,0,v-content")
		b.is(`colours[0]`, "rgb(4, 5, 6)")
		b.is(`[...document.styleSheets].filter((s) => /first\.css|not all/.test(s.href + s.media.mediaText)).length`, "0")
		b.is(`document.querySelector('[data-v-said]').textContent`, "Second page")
		b.is(`document.querySelectorAll('meta[name=description][content*="first"]').length`, "0")
		b.text(`ran = [], scrollTo(0, 700)`)
		b.until(`scrollY === 700`)

		b.away(`history.back()`)
		b.until(`ran.at(-1) === 'navigate /first'`)
		b.is(`ran`, strings.Join(ranOnFirst, ","))
		b.is(asParsed, "in the shadow,0,spread,first js")
		b.until(`bottom > 2000 && scrollY === bottom`)
		b.is(
			`[colours.at(-1), document.querySelectorAll('#written').length, document.getElementById('data').text]`,
			`rgb(1, 2, 3),1,{"a": "<b>"}`,
		)
		b.away(`history.forward()`)
		b.until(`ran.at(-1) === 'navigate /second'`)
		b.until(`scrollY === 700`)
		b.click("#back")
		b.until(`ran.at(-1) === 'navigate /first'`)
		b.click("#deep")
		b.until(`ran.at(-1) === 'navigate /second' && document.activeElement.id === 'middle'`)
		b.until(`Math.abs(document.getElementById('middle').getBoundingClientRect().top) < 2`)
		b.is(`[mark, location.hash, history.length > 4]`, "same window,#middle,true")
		b.away(`history.back()`)
		b.until(`ran.at(-1) === 'navigate /first'`)
		b.text(`document.querySelector('#deep').href = '/second#old'`)
		b.click("#deep")
		b.until(`ran.at(-1) === 'navigate /second' && Math.abs(document.querySelector('[name=old]').getBoundingClientRect().top) < 2`)
		if found := b.complaints(); len(found) > 0 {
			t.Errorf("at %d px: %s", width, strings.Join(found, "\n"))
		}
	}
	b.leavesInFull()
}

// leavesInFull checks the ways out: the guarded zones, files, and back.
func (b *tab) leavesInFull() {
	b.open("/second", 1280)
	b.text(`window.mark = 'same window', window.heard = [], document.addEventListener('svc:navigate', (e) => heard.push(e.detail.path)), 1`)
	b.click(".v-nav a[href='/green-tea']")
	b.until(`heard.at(-1) === '/green-tea' && document.querySelectorAll('.v-card').length === 2`)
	b.click(".v-brand")
	b.until(`heard.at(-1) === '/'`)
	b.is(`heard`, "/green-tea,/")
	b.text(`history.go(-2)`)
	b.until(`heard.at(-1) === '/second'`)
	b.click("#back")
	b.until(`heard.at(-1) === '/first'`)
	b.click("#cart")
	b.until(`location.pathname === '/cart' && document.readyState === 'complete' && typeof mark === 'undefined'`)
	b.click(".v-brand")
	b.until(`location.pathname === '/' && document.readyState === 'complete'`)
	b.is(`typeof ran`, "undefined")
	b.open("/second", 1280)
	b.text(`scrollTo(0, 700)`)
	b.until(`scrollY === 700`)
	b.away(`(window.mark = 1, location.reload())`)
	b.until(`typeof mark === 'undefined' && scrollY === 700`)
	b.text(`document.querySelector(".v-header a[href='/cart']").click()`) // a pointer would have to scroll up first
	b.until(`location.pathname === '/cart' && document.readyState === 'complete'`)
	b.away(`history.back()`)
	b.until(`location.pathname === '/second' && scrollY === 700`)
	b.open("/first", 1280)
	b.text(`window.mark = 1`)
	b.click("#file")
	b.until(`document.contentType === 'text/css' && typeof mark === 'undefined'`)
	if found := b.complaints(); len(found) > 0 {
		b.t.Error(strings.Join(found, "\n"))
	}
}

// The shop's header and footer as uploaded documents: scripts of the header run again after
// every page change, on fresh markup, even if it is unchanged (document 3, 4.6.5); the footer
// has no scripts and stays in place. The header sticks although its wrapper ends with it.
func TestHeaderAndFooterDuringNavigation(t *testing.T) {
	t.Parallel()
	b := visitShop(t, func(p *program, key string) {
		p.must(key, "PUT", "/design/bindings/shop/0", map[string]any{"slots": map[string]any{
			"header": p.group(key, "chrome", "testdata/visit/header"), "footer": p.group(key, "chrome", "testdata/visit/footer")}})
	})
	for _, width := range []int64{1280, 390} {
		b.open("/", width)
		b.text(
			`window.heard = [], document.addEventListener('svc:navigate', (e) => heard.push(e.detail.path)), document.querySelector('.foot').mark = 'kept'`,
		)
		b.is(`headers`, "1")
		b.click("#one")
		b.until(`heard.at(-1) === '/first'`)
		b.is(`[headers, document.querySelectorAll('.top').length, document.querySelector('.top i').textContent]`, "2,1,First page")
		b.is(`SVC_ASSET_BASE === document.querySelector('main .svc-body').dataset.svcBase`, "true")
		b.click("#fold")
		b.is(`document.getElementById('folded').hidden`, "false")
		b.text(`history.replaceState(history.state, '', '/first?again'), document.querySelector('#one').click()`)
		b.until(`heard.length === 2 && location.search === ''`)
		b.is(
			`[headers, document.querySelectorAll('.top').length, document.querySelectorAll('.foot').length, document.querySelector('.foot').mark]`,
			"3,1,1,kept",
		)
		b.is(`document.getElementById('folded').hidden`, "true")
		b.click("#fold")
		b.is(`document.getElementById('folded').hidden`, "false")
		b.holds()
		b.text(`scrollTo(0, 900)`)
		b.until(`Math.abs(document.querySelector('.top').getBoundingClientRect().top) < 2`)
		shoot(t, b.ctx, "/header", width)
		if found := b.complaints(); len(found) > 0 {
			t.Errorf("at %d px: %s", width, strings.Join(found, "\n"))
		}
	}
}

// holds opens a menu that locks scrolling with a class of body, as many headers do, and
// follows a link in it. The class is then removed, others stay.
func (b *tab) holds() {
	b.text(
		`heard = [], document.head.insertAdjacentHTML('beforeend', '<style>.held { overflow: hidden }</style>'), document.body.classList.add('theirs'), document.querySelector('#one').click()`,
	)
	b.until(`heard.length === 1`)
	b.text(`document.body.classList.add('held'), document.querySelector('#one').click()`)
	b.until(`heard.length === 2`)
	b.is(`[document.body.classList.contains('theirs'), document.body.classList.contains('held')]`, "true,false")
}

// Clicks handled by the browser or the author are not intercepted; prefetched pages are not
// fetched again; failures lead to a full load.
func TestClicksThatAreNotIntercepted(t *testing.T) {
	t.Parallel()
	b := visitShop(t)
	b.open("/second", 1280)
	b.text(`window.mark = 'same window', window.asked = [], window.heard = [],
		window.addEventListener('svc:navigate', (e) => heard.push(e.detail.path)),
		window.ask = window.fetch, window.fetch = (a, o) => (asked.push(new URL(a).pathname), ask(a, o)), 1`)
	for _, link := range []string{
		`href="/cart/"`, `href="/CART"`, `href="/%63art"`, `href="//cart"`, `href="/orders/7"`, `href="/files/a.pdf"`, `href="/feed.xml"`, `href="/_html/1/1/a"`,
		`href="http://other.localhost/"`, `href="mailto:a@example.test"`, `href="javascript:void 0"`, `href="http://["`, `href="#middle"`, `href="/second#middle"`, `href="#"`, `href="/second#"`,
		`href="/first" target="_blank"`, `href="/first" download`, `href="/first" rel="external"`, `href="/first" onclick="event.preventDefault()"`,
	} {
		// The probe after the storefront's listener sees whether the click was handled, and
		// cancels it then.
		b.is(`(() => {
			const box = document.createElement('div')
			box.innerHTML = '<a `+link+`>x</a>'
			document.body.append(box)
			let taken
			const probe = (e) => { taken = e.defaultPrevented; e.preventDefault() }
			window.addEventListener('click', probe, { once: true })
			box.firstChild.click()
			box.remove()
			return taken && !box.innerHTML.includes('onclick')
		})()`, "false")
	}
	// Authors may handle a click on document, even with a listener added on DOMContentLoaded.
	b.text(`document.addEventListener('click', (e) => e.target.id === 'go-not' && e.preventDefault()),
		document.querySelector('#back').insertAdjacentHTML('beforebegin', '<a id="go-not" href="/first">x</a>'), document.getElementById('go-not').click()`)
	b.is(`asked`, "")
	const point = `document.querySelector('#back').dispatchEvent(new MouseEvent('mouseover', { bubbles: true })), window.since = performance.now()`
	b.text(`Object.defineProperty(navigator, 'connection', { configurable: true, value: { saveData: true } }), ` + point)
	b.until(`performance.now() > since + 300`)
	b.is(`asked`, "") // with data saving there is no prefetching
	b.text(`delete navigator.connection, ` + point)
	b.until(`asked.length === 1`)
	b.text(point)
	b.until(`performance.now() > since + 300`)
	b.text(`document.querySelector('#back').click()`)
	b.until(`heard.at(-1) === '/first'`)
	b.until(`asked.length === 2`)
	b.is(`asked`, "/first,/first") // prefetched, and requested again once shown, so that it counts as a view

	// Two clicks at once: the second wins, and the first has no effect.
	b.text(`asked = [], heard = [], document.querySelector('#go').click(), document.querySelector('.v-brand').click()`)
	b.until(`heard.length > 0`)
	b.is(`[heard, location.pathname, mark]`, "/,/,same window")

	// An unreachable server, another version of the script, a response that is not a page.
	for _, broken := range []string{
		`() => Promise.reject(new TypeError('away'))`,
		`async (a, o) => { const r = await ask(a, o), t = (await r.text()).replace(/storefront\.[0-9a-f]+\.js/, 'storefront.0.js'); return { status: 200, url: r.url, headers: r.headers, text: () => t } }`,
		`async () => new Response('{}', { headers: { 'Content-Type': 'application/json' } })`,
		`async () => new Response('<main id="v-content">', { status: 500, headers: { 'Content-Type': 'text/html' } })`,
	} {
		b.open("/second", 1280)
		b.text(`window.mark = 1, window.ask = window.fetch, window.fetch = ` + broken + `, document.querySelector('#back').click()`)
		b.until(
			`location.pathname === '/first' && document.title === 'First page' && typeof mark === 'undefined' && window.ran?.at(-1) === 'navigate /first'`,
		)
	}
	if found := b.complaints(); len(found) > 0 {
		t.Error(strings.Join(found, "\n"))
	}
}

// The bindings of the script: slides, variants, the cart and the wishlist, by pointer and by
// keyboard, kept across navigation and loads.
func TestBindingsInABrowser(t *testing.T) {
	t.Parallel()
	b := visitShop(t)
	for _, width := range []int64{1280, 390} {
		b.open("/green-tea/sencha", width)
		b.text(`localStorage.clear()`)
		if _, err := chromedp.Call(b.ctx, network.ClearBrowserCookies, cdp.Empty{}); err != nil { // another visitor
			t.Fatal(err)
		}
		b.open("/green-tea/sencha", width)
		b.until(`document.querySelectorAll('.v-slider__thumb').length === 3`)
		b.is(`document.documentElement.scrollWidth <= innerWidth`, "true")
		shoot(t, b.ctx, "/bindings", width)
		b.click(".v-slider__thumb:nth-of-type(3)")
		b.until(
			`Math.abs(document.querySelector('[svc-gallery] :nth-child(2)').getBoundingClientRect().left - document.querySelector('[svc-gallery]').getBoundingClientRect().left) < 2`,
		)
		b.until(`document.querySelectorAll('.v-slider__thumb')[1].hasAttribute('aria-current')`)
		b.key("[svc-gallery]", kb.ArrowRight)
		b.until(
			`document.querySelectorAll('.v-slider__thumb')[2].hasAttribute('aria-current') && document.querySelectorAll('.v-slider__turn')[1].disabled`,
		)

		b.is(`document.querySelector('.price').textContent`, "€13")
		b.click("[svc-variants] label:nth-child(2)")
		b.is(`document.querySelector('.price').textContent`, "€24")
		b.click(".buy")
		b.until(`document.querySelector('.bar b').textContent === '1' && document.querySelector('.v-drawer[open]')`)
		b.click("[data-v-close]")
		b.click(".buy")
		b.until(`document.querySelector('.bar b').textContent === '2' && document.querySelector('.v-drawer[open]')`)
		b.key(".keep", kb.Escape)
		b.key(".keep", kb.Enter)
		b.until(`document.querySelector('.keep').getAttribute('aria-pressed') === 'true' && !document.querySelector('.v-drawer')`)
		shoot(t, b.ctx, "/bindings/chosen", width)
		b.text(`scrollTo(0, 300)`)
		b.click(".v-header .v-brand")
		b.until(`location.pathname === '/'`)
		b.away(`history.back()`)
		b.until(`document.querySelectorAll('.v-slider__thumb').length === 3`)
		b.is(`[document.querySelector('.price').textContent, document.querySelector('.keep').getAttribute('aria-pressed')]`, "€13,true")
		b.open("/second", width)
		b.is(`document.getElementById('count').textContent`, "2")
		b.open("/wishlist", width)
		b.is(`document.querySelectorAll('.v-line').length`, "1")
		b.open("/cart", width)
		b.is(`[document.querySelector('.v-line__name').textContent, document.querySelector('.v-sum__row strong').textContent]`, "Sencha, 100 g,€48")
		b.open("/green-tea/gyokuro", width)
		b.turnsPhotos()
		b.chooses(width)
		if found := b.complaints(); len(found) > 0 {
			t.Errorf("at %d px: %s", width, strings.Join(found, "\n"))
		}
	}
}

// chooses selects the second variant on the platform's product page, by keyboard.
func (b *tab) chooses(width int64) {
	b.t.Helper()
	b.is(`[document.querySelector('.v-variants :checked').dataset.svcName, document.querySelector('.v-price__now').textContent]`, "50 g,€13")
	b.key(".v-variants :checked", kb.ArrowRight)
	b.is(
		`[document.querySelector('.v-variants :checked').dataset.svcName, document.querySelector('.v-product .v-price__now').textContent, document.querySelector('.v-card .v-price__now').textContent]`,
		"100 g,€24,€13 – €24",
	)
	b.is(`document.querySelector('[data-v-said]').textContent`, "100 g, €24")
	shoot(b.t, b.ctx, "/variants", width)
	b.click("[data-v-add=cart]")
	b.until(`document.querySelector('.v-count').textContent === '3' && document.querySelector('[data-v-status] a')?.pathname === '/cart'`)
	b.until(`document.querySelector('.v-drawer .v-line:last-child .v-line__name')?.textContent === 'Gyokuro, 100 g'`)
	b.key("[data-v-add=cart]", kb.Escape)
	b.until(`!document.querySelector('.v-drawer')`)
}

// turnsPhotos gives the platform's product page two pictures and turns them by key and by
// swipe.
func (b *tab) turnsPhotos() {
	b.text(`document.querySelector('[data-v-gallery]').innerHTML =
		'<a class="v-gallery__slide" id="photo-0" href="#a">1</a><a class="v-gallery__slide" id="photo-1" href="#b" hidden>2</a>' +
		'<a data-v-photo="photo-0" aria-current="true" href="#c">1</a><a data-v-photo="photo-1" href="#d">2</a>'`)
	const state = `[document.getElementById('photo-0').hidden, document.activeElement.dataset.vPhoto, document.querySelectorAll('[aria-current=true][data-v-photo]').length]`
	b.key("[data-v-photo]", kb.ArrowRight)
	b.is(state, "true,photo-1,1")
	b.text(`['touchstart', 'touchend'].forEach((type, i) => {
		const target = document.getElementById('photo-1')
		const touch = new Touch({ identifier: 1, target, clientX: 100 + 90 * i, clientY: 300 })
		target.dispatchEvent(new TouchEvent(type, { bubbles: true, touches: i ? [] : [touch], changedTouches: [touch] }))
	})`)
	b.is(state, "false,photo-1,1")
}
