package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp/kb"

	"vitrine/internal/await"
)

// focusShows is whether a person sees where the focus is: on an element in the window that nothing covers, and
// that is marked, or that shows a caret.
const focusShows = `((e) => {
	if (e === document.body || !e.matches(':focus-visible')) return false
	const label = e.closest('label') ?? document.querySelector('label[for="' + CSS.escape(e.id) + '"]') // a switch is drawn by its label
	const seen = [e, ...(e.matches('[type=radio], [type=checkbox]') && label ? [label, ...label.parentElement.children] : [])]
	const reached = seen.some((x) => [...x.getClientRects()].some((r) => {
		const [left, right, top, bottom] = [Math.max(r.left, 0), Math.min(r.right, innerWidth), Math.max(r.top, 0), Math.min(r.bottom, innerHeight)]
		if (right <= left || bottom <= top) return false
		const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
		return seen.some((y) => y.contains(hit))
	}))
	const marked = (s) => (s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0) || s.boxShadow !== 'none'
	return reached && (e.matches('input, textarea, [contenteditable]') || marked(getComputedStyle(e)))
})(document.activeElement)`

// keepsFocus checks that the focus is seen, once the page has drawn what a key does.
func (b *tab) keepsFocus() {
	b.t.Helper()
	if !await.Until(func() bool { return b.text(focusShows) == "true" }) {
		b.t.Errorf("the focus is not seen: %.300s", b.text(`document.activeElement.outerHTML`))
	}
}

// entersByKeyboard goes to a page of the menu with the keyboard alone.
func (b *tab) entersByKeyboard(page string, width int64) {
	b.t.Helper()
	if width < 600 {
		b.tabsTo("[aria-label=Menu]")
		b.presses(kb.Enter)
	}
	b.tabsTo("nav a[href$='/" + page + "']")
	b.presses(kb.Enter)
}

// A section moves to another place with the keyboard alone, with a rule for each of its old addresses.
// Ctrl+Z takes that back, unless it is pressed in a field, whose own key it is.
func TestASectionIsMovedWithItsRedirectsByKeyboard(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		p, key, b := entersDemo(t, width)
		b.byKeyboard = true
		b.open("/cabinet/demo/start", width)
		b.entersByKeyboard("sections", width)
		b.tabsTo("[role=treeitem]")
		for range 40 {
			if b.text(`document.activeElement.querySelector('a').textContent`) == "Black tea" {
				break
			}
			b.presses(kb.ArrowDown)
		}
		b.shifts(kb.ArrowLeft)
		b.until(`document.activeElement.textContent === 'Move'`)
		b.tabsTo("[role=dialog] input[type=checkbox]")
		b.presses(" ")
		b.until(`/[1-9]\d* rules? will be made/.test(document.body.innerText)`)
		b.fits("section-move-keys", width)
		b.pushes("Move")
		b.shows("“Black tea” is moved.")
		p.leadsTo("/tea/black-tea", "/black-tea", 308)
		p.hasRule(key, "/tea/black-tea", "/black-tea")
		b.until(`document.activeElement === ` + branch("Black tea"))
		b.fits("section-moved-keys", width)

		b.tabsTo("main [type=search]")
		b.chord("z")
		b.tabsTo("[role=treeitem]")
		p.leadsTo("/tea/black-tea", "/black-tea", 308)
		b.chord("z")
		b.shows("Undone")
		p.leadsTo("/tea/black-tea", "", 200)
		p.hasRule(key, "/tea/black-tea", "")
		b.quiet()
	}
}

// An article is written and scheduled with the keyboard alone; its date is typed.
func TestAnArticleIsScheduledByKeyboard(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		p, key, b := entersDemo(t, width)
		b.byKeyboard = true
		b.open("/cabinet/demo/start", width)
		b.entersByKeyboard("articles", width)
		b.pushes("New article")
		b.tabsToField("Title")
		b.keys("Written with keys")
		b.tabsTo("[role=textbox][aria-label=Text]")
		b.keys("Steep it.")
		b.tabsTo("[role=switch]")
		b.presses(" ")
		b.tabsToField("Date and time in the shop (UTC)")
		b.keys("050620390708AM")
		b.shows("Visitors see it from May 6, 2039")
		b.tabsToField("Rubric")
		b.keys("Brewing")
		b.until(`[...document.querySelectorAll('[role=option]')].some((o) => o.textContent === 'Brewing')`)
		b.presses(kb.ArrowDown, kb.Enter)
		b.chord("s")
		b.until(`/articles\/\d+$/.test(location.pathname)`)
		b.shows("Scheduled")
		b.fits("article-keys", width)
		article := p.must(key, "GET", strings.TrimPrefix(b.text(`location.pathname`), "/cabinet/demo"), nil)
		if article["published_at"] != "2039-05-06T07:08:00Z" || article["title"] != "Written with keys" {
			t.Errorf("the article: %v", article)
		}
		b.quiet()
	}
}

// Two hundred prices from a spreadsheet are pasted into the grid of products and saved with the keyboard alone,
// which always shows where it is.
func TestPricesArePastedByKeyboard(t *testing.T) {
	t.Parallel()
	for i, width := range []int64{1280, 390} {
		p, key, b := entersDemo(t, width)
		p.makesSaucers(key)
		b.byKeyboard = true
		b.open("/cabinet/demo/start", width)
		b.entersByKeyboard("products", width)
		b.tabsTo("main [type=search]")
		b.keepsFocus()
		b.keys("Saucer")
		b.shows("200 products")
		b.tabsTo("main input[aria-label=Order]")
		b.keepsFocus()
		b.presses(kb.ArrowDown)
		b.until(`[...document.querySelectorAll('[role=option]')].some((e) => e.checkVisibility())`)
		b.presses(kb.ArrowDown, kb.Enter)
		b.until(`location.search.includes('sort=name')`)
		b.keepsFocus()
		b.shiftTabsTo("main [role=radiogroup] input")
		b.keepsFocus()
		b.presses(kb.ArrowRight)
		b.until(`document.querySelector('[role=grid]')`)
		b.keepsFocus()
		b.tabsTo("[role=grid] [role=columnheader], [role=grid] [role=gridcell]")
		b.keepsFocus()
		for range 4 {
			b.presses(kb.ArrowUp, kb.ArrowLeft)
		}
		b.presses(kb.ArrowDown, kb.ArrowRight, kb.ArrowRight)
		b.until(`document.activeElement.matches('[role=gridcell][aria-colindex="3"]') && document.activeElement.parentElement.ariaRowIndex === '2'`)
		b.keepsFocus()
		var prices []string
		for n := range 200 {
			prices = append(prices, itoa(float64(100*(i+1)+n)))
		}
		b.pastes(strings.Join(prices, "\r\n"))
		b.shows("Not saved: 200 cells")
		b.keepsFocus()
		b.fits("grid-keys", width)
		b.pushes("Save")
		b.shows("200 cells saved")
		b.keepsFocus()
		if got := pricesOf(p, key, "filter.query=Saucer"); strings.Join(got, " ") != strings.Join(prices, " ") {
			t.Errorf("saved prices: %v", got)
		}
		b.chord("z")
		b.shows("Undone")
		b.keepsFocus()
		if got := pricesOf(p, key, "filter.query=Saucer"); got[0] != "1" || got[199] != "1" {
			t.Errorf("after the undo: %v", got)
		}
		b.quiet()
	}
}

// Somebody who has nothing registers, opens a shop and fills it with ten products with the keyboard alone, which
// always shows where it is. The storefront has them all.
func TestAShopIsFilledByKeyboard(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.env = append(p.env, "VITRINE_ADMIN_URL=http://admin.localhost:"+portOf(t, p.admin))
	p.shop("tea")
	p.start()
	for _, width := range []int64{1280, 390} {
		slug, email := fmt.Sprintf("key-tea-%d", width), fmt.Sprintf("keys%d@example.com", width)
		b := cabinet(t, p, width)
		b.byKeyboard = true
		types := func(selector, text string) {
			b.tabsTo(selector)
			b.keepsFocus()
			b.keys(text)
		}
		pushes := func(label, then string) {
			b.pushes(label)
			b.shows(then)
			b.keepsFocus()
		}
		fills := func(label, text string) {
			b.fills(label, text)
			b.keepsFocus()
		}
		b.pushes("Create an account")
		types("[name=name]", "Mira")
		types("[name=email]", email)
		types("[name=password]", "a long password")
		b.presses(kb.Enter)
		b.until(`document.querySelector('[name=letter-code]')`)
		b.keepsFocus()
		types("[name=letter-code]", sixDigits.FindString(p.letterTo(email)))
		pushes("Confirm the address", "Name of the shop")
		types("[name=shop-name]", fmt.Sprintf("Key Tea %d", width))
		b.pushes("Open a shop")
		b.until(`location.pathname === '/cabinet/` + slug + `/start'`)
		b.shows("An email or a phone is needed.")
		b.keepsFocus()

		fills("Email", "hello@example.com")
		pushes("Save", "Name of the first section")
		fills("Name of the first section", "Teas")
		fills("Name of the product", "Keemun")
		fills("Price", "ten")
		pushes("Put it into the shop", "This is not a price.")
		fills("Price", "14.50")
		pushes("Put it into the shop", "Price; 0 is free")
		fills("Price; 0 is free", "4")
		pushes("Save", "What the buyer does after ordering")
		b.fits("steps-keys", width)

		b.entersByKeyboard("transfer", width)
		lines := []string{"sku,name,price,category,is_published"}
		for n := range 9 {
			lines = append(lines, fmt.Sprintf("T-%d,Oolong no. %d,%d,teas,true", n+1, n+1, 1000+n))
		}
		file := filepath.Join(t.TempDir(), "teas.csv")
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
		b.tabsToField("File")
		b.keepsFocus()
		b.choosesByKeyboard(file)
		b.shows("9 new")
		b.keepsFocus()
		pushes("Import 9 lines", "Imported: 9 new, 0 changed")
		b.fits("imported-keys", width)
		b.entersByKeyboard("products", width)
		b.shows("10 products")
		b.keepsFocus()
		b.fits("ten-keys", width)
		b.quiet()

		visitor := p.tab(t)
		visitor.host = strings.TrimSuffix(b.text(`document.querySelector('nav a[target=_blank]').href`), "/")
		visitor.open("/teas", width)
		visitor.until(`document.querySelectorAll('[data-v-card], .v-card').length >= 10`)
		visitor.fits("ten-in-shop", width)
		visitor.quiet()
	}
}

// A day is typed key by key into the filters of lists. While only a part of its year is there the page stays
// as it is, and Back leads past these parts.
func TestDaysThatFilterAListAreTypedKeyByKey(t *testing.T) {
	t.Parallel()
	_, _, b := entersDemo(t, 1280)
	for _, screen := range []struct {
		path   string
		fields int
	}{{"orders", 2}, {"articles", 2}, {"statistics?from=2025-01-01&to=2025-02-01", 2}, {"team/audit", 1}} {
		b.open("/cabinet/demo/start", 1280)
		b.open("/cabinet/demo/"+screen.path, 1280)
		const days = `[...document.querySelectorAll('main input[type=date]')]`
		b.until(fmt.Sprintf(days+`.length === %d`, screen.fields))
		for i := range screen.fields {
			at := fmt.Sprintf(days+`[%d]`, i)
			b.focuses(at)
			b.keys("05062025")
			b.until(at + `?.value === '2025-05-06'`)
		}
		b.until(`location.search.includes('2025-05-06')`)
		b.text(`(history.back(), '')`)
		b.until(`location.pathname === '/cabinet/demo/start'`)
	}
	b.quiet()
}

// On a slow network a day is typed while the list for the day before is on its way, which changes nothing of what
// is typed. Another tab has days of its own, and Forward brings them back.
func TestADayIsTypedWhileAListLoads(t *testing.T) {
	t.Parallel()
	p, _, b := entersDemo(t, 390)
	other := p.owner(t, 1280)
	const from = `document.querySelectorAll('main input[type=date]')[0]`
	other.open("/cabinet/demo/orders?from=2024-01-02", 1280)
	other.until(from + `?.value === '2024-01-02'`)
	b.open("/cabinet/demo/start", 390)
	b.shows("Waiting for you")
	b.open("/cabinet/demo/orders", 390)
	b.until(from)
	b.awaited(settled)
	b.reaches(network.Conditions{Latency: 1000, DownloadThroughput: 50_000, UploadThroughput: 50_000})
	b.focuses(from)
	b.keys("05062025")
	b.until(`location.search.includes('2025-05-06')`)
	again := func(year string) {
		b.presses(kb.ArrowLeft, kb.ArrowRight) // the year from its first digit
		b.keys(year)
	}
	again("2")
	b.awaited(settled)
	b.is(from+`.value`, "0002-05-06")
	b.is(`location.search.includes('2025-05-06')`, "true")
	b.keys("024")
	b.until(`location.search.includes('2024-05-06')`)
	again("2023")
	b.until(`location.search.includes('2023-05-06')`)
	b.awaited(settled)
	b.is(from+`.value`, "2023-05-06")
	b.is(`document.activeElement === `+from, "true")
	b.reaches(online)
	b.text(`(history.back(), '')`)
	b.until(`location.pathname === '/cabinet/demo/start'`)
	b.text(`(history.forward(), '')`)
	b.until(from + `?.value === '2023-05-06'`)
	other.is(from+`.value`, "2024-01-02")
	b.quiet()
	other.quiet()
}
