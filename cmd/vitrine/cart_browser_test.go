package main

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// slowly delays the requests of the page, as on a slow connection.
const slowly = `((send) => { window.fetch = (...what) => new Promise((go) => setTimeout(go, 400)).then(() => send(...what)) })(window.fetch), 'slow'`

// Fast clicks on a slow connection are not lost: each click on a quantity button counts,
// changes of other lines are queued, and text being typed is kept, together with the cursor
// position. An identical repeated submission is ignored.
func TestFastClicksInTheCartAreQueued(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	b := demoTab(t, p)
	for _, cup := range []string{"/teaware/cups/dipped-tea-bowl-sea-and-sand", "/tea/black-tea/earl-grey-with-calabrian-bergamot"} {
		b.open(cup, 390)
		b.click("[data-v-add=cart]")
		b.until(`document.querySelector('.v-drawer[open] .v-line__name')`)
	}
	b.open("/cart", 390)
	b.until(`document.querySelectorAll('form.v-qty').length === 2`)
	const drawn = `[...document.querySelectorAll('form.v-qty [name=quantity]')].map((e) => e.defaultValue).join()`
	b.is(drawn, "1,1")
	b.text(`(` + slowly + `)`)
	b.text(`(() => {
		const [first, second] = document.querySelectorAll('form.v-qty')
		for (let n = 0; n < 3; n++) first.querySelector('[name=more]').click()
		const field = second.querySelector('[name=quantity]')
		field.value = 5
		field.dispatchEvent(new Event('change', { bubbles: true }))
		const code = document.querySelector('#v-code')
		code.focus()
		code.value = 'SPR'
		return first.querySelector('[name=quantity]').value
	})()`)
	b.until(drawn + ` === '4,5'`)
	b.is(`document.querySelector('#v-code').value + ' ' + document.activeElement.id`, "SPR v-code")
	b.is(`[...document.querySelectorAll('form.v-qty [name=quantity]')].map((e) => e.value).join()`, "4,5")
	b.until(`!document.querySelector('[data-v-zone][aria-busy=true]')`)
	b.text(`(() => { const gone = document.querySelectorAll('.v-line__remove')[1]; gone.click(); gone.click(); return 1 })()`)
	b.until(drawn + ` === '4'`)
	b.is(`document.querySelectorAll('main [role=alert]').length`, "0")
	b.open("/cart", 390)
	b.is(drawn, "4")
	// If requests fail, the page reports it and shows the server's quantities.
	b.text(`(window.arrive = window.fetch, window.fetch = () => Promise.reject(new TypeError('no line')), document.querySelector('[name=more]').click(), document.querySelector('[name=more]').click(), 'pressed')`)
	b.until(`document.querySelector('main [role=alert]')?.checkVisibility() && !document.querySelector('[data-v-zone][aria-busy=true]')`)
	b.is(`document.querySelector('form.v-qty [name=quantity]').value + document.querySelectorAll('main [role=alert]').length`, "41")
	b.text(`(window.fetch = window.arrive, document.querySelector('[name=more]').click(), 'again')`)
	b.until(drawn + ` === '5'`)
	b.is(`document.querySelectorAll('main [role=alert]').length`, "0")
	if rest := b.complaints(); len(rest) > 0 {
		t.Errorf("%q", rest)
	}
}

// A button that is held down while the answer to an earlier change arrives still gets its click.
func TestRedrawnCartKeepsThePressedButton(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	b := demoTab(t, p)
	b.open("/tea/black-tea/earl-grey-with-calabrian-bergamot", 390)
	b.click("[data-v-add=cart]")
	b.until(`document.querySelector('.v-drawer[open] .v-line__name')`)
	b.open("/cart", 390)
	b.until(`document.readyState === 'complete' && document.querySelector('.v-qty [name=more]')`)
	var x, y float64
	if at := b.text(`((e) => (e.scrollIntoView({ block: 'center' }), e = e.getBoundingClientRect(), [e.left + e.width / 2, e.top + e.height / 2].join(' ')))(document.querySelector('.v-qty [name=more]'))`); at != "" {
		if _, err := fmt.Sscan(at, &x, &y); err != nil {
			t.Fatal(at)
		}
	}
	mouse := func(kind input.DispatchMouseEventType) {
		if _, err := chromedp.Call(b.ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, ClickCount: 1}); err != nil {
			t.Fatal(err)
		}
	}
	b.text(`(answered = false, sent = 0, ((send) => { window.fetch = async (...what) => { sent++; const r = await send(...what); await r.clone().text(); setTimeout(() => { answered = true }, 100); return r } })(window.fetch),
		((field) => { field.value = 5; field.form.requestSubmit(field.form.querySelector('[name=do]')); field.form.requestSubmit(field.form.querySelector('[name=do]')) })(document.querySelector('.v-qty [name=quantity]')), 'changed twice')`)
	mouse(input.DispatchMouseEventTypeMousePressed)
	b.until(`answered`)
	mouse(input.DispatchMouseEventTypeMouseReleased)
	b.until(`!document.querySelector('[data-v-zone][aria-busy=true]') && document.querySelector('.v-qty [name=quantity]').defaultValue === '6'`)
	b.is(`sent`, "2") // the repetition is not sent
}
