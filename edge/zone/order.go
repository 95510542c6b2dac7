package zone

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"vitrine/edge/backend"
	"vitrine/internal/shop"
	"vitrine/render"
)

// ordersSize is how many orders a page lists.
const ordersSize = 20

// showOrders shows the list, or the order whose id is in the path.
func (v *Visit) showOrders() (Answer, error) {
	if id, kind, below := strings.Cut(v.Below, "/"); below {
		return v.showPaper(id, kind)
	}
	if v.Below != "" {
		return v.showOrder(nil)
	}
	o := &render.Orders{Page: 1, Guest: true}
	if !v.Backend.HasSession() {
		return Answer{Body: o}, nil
	}
	if n, err := strconv.Atoi(v.Query.Get("page")); err == nil && n > 1 && n < 100000 {
		o.Page = n
	}
	who, err := v.Backend.Customer()
	if err != nil {
		return Answer{}, err
	}
	o.Guest = who == nil
	items, total, _, err := v.Backend.Orders(o.Page, ordersSize)
	if err != nil {
		return Answer{}, err
	}
	o.Items, o.Pages = items, (total+ordersSize-1)/ordersSize
	return Answer{Body: o}, nil
}

// showPaper prints an issued invoice or credit note of an order for its buyer.
func (v *Visit) showPaper(id, kind string) (Answer, error) {
	v.Below = id
	if v.orderID() == "" || kind != string(shop.PaperInvoice) && kind != string(shop.PaperCreditNote) {
		return missing()
	}
	if !v.Backend.HasSession() && v.key() == "" {
		return to("/account?next=/orders/" + id + "/" + kind)
	}
	page, refused, err := v.Backend.Paper(id, kind)
	switch {
	case err != nil:
		return Answer{}, err
	case refused.Unauthenticated():
		return to("/account?next=/orders/" + id + "/" + kind)
	case refused != nil:
		return missing()
	}
	return Answer{Paper: page}, nil
}

// orderID is the order id in the path, empty if it is malformed.
func (v *Visit) orderID() string {
	if n, err := strconv.ParseInt(v.Below, 10, 64); err != nil || n <= 0 || strconv.FormatInt(n, 10) != v.Below {
		return ""
	}
	return v.Below
}

// key is the key in the link of an e-mail; empty if there is none.
func (v *Visit) key() string {
	key := v.Query.Get("key")
	if v.Zone != shop.ZoneOrders || len(key) > 64 || strings.Trim(key, keyLetters) != "" {
		return ""
	}
	return key
}

const keyLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// orderPage is the page of an order with a query, for this visitor.
func (v *Visit) orderPage(id, query string) string {
	o := render.Order{ID: json.Number(id), Key: v.key()}
	return o.At(query)
}

// showOrder shows one order, with the refusal of a form. Only its buyer gets it; for others
// it is missing.
func (v *Visit) showOrder(refused *backend.Refusal) (Answer, error) {
	if v.orderID() == "" {
		return missing()
	}
	if !v.Backend.HasSession() && v.key() == "" {
		return to("/account?next=/orders/" + v.Below)
	}
	o, denied, err := v.Backend.Order(v.Below)
	switch {
	case err != nil:
		return Answer{}, err
	case denied.Unauthenticated(), denied != nil && !v.Backend.HasSession():
		return to("/account?next=/orders/" + v.Below)
	case denied != nil:
		return missing()
	}
	o.Key = v.key()
	o.CartEmpty = v.Query.Get("cart") == "empty"
	o.Made, o.Back, o.Trouble = v.Query.Get("made") != "", v.refreshes(), trouble(refused, "")
	if refused == nil {
		o.Trouble = v.paymentTrouble()
	}
	if !o.Paid() && o.Status != "cancelled" {
		if o.Methods, err = v.Backend.PaymentMethods(); err != nil {
			return Answer{}, err
		}
		for _, m := range o.Methods {
			if m.Method == o.PaymentMethod {
				o.Instructions = m.Instructions
			}
		}
		o.Methods = slices.DeleteFunc(o.Methods, func(m render.PayMethod) bool { return !atProvider(m.Method) })
	}
	if err := v.messages(&o); err != nil {
		return Answer{}, err
	}
	who, err := v.Backend.Customer()
	o.Guest = who == nil
	if err != nil {
		return Answer{}, err
	}
	a, err := page(&o, refused)
	if o.Waiting() && o.Back < maxRefreshes {
		a.Refresh, a.RefreshURL = refreshSeconds, o.At("back="+strconv.Itoa(o.Back+1))
	}
	return a, err
}

const (
	messagesShown = 50     // per page
	messagesMost  = 20_000 // read per order
)

// messages reads all messages of the order, shows one page of them, the first page being
// the newest, and marks them as seen.
func (v *Visit) messages(o *render.Order) error {
	var all []render.Message
	for after := ""; len(all) < messagesMost; {
		said, refused, err := v.Backend.Messages(v.Below, after)
		if err != nil || refused != nil {
			return err
		}
		if all = append(all, said...); len(said) < backend.MessagesRead {
			break
		}
		after = string(all[len(all)-1].ID)
	}
	if len(all) == 0 {
		return nil
	}
	page, err := strconv.Atoi(v.Query.Get("messages"))
	if err != nil || page < 1 || (page-1)*messagesShown >= len(all) {
		page = 1
	}
	end := len(all) - (page-1)*messagesShown
	o.Messages = all[max(end-messagesShown, 0):end]
	if end > messagesShown {
		o.Earlier = o.At("messages="+strconv.Itoa(page+1)) + "#messages"
	}
	_, err = v.Backend.MarkSeen(v.Below)
	return err
}

// takeOrder handles a message, the choice of a payment method, a cancellation, or a repeated
// order.
func (v *Visit) takeOrder() (Answer, error) {
	if v.orderID() == "" {
		return missing()
	}
	if v.sent("do") == "again" {
		return v.reorder()
	}
	if method := v.sent("pay"); method != "" {
		return v.pay(v.Below, method, "")
	}
	var refused *backend.Refusal
	var err error
	if v.sent("do") == "cancel" {
		refused, err = v.Backend.CancelOrder(v.Below)
	} else {
		refused, err = v.Backend.SendMessage(v.Below, v.sent("text"))
	}
	switch {
	case err != nil:
		return Answer{}, err
	case refused == nil:
		return to(v.orderPage(v.Below, ""))
	}
	return v.showOrder(refused)
}

// reorder puts the lines of the order into the cart, as far as they are still sold. Gifts
// are left out: the buyer did not choose them.
func (v *Visit) reorder() (Answer, error) {
	o, refused, err := v.Backend.Order(v.Below)
	if err != nil {
		return Answer{}, err
	}
	if refused != nil {
		return v.showOrder(refused)
	}
	var items []backend.CartItem
	for _, l := range o.Lines {
		if !l.IsGift {
			items = append(items, backend.CartItem{Product: l.Product, Key: l.Key, Quantity: l.Quantity, Data: l.Data})
		}
	}
	if refused, err = v.Backend.EnsureSession(); err != nil || refused != nil {
		return Answer{}, err
	}
	if refused, err = v.Backend.MergeCart(items); err != nil {
		return Answer{}, err
	}
	if refused != nil {
		return v.showOrder(refused)
	}
	return to("/cart")
}
