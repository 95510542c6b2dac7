package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// painted is the websites of testdata/paint, which paint things that a wrapper does not paint
// by itself, with the acts for each and the conditions that must hold on the page in the
// shop.
var painted = []struct {
	website
	holds string
}{
	{website{"hero", "testdata/paint/hero", []act{
		{Ask: `document.querySelector('#night').click()`, Holds: `getComputedStyle(document.querySelector('h1')).color === 'rgb(238, 238, 238)'`},
	}}, `[getComputedStyle(document.documentElement).backgroundColor === 'rgb(16, 32, 48)' || innerWidth < 600, getComputedStyle(w).backgroundColor]`},
	{website{"modal", "testdata/paint/modal", []act{
		{Ask: `document.querySelector('#open').click()`, Holds: `document.querySelector('#modal').offsetHeight > 0`},
	}}, `[getComputedStyle(w).isolation === 'auto' && !w.matches('.modal-open'), getComputedStyle(w).backgroundColor]`},
	{website{"deck", "testdata/paint/deck", []act{
		{Ask: `dispatchEvent(new Event('keydown'))`, Holds: `document.querySelectorAll('.slide')[1].matches('.current')`},
		{Ask: `document.body.classList.add('finale')`, Holds: `getComputedStyle(document.querySelector('.slide.current')).backgroundColor === 'rgb(223, 231, 246)'`},
	}}, `[w.matches('.deck.ready.finale'), w.offsetHeight === innerHeight]`},
	{website{"lock", "testdata/paint/lock", []act{
		{Ask: `dispatchEvent(new Event('keydown'))`, Holds: `getComputedStyle(document.body).overflowY === 'hidden'`},
	}}, `[!w.matches('.locked'), getComputedStyle(w).overflowY]`},
}

// holding contains the expressions for the names in holds.
var holding = map[string]string{
	"hero": "true,rgba(0, 0, 0, 0)", "modal": "true,rgba(0, 0, 0, 0)", "deck": "true,true", "lock": "true,visible",
}

// A page with parts below its background, or whose script styles body, looks the same in the
// shop to the pixel: at rest, after its script's acts, and after visiting another page.
// Nothing of it remains on the next page.
func TestPaintedPagesMatchTheOriginal(t *testing.T) {
	t.Parallel()
	b := visitShop(t, func(p *program, key string) {
		for _, s := range painted {
			p.verb("push", s.dir, "--to", "page:/"+s.name, "--admin", "http://"+p.admin, "--key", key)
			p.leaveAlone(key, s.name)
		}
	})
	b.stills()
	for _, s := range painted {
		server := s.alone(t)
		for _, width := range []int64{1280, 390} {
			b.goTo(server.URL+"/reset/", width)
			alone := b.poses(s.website, width, "alone")
			b.seen.take()
			b.goTo(b.host+"/"+s.name, width)
			b.sameAs(alone, b.poses(s.website, width, "moved"))
			b.is(`(w => `+s.holds+`)(document.querySelector('.svc-body'))`, holding[s.name])
			b.leaves()
			b.is(
				`[document.documentElement.style.cssText, document.body.className, getComputedStyle(document.documentElement).backgroundColor]`,
				",,rgba(0, 0, 0, 0)",
			)
			b.away(`history.back()`)
			b.until(`heard.at(-1) === '/` + s.name + `'`)
			b.sameAs(alone, b.poses(s.website, width, "returned"))
			if found := b.complaints(); len(found) > 0 {
				t.Errorf("%s at %d px: %v", s.name, width, found)
			}
		}
	}
}

// pose is a screenshot of a page in one of its states.
type pose struct {
	name    string
	picture []byte
}

// poses takes a screenshot of a page at rest and after each of its acts.
func (b *tab) poses(s website, width int64, side string) []pose {
	b.t.Helper()
	take := func(n int) pose {
		return pose{fmt.Sprintf("%s at %d px, %s, state %d", s.name, width, side, n), b.picture(width, s.name, fmt.Sprintf("%s_%d", side, n))}
	}
	list := []pose{take(0)}
	for i, a := range s.acts {
		b.does(website{acts: []act{a}}, width, s.name)
		list = append(list, take(i+1))
	}
	return list
}

func (b *tab) sameAs(alone, moved []pose) {
	b.t.Helper()
	for i := range alone {
		if share := differing(b.t, alone[i].picture, moved[i].picture); share > 0 {
			b.t.Errorf("%s: %.4f differs from the page alone", moved[i].name, share)
		}
	}
}

// The rule given in the guide has no effect on a page by itself, and in the shop it preserves
// the browser's defaults.
func TestRuleOfTheGuideKeepsBrowserDefaults(t *testing.T) {
	t.Parallel()
	plain := website{name: "plain", dir: "testdata/paint/plain"}
	index, err := os.ReadFile(filepath.Join(plain.dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(index), "<style>")
	rule, after, _ := strings.Cut(rest, "</style>")
	if guide, err := os.ReadFile("../../admin/docs/guides/webcoding.md"); err != nil || !strings.Contains(string(guide), rule) {
		t.Errorf("the guide has another rule than%s %v", rule, err)
	}
	b := visitShop(t, func(p *program, key string) {
		p.verb("push", plain.dir, "--to", "page:/plain", "--admin", "http://"+p.admin, "--key", key)
		p.leaveAlone(key, "plain")
	})
	b.stills()
	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if _, err := w.Write([]byte(before + after)); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(bare.Close)
	alone := plain.alone(t)
	for _, width := range []int64{1280, 390} {
		b.goTo(bare.URL, width)
		want := []pose{{"", b.picture(width, "plain", "bare")}}
		b.goTo(alone.URL+"/", width)
		b.sameAs(want, []pose{{"with the rule", b.picture(width, "plain", "alone")}})
		b.goTo(b.host+"/plain", width)
		b.sameAs(want, []pose{{"in the shop", b.picture(width, "plain", "moved")}})
	}
}

// Before the storefront's script has run, and without scripts, elements below the background
// of a page are visible as well.
func TestPaintWithoutScripts(t *testing.T) {
	t.Parallel()
	hero := painted[0].website
	b := visitShop(t, func(p *program, key string) {
		p.verb("push", hero.dir, "--to", "page:/hero", "--admin", "http://"+p.admin, "--key", key)
		p.leaveAlone(key, "hero")
	})
	if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		t.Fatal(err)
	}
	shot := func(address string) []byte {
		b.goTo(address, 1280)
		picture, err := wholePage(b.ctx)
		if err != nil {
			t.Fatal(err)
		}
		return picture
	}
	if share := differing(t, shot(hero.alone(t).URL+"/reset/"), shot(b.host+"/hero")); share > 0 {
		t.Errorf("%.4f differs from the page alone", share)
	}
}
