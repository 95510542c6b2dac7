package backend

import (
	"net/url"

	"github.com/valyala/fasthttp"

	"vitrine/render"
)

// orderPath is the address of an order, with the key of the visitor's link.
func (v *Visitor) orderPath(query url.Values, id string, parts ...string) string {
	if v.OrderKey != "" {
		query.Set("key", v.OrderKey)
	}
	address := path("/orders", append([]string{id}, parts...)...)
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	return address
}

// Orders is a page of the visitor's orders, newest first, and how many there are.
func (v *Visitor) Orders(number, limit int) (items []render.Order, total int, refused *Refusal, err error) {
	type paging struct {
		Number int `json:"number"`
		Limit  int `json:"limit"`
	}
	found, refused, err := send[page[render.Order]](v, request{method: fasthttp.MethodPost, path: "/orders", in: struct {
		Page paging `json:"page"`
	}{paging{number, limit}}})
	return found.Items, found.Total, refused, err
}

// Order is one order of the visitor.
func (v *Visitor) Order(id string) (render.Order, *Refusal, error) {
	return get[render.Order](v, v.orderPath(url.Values{}, id))
}

// Paper is an issued paper of an order, as a page.
func (v *Visitor) Paper(id, kind string) (page []byte, refused *Refusal, err error) {
	refused, err = v.call(request{method: fasthttp.MethodGet, path: v.orderPath(url.Values{}, id, "papers", kind)}, &page)
	return page, refused, err
}

// MessagesRead is the limit of one call of Messages.
const MessagesRead = 200

// Messages are the oldest messages about an order that come after one; "" is before the first.
func (v *Visitor) Messages(id, after string) ([]render.Message, *Refusal, error) {
	query := url.Values{}
	if after != "" {
		query.Set("after_id", after)
	}
	return get[[]render.Message](v, v.orderPath(query, id, "messages"))
}

// SendMessage sends a message to the seller.
func (v *Visitor) SendMessage(id, text string) (*Refusal, error) {
	return v.post(v.orderPath(url.Values{}, id, "messages"), struct {
		Text string `json:"text"`
	}{text})
}

// CancelOrder cancels an order.
func (v *Visitor) CancelOrder(id string) (*Refusal, error) {
	return v.post(v.orderPath(url.Values{}, id, "cancel"), empty{})
}

// MarkSeen marks all messages as seen.
func (v *Visitor) MarkSeen(id string) (*Refusal, error) {
	return v.post(v.orderPath(url.Values{}, id, "messages", "seen"), empty{})
}

// Payment is a payment that has begun.
type Payment struct {
	Status      string `json:"status"`
	RedirectURL string `json:"redirect_url"`
}

// Pay begins the payment of an order. The provider sends the visitor back to a path of the shop.
func (v *Visitor) Pay(id, method, back string) (Payment, *Refusal, error) {
	return send[Payment](v, request{method: fasthttp.MethodPost, path: v.orderPath(url.Values{}, id, "payment"), in: struct {
		Method string `json:"method"`
		Return string `json:"return_url"`
	}{method, back}})
}
