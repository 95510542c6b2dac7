package backend

import (
	"encoding/json"
	"net/url"
	"strconv"

	"github.com/valyala/fasthttp"

	"vitrine/render"
)

const (
	cartPath  = "/cart/items"
	promoPath = "/cart/promo"
	wishPath  = "/v1/account/wishlist"
)

// Checkout is what the page of a checkout shows. With an empty cart the rest is empty, too.
type Checkout struct {
	Cart  render.Cart `json:"cart"`
	Offer struct {
		Options []render.DeliveryOption `json:"delivery_options"` // without what depends on the destination
		Methods []render.PayMethod      `json:"payment_methods"`
		Asks    render.Asks             `json:"asks"`

		AsksConsent bool `json:"asks_consent"`
	} `json:"offer"`
	Buyer struct {
		render.Person
		Typed     CheckoutTyped    `json:"typed"`
		Addresses []render.Address `json:"addresses"`
		Agreed    bool             `json:"agreed"`
	} `json:"buyer"`
}

// SentCheckout is what a sent checkout form says about the sums.
type SentCheckout struct{ Country, Region, Postcode, Delivery, VATNumber string }

// Checkout reads everything that the page of a checkout shows, in one call. Without a sent form,
// the sums are those of the stored one.
func (v *Visitor) Checkout(sent *SentCheckout) (Checkout, *Refusal, error) {
	path := "/inside/checkout"
	if sent != nil {
		path += "?" + url.Values{
			"sent": {"true"}, "country": {sent.Country}, "region": {sent.Region}, "postcode": {sent.Postcode}, "delivery_option_id": {sent.Delivery},
			"vat_number": {sent.VATNumber},
		}.Encode()
	}
	return get[Checkout](v, path)
}

// CheckoutTyped is the unfinished checkout form, as the API stores it with the cart.
type CheckoutTyped struct {
	Contact  Contact         `json:"contact"`
	Address  json.RawMessage `json:"address,omitempty"`
	Comment  string          `json:"comment"`
	Delivery json.Number     `json:"delivery_option_id,omitempty"`
	Point    string          `json:"delivery_point_id"`
	Pay      string          `json:"payment_method"`
}

// Contact is how the shop reaches the buyer.
type Contact struct {
	Name      string `json:"name"`
	Phone     string `json:"phone"`
	Email     string `json:"email"`
	VATNumber string `json:"vat_number"`
}

// SaveTyped stores an unfinished checkout form.
func (v *Visitor) SaveTyped(t CheckoutTyped) (*Refusal, error) { return v.put("/cart/checkout", t) }

// SaveContact stores the address to which the shop may send a reminder of the cart, and whether the
// visitor agreed to it.
func (v *Visitor) SaveContact(email string, agreed bool) (*Refusal, error) {
	return v.put("/cart/contact", struct {
		Email  string `json:"email"`
		Agreed bool   `json:"agreed"`
	}{email, agreed})
}

// key is the key in the link of a reminder.
type key struct {
	Key string `json:"key"`
}

// OpenCart adds the lines of the cart of a reminder's link to the visitor's cart.
func (v *Visitor) OpenCart(of string) (*Refusal, error) { return v.post("/inside/cart/open", key{of}) }

// OpenAssistant gives the visitor the checkout that a program has filled for them.
func (v *Visitor) OpenAssistant(link string) (*Refusal, error) {
	return v.post("/inside/assist/open", struct {
		Session string `json:"session"`
	}{link})
}

// RefuseReminders ends the reminders of the shop to the address of a link.
func (v *Visitor) RefuseReminders(of string) (*Refusal, error) {
	return v.call(request{method: fasthttp.MethodPost, path: "/inside/reminders/refuse", in: key{of}, anonymous: true}, nil)
}

// NewOrder is the order that a buyer places.
type NewOrder struct {
	Contact       Contact         `json:"contact"`
	Comment       string          `json:"comment"`
	Expected      int64           `json:"expected_total"`
	ExpectedGrand int64           `json:"expected_grand_total"`
	Pay           string          `json:"payment_method"`
	Address       *render.Address `json:"address,omitempty"`
	Delivery      int64           `json:"delivery_option_id,omitempty"`
	Point         string          `json:"delivery_point_id,omitempty"`
}

// PlaceOrder turns the cart into an order. Calls with the same attempt make one order.
func (v *Visitor) PlaceOrder(o NewOrder, attempt string) (render.Order, *Refusal, error) {
	return send[render.Order](v, request{method: fasthttp.MethodPost, path: "/cart/confirm", in: o, attempt: attempt})
}

// Cart is the visitor's cart with its prices, without delivery.
func (v *Visitor) Cart() (render.Cart, *Refusal, error) { return get[render.Cart](v, "/inside/cart") }

// DeliveryOptions are the shop's delivery options, the default one first.
func (v *Visitor) DeliveryOptions() ([]render.DeliveryOption, error) {
	options, _, err := get[[]render.DeliveryOption](v, "/v1/shop/delivery-options")
	return options, err
}

// PaymentMethods are the payment methods of the shop.
func (v *Visitor) PaymentMethods() ([]render.PayMethod, error) {
	methods, _, err := get[[]render.PayMethod](v, "/v1/shop/payment-methods")
	return methods, err
}

type quantity struct {
	Quantity int64 `json:"quantity"`
}

// AddToCart adds units of a product, or of the variant that is not 0. Each variant has a line
// of its own.
func (v *Visitor) AddToCart(product string, units, variant int64) (*Refusal, error) {
	type chosen struct {
		Variant int64 `json:"variant_id,omitempty"`
	}
	key := "default"
	if variant != 0 {
		key = "v" + strconv.FormatInt(variant, 10)
	}
	return v.post(path(cartPath, product, key), struct {
		quantity
		Data chosen `json:"data"`
	}{quantity{units}, chosen{variant}})
}

// SetQuantity sets the quantity of a line of the cart.
func (v *Visitor) SetQuantity(product, key string, units int64) (*Refusal, error) {
	return v.put(path(cartPath, product, key), quantity{units})
}

// RemoveLine removes a line from the cart.
func (v *Visitor) RemoveLine(product, key string) (*Refusal, error) {
	return v.call(request{method: fasthttp.MethodDelete, path: path(cartPath, product, key)}, nil)
}

// CartItem is a line to be added to the cart.
type CartItem struct {
	Product  int64           `json:"product_id"`
	Key      string          `json:"key"`
	Quantity int64           `json:"quantity"`
	Data     json.RawMessage `json:"data,omitempty"`
}

// MergeCart adds lines to the cart.
func (v *Visitor) MergeCart(items []CartItem) (*Refusal, error) {
	return v.post("/cart/merge", struct {
		Items []CartItem `json:"items"`
	}{items})
}

// UseCode stores a promotion code on the cart.
func (v *Visitor) UseCode(code string) (*Refusal, error) {
	return v.post(promoPath, struct {
		Code string `json:"code"`
	}{code})
}

// DropCode removes the promotion code from the cart.
func (v *Visitor) DropCode() (*Refusal, error) {
	return v.call(request{method: fasthttp.MethodDelete, path: promoPath, in: empty{}}, nil)
}

// page is a page of a list.
type page[T any] struct {
	Items []T `json:"items"`
	Total int `json:"total"`
}

// Wishlist is the visitor's wishlist, newest first.
func (v *Visitor) Wishlist() ([]render.WishItem, *Refusal, error) {
	found, refused, err := get[page[render.WishItem]](v, wishPath)
	return found.Items, refused, err
}

// Wish puts a product on the wishlist.
func (v *Visitor) Wish(product string) (*Refusal, error) {
	return v.put(path(wishPath, product), empty{})
}

// Unwish removes a product from the wishlist.
func (v *Visitor) Unwish(product string) (*Refusal, error) {
	return v.call(request{method: fasthttp.MethodDelete, path: path(wishPath, product)}, nil)
}
