package assist_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/internal/pay/stripetest"
)

// goods are what a checkout has: a product, one without a price, and one in a size.
type goods struct{ tea, leaflet, shirt, size string }

// What changes while the money is being reserved counts as if it had changed before: nothing is ordered, the
// money is released, and the platform is answered the same. Buyers of the storefront agree to a total when
// they confirm; what they may still order is a rule of their cart.
func TestWhatChangesWhileMoneyIsReservedIsNotOrdered(t *testing.T) {
	t.Parallel()
	stripe := stripetest.New(t)
	var during struct {
		sync.Mutex
		change func()
	}
	stripe.Fault = func(r *http.Request) stripetest.Fault {
		during.Lock()
		defer during.Unlock()
		if change := during.change; change != nil && r.Method == "POST" && strings.HasSuffix(r.URL.Path, "/payment_intents") {
			during.change = nil
			change()
		}
		return stripetest.None
	}
	b := openBazaar(t, func(cfg *admin.Config) { cfg.Pay.StripeURL = stripe.URL })
	owner := b.Session(b.OwnerID)
	s := &offering{bazaar: b, token: b.Result("POST", "/v1/shop/assistants/tokens", owner, m{"name": "Chat"})["token"].(string)}
	b.OK("PUT", "/v1/shop/payment-methods/stripe", owner, m{"title": "Card", "is_active": true, "settings": m{
		"secret_key": stripetest.SecretKey, "webhook_secret": "whsec_test", "publishable_key": "pk_test_1", "merchant_id": "acct_1",
	}})
	add := func(name string, price, stock int) string {
		return fmt.Sprint(b.Result("POST", "/products", b.Owner, m{"item": m{"name": name, "price": m{"price": price}, "is_published": true, "stock_quantity": stock}})["id"])
	}
	stocked := func() (g goods) {
		b.Clock.Advance(time.Minute)
		g = goods{tea: add("Tea", 7, 9), leaflet: add("Leaflet", 0, 9), shirt: add("Shirt", 20, 9)}
		sizes := b.Result("PUT", "/products/"+g.shirt+"/variants", b.Owner, m{"items": l{m{"title": "S"}}})["variants"].(l)
		g.size = fmt.Sprint(sizes[0].(m)["id"])
		return g
	}
	set := func(id string, fields m) { b.OK("PUT", "/products/"+id, b.Owner, m{"item": fields}) }
	shut := func(id string) {
		b.OK("POST", "/access-policies", b.Owner, m{"name": "Trade", "kind": "password", "resources": l{m{"type": "product", "id": id}}})
	}
	token, orders := 0, 0
	for name, c := range map[string]struct {
		change func(g goods)
		code   string // that a platform is answered
		buyer  string // what the storefront answers to the total that its buyer was shown
	}{
		"unpublished":              {func(g goods) { set(g.tea, m{"is_published": false}) }, "item_unavailable", "200"},
		"deleted":                  {func(g goods) { b.OK("DELETE", "/products/"+g.tea, b.Owner, nil) }, "item_unavailable", "400 PRICE_CHANGED"},
		"closed":                   {func(g goods) { shut(g.tea) }, "item_unavailable", "400 PRICE_CHANGED"},
		"sold out":                 {func(g goods) { b.OK("PUT", "/products/"+g.tea+"/stock", owner, m{"quantity": 0}) }, "out_of_stock", "400 out_of_stock"},
		"repriced":                 {func(g goods) { set(g.tea, m{"price": m{"price": 8}}) }, "price_changed", "400 PRICE_CHANGED"},
		"without a price and gone": {func(g goods) { set(g.leaflet, m{"is_published": false}) }, "item_unavailable", "200"},
		"without a price and shut": {func(g goods) { shut(g.leaflet) }, "item_unavailable", "200"},
		"without its size": {func(g goods) {
			b.OK("PUT", "/products/"+g.shirt+"/variants", b.Owner, m{"items": l{m{"id": g.size, "title": "S", "is_active": false}}})
		}, "item_unavailable", "200"},
		"all unpublished": {func(g goods) {
			for _, id := range []string{g.tea, g.leaflet, g.shirt} {
				set(id, m{"is_published": false})
			}
		}, "item_unavailable item_unavailable item_unavailable", "200"},
	} {
		buyer := m{"first_name": "Ann", "email": "ann@people.test", "phone_number": "+4930123456"}
		for _, face := range []struct {
			sessions string
			create   func(g goods) m
			pay      func(token string) m
			token    string
		}{
			{"/ucp/checkout-sessions", func(g goods) (body m) {
				lines := l{}
				for _, id := range []string{g.tea, g.leaflet, g.shirt + "-" + g.size} {
					lines = append(lines, m{"item": m{"id": id}, "quantity": 2})
				}
				return m{"line_items": lines, "buyer": buyer}
			}, google, "tok_"},
			{"/acp/checkout_sessions", func(g goods) m {
				lines := l{}
				for _, id := range []string{g.tea, g.leaflet, g.shirt + "-" + g.size} {
					lines = append(lines, m{"id": id, "quantity": 2})
				}
				return m{"line_items": lines, "currency": "eur", "capabilities": m{}, "buyer": buyer}
			}, shared, "spt_"},
		} {
			what := face.sessions + ", " + name
			complete := func(before bool) string {
				g := stocked()
				_, made := s.call("POST", face.sessions, face.create(g))
				if before {
					c.change(g)
				} else {
					during.Lock()
					during.change = func() { c.change(g) }
					during.Unlock()
				}
				token++
				status, out := s.call("POST", fmt.Sprint(face.sessions, "/", made["id"], "/complete"), face.pay(fmt.Sprint(face.token, token)))
				codes := ""
				messages, _ := out["messages"].(l)
				for _, message := range messages {
					codes += fmt.Sprint(" ", message.(m)["code"])
				}
				return fmt.Sprint(status, " ", out["status"], codes, " ", out["order"])
			}
			intents := len(stripe.Intents())
			first := complete(true)
			if n := len(stripe.Intents()); n != intents {
				t.Errorf("%s before: %d charges", what, n-intents)
			}
			if second := complete(false); first != second {
				t.Errorf("%s: %s\nwhile the money is reserved: %s", what, first, second)
			}
			if face.token == "tok_" && !strings.Contains(first, " "+c.code+" <nil>") {
				t.Errorf("%s: %s, want %s", what, first, c.code)
			}
			if n := len(stripe.Intents()); n != intents+1 || stripe.Intents()[intents].Status != "canceled" {
				t.Errorf("%s: %v", what, stripe.Intents()[intents:])
			}
		}
		g := stocked()
		ann := b.Session(b.Buyer(strings.ReplaceAll(name, " ", "-") + "@people.test"))
		for id, key := range map[string]string{g.tea: "default", g.leaflet: "default", g.shirt: "v" + g.size} {
			b.OK("POST", "/cart/items/"+id+"/"+key, ann, m{"company_id": b.Shop.ID, "quantity": 2})
		}
		total := b.Result("GET", fmt.Sprint("/cart/items?company_id=", b.Shop.ID), ann, nil)["grand_total"]
		c.change(g)
		out := b.Send(apitest.Request{Method: "POST", Path: "/cart/confirm", Key: ann, Body: m{
			"company_id": b.Shop.ID, "contact": m{"name": "Ann", "phone": "+4930123456"}, "expected_grand_total": total,
		}})
		if got := strings.TrimSpace(fmt.Sprint(out.Status, " ", apitest.Code(out.JSON))); got != c.buyer {
			t.Errorf("the storefront, %s: %s, want %s", name, got, c.buyer)
		}
		if c.buyer == "200" {
			orders++
		}
	}
	var placed int
	if err := b.Store.Pool.QueryRow(t.Context(), `SELECT count(*) FROM shop_order`).Scan(&placed); err != nil || placed != orders {
		t.Errorf("%d orders, want %d of the storefront: %v", placed, orders, err)
	}
}
