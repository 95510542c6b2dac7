package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// An owner makes a feed of a template, breaks it and sees what its marketplace would refuse at its
// line, repairs it, publishes it and finds it at its address; a template that cannot be read is not
// saved; what somebody else saved meanwhile is shown; a deleted file is gone.
func TestOwnerKeepsFeedsInTheCabinet(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			p, key, b := entersDemo(t, width)
			core, found := axeCore(t), map[string]bool{}
			path := b.makesFeed(p, key, core, found, width)
			b.sharesFile(p, key, path)
			b.breaksTemplate(p, key, path, core, found, width)
			b.deletesFile(p, key, path, width)
			b.quiet("400", "404", "409", "429")
		})
	}
}

const inEditor = `document.querySelector('.cm-content')`

// makesFeed makes a feed of the template of a marketplace and returns its path in the API.
func (b *tab) makesFeed(p *program, key, core string, found map[string]bool, width int64) (path string) {
	b.t.Helper()
	b.open("/cabinet/demo/site-files", width)
	b.shows("2 files")
	b.fits("sitefiles", width)
	b.pushes("New file")
	b.focuses(field("Begin with"))
	b.presses(kb.Enter)
	b.until(`[...document.querySelectorAll('[role=option]')].some((e) => e.checkVisibility())`)
	b.text(`([...document.querySelectorAll('[role=option]')].find((e) => e.textContent.includes('Yandex Market')).click(), '')`)
	b.until(field("Name") + `.value === 'yandex-feed.yml'`)
	b.until(inEditor + `.textContent.includes('yml_catalog')`)
	b.shows("Checked by the rules of Yandex Market")
	b.shows("No problems")
	b.chord("s")
	b.shows("There is a file with this name in this place.")
	b.until(`document.activeElement === ` + field("Name"))
	b.replaces("Name", "own-feed.yml")
	b.focuses(inEditor)
	b.chord("a")
	b.inserts("<?xml version=\"1.0\"?>\n<yml_catalog date=\"yesterday\"><shop><name>{{.Shop.Name}}</name><offers>\n{{range products \"limit=3\"}}<offer id=\"1\"><name>{{.Name}}</name><price>{{.Name}}</price></offer>\n{{end}}</offers></shop></yml_catalog>")
	b.shows("No id is used twice")
	b.shows("Prices are written correctly and are not 0")
	b.until(`document.querySelector('.cm-lint-marker-warning')`)
	b.pushes("Line 3")
	b.until(`document.activeElement === ` + inEditor + ` && document.querySelector('.cm-activeLine').textContent.includes('range products')`)
	b.axeHere(core, "a feed with problems", found)
	b.fits("sitefile-problems", width)
	b.focuses(inEditor)
	b.chord("a")
	b.inserts("<names>\n{{range products \"limit=2\"}}<n>{{.Name}}</n>{{end}}\n</names>")
	b.until(`document.querySelector('[aria-label=Output]')?.textContent.startsWith('<names>')`)
	b.text(`(` + field("Published") + `.click(), '')`)
	b.chord("s")
	b.until(`/site-files\/\d+$/.test(location.pathname)`)
	b.shows("/own-feed.yml")
	path = strings.TrimPrefix(b.text(`location.pathname`), "/cabinet/demo")
	wait(b.t, "the file is served", func() bool {
		status, _, body := p.visit("demo", "/own-feed.yml")
		return status == 200 && strings.Count(body, "<n>") == 2
	})
	wait(b.t, "the build is recorded", func() bool { return p.must(key, "GET", path, nil)["last_build"] != nil })
	b.open("/cabinet/demo"+path, width)
	b.shows("Visitors get this output.")
	b.fits("sitefile", width)
	return path
}

// sharesFile edits a file in two windows.
func (b *tab) sharesFile(p *program, key, path string) {
	b.t.Helper()
	p.must(key, "PATCH", path, map[string]any{"name": "theirs.yml"})
	b.replaces("Name", "mine.yml")
	b.pushes("Save")
	b.shows("Theirs: theirs.yml")
	b.pushes("Save what is chosen")
	b.shows("Saved")
	if got := p.must(key, "GET", path, nil)["name"]; got != "mine.yml" {
		b.t.Errorf("the name is %v", got)
	}
}

// breaksTemplate types a template that cannot be read: its line is marked, and it is not saved. A
// reload keeps it.
func (b *tab) breaksTemplate(p *program, key, path, core string, found map[string]bool, width int64) {
	b.t.Helper()
	b.open("/cabinet/demo"+path, width)
	b.until(inEditor + `?.textContent.includes('range products')`)
	b.focuses(inEditor)
	b.chord("a")
	b.inserts("<names>\n{{range prodcts}}" + oddText + "{{end}}\n</names>")
	b.until(`document.querySelector('.cm-lint-marker-error')`)
	b.pushes("Save")
	b.shows("The template has a mistake: ")
	b.until(`document.activeElement === ` + inEditor)
	b.axeHere(core, "a template with a mistake", found)
	b.fits("sitefile-mistake", width)
	if body := p.must(key, "GET", path, nil)["body"].(string); strings.Contains(body, "prodcts") {
		b.t.Error("a template with a mistake was saved")
	}
	b.open("/cabinet/demo"+path, width)
	b.shows("What you had typed before is here again.")
	b.until(inEditor + `?.textContent.includes('prodcts')`)
	b.pushes("Discard")
	b.until(inEditor + `.textContent.includes('range products')`)
}

// deletesFile deletes a file after a question.
func (b *tab) deletesFile(p *program, key, path string, width int64) {
	b.t.Helper()
	b.pushes("Delete")
	b.shows("It cannot be restored.")
	b.text(`([...document.querySelectorAll('[role=dialog] button')].find((e) => e.textContent === 'Delete').click(), '')`)
	b.shows("mine.yml is deleted.")
	b.shows("2 files")
	if status, _ := p.call(key, "GET", path, nil); status != 404 {
		b.t.Errorf("a deleted file answers %d", status)
	}
}
