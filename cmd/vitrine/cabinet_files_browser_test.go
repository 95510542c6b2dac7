package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// inserts types a text where the focus is, at once as from a clipboard.
func (b *tab) inserts(text string) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, input.InsertText, input.InsertTextParams{Text: text}); err != nil {
		b.t.Fatal(err)
	}
}

// focuses puts the focus on the element of an expression, once it is there.
func (b *tab) focuses(element string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`((e) => e && (e.focus(), document.activeElement === e))(%s)`, element))
}

// field is the field with a label.
func field(label string) string {
	return fmt.Sprintf(`((l) => l && document.getElementById(l.htmlFor))([...document.querySelectorAll('label')].find((l) => l.textContent.replace(' *', '') === %q))`, label)
}

// fits checks that nothing is wider than the window, and takes a picture.
func (b *tab) fits(name string, width int64) {
	b.t.Helper()
	b.until(`[...document.images].every((i) => i.complete || i.loading === 'lazy')`)
	b.is(`document.documentElement.scrollWidth <= innerWidth`, "true")
	shoot(b.t, b.ctx, "/cabinet/"+name, width)
}

// pictureFile is a file with a picture.
func pictureFile(t testing.TB, name string, shade byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, tinyPNG(t, shade), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// quiet checks that the console has only the refusals that a story provokes.
func (b *tab) quiet(refusals ...string) {
	b.t.Helper()
	for _, found := range b.complaints() {
		if !slices.ContainsFunc(refusals, func(part string) bool { return strings.Contains(found, part) }) {
			b.t.Error(found)
		}
	}
}

const oddText = `<img src=x onerror=alert(1)> "5 < 3" & 🍵 שלום`

// drops drops pictures with these names on the element of a selector, or chooses them in a field of
// files.
func (b *tab) drops(selector string, names ...string) {
	b.t.Helper()
	b.until(`document.querySelector(` + quoted(selector) + `)`)
	b.awaited(fmt.Sprintf(`(async (target, names) => {
		const carried = new DataTransfer();
		for (const [i, name] of names.entries()) {
			const canvas = new OffscreenCanvas(300, 200), pen = canvas.getContext('2d');
			pen.fillStyle = 'hsl(' + (i * 36 + name.length) + ' 60%% 50%%)';
			pen.fillRect(0, 0, 300, 200);
			carried.items.add(new File([await canvas.convertToBlob()], name, { type: 'image/png' }));
		}
		if (target.type === 'file') {
			target.files = carried.files;
			target.dispatchEvent(new Event('change', { bubbles: true }));
		} else target.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: carried }));
	})(document.querySelector(%s), [%s]).then(() => '')`, quoted(selector), strings.Join(quotedAll(names), ", ")))
}

func quotedAll(texts []string) (list []string) {
	for _, text := range texts {
		list = append(list, quoted(text))
	}
	return list
}

// online cuts the connection of the page, or brings it back.
func (b *tab) online(yes bool) {
	b.t.Helper()
	cut := network.Conditions{Offline: !yes, DownloadThroughput: -1, UploadThroughput: -1}
	if _, err := chromedp.Call(b.ctx, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{&cut}}); err != nil {
		b.t.Fatal(err)
	}
}

// An owner drops pictures into the library, puts them into a folder, describes one and replaces it;
// an upload that was cut off is tried again; a file that is used says where before it is deleted. But
// for what is dropped, all is done with the keyboard.
func TestOwnerKeepsFilesInTheCabinet(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			p, key, b := entersDemo(t, width)
			b.byKeyboard = true
			core, found := axeCore(t), map[string]bool{}
			b.open("/cabinet/demo/files", width)
			b.shows("133 files")
			b.fits("files", width)
			b.axeHere(core, "files", found)
			b.pushes("New folder")
			b.fills("Name of the folder", oddText)
			b.presses(kb.Enter)
			b.walks(`e.matches('main a') && e.textContent.includes('5 < 3')`)
			b.presses(kb.Enter)
			b.shows("This folder is empty.")
			b.uploads(p, key)
			b.axeHere(core, "a folder", found)
			b.fits("folder", width)
			b.keepsFile(p, key, core, found, width)
			b.deletesFiles(p, key, core, found, width)
			b.keepsGallery(p, key, core, found, width)
			b.quiet("401", "409", "ERR_INTERNET_DISCONNECTED")
		})
	}
}

// uploads drops ten pictures at once, and one while the connection is cut.
func (b *tab) uploads(p *program, key string) {
	b.t.Helper()
	names := []string{`<b>.png`, `"quoted".png`, "чай 🍵.png", strings.Repeat("w", 251) + ".png", "../../up.png"}
	for n := range 5 {
		names = append(names, fmt.Sprintf("picture %d.png", n))
	}
	b.drops("main h1", names...)
	b.shows("10 files")
	b.until(`!document.querySelector('[aria-label=Uploads]')`)
	b.reaches(network.Conditions{DownloadThroughput: -1, UploadThroughput: 100})
	b.drops("main h1", "cut off.png")
	b.until(`document.querySelector('[aria-label=Uploads] [role=progressbar]')`)
	b.reaches(network.Conditions{Offline: true, DownloadThroughput: -1, UploadThroughput: -1}) // in the middle of the file
	b.shows("No connection.")
	b.pushes("Galleries")
	b.shows("Leaving stops them.")
	b.pushes("Stay")
	b.reaches(online)
	b.pushes("Try again")
	b.shows("11 files")
	b.walks(`e.textContent === 'Upload'`)
	b.choosesByKeyboard(pictureFile(b.t, "chosen.png", 200))
	b.shows("12 files")
	if _, answer := p.call(key, "GET", "/v1/storages/files?filter.query=cut", nil); answer["total"] != 1.0 {
		b.t.Errorf("the picture that was cut off is there %v times", answer["total"])
	}
}

// keepsFile describes a file, meets somebody else's description, gives it another name and replaces it.
func (b *tab) keepsFile(p *program, key, core string, found map[string]bool, width int64) {
	b.t.Helper()
	b.tabsTo(`.tile a[title="picture 3.png"]`)
	b.presses(kb.Enter)
	b.shows("Nothing in the shop refers to it.")
	path := "/v1/storages/files/" + b.text(`location.pathname.split('/').pop()`)
	before := p.must(key, "GET", path, nil)
	b.fills("Alternative text", "Green")
	b.fills("Name", "green.png")
	p.must(key, "PUT", path, map[string]any{"item": map[string]any{"alt": "Theirs"}})
	b.pushes("Save")
	b.shows("Theirs: Theirs")
	b.pushes("Save what is chosen")
	b.until(`document.querySelector('h1').textContent === 'green.png'`)
	if got := p.must(key, "GET", path, nil); got["alt"] != "Green" || got["original_name"] != "green.png" {
		b.t.Errorf("saved: %v", got)
	}
	b.walks(`e.textContent === 'Replace'`)
	b.choosesByKeyboard(pictureFile(b.t, "another.png", 90))
	b.shows("The file is replaced.")
	if got := p.must(key, "GET", path, nil); got["url"] == before["url"] || got["alt"] != "Green" {
		b.t.Errorf("replaced: %v, before %v", got, before)
	}
	b.fits("file", width)
	b.axeHere(core, "a file", found)
}

// deletesFiles deletes one file that is used and one that is not.
func (b *tab) deletesFiles(p *program, key, core string, found map[string]bool, width int64) {
	b.t.Helper()
	b.open("/cabinet/demo/files?q=water-first", width)
	b.until(`document.querySelectorAll('.tile').length === 1`)
	b.tabsTo(".tile a")
	b.presses(kb.Enter)
	b.until(`[...document.querySelectorAll('main a')].some((a) => a.textContent === 'Water first' && a.href.includes('/articles/'))`)
	b.open("/cabinet/demo/files?q=r", width)
	b.until(`document.querySelector('input[type=checkbox]')`)
	used, unused := "article-water-first.webp", "article-unused.png"
	b.drops("main h1", unused)
	b.until(`document.querySelector('input[type=checkbox][aria-label="` + unused + `"]')`)
	for _, name := range []string{used, unused} {
		b.tabsTo(`input[type=checkbox][aria-label="` + name + `"]`)
		b.presses(" ")
	}
	b.pushes("Delete")
	b.shows("Delete 2 files?")
	b.shows("1 of them is used.")
	b.shows("Article Water first")
	b.fits("file-delete", width)
	b.axeHere(core, "files about to be deleted", found)
	b.pushes("Delete only the unused")
	b.shows("1 file is deleted.")
	b.until(`!document.querySelector('.tile input[aria-label="` + unused + `"]')`)
	b.tabsTo(`input[type=checkbox][aria-label="` + used + `"]`)
	b.presses(" ")
	b.pushes("Delete")
	b.shows("Article Water first")
	b.walks(`e.closest('[role=dialog]') && e.textContent === 'Delete'`)
	b.presses(kb.Enter)
	b.until(`!document.querySelector('.tile input[aria-label="` + used + `"]')`)
	if _, answer := p.call(key, "GET", "/v1/storages/files?filter.query=water-first", nil); answer["total"] != 0.0 {
		b.t.Error("the deleted file is there")
	}
}

// keepsGallery makes a gallery of pictures from the library, and orders it with the keyboard.
func (b *tab) keepsGallery(p *program, key, core string, found map[string]bool, width int64) {
	b.t.Helper()
	b.open("/cabinet/demo/files/galleries/new", width)
	b.fills("Name of the gallery", oddText)
	b.pushes("From the library")
	b.until(`document.querySelectorAll('[role=dialog] .tile').length > 10`)
	b.axeHere(core, "the library", found)
	b.fits("library", width)
	b.tabsTo("[role=dialog] .tile:first-child")
	b.presses(" ", kb.Tab, " ")
	b.pushes("Add 2")
	b.tabsTo(`textarea[aria-label="Caption 2"]`)
	b.inserts(oddText)
	b.pushes("Move up 2")
	b.pushes("Save")
	b.until(`/galleries\/\d+$/.test(location.pathname)`)
	gallery := p.must(key, "GET", "/galleries/"+b.text(`location.pathname.split('/').pop()`), nil)
	if items := gallery["items"].([]any); len(items) != 2 || items[0].(map[string]any)["caption"] != oddText {
		b.t.Errorf("%v", gallery)
	}
	b.axeHere(core, "a gallery", found)
	b.fits("gallery", width)
	b.open("/cabinet/demo/files/galleries", width)
	b.shows("2 items")
	b.axeHere(core, "galleries", found)
	b.fits("galleries", width)
}
