package acp_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/internal/schematest"
)

type (
	object = map[string]any
	list   = []any
)

// world is a shop with an assistant that has its token.
type world struct {
	*apitest.API
	t     testing.TB
	token string
	keys  int
	own   *schematest.Set
}

func open(t testing.TB, change ...func(*admin.Config)) *world {
	t.Helper()
	w := &world{API: apitest.New(t, change...), t: t}
	w.token = w.Result("POST", "/v1/shop/assistants/tokens", w.Session(w.OwnerID), object{"name": "Chat"})["token"].(string)
	w.OK("PUT", "/v1/shop/payment-methods/manual", w.Session(w.OwnerID), object{"title": "By agreement", "is_active": true})
	document := w.Send(apitest.Request{Method: "GET", Path: "/acp/openapi.json", Header: w.ThroughStorefront()})
	w.own = schematest.Own(t, document.Body)
	return w
}

// send makes a call as the assistant, with a key of its own unless one is given.
func (w *world) send(method, path string, body any, header ...string) apitest.Answer {
	w.t.Helper()
	w.keys++
	fields := w.ThroughStorefront()
	maps.Copy(fields, map[string]string{
		"Authorization": "Bearer " + w.token, "API-Version": "2026-04-17", "Idempotency-Key": fmt.Sprint("key ", w.keys), "Content-Type": "application/json",
	})
	for i := 0; i+1 < len(header); i += 2 {
		if fields[header[i]] = header[i+1]; header[i+1] == "" {
			delete(fields, header[i])
		}
	}
	out := w.Send(apitest.Request{Method: method, Path: "/acp" + path, Header: fields, Body: body})
	w.fits(method, path, out)
	return out
}

// fits checks an answer against the program's own document, and where they are known against the
// official schemas.
func (w *world) fits(method, path string, out apitest.Answer) {
	w.t.Helper()
	row, status, name := "/checkout_sessions", "200", "CheckoutSession"
	if parts := strings.Split(path, "/"); len(parts) > 2 {
		row += "/%7Bid%7D" + strings.Join(append([]string{""}, parts[3:]...), "~1")
		row = strings.Replace(row, "/%7B", "~1%7B", 1)
	} else {
		status = "201"
	}
	if out.Status >= 300 {
		status, name = "default", "Error"
	}
	at := "#/paths/~1" + strings.TrimPrefix(row, "/") + "/" + strings.ToLower(method) + "/responses/" + status + "/content/application~1json/schema"
	w.own.Fits(w.t, at, out.Body)
	officially(w.t, name, out.Body)
}

// officially checks a JSON text against an official schema, where those are known.
func officially(t testing.TB, name string, text []byte) {
	t.Helper()
	schematest.Official(t).Fits(t, "acp/schema.agentic_checkout.json#/$defs/"+name, text)
}

// ok is send for a call that must succeed.
func (w *world) ok(method, path string, body any, header ...string) object {
	w.t.Helper()
	out := w.send(method, path, body, header...)
	if out.Status >= 300 {
		w.t.Fatalf("%s %s: %d %s", method, path, out.Status, out.Body)
	}
	return out.JSON
}

func (w *world) sell(name string, price int) string {
	w.t.Helper()
	return fmt.Sprint(w.Result("POST", "/products", w.Owner, object{"item": object{"name": name, "price": object{"price": price}, "is_published": true}})["id"])
}

var ann = object{"first_name": "Ann", "last_name": "Lee", "email": "ann@buyers.example", "phone_number": "+442079460000"}

func request(items ...string) object {
	var lines list
	for _, id := range items {
		lines = append(lines, object{"id": id})
	}
	return object{"line_items": lines, "currency": "eur", "capabilities": object{}}
}

func with(o object, more object) object {
	out := maps.Clone(o)
	maps.Copy(out, more)
	return out
}

func codesOf(answer object) string {
	var codes []string
	for _, m := range answer["messages"].(list) {
		m := m.(object)
		codes = append(codes, fmt.Sprint(m["code"], " ", m["param"]))
	}
	return strings.Join(codes, ", ")
}

func amounts(answer object) string {
	var parts []string
	for _, total := range answer["totals"].(list) {
		parts = append(parts, fmt.Sprint(total.(object)["type"], " ", total.(object)["amount"]))
	}
	return strings.Join(parts, ", ")
}

func TestAnAssistantBuys(t *testing.T) {
	t.Parallel()
	w := open(t)
	tea, cup := w.sell("Tea", 14), w.sell("Cup", 20)
	made := w.ok("POST", "/checkout_sessions", with(request(tea, tea, cup), object{"order_notes": "Ring twice."}))
	at := "/checkout_sessions/" + made["id"].(string)
	if made["status"] != "not_ready_for_payment" || amounts(made) != "items_base_amount 4800, subtotal 4800, total 4800" || made["currency"] != "eur" ||
		codesOf(made) != "missing $.buyer.first_name, missing $.buyer.phone_number, missing $.buyer.email" {
		t.Fatalf("%v", made)
	}
	if line := made["line_items"].(list)[0].(object); line["quantity"] != 2.0 || line["item"].(object)["id"] != tea || line["unit_amount"] != 1400.0 {
		t.Errorf("%v", line)
	}
	changed := w.ok("POST", at, object{"buyer": ann, "line_items": list{object{"id": tea, "quantity": 3}}})
	if changed["status"] != "ready_for_payment" || amounts(changed) != "items_base_amount 4200, subtotal 4200, total 4200" || codesOf(changed) != "" {
		t.Fatalf("%v", changed)
	}
	handlers := changed["capabilities"].(object)["payment"].(object)["handlers"].(list)
	if len(handlers) != 1 || handlers[0].(object)["id"] != "manual" || handlers[0].(object)["name"] != "localhost.vitrine.offline" {
		t.Fatalf("%v", handlers)
	}
	pay := object{"payment_data": object{"handler_id": "manual", "instrument": object{"type": "offline", "credential": object{"type": "none", "token": "none"}}}}
	bought := w.ok("POST", at+"/complete", pay)
	order, _ := bought["order"].(object)
	if bought["status"] != "completed" || order["checkout_session_id"] != made["id"] || order["status"] != "created" || !strings.Contains(fmt.Sprint(order["permalink_url"]), "/orders/") {
		t.Fatalf("%v", bought)
	}
	if got := w.ok("GET", at, nil); got["status"] != "completed" || fmt.Sprint(got["order"]) != fmt.Sprint(order) {
		t.Errorf("%v", got)
	}
	stored := w.Result("GET", "/orders/"+order["id"].(string), w.Owner, nil)
	if stored["source"] != "assistant" || stored["comment"] != "Ring twice." || stored["grand_total"] != 42.0 {
		t.Errorf("%v", stored)
	}
	if out := w.send("POST", at+"/cancel", object{}); out.Status != 405 || out.JSON["code"] != "not_cancelable" {
		t.Errorf("%d %s", out.Status, out.Body)
	}
	if out := w.send("POST", at, object{"order_notes": "Late"}); out.Status != 409 {
		t.Errorf("%d %s", out.Status, out.Body)
	}
	platform := w.Result("GET", "/v1/shop/assistants", w.Session(w.OwnerID), nil)["platforms"].(list)[0].(object)
	if platform["name"] != "Chat" || platform["orders"] != "1" || platform["revenue"] != "42" || platform["sessions"] != "1" {
		t.Errorf("%v", platform)
	}
}

// The shop's own ways to pay are named as the operator says.
func TestHandlersAreInTheNamespaceOfTheOperator(t *testing.T) {
	t.Parallel()
	w := open(t, func(cfg *admin.Config) { cfg.Namespace = "org.example.shops" })
	made := w.ok("POST", "/checkout_sessions", request(w.sell("Tea", 14)))
	if name := made["capabilities"].(object)["payment"].(object)["handlers"].(list)[0].(object)["name"]; name != "org.example.shops.offline" {
		t.Errorf("%v", name)
	}
}

func TestAChangeKeepsWhatItDoesNotName(t *testing.T) {
	t.Parallel()
	w := open(t)
	tea := w.sell("Tea", 14)
	made := w.ok("POST", "/checkout_sessions", with(request(tea), object{"buyer": ann, "order_notes": "Ring."}))
	at := "/checkout_sessions/" + made["id"].(string)
	for _, c := range []struct {
		change object
		buyer  string
		codes  string
	}{
		{object{}, "Ann Lee ann@buyers.example", ""},
		{object{"buyer": object{"first_name": "Bo", "email": "ann@buyers.example"}}, "Bo Lee ann@buyers.example", ""},
		{object{"buyer": object{"phone_number": nil, "email": "ann@buyers.example"}}, "Bo Lee ann@buyers.example", "missing $.buyer.phone_number"},
		{object{"fulfillment_details": object{"phone_number": "+442079460001"}}, "Bo Lee ann@buyers.example", ""},
		{object{"fulfillment_details": nil, "buyer": object{"email": "x"}}, "<nil>", "missing $.buyer.phone_number, invalid $.buyer.email"},
		{object{"buyer": nil}, "<nil>", "missing $.buyer.first_name, missing $.buyer.phone_number, missing $.buyer.email"},
	} {
		got := w.ok("POST", at, c.change)
		who := "<nil>"
		if b, ok := got["buyer"].(object); ok {
			who = fmt.Sprint(b["first_name"], " ", b["last_name"], " ", b["email"])
		}
		if who != c.buyer || codesOf(got) != c.codes {
			t.Errorf("after %v: %s with %s, want %s with %s", c.change, who, codesOf(got), c.buyer, c.codes)
		}
	}
}

func TestAKeyAnswersOnce(t *testing.T) {
	t.Parallel()
	w := open(t)
	body := request(w.sell("Tea", 14))
	first := w.send("POST", "/checkout_sessions", body, "Idempotency-Key", "a", "Request-Id", "r1")
	again := w.send("POST", "/checkout_sessions", body, "Idempotency-Key", "a")
	if first.Status != 201 || string(again.Body) != string(first.Body) || again.Status != 201 || again.Header.Get("Idempotent-Replayed") != "true" ||
		first.Header.Get("Idempotent-Replayed") != "" || first.Header.Get("Idempotency-Key") != "a" || first.Header.Get("Request-Id") != "r1" {
		t.Errorf("%d %v %s and %d %v %s", first.Status, first.Header, first.Body, again.Status, again.Header, again.Body)
	}
	at := "/checkout_sessions/" + first.JSON["id"].(string)
	for _, c := range []struct {
		path, key string
		body      object
		status    int
		code      string
	}{
		{"/checkout_sessions", "a", with(body, object{"order_notes": "x"}), 422, "idempotency_conflict"},
		{"/checkout_sessions", "", body, 400, "idempotency_key_required"},
		{"/checkout_sessions", strings.Repeat("k", 256), body, 400, "idempotency_key_invalid"},
		{at, "a", object{"buyer": ann}, 200, ""},
		{at, "a", object{"buyer": with(ann, object{"first_name": "Bo"})}, 422, "idempotency_conflict"},
	} {
		out := w.send("POST", c.path, c.body, "Idempotency-Key", c.key)
		if code, _ := out.JSON["code"].(string); out.Status != c.status || code != c.code {
			t.Errorf("%s %.5s: %d %s, want %d %s", c.path, c.key, out.Status, out.Body, c.status, c.code)
		}
	}
}

// What is wrong in a call is answered in the words of the protocol, and changes nothing.
func TestBadCallsAreRefused(t *testing.T) {
	t.Parallel()
	w := open(t)
	good := request(w.sell("Tea", 14))
	other := &world{API: w.API, t: t, own: w.own}
	other.token = w.Result("POST", "/v1/shop/assistants/tokens", w.Session(w.OwnerID), object{"name": "Other"})["token"].(string)
	session := "/checkout_sessions/" + w.ok("POST", "/checkout_sessions", good)["id"].(string)
	for _, c := range []struct {
		method, path string
		body         any
		header       []string
		status       int
		code, param  string
	}{
		{"POST", "/checkout_sessions", good, []string{"Authorization", ""}, 401, "unauthorized", ""},
		{"POST", "/checkout_sessions", good, []string{"Authorization", "Bearer " + w.token[:len(w.token)-1] + otherThan(w.token[len(w.token)-1])}, 401, "unauthorized", ""},
		{"POST", "/checkout_sessions", good, []string{"Authorization", "Bearer " + w.Owner}, 401, "unauthorized", ""},
		{"POST", "/checkout_sessions", good, []string{"API-Version", ""}, 400, "missing_api_version", ""},
		{"POST", "/checkout_sessions", good, []string{"API-Version", "2025-09-29"}, 400, "unsupported_api_version", ""},
		{"POST", "/checkout_sessions", "[", nil, 400, "invalid", ""},
		{"POST", "/checkout_sessions", "[]", nil, 400, "invalid", ""},
		{"POST", "/checkout_sessions", object{}, nil, 400, "missing", "$.currency"},
		{"POST", "/checkout_sessions", object{"currency": "eur", "line_items": list{object{"id": "1"}}}, nil, 400, "missing", "$.capabilities"},
		{"POST", "/checkout_sessions", with(good, object{"currency": "usd"}), nil, 400, "invalid", "$.currency"},
		{"POST", "/checkout_sessions", with(good, object{"line_items": list{}}), nil, 400, "missing", "$.line_items"},
		{"POST", "/checkout_sessions", with(good, object{"line_items": list{object{"id": "999999"}}}), nil, 400, "not_found", "$.line_items"},
		{"POST", "/checkout_sessions", with(good, object{"line_items": list{object{"id": "1", "quantity": 0}}}), nil, 400, "invalid", "$.line_items[0].quantity"},
		{"POST", "/checkout_sessions", with(good, object{"line_items": list{object{"id": "1", "quantity": 1.5}}}), nil, 400, "invalid", "$.line_items[0].quantity"},
		{"POST", "/checkout_sessions", with(good, object{"line_items": list{object{"id": "1", "quantity": "2"}}}), nil, 400, "invalid", "$.line_items[0].quantity"},
		{"POST", "/checkout_sessions", with(good, object{"line_items": make(list, 101)}), nil, 400, "invalid", "$.line_items"},
		{"POST", "/checkout_sessions", with(good, object{"discounts": object{"codes": strings.Split(strings.Repeat("a ", 20), " ")}}), nil, 400, "invalid", "$.discounts.codes"},
		{"POST", "/checkout_sessions", with(good, object{"selected_fulfillment_options": list{object{"option_id": "x"}}}), nil, 400, "invalid", "$.selected_fulfillment_options[0].option_id"},
		{"GET", "/checkout_sessions/none", nil, nil, 404, "not_found", ""},
		{"GET", session, nil, []string{"Authorization", "Bearer " + other.token}, 404, "not_found", ""},
		{"POST", session + "/complete", object{"payment_data": object{"handler_id": "other"}}, nil, 400, "invalid", "$.payment_data.handler_id"},
		{"POST", session + "/complete", object{"payment_data": object{"handler_id": "card_tokenized"}}, nil, 400, "invalid", "$.payment_data.handler_id"},
	} {
		out := w.send(c.method, c.path, c.body, c.header...)
		code, _ := out.JSON["code"].(string)
		param, _ := out.JSON["param"].(string)
		if out.Status != c.status || code != c.code || param != c.param {
			t.Errorf("%s %s %v %v: %d %s, want %d %s %s", c.method, c.path, c.body, c.header, out.Status, out.Body, c.status, c.code, c.param)
		}
	}
}

func TestARevokedOrBlockedAssistantIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	w := open(t)
	body, owner := request(w.sell("Tea", 14)), w.Session(w.OwnerID)
	id := w.OK("GET", "/v1/shop/assistants/tokens", owner, nil)["result"].(list)[0].(object)["id"]
	w.OK("PUT", "/v1/shop/assistants/platforms", owner, object{"id": id, "blocked": true})
	if out := w.send("POST", "/checkout_sessions", body); out.Status != 403 || out.JSON["code"] != "profile_not_trusted" {
		t.Errorf("%d %s", out.Status, out.Body)
	}
	w.OK("PUT", "/v1/shop/assistants/platforms", owner, object{"id": id, "blocked": false})
	w.ok("POST", "/checkout_sessions", body)
	w.OK("DELETE", fmt.Sprint("/v1/shop/assistants/tokens/", id), owner, nil)
	if out := w.send("POST", "/checkout_sessions", body); out.Status != 401 || !strings.HasPrefix(out.Header.Get("WWW-Authenticate"), "Bearer ") {
		t.Errorf("%d %s", out.Status, out.Body)
	}
}

func TestTheShopAnnouncesWhatItOffers(t *testing.T) {
	t.Parallel()
	w := open(t)
	out := w.Send(apitest.Request{Method: "GET", Path: "/.well-known/acp.json", Header: w.ThroughStorefront()})
	if out.Status != 200 || out.JSON["api_base_url"] != "http://tea.shops.test/api/acp" || out.JSON["protocol"].(object)["name"] != "acp" {
		t.Errorf("%d %s", out.Status, out.Body)
	}
	if services := fmt.Sprint(out.JSON["capabilities"].(object)["services"]); services != "[checkout orders]" {
		t.Errorf("%s", services)
	}
	officially(t, "DiscoveryResponse", out.Body)
	if at := w.Send(apitest.Request{Method: "GET", Path: "/.well-known/acp.json"}); at.Status != 404 {
		t.Errorf("on the admin origin: %d", at.Status)
	}
	w.OK("PUT", "/v1/shop/state", w.Session(w.OwnerID), object{"closed": true, "pin": "1234"})
	if out := w.Send(apitest.Request{Method: "GET", Path: "/.well-known/acp.json", Header: w.ThroughStorefront()}); out.Status != 404 {
		t.Errorf("a closed shop answers %d %s", out.Status, out.Body)
	}
	if out := w.send("POST", "/checkout_sessions", request("1")); out.Status != 404 {
		t.Errorf("a closed shop answers %d %s", out.Status, out.Body)
	}
}

func TestCodesAreAppliedOrSaidToBeWrong(t *testing.T) {
	t.Parallel()
	w := open(t)
	tea := w.sell("Tea", 50)
	w.OK("POST", "/promotions", w.Owner, object{"item": object{"name": "Spring", "kind": "coupon", "code": "SPRING", "value": object{"percent": 10}}})
	got := w.ok("POST", "/checkout_sessions", with(request(tea), object{
		"capabilities": object{"extensions": list{"discount"}}, "discounts": object{"codes": list{"nothing", "spring", "spring"}}, "buyer": ann,
	}))
	text, _ := json.Marshal(got["discounts"])
	if amounts(got) != "items_base_amount 5000, subtotal 5000, discount 500, total 4500" || got["status"] != "ready_for_payment" ||
		codesOf(got) != "discount_code_invalid $.discounts.codes, discount_code_already_applied $.discounts.codes" || !strings.Contains(string(text), `"amount":500`) {
		t.Errorf("%v\n%s", got, text)
	}
}

// otherThan returns another character of a token than c.
func otherThan(c byte) string {
	if c == 'x' {
		return "y"
	}
	return "x"
}
