package cart_test

import (
	"fmt"
	"testing"
)

// A cart takes two statements for the session and three for itself, however many lines, rates and
// taxes it has: what the shop offers is read once per version of the shop.
func TestAReadCartTakesFewStatements(t *testing.T) {
	b := open(t)
	owner := b.Session(b.OwnerID)
	b.OK("PUT", "/v1/shop/settings", owner, m{"tax": m{"included": false, "default_country": "DE", "rates": l{
		m{"country": "DE", "class": "standard", "name": "VAT", "percent": 19}}}})
	b.OK("POST", options, owner, m{"name": "Post", "rates": l{m{"countries": l{"DE"}, "max_weight_g": 100_000, "price": 5}, m{"price": 20}}})
	guest := fmt.Sprint(b.Result("POST", "/v1/auth/guest", "", m{})["token"])
	var items l
	for range 20 {
		product := b.product(b.Owner, m{"weight_g": 400})
		b.OK("POST", b.line(product, "default"), guest, m{"quantity": 2})
		items = append(items, m{"product_id": product, "key": "default", "quantity": 2})
	}
	cart := func() any {
		return b.Result("GET", fmt.Sprintf("/cart/items?company_id=%d", b.Shop.ID), guest, nil)["grand_total"]
	}
	quote := func() any {
		return b.Result("POST", "/cart/quote", "", m{"company_id": b.Shop.ID, "items": items})["grand_total"]
	}
	for name, c := range map[string]struct {
		read func() any
		most int
	}{"cart": {cart, 5}, "quote": {quote, 3}} {
		c.read()
		b.Sent.Take()
		if total := c.read(); total == nil || total == 0.0 {
			t.Errorf("%s: %v", name, total)
		}
		sent := b.Sent.Take()
		if len(sent) > c.most {
			t.Errorf("%s: %d statements", name, len(sent))
		}
	}
}
