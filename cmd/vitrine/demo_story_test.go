package main

import (
	"net"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The demo shop shows the features of a shop: filters, contacts, payment methods, a buyer
// with a name, and a landing page with readable text.
func TestDemoShopShowsTheFeatures(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	_, _, page := p.visit("demo", "/tea")
	for what, word := range map[string]string{
		"a facet": ">Origin<", "its option": "Sri Lanka", "another facet": ">Caffeine<", "the phone": "30 5550 1140", "the address": "Weserstrasse 12",
		"how it is paid": "Visa", "where else it is": "instagram.com/morrowandfern",
	} {
		if !strings.Contains(page, word) {
			t.Errorf("the page of tea lacks %s", what)
		}
	}
	if _, _, page := p.visit("demo", "/teaware"); !strings.Contains(page, ">Material<") {
		t.Error("teaware has no filter for its material")
	}
	if _, _, page := p.visit("atelier", "/posuda"); !strings.Contains(page, "Коломна") {
		t.Error("the second shop has no contacts")
	}
	token := itoa(p.must("", "POST", "/v1/auth/login", map[string]any{"email": "buyer@demo.example", "password": "tea-at-four"})["token"])
	if name := p.must(token, "GET", "/v1/auth/me", nil)["name"]; name != "Agnes Berger" {
		t.Errorf("the buyer's name is %v", name)
	}
	_, port, err := net.SplitHostPort(p.edge)
	if err != nil {
		t.Fatal(err)
	}
	ctx := browser(t)
	for _, width := range []int64{1280, 390} {
		for _, path := range []string{"/tea-hour", "/tea"} {
			if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate("http://demo.localhost:"+port+path)); err != nil {
				t.Fatal(err)
			}
			shoot(t, ctx, path, width)
			if path != "/tea-hour" {
				continue
			}
			if faint, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](faintWords)); err != nil || len(faint) > 0 {
				t.Errorf("at %d px %v have too little contrast: %v", width, faint, err)
			}
		}
	}
}

// faintWords lists the texts of the landing page whose contrast to their background is below
// 4.5.
const faintWords = `(() => {
	const light = c => { const [r, g, b] = c.match(/[\d.]+/g).map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b }
	const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\)$|transparent/.test(c)) return c } return 'rgb(255, 255, 255)' }
	const faint = []
	const all = [...document.querySelectorAll('.hour-hero *, .hour-steps *, .hour-brew *, .hour-shelf *, .hour-words *, .hour-paths *')]
	for (const e of all) {
		if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !e.checkVisibility()) continue
		const [a, b] = [light(getComputedStyle(e).color), light(behind(e))].sort((x, y) => y - x)
		if ((a + .05) / (b + .05) < 4.5) faint.push(e.className + ' ' + e.textContent.trim().slice(0, 30))
	}
	if (all.length < 40) faint.push('only ' + all.length + ' elements')
	return faint
})()`
