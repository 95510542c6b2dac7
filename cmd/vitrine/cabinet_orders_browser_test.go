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

// orderDay is a day with the orders of the demo shop.
type orderDay struct {
	*program
	owner   string // token
	company string
	stripe  *fakeStripe
}

// orderByAPI orders a cup of tea for 12 euros as a guest, who collects it, and returns the order
// with the guest's token.
func (d *orderDay) orderByAPI(name, product string) (id, guest string) {
	d.t.Helper()
	guest = d.must("", "POST", "/v1/auth/guest", map[string]any{})["token"].(string)
	d.must(guest, "POST", "/cart/merge", map[string]any{"company_id": d.company, "items": []any{map[string]any{"product_id": product, "quantity": 1}}})
	return itoa(d.must(guest, "POST", "/cart/confirm", map[string]any{"company_id": d.company, "delivery_option_id": 2,
		"contact": map[string]any{"name": name, "phone": "+351 912 345 678", "email": "ines@example.com"}})["id"]), guest
}

// paysByCard pays an order with the provider.
func (d *orderDay) paysByCard(id, guest string) {
	d.t.Helper()
	page, err := http.Get(d.must(guest, "POST", "/orders/"+id+"/payment", map[string]any{"method": "stripe"})["redirect_url"].(string))
	if err != nil {
		d.t.Fatal(err)
	}
	if err := page.Body.Close(); err != nil {
		d.t.Fatal(err)
	}
	d.stripe.notifies(d.program, d.company, "whsec_test", "cs_1")
	d.becomes(d.owner, id, "stripe paid; ")
}

// states lists the states of orders.
func (d *orderDay) states(ids []string) (said []string) {
	d.t.Helper()
	for _, id := range ids {
		said = append(said, d.must(d.owner, "GET", "/orders/"+id, nil)["status"].(string))
	}
	return said
}

// A morning of an owner: eight orders are taken into work at once, a refund that the provider refuses
// at first, a buyer who writes, a parcel, and an order by phone. Whatever somebody else does meanwhile
// is shown, not overwritten.
func TestOwnerKeepsOrdersInTheCabinet(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			h := &fakeStripe{back: map[string]string{}, payment: map[string]string{}, paid: map[string]bool{}, refunded: map[string]bool{}, decides: make(chan bool)}
			at := httptest.NewServer(h)
			t.Cleanup(at.Close)
			t.Cleanup(func() { close(h.decides) })
			p := newDemo(t)
			p.env = append(p.env, "VITRINE_ADMIN_URL=http://admin.localhost:"+portOf(t, p.admin), "VITRINE_OUTBOUND_ALLOW=127.0.0.0/8", "VITRINE_STRIPE_URL="+at.URL)
			p.start()
			d := &orderDay{program: p, stripe: h}
			d.owner = p.must("", "POST", "/v1/auth/login", map[string]any{"email": "owner@demo.example", "password": "tea-at-four"})["token"].(string)
			d.company = itoa(p.must(d.owner, "GET", "/v1/orgs/current", nil)["id"])
			p.must(d.owner, "PUT", "/v1/shop/payment-methods/stripe", map[string]any{
				"title": "Card", "is_active": true, "settings": map[string]any{"secret_key": "sk_test", "webhook_secret": "whsec_test"}})
			product := itoa(p.must(d.owner, "GET", "/products/by-slug/earl-grey-with-calabrian-bergamot?company_id="+d.company, nil)["id"])
			b, core := p.owner(t, width), axeCore(t)
			b.packsEight(d, product, core, width)
			b.movesByKeyboard(d, product, width)
			b.refundsAfterARefusal(d, product, core, width)
			b.talks(d, product, core, width)
			b.sendsParcel(d, product, core, width)
			b.entersOrder(d, core, width)
			b.findsCarts(d, product, core, width)
			b.quiet("400", "409")
		})
	}
}

// choosesOrders selects all orders of the list.
func (b *tab) choosesOrders(n int) {
	b.t.Helper()
	b.until(fmt.Sprintf(`document.querySelectorAll('main input[type=checkbox][aria-label^="Order "]').length === %d`, n))
	b.text(`([...document.querySelectorAll('main input[type=checkbox][aria-label^="Order "]')].forEach((e) => e.click()), '')`)
	b.shows(fmt.Sprintf("%d selected", n))
}

func (b *tab) packsEight(d *orderDay, product, core string, width int64) {
	b.t.Helper()
	var ids []string
	for i := range 8 {
		id, _ := d.orderByAPI(fmt.Sprintf("Morning %d %s", i, strings.Repeat("x", 200)), product)
		ids = append(ids, id)
	}
	b.open("/cabinet/demo/orders?q=Morning", width)
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

	b.open("/cabinet/demo/orders?q=Morning&status=new", width)
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

	b.open("/cabinet/demo/orders?q=Morning&status=processing", width)
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

// movesByKeyboard moves one order with the keyboard alone.
func (b *tab) movesByKeyboard(d *orderDay, product string, width int64) {
	b.t.Helper()
	id, _ := d.orderByAPI("By keyboard", product)
	b.open("/cabinet/demo/orders?q=keyboard", width)
	b.tabsTo(fmt.Sprintf(`main a[href$="/orders/%s"]`, id))
	b.presses(kb.Enter)
	b.tabsTo(`main button:not([aria-haspopup])`)
	b.presses(kb.Enter)
	b.shows("The order is now: In progress.")
	d.must(d.owner, "PUT", "/orders/"+id+"/status", map[string]any{"status": "cancelled"})
	b.tabsTo(`main button:not([aria-haspopup])`)
	b.presses(kb.Enter) // "Complete", as the page still shows it
	b.shows("Somebody else moved the order meanwhile.")
	b.until(`document.querySelector('main').innerText.includes('Cancelled')`)
	if got := d.states([]string{id}); got[0] != "cancelled" {
		b.t.Errorf("the order is %v", got)
	}
}

func (b *tab) refundsAfterARefusal(d *orderDay, product, core string, width int64) {
	b.t.Helper()
	id, guest := d.orderByAPI("Refunded "+oddText, product)
	d.paysByCard(id, guest)
	b.open("/cabinet/demo/orders/"+id, width)
	b.pushes("Refund")
	b.shows("€12.00 goes back to the buyer, in full")
	b.screenIsFit(core, "order-refund", width)
	b.pushes("Refund")
	b.shows("Refund under way")
	d.stripe.decide(b.t, false)
	b.shows("The provider refused the refund.")
	b.shows("Your balance is too low")
	b.screenIsFit(core, "order-refused", width)
	b.pushes("Try the refund again")
	b.pushes("Refund")
	d.stripe.decide(b.t, true)
	b.shows("Refunded")
	d.becomes(d.owner, id, "stripe refunded; ")
	b.pushes("Show")
	b.shows("Refund refused: ")
	b.is(`document.querySelectorAll('img[src="x"]').length`, "0")
}

// talks writes to a buyer, whose answer arrives by itself, and keeps a note while somebody else does.
func (b *tab) talks(d *orderDay, product, core string, width int64) {
	b.t.Helper()
	id, guest := d.orderByAPI("Writer", product)
	messages := "/orders/" + id + "/messages"
	b.open("/cabinet/demo/orders/"+id, width)
	b.shows("No messages yet.")
	text := oddText + strings.Repeat("w", 4000-len([]rune(oddText)))
	b.focuses(field("Message to the buyer"))
	b.inserts(text)
	b.pushes("Send")
	b.until(`document.querySelector('main [role=log]')?.textContent.includes('<img src=x onerror')`)
	_, answer := d.call(guest, "GET", messages, nil)
	if got := answer["result"].([]any)[0].(map[string]any)["text"].(string); !strings.HasPrefix(got, oddText) {
		b.t.Errorf("the buyer reads %s", got)
	}
	b.is(`document.querySelectorAll('img[src="x"]').length`, "0")
	b.is(field("Message to the buyer")+`.value`, "")
	d.must(guest, "POST", messages, map[string]any{"text": "Thank you <b>all</b>"})
	b.until(`document.querySelector('main [role=log]').textContent.includes('Thank you <b>all</b>')`)
	b.text(field("Message to the buyer") + `.scrollIntoView()`)
	wait(b.t, "the message counts as read", func() bool { return itoa(d.must(d.owner, "GET", "/orders/"+id, nil)["unread"]) == "0" })
	b.screenIsFit(core, "order-chat", width)

	d.must(d.owner, "PUT", "/orders/"+id+"/note", map[string]any{"text": "Theirs"})
	b.fills("Note", "Mine")
	b.pushes("Save")
	b.shows("Theirs: Theirs")
	b.pushes("Save what is chosen")
	b.shows("Saved")
	if got := d.must(d.owner, "GET", "/orders/"+id, nil)["note"]; got != "Mine" {
		b.t.Errorf("the note is %v", got)
	}
}

// sendsParcel records a parcel of an order whose product was deleted.
func (b *tab) sendsParcel(d *orderDay, product, core string, width int64) {
	b.t.Helper()
	made := itoa(d.must(d.owner, "POST", "/products", map[string]any{"item": map[string]any{
		"name": "Short-lived " + oddText, "price": map[string]any{"price": 12}, "is_published": true, "stock_quantity": 9}})["id"])
	d.must(d.owner, "PUT", "/products/"+made, map[string]any{"item": map[string]any{"category_id": d.must(d.owner, "GET", "/products/"+product, nil)["category_id"]}})
	id, _ := d.orderByAPI("Parcel", made)
	d.must(d.owner, "DELETE", "/products/"+made, nil)
	b.open("/cabinet/demo/orders/"+id, width)
	b.shows("No longer in the shop")
	b.pushes("Add a parcel")
	b.fills("Carrier", "DHL")
	b.fills("Tracking number", strings.Repeat("7", 64))
	b.text(`(document.querySelector('[role=dialog] input[inputmode=numeric]').focus(), document.activeElement.select(), '')`)
	b.inserts("5")
	b.pushes("Add a parcel")
	b.shows("1 are left to ship") // the API's own words
	b.text(`(document.querySelector('[role=dialog] input[inputmode=numeric]').focus(), document.activeElement.select(), '')`)
	b.inserts("1")
	b.pushes("Add a parcel")
	b.shows("The parcel is noted.")
	b.pushes("It has arrived")
	b.shows("It has not arrived")
	if got := d.must(d.owner, "GET", "/orders/"+id, nil)["shipment_status"]; got != "delivered" {
		b.t.Errorf("the shipment is %v", got)
	}
	b.screenIsFit(core, "order-parcel", width)
	b.pushes("Delete the parcel " + strings.Repeat("7", 64) + "?")
	b.pushes("Delete")
	b.shows("Nothing was shipped yet.")
}

// finds chooses the first thing that a field of search finds.
func (b *tab) finds(label, text string) {
	b.t.Helper()
	b.focuses(fmt.Sprintf(`document.querySelector('input[aria-label=%q]')`, label))
	b.inserts(text)
	b.until(fmt.Sprintf(`[...document.querySelectorAll('[role=option]')].some((e) => e.checkVisibility() && e.textContent.includes(%[1]q) && (e.click(), true))`, text))
}

func (b *tab) entersOrder(d *orderDay, core string, width int64) {
	b.t.Helper()
	b.open("/cabinet/demo/orders/new", width)
	b.finds("Find a product by name or SKU", "Ribbed tumbler")
	b.finds("Find a customer", "Elena Ruiz")
	b.until(field("Phone") + `.value.startsWith('+34')`)
	b.until(field("Variant"))
	b.fills("Quantity", "2")
	b.fills("Agreed price", "1o")
	b.pushes("Make the order")
	b.until(`document.activeElement === ` + field("Variant")) // the browser asks for what is required
	b.inserts("")
	b.presses(kb.ArrowDown, kb.Enter)
	b.until(field("Variant") + `.value !== ''`)
	b.pushes("Make the order")
	b.shows("This is not a price.")
	b.fills("Agreed price", "10")
	b.pushes("Make the order")
	b.shows("This way of delivery needs a street or a city.")
	b.screenIsFit(core, "order-new", width)
	b.fills("Street and house", "Calle de Argumosa 9")
	b.pushes("Make the order")
	b.until(`/\/orders\/\d+$/.test(location.pathname)`)
	b.shows("Agreed price")
	made := d.must(d.owner, "GET", "/orders/"+b.text(`location.pathname.split('/').pop()`), nil)
	line := made["items"].([]any)[0].(map[string]any)
	if itoa(line["quantity"]) != "2" || itoa(line["unit_price"]) != "10" || itoa(line["variant_id"]) == "0" || made["source"] != "manual" {
		b.t.Errorf("the order has %v", line)
	}
}

// findsCarts sees the carts that buyers left, and no address of those who did not agree to it.
func (b *tab) findsCarts(d *orderDay, product, core string, width int64) {
	b.t.Helper()
	guest := d.must("", "POST", "/v1/auth/guest", map[string]any{})["token"].(string)
	d.must(guest, "POST", "/cart/merge", map[string]any{"company_id": d.company, "items": []any{map[string]any{"product_id": product, "quantity": 3}}})
	d.must(guest, "PUT", "/cart/contact", map[string]any{"company_id": d.company, "email": "hidden@example.com", "agreed": false})
	b.open("/cabinet/demo/orders/carts", width)
	b.shows("3 × Earl Grey")
	b.shows("h***@example.com")
	b.screenIsFit(core, "carts", width)
}
