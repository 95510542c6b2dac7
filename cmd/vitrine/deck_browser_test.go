package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"vitrine/internal/await"
)

// decks are style sheets that make body as tall as the window with a class that a script sets
// on html or body, as slide decks do.
var decks = map[string]struct{ css, root, body string }{
	"percent":      {`html.full { height: 100%; overflow: hidden } .viewport { height: 100% }`, "full", "viewport"},
	"reveal":       {`html.full { width: 100%; height: 100vh; height: calc(var(--vh, 1vh) * 100); height: 100dvh; overflow: hidden } .viewport { height: 100%; position: relative; overflow: hidden; background: #fff }`, "full", "viewport"},
	"descendant":   {`html.full body { height: calc(var(--vh, 1vh) * 100) } .viewport { position: relative }`, "full", "viewport"},
	"child":        {`html.full > body { height: 100svh; overflow: hidden }`, "full", ""},
	"body's class": {`body.viewport { height: 100vh }`, "", "viewport"},
	"class alone":  {`.viewport { height: 100dvh }`, "", "viewport"},
	"at least":     {`.viewport { min-height: 100vh }`, "", "viewport"},
	"root's class": {`.full { min-height: 100vh }`, "full", ""},
}

// deck writes a page whose classes are set at its start, or by setClasses.
func deck(t *testing.T, css, root, body string, linked, late bool) string {
	dir := t.TempDir()
	style := "<style>" + css + "</style>"
	if linked {
		style = `<link rel="stylesheet" href="deck.css">`
		if err := os.WriteFile(filepath.Join(dir, "deck.css"), []byte(css), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	set := fmt.Sprintf(`window.setClasses = (on) => {
	for (const [e, name] of [[document.documentElement, %q], [document.body, %q]]) if (name) e.classList.toggle(name, on)
};`, root, body)
	if !late {
		set += " setClasses(true)"
	}
	index := `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Deck</title>
<style>body { margin: 0 } .reveal { position: relative; height: 100% } .slides { position: absolute; inset: 0 }</style>` + style + `</head>
<body><div class="reveal"><div class="slides"><section>One</section></div></div><script>` + set + `</script></body></html>`
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte(index), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A slide deck fills the part of the window below the shop's header, whichever class of html
// or body requests it, in an inline or a linked style sheet, from the start or later; after
// the class is removed it is only as tall as its content.
func TestDeckFillsTheWindowBelowTheHeader(t *testing.T) {
	t.Parallel()
	type page struct {
		path, name string
		late       bool
	}
	var pages []page
	b := visitShop(t, func(p *program, key string) {
		for name, d := range decks {
			for _, linked := range []bool{false, true} {
				late := linked == (len(name)%2 == 0)
				path := fmt.Sprintf("/deck-%d", len(pages))
				p.verb("push", deck(t, d.css, d.root, d.body, linked, late), "--to", "page:"+path, "--admin", "http://"+p.admin, "--key", key)
				pages = append(pages, page{path, fmt.Sprintf("%s, linked %v, late %v", name, linked, late), late})
			}
		}
	})
	const (
		wrapper = `document.querySelector('.svc-body')`
		rest    = `innerHeight - document.querySelector('#v-content').offsetTop`
		flat    = wrapper + `.offsetHeight < innerHeight * .6` // the height of a short page
		fills   = `document.querySelector('#v-content').offsetTop > 50 && Math.abs(` + wrapper + `.offsetHeight - (` + rest + `)) < 2`
	)
	for _, width := range []int64{1280, 390} {
		for _, at := range pages {
			b.open(at.path, width)
			b.until(`document.readyState === 'complete' && window.setClasses`)
			if at.late {
				held(b, flat, fmt.Sprintf("%s at %d px, before", at.name, width))
				b.text(`setClasses(true)`)
			}
			held(b, fills, fmt.Sprintf("%s at %d px", at.name, width))
			b.text(`setClasses(false)`)
			held(b, flat, fmt.Sprintf("%s at %d px, without the class", at.name, width))
			b.text(`setClasses(true)`)
			held(b, fills, fmt.Sprintf("%s at %d px, again", at.name, width))
		}
	}
	// The page is loaded again: under load, Chromium's tabs may keep the svh of their window before.
	if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(1280, 600), chromedp.Navigate(b.host+pages[0].path)); err != nil {
		t.Fatal(err)
	}
	b.until(`document.readyState === 'complete' && window.setClasses`)
	b.text(`setClasses(true)`)
	held(b, fills, "a window of another size")
	if found := b.complaints(); len(found) > 0 {
		t.Error(found)
	}
}

// held waits for an expression, and reports the wrapper's height if it does not become true.
func held(b *tab, expression, where string) {
	b.t.Helper()
	if await.Until(func() bool { return b.text(expression) == "true" }) {
		return
	}
	b.t.Errorf("%s: %s", where, b.text(`JSON.stringify([document.querySelector('.svc-body').className, document.querySelector('.svc-body').style.cssText, document.querySelector('.svc-body').offsetHeight, document.querySelector('#v-content').outerHTML.slice(0, 200), getComputedStyle(document.querySelector('.svc-body')).height, innerHeight, String(document.querySelector('.svc-body').computedStyleMap().get('height')), String(document.querySelector('.svc-body').computedStyleMap().get('min-height')), [...document.querySelectorAll('style')].map((s) => s.textContent).filter((s) => s.includes('viewport')).join()])`))
}
