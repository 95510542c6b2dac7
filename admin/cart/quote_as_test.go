package cart_test

import (
	"fmt"
	"testing"

	"vitrine/internal/shop"
)

// Members ask what a customer would pay at a moment; nobody else may name one.
func TestAQuoteForACustomerAtAMoment(t *testing.T) {
	b := open(t)
	owner := b.Session(b.OwnerID)
	tea := b.product(b.Owner, nil)
	b.OK("PUT", "/products/"+tea, b.Owner, m{"item": m{"price": m{"price": 1000}}})
	price := b.Result("GET", "/products/"+tea, b.Owner, nil)["price"].(m)["price"].(float64)
	b.OK("POST", "/promotions", b.Owner, m{"item": m{"name": "Future", "kind": "order_discount", "value": m{"percent": 50}, "starts_at": "2040-01-01T00:00:00Z", "ends_at": "2040-02-01T00:00:00Z"}})
	b.OK("POST", "/promotions", b.Owner, m{"item": m{"name": "First", "kind": "order_discount", "value": m{"percent": 10}, "conditions": m{"first_order": true}, "ends_at": "2039-01-01T00:00:00Z"}})
	ann := b.Session(b.API.Buyer("quin@people.test"))
	b.OK("POST", "/cart/items/"+tea+"/default", ann, m{"quantity": 1})
	b.OK("POST", "/cart/confirm", ann, m{"company_id": b.Shop.ID, "contact": m{"name": "Ann", "phone": "1", "email": "quin@people.test"}})
	customer := b.Result("GET", "/customers?filter.query=quin", b.Owner, nil)["items"].([]any)[0].(m)["id"]
	quote := func(key string, more m) m {
		body := m{"company_id": b.Shop.ID, "items": []any{m{"product_id": tea, "key": "default", "quantity": 1}}}
		for name, value := range more {
			body[name] = value
		}
		return body
	}
	for _, c := range []struct {
		what string
		more m
		want float64
	}{
		{"a new buyer now", nil, price * 9 / 10}, {"the customer now", m{"customer_id": customer}, price},
		{"a new buyer then", m{"at": "2040-01-15T00:00:00Z"}, price / 2}, {"the customer then", m{"at": "2040-01-15T00:00:00Z", "customer_id": customer}, price / 2},
	} {
		for _, key := range []string{owner, b.Owner} {
			if got := b.Result("POST", "/cart/quote", key, quote(key, c.more))["subtotal"]; fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("%s pays %v, want %v", c.what, got, c.want)
			}
		}
	}
	for _, more := range []m{{"customer_id": customer}, {"at": "2040-01-15T00:00:00Z"}} {
		for name, key := range map[string]string{"anonymous": "", "buyer": ann, "stranger": b.API.Stranger} {
			b.Refused("POST", "/cart/quote", key, quote(key, more), 403, "DENIED")
			_ = name
		}
	}
	editor := b.Session(b.Member(shop.Editor))
	b.OK("POST", "/cart/quote", editor, quote(editor, m{"at": "2040-01-15T00:00:00Z"}))
	b.Refused("POST", "/cart/quote", editor, quote(editor, m{"customer_id": customer}), 403, "DENIED")
	b.Refused("POST", "/cart/quote", owner, quote(owner, m{"customer_id": "999999"}), 404, "CUSTOMER_NOT_FOUND")
	b.Refused("POST", "/cart/quote", owner, quote(owner, m{"at": "0001-01-01T00:00:00Z"}), 400, "INVALID_REQUEST")
}
