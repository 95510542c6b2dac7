package zone

import (
	"encoding/json"
	"fmt"
	"net/url"
	"testing"

	"github.com/valyala/fasthttp"

	"vitrine/internal/shop"
	"vitrine/render"
)

// cartAt is an API whose carts have these sums, and which refuses every order because of its price.
func cartAt(goods, grand int, asks string) *Visit {
	v := &Visit{Zone: shop.ZoneCheckout}
	v.Backend = signedIn(func(call *fasthttp.RequestCtx) {
		if string(call.Path()) == "/cart/confirm" {
			call.Error(`{"error":"rpc error: code = Aborted desc = PRICE_CHANGED: look again"}`, 409)
			return
		}
		fmt.Fprintf(call, `{"result":{"cart":{"items":[{"product_id":1,"quantity":1}],"subtotal":%d,"grand_total":%d},"offer":{"asks":%s}}}`, goods, grand, asks)
	})
	return v
}

// After a change of prices the page names the sums that the buyer saw above the button.
func TestAChangeOfPricesNamesWhatWasToPay(t *testing.T) {
	for name, c := range map[string]struct {
		goods, grand         int // now
		shownGoods, shownPay string
		was, is              int64
	}{
		"the goods":              {38, 44, "12", "18", 18, 44},
		"the delivery":           {12, 19, "12", "18", 18, 19},
		"one against the other":  {14, 18, "12", "18", 12, 14},
		"a form without the sum": {38, 44, "12", "", 12, 38},
	} {
		v := cartAt(c.goods, c.grand, "{}")
		v.Form = url.Values{"name": {"Ann"}, "phone": {"+44 20 7946 0000"}, "expected_total": {c.shownGoods}, "grand-": {c.shownPay}}
		a, err := v.Answer()
		if err != nil {
			t.Fatal(err)
		}
		if shown := a.Body.(*render.Checkout); shown.Was != c.was || shown.Is != c.is {
			t.Errorf("%s: was %d, is %d; want %d and %d", name, shown.Was, shown.Is, c.was, c.is)
		}
	}
}

// The shop's own country is selected only if the shop delivers there.
func TestTheFirstCountryIsOneOfTheList(t *testing.T) {
	for countries, want := range map[string]string{`["DE","FR"]`: "DE", `["FR","PT"]`: "", `[]`: "", `null`: ""} {
		a, err := cartAt(12, 18, `{"default_country":"DE","countries":`+countries+`}`).Answer()
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Body.(*render.Checkout).Filled.Address.Country; got != want {
			t.Errorf("%s: %q", countries, got)
		}
	}
}

// A checkout whose cart became an order leads to that order, whose page says that the cart is empty
// to the other pages of the browser.
func TestAnEmptyCheckoutLeadsToItsUnpaidOrder(t *testing.T) {
	order := map[string]any{"id": "12", "status": "new", "payment_method": "sandbox", "created_at": "2999-01-01T00:00:00Z"}
	list, err := json.Marshal(map[string]any{"result": map[string]any{"items": []any{order}, "total": 1}})
	if err != nil {
		t.Fatal(err)
	}
	v := &Visit{Zone: shop.ZoneCheckout, Backend: signedIn(func(call *fasthttp.RequestCtx) {
		if string(call.Path()) == "/orders" {
			call.SetBody(list)
			return
		}
		call.SetBodyString(`{"result":{}}`)
	})}
	a, err := v.Answer()
	if err != nil || a.Location != "/orders/12?cart=empty" {
		t.Fatalf("%+v, %v", a, err)
	}
	for query, want := range map[string]bool{"cart=empty": true, "": false} {
		v := visitOf(query, nil, func(_, path string, _ *fasthttp.Args, _ []byte) any {
			if path == "/orders/12" {
				return map[string]any{"id": "12", "status": "cancelled"}
			}
			if path == "/orders/12/messages" {
				return []any{}
			}
			return nil
		})
		v.Zone, v.Below = shop.ZoneOrders, "12"
		a, err := v.Answer()
		if err != nil {
			t.Fatal(err)
		}
		if o, ok := a.Body.(*render.Order); !ok || o.CartEmpty != want {
			t.Errorf("%s: %+v", query, a.Body)
		}
	}
}
