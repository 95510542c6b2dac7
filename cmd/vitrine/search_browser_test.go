package main

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// From the search box in the header to the results, to a filtered list, to the product. In
// wide and narrow windows, by keyboard, and without scripts.
func TestSearchAndFiltersInABrowser(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	owner, ok := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "owner@demo.example", "password": "tea-at-four"})["token"].(string)
	if !ok {
		t.Fatal("the owner got no token")
	}
	colour := glazed(p, owner)
	inEveryWindow(t, p, func(b *tab, name string, width int64, script bool) {
		if script {
			b.suggests(name, width)
		}
		b.searches(name, width, script)
		b.narrows(name, width, script, colour)
		b.is(`document.documentElement.scrollWidth <= document.documentElement.clientWidth`, "true")
	})
}

// glazed gives the products of the demo shop a colour and a weight, except every third one,
// and makes one sold out.
func glazed(p *program, owner string) (colour string) {
	add := func(item map[string]any) string {
		return itoa(p.must(owner, "POST", "/attributes", map[string]any{"item": item})["id"])
	}
	colour = add(map[string]any{"name": "Colour", "kind": "option", "filterable": true, "options": []any{
		map[string]any{"value": "sea", "label": "Sea"}, map[string]any{"value": "sand", "label": "Sand"}, map[string]any{"value": "ink", "label": "Ink"}}})
	weight := add(map[string]any{"name": "Weight", "kind": "number", "unit": "g", "filterable": true})
	rows := p.must(owner, "GET", "/products?page.number=1&page.limit=100", nil)["items"].([]any)
	for i, row := range rows {
		if i%3 == 2 {
			continue
		}
		p.must(owner, "PUT", "/products/"+itoa(row.(map[string]any)["id"]), map[string]any{"item": map[string]any{"attributes": []any{
			map[string]any{"attribute_id": colour, "values": []string{[]string{"sea", "sand", "ink"}[i%4%3]}},
			map[string]any{"attribute_id": weight, "number": 100 + 10*i},
		}}})
	}
	return "a" + colour
}

const hinted = `document.querySelectorAll('#v-hints [role=option]')`

// suggests checks the suggestions while typing, and opens one by keyboard.
func (b *tab) suggests(name string, width int64) {
	b.t.Helper()
	b.open("/", width)
	box := `document.querySelector('.v-header [name=q]')`
	b.is(box+`.getAttribute('role') + ' ' + `+box+`.getAttribute('aria-expanded')`, "combobox false")
	b.types(".v-header [name=q]", "bow")
	b.until(hinted + `.length > 1`)
	b.is(box+`.getAttribute('aria-expanded') + ' ' + `+box+`.getAttribute('aria-controls')`, "true v-hints")
	b.until(`document.querySelector('#v-hints img')?.naturalWidth > 0`)
	shoot(b.t, b.ctx, "/find/"+name+"/suggests", width)
	b.presses(kb.ArrowDown, kb.ArrowDown, kb.ArrowUp)
	b.is(box+`.getAttribute('aria-activedescendant') + ' ' + `+hinted+`[0].getAttribute('aria-selected')`, "v-hint-0 true")
	b.presses(kb.Escape)
	b.is(`document.getElementById('v-hints') === null && `+box+`.value`, "bow")
	b.presses("l")
	b.until(hinted + `.length > 0`)
	to := b.text(hinted + `[0].dataset.vHref`)
	b.presses(kb.ArrowDown, kb.Enter)
	b.until(`location.pathname === '` + to + `' && document.querySelector('.v-product')`)
	b.types(".v-header [name=q]", "matchha")
	b.until(hinted + `[0]?.textContent.includes('matcha')`)
	b.click("#v-hints [role=option]")
	b.until(`location.pathname === '/search' && document.querySelector('h1').textContent.includes('matcha')`)
}

// searches looks for words, misspelled words, and words without results.
func (b *tab) searches(name string, width int64, script bool) {
	b.t.Helper()
	b.open("/", width)
	b.types(".v-header [name=q]", "bowl")
	b.presses(kb.Enter)
	b.until(`location.pathname === '/search' && location.search === '?q=bowl' && document.querySelectorAll('.v-card').length > 0`)
	b.is(`document.querySelectorAll('meta[name=robots]').length + document.querySelector('link[rel=canonical]').href.replace(location.origin, '')`, "0/search?q=bowl")
	b.is(`[...document.querySelectorAll('.v-card__name')].every((e) => e.textContent.toLowerCase().includes('bowl'))`, "true")
	b.is(`document.querySelector('h1').getBoundingClientRect().left === document.querySelector('.v-heading .v-search').getBoundingClientRect().left`, "true")
	shoot(b.t, b.ctx, "/find/"+name+"/found", width)
	b.open("/search?q=matchha", width)
	b.is(`document.querySelector('.v-heading .v-more').textContent`, "matcha")
	b.open("/search?q=xqzzyqx", width)
	b.is(`document.querySelectorAll('.v-chips a').length > 0 && document.querySelectorAll('.v-card').length > 0 && document.querySelector('.v-empty a') !== null`, "true")
	shoot(b.t, b.ctx, "/find/"+name+"/nothing", width)
}

// narrows filters a section: by an option, in stock, in an order, removes the filters, and
// goes back.
func (b *tab) narrows(name string, width int64, script bool, colour string) {
	b.t.Helper()
	b.open("/teaware", width)
	all := b.text(`document.querySelector('.v-heading__count').textContent`)
	shoot(b.t, b.ctx, "/find/"+name+"/section", width)
	drawer := width < 1024
	if drawer {
		b.is(`document.getElementById('v-find').checkVisibility()`, "false")
		b.click(".v-find__bar .v-find__open")
		b.until(`document.getElementById('v-find').matches(':popover-open')`)
		shoot(b.t, b.ctx, "/find/"+name+"/drawer", width)
	}
	b.click(fmt.Sprintf("[name=%s][value=sea]", colour))
	if drawer {
		b.click("#v-find [type=submit]")
	}
	b.until(`location.search.includes('` + colour + `=sea') && document.querySelector('.v-find__chips a')`)
	b.is(`document.querySelector('.v-heading__count').textContent === '`+all+`'`, "false")
	b.is(`document.querySelector('.v-find__chips a').textContent.includes('Sea') && document.querySelector('meta[name=robots]').content`, "noindex")
	if script && !drawer {
		b.is(`document.activeElement.value`, "sea")
	}
	shoot(b.t, b.ctx, "/find/"+name+"/narrowed", width)
	b.click(".v-find__order")
	b.click(".v-find__bar .v-sub li:nth-child(3) a")
	b.until(`location.search.includes('sort=price') && location.search.includes('` + colour + `=sea')`)
	prices := `[...document.querySelectorAll('.v-price__now')].map((e) => Number(e.textContent.match(/\d+/)[0]))`
	b.is(prices+`.every((n, i, all) => i === 0 || all[i - 1] <= n)`, "true")
	b.click(".v-find__chips a")
	b.until(`location.search === '?sort=price' && document.querySelector('.v-heading__count').textContent === '` + all + `'`)
	b.away(`history.back()`)
	b.until(`location.search.includes('` + colour + `=sea') && document.querySelector('[value=sea]').checked`)
	b.open("/teaware?"+colour+"=sea&min_price=99999", width)
	b.is(`document.querySelectorAll('.v-card').length + ' ' + document.querySelector('.v-empty a').getAttribute('href')`, "0 /teaware")
	shoot(b.t, b.ctx, "/find/"+name+"/excluded", width)
	b.click(".v-empty a")
	b.until(`location.search === '' && document.querySelectorAll('.v-card').length > 0`)
	b.click(".v-card__name a")
	b.until(`document.querySelector('.v-product')`)
}
