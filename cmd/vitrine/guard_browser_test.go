package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// whatRan is injected into every frame before everything else and records the names of the
// hostile documents' scripts that run.
const whatRan = `if (window === top) window.hits = []
window.hit = (name) => { top.hits.push(name) } // fails in a frame with an opaque origin`

// pressAll does everything a visitor could do: it presses every link and button of the
// header, and uses its fields and menus.
const pressAll = `(() => {
	const header = document.querySelector('.own').closest('.svc-body')
	header.querySelectorAll('.press').forEach((e) => e.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true })))
	header.querySelectorAll('a, input, button, summary, div, marquee').forEach((e) => {
		e.focus?.()
		e.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))
	})
	header.querySelectorAll('details').forEach((e) => { e.open = !e.open })
})()`

// alive lists scripts that certainly run where scripts are allowed; it shows that the hostile
// documents are effective.
var alive = []string{
	"script in head", "module", "script", "outer script", "onerror", "onload of svg", "script in svg", "srcdoc", "picture in a frame",
	"ontoggle", "onclick", "address", "address in svg", "animate", "formaction", "onanimationstart", "behind the end",
	"layout head", "layout script", "layout foot", "layout picture",
}

// hostile is a shop whose header and layout try to run scripts everywhere.
func hostile(t *testing.T) *tab {
	return visitShop(t, func(p *program, key string) {
		at, err := os.ReadFile("testdata/visit/hostile/index.html")
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "hostile")
		if err := os.CopyFS(dir, os.DirFS("testdata/visit/hostile")); err != nil {
			t.Fatal(err)
		}
		own := "tea.localhost:" + strings.Split(p.edge, ":")[1]
		if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte(strings.ReplaceAll(string(at), "HOST", own)), 0o644); err != nil {
			t.Fatal(err)
		}
		p.leaveAlone(key, "first") // it is in a frame of the header
		p.must(key, "PUT", "/design/bindings/shop/0", map[string]any{"slots": map[string]any{"header": p.group(key, "chrome", dir)}})
		theme := p.must(
			key, "POST", "/content-blocks",
			map[string]any{"item": map[string]any{"name": "look", "group_type": "theme", "sections": []any{
				map[string]any{"type": "text", "payload": map[string]any{"v": 2, "kind": "group", "props": map[string]any{"widgets": []any{}}}}}}},
		)
		p.verb("push", "testdata/visit/hostile-layout", "--to", "theme:"+itoa(theme["id"]), "--admin", "http://"+p.admin, "--key", key)
	})
}

// On the pages for paying, no script of a header and a layout that try everything runs
// (document 3, 4.6.6); elsewhere the same documents work.
func TestNoAuthorScriptRunsAtTheCheckout(t *testing.T) {
	t.Parallel()
	b := hostile(t)
	if _, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: whatRan}); err != nil {
		t.Fatal(err)
	}
	b.open("/second", 1280)
	b.text(pressAll)
	for _, name := range alive {
		b.until(`hits.includes('` + name + `')`)
	}
	t.Logf("%s different things ran on a page without a guard", b.text(`new Set(hits).size`))

	for _, width := range []int64{1280, 390} {
		for _, zone := range []string{"/checkout", "/cart", "/account", "/account/link"} {
			b.seen.take()
			b.open(zone, width)
			b.text(`window.mark = 'still here', window.addEventListener('submit', (e) => {
				hits.push(...[e.target.action, e.submitter?.formAction].filter((a) => a && !a.startsWith(location.origin))) // record the target without navigating
				e.preventDefault()
			})`)
			b.text(pressAll)
			b.until(`performance.now() > 1500`) // longer than any of the scripts needs to start
			b.is(`[hits, mark, location.pathname, new URL(document.baseURI).pathname]`, ",still here,"+zone+","+zone)
			b.is(`getComputedStyle(document.querySelector('.own')).color`, "rgb(7, 8, 9)")
			b.is(`getComputedStyle(document.querySelector('.own')).textTransform`, "none")
			b.is(`document.querySelector('body > .svc-body .own') && getComputedStyle(document.body).backgroundImage`, "none")
			b.is(`[...document.scripts].filter((s) => !s.src.includes('/_vitrine/') && s.type !== 'application/ld+json').length`, "0")
			b.is(`[...document.querySelectorAll('iframe')].filter((f) => f.contentDocument?.querySelector('*:not(html, head, body)')).length`, "0")
			shoot(t, b.ctx, "/hostile"+zone, width)
			if found := b.ownFaults(); len(found) > 0 {
				t.Errorf("%s at %d px: %s", zone, width, strings.Join(found, "\n"))
			}
		}
	}
	b.entersInFull()
}

// ownFaults ignores the failed attempts of the hostile document: pictures without bytes, frames
// with the address of the zone, which must not be framed, and what happens inside its frame of
// another page. That frame has an opaque origin; whether a browser reports its faults depends on
// the process it chooses for it.
func (b *tab) ownFaults() []string {
	return slices.DeleteFunc(b.seen.take(), func(fault string) bool {
		return strings.Contains(fault, "ERR_UNKNOWN_URL_SCHEME") || strings.Contains(fault, "ERR_BLOCKED_BY_RESPONSE") ||
			strings.Contains(fault, "frame-ancestors 'none'") || strings.Contains(fault, "x:") ||
			strings.HasSuffix(fault, "/first?framed")
	})
}

// entersInFull opens the checkout by a link from a page where the hostile documents work: no
// script of theirs may survive.
func (b *tab) entersInFull() {
	b.open("/second", 1280)
	b.until(`hits.includes('layout foot')`)
	b.text(
		`window.mark = 'same window', document.querySelector('main').insertAdjacentHTML('beforeend', '<a id="pay" href="/checkout">pay</a>'), document.getElementById('pay').click()`,
	)
	b.until(`location.pathname === '/checkout' && document.readyState === 'complete' && typeof mark === 'undefined'`)
	b.is(`hits`, "")
}
