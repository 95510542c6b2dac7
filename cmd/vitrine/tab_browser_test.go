package main

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// where returns the centre of an element and whether a click there reaches it, or false while
// the page still loads, or the element is missing or hidden.
const where = `((e) => {
	if (document.readyState !== 'complete' || !e?.checkVisibility({ visibilityProperty: true })) return false
	const [r] = e.getClientRects()
	if (!r?.width || !r.height) return false
	const [x, y] = [r.left + r.width / 2, r.top + r.height / 2]
	return [x, y, e.contains(document.elementFromPoint(x, y))].join(' ')
})(document.querySelector(%s))`

// click clicks the element of a selector, once it is visible and has stopped moving.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.effort.clicked(b.called(selector))
	b.clicks(selector, 1)
}

// clicks is click for several fast clicks.
func (b *tab) clicks(selector string, times int) {
	b.t.Helper()
	last, x, y, reached, scrolled := "", 0., 0., false, false
	wait(b.t, selector+" holds still", func() bool {
		now, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`String(`+fmt.Sprintf(where, quoted(selector))+`)`))
		same := err == nil && now == last
		last = now
		if !same {
			return false
		}
		if _, err = fmt.Sscan(now, &x, &y, &reached); err != nil {
			return false
		}
		if reached || scrolled {
			return true
		}
		// It is off the screen, or under another element. A page may scroll smoothly, and the
		// click would come too early.
		b.text(`document.querySelector(` + quoted(selector) + `)?.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' })`)
		last, scrolled = "", true
		return false
	})
	for n := range times {
		if err := chromedp.Do(b.ctx, chromedp.MouseClickXY(x, y, chromedp.ClickCount(n+1))); err != nil {
			b.t.Fatalf("%s: %v", selector, err)
		}
	}
}

// types replaces the value of a field. The text arrives at once, as from a clipboard: the
// browser draws the page for every pressed key.
func (b *tab) types(selector, value string) {
	b.t.Helper()
	b.effort.typed(b.called(selector), value)
	b.until(`((e) => e?.checkVisibility() && (e.focus(), e.value = '', document.activeElement === e))(document.querySelector(` + quoted(selector) + `))`)
	if _, err := chromedp.Call(b.ctx, input.InsertText, input.InsertTextParams{Text: value}); err != nil {
		b.t.Fatalf("%s: %v", selector, err)
	}
}

// key presses a key on a focusable element.
func (b *tab) key(selector, key string) {
	b.t.Helper()
	b.is(`(document.querySelector('`+selector+`').focus(), document.activeElement.matches('`+selector+`'))`, "true")
	b.presses(key)
}

// presses presses keys as a keyboard does: a page that prevents the default of keydown gets no
// keypress, so a space does not scroll it.
func (b *tab) presses(keys ...string) {
	b.t.Helper()
	raw := func(event *input.DispatchKeyEventParams) {
		if event.Type == kb.KeyDown {
			event.Type = kb.KeyRawDown
		}
	}
	for _, key := range keys {
		if err := chromedp.Do(b.ctx, chromedp.KeyEvent(key, raw)); err != nil {
			b.t.Fatal(err)
		}
	}
}

// A key whose default a page prevents has no default: the test keyboard is one of a visitor.
func TestPreventedKeyHasNoDefault(t *testing.T) {
	t.Parallel()
	b := &tab{t: t, ctx: browser(t), seen: &faults{}}
	b.goTo(`data:text/html,<p style="height: 9000px">Tall<input><script>
		heard = [];
		['keydown', 'keypress', 'keyup'].forEach((type) => addEventListener(type, (e) => { heard.push(type); if (window.prevents) e.preventDefault() }))
	</script>`, 1280)
	b.presses(" ")
	b.is(`heard`, "keydown,keypress,keyup")
	b.until(`scrollY > 0`)
	b.key("input", "a")
	b.is(`document.querySelector('input').value`, "a")
	b.text(`(prevents = true, heard = [])`)
	b.presses("b", " ")
	b.is(`heard`, "keydown,keyup,keydown,keyup")
	b.is(`document.querySelector('input').value`, "a")
}
