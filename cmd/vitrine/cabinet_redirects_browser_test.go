package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// An owner fixes ten lost addresses with one click each, and visitors of each are led on; sees the
// way of an address; meets a circle; orders rules by keyboard; takes back a deletion; restores a
// version; and imports the rules of another system.
func TestOwnerFixesLostAddressesInTheCabinet(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			p, key, b := entersDemo(t, width)
			core, found := axeCore(t), map[string]bool{}
			old := b.fixesTenMisses(p, key, core, found, width)
			b.checksAddress(old, core, found, width)
			b.meetsCircle(p, core, found, width)
			b.ordersRules(p, key, width)
			b.deletesRules(p, key, width)
			b.restoresRules(p, key, core, found, width)
			b.importsRules(p, key, core, found, width)
			b.quiet("400", "404")
		})
	}
}

// spelledWrong are addresses of ten products as people misremember them, with the products' own.
func spelledWrong(p *program, key string) map[string]string {
	wrong := map[string]string{}
	for _, entry := range p.must(key, "GET", "/products?page.limit=30", nil)["items"].([]any) {
		slug := entry.(map[string]any)["slug"].(string)
		if len(slug) < 12 || len(wrong) == 10 {
			continue
		}
		wrong["/"+slug[:5]+slug[6:]+".php"] = slug
	}
	return wrong
}

// fixesTenMisses leads visitors on from ten addresses, and returns one of them.
func (b *tab) fixesTenMisses(p *program, key, core string, found map[string]bool, width int64) (old string) {
	b.t.Helper()
	wrong := spelledWrong(p, key)
	if len(wrong) != 10 {
		b.t.Fatalf("%d products: %v", len(wrong), wrong)
	}
	long := "/" + strings.Repeat("long-way-home-", 140)
	for path := range wrong {
		p.visitsAsPerson(path)
		p.visitsAsPerson(path)
	}
	for _, path := range []string{long, "/%3Cscript%3Ealert(1)%3C/script%3E", "/wp-login.php"} {
		p.visitsAsPerson(path)
	}
	wait(b.t, "the addresses are counted", func() bool {
		_, log := p.call(key, "GET", "/storefront-redirects/misses", nil)
		return log["total"] == 13.
	})
	b.open("/cabinet/demo/redirects/misses", width)
	b.shows("13 addresses")
	b.axeHere(core, "misses", found)
	b.fits("redirects-misses", width)
	for path := range wrong {
		button := fmt.Sprintf(`[...document.querySelectorAll('button')].find((e) => e.ariaLabel?.startsWith('Lead to /') && e.ariaLabel.endsWith(%q))`, ": "+path)
		b.until(button)
		b.text(`(` + button + `.click(), '')`) // the one click
		b.until(fmt.Sprintf(`document.querySelector('[data-made=%q]')`, path))
	}
	b.is(`document.querySelectorAll('[data-made]').length`, "10")
	b.until(`document.activeElement?.textContent === 'The rule'`)
	b.axeHere(core, "misses fixed", found)
	b.fits("redirects-fixed", width)
	for path, slug := range wrong {
		status, header, _ := p.visit("demo", path)
		if to := header.Get("Location"); status != 308 || !strings.HasSuffix(to, "/"+slug) {
			b.t.Errorf("%s answers %d %s, not the page of %s", path, status, to, slug)
		} else if status, _, _ = p.visit("demo", to); status != 200 {
			b.t.Errorf("%s leads to %s, which answers %d", path, to, status)
		}
		old = path
	}
	b.pushes("Undo: " + old)
	b.until(fmt.Sprintf(`!document.querySelector('[data-made=%q]')`, old))
	if status, _, _ := p.visit("demo", old); status != 404 {
		b.t.Errorf("%s answers %d without its rule", old, status)
	}
	b.pushes("Elsewhere: " + old)
	b.until(field("Where to") + `?.value.startsWith('/')`) // what is proposed
	b.pushes("Make a redirect")
	b.shows("The redirect is made.")
	b.until(fmt.Sprintf(`document.querySelector('[data-made=%q]')`, old))
	b.pushes("Hide: /wp-login.php")
	b.shows("12 addresses")
	b.text(`([...[...document.querySelectorAll('[role=alert]')].find((e) => e.textContent.includes('is hidden')).querySelectorAll('button')].find((e) => e.textContent === 'Undo').click(), '')`)
	b.shows("13 addresses")
	return old
}

// checksAddress follows an address that is redirected twice, and finds what had another one.
func (b *tab) checksAddress(old, core string, found map[string]bool, width int64) {
	b.t.Helper()
	b.open("/cabinet/demo/redirects/check", width)
	b.focuses(field("Address of the shop"))
	b.inserts(old + "?utm_source=x")
	b.presses(kb.Enter)
	b.until(`[...document.querySelectorAll('main a')].some((e) => /^Rule \d+ sends on$/.test(e.textContent))`)
	b.shows("A page of the shop")
	b.until(`[...document.querySelectorAll('main a')].some((e) => /\/products\/\d+$/.test(e.pathname))`)
	b.axeHere(core, "an address checked", found)
	b.fits("redirects-check", width)
	b.open("/cabinet/demo/redirects/check?url="+url.QueryEscape("/spring"), width)
	b.until(`[...document.querySelectorAll('main a')].filter((e) => /sends on$/.test(e.textContent)).length === 3`)
	b.open("/cabinet/demo/redirects/check?url="+url.QueryEscape("//evil.example/%zz"), width)
	b.until(`document.querySelector('main').textContent.includes('The path')`)
	b.replaces("Last part of the address", "never-had-by-anybody")
	b.presses(kb.Enter)
	b.shows("Nothing that is still there had this address.")
}

// meetsCircle makes a rule that leads back, sees the way, and lets it lead elsewhere.
func (b *tab) meetsCircle(p *program, core string, found map[string]bool, width int64) {
	b.t.Helper()
	b.open("/cabinet/demo/redirects/new", width)
	b.until(`document.activeElement === ` + field("From"))
	b.inserts("/summer-2026/again")
	b.focuses(field("To"))
	b.inserts("/winter")
	b.presses(kb.Escape)
	b.chord("s")
	b.until(`/redirects\/\d+$/.test(location.pathname)`)
	b.open("/cabinet/demo/redirects/new", width)
	b.focuses(field("From"))
	b.inserts("/winter")
	b.focuses(field("To"))
	b.inserts("/summer-2026/again")
	b.presses(kb.Escape)
	b.chord("s")
	b.shows("Visitors would go round in circles")
	b.shows("back again")
	b.until(`document.activeElement?.getAttribute('aria-invalid') === 'true'`)
	b.axeHere(core, "a circle", found)
	b.fits("redirects-circle", width)
	b.replaces("To", "https://elsewhere.example/winter")
	b.presses(kb.Escape)
	b.chord("s")
	b.shows("This leads to another site: allow it below.")
	b.replaces("To", "/tea")
	b.presses(kb.Escape)
	b.pushes("Try it")
	b.shows("would answer otherwise")
	b.chord("s")
	b.until(`/redirects\/\d+$/.test(location.pathname)`)
	if status, header, _ := p.visit("demo", "/winter"); status != 308 || header.Get("Location") != "/tea" {
		b.t.Errorf("/winter answers %d %s", status, header.Get("Location"))
	}
}

// ordersRules moves a mask before another with the keyboard.
func (b *tab) ordersRules(p *program, key string, width int64) {
	b.t.Helper()
	order := func() (masks string) {
		_, list := p.call(key, "GET", "/storefront-redirects", nil)
		for _, r := range list["result"].([]any) {
			if r := r.(map[string]any); r["kind"] == "pattern" {
				masks += r["from_path"].(string) + " "
			}
		}
		return masks
	}
	b.open("/cabinet/demo/redirects/order", width)
	b.focuses(`document.querySelector('[aria-label="Move down: /blog/*/*"]')`)
	b.presses(kb.Enter)
	b.until(`document.activeElement.ariaLabel === 'Move down: /blog/*/*'`)
	b.shows("Not saved: Order")
	b.fits("redirects-order", width)
	b.chord("s")
	b.shows("Saved")
	if got := order(); !strings.HasPrefix(got, "/item-* /blog/*/* ") {
		b.t.Errorf("the order is %s", got)
	}
}

// deletesRules switches two rules off and deletes them, and takes both back.
func (b *tab) deletesRules(p *program, key string, width int64) {
	b.t.Helper()
	rules := func() string {
		_, list := p.call(key, "GET", "/storefront-redirects", nil)
		return fmt.Sprint(len(list["result"].([]any)))
	}
	before := rules()
	b.open("/cabinet/demo/redirects?q=spring", width)
	b.until(`document.querySelector('[aria-label="/spring"]') && document.querySelector('[aria-label="/spring-2026"]')`)
	b.text(`(document.querySelector('[aria-label="/spring"]').click(), document.querySelector('[aria-label="/spring-2026"]').click(), '')`)
	b.pushes("Switch off")
	b.shows("2 rules change.")
	b.pushes("Do it")
	b.shows("2 rules changed.")
	if status, _, _ := p.visit("demo", "/spring"); status != 404 {
		b.t.Errorf("/spring answers %d without its rule", status)
	}
	b.pushes("Undo")
	b.shows("Undone")
	b.until(`document.querySelector('[aria-label="/spring"]') && document.querySelector('[aria-label="/spring-2026"]')`)
	b.text(`(document.querySelector('[aria-label="/spring"]').click(), document.querySelector('[aria-label="/spring-2026"]').click(), '')`)
	b.pushes("Delete")
	b.shows("would answer otherwise")
	b.fits("redirects-delete", width)
	b.pushes("Do it")
	b.shows("2 rules are deleted.")
	b.shows("No rule matches.")
	b.pushes("Undo")
	b.until(`document.querySelector('[aria-label="/spring-2026"]')`)
	if now := rules(); now != before {
		b.t.Errorf("%s rules, before %s", now, before)
	}
	if status, _, _ := p.visit("demo", "/spring"); status != 308 {
		b.t.Errorf("/spring answers %d with its rule", status)
	}
}

// restoresRules sees what a version changed and returns to it.
func (b *tab) restoresRules(p *program, key, core string, found map[string]bool, width int64) {
	b.t.Helper()
	_, list := p.call(key, "GET", "/storefront-redirects/versions", nil)
	now := list["result"].([]any)[0].(map[string]any)["version"].(string)
	p.must(key, "POST", "/storefront-redirects", map[string]any{"item": map[string]any{"from_path": "/mistake", "to_target": "/tea", "enabled": true, "note": oddText}})
	b.open("/cabinet/demo/redirects/versions", width)
	b.shows("A rule was made")
	b.axeHere(core, "versions", found)
	b.fits("redirects-versions", width)
	b.open("/cabinet/demo/redirects/versions/"+now, width)
	b.pushes("Restore these rules")
	b.shows("1 deleted")
	b.axeHere(core, "a rollback", found)
	b.fits("redirects-rollback", width)
	b.text(`([...document.querySelectorAll('[role=dialog] button')].find((e) => e.textContent === 'Restore these rules').click(), '')`)
	b.shows("Version " + now + " is restored.")
	if status, _, _ := p.visit("demo", "/mistake"); status != 404 {
		b.t.Errorf("/mistake answers %d", status)
	}
}

// importsRules reads the rules of another system, after a preview with the problems of its lines.
func (b *tab) importsRules(p *program, key, core string, found map[string]bool, width int64) {
	b.t.Helper()
	file := filepath.Join(b.t.TempDir(), "_redirects")
	if err := os.WriteFile(file, []byte("/from-netlify /tea 301\n/from/:kind/* /tea/:splat 301 Country=de\n/cart /tea\n"), 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.open("/cabinet/demo/redirects", width)
	b.pushes("Import")
	b.until(`location.pathname.endsWith('/transfer')`)
	b.focuses(field("Format"))
	b.presses(kb.Enter)
	b.text(`([...document.querySelectorAll('[role=option]')].find((e) => e.textContent.startsWith('Netlify')).click(), '')`)
	b.choosesFiles("main input[type=file]", file)
	b.shows("The shop itself needs this address.")
	b.shows("1 new")
	b.axeHere(core, "rules to import", found)
	b.fits("redirects-import", width)
	if status, _, _ := p.visit("demo", "/from-netlify"); status != 404 {
		b.t.Errorf("a preview imported: %d", status)
	}
	b.pushes("Import 1 line")
	b.shows("Imported: 1 new")
	if status, header, _ := p.visit("demo", "/from-netlify"); status != 308 || header.Get("Location") != "/tea" {
		b.t.Errorf("/from-netlify answers %d %s", status, header.Get("Location"))
	}
}
