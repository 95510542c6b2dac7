package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"vitrine/internal/await"
)

// neighbours are the websites mounted between the shop's header and footer in this test:
// those of the other tests and some whose styles would apply to the shop, too.
func neighbours(t *testing.T) []website {
	t.Helper()
	list := websites(t)
	bad, err := filepath.Glob("testdata/neighbours/*/index.html")
	if err != nil || len(bad) == 0 {
		t.Fatal(err)
	}
	for _, index := range bad {
		list = append(list, website{name: filepath.Base(filepath.Dir(index)), dir: filepath.Dir(index)})
	}
	return list
}

// reachable lists the links and buttons of the shop's header and footer that are on the
// screen but covered for the pointer.
const reachable = `[...document.querySelectorAll('body > .v-header :is(a, button, summary), body > .v-footer a')].filter((e) => {
	const r = e.getBoundingClientRect(), x = r.left + r.width / 2, y = r.top + r.height / 2
	if (!r.width || y < 0 || y >= innerHeight || x < 0 || x >= innerWidth || getComputedStyle(e).visibility === 'hidden') return false
	const hit = document.elementFromPoint(x, y)
	return hit && hit !== e && !e.contains(hit)
}).map((e) => e.textContent.trim() + ' at ' + scrollY + ' under ' + document.elementFromPoint(e.getBoundingClientRect().left + e.offsetWidth / 2, e.getBoundingClientRect().top + e.offsetHeight / 2)?.outerHTML.slice(0, 80)).join('; ')`

// strip is the height in whole pixels between a website with a background and the footer. A
// body's background covers its whole window.
const strip = `(() => {
	const main = document.querySelector('#v-content'), wrapper = main.querySelector(':scope > .svc-body'), style = getComputedStyle(wrapper)
	if (style.display === 'inline' || main.dataset.vCanvas === 'lent' || (style.backgroundImage === 'none' && style.backgroundColor === 'rgba(0, 0, 0, 0)')) return 0
	return Math.round(document.querySelector('body > .v-footer').getBoundingClientRect().top - wrapper.getBoundingClientRect().bottom)
})()`

// squared aligns the footer to a whole pixel, as on the plain page.
const squared = `(() => {
	const space = document.createElement('i'), top = document.querySelector('body > .v-footer').getBoundingClientRect().top + scrollY
	space.style.cssText = 'all: initial !important; display: block !important; height: ' + (Math.ceil(top) - top) + 'px !important'
	document.body.prepend(space)
})()`

// Whatever rules a website has for a, * or .nav, and wherever it fixes its menu, the shop's
// header and footer look as on a plain page and react to the pointer.
func TestHeaderAndFooterBesideWebsites(t *testing.T) {
	t.Parallel()
	moved := neighbours(t)
	var plain string
	b := visitShop(t, func(p *program, key string) {
		made := p.must(key, "POST", "/categories", map[string]any{"item": map[string]any{
			"name": "Plain", "type": "page", "is_published": true, "seo": map[string]any{"slug": "plain"}}})
		plain = "/" + made["seo"].(map[string]any)["slug"].(string)
		for _, s := range moved {
			p.verb("push", s.dir, "--to", "page:/"+s.name, "--admin", "http://"+p.admin, "--key", key)
		}
	})
	b.stills()
	for _, width := range []int64{1280, 390} {
		b.goTo(b.host+plain, width)
		header, footer := b.part(".v-header", "plain", width), b.part(".v-footer", "plain", width)
		for _, s := range moved {
			b.neighbour(s, width, header, footer)
		}
	}
}

func (b *tab) neighbour(s website, width int64, header, footer []byte) {
	b.t.Helper()
	where := fmt.Sprintf("%s at %d px", s.name, width)
	b.goTo(b.host+"/"+s.name, width)
	b.until(`document.fonts.status === 'loaded' && document.readyState === 'complete'`)
	b.text(`scrollTo(0, 0)`)
	b.settled(reachable+` === ''`, where)
	if got := b.part(".v-header", s.name, width); !samePicture(b.t, header, got) {
		b.t.Errorf("%s: the header looks different", where)
	}
	for _, at := range []string{"0.02", "0.05", "0.1", "0.3", "0.6", "0.9", "1"} {
		b.text(`scrollTo(0, (document.documentElement.scrollHeight - innerHeight) * ` + at + `)`)
		b.settled(reachable+` === ''`, where)
	}
	if got := b.part(".v-footer", s.name, width); !samePicture(b.t, footer, got) {
		b.t.Errorf("%s: the footer looks different", where)
	}
	if strip := b.text(strip); strip != "0" {
		b.t.Errorf("%s: there are %s px between the page and the footer", where, strip)
	}
	b.text(`scrollTo(0, 0)`)
	b.settled(reachable+` === ''`, where)
	b.seen.take()
}

// settled waits for an expression and reports the covered parts of the header if it does not
// become true.
func (b *tab) settled(expression, where string) {
	b.t.Helper()
	if await.Until(func() bool { return b.text(expression) == "true" }) {
		return
	}
	b.t.Errorf("%s: %s", where, b.text(reachable))
}

// part is a screenshot of a part of the page, including elements covering it.
func (b *tab) part(selector, name string, width int64) []byte {
	b.t.Helper()
	if selector == ".v-footer" {
		b.text(squared)
	}
	b.text(fmt.Sprintf(`(document.querySelectorAll('.v-nav__link--on').forEach((e) => e.classList.remove('v-nav__link--on')), document.querySelector('body > %s').scrollIntoView(%t))`, selector, selector == ".v-header"))
	var r, last map[string]float64
	wait(b.t, selector+" holds still", func() (same bool) {
		now, err := chromedp.Run(b.ctx, chromedp.Evaluate[map[string]float64](
			fmt.Sprintf(`(({ left, top, width, height }) => ({ x: left + scrollX, y: top + scrollY, width, height }))(document.querySelector('body > %s').getBoundingClientRect())`, selector)))
		if err != nil {
			b.t.Fatal(err)
		}
		r, last = now, r
		return maps.Equal(r, last)
	})
	shot, err := chromedp.Call(b.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
		OptimizeForSpeed: new(true), Clip: &page.Viewport{X: r["x"], Y: r["y"], Width: r["width"], Height: r["height"], Scale: 1}})
	if err != nil {
		b.t.Fatal(err)
	}
	keepPicture(b.t, fmt.Sprintf("neighbour_%s_%d_%s.png", name, width, strings.Trim(selector, ".")), shot.Data)
	return shot.Data
}

// sameCurve is the tolerance for pixels of a rounded corner, which the browser draws in tiles
// with another origin on another page.
const sameCurve = 8

func samePicture(t testing.TB, a, b []byte) bool {
	t.Helper()
	first, err := png.Decode(bytes.NewReader(a))
	if err != nil {
		t.Fatal(err)
	}
	second, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if first.Bounds().Size() != second.Bounds().Size() {
		t.Logf("%v and %v", first.Bounds(), second.Bounds())
		return false
	}
	size := first.Bounds().Size()
	for y := range size.Y - 1 { // the last row may be half covered
		for x := range size.X {
			if !within(first.At(x, y), second.At(x, y), sameCurve) {
				t.Logf("first differs at %v: %v and %v", image.Pt(x, y), first.At(x, y), second.At(x, y))
				return false
			}
		}
	}
	return true
}
