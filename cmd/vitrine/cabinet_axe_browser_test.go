package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// cabinetScreens are the screens of the cabinet, with a text that each shows when it is ready, and
// the button that opens more of it. PRODUCT is the id of a product.
var cabinetScreens = []struct{ path, shows, pushes string }{
	{"/cabinet/#open", "Open a shop", ""},
	{"/cabinet/account", "Where you are signed in", "Set up the app"},
	{"/cabinet/account", "Where you are signed in", "Delete the account"},
	{"/cabinet/demo/start", "Last 30 days", ""},
	{"/cabinet/demo/start", "Last 30 days", "Account"},
	{"/cabinet/demo/start", "Last 30 days", "Search"},
	{"/cabinet/demo/products", "62 products", "Help"},
	{"/cabinet/demo/products?q=matcha", "Uji ceremonial matcha", "As a call"},
	{"/cabinet/demo/products?q=xqzt", "No product matches.", ""},
	{"/cabinet/demo/products/new", "New product", ""},
	{"/cabinet/demo/products/PRODUCT", "Search engines", ""},
	{"/cabinet/demo/products/99999999", "There is nothing at this address.", ""},
	{"/cabinet/demo/transfer", "The whole shop", ""},
	{"/cabinet/new/start", "Steps of a new shop", "First product"},
}

// axe-core finds no violation on any screen of the cabinet, wide and narrow, light and dark, and
// none is wider than the window.
func TestCabinetIsAccessible(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.env = append(p.env, "VITRINE_ADMIN_URL=http://admin.localhost:"+portOf(t, p.admin))
	p.start()
	p.verb("shop", "create", "--slug", "new", "--name", "New", "--currency", "EUR", "--owner-email", "owner@demo.example", "--owner-password", "tea-at-four")
	key := p.verb("key", "issue", "--shop", "demo", "--scopes", "all")["key"].(string)
	_, answer := p.call(key, "GET", "/products?page.limit=1", nil)
	product := itoa(answer["result"].(map[string]any)["items"].([]any)[0].(map[string]any)["id"])
	core := axeCore(t)
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			b := cabinet(t, p, width)
			found := map[string]bool{}
			look := func(what string) {
				t.Helper()
				b.until(`!document.querySelector('.mantine-Skeleton-root, .mantine-Loader-root')`)
				b.axeHere(core, what, found)
				b.is(`document.documentElement.scrollWidth <= innerWidth`, "true")
			}
			for _, hash := range []string{"", "#register", "#forgot"} {
				b.open("/docs/scopes.json", width) // a change of the hash alone loads nothing
				b.open("/cabinet/"+hash, width)
				b.until(`document.querySelector('main [type=submit]')`)
				look("/cabinet/" + hash)
			}
			b.open("/cabinet/", width)
			b.until(`document.querySelector('[name=password]')`)
			b.entersCabinet("owner@demo.example", "tea-at-four")
			b.until(`!document.querySelector('[name=password]')`)
			for _, s := range cabinetScreens {
				b.open("/docs/scopes.json", width)
				b.open(strings.Replace(s.path, "PRODUCT", product, 1), width)
				b.shows(s.shows)
				if s.pushes != "" {
					b.pushes(s.pushes)
				}
				look(s.path + " " + s.pushes)
			}
			for _, found := range b.complaints() {
				if !strings.Contains(found, "404") { // the product that is not there
					t.Error(found)
				}
			}
			if err := chromedp.Do(b.ctx, chromedp.Navigate("about:blank")); err != nil {
				t.Fatal(err)
			}
		})
	}
}
