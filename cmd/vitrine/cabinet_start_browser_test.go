package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A person who has nothing yet registers, opens a shop, does its first steps in the cabinet, and
// A person who has nothing yet registers, opens a shop, does its first steps in the cabinet, and
// imports more products from a spreadsheet, of which one line is refused. A visitor sees ten
// products, orders one and pays, which the owner notes. Both use nothing but the cabinet and the
// storefront, and all of it is less than ten minutes of a person's time. In a wide window, and in a
// narrow one, where the import is done with the keyboard alone.
func TestShopGoesFromNothingToAFirstPaidOrder(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.env = append(p.env, "VITRINE_ADMIN_URL=http://admin.localhost:"+portOf(t, p.admin))
	p.shop("tea")
	p.start()
	core := axeCore(t)
	for _, width := range []int64{1280, 390} {
		slug, email := fmt.Sprintf("corner-tea-%d", width), fmt.Sprintf("mira%d@example.com", width)
		b := cabinet(t, p, width)
		b.effort = &effort{began: time.Now()}
		b.pushes("Create an account")
		b.types("[name=name]", "Mira")
		b.types("[name=email]", email)
		b.types("[name=password]", "a long password")
		b.click("main [type=submit]")
		b.until(`document.querySelector('[name=letter-code]')`)
		b.types("[name=letter-code]", sixDigits.FindString(p.letterTo(email)))
		b.pushes("Confirm the address")
		b.types("[name=shop-name]", fmt.Sprintf("Corner Tea %d", width))
		b.is(`document.querySelector('[name=shop-slug]').value`, slug) // proposed from the name
		b.pushes("Open a shop")
		b.until(`location.pathname === '/cabinet/` + slug + `/start'`)

		b.shows("An email or a phone is needed.")
		b.fills("Email", "hello@example.com")
		b.pushes("Save")
		b.fills("Name of the first section", "Teas")
		b.fills("Name of the product", "Keemun")
		b.fills("Price", "ten")
		b.pushes("Put it into the shop")
		b.shows("This is not a price.")
		b.fills("Price", "14.50")
		b.until(`!document.body.innerText.includes('This is not a price.')`)
		b.screenIsFit(core, "steps", width)
		b.pushes("Put it into the shop")
		b.fills("Price; 0 is free", "4")
		b.pushes("Save")
		b.fills("What the buyer does after ordering", "IBAN PT50 0000 0000")
		b.pushes("Save")
		b.fills("Text", "We are a small shop at a corner.")
		b.pushes("Publish the page")
		b.shows("The shop looks finished as it is.")

		if width < 600 {
			b.pushes("Menu")
		}
		b.pushes("Import and export")
		b.byKeyboard = width < 600
		lines := []string{"sku,name,price,category,is_published"}
		for n := range 9 {
			lines = append(lines, fmt.Sprintf("T-%d,Oolong no. %d,%d,teas,true", n+1, n+1, 1000+n))
		}
		lines = append(lines, "T-10,No price,cheap,teas,true")
		file := filepath.Join(t.TempDir(), "teas.csv")
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
		b.effort.clicked("Choose a file")
		b.effort.clicked("teas.csv")
		if b.byKeyboard {
			b.tabsToField("File")
			b.choosesByKeyboard(file)
		} else {
			wait(t, "the file is chosen", func() bool { // a page that is just loaded may draw the field again
				b.choosesFiles("input[type=file]", file)
				return b.text(`document.body.innerText.includes('teas.csv')`) == "true"
			})
		}
		b.shows("9 new")
		b.shows("1 refused")
		b.screenIsFit(core, "import", width)
		b.pushes("Import 9 lines")
		b.shows("Imported: 9 new, 0 changed")
		b.byKeyboard = false

		if width < 600 {
			b.pushes("Menu")
		}
		b.pushes("Start")
		b.pushes("First order")
		visitor := p.tab(t)
		visitor.effort = b.effort
		visitor.host = b.leadsOut("To the shop")
		visitor.buysFirst(width)

		b.text(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`) // as when the person comes back to this window
		b.until(`!document.body.innerText.includes('Steps of a new shop')`)
		b.pushes("new order")
		b.until(`document.querySelector('main a[href*="/orders/"]:not([href$="/new"], [href$="/carts"])')`)
		b.click(`main a[href*="/orders/"]:not([href$="/new"], [href$="/carts"])`)
		b.pushes("The money has arrived")
		b.shows("The order becomes paid: €18.50.")
		b.text(`([...document.querySelectorAll('[role=dialog] button')].find((e) => e.textContent === 'The money has arrived').click(), '')`)
		b.effort.clicked("The money has arrived")
		b.until(`!document.querySelector('[role=dialog]') && [...document.querySelectorAll('main .mantine-Badge-root')].some((e) => e.textContent === 'Paid')`)
		b.screenIsFit(core, "first-paid", width)
		visitor.reloads()
		visitor.until(`document.querySelector('main').textContent.includes('· Paid')`)
		shoot(t, visitor.ctx, "/cabinet/first-paid-order", width)

		t.Logf("At %d px:\n%s\n%s", width, strings.Join(b.effort.list, "\n"), b.effort.total())
		if b.effort.person() > 10*time.Minute {
			t.Errorf("a person needs more than ten minutes: %s", b.effort.total())
		}
		for _, found := range append(b.complaints(), visitor.complaints()...) {
			t.Error(found)
		}
	}
}

// leadsOut clicks a link that opens a window of its own, and returns its address.
func (b *tab) leadsOut(label string) string {
	b.t.Helper()
	link := fmt.Sprintf(`[...document.querySelectorAll('main a[target=_blank]')].find((e) => e.textContent === %q)`, label)
	b.until(link)
	b.effort.clicked(label)
	return strings.TrimSuffix(b.text(link+`.href`), "/")
}

// buysFirst orders the first product of a shop from its home page.
func (b *tab) buysFirst(width int64) {
	b.t.Helper()
	b.open("/", width)
	b.click(".v-hero a")
	b.until(`location.pathname === '/teas' && document.querySelectorAll('[data-v-card], .v-card').length >= 10`)
	shoot(b.t, b.ctx, "/cabinet/first-shop", width)
	b.click("a[href*='keemun']")
	b.until(`document.querySelector('[data-v-add=cart]')`)
	b.adds()
	b.click(".v-drawer a[href='/checkout']")
	b.until(`location.pathname === '/checkout'`)
	b.types("[name=name]", "Ines Baker")
	b.types("[name=phone]", "+351 912 345 678")
	b.types("[name=email]", "ines@example.com")
	b.types("[name=street]", "Rua do Alecrim 12")
	b.types("[name=city]", "Lisboa")
	b.click(".v-sum [type=submit]")
	b.until(`location.pathname.startsWith('/orders/') && document.querySelector('.v-notice')`)
	b.until(`document.querySelector('main').textContent.includes('IBAN PT50 0000 0000')`)
}
