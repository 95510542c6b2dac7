package ucp_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
)

var (
	createCart       = op{"POST", "/carts", "create_cart", "cart", "ucp/schemas/shopping/discount.json#/$defs/dev.ucp.shopping.cart"}
	getCart          = op{"GET", "/carts/{id}", "get_cart", "", createCart.schema}
	updateCart       = op{"PUT", "/carts/{id}", "update_cart", "cart", createCart.schema}
	cancelCart       = op{"POST", "/carts/{id}/cancel", "cancel_cart", "", createCart.schema}
	createCheckout   = op{"POST", "/checkout-sessions", "create_checkout", "checkout", "ucp/schemas/shopping/fulfillment.json#/$defs/dev.ucp.shopping.checkout"}
	getCheckout      = op{"GET", "/checkout-sessions/{id}", "get_checkout", "", createCheckout.schema}
	updateCheckout   = op{"PUT", "/checkout-sessions/{id}", "update_checkout", "checkout", createCheckout.schema}
	completeCheckout = op{"POST", "/checkout-sessions/{id}/complete", "complete_checkout", "checkout", createCheckout.schema}
	cancelCheckout   = op{"POST", "/checkout-sessions/{id}/cancel", "cancel_checkout", "", createCheckout.schema}
)

type list = []any

func lines(pairs ...any) (all list) {
	for i := 0; i+1 < len(pairs); i += 2 {
		all = append(all, object{"item": object{"id": pairs[i]}, "quantity": pairs[i+1]})
	}
	return all
}

var ann = object{"first_name": "Ann", "last_name": "Lee", "email": "ann@example.test", "phone_number": "+4930123456"}

func shippingTo(country string) object {
	return object{"methods": list{object{"type": "shipping", "destinations": list{object{
		"street_address": "Main St 1", "extended_address": "2nd floor", "address_locality": "Berlin", "postal_code": "10115", "address_country": country,
	}}}}}
}

var offline = object{"payment": object{"instruments": list{object{"id": "i1", "handler_id": "manual", "type": "offline", "selected": true}}}}

// selling prepares a shop that takes orders, and returns a session of its owner.
func selling(s *store) {
	s.t.Helper()
	owner := s.Session(s.OwnerID)
	s.OK("PUT", "/v1/shop/payment-methods/manual", owner, object{"title": "Transfer", "is_active": true})
	s.OK("POST", "/v1/shop/delivery-options", owner, object{"name": "Post", "price": 5, "needs_address": true})
}

// codes lists the codes of the messages of an answer.
func codes(answer object) string {
	var all []string
	messages, _ := answer["messages"].(list)
	for _, m := range messages {
		all = append(all, fmt.Sprint(m.(object)["code"]))
	}
	return strings.Join(all, " ")
}

// addUp reports totals that do not.
func addUp(t testing.TB, answer object) {
	t.Helper()
	sum, total := 0.0, 0.0
	for _, entry := range answer["totals"].(list) {
		amount := entry.(object)["amount"].(float64)
		if entry.(object)["type"] == "total" {
			total = amount
		} else {
			sum += amount
		}
	}
	if sum != total {
		t.Errorf("the totals add up to %v, not %v: %v", sum, total, answer["totals"])
	}
}

func TestACheckoutBecomesAnOrderByBothTransports(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	selling(s)
	tea := s.sell(object{"name": "Tea", "price": 10})
	s.OK("POST", "/promotions", s.Owner, object{"item": object{"name": "Spring", "kind": "coupon", "code": "SPRING", "value": object{"percent": 10}, "is_active": true}})
	calls := map[string]func(o op, id string, body any, key string) object{
		"REST": func(o op, id string, body any, key string) object {
			if o.method == "GET" || body == nil && key == "" {
				return s.rest(o, id, body).JSON
			}
			return s.rest(o, id, body, "Idempotency-Key", key).JSON
		},
		"MCP": func(o op, id string, body any, key string) object {
			arguments := object{"meta": object{"ucp-agent": object{"profile": s.platform.address()}, "idempotency-key": key}}
			if strings.Contains(o.path, "{id}") {
				arguments["id"] = id
			}
			if body != nil {
				arguments[o.payload] = body
			}
			_, answer := s.tool(o, arguments)
			return answer
		},
	}
	for name, call := range calls {
		cart := call(createCart, "", object{"line_items": lines(tea, 1, tea, 1), "buyer": ann, "discounts": object{"codes": list{"spring"}}}, name+"1")
		expect(t, name+" lines of the same item", len(cart["line_items"].(list)), 1)
		addUp(t, cart)
		made := call(createCheckout, "", object{"cart_id": cart["id"], "line_items": list{}}, name+"2")
		id := fmt.Sprint(made["id"])
		expect(t, name+" status", made["status"], "incomplete")
		expect(t, name+" missing", codes(made), "field_required")
		full := object{"line_items": lines(tea, 2), "buyer": ann, "discounts": object{"codes": list{"Spring", "nothing"}}, "fulfillment": shippingTo("DEU")}
		ready := call(updateCheckout, id, full, name+"3")
		expect(t, name+" status", ready["status"], "ready_for_complete")
		expect(t, name+" messages", codes(ready), "discount_code_combination_disallowed")
		addUp(t, ready)
		expect(t, name+" method", pick(ready, "fulfillment", "methods", 0, "destinations", 0, "address_country"), "DEU")
		total := pick(ready, "totals", len(ready["totals"].(list))-1, "amount")
		expect(t, name+" total", total, 1800+500)
		done := call(completeCheckout, id, offline, name+"4")
		expect(t, name+" status", done["status"], "completed")
		addUp(t, done)
		if pick(done, "order", "id") == nil || done["continue_url"] != nil {
			t.Errorf("%s: %v", name, done)
		}
		expect(t, name+" repeated", fmt.Sprint(call(completeCheckout, id, offline, name+"4")), fmt.Sprint(done))
		expect(t, name+" read", pick(call(getCheckout, id, nil, ""), "order", "id"), pick(done, "order", "id"))
		if order := s.Result("GET", "/orders/"+fmt.Sprint(pick(done, "order", "id")), s.Owner, nil); fmt.Sprint(order["grand_total"]) != "23" {
			t.Errorf("%s: the order has the total %v", name, order["grand_total"])
		}
	}
	for _, o := range []op{updateCheckout, completeCheckout, cancelCheckout} {
		made := s.rest(createCheckout, "", object{"line_items": lines(tea, 1)}).JSON
		s.rest(cancelCheckout, fmt.Sprint(made["id"]), nil)
		var body any
		if o.payload != "" {
			body = object{"line_items": lines(tea, 1)}
		}
		if out := s.rest(o, fmt.Sprint(made["id"]), body); out.Status != 409 {
			t.Errorf("%s of an ended session: %d %s", o.tool, out.Status, out.Body)
		}
	}
}

func TestAPutReplacesEverything(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	selling(s)
	tea := s.sell(object{"name": "Tea", "price": 10})
	cup := s.sell(object{"name": "Cup", "price": 4, "stock_quantity": 3})
	s.OK("POST", "/promotions", s.Owner, object{"item": object{"name": "Spring", "kind": "coupon", "code": "SPRING", "value": object{"percent": 10}, "is_active": true}})
	made := s.rest(createCheckout, "", object{
		"line_items": lines(tea, 1, cup, 5), "buyer": ann, "discounts": object{"codes": list{"SPRING"}, "applied": list{object{"title": "x", "amount": 1000}}},
		"fulfillment": shippingTo("Germany"), "totals": list{object{"type": "total", "amount": 1}},
	})
	expect(t, "status", fmt.Sprint(made.Status, made.JSON["status"]), "201incomplete")
	expect(t, "stock", fmt.Sprint(codes(made.JSON), " ", pick(made.JSON, "messages", 0, "path")), "out_of_stock $.line_items[1]")
	addUp(t, made.JSON)
	id := fmt.Sprint(made.JSON["id"])
	bare := s.rest(updateCheckout, id, object{"id": id, "line_items": lines(tea, 3)}).JSON
	expect(t, "without a buyer", codes(bare), "field_required field_required field_required field_required")
	expect(t, "without codes", bare["discounts"], object{})
	expect(t, "without an address", pick(bare, "fulfillment", "methods", 0, "destinations"), nil)
	for name, c := range map[string]struct {
		body any
		want string
	}{
		"nothing that is sold":  {object{"line_items": lines("999", 1), "buyer": ann, "fulfillment": shippingTo("DE")}, "item_unavailable"},
		"two of three are sold": {object{"line_items": lines(tea, 1, "x", 1), "buyer": ann, "fulfillment": shippingTo("DE")}, "item_unavailable"},
		"more than are sold":    {object{"line_items": lines(tea, 1_000_000_000_000), "buyer": ann, "fulfillment": shippingTo("DE")}, "quantity_adjusted"},
		"no such country":       {object{"line_items": lines(tea, 1), "buyer": ann, "fulfillment": shippingTo("Atlantis")}, "field_invalid"},
		"no such option":        {object{"line_items": lines(tea, 1), "buyer": ann, "fulfillment": object{"methods": list{object{"type": "shipping", "groups": list{object{"id": "g", "selected_option_id": "999"}}}}}}, "field_invalid"},
		"no such code":          {object{"line_items": lines(tea, 1), "buyer": ann, "fulfillment": shippingTo("DE"), "discounts": object{"codes": list{"NO", "no"}}}, "discount_code_invalid discount_code_already_applied"},
		"bad e-mail":            {object{"line_items": lines(tea, 1), "buyer": object{"first_name": "A", "email": "x", "phone_number": "+4930123456"}, "fulfillment": shippingTo("DE")}, "field_invalid"},
	} {
		out := s.rest(updateCheckout, id, c.body)
		if got := codes(out.JSON); out.Status != 200 || got != c.want {
			t.Errorf("%s: %d %s, want %s", name, out.Status, out.Body, c.want)
		}
	}
	many := make(list, 10_000)
	for i := range many {
		many[i] = lines(tea, 1)[0]
	}
	for name, body := range map[string]any{
		"quantity 0": object{"line_items": lines(tea, 0)}, "quantity -1": object{"line_items": lines(tea, -1)}, "quantity 1.5": object{"line_items": lines(tea, 1.5)},
		"quantity as text": object{"line_items": lines(tea, "2")}, "no quantity": object{"line_items": list{object{"item": object{"id": tea}}}}, "10,000 lines": object{"line_items": many},
		"no lines": object{}, "10,000 codes": object{"line_items": lines(tea, 1), "discounts": object{"codes": strings.Split(strings.Repeat("x,", 10_000), ",")}},
		"another id": object{"id": "other", "line_items": lines(tea, 1)}, "other type": object{"line_items": lines(tea, 1), "fulfillment": object{"methods": list{object{"type": "drone"}}}},
	} {
		if out := s.rest(updateCheckout, id, body); out.Status != 400 {
			t.Errorf("%s: %d %s", name, out.Status, out.Body)
		}
	}
	if out := s.rest(createCheckout, "", object{"line_items": lines("999", 1)}); codes(out.JSON) != "item_unavailable" {
		t.Errorf("nothing to buy: %s", out.Body)
	}
}

func TestSessionsBelongToTheirPlatform(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	selling(s)
	tea := s.sell(object{"name": "Tea", "price": 10})
	id := fmt.Sprint(s.rest(createCheckout, "", object{"line_items": lines(tea, 1)}).JSON["id"])
	own := s.platform
	s.platform = newPlatform(t)
	for _, o := range []op{getCheckout, cancelCheckout} {
		expect(t, o.tool+" of another platform", codes(s.rest(o, id, nil).JSON), "not_found")
	}
	s.platform = own
	expect(t, "a cart of this id", codes(s.rest(getCart, id, nil).JSON), "not_found")
	expect(t, "guessed", codes(s.rest(getCheckout, strings.Repeat("a", 26), nil).JSON), "not_found")
	key := func(body any) apitest.Answer { return s.rest(createCheckout, "", body, "Idempotency-Key", "k") }
	first := key(object{"line_items": lines(tea, 1), "buyer": ann})
	same := key(`{"buyer":{"last_name":"Lee","first_name":"Ann","phone_number":"+4930123456","email":"ann@example.test"},  "line_items":[{"quantity":1,"item":{"id":"` + tea + `"}}]}`)
	expect(t, "the same body in another order", same.JSON["id"], first.JSON["id"])
	if other := key(object{"line_items": lines(tea, 2)}); other.Status != 409 || other.JSON["code"] != "idempotency_key_reused" {
		t.Errorf("another body: %d %s", other.Status, other.Body)
	}
	s.Clock.Advance(49 * time.Hour)
	if later := key(object{"line_items": lines(tea, 2)}); later.Status != 201 {
		t.Errorf("after two days: %d %s", later.Status, later.Body)
	}
	expect(t, "expired", s.rest(getCheckout, id, nil).JSON["status"], "canceled")
	if status, failed := s.call(cancelCheckout, id, nil); status != 400 {
		t.Errorf("MCP without a key: %d %v", status, failed)
	}
}

func TestWithoutExtensionsTheBuyerGoesToThePage(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	selling(s)
	tea := s.sell(object{"name": "Tea", "price": 10})
	s.platform = newPlatform(t)
	s.platform.publish(func(w http.ResponseWriter) { writeJSON(w, profileOf("dev.ucp.shopping.checkout")) })
	out := s.rest(createCheckout, "", object{"line_items": lines(tea, 1), "buyer": ann, "discounts": object{"codes": list{"X"}}, "fulfillment": shippingTo("DE")}).JSON
	expect(t, "status", out["status"], "requires_escalation")
	expect(t, "message", fmt.Sprint(codes(out), " ", pick(out, "messages", 0, "severity")), "fulfillment_required requires_buyer_input")
	if out["discounts"] != nil || out["fulfillment"] != nil || !strings.HasPrefix(fmt.Sprint(out["continue_url"]), "http://tea.shops.test/checkout?session=") {
		t.Errorf("%v", out)
	}
	s.OK("PUT", "/v1/shop/payment-methods/manual", s.Session(s.OwnerID), object{"title": "Transfer", "is_active": false})
	s.platform = newPlatform(t)
	out = s.rest(createCheckout, "", object{"line_items": lines(tea, 1), "buyer": ann, "fulfillment": shippingTo("DE")}).JSON
	expect(t, "without a way to pay", fmt.Sprint(out["status"], " ", codes(out)), "requires_escalation payment_page")
}

func TestACartIsReplacedAndCanceled(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	selling(s)
	tea, cup := s.sell(object{"name": "Tea", "price": 10}), s.sell(object{"name": "Cup", "price": 7})
	made := s.rest(createCart, "", object{"line_items": lines(tea, 1), "discounts": object{"codes": list{"nothing"}}})
	expect(t, "status", made.Status, 201)
	id := fmt.Sprint(made.JSON["id"])
	expect(t, "warnings", codes(made.JSON), "discount_code_invalid")
	replaced := s.rest(updateCart, id, object{"line_items": lines(cup, 3)}).JSON
	addUp(t, replaced)
	expect(t, "lines", len(replaced["line_items"].(list)), 1)
	expect(t, "total", pick(replaced, "totals", len(replaced["totals"].(list))-1, "amount"), 2100)
	expect(t, "warnings after codes were left out", codes(replaced), "")
	expect(t, "the cart as it is read", fmt.Sprint(s.rest(getCart, id, nil).JSON["totals"]), fmt.Sprint(replaced["totals"]))
	last := s.rest(cancelCart, id, nil).JSON
	expect(t, "the canceled cart", fmt.Sprint(last["totals"]), fmt.Sprint(replaced["totals"]))
	for name, answer := range map[string]object{
		"read": s.rest(getCart, id, nil).JSON, "replaced": s.rest(updateCart, id, object{"line_items": lines(cup, 3)}).JSON, "canceled": s.rest(cancelCart, id, nil).JSON,
	} {
		expect(t, name+" after its end", codes(answer), "not_found")
	}
}

func TestTheOwnerDecidesWhatAssistantsMayDo(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	tea := s.sell(object{"name": "Tea", "price": 10})
	set := func(value string) {
		t.Helper()
		s.OK("PUT", "/v1/shop/settings", s.Session(s.OwnerID), object{"assistants": value})
	}
	set("catalog")
	expect(t, "found", ids(s.both(search, object{"query": "tea"})["products"]), tea)
	expect(t, "checkout", codes(s.rest(createCheckout, "", object{"line_items": lines(tea, 1)}).JSON), "capabilities_incompatible")
	set("off")
	if out := s.rest(search, "", object{"query": "tea"}); out.Status != 404 {
		t.Errorf("search where assistants are off: %d %s", out.Status, out.Body)
	}
	if out := s.get("/.well-known/ucp"); out.Status != 404 {
		t.Errorf("the profile where assistants are off: %d %s", out.Status, out.Body)
	}
}
