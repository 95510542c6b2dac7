package zone

import (
	"crypto/rand"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"vitrine/compile/lead"
	"vitrine/edge/backend"
	"vitrine/internal/shop"
	"vitrine/render"
)

// checkout reads what the page shows: the cart, the ways to deliver and pay, and the known data
// of the buyer. Its sums are those of a sent form, if there is one. Without a cart it is empty, with
// a trouble if the API refused to read it.
func (v *Visit) checkout(sent *backend.SentCheckout) (*render.Checkout, error) {
	c := &render.Checkout{}
	if !v.Backend.HasSession() {
		return c, nil
	}
	read, refused, err := v.Backend.Checkout(sent)
	if !refused.Unauthenticated() {
		c.Trouble = trouble(refused, "")
	}
	if err != nil || refused != nil || len(read.Cart.Lines) == 0 {
		return c, err
	}
	buyer := &read.Buyer
	c.Cart, c.Asks, c.Methods, c.Guest = read.Cart, read.Offer.Asks, read.Offer.Methods, buyer.Email == ""
	c.Options, c.Stuck = possible(read.Cart.Deliveries, read.Offer.Options), len(read.Cart.Deliveries) < min(1, len(read.Offer.Options))
	completeCart(&c.Cart, c.Guest, c.Options)
	if !c.Guest {
		c.Filled.Name, c.Filled.Phone, c.Filled.Email = buyer.Name, buyer.Phone, buyer.Email
		c.Addresses = buyer.Addresses
	}
	c.AsksConsent, c.Filled.Agreed = read.Offer.AsksConsent, buyer.Agreed
	fillTyped(&c.Filled, &buyer.Typed)
	if c.Asks.Place() && c.Filled.Address == (render.Address{}) && len(c.Addresses) > 0 {
		c.Filled.Address = typedFrom(c.Addresses[0])
	}
	if c.Filled.Address.Country == "" && slices.Contains(c.Asks.Countries, c.Asks.Default) {
		c.Filled.Address.Country = c.Asks.Default
	}
	return c, nil
}

// possible adds what does not depend on the destination to the possible deliveries.
func possible(deliveries, options []render.DeliveryOption) []render.DeliveryOption {
	for i := range deliveries {
		d := &deliveries[i]
		for _, o := range options {
			if o.ID == d.ID {
				d.Description, d.FreeFrom, d.Points, d.NeedsAddress = o.Description, o.FreeFrom, o.Points, o.NeedsAddress
				d.Grand, d.Taxes = o.Grand, o.Taxes
			}
		}
	}
	return deliveries
}

// typedFrom returns an address of the book as if it was typed.
func typedFrom(a render.Address) render.Address {
	a.ID, a.Name, a.Phone, a.IsDefault = "", "", "", false
	return a
}

// fillTyped fills the form with what was typed before.
func fillTyped(filled *render.CheckoutFields, t *backend.CheckoutTyped) {
	for field, text := range map[*string]string{
		&filled.Name: t.Contact.Name, &filled.Phone: t.Contact.Phone, &filled.Email: t.Contact.Email, &filled.VATNumber: t.Contact.VATNumber, &filled.Comment: t.Comment,
		&filled.Delivery: string(t.Delivery), &filled.Point: t.Point, &filled.Pay: t.Pay,
	} {
		if text != "" && text != "0" {
			*field = text
		}
	}
	var address render.Address
	if json.Unmarshal(t.Address, &address) == nil { // the API accepts addresses of any shape, the page only this one
		filled.Address = address
	}
}

// saveTyped stores the typed fields with the cart. A failure is ignored: it must not fail
// the visitor's actual request.
func (v *Visit) saveTyped(filled render.CheckoutFields) {
	if !v.Backend.HasSession() {
		return
	}
	t := backend.CheckoutTyped{Contact: contact(filled), Comment: filled.Comment, Pay: filled.Pay, Point: filled.Point}
	if filled.Address.Line() != "" || filled.Address.Comment != "" {
		address, err := json.Marshal(filled.Address)
		if err != nil {
			return
		}
		t.Address = address
	}
	if _, err := strconv.ParseInt(filled.Delivery, 10, 64); err == nil {
		t.Delivery = json.Number(filled.Delivery)
	}
	_, _ = v.Backend.SaveTyped(t)
	if filled.Email == "" || lead.IsEmail(filled.Email) {
		_, _ = v.Backend.SaveContact(filled.Email, filled.Agreed)
	}
}

func contact(filled render.CheckoutFields) backend.Contact {
	return backend.Contact{Name: filled.Name, Phone: filled.Phone, Email: filled.Email, VATNumber: filled.VATNumber}
}

// recentOrder is how long after an order its empty checkout redirects to it.
const recentOrder = 24 * time.Hour

// unpaid is the address of the visitor's last order if it awaits payment at a provider, else
// empty. Visitors who navigate back from the provider reach the checkout, whose cart is
// empty by then.
func (v *Visit) unpaid() (string, error) {
	if !v.Backend.HasSession() {
		return "", nil
	}
	orders, _, refused, err := v.Backend.Orders(1, 1)
	if err != nil || refused != nil || len(orders) == 0 {
		return "", err
	}
	o := orders[0]
	if o.Paid() || o.Status == "cancelled" || !atProvider(o.PaymentMethod) || time.Since(o.CreatedAt) > recentOrder {
		return "", nil
	}
	return o.At("cart=empty"), nil
}

func (v *Visit) showCheckout() (Answer, error) {
	if v.Below != "" {
		return missing()
	}
	if link := v.Query.Get(sessionParam); link != "" {
		return v.openAssistant(link)
	}
	c, err := v.checkout(nil)
	if err == nil && len(c.Cart.Lines) == 0 && c.Trouble.Code == "" {
		if made, err := v.unpaid(); err != nil || made != "" {
			return Answer{Location: made}, err
		}
	}
	c.Filled.Attempt = rand.Text()
	return Answer{Body: c}, err
}

// sessionParam has the link to a checkout that a program has filled.
const sessionParam = "session"

// openAssistant gives the visitor a checkout that a program has filled, and redirects to it without
// the link. Whatever opens links before people do claims nothing.
func (v *Visit) openAssistant(link string) (Answer, error) {
	if v.Preview {
		return Answer{Location: "/checkout", FromLink: true}, nil
	}
	refused, err := v.Backend.OpenAssistant(link)
	if err != nil || refused == nil {
		return Answer{Location: "/checkout", FromLink: true}, err
	}
	return Answer{Status: refused.Status, Body: &render.Checkout{Trouble: trouble(refused, "")}, FromLink: true}, nil
}

// refusedField is the field that a refusal of a checkout is about.
func refusedField(code string, filled render.CheckoutFields) string {
	switch {
	case code == "CONTACT_REQUIRED" && filled.Name == "":
		return "name"
	case code == "CONTACT_REQUIRED":
		return "phone"
	case code == phoneInvalid:
		return "phone"
	case code == vatInvalid:
		return "vat_number"
	case code == "CONTACT_INVALID":
		return "email"
	case code == "ADDRESS_REQUIRED":
		return "street"
	case code == "DELIVERY_NOT_FOUND", code == "DELIVERY_NOT_POSSIBLE":
		return "delivery"
	}
	return ""
}

// takeCheckout places the order. The attempt makes a form that is sent twice one order;
// after a refusal the page gets a new one.
func (v *Visit) takeCheckout() (Answer, error) {
	if v.Below != "" {
		return missing()
	}
	filled := v.filled()
	switch v.sent("do") {
	case "keep":
		v.saveTyped(filled)
		return Answer{NoContent: true}, nil
	case "place":
		return v.takePlace(filled)
	}
	if v.sent("address_id") != "" && filled.Address.Street == "" && filled.Address.City == "" {
		if err := v.fillAddress(&filled); err != nil {
			return Answer{}, err
		}
	}
	sent := &backend.SentCheckout{
		Country: filled.Address.Country, Region: filled.Address.Region, Postcode: filled.Address.Postcode, Delivery: filled.Delivery,
		VATNumber: filled.VATNumber,
	}
	known, err := v.checkout(sent)
	if err != nil {
		return Answer{}, err
	}
	expected, _ := strconv.ParseInt(v.sent("expected_total"), 10, 64)
	grand, _ := strconv.ParseInt(v.sent("grand-"+filled.Delivery), 10, 64)
	var made render.Order
	refused := validate(filled)
	if refused == nil {
		made, refused, err = v.confirm(v.order(filled, expected, grand), attempt(filled))
	}
	if err != nil {
		return Answer{}, err
	}
	if refused == nil {
		if atProvider(filled.Pay) {
			return v.pay(string(made.ID), filled.Pay, "&made=1")
		}
		return to(made.Path() + "?made=1")
	}
	if repriced[refused.Code] { // since the cart was read
		if known, err = v.checkout(sent); err != nil {
			return Answer{}, err
		}
		known.SetWas(expected, grand)
	}
	if !undecided(refused) {
		filled.Attempt = rand.Text()
		v.saveTyped(filled)
	}
	known.Filled, known.Trouble = filled, trouble(refused, refusedField(refused.Code, filled))
	return page(known, refused)
}

// takePlace stores the form and shows the page for its destination, which an address from the book
// replaces.
func (v *Visit) takePlace(filled render.CheckoutFields) (Answer, error) {
	if v.sent("address_id") != "" {
		if err := v.fillAddress(&filled); err != nil {
			return Answer{}, err
		}
	}
	v.saveTyped(filled)
	return to("/checkout")
}

// fillAddress replaces the typed address by the one chosen from the book.
func (v *Visit) fillAddress(filled *render.CheckoutFields) error {
	book, err := v.Backend.Addresses()
	for _, a := range book {
		if string(a.ID) == v.sent("address_id") {
			filled.Address = typedFrom(a)
		}
	}
	return err
}

// validate refuses fields that the shop's forms refuse although the API accepts them.
func validate(filled render.CheckoutFields) *backend.Refusal {
	if filled.Phone != "" && !lead.IsPhone(filled.Phone) {
		return &backend.Refusal{Status: fasthttp.StatusBadRequest, Code: phoneInvalid}
	}
	if _, err := shop.ParseVATNumber(filled.VATNumber); err != nil {
		return &backend.Refusal{Status: fasthttp.StatusBadRequest, Code: vatInvalid}
	}
	return nil
}

// The codes of what validate refuses.
const (
	phoneInvalid = "PHONE_INVALID"
	vatInvalid   = "VAT_NUMBER_INVALID"
)

// confirm places the order. A form that is sent again while the first request is in
// progress waits for its order: the browser has dropped the first request and shows the
// response of this one.
func (v *Visit) confirm(order backend.NewOrder, attempt string) (made render.Order, refused *backend.Refusal, err error) {
	end := time.Now().Add(confirmTimeout)
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		made, refused, err = v.Backend.PlaceOrder(order, attempt)
		if err != nil || refused == nil || refused.Code != inProgress || time.Now().Add(pause).After(end) {
			return made, refused, err
		}
		time.Sleep(pause)
	}
}

const (
	inProgress = "IDEMPOTENCY_IN_PROGRESS"

	confirmTimeout = 10 * time.Second // limit of the wait for an order in progress
	firstPause     = 50 * time.Millisecond
	maxPause       = time.Second
)

// undecided reports whether the same attempt must be sent again, because the API has not
// decided about it.
func undecided(r *backend.Refusal) bool {
	return r.Code == inProgress || r.Status == fasthttp.StatusTooManyRequests
}

// repriced are the refusals after which the order has another price.
var repriced = map[string]bool{"PRICE_CHANGED": true, "PROMO_CODE_EXHAUSTED": true, "CAMPAIGN_BUDGET_SPENT": true}

// attempt is the idempotency key of the form. A missing or malformed one is replaced by a
// new attempt.
func attempt(filled render.CheckoutFields) string {
	if len(filled.Attempt) < 16 || len(filled.Attempt) > 64 {
		return rand.Text()
	}
	return filled.Attempt
}

// filled are the fields of the form.
func (v *Visit) filled() render.CheckoutFields {
	delivery := v.sent("delivery_option_id")
	return render.CheckoutFields{
		Name: v.sent("name"), Phone: v.sent("phone"), Email: v.sent("email"), VATNumber: v.sent("vat_number"), Comment: v.sent("comment"),
		Delivery: delivery, Point: v.sent("point-" + delivery), Pay: v.sent("payment_method"), Attempt: v.sent("attempt"), Address: v.typedAddress(),
		Agreed: v.Form.Has("agreed"),
	}
}

func (v *Visit) typedAddress() render.Address {
	return render.Address{
		Street: v.sent("street"), City: v.sent("city"), Region: v.sent("region"), Postcode: v.sent("postcode"),
		Country: v.sent("country"), Comment: v.sent("note"),
	}
}

// order is the order that the form asks for.
func (v *Visit) order(filled render.CheckoutFields, expected, grand int64) backend.NewOrder {
	o := backend.NewOrder{Contact: contact(filled), Comment: filled.Comment, Expected: expected, ExpectedGrand: grand, Pay: filled.Pay, Point: filled.Point}
	if filled.Address.Line() != "" {
		o.Address = &filled.Address
	}
	if id, err := strconv.ParseInt(filled.Delivery, 10, 64); err == nil {
		o.Delivery = id
	}
	return o
}
