package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
)

// An owner makes a weekend sale step by step, with the mistakes that people make, tries it on past
// orders, sees its price in the shop, and sees it end by itself. What refers to a deleted product,
// and what somebody else saves meanwhile, is shown.
func TestOwnerRunsASaleInTheCabinet(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			p, key, b := entersDemo(t, width)
			core, found := axeCore(t), map[string]bool{}
			path := b.makesSale(p, key, core, found, width)
			b.seesSaleEnd(p, key, path, width)
			b.sharesPromotion(p, key, path)
			b.takesOutTheDeleted(p, key, core, found, width)
			b.givesCodes(p, key, core, found, width)
			b.keepsQuantityPrices(p, key, core, found, width)
			b.explainsPrices(core, found, width)
			b.quiet("401", "404", "409")
		})
	}
}

// part is the chip of a part of the sentence.
func part(name string) string { return fmt.Sprintf(`document.querySelector('[data-part=%s]')`, name) }

// opensPart opens a part of the sentence with the keyboard.
func (b *tab) opensPart(name string) {
	b.t.Helper()
	b.focuses(part(name))
	b.presses(kb.Enter)
	b.until(part(name) + `.ariaExpanded === 'true'`)
}

// searchesFor searches in the field with a label, or with its name, and takes the first that is found.
func (b *tab) searchesFor(element, text, first string) {
	b.t.Helper()
	b.focuses(element)
	b.inserts(text)
	b.until(fmt.Sprintf(`[...document.querySelectorAll('[role=option]')].some((e) => e.checkVisibility() && e.textContent.includes(%q))`, first))
	b.presses(kb.ArrowDown, kb.Enter)
}

// replaces replaces what a field holds, as keys do.
func (b *tab) replaces(label, text string) {
	b.t.Helper()
	b.focuses(field(label))
	b.text(field(label) + `.select()`)
	b.inserts(text)
}

// said waits until the sentence in a language has a text.
func (b *tab) said(language, text string) {
	b.t.Helper()
	b.until(fmt.Sprintf(`document.querySelector('[data-sentence=%s]').textContent.includes(%q)`, language, text))
}

const sold = "/tea/green-tea/japanese-green/sencha-from-the-honyama-hills"

// makesSale makes a sale with the keyboard alone and returns its path in the API.
func (b *tab) makesSale(p *program, key, core string, found map[string]bool, width int64) (path string) {
	b.t.Helper()
	b.open("/cabinet/demo/promotions", width)
	b.shows("8 promotions")
	b.fits("promotions", width)
	b.focuses(`[...document.querySelectorAll('a')].find((e) => e.textContent.trim() === 'New promotion')`)
	b.presses(kb.Enter)
	b.until(`location.pathname.endsWith('/promotions/new')`)
	b.until(`document.activeElement === ` + field("Name"))
	b.inserts("Weekend of tea")
	b.opensPart("value")
	b.until(`document.activeElement === ` + field("How much"))
	b.inserts("120")
	b.opensPart("goods")
	b.searchesFor(field("Sections, with those below them"), "Green", "Green tea")
	b.presses(kb.Escape) // the list
	b.opensPart("time")
	now := time.Now().UTC()
	b.dates("Begins (UTC)", now.Format("2006-01-02T15:04"))
	b.dates("Ends (UTC)", now.AddDate(0, 0, -1).Format("2006-01-02T15:04"))
	b.chord("s")
	b.shows("How much: More than 0 and at most 100")
	b.shows("When: The end must be after the beginning.")
	b.until(`document.activeElement?.getAttribute('aria-invalid') === 'true'`)
	b.axeHere(core, "a refused promotion", found)
	b.fits("promotion-refused", width)
	if list := p.must(key, "GET", "/promotions", nil); itoa(list["total"]) != "8" {
		b.t.Errorf("%v promotions", list["total"])
	}
	b.dates("Ends (UTC)", "2039-05-09T00:00")
	b.opensPart("value")
	b.replaces("How much", "10")
	b.opensPart("least")
	b.replaces("Items from", "2")
	b.said("en", "Discount in the price: 10% off Green tea from 2 items from ")
	b.said("en", "until May 9, 2039 at 12:00 AM (Mon).")
	b.said("ru", "Скидка в цене: 10\u00a0% на раздел «Green tea» от 2 шт. с ")
	b.replaces("Items from", "")
	b.presses(kb.Backspace)
	b.focuses(`[...document.querySelectorAll('button')].find((e) => e.textContent === 'Try it on past orders')`)
	b.presses(kb.Enter)
	b.shows("With this promotion")
	b.fits("promotion-tried", width)
	b.chord("s")
	b.until(`/promotions\/\d+$/.test(location.pathname)`)
	b.shows("Running")
	path = strings.TrimPrefix(b.text(`location.pathname`), "/cabinet/demo")
	saved := p.must(key, "GET", path, nil)
	if saved["ends_at"] != "2039-05-09T00:00:00Z" || fmt.Sprint(saved["value"].(map[string]any)["percent"]) != "10" || saved["active"] != true {
		b.t.Errorf("%v", saved)
	}
	return path
}

// seesSaleEnd sees the price of a sale in the shop, and how it ends on its schedule.
func (b *tab) seesSaleEnd(p *program, key, path string, width int64) {
	b.t.Helper()
	if _, _, page := p.visit("demo", sold); !strings.Contains(page, "Weekend of tea") {
		b.t.Error("the page of the product does not name the sale")
	}
	p.must(key, "PUT", path, map[string]any{"item": map[string]any{"ends_at": time.Now().Add(2 * time.Second).UTC().Format(time.RFC3339Nano)}})
	wait(b.t, "the sale ends by itself", func() bool {
		_, _, page := p.visit("demo", sold)
		return !strings.Contains(page, "Weekend of tea")
	})
	b.open("/cabinet/demo/promotions?q=weekend", width)
	b.shows("1 promotion")
	b.until(`[...document.querySelectorAll('.mantine-Badge-root')].some((e) => e.textContent === 'Ended')`)
	b.pushes("Switch off: Weekend of tea")
	b.shows("Weekend of tea is off.")
	b.pushes("Undo")
	b.shows("Undone")
	b.until(`[...document.querySelectorAll('.mantine-Badge-root')].some((e) => e.textContent === 'Ended')`)
}

// sharesPromotion edits a promotion in two windows.
func (b *tab) sharesPromotion(p *program, key, path string) {
	b.t.Helper()
	b.pushes("Weekend of tea")
	b.until(part("value"))
	p.must(key, "PUT", path, map[string]any{"item": map[string]any{"value": map[string]any{"percent": 25}}})
	b.opensPart("value")
	b.replaces("How much", "30")
	b.pushes("Save")
	b.shows("Theirs: 25% off")
	b.shows("Mine: 30% off")
	b.pushes("Save what is chosen")
	b.until(`!document.querySelector('[role=dialog]')`)
	b.shows("Saved")
	if saved := p.must(key, "GET", path, nil); fmt.Sprint(saved["value"].(map[string]any)["percent"]) != "30" {
		b.t.Errorf("%v", saved["value"])
	}
}

// takesOutTheDeleted meets a promotion whose product and section were deleted, and deletes it.
func (b *tab) takesOutTheDeleted(p *program, key, core string, found map[string]bool, width int64) {
	b.t.Helper()
	product := p.must(key, "POST", "/products", map[string]any{"item": map[string]any{"name": "Gone " + strings.Repeat("x", 200), "price": map[string]any{"price": 5}}})["id"]
	section := p.must(key, "POST", "/categories", map[string]any{"item": map[string]any{"name": "Old", "type": "product"}})["id"]
	conditions := map[string]any{"product_ids": []any{product}, "category_ids": []any{section}}
	made := p.must(key, "POST", "/promotions", map[string]any{"item": map[string]any{"name": oddText + strings.Repeat("w", 150), "kind": "discount", "value": map[string]any{"amount": 1}, "conditions": conditions}})
	path := "/promotions/" + itoa(made["id"])
	b.open("/cabinet/demo"+path, width)
	b.said("en", "Gone")
	b.fits("promotion-long", width)
	p.must(key, "DELETE", "/products/"+itoa(product), nil)
	p.must(key, "DELETE", "/categories/"+itoa(section), nil)
	b.open("/cabinet/demo"+path, width)
	b.said("en", "(deleted) if in (deleted)")
	b.opensPart("least")
	b.replaces("Sum from", "12.345,6")
	b.pushes("Save")
	b.shows("A sum above zero.")
	b.replaces("Sum from", "12")
	b.pushes("Save")
	b.shows("For what: Take out what was deleted.")
	b.opensPart("goods")
	b.shows("Deleted product, no. " + itoa(product))
	b.focuses(`[...document.querySelectorAll('#part button')].find((e) => e.textContent === 'Done')`) // closes the field's list
	b.axeHere(core, "a promotion of deleted goods", found)
	b.fits("promotion-deleted", width)
	b.pushes("Delete: Deleted product, no. " + itoa(product))
	b.focuses(field("Sections, with those below them"))
	b.presses(kb.Backspace)
	b.said("en", "€1 off everything")
	b.pushes("Save")
	b.shows("Saved")
	b.pushes("Delete")
	b.shows("It ends at once and cannot be restored.")
	b.text(`([...document.querySelectorAll('[role=dialog] button')].find((e) => e.textContent === 'Delete').click(), '')`)
	b.until(`location.pathname === '/cabinet/demo/promotions'`)
	if status, _ := p.call(key, "GET", path, nil); status != http.StatusNotFound {
		b.t.Errorf("a deleted promotion answers %d", status)
	}
}

// givesCodes types a code that is too long and one that is taken, and gives a customer a code.
func (b *tab) givesCodes(p *program, key, core string, found map[string]bool, width int64) {
	b.t.Helper()
	of := func(query string) map[string]any {
		return p.must(key, "GET", "/promotions?filter.query="+query, nil)["items"].([]any)[0].(map[string]any)
	}
	b.open("/cabinet/demo/promotions/"+itoa(of("WELCOME10")["id"]), width)
	b.until(part("code"))
	b.opensPart("code")
	b.replaces("Code", strings.Repeat("A", 64))
	b.pushes("Save")
	b.shows("3 to 32 characters: A-Z, 0-9, _ and -.")
	b.replaces("Code", "summer")
	b.pushes("Save")
	b.shows("Code: Another promotion has this code.")
	b.pushes("Make one up")
	b.until(`/^[A-Z2-9]{8}$/.test(` + field("Code") + `.value)`)
	b.pushes("Save")
	b.shows("Saved")

	thanks := "/promotions/" + itoa(of("Thank")["id"])
	before := p.must(key, "GET", thanks+"/codes", nil)["total"].(float64)
	b.open("/cabinet/demo"+thanks, width)
	b.shows(fmt.Sprintf("%v codes", before))
	b.searchesFor(field("Give codes to customers"), "buyer@demo", "buyer@demo.example")
	b.pushes("Give 1 code")
	b.shows(fmt.Sprintf("%v codes", before+1))
	b.axeHere(core, "a campaign", found)
	b.fits("promotion-codes", width)
	if after := p.must(key, "GET", thanks+"/codes", nil)["total"]; after != before+1 {
		b.t.Errorf("%v codes after %v", after, before)
	}
}

// keepsQuantityPrices makes a quantity price with a wrong step and sees it in the shop.
func (b *tab) keepsQuantityPrices(p *program, key, core string, found map[string]bool, width int64) {
	b.t.Helper()
	b.open("/cabinet/demo/promotions/prices", width)
	b.shows("from 3: 10% off; from 6: 15% off")
	b.fits("prices", width)
	b.pushes("New quantity price")
	b.fills("Name", "Green by the bag")
	b.searchesFor(field("Sections, with those below them"), "Green", "Green tea")
	b.focuses(`document.querySelector('[aria-label="From items 1"]')`)
	b.inserts("1")
	b.focuses(`document.querySelector('[aria-label="Percent off 1"]')`)
	b.inserts("7,5")
	b.pushes("Save")
	b.shows("From 2 to 9999, each more than the one before.")
	b.axeHere(core, "a refused quantity price", found)
	b.focuses(`document.querySelector('[aria-label="From items 1"]')`)
	b.inserts("0")
	b.pushes("Save")
	b.until(`/prices\/\d+$/.test(location.pathname)`)
	b.fits("price", width)
	if _, _, page := p.visit("demo", sold); !strings.Contains(page, "v-levels") {
		b.t.Error("the page of the product lists no price by quantity")
	}
	path := "/pricing-rules/" + b.text(`location.pathname.split('/').pop()`)
	if tier := p.must(key, "GET", path, nil)["tiers"].([]any)[0].(map[string]any); fmt.Sprint(tier["from"], tier["percent"]) != "10 7.5" {
		b.t.Errorf("%v", tier)
	}
}

// explainsPrices asks what a product costs with a code that has ended, now and then.
func (b *tab) explainsPrices(core string, found map[string]bool, width int64) {
	b.t.Helper()
	b.open("/cabinet/demo/products?q=honyama", width)
	b.until(`((a) => a && (a.click(), true))([...document.querySelectorAll('main a')].find((a) => a.textContent.includes('Honyama')))`)
	b.pushes("What a buyer pays, and why")
	b.shows("To pay for the goods")
	b.replaces("Items", "12")
	b.shows("Green by the bag")
	b.replaces("Code", "SUMMER")
	b.shows("SUMMER: it has ended")
	b.dates("At (UTC)", time.Now().AddDate(0, 0, -90).UTC().Format("2006-01-02T15:04"))
	b.until(`[...document.querySelectorAll('main tr')].some((e) => e.textContent.includes('Summer on the quay') && e.textContent.includes('taken off'))`)
	b.axeHere(core, "what makes up a price", found)
	b.fits("price-explained", width)
}

// An owner sees what visitors looked for in vain, leads them to a page with the keyboard alone, and
// adds what is missing; editors see the numbers, and no promotions.
func TestOwnerReadsStatisticsInTheCabinet(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			p, key, b := entersDemo(t, width)
			core, found := axeCore(t), map[string]bool{}
			for _, path := range []string{"/search?q=Samovar+Coal", "/search?q=samovar+coal", "/old-teas/oolong", "/?utm_source=letter&utm_medium=mail&utm_campaign=spring"} {
				p.visitsAsPerson(path)
			}
			wait(t, "the visits are counted", func() bool {
				s := p.must(key, "GET", "/stats", nil)
				return len(s["searches"].([]any)) > 0 && len(s["not_found"].([]any)) > 0 && len(s["campaigns"].([]any)) > 0
			})
			b.open("/cabinet/demo/statistics?days=7", width)
			b.shows("samovar coal")
			b.shows("spring")
			b.until(`document.querySelector('canvas')`)
			b.axeHere(core, "statistics", found)
			b.fits("statistics", width)
			b.redirects(p, width)
			b.open("/cabinet/demo/statistics", width)
			b.pushes("Add a product: samovar coal")
			b.until(`location.pathname.endsWith('/products/new') && document.querySelector('h1')`)
			b.until(`[...document.querySelectorAll('input')].some((e) => e.value === 'Samovar coal')`)
			b.open("/cabinet/demo/statistics?from=2026-03-02&to=2026-03-01", width)
			b.shows("a period has at most 366 days")
			b.open("/cabinet/demo/statistics?from=2020-03-01&to=2020-03-31&chart=visits&group=week", width)
			b.shows("Nothing in this period.")
			b.entersAsEditor(width)
			b.quiet("400", "401", "403", "409")
		})
	}
}

// redirects leads a search and an old address somewhere: the search with the keyboard alone.
func (b *tab) redirects(p *program, width int64) {
	b.t.Helper()
	b.focuses(`document.querySelector('[aria-label="Make a redirect: samovar coal"]')`)
	b.presses(kb.Enter)
	b.until(`document.activeElement === ` + field("Where to"))
	b.inserts("https://elsewhere.example/coal")
	b.presses(kb.Escape, kb.Enter)
	b.until(`document.querySelector('[role=dialog] [aria-invalid=true]')`)
	b.fits("redirect-refused", width)
	b.text(field("Where to") + `.select()`)
	b.inserts("/tea/green")
	b.until(`[...document.querySelectorAll('[role=option]')].some((e) => e.checkVisibility())`)
	b.presses(kb.ArrowDown, kb.Enter)
	b.until(field("Where to") + `.value === '/tea/green-tea'`)
	b.presses(kb.Enter)
	b.shows("The redirect is made.")
	b.shows("Leads to /tea/green-tea")
	for _, query := range []string{"samovar+coal", "Samovar+coal"} {
		if status, header, _ := p.visit("demo", "/search?q="+query); status/100 != 3 || header.Get("Location") != "/tea/green-tea" {
			b.t.Errorf("the search for %s answers %d %s", query, status, header.Get("Location"))
		}
	}
	b.pushes("Undo")
	b.shows("Undone")
	if status, _, _ := p.visit("demo", "/search?q=samovar+coal"); status/100 == 3 {
		b.t.Error("the redirect is still there")
	}
	b.pushes("Make a redirect: /old-teas/oolong")
	b.fills("Where to", "/tea")
	b.presses(kb.Escape, kb.Enter)
	b.shows("Leads to /tea")
	if _, header, _ := p.visit("demo", "/old-teas/oolong"); header.Get("Location") != "/tea" {
		b.t.Errorf("the old address leads to %s", header.Get("Location"))
	}
}

// entersAsEditor sees what an editor sees.
func (b *tab) entersAsEditor(width int64) {
	b.t.Helper()
	b.pushes("Account")
	b.pushes("Sign out")
	b.until(`document.querySelector('[name=password]')`)
	b.entersCabinet("editor@demo.example", "tea-at-four")
	b.until(`!document.querySelector('[name=password]')`)
	b.open("/cabinet/demo/statistics", width)
	b.shows("samovar coal")
	b.is(`[...document.querySelectorAll('button')].some((e) => e.ariaLabel?.startsWith('Make a redirect'))`, "false")
	b.is(`[...document.querySelectorAll('a')].some((e) => e.textContent === 'Promotions')`, "false")
	b.open("/cabinet/demo/promotions", width)
	b.shows("Your role in this shop may not do this.")
}

// visitsAsPerson visits the demo with a browser that people have: others are not counted.
func (p *program) visitsAsPerson(path string) {
	p.t.Helper()
	request, err := http.NewRequest("GET", "http://"+p.edge+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	request.Host = "demo.localhost"
	request.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36")
	response, err := direct.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	response.Body.Close()
}
