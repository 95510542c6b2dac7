package main

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"vitrine/internal/await"
	"vitrine/internal/golden"
)

// A browser's visit counts each page once: pages loaded in full, pages swapped in by the
// script, and prefetched ones once they are shown. A prefetched page that is never shown does
// not count.
func TestPageViewsCountOnceInABrowser(t *testing.T) {
	t.Parallel()
	var shop *program
	var owner string
	b := visitShop(t, func(p *program, key string) { shop, owner = p, key })
	agent := "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"
	if _, err := chromedp.Call(b.ctx, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: agent}); err != nil {
		t.Fatal(err)
	}
	handed := func(views float64) {
		t.Helper()
		if !await.Until(func() bool { return shop.must(owner, "GET", "/stats", nil)["page_views"].(float64) >= views }) {
			t.Errorf("%v views were not stored: %v", views, shop.must(owner, "GET", "/stats", nil)["top_pages"])
		}
	}
	b.open("/", 1280)
	b.until(`document.readyState === 'complete'`)
	b.text(`window.same = true`)
	follow := func(path string) {
		t.Helper()
		b.text(fmt.Sprintf(`document.querySelector('main a[href="%[1]s"], a[href="%[1]s"]').click()`, path))
		b.until(fmt.Sprintf(`location.pathname === %q && document.readyState === 'complete'`, path))
	}
	point := func(path string) { // the page is prefetched
		t.Helper()
		b.text(`performance.clearResourceTimings()`)
		b.text(fmt.Sprintf(`document.querySelector('a[href="%s"]').dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))`, path))
		b.until(fmt.Sprintf(`performance.getEntriesByType('resource').some((e) => new URL(e.name).pathname === %q)`, path))
	}
	follow("/green-tea")
	point("/green-tea/gyokuro")
	follow("/green-tea/gyokuro")
	point("/first")             // without opening it
	b.is(`window.same`, "true") // no page was loaded in full
	handed(3)
	b.open("/green-tea", 1280)
	handed(4)
	s := shop.must(owner, "GET", "/stats", nil)
	pages := map[string]float64{}
	for _, one := range s["top_pages"].([]any) {
		pages[one.(map[string]any)["path"].(string)] = one.(map[string]any)["views"].(float64)
	}
	golden.Map(t, "pages", pages, map[string]float64{"/": 1, "/green-tea": 2, "/green-tea/gyokuro": 1})
	if s["visits"].(float64) != 1 {
		t.Errorf("%v visits", s["visits"])
	}
}
