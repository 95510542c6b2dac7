package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// shopDay is a day in the demo shop, which also takes cards.
type shopDay struct {
	*program
	owner   string // token
	company string
	product string // a tea for 12 euros
	stripe  *fakeStripe
}

// openDay starts the demo shop, and signs its owner in to the cabinet.
func openDay(t *testing.T, width int64) (d *shopDay, b *tab) {
	t.Helper()
	h := &fakeStripe{back: map[string]string{}, payment: map[string]string{}, paid: map[string]bool{}, refunded: map[string]bool{}, decides: make(chan bool)}
	at := httptest.NewServer(h)
	t.Cleanup(at.Close)
	t.Cleanup(func() { close(h.decides) })
	p := newDemo(t)
	p.env = append(p.env, "VITRINE_ADMIN_URL=http://admin.localhost:"+portOf(t, p.admin), "VITRINE_OUTBOUND_ALLOW=127.0.0.0/8", "VITRINE_STRIPE_URL="+at.URL)
	p.start()
	d = &shopDay{program: p, stripe: h}
	d.owner = p.must("", "POST", "/v1/auth/login", map[string]any{"email": "owner@demo.example", "password": "tea-at-four"})["token"].(string)
	d.company = itoa(p.must(d.owner, "GET", "/v1/orgs/current", nil)["id"])
	d.product = itoa(p.must(d.owner, "GET", "/products/by-slug/earl-grey-with-calabrian-bergamot?company_id="+d.company, nil)["id"])
	p.must(d.owner, "PUT", "/v1/shop/payment-methods/stripe", map[string]any{
		"title": "Card", "is_active": true, "settings": map[string]any{"secret_key": "sk_test", "webhook_secret": "whsec_test"}})
	return d, p.owner(t, width)
}

// guest opens a session of a buyer without an account.
func (p *program) guest() string {
	p.t.Helper()
	return p.must("", "POST", "/v1/auth/guest", map[string]any{})["token"].(string)
}

// orderByAPI orders one product for 12 euros as a guest, who collects it, and returns the order
// with the guest's token.
func (d *shopDay) orderByAPI(name, product string) (id, guest string) {
	d.t.Helper()
	guest = d.guest()
	d.must(guest, "POST", "/cart/merge", map[string]any{"company_id": d.company, "items": []any{map[string]any{"product_id": product, "quantity": 1}}})
	return itoa(d.must(guest, "POST", "/cart/confirm", map[string]any{"company_id": d.company, "delivery_option_id": 2,
		"contact": map[string]any{"name": name, "phone": "+351 912 345 678", "email": "ines@example.com"}})["id"]), guest
}

// cancelsPaid makes an order that a buyer paid by card with the nth session of the provider, and that
// the shop cancelled.
func (d *shopDay) cancelsPaid(name string, n int) string {
	d.t.Helper()
	id, guest := d.orderByAPI(name, d.product)
	page, err := http.Get(d.must(guest, "POST", "/orders/"+id+"/payment", map[string]any{"method": "stripe"})["redirect_url"].(string))
	if err != nil {
		d.t.Fatal(err)
	}
	if err := page.Body.Close(); err != nil {
		d.t.Fatal(err)
	}
	d.stripe.notifies(d.program, d.company, "whsec_test", fmt.Sprintf("cs_%d", n))
	d.becomes(d.owner, id, "stripe paid; ")
	d.must(d.owner, "PUT", "/orders/"+id+"/status", map[string]any{"status": "cancelled"})
	return id
}

// states lists the states of orders.
func (d *shopDay) states(ids []string) (said []string) {
	d.t.Helper()
	for _, id := range ids {
		said = append(said, d.must(d.owner, "GET", "/orders/"+id, nil)["status"].(string))
	}
	return said
}

// waits is how many of something the start page counts; nothing for none.
func (d *shopDay) waits(what string) string {
	d.t.Helper()
	today := d.must(d.owner, "GET", "/v1/shop/today", nil)
	if n, ok := today[what]; ok {
		return itoa(n)
	}
	return itoa(today["orders"].(map[string]any)[what])
}

// A morning of an owner, who begins at the start page and follows its links, one click to each pile:
// eight orders are taken into work and printed, two cancelled ones are refunded, of which the provider
// refuses one at first; five reviews are decided with the keyboard and a question is answered; three
// leads are handled; a product that runs low comes in. Whatever somebody else does meanwhile is shown,
// not overwritten. In a wide and in a narrow window.
func TestOwnersMorningInTheCabinet(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			d, b := openDay(t, width)
			core := axeCore(t)
			var ids []string
			for i := range 8 {
				id, _ := d.orderByAPI(fmt.Sprintf("Morning %d %s", i, strings.Repeat("x", 200)), d.product)
				ids = append(ids, id)
			}
			back := []string{d.cancelsPaid("Refunded "+oddText, 1), d.cancelsPaid("Refunded as well", 2)}
			reviewed := d.reviewsFive()
			d.sendsLeads()
			b.packsEight(d, ids, core, width)
			b.refundsTwo(d, back, core, width)
			b.moderates(d, reviewed, core, width)
			b.handlesLeads(d, core, width)
			b.restocks(d, width)
			b.turnsTo("", width)
			b.until(`!/to refund|forms? answered/.test(document.querySelector('main').innerText)`)
			b.screenIsFit(core, "start-after", width)
			b.quiet("400", "409")
		})
	}
}

// turnsTo goes to the start page by the menu, and from there with one click to a pile, which a regular
// expression names.
func (b *tab) turnsTo(pile string, width int64) {
	b.t.Helper()
	if width < 600 && b.text(`location.pathname.endsWith('/start')`) != "true" {
		b.pushes("Menu")
	}
	b.pushes("Start")
	b.shows("Waiting for you")
	if pile != "" {
		link := fmt.Sprintf(`[...document.querySelectorAll('main section a')].find((e) => /^%s$/.test(e.textContent))`, pile)
		b.until(link)
		b.text(`(` + link + `.click(), '')`)
		b.until(`!location.pathname.endsWith('/start')`)
	}
}

// choosesOrders selects all orders of the list.
func (b *tab) choosesOrders(n int) {
	b.t.Helper()
	b.until(fmt.Sprintf(`document.querySelectorAll('main input[type=checkbox][aria-label^="Order "]').length === %d`, n))
	b.text(`([...document.querySelectorAll('main input[type=checkbox][aria-label^="Order "]')].forEach((e) => e.click()), '')`)
	b.shows(fmt.Sprintf("%d selected", n))
}

func (b *tab) packsEight(d *shopDay, ids []string, core string, width int64) {
	b.t.Helper()
	b.open("/cabinet/demo/start", width)
	b.shows("orders to refund")
	b.screenIsFit(core, "start-waits", width)
	b.turnsTo("new orders?", width)
	b.shows(d.waits("new") + " orders")
	b.types("main input[type=search]", "Morning")
	b.shows("8 orders")
	b.choosesOrders(8)
	b.screenIsFit(core, "orders", width)
	b.pushes("Take into work")
	b.shows("8 orders will be moved")
	b.pushes("Do it")
	b.shows("8 orders are moved.")
	all := func(state string) []string { return slices.Repeat([]string{state}, 8) }
	if got := d.states(ids); !slices.Equal(got, all("processing")) {
		b.t.Errorf("the orders are %v", got)
	}
	b.pushes("Undo")
	b.shows("Undone")
	if got := d.states(ids); !slices.Equal(got, all("new")) {
		b.t.Errorf("after the undo the orders are %v", got)
	}

	b.choosesOrders(8)
	d.must(d.owner, "PUT", "/orders/"+ids[3]+"/status", map[string]any{"status": "cancelled"})
	b.pushes("Take into work")
	b.shows("7 orders will be moved")
	b.shows("Somebody else moved the order meanwhile.")
	b.screenIsFit(core, "orders-moved", width)
	b.pushes("Do it")
	b.shows("7 orders are moved.")
	want := all("processing")
	want[3] = "cancelled"
	if got := d.states(ids); !slices.Equal(got, want) {
		b.t.Errorf("beside one that was cancelled meanwhile the orders are %v", got)
	}

	b.turnsTo("orders? to ship", width)
	b.shows(d.waits("to_ship") + " orders")
	b.shows("To ship")
	b.types("main input[type=search]", "Morning")
	b.shows("7 orders")
	b.choosesOrders(7)
	b.text(`(window.open = (address) => (window.opened = address), '')`)
	b.pushes("Print")
	b.until(`document.querySelector('[role=menuitem]')?.checkVisibility() && ([...document.querySelectorAll('[role=menuitem]')].find((e) => e.textContent === 'Packing slip').click(), true)`)
	b.until(`window.opened`)
	page, err := http.Get(strings.Replace(b.text(`window.opened`), "admin.localhost:"+portOf(b.t, d.admin), d.admin, 1))
	if err != nil {
		b.t.Fatal(err)
	}
	if err := page.Body.Close(); err != nil || page.StatusCode != http.StatusOK {
		b.t.Errorf("the slips answer %d, %v", page.StatusCode, err)
	}
}

// refundsTwo refunds two orders. Why the provider refused one is still there after a reload.
func (b *tab) refundsTwo(d *shopDay, ids []string, core string, width int64) {
	b.t.Helper()
	for i, id := range ids {
		b.turnsTo("orders? to refund", width)
		b.shows("Cancelled, to refund")
		b.until(`document.querySelector('main a[href$="/orders/` + id + `"]')`)
		b.text(`(document.querySelector('main a[href$="/orders/` + id + `"]').click(), '')`)
		b.shows("its payment is not refunded")
		b.pushes("Refund")
		b.shows("€12.00 goes back to the buyer, in full")
		if i == 0 {
			b.screenIsFit(core, "order-refund", width)
		}
		b.pushes("Refund")
		b.shows("Refund under way")
		if i == 0 {
			d.stripe.decide(b.t, false)
			b.shows("The provider refused the refund.")
			b.reloads()
			b.shows("The provider refused the refund.")
			b.shows("Your balance is too low")
			b.screenIsFit(core, "order-refused", width)
			b.pushes("Try the refund again")
			b.pushes("Refund")
		}
		d.stripe.decide(b.t, true)
		b.shows("Refunded")
		d.becomes(d.owner, id, "stripe refunded; ")
		if i == 0 {
			b.is(`document.body.innerText.includes('refused the refund')`, "false")
			b.pushes("Show")
			b.shows("Refund refused: ")
			b.is(`document.querySelectorAll('img[src="x"]').length`, "0")
		}
	}
}

// reviewsFive sends five reviews of a new product, and a question.
func (d *shopDay) reviewsFive() (product string) {
	d.t.Helper()
	product = itoa(d.must(d.owner, "POST", "/products", map[string]any{"item": map[string]any{"name": "Brief tea", "price": map[string]any{"price": 14}, "is_published": true}})["id"])
	for i := range 5 {
		body := map[string]any{"company_id": d.company, "rating": i + 1, "author": fmt.Sprintf("Author %d %s", i, strings.Repeat("w", 40)), "text": oddText + strings.Repeat("w", 300)}
		d.must(d.guest(), "POST", "/products/"+product+"/reviews", body)
	}
	d.must(d.guest(), "POST", "/products/"+product+"/questions", map[string]any{"company_id": d.company, "text": "Is it green?"})
	return product
}

// reviewed counts the reviews of a product, or the questions, in each state.
func (d *shopDay) reviewed(kind, filter string) string {
	d.t.Helper()
	var counts []string
	for _, status := range []string{"pending", "approved", "rejected"} {
		counts = append(counts, itoa(d.must(d.owner, "GET", "/"+kind+"?filter.status="+status+filter, nil)["total"]))
	}
	return strings.Join(counts, " ")
}

func (b *tab) moderates(d *shopDay, product, core string, width int64) {
	b.t.Helper()
	found := map[string]bool{}
	b.turnsTo("reviews? to approve", width)
	b.shows("Brief tea")
	b.text(`([...document.querySelectorAll('article')].find((e) => e.textContent.includes('Brief tea')).querySelector('[aria-label="Only this product"]').click(), '')`)
	b.shows("5 reviews")
	b.axeHere(core, "reviews", found)
	b.fits("reviews", width)
	b.switchesKeys(d, product)
	b.decidesByKeyboard(d, product)
	b.turnsTo("questions? to answer", width)
	b.answersQuestion(d)
	d.must(d.owner, "DELETE", "/products/"+product, nil)
	b.decidesTogether(d, core, found, width)
}

// switchesKeys decides nothing by a key while the keys are switched off, also after a reload.
func (b *tab) switchesKeys(d *shopDay, product string) {
	b.t.Helper()
	const toggle = `document.querySelector('main [role=switch]')`
	b.text(`(` + toggle + `.click(), '')`)
	b.until(`!document.querySelector('main kbd')`)
	for again := range 2 {
		b.text(`(document.querySelector('[data-current]').focus(), '')`)
		b.presses("j", "a", "r")
		b.is(`document.querySelectorAll('main article').length`, "5")
		b.is(`document.querySelector('[data-current] h2').textContent.startsWith('Author 4')`, "true")
		if again == 0 {
			wait(b.t, "the choice is stored", func() bool { return b.answers(200, "GET", "/v1/account/views/reviews?shop=demo", nil) != nil })
			b.reloads()
			b.until(`document.querySelectorAll('main article').length === 5 && ` + toggle + ` && !` + toggle + `.checked`)
		}
	}
	if now := d.reviewed("reviews", "&filter.product_id="+product); now != "5 0 0" {
		b.t.Errorf("without keys the reviews are %s", now)
	}
	b.text(`(` + toggle + `.click(), '')`)
	b.until(`document.querySelector('main kbd')`)
}

func (b *tab) decidesByKeyboard(d *shopDay, product string) {
	b.t.Helper()
	current := `document.querySelector('[data-current] h2').textContent`
	of := func(want string) func() bool {
		return func() bool { return d.reviewed("reviews", "&filter.product_id="+product) == want }
	}
	b.text(`(document.activeElement.blur(), '')`)
	b.until(current + `.startsWith('Author 4')`)
	b.presses("j", "j", "k")
	b.until(current + `.startsWith('Author 3')`)
	b.is(`document.activeElement === document.querySelector('[data-current]')`, "true")
	b.presses("a")
	b.until(current + `.startsWith('Author 2')`)
	b.presses("r", "a", "r", "a")
	b.shows("Nothing is waiting for you here.")
	wait(b.t, "five reviews are decided", of("0 3 2"))
	b.until(`[...document.querySelectorAll('button')].some((e) => e.textContent === 'Undo' && (e.focus(), true))`)
	b.presses(kb.Enter)
	b.shows("1 review")
	wait(b.t, "a decision is taken back", func() bool { return strings.HasPrefix(d.reviewed("reviews", "&filter.product_id="+product), "1 ") })
	b.shows("Undone")
}

// answersQuestion types an answer, which decides nothing and survives a reload, and sends it.
func (b *tab) answersQuestion(d *shopDay) {
	b.t.Helper()
	before := d.reviewed("questions", "")
	b.shows("Is it green?")
	b.focuses(`[...document.querySelectorAll('[data-current] button')].find((e) => e.textContent === 'Answer')`)
	b.presses(kb.Enter)
	b.until(`document.activeElement.tagName === 'TEXTAREA'`)
	b.keys("a rare green, jk")
	if now := d.reviewed("questions", ""); now != before {
		b.t.Errorf("typed letters decide: %s, then %s", before, now)
	}
	b.reloads()
	b.until(`document.querySelector('article textarea')?.value === 'a rare green, jk'`)
	b.pushes("Answer and approve")
	b.shows("Saved")
	answered := d.must(d.owner, "GET", "/questions?filter.status=approved", nil)["items"].([]any)[0].(map[string]any)
	if answered["answer"] != "a rare green, jk" {
		b.t.Errorf("%v", answered)
	}
	b.is(`JSON.stringify({ ...sessionStorage }).includes('rare green')`, "false")
}

// decidesTogether decides several that are selected, and takes that back.
func (b *tab) decidesTogether(d *shopDay, core string, found map[string]bool, width int64) {
	b.t.Helper()
	b.open("/cabinet/demo/reviews?status=any", width)
	b.shows("Deleted product")
	before := d.reviewed("reviews", "")
	b.text(`([...document.querySelectorAll('main input[type=checkbox][aria-label^=Author]')].slice(0, 5).forEach((e) => e.click()), '')`)
	b.shows("5 selected")
	b.axeHere(core, "selected reviews", found)
	b.text(`([...document.querySelectorAll('[role=region] button')].find((e) => e.textContent === 'Reject').click(), '')`)
	b.shows("will change")
	b.fits("reviews-bulk", width)
	b.pushes("Do it")
	b.shows("Changed:")
	if now := d.reviewed("reviews", ""); now == before || !strings.HasSuffix(now, " 5") {
		b.t.Errorf("states %s, then %s", before, now)
	}
	b.pushes("Undo")
	b.shows("Undone")
	if now := d.reviewed("reviews", ""); now != before {
		b.t.Errorf("states %s, and after an undo %s", before, now)
	}
}

func (d *shopDay) sendsLeads() {
	d.t.Helper()
	form := itoa(d.must(d.owner, "POST", "/forms", map[string]any{"item": map[string]any{"name": "Call me back", "submit_text": "Call me", "success": map[string]any{"action": "text", "text": "We call."}, "fields": []any{
		map[string]any{"name": "who", "label": "Your name", "type": "text"}, map[string]any{"name": "email", "label": "Email", "type": "email"},
		map[string]any{"name": "picture", "label": "A picture", "type": "file"}, map[string]any{"name": "agree", "label": "You may write", "type": "consent"},
	}}})["id"])
	file := d.must("", "POST", "/form-files?company_id="+d.company+"&form_id="+form+"&field=picture&name=cup.pdf", []byte("%PDF-1.4\n%%EOF"))["id"]
	for _, values := range []map[string]any{
		{"who": "Ann", "email": "ann@people.test", "agree": "yes"}, {"who": oddText + strings.Repeat("w", 255), "picture": file}, {"who": "Bo"},
	} {
		d.must("", "POST", "/form-leads?company_id="+d.company, map[string]any{"form_id": form, "values": values, "page_url": "javascript:alert(1)"})
	}
}

// handlesLeads opens three leads, which are read then, writes a note to one, gets the file of another,
// and handles them all; one becomes spam and is deleted.
func (b *tab) handlesLeads(d *shopDay, core string, width int64) {
	b.t.Helper()
	found := map[string]bool{}
	b.turnsTo("forms? answered", width)
	b.shows("3 leads")
	b.axeHere(core, "leads", found)
	b.fits("leads", width)
	for i := range 3 {
		b.until(fmt.Sprintf(`document.querySelectorAll('main a[href*="/leads/"]').length === %d`, 3-i))
		b.text(`(document.querySelector('main a[href*="/leads/"]').click(), '')`)
		b.shows("What was sent")
		path := "/form-leads/" + b.text(`location.pathname.split('/').pop()`)
		wait(b.t, "an opened lead is read", func() bool { return d.must(d.owner, "GET", path, nil)["status"] == "seen" })
		b.until(`document.querySelector('input[type=radio][value=seen]').checked`)
		b.is(`[...document.querySelectorAll('a')].some((a) => a.href.startsWith('javascript:'))`, "false")
		switch i {
		case 0:
			b.axeHere(core, "a lead", found)
			b.fills("Note of the shop", "Called twice")
			b.pushes("Save")
			b.shows("Saved")
			if note := d.must(d.owner, "GET", path, nil)["note"]; note != "Called twice" {
				b.t.Errorf("the note is %v", note)
			}
		case 1:
			b.fits("lead", width)
			b.pushes("Download: cup.pdf")
			b.until(`performance.getEntriesByType('resource').some((e) => e.name.includes('` + path + `/files/') && e.responseStatus === 200)`)
		}
		b.text(`(document.querySelector('input[type=radio][value=done]').click(), '')`)
		b.until(`location.pathname === '/cabinet/demo/leads'`)
		if status := d.must(d.owner, "GET", path, nil)["status"]; status != "done" {
			b.t.Errorf("a handled lead is %v", status)
		}
	}
	b.shows("No new leads.")
	b.text(`(document.querySelector('main input[aria-label=State]').click(), "")`)
	b.until(`[...document.querySelectorAll("[role=option]")].some((e) => e.checkVisibility() && e.textContent === "All but spam" && (e.click(), true))`)
	b.shows("3 leads")
	selected := func() {
		b.until(`document.querySelector('main input[type=checkbox][aria-label^="Ann"]')`)
		b.text(`(document.querySelector('main input[type=checkbox][aria-label^="Ann"]').click(), '')`)
	}
	selected()
	b.pushes("Mark as spam")
	b.pushes("Do it")
	b.shows("2 leads")
	b.open("/cabinet/demo/leads?status=spam", width)
	b.shows("1 lead")
	selected()
	b.pushes("Delete")
	b.shows("deleted for good")
	b.pushes("Do it")
	b.shows("No leads here.")
	if left := itoa(d.must(d.owner, "GET", "/form-leads", nil)["total"]); left != "2" {
		b.t.Errorf("%s leads are left", left)
	}
}

// restocks takes in goods of the first product that runs low.
func (b *tab) restocks(d *shopDay, width int64) {
	b.t.Helper()
	low := d.waits("low_stock")
	b.turnsTo(".*low in stock", width)
	const product = `[...document.querySelectorAll('main a')].find((a) => /products\/\d+$/.test(a.pathname))`
	b.until(`location.search === '?stock=low' && ` + product)
	b.fits("products-low", width)
	b.text(`(` + product + `.click(), '')`)
	b.pushes("Movements of the stock")
	b.types("[role=dialog] input[inputmode=numeric]", "40")
	b.pushes("Do it")
	b.until(`document.querySelector('[role=dialog]').innerText.includes('+40')`)
	b.pushes("Close")
	if now := d.waits("low_stock"); now == low {
		b.t.Errorf("%s products are still low", now)
	}
}
