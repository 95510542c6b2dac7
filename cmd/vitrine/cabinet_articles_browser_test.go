package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// An owner writes an article with a heading, sets a date ahead, and sees when visitors will find
// it; changes by somebody else are shown, not overwritten; a deleted article comes back.
func TestOwnerWritesArticlesInTheCabinet(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			p, key, b := entersDemo(t, width)
			core, found := axeCore(t), map[string]bool{}
			b.open("/cabinet/demo/articles?state=scheduled", width)
			b.shows("The winter table opens")
			b.is(`document.body.innerText.includes('Water first')`, "false")
			b.open("/cabinet/demo/articles", width)
			b.shows("Water first")
			b.fits("articles", width)
			b.axeHere(core, "articles", found)
			path := b.writesArticle(p, core, found, width)
			b.isScheduled(p, key, path)
			b.meetsAnother(p, key, path)
			b.axeHere(core, "an article", found)
			b.fits("article", width)
			b.deletesArticles(p, key, path, width)
			b.keepsRubrics(core, found, width)
			b.quiet("401", "409")
		})
	}
}

// writesArticle writes a new article with the keyboard alone and returns its path in the API.
func (b *tab) writesArticle(p *program, core string, found map[string]bool, width int64) (path string) {
	b.t.Helper()
	b.chord("k")
	b.until(`document.activeElement.matches('.mantine-Spotlight-search')`)
	b.inserts("New article")
	b.until(`[...document.querySelectorAll('.mantine-Spotlight-action')].some((a) => a.textContent === 'New article')`)
	b.presses(kb.Enter)
	b.until(`location.pathname === '/cabinet/demo/articles/new'`)
	b.focuses(field("Title"))
	b.inserts(oddText + strings.Repeat("x", 150))
	b.focuses(`document.querySelector('[role=textbox][aria-label=Text]')`)
	b.inserts("Steep it")
	b.chord("a")
	b.focuses(`[...document.querySelectorAll('button[aria-label="Heading 2"]')].at(-1)`)
	b.presses(kb.Enter)
	b.until(`document.querySelector('[aria-label=Text] h2')`)
	b.focuses(`document.querySelector('[role=textbox][aria-label=Text]')`)
	b.presses(kb.End, kb.Enter)
	b.inserts("For two minutes, a < b.")
	b.pushes("Save")
	b.shows("Choose a rubric.")
	b.until(`document.activeElement === ` + field("Rubric"))
	b.axeHere(core, "a refused article", found)
	b.inserts("Brewing")
	b.presses(kb.ArrowDown, kb.Enter)
	b.until(field("Rubric") + `.value === 'Brewing'`)
	b.focuses(`document.querySelector('[role=switch]')`)
	b.presses(" ")
	b.dates("Date and time in the shop (UTC)", "2039-05-06T07:08")
	b.shows("Visitors see it from May 6, 2039")
	b.fits("article-new", width)
	b.chord("s")
	b.until(`/articles\/\d+$/.test(location.pathname)`)
	b.shows("Scheduled")
	b.is(`document.querySelector('h1').textContent.includes('<img src=x')`, "true")
	return strings.TrimPrefix(b.text(`location.pathname`), "/cabinet/demo")
}

// isScheduled sees that visitors find an article when its date has come, and not before.
func (b *tab) isScheduled(p *program, key, path string) {
	b.t.Helper()
	article := p.must(key, "GET", path, nil)
	slug := "/journal/brewing/" + article["slug"].(string)
	if status, _, _ := p.visit("demo", slug); status == 200 || article["published_at"] != "2039-05-06T07:08:00Z" {
		b.t.Errorf("before its date %v: %d", article["published_at"], status)
	}
	p.must(key, "PUT", path, map[string]any{"item": map[string]any{"published_at": time.Now().Add(3 * time.Second).UTC().Format(time.RFC3339Nano)}})
	page := ""
	wait(b.t, "the article appears by itself", func() bool {
		status, _, body := p.visit("demo", slug)
		page = body
		return status == http.StatusOK
	})
	for _, want := range []string{"<h2>Steep it</h2>", "<p>For two minutes, a &lt; b.</p>", "&lt;img src=x onerror=alert(1)&gt;"} {
		if !strings.Contains(page, want) {
			b.t.Errorf("the page lacks %s", want)
		}
	}
}

// meetsAnother edits an article that somebody else edits, too.
func (b *tab) meetsAnother(p *program, key, path string) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.Reload()); err != nil {
		b.t.Fatal(err)
	}
	b.shows("Published")
	b.until(`document.querySelector('[aria-label=Text] h2')`)
	p.must(key, "PUT", path, map[string]any{"item": map[string]any{"badge": "Theirs"}})
	b.fills("Badge on the cover", "Mine")
	b.pushes("Save")
	b.shows("Theirs: Theirs")
	b.text(`(document.querySelector('input[type=radio][value=theirs]').click(), '')`)
	b.pushes("Save what is chosen")
	b.until(field("Badge on the cover") + `.value === 'Theirs'`)

	_, answer := p.call(key, "GET", path, nil)
	blocks := answer["content_blocks"].([]any)
	text := blocks[len(blocks)-1].(map[string]any)
	p.must(key, "PUT", "/content-blocks/"+text["id"].(string), map[string]any{"item": map[string]any{"sections": []any{
		map[string]any{"type": "text", "payload": map[string]any{"v": 2, "kind": "text", "props": map[string]any{"text": "Their text."}}}}}})
	b.focuses(`document.querySelector('[role=textbox][aria-label=Text]')`)
	b.inserts("My text. ")
	b.pushes("Save")
	b.shows("Theirs: Their text.")
	b.pushes("Save what is chosen")
	b.until(`!document.querySelector('[role=dialog]')`)
	b.shows("Saved")
	_, answer = p.call(key, "GET", path, nil)
	if said := fmt.Sprint(answer["content_blocks"]); !strings.Contains(said, "My text. ") || strings.Contains(said, "Their text.") {
		b.t.Errorf("the text is %s", said)
	}
}

// deletesArticles deletes one on its page and hides some in the list, and takes both back.
func (b *tab) deletesArticles(p *program, key, path string, width int64) {
	b.t.Helper()
	b.pushes("Delete")
	b.shows("is deleted.")
	if status, _ := p.call(key, "GET", path, nil); status != 404 {
		b.t.Errorf("a deleted article answers %d", status)
	}
	b.pushes("Undo")
	b.shows("Undone")
	p.must(key, "GET", path, nil)

	b.open("/cabinet/demo/articles?rubric=18", width)
	b.shows("Cold, and overnight")
	for _, title := range []string{"Cold, and overnight", "Water first"} {
		b.text(fmt.Sprintf(`(document.querySelector('input[type=checkbox][aria-label=%q]').click(), '')`, title))
	}
	b.pushes("Hide")
	b.shows("2 articles will change")
	b.pushes("Do it")
	b.shows("Saved · 2 articles")
	if status, _, _ := p.visit("demo", "/journal/brewing/water-first"); status == 200 {
		b.t.Errorf("visitors see a hidden article: %d", status)
	}
	b.pushes("Undo")
	b.shows("Undone")
	if status, _, _ := p.visit("demo", "/journal/brewing/water-first"); status != 200 {
		b.t.Errorf("an article that is back answers %d", status)
	}
}

// keepsRubrics makes, names, orders and deletes a rubric.
func (b *tab) keepsRubrics(core string, found map[string]bool, width int64) {
	b.t.Helper()
	b.pushes("Rubrics")
	b.pushes("New rubric")
	b.fills("Name of the rubric", "Recipes")
	b.presses(kb.Enter)
	b.pushes("Rename: Recipes")
	b.fills("Name of the rubric", "Cooking "+strings.Repeat("w", 200))
	b.presses(kb.Enter)
	b.until(`document.querySelector('main li:last-of-type').textContent.includes('Cooking')`)
	b.fits("rubrics", width)
	b.axeHere(core, "rubrics", found)
	b.text(`([...document.querySelectorAll('button')].find((e) => e.ariaLabel?.startsWith('Move up: Cooking')).click(), '')`)
	b.until(`document.querySelector('main li').textContent.includes('Cooking')`)
	b.text(`([...document.querySelectorAll('button')].find((e) => e.ariaLabel?.startsWith('Delete: Cooking')).click(), '')`)
	b.until(`!document.querySelector('main ul').textContent.includes('Cooking')`)
	b.shows("and its articles are no longer in the shop.") // and not the Undo of an earlier message
	b.pushes("Undo")
	b.until(`document.querySelector('main ul').textContent.includes('Cooking')`)
}

// chord presses a key with Ctrl.
func (b *tab) chord(key string) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.KeyEvent(key, chromedp.KeyModifiers(chromedp.ModifierCtrl))); err != nil {
		b.t.Fatal(err)
	}
}

// dates sets a field of a date, as a person does with the browser's calendar.
func (b *tab) dates(label, value string) {
	b.t.Helper()
	b.focuses(field(label))
	b.text(fmt.Sprintf(`(Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(document.activeElement, %q),
		document.activeElement.dispatchEvent(new Event('input', { bubbles: true })))`, value))
}
