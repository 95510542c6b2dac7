package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"vitrine/internal/await"
)

// demoWithCabinet is the demo shop, served with its cabinet, and a key for it.
func demoWithCabinet(t *testing.T) (p *program, key string) {
	t.Helper()
	p = newDemo(t)
	p.env = append(p.env, "VITRINE_ADMIN_URL=http://admin.localhost:"+portOf(t, p.admin))
	p.start()
	return p, p.verb("key", "issue", "--shop", "demo", "--scopes", "all")["key"].(string)
}

// entersDemo is demoWithCabinet and a tab in which the owner is signed in.
func entersDemo(t *testing.T, width int64) (p *program, key string, b *tab) {
	t.Helper()
	p, key = demoWithCabinet(t)
	return p, key, p.owner(t, width)
}

// owner is a tab in which the owner of the demo shop is signed in.
func (p *program) owner(t *testing.T, width int64) *tab {
	t.Helper()
	b := cabinet(t, p, width)
	b.entersCabinet("owner@demo.example", "tea-at-four")
	b.shows("Waiting for you")
	return b
}

// anyProduct is the address of a product in the API.
func (p *program) anyProduct(key string) string {
	p.t.Helper()
	_, answer := p.call(key, "GET", "/products?page.limit=1&filter.query=longjing", nil)
	return "/products/" + itoa(answer["result"].(map[string]any)["items"].([]any)[0].(map[string]any)["id"])
}

func (p *program) price(key, path string) string {
	p.t.Helper()
	return itoa(p.must(key, "GET", path, nil)["price"].(map[string]any)["price"])
}

// reaches is what the network of the tab is like.
func (b *tab) reaches(c network.Conditions) {
	b.t.Helper()
	all := network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{&c}}
	if _, err := chromedp.Call(b.ctx, network.EmulateNetworkConditionsByRule, all); err != nil {
		b.t.Fatal(err)
	}
	state := network.OverrideNetworkStateParams{Offline: c.Offline, DownloadThroughput: -1, UploadThroughput: -1}
	if _, err := chromedp.Call(b.ctx, network.OverrideNetworkState, state); err != nil {
		b.t.Fatal(err)
	}
}

var online = network.Conditions{DownloadThroughput: -1, UploadThroughput: -1}

// endsSession ends the session of this browser as another one of the person can.
func (b *tab) endsSession() {
	b.t.Helper()
	_, list := b.calls("GET", "/v1/auth/sessions", nil)
	for _, row := range list["result"].([]any) {
		if row := row.(map[string]any); row["current"] == true {
			b.answers(200, "DELETE", "/v1/auth/sessions/"+row["id"].(string), map[string]any{})
		}
	}
}

// A product that is not published can be looked at as visitors will see it.
func TestAHiddenProductIsPreviewedFromTheCabinet(t *testing.T) {
	t.Parallel()
	p, key, b := entersDemo(t, 1280)
	id := itoa(p.must(key, "POST", "/products", map[string]any{"item": map[string]any{"name": "Not yet", "price": map[string]any{"price": 5}}})["id"])
	b.open("/cabinet/demo/products/"+id, 1280)
	b.text(`(window.open = (address) => { window.opened = address }, '')`)
	b.pushes("Preview")
	b.until(`window.opened`)
	visitor := demoTab(t, p)
	visitor.open(strings.TrimPrefix(b.text(`window.opened`), visitor.host), 1280)
	visitor.until(`document.querySelector('h1')?.textContent.includes('Not yet')`)
}

// A session that ends in the middle of a product is opened again over the page, and the same save
// goes on. Without a network nothing is lost either, and when it is back, that is no longer said.
func TestWorkInTheCabinetGoesOnAfterAnInterruption(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		p, key, b := entersDemo(t, width)
		product := p.anyProduct(key)
		b.open("/cabinet/demo"+product, width)
		b.fills("Price", "61")
		b.endsSession()
		b.pushes("Save")
		b.shows("Your session has ended.")
		b.fits("session-ended", width)
		b.is(`document.querySelector('[role=dialog] [name=email]').value`, "owner@demo.example")
		b.types("[role=dialog] [name=password]", "tea-at-four")
		b.pushes("Sign in")
		b.shows("Saved")
		b.is(`location.pathname`, "/cabinet/demo"+product)
		if got := p.price(key, product); got != "61" {
			t.Errorf("the price is %s", got)
		}

		b.fills("Price", "62")
		b.reaches(network.Conditions{Offline: true, DownloadThroughput: -1, UploadThroughput: -1})
		b.pushes("Save")
		b.shows("No connection.")
		b.fits("no-connection", width)
		b.shows("Not saved: Price")
		b.reaches(online)
		b.pushes("Save")
		b.until(`!document.body.innerText.includes('Not saved: Price')`)
		b.until(`document.body.innerText.includes('Saved') && !document.body.innerText.includes('No connection.')`)
		if got := p.price(key, product); got != "62" {
			t.Errorf("the price is %s", got)
		}
	}
}

// A product that is open in two tabs is not overwritten.
func TestTwoTabsOfTheCabinetDoNotOverwriteEachOther(t *testing.T) {
	t.Parallel()
	p, key, b := entersDemo(t, 1280)
	product := p.anyProduct(key)
	other := p.owner(t, 390)
	for _, tab := range []*tab{b, other} {
		tab.open("/cabinet/demo"+product, 1280)
		tab.until(`document.querySelector('textarea')`)
	}
	b.fills("Price", "71")
	other.fills("Price", "72")
	b.pushes("Save")
	b.shows("Saved")
	other.pushes("Save")
	other.shows("Theirs: 71")
	other.pushes("Cancel")
	other.shows("Not saved: Price")
	if got := p.price(key, product); got != "71" {
		t.Errorf("the price is %s", got)
	}
}

// On a slow phone with a slow network products are found, changed and saved.
func TestTheCabinetWorksOnASlowPhone(t *testing.T) {
	t.Parallel()
	p, key, b := entersDemo(t, 390)
	b.reaches(network.Conditions{Latency: 150, DownloadThroughput: 200_000, UploadThroughput: 94_000})
	if _, err := chromedp.Call(b.ctx, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: 4}); err != nil {
		t.Fatal(err)
	}
	b.open("/cabinet/demo/products", 390)
	b.shows("62 products")
	b.types("main [type=search]", "uji")
	b.shows("1 product")
	b.text(`([...document.querySelectorAll('main a')].find((a) => a.textContent.includes('Uji ceremonial')).click(), '')`)
	b.fills("Price", "63")
	b.pushes("Save")
	b.shows("Saved")
	if got := p.price(key, strings.TrimPrefix(b.text(`location.pathname`), "/cabinet/demo")); got != "63" {
		t.Errorf("the price is %s", got)
	}
	b.pushes("Menu")
	b.pushes("Start")
	b.shows("Waiting for you")
	b.is(`document.documentElement.scrollWidth <= innerWidth`, "true")
}

// Back leads to the list as it was; with unsaved input it asks first.
func TestBackInTheCabinetLeadsToWhatWasSeen(t *testing.T) {
	t.Parallel()
	_, _, b := entersDemo(t, 1280)
	b.open("/cabinet/demo/products?sort=name", 1280)
	b.shows("62 products")
	b.text(`(document.querySelectorAll('tbody tr')[20].scrollIntoView({ behavior: 'instant' }), '')`)
	b.until(`scrollY > 300`)
	b.awaited(`new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(''))))`) // the browser tells the router of it with the next frame
	at := b.text(`scrollY`)
	opened := b.text(`(() => { const link = document.querySelectorAll('tbody tr')[25].querySelector('a'); link.click(); return link.textContent })()`)
	b.until(`document.querySelector('textarea') && document.querySelector('h1').textContent.startsWith('` + opened + `')`)
	b.text(`(history.back(), '')`)
	b.until(`location.search === '?sort=name' && Math.abs(scrollY - ` + at + `) < 5`)
	b.text(`(history.forward(), '')`)
	b.until(`document.querySelector('textarea')`)
	b.fills("Price", "81")
	b.shows("Not saved: Price")
	b.text(`(history.back(), '')`)
	b.shows("Leave this page?")
	b.pushes("Stay")
	b.until(`!document.querySelector('[role=dialog]')`)
	b.shows("Not saved: Price")
	b.text(`(history.back(), '')`)
	b.shows("Leave this page?")
	b.pushes("Leave")
	b.until(`location.search === '?sort=name'`)
	b.shows("62 products")
}

// Back leads through every page of the menu as it was seen, and forward again.
func TestBackInTheCabinetLeadsThroughEveryPage(t *testing.T) {
	t.Parallel()
	_, _, b := entersDemo(t, 1280)
	type seen struct{ path, title string }
	var visited []seen
	for _, path := range strings.Fields(b.text(`[...document.querySelectorAll('nav a[href^="/cabinet/demo/"]')].map((a) => a.pathname).join(' ')`)) {
		b.click(`nav a[href="` + path + `"]`)
		b.until(`location.pathname === ` + quoted(path))
		b.awaited(settled)
		visited = append(visited, seen{path, b.text(`document.querySelector('main h1').textContent`)})
	}
	if len(visited) < 15 {
		t.Fatalf("the menu has %v", visited)
	}
	for _, to := range []struct {
		way  string
		list []seen
	}{{"back", visited[:len(visited)-1]}, {"forward", visited[1:]}} {
		list := slices.Clone(to.list)
		if to.way == "back" {
			slices.Reverse(list)
		}
		for _, page := range list {
			b.text(`(history.` + to.way + `(), '')`)
			b.until(`location.pathname === ` + quoted(page.path) + ` && document.querySelector('main h1')?.textContent === ` + quoted(page.title))
		}
	}
	b.quiet()
}

// Names as hostile and as long as they may be are texts, and fit.
func TestTheCabinetShowsAnyNameAsText(t *testing.T) {
	t.Parallel()
	p, key, b := entersDemo(t, 1280)
	names := []string{
		strings.Repeat("W", 255), "שלום עולם " + strings.Repeat("א", 60), "🍵" + strings.Repeat("🫖", 40),
		`<img src=x onerror="document.title='hacked'">"'&lt;script>alert(1)</script>`,
	}
	ids := []string{}
	for _, name := range names {
		ids = append(ids, itoa(p.must(key, "POST", "/products", map[string]any{"item": map[string]any{"name": name, "sku": name[:min(len(name), 40)]}})["id"]))
	}
	for _, shop := range []string{names[3], names[0]} {
		b.open("/cabinet/demo/start", 1280)
		b.answers(200, "PUT", "/v1/shop/settings", map[string]any{"name": shop})
		for _, width := range []int64{1280, 390} {
			b.open("/cabinet/demo/start", width)
			b.until(`document.querySelector('h1')?.textContent === ` + quoted(shop))
			b.is(`document.documentElement.scrollWidth <= innerWidth`, "true")
			b.open("/cabinet/demo/products", width)
			for i, name := range names {
				b.until(`[...document.querySelectorAll('main a')].some((a) => a.textContent.includes(` + quoted(name) + `))`)
				if width == 390 && i == 0 {
					shoot(t, b.ctx, "/cabinet/names", width)
				}
			}
			b.is(`document.documentElement.scrollWidth <= innerWidth`, "true")
			for i, id := range ids {
				b.open("/cabinet/demo/products/"+id, width)
				b.until(`document.querySelector('textarea') && document.querySelector('h1')?.textContent.includes(` + quoted(names[i]) + `)`)
				b.is(`document.documentElement.scrollWidth <= innerWidth`, "true")
			}
			b.is(`document.title + document.querySelectorAll('img[src="x"]').length`, "vitrine0")
		}
	}
}

// walks waits for an element e of which an expression is true, and presses Tab until it has the
// focus, as somebody without a mouse does.
func (b *tab) walks(expression string) {
	b.t.Helper()
	b.walksWith(expression)
}

func (b *tab) walksWith(expression string, modifiers ...kb.Modifier) {
	b.t.Helper()
	b.until(`[...document.querySelectorAll('a, button, input, textarea, [tabindex]')].some((e) => !e.disabled && (` + expression + `))`)
	for range 400 {
		if b.text(`((e) => Boolean(`+expression+`))(document.activeElement)`) == "true" {
			return
		}
		if err := chromedp.Do(b.ctx, chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(modifiers...))); err != nil {
			b.t.Fatal(err)
		}
	}
	b.t.Fatalf("Tab does not reach %s; the focus is on %s", expression, b.text(`document.activeElement.outerHTML`))
}

// tabsTo is walks for the element of a selector.
func (b *tab) tabsTo(selector string) {
	b.t.Helper()
	b.walks(`e.matches(` + quoted(selector) + `)`)
}

// shiftTabsTo is tabsTo backwards.
func (b *tab) shiftTabsTo(selector string) {
	b.t.Helper()
	b.walksWith(`e.matches(`+quoted(selector)+`)`, kb.ModifierShift)
}

// tabsToField is walks for the field with a label.
func (b *tab) tabsToField(label string) {
	b.t.Helper()
	b.walks(fmt.Sprintf(`[...e.labels ?? []].some((l) => l.textContent.replace(' *', '') === %q)`, label))
}

// choosesByKeyboard presses the button that has the focus, and chooses files in the window that opens.
func (b *tab) choosesByKeyboard(files ...string) {
	b.t.Helper()
	opened := make(chan *page.EventFileChooserOpened, 1)
	err := chromedp.Listen(b.ctx, func(event any) {
		if e, ok := event.(*page.EventFileChooserOpened); ok {
			opened <- e
		}
	})
	if err == nil {
		_, err = chromedp.Call(b.ctx, page.SetInterceptFileChooserDialog, page.SetInterceptFileChooserDialogParams{Enabled: true})
	}
	if err != nil {
		b.t.Fatal(err)
	}
	b.presses(kb.Enter)
	chooser := await.Next(b.t, opened)
	if _, err := chromedp.Call(b.ctx, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: files, BackendNodeID: chooser.BackendNodeID}); err != nil {
		b.t.Fatal(err)
	}
}

// From the sign-in page to a saved product with the keyboard alone.
func TestAProductIsMadeInTheCabinetByKeyboard(t *testing.T) {
	t.Parallel()
	p, key := demoWithCabinet(t)
	for _, width := range []int64{1280, 390} {
		b := cabinet(t, p, width)
		b.tabsTo("[name=email]")
		b.keys("owner@demo.example")
		b.tabsTo("[name=password]")
		b.keys("tea-at-four")
		b.presses(kb.Enter)
		b.shows("Waiting for you")
		if width < 600 {
			b.tabsTo("[aria-label=Menu]")
			b.presses(kb.Enter)
		}
		b.tabsTo("nav a[href$='/products']")
		b.presses(kb.Enter)
		b.tabsTo("main a[href$='/products/new']")
		b.presses(kb.Enter)
		b.until(`document.activeElement.matches('main input') && location.pathname.endsWith('/new')`)
		name := fmt.Sprintf("By keyboard %d", width)
		b.keys(name)
		b.tabsTo(".save-bar button:last-child")
		b.presses(kb.Enter)
		b.shows("Saved")
		_, answer := p.call(key, "GET", "/products?filter.query="+strings.ReplaceAll(name, " ", "+"), nil)
		if total := itoa(answer["result"].(map[string]any)["total"]); total == "0" {
			t.Errorf("no product %s", name)
		}
	}
}

// A conflict, an ended session and a spreadsheet need no mouse either.
func TestWorkInTheCabinetGoesOnByKeyboard(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		p, key, b := entersDemo(t, width)
		product := p.anyProduct(key)
		b.open("/cabinet/demo"+product, width)
		b.until(`document.querySelector('textarea')`)
		b.tabsToField("Price")
		b.keys("61")
		p.must(key, "PUT", product, map[string]any{"item": map[string]any{"price": map[string]any{"price": 77}}})
		b.chord("s")
		b.shows("Theirs: 77")
		b.tabsTo("[role=dialog] [type=radio]:checked")
		b.presses(kb.ArrowDown)
		b.is(`document.querySelector('[role=dialog] [type=radio]:checked').value`, "theirs")
		b.presses(kb.ArrowUp)
		b.tabsTo("[role=dialog] .mantine-Group-root button:last-child")
		b.presses(kb.Enter)
		b.until(`!document.querySelector('.save-bar')`)
		if got := p.price(key, product); got != "61" {
			t.Errorf("after the conflict the price is %s", got)
		}

		b.tabsToField("Price")
		b.keys("62")
		b.endsSession()
		b.chord("s")
		b.shows("Your session has ended.")
		b.tabsTo("[role=dialog] [name=password]")
		b.keys("tea-at-four" + kb.Enter)
		b.until(`!document.querySelector('.save-bar') && !document.querySelector('[role=dialog]')`)
		if got := p.price(key, product); got != "62" {
			t.Errorf("after the sign-in the price is %s", got)
		}

		b.open("/cabinet/demo/products?q=matcha&view=grid", width)
		b.until(`document.querySelector('[role=grid]')`)
		b.tabsTo("[role=grid] *")
		b.presses(kb.ArrowDown, kb.ArrowRight, kb.ArrowRight)
		b.pastes("91")
		b.shows("Not saved: 1 cell")
		b.chord("s")
		b.shows("1 cell saved")
		if prices := pricesOf(p, key, "filter.query=matcha"); !slices.Contains(prices, "91") {
			t.Errorf("no price is 91: %v", prices)
		}
	}
}
