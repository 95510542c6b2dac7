package assist_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/pay/stripetest"
)

// goods are what a checkout has: a product, one without a price, and one in a size.
type goods struct{ tea, leaflet, shirt, size string }

// interrupted is a Stripe server, and sets what happens while it next authorizes a payment.
func interrupted(t *testing.T) (stripe *stripetest.Server, set func(func())) {
	stripe = stripetest.New(t)
	var mu sync.Mutex
	var next func()
	stripe.Fault = func(r *http.Request) stripetest.Fault {
		mu.Lock()
		defer mu.Unlock()
		if change := next; change != nil && r.Method == "POST" && strings.HasSuffix(r.URL.Path, "/payment_intents") {
			next = nil
			change()
		}
		return stripetest.None
	}
	return stripe, func(change func()) {
		mu.Lock()
		defer mu.Unlock()
		next = change
	}
}

// What changes while the money is being reserved counts as if it had changed before: nothing is ordered, the
// money is released, and the platform is answered the same. Buyers of the storefront agree to a total when
// they confirm; what they may still order is a rule of their cart.
func TestWhatChangesWhileMoneyIsReservedIsNotOrdered(t *testing.T) {
	t.Parallel()
	stripe, duringAuthorization := interrupted(t)
	s := takesCards(t, stripe)
	add := func(name string, price, stock int) string {
		return fmt.Sprint(s.Result("POST", "/products", s.Owner, m{"item": m{"name": name, "price": m{"price": price}, "is_published": true, "stock_quantity": stock}})["id"])
	}
	owner := s.Session(s.OwnerID)
	stocked := func() (g goods) {
		s.Clock.Advance(time.Minute)
		g = goods{tea: add("Tea", 7, 9), leaflet: add("Leaflet", 0, 9), shirt: add("Shirt", 20, 9)}
		sizes := s.Result("PUT", "/products/"+g.shirt+"/variants", s.Owner, m{"items": l{m{"title": "S"}}})["variants"].(l)
		g.size = fmt.Sprint(sizes[0].(m)["id"])
		return g
	}
	set := func(id string, fields m) { s.OK("PUT", "/products/"+id, s.Owner, m{"item": fields}) }
	shut := func(id string) {
		s.OK("POST", "/access-policies", s.Owner, m{"name": "Trade", "kind": "password", "resources": l{m{"type": "product", "id": id}}})
	}
	token, orders := 0, 0
	for name, c := range map[string]struct {
		change func(g goods)
		code   string // that a platform is answered
		buyer  string // what the storefront answers to the total that its buyer was shown
	}{
		"unpublished":              {func(g goods) { set(g.tea, m{"is_published": false}) }, "item_unavailable", "200"},
		"deleted":                  {func(g goods) { s.OK("DELETE", "/products/"+g.tea, s.Owner, nil) }, "item_unavailable", "400 PRICE_CHANGED"},
		"closed":                   {func(g goods) { shut(g.tea) }, "item_unavailable", "400 PRICE_CHANGED"},
		"sold out":                 {func(g goods) { s.OK("PUT", "/products/"+g.tea+"/stock", owner, m{"quantity": 0}) }, "out_of_stock", "400 out_of_stock"},
		"repriced":                 {func(g goods) { set(g.tea, m{"price": m{"price": 8}}) }, "price_changed", "400 PRICE_CHANGED"},
		"without a price and gone": {func(g goods) { set(g.leaflet, m{"is_published": false}) }, "item_unavailable", "200"},
		"without a price and shut": {func(g goods) { shut(g.leaflet) }, "item_unavailable", "200"},
		"without its size": {func(g goods) {
			s.OK("PUT", "/products/"+g.shirt+"/variants", s.Owner, m{"items": l{m{"id": g.size, "title": "S", "is_active": false}}})
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
					duringAuthorization(func() { c.change(g) })
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
		ann := s.Session(s.Buyer(strings.ReplaceAll(name, " ", "-") + "@people.test"))
		for id, key := range map[string]string{g.tea: "default", g.leaflet: "default", g.shirt: "v" + g.size} {
			s.OK("POST", "/cart/items/"+id+"/"+key, ann, m{"company_id": s.Shop.ID, "quantity": 2})
		}
		total := s.Result("GET", fmt.Sprint("/cart/items?company_id=", s.Shop.ID), ann, nil)["grand_total"]
		c.change(g)
		out := s.Send(apitest.Request{Method: "POST", Path: "/cart/confirm", Key: ann, Body: m{
			"company_id": s.Shop.ID, "contact": m{"name": "Ann", "phone": "+4930123456"}, "expected_grand_total": total,
		}})
		if got := strings.TrimSpace(fmt.Sprint(out.Status, " ", apitest.Code(out.JSON))); got != c.buyer {
			t.Errorf("the storefront, %s: %s, want %s", name, got, c.buyer)
		}
		if c.buyer == "200" {
			orders++
		}
	}
	var placed int
	if err := s.Store.Pool.QueryRow(t.Context(), `SELECT count(*) FROM shop_order`).Scan(&placed); err != nil || placed != orders {
		t.Errorf("%d orders, want %d of the storefront: %v", placed, orders, err)
	}
}

// A shop that blocks an assistant, or revokes its token, gets no further order from it, not even one whose
// money is being reserved.
func TestAnAssistantThatIsBlockedWhileItPaysOrdersNothing(t *testing.T) {
	t.Parallel()
	stripe, duringAuthorization := interrupted(t)
	s := takesCards(t, stripe)
	owner := s.Session(s.OwnerID)
	tea := fmt.Sprint(s.Result("POST", "/products", s.Owner, m{"item": m{"name": "Tea", "price": m{"price": 7}, "is_published": true}})["id"])
	buyer := m{"first_name": "Ann", "email": "ann@people.test", "phone_number": "+4930123456"}
	block := func(which m, blocked bool) {
		which["blocked"] = blocked
		s.OK("PUT", "/v1/shop/assistants/platforms", owner, which)
	}
	token := func() any { return s.OK("GET", "/v1/shop/assistants/tokens", owner, nil)["result"].(l)[0].(m)["id"] }
	for n, c := range []struct {
		sessions string
		create   m
		pay      m
		bar      func()
		again    func()
	}{
		{"/ucp/checkout-sessions", m{"line_items": l{m{"item": m{"id": tea}, "quantity": 1}}, "buyer": buyer}, google("tok_1"),
			func() { block(m{"profile": s.profile}, true) }, func() { block(m{"profile": s.profile}, false) }},
		{"/acp/checkout_sessions", m{"line_items": l{m{"id": tea}}, "currency": "eur", "capabilities": m{}, "buyer": buyer}, shared("spt_1"),
			func() { block(m{"id": token()}, true) }, func() { block(m{"id": token()}, false) }},
		{"/acp/checkout_sessions", m{"line_items": l{m{"id": tea}}, "currency": "eur", "capabilities": m{}, "buyer": buyer}, shared("spt_2"),
			func() { s.OK("DELETE", fmt.Sprint("/v1/shop/assistants/tokens/", token()), owner, nil) }, nil},
	} {
		s.Clock.Advance(time.Minute)
		_, made := s.call("POST", c.sessions, c.create)
		at := fmt.Sprint(c.sessions, "/", made["id"])
		duringAuthorization(c.bar)
		if status, out := s.call("POST", at+"/complete", c.pay); status != 403 || out["code"] != "profile_not_trusted" {
			t.Errorf("%d: %d %v", n, status, out)
		}
		intents := stripe.Intents()
		if len(intents) != n+1 || intents[n].Status != "canceled" {
			t.Errorf("%d: %v", n, intents)
		}
		if c.again == nil {
			continue
		}
		c.again()
		if _, now := s.call("GET", at, nil); now["status"] != "ready_for_complete" && now["status"] != "ready_for_payment" {
			t.Errorf("%d: once it may buy again, the checkout is %v", n, now["status"])
		}
	}
	var placed int
	if err := s.Store.Pool.QueryRow(t.Context(), `SELECT count(*) FROM shop_order`).Scan(&placed); err != nil || placed != 0 {
		t.Errorf("%d orders: %v", placed, err)
	}
}
