package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// ownerOf is a session of the owner of the demo shop.
func (p *program) ownerOf() string {
	p.t.Helper()
	return itoa(p.must("", "POST", "/v1/auth/login", map[string]any{"email": "owner@demo.example", "password": "tea-at-four"})["token"])
}

// An owner connects a domain, sees when its DNS is found, and removes it. Then the shop gets another
// address, and everybody finds it there.
func TestOwnerConnectsADomainInTheCabinet(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			p, _, b := entersDemo(t, width)
			core := axeCore(t)
			b.open("/cabinet/demo/settings", width)
			b.pushes("Address" + "A domain of your own, and the address without one")
			b.fills("Domain", "not a domain")
			b.pushes("Connect the domain")
			b.shows("expected a host name such as shop.example.com")
			b.until(`document.activeElement === ` + field("Domain"))
			b.screenIsFit(core, "domain-refused", width)
			b.fills("Domain", " Leaves.example.test ")
			b.pushes("Connect the domain")
			b.shows("Waits for the DNS")
			b.shows("_vitrine.leaves.example.test")
			b.screenIsFit(core, "domain-waits", width)
			if status := p.visitHost("leaves.example.test"); status != http.StatusNotFound {
				t.Errorf("before the DNS the domain answers %d", status)
			}
			p.dns.SetTXT("_vitrine.leaves.example.test", b.text(`[...document.querySelectorAll('[data-record] code')].map((c) => c.textContent).find((c) => c.startsWith('vitrine-shop='))`))
			b.shows("This domain is the shop's address.")
			b.shows("Current address: http://leaves.example.test")
			b.is(`[...document.querySelectorAll('[data-record]')].map((r) => r.textContent.includes('found')).join()`, "true,false")
			b.screenIsFit(core, "domain-active", width)
			wait(t, "the domain leads to the shop", func() bool { return p.visitHost("leaves.example.test") == http.StatusOK })

			// The certificates of a platform with VITRINE_TLS=acme; here nobody orders any.
			b.domainIs(`{ state: 'waiting_certificate' }`)
			b.shows("Its certificate is being ordered")
			b.screenIsFit(core, "domain-certificate", width)
			b.domainIs(`{ certificate_until: '2039-05-06T07:08:00Z' }`)
			b.shows("Its certificate is valid until May 6, 2039")
			b.screenIsFit(core, "domain-certified", width)
			b.domainIs(`{}`)

			b.pushes("Remove the domain")
			b.shows("Links to leaves.example.test no longer lead to it.")
			b.pushes("Delete")
			b.until(field("Domain"))
			wait(t, "the domain leads nowhere", func() bool { return p.visitHost("leaves.example.test") == http.StatusNotFound })

			b.fills("Address", "Not an address")
			b.pushes("Change the address")
			b.until(field("Address") + `.getAttribute('aria-invalid') === 'true'`)
			b.fills("Address", "leaf")
			b.pushes("Change the address")
			b.until(`location.pathname === '/cabinet/leaf/settings/address'`)
			b.shows("The shop is now at leaf.")
			b.shows("Current address: http://leaf.localhost")
			if status, _, _ := p.storefront("leaf", "/", nil, nil); status != http.StatusOK {
				t.Errorf("the new address answers %d", status)
			}
			if status, _, _ := p.storefront("demo", "/", nil, nil); status != http.StatusNotFound {
				t.Errorf("the old address answers %d", status)
			}
			b.quiet("400", "404")
		})
	}
}

// domainIs loads the page again, which reads the shop's domain with other values in some of its fields.
func (b *tab) domainIs(fields string) {
	b.t.Helper()
	script, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `
		const fetched = window.fetch
		window.fetch = async (request, ...more) => {
			const answer = await fetched(request, ...more)
			if (!String(request.url ?? request).endsWith('/v1/shop/domain')) return answer
			const body = await answer.json()
			return Response.json({ ...body, result: { ...body.result, ...` + fields + ` } }, { headers: answer.headers })
		}`})
	if err != nil {
		b.t.Fatal(err)
	}
	b.reloads()
	b.shows("Current address")
	if _, err := chromedp.Call(b.ctx, page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams(script)); err != nil {
		b.t.Fatal(err)
	}
}

// A delivery option with three rates is written with the keyboard alone; wrong numbers are named
// beside their cells. What another window saved meanwhile is shown to choose from.
func TestOwnerWritesDeliveryRatesInTheCabinetByKeyboard(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			p, _, b := entersDemo(t, width)
			core, owner := axeCore(t), p.ownerOf()
			b.open("/cabinet/demo/settings/delivery", width)
			b.shows("3 delivery options")
			b.screenIsFit(core, "deliveries", width)
			b.tabsTo(`main a[href$="/settings/delivery/new"]`)
			b.presses(kb.Enter)
			b.until(`document.activeElement === ` + field("Name that buyers see"))
			b.keys("Carrier <b>שלום</b>")
			b.tabsTo(`main section button`)
			b.presses(kb.Enter)
			cell := func(row, column int, text string) {
				b.tabsTo(fmt.Sprintf(`[data-cell="%d.%d"]`, row, column))
				b.chord("a")
				b.keys(text)
			}
			cell(0, 0, "DE, at")
			cell(0, 4, "20")
			cell(0, 7, "six")
			b.presses(kb.Enter)
			cell(1, 0, "DE, AT")
			cell(1, 3, "50")
			cell(1, 4, "20")
			cell(1, 7, "3")
			b.presses(kb.Enter)
			b.until(`document.activeElement.matches('[data-cell="2.0"]')`)
			cell(2, 7, "9")
			cell(2, 8, "14")
			refused := func(row, column int, why string) {
				b.t.Helper()
				b.chord("s")
				at := fmt.Sprintf(`document.querySelector('[data-cell="%d.%d"]')`, row, column)
				b.until(at + `.getAttribute('aria-invalid') === 'true' && document.activeElement === ` + at)
				b.shows(why)
			}
			refused(0, 7, "This is not a number that fits here.")
			b.chord("a")
			b.keys("6")
			refused(1, 4, "This must be more than “from”.")
			b.screenIsFit(core, "rates-refused", width)
			b.chord("a")
			b.keys("80")
			cell(2, 8, "999")
			refused(2, 8, "0 to 365, or null")
			b.chord("a")
			b.keys("14")
			b.chord("s")
			b.until(`/delivery\/\d+$/.test(location.pathname)`)
			b.shows("Saved")
			b.screenIsFit(core, "rates", width)
			path := "/v1/shop/delivery-options/" + b.text(`location.pathname.split('/').pop()`)
			made := p.must(owner, "GET", path, nil)
			said := ""
			for _, rate := range made["rates"].([]any) {
				r := rate.(map[string]any)
				said += fmt.Sprint(r["countries"], " ", r["min_total"], " ", r["max_total"], " ", r["price"], " ", r["days"], "; ")
			}
			if want := "[DE AT] <nil> 20 6 <nil>; [DE AT] 50 80 3 <nil>; [] <nil> <nil> 9 14; "; said != want || made["name"] != "Carrier <b>שלום</b>" {
				t.Errorf("%v has the rates %s, want %s", made["name"], said, want)
			}

			p.must(owner, "PUT", path, map[string]any{"name": "Theirs"})
			b.fills("Name that buyers see", "Mine")
			b.pushes("Save")
			b.shows("Theirs: Theirs")
			b.pushes("Save what is chosen")
			b.until(`document.querySelector('h1').textContent === 'Mine'`)

			b.pushes("Delete")
			b.shows("Delete Mine?")
			b.pushes("Delete")
			b.shows("Mine: Deleted")
			b.shows("3 delivery options")
			b.pushes("Move down: Courier")
			wait(t, "the order is saved", func() bool {
				_, list := p.call(owner, "GET", "/v1/shop/delivery-options", nil)
				return list["result"].([]any)[1].(map[string]any)["name"] == "Courier"
			})
			b.quiet("400", "409")
		})
	}
}

// An owner pastes the secrets of Stripe with spaces around them. They are never shown again and not
// kept in the browser, and Stripe gets them without the spaces.
func TestOwnerSetsAPaymentMethodInTheCabinet(t *testing.T) {
	t.Parallel()
	var used atomic.Value
	stripe := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		used.Store(r.Header.Get("Authorization"))
		_, _ = fmt.Fprint(w, `{"id": "cs_1", "url": "http://pay.example.test/"}`)
	}))
	t.Cleanup(stripe.Close)
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			p := newDemo(t)
			p.env = append(p.env, "VITRINE_ADMIN_URL=http://admin.localhost:"+portOf(t, p.admin), "VITRINE_OUTBOUND_ALLOW=127.0.0.0/8", "VITRINE_STRIPE_URL="+stripe.URL)
			p.start()
			b := p.owner(t, width)
			core, owner := axeCore(t), p.ownerOf()
			b.open("/cabinet/demo/settings/payments", width)
			b.shows("Not set up")
			b.screenIsFit(core, "payments", width)
			b.open("/cabinet/demo/settings/payments/stripe", width)
			b.fills("Name that buyers see", "By card")
			b.pushes("Save")
			b.until(`document.activeElement === ` + field("Secret key"))
			b.focuses(field("Secret key"))
			b.inserts("  sk_test_settings ")
			b.focuses(field("Signing secret of the webhook"))
			b.inserts("\twhsec_settings ")
			b.text(`(` + field("Offered to buyers") + `.click(), '')`)
			b.pushes("As a call")
			b.shows("/v1/shop/payment-methods/stripe")
			b.is(`document.querySelector('pre').textContent.includes('sk_test')`, "false")
			b.pushes("Close")
			b.until(`!document.querySelector('[role=dialog]')`)
			b.is(`JSON.stringify({ ...sessionStorage, ...localStorage }).includes('sk_test')`, "false")
			b.pushes("Save")
			b.shows("The keys are set.")
			b.is(field("Secret key")+`.value`, "")
			b.screenIsFit(core, "stripe", width)
			if m := p.must(owner, "GET", "/v1/shop/payment-methods/stripe", nil); m["is_active"] != true || m["is_set"] != true || m["title"] != "By card" {
				t.Errorf("%v", m)
			}
			_, link := p.ordersByAPI(owner, fmt.Sprintf("buyer%d@example.test", width))
			p.must("", "POST", strings.Replace(link, "?", "/payment?", 1), map[string]any{"method": "stripe"})
			if got := used.Swap(""); got != "Bearer sk_test_settings" {
				t.Errorf("Stripe gets the key %v", got)
			}

			b.open("/cabinet/demo/settings/payments/sandbox", width)
			b.shows("Try a payment")
			b.screenIsFit(core, "sandbox", width)
			b.text(`(` + field("Offered to buyers") + `.click(), '')`)
			b.pushes("Save")
			b.until(`!document.body.innerText.includes('Not saved')`)
			if m := p.must(owner, "GET", "/v1/shop/payment-methods/sandbox", nil); m["is_active"] != false {
				t.Errorf("%v", m)
			}
			b.quiet("400", "403")
		})
	}
}

// An owner closes the shop with a PIN, opens it again, deletes it and restores it.
func TestOwnerClosesAndDeletesTheShopInTheCabinet(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			p, _, b := entersDemo(t, width)
			core := axeCore(t)
			visitors := func(want int) {
				t.Helper()
				if status, _, _ := p.storefront("demo", "/", nil, nil); status != want {
					t.Errorf("visitors get %d, want %d", status, want)
				}
			}
			b.open("/cabinet/demo/settings/state", width)
			b.fills("PIN for visitors", "12")
			b.pushes("Close the shop")
			b.shows("A PIN has 4 to 12 digits.")
			b.screenIsFit(core, "state", width)
			visitors(200)
			b.fills("PIN for visitors", "2468")
			b.presses(kb.Enter)
			b.shows("The shop is closed")
			visitors(403)
			b.screenIsFit(core, "closed", width)
			b.pushes("Open to visitors")
			b.shows("The shop is open")
			visitors(200)

			b.fills("Type demo to confirm", "dem")
			b.is(`[...document.querySelectorAll('main button')].find((e) => e.textContent === 'Delete the shop').disabled`, "true")
			b.fills("Type demo to confirm", "demo")
			b.pushes("Delete the shop")
			b.shows("Your shops")
			b.shows("is deleted. It can be restored until")
			visitors(404)
			b.fits("deleted-shop", width)
			b.pushes("Restore")
			b.until(`location.pathname === '/cabinet/demo/start'`)
			visitors(200)
			b.quiet("400", "403", "404")
		})
	}
}

// The settings are saved page by page: visitors see the name as text and the look as it was in the
// preview, a refused number is named beside its cell, and two windows do not overwrite each other.
func TestOwnerKeepsTheSettingsInTheCabinet(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			p, _, b := entersDemo(t, width)
			core, owner := axeCore(t), p.ownerOf()
			settings := func() map[string]any { return p.must(owner, "GET", "/v1/shop/settings", nil) }
			before := settings()

			b.open("/cabinet/demo/settings/shop", width)
			b.fills("Email", "nobody")
			b.pushes("Save")
			b.until(field("Email") + `.getAttribute('aria-invalid') === 'true' && document.activeElement === ` + field("Email"))
			b.fills("Email", "tea@example.test")
			b.fills("Opening hours", oddText)
			contacts := before["contacts"].(map[string]any)
			contacts["phone"] = "+49 30 1234"
			p.must(owner, "PUT", "/v1/shop/settings", map[string]any{"contacts": contacts, "name": "Theirs"})
			b.pushes("Save")
			b.shows("Both are kept.")
			b.until(`!document.body.innerText.includes('Not saved')`)
			contacts = settings()["contacts"].(map[string]any)
			if contacts["phone"] != "+49 30 1234" || contacts["email"] != "tea@example.test" || !strings.Contains(oddText, contacts["hours"].(string)) || settings()["name"] != "Theirs" {
				t.Errorf("the contacts are %v", contacts)
			}
			b.screenIsFit(core, "settings-shop", width)

			b.open("/cabinet/demo/settings/look", width)
			b.fills("Accent colour", "#eeee00")
			b.shows("but at least 3 is needed")
			b.pushes("Save")
			b.until(field("Accent colour") + `.getAttribute('aria-invalid') === 'true' && document.activeElement === ` + field("Accent colour"))
			b.fills("Accent colour", "#2a6f97")
			b.fills("Corner radius in pixels", "4")
			b.shows("Contrast with the white page: 5.5 to 1.")
			b.screenIsFit(core, "settings-look", width)
			looks := b.text(`[...document.querySelectorAll('[data-scheme] [data-button]')].map((e) => getComputedStyle(e).backgroundColor + getComputedStyle(e).color).join()`)
			b.pushes("Save")
			b.until(`!document.body.innerText.includes('Not saved')`)
			_, _, page := p.storefront("demo", "/", nil, nil)
			for _, rule := range []string{"--fill:light-dark(#2a6f97,#2a6f97)", "--on:light-dark(#ffffff,#ffffff)", "--radius:4px"} {
				if !strings.Contains(page, rule) {
					t.Errorf("the page lacks %s", rule)
				}
			}
			if want := "rgb(42, 111, 151)rgb(255, 255, 255)"; looks != want+","+want {
				t.Errorf("the preview shows %s", looks)
			}

			b.open("/cabinet/demo/settings/orders", width)
			b.fills("Buyers may cancel for so many minutes", "soon")
			b.pushes("Save")
			b.shows("This is not a number that fits here.")
			b.fills("Buyers may cancel for so many minutes", "30")
			b.fills("Remind after so many hours", "24")
			b.shows("Campaign whose personal code the letter has")
			b.pushes("Save")
			b.until(`!document.body.innerText.includes('Not saved')`)
			if now := settings(); itoa(now["buyer_cancel_minutes"]) != "30" || now["cart_reminder"] == nil {
				t.Errorf("%v", now)
			}
			b.screenIsFit(core, "settings-orders", width)

			b.open("/cabinet/demo/settings/tax", width)
			b.until(`document.querySelector('[data-cell="2.4"]')`)
			b.focuses(`document.querySelector('[data-cell="2.4"]')`)
			b.chord("a")
			b.keys("200")
			b.pushes("Save")
			b.until(`document.querySelector('[data-cell="2.4"]').getAttribute('aria-invalid') === 'true'`)
			b.shows("must be 0 to 100 with at most three decimals")
			b.chord("a")
			b.keys("21,5")
			b.pushes("Save")
			b.until(`!document.body.innerText.includes('Not saved')`)
			if rate := settings()["tax"].(map[string]any)["rates"].([]any)[2].(map[string]any); fmt.Sprint(rate["percent"]) != "21.5" {
				t.Errorf("%v", rate)
			}
			b.fills("Currency", "E1R")
			b.pushes("Change the currency")
			b.until(field("Currency") + `.getAttribute('aria-invalid') === 'true'`)
			b.fills("Currency", "usd")
			b.pushes("Change the currency")
			b.shows("14.50 USD")
			b.screenIsFit(core, "settings-tax", width)
			b.quiet("400", "409")
		})
	}
}

// An editor sees what the role allows: no page of the settings that only owners and administrators
// read, and nothing to change on the others.
func TestEditorSeesSettingsLocked(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.env = append(p.env, "VITRINE_ADMIN_URL=http://admin.localhost:"+portOf(t, p.admin))
	p.start()
	p.verb("member", "add", "--shop", "demo", "--email", "editor@example.test", "--password", "a long password", "--role", "editor")
	b := cabinet(t, p, 1280)
	b.entersCabinet("editor@example.test", "a long password")
	b.shows("Waiting for you")
	b.open("/cabinet/demo/settings", 1280)
	b.shows("Plan usage")
	b.is(`[...document.querySelectorAll('main a')].map((a) => a.pathname.split('/').pop()).join()`, "delivery,payments,usage")
	b.open("/cabinet/demo/settings/delivery", 1280)
	b.shows("3 delivery options")
	b.is(`document.querySelectorAll('main table a, main table button, main a[href$=new]').length`, "0")
	for _, path := range []string{"shop", "address", "payments/stripe"} {
		b.open("/cabinet/demo/settings/"+path, 1280)
		b.shows("Your role in this shop may not do this.")
	}
	b.open("/cabinet/demo/settings/state", 1280)
	b.shows("Only the owner of the shop changes this.")
	b.is(`document.querySelectorAll('main button, main input').length`, "0")
	b.quiet("403")
}

// A person opens a shop from the file of an export, and sees what was left out of it. A file that is
// no export says so.
func TestAShopIsOpenedFromAFileInTheCabinet(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.env = append(p.env, "VITRINE_ADMIN_URL=http://admin.localhost:"+portOf(t, p.admin))
	p.start()
	dir := t.TempDir()
	file, wrong := filepath.Join(dir, "shop.zip"), filepath.Join(dir, "wrong.zip")
	p.verb("shop", "export", "--shop", "demo", "--to", file)
	if err := os.WriteFile(wrong, []byte("not a file of a shop"), 0o600); err != nil {
		t.Fatal(err)
	}
	core := axeCore(t)
	for _, width := range []int64{1280, 390} {
		b := cabinet(t, p, width)
		b.entersCabinet("owner@demo.example", "tea-at-four")
		b.until(`!document.querySelector('[name=password]')`)
		slug := fmt.Sprintf("copy%d", width)
		b.open("/docs/scopes.json", width)
		b.open("/cabinet/#open", width)
		b.shows("Open a shop")
		b.until(`document.querySelector('input[type=radio][value=openFromFile]')`)
		b.text(`(document.querySelector('input[type=radio][value=openFromFile]').click(), '')`)
		send := func(file, slug string) {
			t.Helper()
			b.until(`document.querySelector('[name=shop-slug]') && document.querySelector('input[type=file]')`)
			b.choosesFiles("input[type=file]", file)
			b.fills("Name of the shop", "Copy")
			b.fills("Address", slug)
			b.click("main form [type=submit]")
		}
		send(file, "demo")
		b.shows("Another shop has this address.")
		send(wrong, slug)
		b.shows("The import did not come to its end, and left nothing.")
		b.shows("SHOP_FILE_INVALID")
		b.screenIsFit(core, "import-failed", width)
		send(file, slug)
		b.shows("The shop is there:")
		b.shows("Left out of the file:")
		b.shows("orders")
		b.screenIsFit(core, "import-done", width)
		b.pushes("To the shop")
		b.until(`location.pathname === '/cabinet/` + slug + `/start'`)
		if status, _, _ := p.storefront(slug, "/", nil, nil); status != http.StatusOK {
			t.Errorf("the new shop answers %d", status)
		}
		b.quiet("400", "404", "409")
	}
}
