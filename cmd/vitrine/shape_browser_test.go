package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	pngs "image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// shapedShop is a shop in Russian with euros and cents, a logo, a favicon, contacts and its
// own accent; some of its names are in Arabic and Hebrew.
func shapedShop(t *testing.T) (p *program, b *tab) {
	t.Helper()
	type m = map[string]any
	p = newMachine(t)
	p.verb("shop", "create", "--slug", "rus", "--name", "Чайная", "--currency", "EUR", "--price-digits", "2", "--owner-email", "owner@rus.test", "--owner-password", "a long password")
	key := p.verb("key", "issue", "--shop", "rus", "--scopes", "all")["key"].(string)
	p.start()
	owner := p.must("", "POST", "/v1/auth/login", m{"email": "owner@rus.test", "password": "a long password"})["token"].(string)
	p.must(owner, "PUT", "/v1/shop/settings", m{
		"language": "ru", "logo_id": p.upload(key, "logo.png", banner(t, 480, 120)), "favicon_id": p.upload(key, "icon.png", banner(t, 256, 256)),
		"contacts": m{"phone": "+7 (495) 123-45-67", "email": "tea@rus.test", "address": "Москва, Чайный пер., 1", "hours": "каждый день с 9 до 21"},
		"socials":  []any{"https://t.me/tea", "https://vk.com/tea"}, "legal": m{"name": "ООО «Чайная»", "details": "ИНН 7701234567\nОГРН 1027700132195"},
		"look": m{"accent": "#0a6b4f", "radius": 6, "heading_font": "serif"},
	})
	section := func(name, slug, kind string) any {
		return p.must(key, "POST", "/categories", m{"item": m{"name": name, "type": kind, "is_published": true, "is_show_menu": true, "seo": m{"slug": slug}}})["id"]
	}
	tea, news := section("Чай", "chai", "product"), section("Журнал", "zhurnal", "news")
	section("Пусто", "pusto", "page")
	section("Сайт", "sajt", "page")
	for i, name := range []string{"Сенча", "شاي أخضر بالنعناع الطازج", "תה ירוק יפני עם יסמין", "Пуэр"} {
		p.must(key, "POST", "/products", m{"item": m{
			"name": name, "price": m{"price": 1450 + 5*i, "old_price": 1999}, "is_published": true, "category_id": tea, "seo": m{"slug": fmt.Sprint("p", i)},
			"description": "شاي أخضر من المغرب.\n\nЗелёный чай, 100 г.", "gallery": []any{m{"id": p.picture(key)}},
		}})
	}
	p.must(key, "POST", "/articles", m{"item": m{"title": "איך מכינים תה ירוק", "announce": "שלוש דקות בשמונים מעלות", "category_id": news, "is_published": true, "seo": m{"slug": "teh"}}})
	dir := t.TempDir()
	text := `<!doctype html><html><head><title>x</title></head><body><p id="said" style="color:#222">A text that counts on a white page.</p><p id="plain">Another</p></body></html>`
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	p.verb("push", dir, "--to", "page:/sajt", "--admin", "http://"+p.admin, "--key", key)
	b = &tab{t: t, ctx: browser(t), host: "http://rus.localhost:" + portOf(t, p.edge), seen: &faults{}}
	if err := b.seen.listen(b.ctx); err != nil {
		t.Fatal(err)
	}
	return p, b
}

// banner is a picture that is green on the left and orange on the right.
func banner(t *testing.T, width, height int) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for x := range width {
		for y := range height {
			if img.Set(x, y, color.NRGBA{10, 107, 79, 255}); x > width/2 {
				img.Set(x, y, color.NRGBA{214, 120, 40, 255})
			}
		}
	}
	var out bytes.Buffer
	if err := pngs.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// prefers sets the emulated colour scheme and media type.
func (b *tab) prefers(scheme, media string) {
	b.t.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: media, Features: features}); err != nil {
		b.t.Fatal(err)
	}
}

// unread lists the storefront's own texts whose contrast is below the WCAG minimum.
const unread = `(() => {
	const parts = (c) => c.match(/[\d.]+/g).map(Number)
	const linear = (v) => (v /= 255) > .04045 ? ((v + .055) / 1.055) ** 2.4 : v / 12.92
	const light = ([r, g, b]) => .2126 * linear(r) + .7152 * linear(g) + .0722 * linear(b)
	const ground = (e) => {
		for (; e; e = e.parentElement) {
			const c = parts(getComputedStyle(e).backgroundColor)
			if (c.length < 4 || c[3] > .9) return c
		}
		return [255, 255, 255]
	}
	const poor = []
	for (const e of document.querySelectorAll('body *')) {
		const box = e.getBoundingClientRect()
		if (e.closest('.svc-body, svg, option, script, style') || !e.checkVisibility() || box.width < 2 || !(e.innerText || '').trim() || e.matches(':disabled, .v-stars, .v-tile__letter, .v-lost__code')) continue
		if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue
		const style = getComputedStyle(e)
		const a = light(parts(style.color)), b = light(ground(e))
		const contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05)
		const large = parseFloat(style.fontSize) >= 24 || parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700
		if (contrast < (large ? 3 : 4.5)) poor.push(e.className + ' ' + e.innerText.slice(0, 20) + ' ' + contrast.toFixed(2))
	}
	return poor.join('; ')
})()`

const sticksOut = `document.documentElement.scrollWidth - document.documentElement.clientWidth`

// The look of a shop in a browser, wide and narrow: the settings are applied, the header is
// one row, the footer is at the bottom, prices have their cents, texts in other directions
// are isolated, all of it light and dark.
func TestLookOfAShopInABrowser(t *testing.T) {
	t.Parallel()
	p, b := shapedShop(t)
	for _, width := range []int64{1280, 390} {
		for _, path := range []string{"/", "/chai", "/chai/p1", "/zhurnal", "/zhurnal/teh", "/pusto", "/nothing-here", "/cart", "/checkout", "/account", "/wishlist", "/sajt"} {
			b.open(path, width)
			for _, scheme := range []string{"light", "dark"} {
				b.prefers(scheme, "")
				b.text(`document.getAnimations().filter((a) => a instanceof CSSTransition).forEach((a) => a.finish())`) // colours may change gradually
				where := fmt.Sprintf("%s at %d, %s", path, width, scheme)
				if out := b.text(sticksOut); out != "0" {
					t.Errorf("%s overflows by %s px", where, out)
				}
				if poor := b.text(unread); poor != "" {
					t.Errorf("%s: %s", where, poor)
				}
				// One row, and the search box in a second row if there is no space.
				if got := b.text(`[...document.querySelectorAll('.v-header__top > :not(search, form)')].filter((e) => e.checkVisibility()).every((e) => e.getBoundingClientRect().bottom <= document.querySelector('.v-header__top').getBoundingClientRect().top + 80)`); got != "true" {
					t.Errorf("%s: the header has more than one row", where)
				}
				b.is(`(() => { const y = (s) => { const r = document.querySelector(s).getBoundingClientRect(); return (r.top + r.bottom) / 2 }; return Math.abs(y('.v-brand img') - y('.v-phone')) < 8 })()`, "true")
				if got := b.text(`Math.round(document.querySelector('.v-footer').getBoundingClientRect().bottom + scrollY - Math.max(innerHeight, document.documentElement.scrollHeight))`); got != "0" && path != "/sajt" {
					t.Errorf("%s: the footer ends %s px off the bottom", where, got)
				}
				shoot(t, b.ctx, "/shape/"+scheme+path, width)
			}
		}
		b.choosesScheme(width)
		b.readsOnPaper(width)
	}
	for _, fault := range b.complaints() {
		if !strings.Contains(fault, "404") {
			t.Error(fault)
		}
	}
	for path, kind := range map[string]string{"/favicon.ico": "image/png", "/_vitrine/manifest.webmanifest": "application/manifest+json", "/zhurnal/rss.xml": "application/rss+xml; charset=utf-8"} {
		status, header, body := p.visit("rus", path)
		if status != 200 || header.Get("Content-Type") != kind || len(body) == 0 {
			t.Errorf("%s: %d %s", path, status, header.Get("Content-Type"))
		}
	}
	if _, _, body := p.visit("rus", "/zhurnal/rss.xml"); !strings.Contains(body, "<link>http://rus.localhost:"+portOf(t, p.edge)+"/zhurnal/teh</link>") || !strings.Contains(body, "איך") {
		t.Errorf("the feed is %s", body)
	}
	var icon struct{ sizes []int }
	_, _, home := p.visit("rus", "/")
	for part := range strings.SplitSeq(home, `href="/_vitrine/icon/`) {
		if name, _, found := strings.Cut(part, `"`); found && strings.HasSuffix(name, ".png") {
			_, _, body := p.visit("rus", "/_vitrine/icon/"+name)
			drawn, err := pngs.Decode(strings.NewReader(body))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			icon.sizes = append(icon.sizes, drawn.Bounds().Dx())
		}
	}
	if fmt.Sprint(icon.sizes) != "[32 180 192 512]" {
		t.Errorf("icons of %v", icon.sizes)
	}
}

// choosesScheme selects light on a dark system: it applies immediately, after a load, and on
// the way to another page; an uploaded document is not affected.
func (b *tab) choosesScheme(width int64) {
	b.t.Helper()
	const page = `getComputedStyle(document.body).backgroundColor`
	b.prefers("dark", "")
	b.open("/chai", width)
	b.is(page, "rgb(25, 21, 18)")
	b.is(`document.querySelector('.v-price__now').textContent`, "14,50\u00a0€")
	b.is(`document.querySelector('.v-scheme').checkVisibility()`, "true")
	b.is(`(() => { const s = document.querySelector('.v-scheme select'); s.value = 'light'; s.dispatchEvent(new Event('change', { bubbles: true })); return s.checkVisibility() })()`, "true")
	b.is(page, "rgb(255, 255, 255)")
	b.is(`[...document.querySelectorAll('meta[name=theme-color]')].map((m) => m.content).join()`, "#ffffff,#ffffff")
	b.open("/chai", width)
	b.is(page, "rgb(255, 255, 255)")
	b.click(".v-card__name a[href='/chai/p1']")
	b.until(`location.pathname === '/chai/p1' && document.querySelector('.v-product h1')`)
	b.is(page, "rgb(255, 255, 255)")
	b.is(`document.querySelector('.v-scheme select').value`, "light")
	// The name is aligned right, in its own direction.
	b.is(`(() => { const h = document.querySelector('.v-product h1'), r = document.createRange(); r.selectNodeContents(h); return Math.abs(r.getBoundingClientRect().right - h.getBoundingClientRect().right) < 3 && getComputedStyle(document.documentElement).direction })()`, "ltr")
	b.is(`(() => { const s = document.querySelector('.v-scheme select'); s.value = ''; s.dispatchEvent(new Event('change', { bubbles: true })); return 1 })()`, "1")
	b.open("/cart", width)
	b.is(page, "rgb(25, 21, 18)")
	b.open("/sajt", width)
	b.is(`document.querySelector('#said') && getComputedStyle(document.querySelector('.svc-body')).color + getComputedStyle(document.documentElement).backgroundColor + getComputedStyle(document.documentElement).colorScheme`, "rgb(0, 0, 0)rgba(0, 0, 0, 0)normal")
	b.is(`document.querySelector('.svc-body').hasAttribute('data-v-scheme')`, "false")
}

// readsOnPaper prints a product and a section: without controls, dark on white.
func (b *tab) readsOnPaper(width int64) {
	b.t.Helper()
	b.prefers("dark", "print")
	b.open("/chai/p1", width)
	b.is(`['.v-header', '.v-button', '.v-scheme', '.v-crumbs'].filter((s) => [...document.querySelectorAll(s)].some((e) => e.checkVisibility())).join()`, "")
	b.is(`getComputedStyle(document.body).backgroundColor`, "rgb(255, 255, 255)")
	b.is(`document.querySelector('.v-product h1').checkVisibility() && document.querySelector('.v-legal').checkVisibility()`, "true")
	if poor := b.text(unread); poor != "" {
		b.t.Errorf("on paper at %d: %s", width, poor)
	}
	shoot(b.t, b.ctx, "/shape/print", width)
	b.open("/chai", width)
	b.is(`document.querySelector('.v-find__bar .v-sub') !== null`, "true")
	b.is(`[...document.querySelectorAll('.v-sub, .v-find, button, summary .v-icon')].filter((e) => e.checkVisibility()).length`, "0")
	b.prefers("light", "")
}
