package main

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
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

// atRest stops animations and waits for pending loads.
const atRest = `new Promise(done => {
	const still = document.createElement('style')
	still.textContent = '*,*::before,*::after{animation:none!important;transition:none!important;caret-color:transparent!important;scroll-behavior:auto!important}'
	document.documentElement.append(still)
	document.fonts.ready.then(() => requestAnimationFrame(() => requestAnimationFrame(() => done('still'))))
})`

// seenPage is a page as rendered by a browser: its picture, and its DOM after its scripts
// ran.
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
	picture, err := wholePage(ctx)
	if err != nil {
		t.Fatalf("%s: %v", address, err)
	}
	return seenPage{picture, outline}
}

// A website in a section looks and works as on any static server, wide and narrow, and has no
// access to the shop's data.
func TestStaticWebsitesInABrowser(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	p.start()
	port := portOf(t, p.edge)
	ctx := browser(t)
	small := []website{
		{name: "handbook", dir: "testdata/website"}, {name: "first", dir: "testdata/visit/first"},
		{name: "second", dir: "testdata/visit/second"},
	}
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
				t.Errorf(
					"%s at %d px differs from a plain server in %.4f of the pixels\n%.2000s\nplain:\n%.2000s", s.name, width, differ,
					ours.outline, theirs.outline,
				)
			}
		}
	}
}

func TestSandboxedWebsiteHasNoAccessToTheShop(t *testing.T) {
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
		t.Errorf("a form through the public endpoint: %s", got)
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

// A website or a file that looks like a page of the shop, down to its version and its main,
// is loaded in full and in its sandbox: a click does not insert it into the page, where its
// script would have access to the visitor's session (document 3, 4.2 and 4.3). The same holds
// for the target of a redirect.
func TestImitatedPageStaysInItsSandbox(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	p.start()
	b := p.tab(t)
	b.open("/", 1280)
	if got := b.awaited(`fetch('/api/v1/auth/login', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ email: 'tea@example.test', password: 'a long password' }) })
		.then(() => fetch('/api/v1/auth/me')).then(r => r.status)`); got != "200" {
		t.Fatalf("the visitor has no session: %s", got)
	}
	imitation := p.imitation()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte(imitation), 0o644); err != nil {
		t.Fatal(err)
	}
	p.website(key, "club", dir)
	p.must(key, "POST", "/site-files", map[string]any{"category_id": 0, "name": "gift.html", "body": imitation, "is_published": true})
	p.must(
		key, "POST", "/storefront-redirects",
		map[string]any{"item": map[string]any{"from_path": "/old-club", "to_target": "/club/", "enabled": true}},
	)
	for _, way := range []struct{ link, path, says string }{
		{"/club/", "/club/", "ran in null, session TypeError"},
		{"/old-club", "/club/", "ran in null, session TypeError"},
		{"/gift.html", "/gift.html", "Imitation"}, // the sandbox of files allows no scripts
	} {
		b.open("/", 1280)
		b.text(
			`window.mark = 'the page before', document.querySelector('main').insertAdjacentHTML('afterbegin', '<a id=trap href="` + way.link + `">Club</a>')`,
		)
		b.click("#trap")
		b.until(`location.pathname === '` + way.path + `' && /^(` + way.says + `|ran in http.*)$/.test(document.title)`)
		b.is(`typeof mark`, "undefined")
		b.is(`document.title`, way.says)
		b.away(`history.back()`)
		b.until(`location.pathname === '/' && document.readyState === 'complete'`)
		b.is(`'ran' in document.documentElement.dataset`, "false")
	}
}

// imitation is the home page of the shop with a script in its main that reports where it runs
// and what it can read.
func (p *program) imitation() string {
	_, _, home := p.visit("tea", "/")
	const script = `<script>document.documentElement.dataset.ran = ''
		fetch('/api/v1/auth/me').then(r => r.status, e => e.name).then(got => { document.title = 'ran in ' + origin + ', session ' + got })</script>`
	head, tail, found := strings.Cut(home, "</main>")
	if !found {
		p.t.Fatalf("the home page has no main:\n%s", home)
	}
	return regexp.MustCompile(`<title>.*?</title>`).ReplaceAllString(head, "<title>Imitation</title>") + script + "</main>" + tail
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

// sandboxedShop is a shop with the handbook website in a section, and a form.
func sandboxedShop(t *testing.T) (b *tab, form string) {
	t.Helper()
	p := newProgram(t)
	key := p.shop("tea")
	p.start()
	p.website(key, "handbook", "testdata/website")
	form = itoa(
		p.must(key, "POST", "/forms", map[string]any{"item": map[string]any{"name": "News", "fields": []any{map[string]any{"name": "email", "type": "email", "required": true}}}})["id"],
	)
	return p.tab(t), form
}

// tab opens a browser on the shop tea.
func (p *program) tab(t testing.TB) *tab {
	t.Helper()
	b := &tab{t: t, ctx: browser(t), host: "http://tea.localhost:" + portOf(t, p.edge), seen: &faults{}}
	if err := b.seen.listen(b.ctx); err != nil {
		t.Fatal(err)
	}
	return b
}

func portOf(t testing.TB, address string) string {
	t.Helper()
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return port
}
