package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A person who has nothing yet registers, opens a shop, does its first steps in the cabinet, and
// imports more products from a spreadsheet, of which one line is refused. A visitor sees ten
// products and orders one. In a wide and in a narrow window.
func TestShopGoesFromNothingToAFirstOrder(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.env = append(p.env, "VITRINE_ADMIN_URL=http://admin.localhost:"+portOf(t, p.admin))
	p.shop("tea")
	p.start()
	core := axeCore(t)
	for _, width := range []int64{1280, 390} {
		slug, email := fmt.Sprintf("corner-tea-%d", width), fmt.Sprintf("mira%d@example.com", width)
		b := cabinet(t, p, width)
		b.pushes("Create an account")
		b.types("[name=name]", "Mira")
		b.types("[name=email]", email)
		b.types("[name=password]", "a long password")
		b.click("main [type=submit]")
		b.until(`document.querySelector('[name=letter-code]')`)
		b.types("[name=letter-code]", sixDigits.FindString(p.letterTo(email)))
		b.pushes("Confirm the address")
		b.types("[name=shop-name]", "Corner Tea")
		b.is(`document.querySelector('[name=shop-slug]').value`, "corner-tea") // proposed from the name
		b.fills("Address", slug)
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
		b.screenIsFit(core, "steps", width)
		b.pushes("Put it into the shop")
		b.fills("Price; 0 is free", "4")
		b.pushes("Save")
		b.fills("What the buyer does after ordering", "IBAN PT50 0000 0000")
		b.pushes("Save")
		b.fills("Text", "We are a small shop at a corner.")
		b.pushes("Publish the page")
		b.shows("The shop looks finished as it is.")

		b.pushes("Menu")
		b.pushes("Import and export")
		lines := []string{"sku,name,price,category,is_published"}
		for n := range 9 {
			lines = append(lines, fmt.Sprintf("T-%d,Oolong no. %d,%d,teas,true", n+1, n+1, 1000+n))
		}
		lines = append(lines, "T-10,No price,cheap,teas,true")
		file := filepath.Join(t.TempDir(), "teas.csv")
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
		wait(t, "the file is chosen", func() bool { // a page that is just loaded may draw the field again
			b.choosesFiles("input[type=file]", file)
			return b.text(`document.body.innerText.includes('teas.csv')`) == "true"
		})
		b.shows("9 new")
		b.shows("1 refused")
		b.screenIsFit(core, "import", width)
		b.pushes("Import 9 lines")
		b.shows("Imported: 9 new, 0 changed")

		visitor := p.tab(t)
		visitor.host = strings.Replace(visitor.host, "tea.", slug+".", 1)
		visitor.open("/teas", width)
		visitor.until(`document.querySelectorAll('[data-v-card], .v-card').length >= 10`)
		shoot(t, visitor.ctx, "/cabinet/first-shop", width)
		visitor.text(`([...document.querySelectorAll('a')].find((a) => a.textContent.includes('Keemun')).click(), '')`)
		visitor.until(`document.querySelector('[data-v-add=cart]')`)
		visitor.adds()
		visitor.open("/checkout", width)
		visitor.types("[name=name]", "Ines Baker")
		visitor.types("[name=phone]", "+351 912 345 678")
		visitor.types("[name=email]", "ines@example.com")
		visitor.types("[name=street]", "Rua do Alecrim 12")
		visitor.types("[name=city]", "Lisboa")
		visitor.click(".v-sum [type=submit]")
		visitor.until(`location.pathname.startsWith('/orders/') && document.querySelector('.v-notice')`)

		b.open("/cabinet/"+slug+"/start", width)
		b.shows("Waiting for you")
		b.until(`!document.body.innerText.includes('Steps of a new shop')`)
		for _, found := range append(b.complaints(), visitor.complaints()...) {
			t.Error(found)
		}
	}
}
