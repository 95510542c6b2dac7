package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// cabinet opens the sign-in page of the cabinet in a new browser.
func cabinet(t testing.TB, p *program, width int64) *tab {
	t.Helper()
	b := adminTab(t, p)
	b.open("/cabinet/", width)
	b.until(`document.querySelector('[name=password]')`)
	return b
}

// entersCabinet signs in with a password.
func (b *tab) entersCabinet(email, password string) {
	b.t.Helper()
	b.types("[name=email]", email)
	b.types("[name=password]", password)
	b.click("main [type=submit]")
}

// shows waits until the page has a text.
func (b *tab) shows(text string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`document.body.innerText.includes(%q)`, text))
}

// pushes clicks the button with a label or text.
func (b *tab) pushes(label string) {
	b.t.Helper()
	b.effort.clicked(label)
	if b.byKeyboard {
		b.walks(fmt.Sprintf(`e.matches('button, a') && (e.textContent.trim() === %[1]q || e.ariaLabel === %[1]q)`, label))
		b.presses(kb.Enter)
		return
	}
	const found = `[...document.querySelectorAll('button, a')].filter((e) => e.textContent.trim() === %[1]q || e.ariaLabel === %[1]q).at(-1)`
	b.until(fmt.Sprintf(found+` && !`+found+`.disabled`, label))
	b.text(fmt.Sprintf(`(`+found+`.click(), 'clicked')`, label))
}

// fills replaces the text of the field with a label, as a person does.
func (b *tab) fills(label, text string) {
	b.t.Helper()
	b.effort.typed(label, text)
	if b.byKeyboard {
		b.tabsToField(label)
		b.chord("a")
		b.keys(text)
		return
	}
	b.until(fmt.Sprintf(`[...document.querySelectorAll('label')].some((l) => l.textContent.replace(' *', '') === %q)`, label))
	b.text(fmt.Sprintf(`(() => { const l = [...document.querySelectorAll('label')].find((l) => l.textContent.replace(' *', '') === %q);
		const e = document.getElementById(l.htmlFor); e.focus(); e.select(); return 'focused' })()`, label))
	if err := chromedp.Do(b.ctx, chromedp.KeyEvent(text)); err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) reloads() {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, chromedp.Reload()); err != nil {
		b.t.Fatal(err)
	}
}

// An owner signs in to the cabinet, sees what waits, finds a product and changes its price; what
// was typed survives a reload; a change that somebody else saved meanwhile is shown, not
// overwritten; a deleted product comes back. In a wide and in a narrow window.
func TestOwnerKeepsProductsInTheCabinet(t *testing.T) {
	t.Parallel()
	p, key := demoWithCabinet(t)
	of := func(product map[string]any) string { return itoa(product["price"].(map[string]any)["price"]) }
	for i, width := range []int64{1280, 390} {
		shot := func(b *tab, name string) {
			b.until(`[...document.images].every((i) => i.complete)`)
			b.is(`document.documentElement.scrollWidth <= innerWidth`, "true")
			shoot(b.t, b.ctx, fmt.Sprintf("/cabinet/%s", name), width)
		}
		b := cabinet(t, p, width)
		shot(b, "sign-in")
		b.entersCabinet("owner@demo.example", "wrong")
		b.shows("Email or password is wrong.")
		b.entersCabinet("owner@demo.example", "tea-at-four")
		b.until(`location.pathname === '/cabinet/demo/start' && document.querySelector('canvas')`)
		b.shows("Waiting for you")
		b.is(`document.cookie`, "")
		shot(b, "start")

		b.open("/cabinet/demo/products?q=matcha", width)
		b.shows("Uji ceremonial matcha")
		shot(b, "products")
		b.text(`([...document.querySelectorAll('main a')].find((a) => a.textContent.includes('Uji ceremonial')).click(), '')`)
		b.until(`document.querySelector('textarea')`)
		path := "/products/" + b.text(`location.pathname.split('/').pop()`)
		shot(b, "product")
		b.fills("Price", fmt.Sprint(41+i))
		b.shows("Not saved: Price")
		p.must(key, "PUT", path, map[string]any{"item": map[string]any{"price": map[string]any{"price": 77}}})
		if err := chromedp.Do(b.ctx, chromedp.Reload()); err != nil {
			t.Fatal(err)
		}
		b.shows("What you had typed before is here again.")
		b.pushes("Save")
		b.shows("Theirs: 77") // the form was loaded again, so the server alone would have seen no conflict
		b.pushes("Save what is chosen")
		b.shows("Saved")
		if got := of(p.must(key, "GET", path, nil)); got != fmt.Sprint(41+i) {
			t.Errorf("the price is %s", got)
		}

		p.must(key, "PUT", path, map[string]any{"item": map[string]any{"price": map[string]any{"price": 99}}})
		b.fills("Price", fmt.Sprint(51+i))
		b.pushes("Save")
		b.shows("Somebody else saved this meanwhile")
		b.shows("Theirs: 99")
		shot(b, "conflict")
		if got := of(p.must(key, "GET", path, nil)); got != "99" {
			t.Errorf("the price of the other is overwritten: %s", got)
		}
		b.pushes("Save what is chosen")
		b.until(`!document.body.innerText.includes('Somebody else saved this meanwhile')`)
		if got := of(p.must(key, "GET", path, nil)); got != fmt.Sprint(51+i) {
			t.Errorf("the price is %s", got)
		}

		b.pushes("As a call")
		b.shows("curl -s")
		b.is(`document.querySelector('pre').textContent.includes('`+path+`')`, "true")
		b.pushes("Close")
		b.pushes("Delete")
		b.shows("is deleted.")
		if status, _ := p.call(key, "GET", path, nil); status != 404 {
			t.Errorf("a deleted product answers %d", status)
		}
		b.pushes("Undo")
		b.shows("Undone")
		if back := p.must(key, "GET", path, nil); back["is_deleted"] != false {
			t.Errorf("%v", back)
		}
		for _, found := range b.complaints() {
			if !strings.Contains(found, "401") && !strings.Contains(found, "409") { // the browser reports the refusals above
				t.Error(found)
			}
		}
	}
}
