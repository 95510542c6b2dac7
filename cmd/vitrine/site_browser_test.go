package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"vitrine/render"
)

// website is a finished website that is moved into a shop.
type website struct {
	name string
	dir  string
	acts []act
}

// act is something that a site's own script does on request.
type act struct {
	Narrow bool // only on a narrow screen
	Ask    string
	Holds  string // false before, true after
}

// acts are the acts of the known sites, by folder name.
var acts = map[string][]act{
	"studio": {
		{Ask: `scrollTo(0, 300)`, Holds: `document.querySelector('#bar').classList.contains('low')`},
		{Ask: `document.querySelector('#ask h3').click()`, Holds: `document.querySelector('.answer').offsetHeight > 0`},
		{Ask: `document.querySelector('#next').click()`, Holds: `document.querySelector('#shown').textContent === '2'`},
		{Narrow: true, Ask: `document.querySelector('#toggle').click()`, Holds: `document.querySelector('#links').offsetHeight > 0`},
	},
	"roastery": {
		{Ask: `scrollTo(0, 300)`, Holds: `Math.abs(document.querySelector('header').getBoundingClientRect().top - 5) < 1`},
		{Ask: `document.querySelector('#more').click()`, Holds: `!document.querySelector('#hours').hidden`},
		{Ask: `document.querySelector('#sack').click()`, Holds: `document.querySelector('output').textContent === '1'`},
		{Ask: `document.querySelector('#dark').click()`, Holds: `getComputedStyle(document.querySelector('div.svc-body') || document.body).backgroundColor === 'rgb(30, 20, 10)'`},
	},
	"agency": {{Ask: `scrollTo(0, 400)`, Holds: `document.querySelector('#mainNav').classList.contains('navbar-shrink')`}},
	"clean-blog": {
		{Ask: `scrollTo(0, 600)`, Holds: `document.querySelector('#mainNav').classList.contains('is-fixed')`},
		{Ask: `scrollTo(0, 400)`, Holds: `document.querySelector('#mainNav').classList.contains('is-visible')`},
	},
	"jquery-ui": {
		{Ask: `document.querySelectorAll('#accordion h3')[1].click()`, Holds: `document.querySelectorAll('#accordion h3')[1].classList.contains('ui-accordion-header-active')`},
		{Ask: `document.querySelector('#tabs li:nth-child(2) a').click()`, Holds: `document.querySelector('#tabs-2').offsetHeight > 0`},
		{Ask: `document.querySelector('#dialog-link').click()`, Holds: `document.querySelector('.ui-dialog:has(#dialog)')?.offsetHeight > 0`},
	},
	"webslides": {{Ask: `ws.goNext()`, Holds: `document.querySelectorAll('#webslides section.slide')[1].classList.contains('current')`}},
}

// websites lists those of testdata, and those in the folder VITRINE_TEST_SITES; an acts.json
// beside them may list more acts of their scripts.
func websites(t *testing.T) (list []website) {
	t.Helper()
	for _, root := range []string{"testdata/sites", os.Getenv("VITRINE_TEST_SITES")} {
		known := maps.Clone(acts)
		if more, err := os.ReadFile(filepath.Join(root, "acts.json")); err == nil {
			if err := json.Unmarshal(more, &known); err != nil {
				t.Fatal(err)
			}
		}
		found, err := filepath.Glob(filepath.Join(root, "*", "index.html"))
		if err != nil {
			t.Fatal(err)
		}
		for _, index := range found {
			dir := filepath.Dir(index)
			list = append(list, website{filepath.Base(dir), dir, known[filepath.Base(dir)]})
		}
		if root != "" && len(found) == 0 {
			t.Fatalf("%s contains no website", root)
		}
	}
	return list
}

// most is the maximum share by which a moved site may differ from the site alone with the
// storefront's resets (document 3, 4.6.4).
const most = 0.02

// A moved website looks and works as it did alone: compared with its original, wide and
// narrow, after a load and after visiting another page of the shop and returning.
func TestWebsitesMatchTheirOriginals(t *testing.T) {
	t.Parallel()
	moved := websites(t)
	b := visitShop(t, func(p *program, key string) {
		for _, s := range moved {
			answer := p.verb("push", s.dir, "--to", "page:/"+s.name, "--admin", "http://"+p.admin, "--key", key)
			p.leaveAlone(key, s.name)
			report, err := json.MarshalIndent(answer["report"], "", "\t")
			if err != nil {
				t.Fatal(err)
			}
			keepPicture(t, s.name+"_report.json", report)
		}
	})
	b.stills()
	for _, s := range moved {
		for _, width := range []int64{1280, 390} {
			b.beside(s, width)
		}
	}
}

// alone serves a site by itself, its files unchanged; below /reset/ it also has the
// storefront's style sheet, like every page of a shop, except the rules for the page around
// the site.
func (s website) alone(t testing.TB) *httptest.Server {
	t.Helper()
	index, err := os.ReadFile(filepath.Join(s.dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	sheet := render.Assets()[0]
	head := regexp.MustCompile(`(?i)<head[^>]*>`).FindIndex(index)
	if head == nil {
		t.Fatalf("%s: no head", s.name)
	}
	reset := slices.Concat(index[:head[1]], []byte(`<link rel="stylesheet" href="`+sheet.Path+`">`), index[head[1]:])
	files := http.FileServer(http.Dir(s.dir))
	mux := http.NewServeMux()
	mux.Handle("/", files)
	mux.Handle("/reset/", http.StripPrefix("/reset", files))
	send := func(mime string, body []byte) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", mime)
			if _, err := w.Write(body); err != nil {
				t.Error(err)
			}
		}
	}
	mux.Handle("/reset/{$}", send("text/html", reset))
	mux.Handle(sheet.Path, send(sheet.Type, bytes.ReplaceAll(sheet.Body, []byte("body:not(.svc-body"), []byte("body:not(body"))))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

// leaveAlone hides the header and the footer around the document of a page, too, in the
// manifest created with the page.
func (p *program) leaveAlone(key, slug string) {
	p.t.Helper()
	_, found := p.call(key, "GET", "/categories/by-slug/"+slug, nil)
	blocks := found["content_blocks"].([]any)
	top, own := blocks[0].(map[string]any)["id"], blocks[1].(map[string]any)["id"]
	p.must(key, "PUT", "/content-blocks/"+itoa(top), map[string]any{"id": top, "item": map[string]any{"name": "__page:top", "sections": []any{
		map[string]any{"type": "text", "payload": map[string]any{"v": 2, "kind": "zone", "props": map[string]any{
			"refs": []any{own}, "hideSiteHeader": true, "hideSiteFooter": true, "hideSystemBlock": true}}}}}})
}

// still makes two screenshots of one page equal.
const still = `addEventListener('DOMContentLoaded', () => {
	const sheet = new CSSStyleSheet()
	sheet.replaceSync('*, *::before, *::after { animation-duration: 0s !important; animation-delay: 0s !important; transition: none !important; scroll-behavior: auto !important; caret-color: transparent !important }')
	document.adoptedStyleSheets.push(sheet)
})`

func (b *tab) stills() {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: still})
	if err == nil {
		_, err = chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}})
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// beside opens a site alone and in the shop, and compares them.
func (b *tab) beside(s website, width int64) {
	b.t.Helper()
	name := fmt.Sprintf("%s at %d px", s.name, width)
	server := s.alone(b.t)
	b.goTo(server.URL+"/", width)
	alone := b.picture(width, s.name, "alone")
	b.does(s, width, name+", alone")
	known := b.news(nil)
	b.goTo(server.URL+"/reset/", width)
	reset := b.picture(width, s.name, "reset")
	b.seen.take()

	b.goTo(b.host+"/"+s.name, width)
	moved := b.picture(width, s.name, "moved")
	b.does(s, width, name)
	faults := b.news(known)

	b.leaves()
	b.away(`history.back()`)
	b.until(`heard.at(-1) === '/` + s.name + `'`)
	returned := b.picture(width, s.name, "returned")
	b.is(`mark`, "same window")
	b.does(s, width, name+", after a visit")
	again := b.news(known)

	first, second := differing(b.t, reset, moved), differing(b.t, reset, returned)
	b.t.Logf("%s: %.4f differs from the site alone, %.4f under the resets, %.4f after a visit; %d faults more than alone, %d after a visit",
		name, differing(b.t, alone, moved), first, second, len(faults), len(again))
	if first > most || second > most {
		b.t.Errorf("%s does not look like its original", name)
	}
	if len(faults)+len(again) > 0 {
		b.t.Errorf("%s:\n%s\n%s", name, strings.Join(faults, "\n"), strings.Join(again, "\n"))
	}
}

func (b *tab) goTo(address string, width int64) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate(address)); err != nil {
		b.t.Fatalf("%s: %v", address, err)
	}
}

// leaves opens the shop's home page by a link.
func (b *tab) leaves() {
	b.t.Helper()
	b.text(`window.mark = 'same window', window.heard = [], document.addEventListener('svc:navigate', (e) => heard.push(e.detail.path)),
		document.querySelector('main').insertAdjacentHTML('beforeend', '<a id="away" href="/">away</a>'), document.getElementById('away').click()`)
	b.until(`heard.at(-1) === '/'`)
}

// does performs all known acts of a site.
func (b *tab) does(s website, width int64, where string) {
	b.t.Helper()
	for _, a := range s.acts {
		if a.Narrow && width > 600 {
			continue
		}
		if b.text(a.Holds) != "false" {
			b.t.Errorf("%s: %s holds before the act", where, a.Holds)
		}
		b.text(`(` + a.Ask + `, 0)`)
		b.until(a.Holds)
	}
}

// news lists the new complaints that are not known. Of an address only the file name counts,
// of an exception not its call site.
func (b *tab) news(known []string) (list []string) {
	for _, fault := range b.seen.take() {
		fault, _, _ = strings.Cut(addresses.ReplaceAllString(fault, "$1"), "\n")
		if !slices.Contains(known, fault) {
			list = append(list, fault)
		}
	}
	return list
}

var addresses = regexp.MustCompile(`https?://[^\s]*?([^/\s]*)(?:\s|$)`)

// picture is a screenshot of the whole page at rest.
func (b *tab) picture(width int64, name, side string) []byte {
	b.t.Helper()
	b.text(
		`window.walked = false, (async () => { for (let y = 0; y < Math.min(document.documentElement.scrollHeight, 8000); y += 700) { scrollTo(0, y); await new Promise(requestAnimationFrame) } scrollTo(0, 0); window.walked = true })()`,
	)
	b.until(`walked && scrollY === 0 && document.fonts.status === 'loaded' && [...document.images].every((i) => i.complete)`)
	var last []byte
	for range 10 {
		next, err := wholePage(b.ctx)
		if err != nil {
			b.t.Fatal(err)
		}
		if slices.Equal(last, next) {
			break
		}
		last = next
	}
	keepPicture(b.t, fmt.Sprintf("%s_%d_%s.png", name, width, side), last)
	return last
}
