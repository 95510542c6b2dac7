package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A guest buys a bowl and reviews it with a photo; the first submission is refused and the
// input kept; the shop approves it; it is shown on the page with its stars, and its photo
// after the product's own pictures. Then a question, a vote, another sort order. In a wide
// and a narrow window, and without scripts.
func TestBuyerReviewsWithAPhoto(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	owner, ok := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "owner@demo.example", "password": "tea-at-four"})["token"].(string)
	if !ok {
		t.Fatal("the owner got no token")
	}
	p.must(owner, "PUT", "/v1/shop/settings", map[string]any{"tax": map[string]any{"name": "VAT", "percent": 23}})
	_, _, sitemap := p.visit("demo", "/sitemap.xml")
	matcha := regexp.MustCompile(`/[^<]*uji-ceremonial[^<]*`).FindString(sitemap[strings.Index(sitemap, "<urlset"):])
	matcha = matcha[strings.Index(matcha, "/tea/"):]
	inEveryWindow(t, p, func(b *tab, name string, width int64, script bool) {
		b.buys(name, width, script)
		b.reviews(name, width, script)
		b.approved(p, owner, name, width, script)
		b.asks(p, owner, name, width, script)
		b.votes(name, matcha, width, script)
	})
}

const bowl = "/teaware/cups/dipped-tea-bowl-sea-and-sand"

// homePhoto is a picture with GPS metadata.
func homePhoto(t testing.TB, file string, shade uint8) string {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 900, 600))
	for y := range 600 {
		for x := range 900 {
			m.Set(x, y, color.RGBA{shade, uint8(x / 4), uint8(y / 3), 255})
		}
	}
	var body bytes.Buffer
	if err := jpeg.Encode(&body, m, nil); err != nil {
		t.Fatal(err)
	}
	said := "\xff\xe1\x00\x1cExif\x00\x00TAKEN AT HOME       "
	out := append([]byte("\xff\xd8"+said), body.Bytes()[2:]...)
	path := filepath.Join(t.TempDir(), file)
	if err := os.WriteFile(path, out, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// choosesFiles puts files into an input.
func (b *tab) choosesFiles(selector string, files ...string) {
	b.t.Helper()
	wait(b.t, selector, func() bool { return chromedp.Do(b.ctx, chromedp.SetUploadFiles(selector, files)) == nil }) // the page may just replace it
}

// reviews writes a review of the bowl, and chooses the stars by keyboard.
func (b *tab) reviews(name string, width int64, script bool) {
	b.t.Helper()
	b.open(bowl, width)
	b.click("#reviews summary")
	b.text(`document.querySelector('#reviews [name=rating]').focus()`)
	b.presses(kb.ArrowRight, kb.ArrowRight, kb.ArrowRight)
	b.is(`document.querySelector('#reviews [name=rating]:checked').value`, "4")
	b.types("#reviews [name=text]", "Warm in the hand. "+name+" <b>")
	b.types("#reviews [name=pros]", "The glaze")
	b.types("#reviews [name=author]", "Ines "+name)
	broken := filepath.Join(b.t.TempDir(), "x.jpg")
	if err := os.WriteFile(broken, []byte("no picture"), 0o644); err != nil {
		b.t.Fatal(err)
	}
	b.choosesFiles("#reviews [name=photos]", homePhoto(b.t, "home.jpg", uint8(width/8)), broken)
	shoot(b.t, b.ctx, "/review/"+name+"/form", width)
	b.click("#reviews [data-v-say] [type=submit]")
	b.until(`document.querySelector('[data-v-say] [name=photos][aria-invalid]')`)
	b.is(`[document.querySelector('[name=text]').value, document.querySelector('[name=rating]:checked').value, document.querySelectorAll('[name=kept]:checked').length]`,
		"Warm in the hand. "+name+" <b>,4,1")
	b.is(`location.pathname`, map[bool]string{true: bowl, false: b.text(`location.pathname`)}[script])
	shoot(b.t, b.ctx, "/review/"+name+"/refused", width)
	b.click("[data-v-say]:has([name=rating]) [type=submit]")
	b.until(`document.querySelector('.v-said [role=status]')?.textContent.includes('waiting')`)
	shoot(b.t, b.ctx, "/review/"+name+"/thanks", width)
}

// approved approves the review as the shop, and checks the page.
func (b *tab) approved(p *program, owner, name string, width int64, script bool) {
	b.t.Helper()
	waiting := p.must(owner, "GET", "/reviews?filter.status=pending", nil)["items"].([]any)
	one := waiting[0].(map[string]any)
	file := fmt.Sprint(one["file_ids"].([]any)[0])
	if one["verified"] != true || one["author"] != "Ines "+name || one["rating"] != 4.0 {
		b.t.Errorf("%v", one)
	}
	if status, _, _ := p.visit("demo", "/files/reviews/"+file+".webp"); status != 404 {
		b.t.Errorf("a picture that waits has an address: %d", status)
	}
	b.open(bowl, width)
	b.is(`document.body.textContent.includes('Ines `+name+`')`, "false")
	p.must(owner, "PUT", "/reviews/"+fmt.Sprint(one["id"]), map[string]any{"status": "approved", "answer": "Thank you, " + name + "."})
	b.open(bowl, width)
	mine := `[...document.querySelectorAll('.v-remark')].find((e) => e.textContent.includes('Ines ` + name + `'))`
	b.is(mine+`.querySelector('.v-remark__bought') !== null && `+mine+`.textContent.includes('<b>') && `+mine+`.textContent.includes('Thank you, `+name+`')`, "true")
	b.is(`document.querySelectorAll('.v-gallery__slide .v-gallery__by').length > 0`, "true")
	b.text(mine + `.scrollIntoView()`)
	b.until(mine + `.querySelector('img').naturalWidth > 0`)
	b.is(`document.documentElement.scrollWidth <= document.documentElement.clientWidth`, "true")
	shoot(b.t, b.ctx, "/review/"+name+"/page", width)
	large := b.text(mine + `.querySelector('.v-remark__photos a').getAttribute('href')`)
	if status, header, body := p.visit("demo", large); status != 200 || header.Get("Cache-Control") != "public, max-age=86400" || strings.Contains(body, "HOME") {
		b.t.Errorf("%s: %d %v", large, status, header)
	}
	if script {
		b.text(mine + `.querySelector('[data-v-zoom]').click()`)
		b.until(`document.querySelector('.v-zoom[open] img')?.naturalWidth > 0`)
		b.is(`document.querySelectorAll('.v-zoom__slide').length + document.querySelector('.v-zoom img').getAttribute('src')`, "1"+b.host+large)
		shoot(b.t, b.ctx, "/review/"+name+"/zoom", width)
		b.presses(kb.Escape)
		b.until(`!document.querySelector('.v-zoom')`)
		b.is(`document.activeElement.closest('.v-remark') === `+mine, "true")
	}
	b.open("/teaware/cups", width)
	b.is(`[...document.querySelectorAll('.v-card')].find((e) => e.textContent.includes('Dipped tea bowl')).querySelector('.v-rating') !== null`, "true")
}

// asks sends a question that the shop answers.
func (b *tab) asks(p *program, owner, name string, width int64, script bool) {
	b.t.Helper()
	b.open(bowl, width)
	b.click("#questions summary")
	b.types("#questions [name=text]", "Does it fit a whisk, "+name+"?")
	b.click("#questions [data-v-say] [type=submit]")
	b.until(`document.querySelector('.v-said [role=status]')?.textContent.includes('waiting')`)
	waiting := p.must(owner, "GET", "/questions?filter.status=pending", nil)["items"].([]any)
	id := fmt.Sprint(waiting[0].(map[string]any)["id"])
	p.must(owner, "PUT", "/questions/"+id, map[string]any{"status": "approved", "answer": "Just about, " + name + "."})
	b.open(bowl, width)
	b.is(`document.querySelector('#questions').textContent.includes('Just about, `+name+`.')`, "true")
}

// votes marks a review as helpful, and changes the sort order.
func (b *tab) votes(name, path string, width int64, script bool) {
	b.t.Helper()
	b.open(path, width)
	b.is(`document.querySelector('.v-remark strong').textContent`, "Agnes B.")
	before := b.text(`document.querySelector('[data-v-votes]').textContent`)
	b.text(`document.querySelector('[data-v-vote] button').scrollIntoView()`)
	b.click("[data-v-vote] button")
	if script {
		b.until(`document.querySelector('[data-v-votes]').textContent !== '` + before + `'`)
		b.is(`document.querySelector('[data-v-vote] button').getAttribute('aria-pressed')`, "true")
	} else {
		b.until(`location.hash.startsWith('#review-')`)
	}
	b.text(`window.mark = 1`)
	b.click(".v-sorts a:nth-of-type(2)")
	b.until(`location.search === '?sort=newest' && document.querySelector('.v-sorts [aria-current]').textContent === 'Newest'`)
	b.is(`document.querySelector('.v-remark strong').textContent !== 'Agnes B.'`, "true")
	b.is(`window.mark === 1`, fmt.Sprint(script))
	shoot(b.t, b.ctx, "/review/"+name+"/sorted", width)
}

// The page is the same for all visitors, but its form adapts to signed-in ones: it shows
// their name, does not ask them to sign in, and contains their previous review. Input being
// typed is kept. Without a script the form does not ask signed-in visitors to sign in.
func TestReviewFormForSignedInVisitors(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	inEveryWindow(t, p, func(b *tab, name string, width int64, script bool) {
		const call = `document.querySelector('#reviews [data-v-who] a')?.checkVisibility() ?? false`
		b.open(bowl, width)
		b.click("#reviews summary")
		b.until(call)
		b.open("/account", width)
		b.types("form:has([value=login]) [name=email]", "buyer@demo.example")
		b.types("form:has([value=login]) [name=password]", "tea-at-four")
		b.click("[value=login]")
		b.until(`document.querySelector('[value=leave]')`)
		b.open(bowl, width)
		b.click("#reviews summary")
		b.until(`!(` + call + `)`)
		shoot(b.t, b.ctx, "/review/known/"+name, width)
		if !script {
			return
		}
		b.until(`document.querySelector('#reviews [data-v-who] bdi')`)
		b.open(bowl, width)
		b.text(`(() => {
			const ask = window.fetch
			window.fetch = (...args) => new Promise((go) => { window.goOn = () => go(ask(...args)) })
			document.querySelector('#questions summary').click()
		})()`)
		b.until(`window.goOn`)
		b.types("#questions [name=text]", "How heavy is it?")
		b.text(`goOn()`)
		b.until(`document.querySelector('#questions [data-v-who] bdi')`)
		b.is(`document.querySelector('#questions [name=text]').value`, "How heavy is it?")
	})
}
