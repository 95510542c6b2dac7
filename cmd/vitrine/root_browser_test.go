package main

import "testing"

// A script with a top-level const cannot run twice in one window: its page is loaded in full
// when a visitor returns, without console errors, and works. Its changes to html and body do
// not affect the page in between. A height of half the window is half of the part below the
// header.
func TestPageWhoseScriptsRunOnce(t *testing.T) {
	t.Parallel()
	b := visitShop(t, func(p *program, key string) {
		p.verb("push", "testdata/visit/once", "--to", "page:/once", "--admin", "http://"+p.admin, "--key", key)
	})
	open := `[!!document.querySelector('#shade'), document.body.className, document.body.style.overflow, document.documentElement.dataset.open]`
	b.open("/once", 1280)
	b.until(`document.readyState === 'complete'`)
	b.until(`Math.abs(document.querySelector('#half').offsetHeight - (innerHeight - document.querySelector('#v-content').offsetTop) / 2) < 1`)
	b.text(
		`window.heard = [], document.addEventListener('svc:navigate', (e) => heard.push(e.detail.path)), document.querySelector('#open').click()`,
	)
	b.is(open, "true,open,hidden,yes")
	b.until(`document.querySelector('.svc-body').matches('.open[data-open=yes]')`)
	b.text(`document.querySelector('#go').click()`)
	b.until(`heard.at(-1) === '/second'`)
	b.is(open, "false,,,")
	b.away(`history.back()`)
	b.until(
		`location.pathname === '/once' && document.readyState === 'complete' && !window.heard && document.querySelector('h1').textContent === 'Once'`,
	)
	b.text(`document.querySelector('#open').click()`)
	b.is(open, "true,open,hidden,yes")
	if found := b.complaints(); len(found) > 0 {
		t.Error(found)
	}
}
