package zone

import (
	"encoding/json"
	"fmt"
	"net/url"
	"testing"
	"testing/synctest"

	"github.com/valyala/fasthttp"

	"vitrine/internal/shop"
	"vitrine/render"
)

// orders is an API that has made an order from the cart of an account with an address. The
// first calls with its key are answered "in progress".
type orders struct {
	inProgress int
	status     int // status of calls if the order is refused; 0: it is made
	confirmed  []map[string]any
	keys       []string
}

func (o *orders) answer(call *fasthttp.RequestCtx) {
	say := func(status int, body string) {
		call.SetStatusCode(status)
		call.SetBodyString(body)
	}
	switch string(call.Path()) {
	case "/v1/account/addresses":
		say(200, `{"result":[{"id":"7","street":"Rua do Alecrim 12","city":"Lisboa"}]}`)
	case "/cart/confirm":
		var sent map[string]any
		if err := json.Unmarshal(call.PostBody(), &sent); err != nil {
			say(400, err.Error())
			return
		}
		o.confirmed, o.keys = append(o.confirmed, sent), append(o.keys, string(call.Request.Header.Peek("Idempotency-Key")))
		switch o.inProgress--; {
		case o.inProgress >= 0:
			say(409, `{"error":"rpc error: code = Aborted desc = IDEMPOTENCY_IN_PROGRESS: at work"}`)
		case o.status != 0:
			say(o.status, `{"error":"rpc error: code = Unknown desc = REFUSED: for some reason"}`)
		default:
			say(200, `{"result":{"id":"12"}}`)
		}
	default:
		say(200, `{"result":{},"items":[]}`) // an empty cart
	}
}

// send sends the form of the checkout.
func (o *orders) send(t *testing.T, form url.Values) Answer {
	t.Helper()
	v := &Visit{Backend: signedIn(o.answer), Zone: shop.ZoneCheckout, Form: form}
	a, err := v.Answer()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func checkoutForm() url.Values {
	return url.Values{"name": {"Ann"}, "phone": {"+44 20 7946 0000"}, "attempt": {"an-attempt-of-the-page"}, "address_id": {"7"}, "expected_total": {"12"}}
}

// A form that is sent again leads to the order of the first request, also while that is in
// progress and after the cart was emptied: it sends the same order under the same key.
func TestRepeatedCheckoutShowsItsOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &orders{inProgress: 3}
		if a := o.send(t, checkoutForm()); a.Location != "/orders/12?made=1" {
			t.Errorf("%+v", a)
		}
		for i, sent := range o.confirmed {
			if o.keys[i] != "an-attempt-of-the-page" || fmt.Sprint(sent) != fmt.Sprint(o.confirmed[0]) || sent["address"] == nil {
				t.Errorf("call %d under %s: %v", i, o.keys[i], sent)
			}
		}
		if len(o.keys) != 4 {
			t.Errorf("%d calls", len(o.keys))
		}
	})
}

// A form keeps its attempt until the API has decided about it, and then gets a new one: a
// new attempt while another is in progress would make a second order.
func TestAnAttemptIsKeptUntilItIsDecided(t *testing.T) {
	for name, c := range map[string]struct {
		api  orders
		kept bool
	}{
		"in progress for long": {orders{inProgress: 1000}, true}, "too many calls": {orders{status: 429}, true}, "refused": {orders{status: 400}, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := c.api.send(t, checkoutForm())
				shown, ok := a.Body.(*render.Checkout)
				if !ok || (shown.Filled.Attempt == "an-attempt-of-the-page") != c.kept || shown.Filled.Attempt == "" || shown.Trouble.Code == "" {
					t.Errorf("%+v", a)
				}
				if calls := len(c.api.keys); calls > 20 {
					t.Errorf("the API was asked %d times", calls)
				}
			})
		})
	}
}

// The address stored by the API need not have the shape that the page has fields for.
func TestAddressOfAnyShapeDoesNotBreakTheCheckout(t *testing.T) {
	for address, street := range map[string]string{
		`"High Street 1, Bath"`: "", `["High Street 1"]`: "", `{"street":7}`: "", `7`: "", `null`: "", `{"street":"High Street 1","floor":"2"}`: "High Street 1",
	} {
		v := visitOf("", nil, func(method, path string, _ *fasthttp.Args, _ []byte) any {
			switch path {
			case "/inside/checkout":
				return map[string]any{
					"cart":  map[string]any{"items": []any{map[string]any{"product_id": 1, "key": "default", "quantity": 1}}, "count": 1},
					"buyer": map[string]any{"typed": map[string]any{"contact": map[string]any{"name": "Ann"}, "address": json.RawMessage(address)}},
				}
			}
			return nil
		})
		v.Zone, v.Below = shop.ZoneCheckout, ""
		a, err := v.Answer()
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		if filled := a.Body.(*render.Checkout).Filled; filled.Name != "Ann" || filled.Address.Street != street {
			t.Errorf("%s: %+v", address, filled)
		}
	}
}

// A background call does not use up the notice that the session has ended.
func TestNextPageReportsTheEndedSession(t *testing.T) {
	for what, form := range map[string]url.Values{"a background call": {"do": {"keep"}, "name": {"Ann"}}, "the page": nil} {
		ended := func(call *fasthttp.RequestCtx) {
			call.Error(`{"error":"rpc error: code = Unauthenticated desc = UNAUTHENTICATED"}`, 401)
		}
		v := &Visit{Backend: signedIn(ended), Zone: shop.ZoneCheckout, Form: form}
		a, err := v.Answer()
		if whole := form == nil; err != nil || a.Ended != whole || (len(a.Cookies) > 0) != whole {
			t.Errorf("%s: ended %v, cookies %v, %v", what, a.Ended, a.Cookies, err)
		}
	}
}
