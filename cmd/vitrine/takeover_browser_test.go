package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"vitrine/internal/await"
)

// greedy is a service worker that answers every request of its host.
const greedy = `self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (e) => e.waitUntil(self.clients.claim()))
self.addEventListener('fetch', (e) => e.respondWith(new Response('<title>taken</title>', { headers: { 'Content-Type': 'text/html' } })))`

// The owner of a shop tries, with scripts on its pages, to take over the identity of a
// visitor, who owns another shop and is signed in as a buyer here. The scripts of a shop can
// do everything that a page of its host can do.
func TestScriptsOfAShopCannotTakeOverAVisitor(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	p.shop("mug") // the visitor's shop
	p.start()
	site := t.TempDir()
	for name, text := range map[string]string{"index.html": "<title>Home</title>", "sw.js": greedy} {
		if err := os.WriteFile(filepath.Join(site, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	home := p.website(key, "club", site)
	p.must(key, "PUT", "/categories/"+home, map[string]any{"item": map[string]any{"is_home": true}})
	p.verb("push", "testdata/visit/first", "--to", "page:/first", "--admin", "http://"+p.admin, "--key", key)
	b := p.tab(t)
	b.open("/first", 1280)
	login := `fetch('/api/v1/auth/login', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ email: 'mug@example.test', password: 'a long password' }) })`
	if got := b.awaited(login + `.then(r => r.text()).then(t => /vs_\w+/.test(t))`); got != "false" {
		t.Error("the login response contains the token")
	}

	// A. The cookie is a session of this shop only, and scripts cannot read it.
	if got := b.awaited(`fetch('/api/v1/auth/guest', { method: 'POST' }).then(r => r.text()).then(t => /vs_\w+/.test(t) + document.cookie)`); got != "false" {
		t.Errorf("a guest's session: %s", got)
	}
	if got := b.awaited(`fetch('/api/v1/auth/me').then(r => r.json()).then(j => j.result.email + '|' + j.result.role + '|' + j.result.company_id)`); got != "mug@example.test||0" {
		t.Errorf("me: %s", got)
	}
	for _, call := range []string{`'/api/v1/account/tokens'`, `'/api/products'`, `'/api/v1/orgs/current/members'`} {
		body := `{ method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"name":"k","contour":"prod","scopes":["catalog:read"],"email":"a@b.test","role":"owner","item":{"name":"x"}}' }`
		if got := b.awaited(`fetch(` + call + `, ` + body + `).then(r => r.status)`); got != "403" {
			t.Errorf("POST %s with the cookie: %s", call, got)
		}
	}

	// B. No address of the host can install a persistent service worker.
	for _, script := range []string{"/sw.js", "/club/sw.js", "/first"} {
		b.awaited(`navigator.serviceWorker.register('` + script + `').catch((e) => e.name)`)
	}
	b.until(`window.left === 0 || (navigator.serviceWorker.getRegistrations().then((l) => { window.left = l.length }), false)`)
	b.open("/account", 1280)
	b.away(`document.title === 'taken'`)
	b.is(`navigator.serviceWorker.controller`, "null")

	// C. Zones cannot be framed, and a window opened with one is inaccessible.
	b.open("/first", 1280)
	for _, zone := range []string{"/account", "/checkout", "/cart", "/api/v1/auth/me"} {
		if got := b.awaited(`new Promise((done) => {
			const f = document.createElement('iframe')
			f.onload = () => { try { done(f.contentDocument ? f.contentDocument.body.textContent.trim() : 'closed') } catch { done('closed') } }
			f.src = '` + zone + `'; document.body.append(f)
		})`); got != "closed" {
			t.Errorf("%s in a frame: %.80s", zone, got)
		}
	}
	b.text(`document.querySelector('main').insertAdjacentHTML('afterbegin', '<button id=pop onclick="window.popped = window.open(\'/account\')">open</button>'), ''`)
	b.click("#pop")
	b.until(`window.popped && window.popped.closed`) // the visitor's window is no longer accessible to its opener
}

// A browser with an old service worker gets the shop's pages again at the worker's next
// update check, without user action.
func TestOldServiceWorkerIsRemoved(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.shop("tea")
	listener, err := net.Listen("tcp", p.edge)
	if err != nil {
		t.Fatal(err)
	}
	before := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		text := "<title>before</title>"
		if r.URL.Path == "/sw.js" {
			w.Header().Set("Content-Type", "text/javascript")
			text = greedy
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Log(err)
		}
	})}
	done := make(chan error, 1)
	go func() { done <- before.Serve(listener) }()
	b := p.tab(t)
	b.open("/", 1280)
	b.awaited(`navigator.serviceWorker.register('/sw.js').then(() => navigator.serviceWorker.ready)`)
	b.text(`localStorage.kept = 'by a script', ''`)
	b.until(`navigator.serviceWorker.controller !== null`)
	if err := before.Close(); err != nil {
		t.Fatal(err)
	}
	await.Next(t, done)
	p.start()
	b.open("/", 1280)
	b.awaited(`navigator.serviceWorker.getRegistration().then((r) => r?.update()).catch(() => 'gone')`)
	b.until(`document.title === 'Shop tea'`)
	b.open("/", 1280)
	b.is(`navigator.serviceWorker.controller`, "null")
}
