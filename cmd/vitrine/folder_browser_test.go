package main

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"
)

// website pushes a folder into a published section and returns its id.
func (p *program) website(key, slug, dir string) string {
	p.t.Helper()
	section := itoa(p.must(key, "POST", "/categories", map[string]any{"item": map[string]any{
		"name": slug, "type": "site", "is_published": true, "seo": map[string]any{"slug": slug}}})["id"])
	p.verb("push", dir, "--to", "site:"+section, "--admin", "http://"+p.admin, "--key", key)
	return section
}

// atRest stops what moves, and waits for what is still coming.
const atRest = `new Promise(done => {
	const still = document.createElement('style')
	still.textContent = '*,*::before,*::after{animation:none!important;transition:none!important;caret-color:transparent!important;scroll-behavior:auto!important}'
	document.documentElement.append(still)
	document.fonts.ready.then(() => requestAnimationFrame(() => requestAnimationFrame(() => done('still'))))
})`

// seenPage is what a browser makes of a page: its picture, and the page after its
// scripts ran.
type seenPage struct {
	picture []byte
	outline string
}

func see(t *testing.T, ctx context.Context, address string, width int64) seenPage {
	t.Helper()
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate(address)); err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	wait(t, address, func() bool {
		is, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`document.readyState === 'complete'`))
		return err == nil && is
	})
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[string](atRest, chromedp.EvalAwaitPromise)); err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	outline, err := chromedp.Run(ctx, chromedp.Evaluate[string](`[...document.querySelectorAll('body *')].slice(0, 400).map(e => {
		const r = e.getBoundingClientRect(), s = getComputedStyle(e)
		return [e.tagName, e.className, r.x, r.y, r.width, r.height, s.color, s.backgroundColor, s.fontSize, s.fontFamily, s.display].join(' ')
	}).join('\n')`))
	if err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	return seenPage{picture, outline}
}

// A website in a section looks and works as on any plain static server, wide and
// narrow, and cannot reach what belongs to the shop.
func TestStaticWebsitesInABrowser(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	p.start()
	port := portOf(t, p.edge)
	ctx := browser(t)
	small := []website{{name: "handbook", dir: "testdata/website"}, {name: "first", dir: "testdata/visit/first"}, {name: "second", dir: "testdata/visit/second"}}
	for _, s := range append(small, websites(t)...) {
		p.website(key, s.name, s.dir)
		plain := httptest.NewServer(http.FileServer(http.Dir(s.dir)))
		t.Cleanup(plain.Close)
		for _, width := range []int64{1280, 390} {
			ours := see(t, ctx, "http://tea.localhost:"+port+"/"+s.name+"/", width)
			theirs := see(t, ctx, plain.URL+"/", width)
			differ := differing(t, ours.picture, theirs.picture)
			t.Logf("%s at %d px: %.4f of the pixels differ", s.name, width, differ)
			if differ != 0 || ours.outline != theirs.outline {
				t.Errorf("%s at %d px differs from a plain server in %.4f of the pixels\n%.2000s\nplain:\n%.2000s", s.name, width, differ, ours.outline, theirs.outline)
			}
		}
	}
}

func TestASandboxedWebsiteReachesNothingOfTheShop(t *testing.T) {
	t.Parallel()
	b, form := sandboxedShop(t)
	b.open("/handbook", 1280)
	b.until(`document.getElementById('data').textContent === 'fetched and read'`)
	b.is(`document.getElementById('module').textContent`, "a module ran")
	b.is(`location.pathname`, "/handbook/")
	b.is(`origin`, "null")
	for _, reach := range []string{"localStorage.length", "sessionStorage.length", "document.cookie", "document.cookie = 'a=b'", "indexedDB.open('x')", "navigator.serviceWorker.register('/handbook/sw.js')"} {
		b.is(`(() => { try { `+reach+`; return 'reached' } catch (e) { return e.name } })()`, "SecurityError")
	}
	if got := b.awaited(`fetch('/api/v1/auth/me', { credentials: 'include' }).then(r => 'read ' + r.status, e => e.name)`); got != "TypeError" {
		t.Errorf("the session of the visitor: %s", got)
	}
	if got := b.awaited(`fetch('/').then(r => 'read', e => e.name)`); got != "TypeError" {
		t.Errorf("a page of the shop: %s", got)
	}
	if got := b.awaited(`send('` + form + `')`); got != "200" {
		t.Errorf("a form through the lane: %s", got)
	}
	for _, header := range []string{"Authorization", "X-Service-Contour", "X-Service-Draft"} {
		if got := b.awaited(`send('` + form + `', { '` + header + `': '' }).catch(e => e.name)`); got != "TypeError" {
			t.Errorf("with %s: %s", header, got)
		}
	}
	b.seen.take()
	b.open("/handbook/nowhere.html", 390)
	b.is(`document.title`, "Not in the handbook")
	b.open("/handbook/", 390)
	b.click(`a[href="docs"]`)
	b.until(`location.pathname === '/handbook/docs/' && document.title === 'Documents'`)
}

// awaited evaluates a promise.
func (b *tab) awaited(expression string) string {
	b.t.Helper()
	s, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`Promise.resolve(`+expression+`).then(String)`, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return s
}

// sandboxedShop is a shop with the handbook in a section, and a form.
func sandboxedShop(t *testing.T) (b *tab, form string) {
	t.Helper()
	p := newProgram(t)
	key := p.shop("tea")
	p.start()
	p.website(key, "handbook", "testdata/website")
	form = itoa(p.must(key, "POST", "/forms", map[string]any{"item": map[string]any{"name": "News", "fields": []any{map[string]any{"name": "email", "type": "email", "required": true}}}})["id"])
	port := portOf(t, p.edge)
	b = &tab{t: t, ctx: browser(t), host: "http://tea.localhost:" + port, seen: &faults{}}
	if err := b.seen.listen(b.ctx); err != nil {
		t.Fatal(err)
	}
	return b, form
}

func portOf(t *testing.T, address string) string {
	t.Helper()
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return port
}
