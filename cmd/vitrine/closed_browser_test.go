package main

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// The password page, with and without JavaScript, wide and narrow; a closed website works for
// visitors with access.
func TestClosedPageInABrowser(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	p.start()
	h := p.hidden(key)
	p.must(key, "POST", "/access-policies/"+h.policy("password")+"/passwords", map[string]any{"password": "open sesame"})
	p.must(key, "POST", "/access-policies", map[string]any{"name": "Club", "kind": "customers", "resources": []any{h.resources[2]}})
	for _, c := range []struct {
		name   string
		width  int64
		script bool
	}{{"wide", 1280, true}, {"narrow", 390, true}, {"bare", 390, false}} {
		b := p.tab(t)
		if !c.script {
			if _, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
				t.Fatal(err)
			}
		}
		b.open("/", c.width)
		h.silent("the home page", b.text(`document.documentElement.outerHTML`), "-")
		b.open("/tradehall/puerh?utm_source=x", c.width)
		b.is(`document.querySelector('h1').textContent`, "For our partners")
		b.is(`document.querySelector('meta[name=robots]').content`, "noindex")
		b.is(`document.documentElement.scrollWidth <= innerWidth`, "true")
		b.until(`document.activeElement.name === 'password'`)
		h.silent("the page", b.text(`document.documentElement.outerHTML`), "/tradehall/puerh")
		shoot(t, b.ctx, "closed-"+c.name, c.width)
		b.types("[name=password]", "wrong")
		b.presses(kb.Enter)
		b.until(`document.querySelector('[role=alert]')`)
		shoot(t, b.ctx, "closed-wrong-"+c.name, c.width)
		b.is(`document.querySelector('[name=password]').getAttribute('aria-invalid')`, "true")
		b.types("[name=password]", "open sesame")
		b.presses(kb.Enter)
		b.until(`location.pathname === '/tradehall/puerh' && document.querySelector('h1').textContent === 'Puerh'`)
		b.is(`location.search`, "?utm_source=x")
		b.open("/tradehall", c.width)
		b.is(`document.querySelectorAll('a[href="/tradehall/cellar"]').length > 0`, "true")
		b.open("/handbook/", c.width)
		b.until(`document.readyState === 'complete'`)
		if c.script {
			b.until(`document.getElementById('data').textContent === 'fetched and read' && document.getElementById('module').textContent === 'a module ran'`)
		}
		shoot(t, b.ctx, "closed-handbook-"+c.name, c.width)
		for _, fault := range b.complaints() {
			if !strings.Contains(fault, "403") {
				t.Errorf("%s: %s", c.name, fault)
			}
		}
	}
	b := p.tab(t)
	b.open("/news/secretive", 390)
	shoot(t, b.ctx, "closed-news", 390)
}
