package main

import "testing"

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
