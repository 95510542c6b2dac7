package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

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
