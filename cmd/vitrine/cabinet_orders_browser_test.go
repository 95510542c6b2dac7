package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// An owner moves an order with the keyboard, writes to a buyer, who answers, notes a parcel, and enters
// an order by phone. Whatever somebody else does meanwhile is shown, not overwritten.
func TestOwnerKeepsOrdersInTheCabinet(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{1280, 390} {
		t.Run(fmt.Sprintf("at %d", width), func(t *testing.T) {
			d, b := openDay(t, width)
			core := axeCore(t)
			b.movesByKeyboard(d, width)
			b.talks(d, core, width)
			b.sendsParcel(d, core, width)
			b.entersOrder(d, core, width)
			b.findsCarts(d, core, width)
			b.quiet("400", "409")
		})
	}
}

// movesByKeyboard moves one order with the keyboard alone.
func (b *tab) movesByKeyboard(d *shopDay, width int64) {
	b.t.Helper()
	id, _ := d.orderByAPI("By keyboard", d.product)
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

// talks writes to a buyer, whose answer arrives by itself, and keeps a note while somebody else does.
func (b *tab) talks(d *shopDay, core string, width int64) {
	b.t.Helper()
	id, guest := d.orderByAPI("Writer", d.product)
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
func (b *tab) sendsParcel(d *shopDay, core string, width int64) {
	b.t.Helper()
	made := itoa(d.must(d.owner, "POST", "/products", map[string]any{"item": map[string]any{
		"name": "Short-lived " + oddText, "price": map[string]any{"price": 12}, "is_published": true, "stock_quantity": 9}})["id"])
	d.must(d.owner, "PUT", "/products/"+made, map[string]any{"item": map[string]any{"category_id": d.must(d.owner, "GET", "/products/"+d.product, nil)["category_id"]}})
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

func (b *tab) entersOrder(d *shopDay, core string, width int64) {
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
func (b *tab) findsCarts(d *shopDay, core string, width int64) {
	b.t.Helper()
	guest := d.guest()
	d.must(guest, "POST", "/cart/merge", map[string]any{"company_id": d.company, "items": []any{map[string]any{"product_id": d.product, "quantity": 3}}})
	d.must(guest, "PUT", "/cart/contact", map[string]any{"company_id": d.company, "email": "hidden@example.com", "agreed": false})
	b.open("/cabinet/demo/orders/carts", width)
	b.shows("3 × Earl Grey")
	b.shows("h***@example.com")
	b.screenIsFit(core, "carts", width)
}
