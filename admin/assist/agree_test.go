package assist_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/internal/schematest"
	"vitrine/internal/shop"
	"vitrine/render"
)

var (
	agreeSessions = flag.Int("agree.sessions", 120, "how many random sessions TestAllFacesAgreeOnEverySum makes")
	agreeSeed     = flag.Uint64("agree.seed", 1, "seed of its first shop; the next has the next one")
)

// sessionsOfAShop is how many sessions a random shop has.
const sessionsOfAShop = 15

// A random shop answers a random cart with the same sums in minor units by UCP over REST and MCP, by ACP
// and by /cart/quote, in currencies with 0, 2 and 3 decimal places, and the order, the letter and the order as its platform reads it have them too. In each answer the entries
// add up to the total, and the lines to the entries. What was ready becomes an order, unless the price or
// the stock has changed since; then nothing is made, and the answer has the sums as they are now.
func TestAllFacesAgreeOnEverySum(t *testing.T) {
	t.Parallel()
	b := openBazaar(t)
	made := map[string]int{}
	for n := 0; n*sessionsOfAShop < *agreeSessions; n++ {
		seed := *agreeSeed + uint64(n)
		b.dice = rand.New(rand.NewPCG(seed, 0))
		s := b.shop(n)
		made[fmt.Sprint(shop.Exponent(s.currency), " decimal places")]++
		for i := range sessionsOfAShop {
			if s.visit(i, made); t.Failed() {
				t.Fatalf("shop of the seed %d, session %d: repeat it with -agree.seed=%d -agree.sessions=1", seed, i, seed)
			}
		}
	}
	t.Logf("%v", made)
	for _, what := range []string{"ordered by UCP", "ordered over MCP", "ordered by ACP", "0 decimal places", "2 decimal places", "3 decimal places", "price changed", "tax", "discount", "items_discount", "fulfillment", "included", "not ready"} {
		if made[what] == 0 && *agreeSessions >= 120 {
			t.Errorf("of %d sessions none has or is: %s", *agreeSessions, what)
		}
	}
}

// quote prices the wish by /cart/quote with the first code that works, as a face states it.
func (s *offering) quote(face string, w wish) m {
	s.t.Helper()
	kind := "" // of the delivery where none is chosen; empty: any
	if face == "UCP" && w.address != nil {
		kind = "delivery"
	}
	items := l{}
	for _, item := range w.items {
		if slices.Contains(s.missing, item) {
			continue
		}
		id, variant, sized := strings.Cut(item, "-")
		line := m{"product_id": id, "key": "default", "quantity": w.units[item]}
		if sized {
			line["key"] = "v" + variant
		}
		items = append(items, line)
	}
	body := m{"company_id": s.Shop.ID, "items": items}
	if w.address != nil {
		body["country"], body["postcode"] = w.address["country"], w.address["postcode"]
	} else if face == "UCP" {
		body["country"] = w.near
	}
	if w.way != nil {
		body["delivery_option_id"] = w.way.id
	}
	ask := func() m { return s.Result("POST", "/cart/quote", "", body) }
	best := ask()
	for _, code := range w.codes {
		if strings.TrimSpace(code) == "" {
			continue
		}
		body["promo_code"] = code
		if best = ask(); best["promo_rejected"] == "" {
			break
		}
	}
	if w.way == nil && kind != "" && len(best["deliveries"].(l)) > 0 {
		body["delivery_option_id"] = "2147483647" // of none
		for _, d := range slices.Backward(best["deliveries"].(l)) {
			if d.(m)["kind"] == kind {
				body["delivery_option_id"] = d.(m)["id"]
			}
		}
		best = ask()
	}
	return best
}

// sums are what an answer says, in minor units by kind. Discounts are above 0.
type sums map[string]int64

func (s *offering) minor(amount any) int64 {
	return shop.MinorUnits(int64(amount.(float64)), s.currency, s.digits)
}

// quoted returns the sums of a quote or cart.
func (s *offering) quoted(q m) sums {
	out := sums{"subtotal": s.minor(q["subtotal_before"]), "discounts": s.minor(q["discount_total"]), "total": s.minor(q["grand_total"])}
	if d, ok := q["delivery"].(m); ok {
		out["fulfillment"] = s.minor(d["price"])
	}
	if !s.included {
		out["tax"] = s.minor(q["tax_total"])
	}
	return out
}

// ordered returns the sums of an order.
func (s *offering) ordered(o m) sums {
	out := sums{"subtotal": s.minor(o["items_total"]) + s.minor(o["discount_total"]), "discounts": s.minor(o["discount_total"]), "total": s.minor(o["grand_total"])}
	if d, ok := o["delivery"].(m); ok {
		out["fulfillment"] = s.minor(d["price"])
	}
	if !s.included {
		out["tax"] = s.minor(o["tax_total"])
	}
	return out
}

func (s sums) text() string {
	var parts []string
	for _, kind := range []string{"subtotal", "discounts", "fulfillment", "tax", "total"} {
		parts = append(parts, fmt.Sprint(kind, " ", s[kind]))
	}
	return strings.Join(parts, ", ")
}

// entries adds the amounts of totals by their kind. sign is that of discounts.
func (s *offering) entries(totals any, sign int64) sums {
	s.t.Helper()
	out := sums{}
	for _, entry := range totals.(l) {
		e := entry.(m)
		kind, amount := e["type"].(string), int64(e["amount"].(float64))
		if kind == "discount" || kind == "items_discount" {
			amount *= sign
		}
		if amount < 0 || amount == 0 && (kind == "discount" || kind == "items_discount") {
			s.t.Errorf("%s of %v", kind, e["amount"])
		}
		if parts, ok := e["lines"].(l); ok {
			var sum int64
			for _, part := range parts {
				sum += int64(part.(m)["amount"].(float64))
			}
			if sum != amount {
				s.t.Errorf("the lines of %s add up to %d: %v", kind, sum, e)
			}
			if kind == "total" {
				out["included"] = 1
			}
		}
		out[kind] += amount
	}
	return out
}

// ofUCP returns the sums of an answer of UCP whose parts add up.
func (s *offering) ofUCP(answer m) sums {
	s.t.Helper()
	out := s.entries(answer["totals"], -1)
	if got := out["subtotal"] - out["items_discount"] - out["discount"] + out["fulfillment"] + out["tax"]; got != out["total"] {
		s.t.Errorf("the entries add up to %d: %v", got, answer["totals"])
	}
	lines := sums{}
	for _, entry := range answer["line_items"].(l) {
		line := entry.(m)
		each := s.entries(line["totals"], -1)
		units := line["quantity"]
		if of, ok := units.(m); ok { // an order
			units = of["original"]
		}
		if each["subtotal"]-each["items_discount"] != each["total"] || int64(line["item"].(m)["price"].(float64)*units.(float64)) != each["subtotal"] {
			s.t.Errorf("line %v", line)
		}
		lines["subtotal"] += each["subtotal"]
		lines["items_discount"] += each["items_discount"]
	}
	if lines["subtotal"] != out["subtotal"] || lines["items_discount"] != out["items_discount"] {
		s.t.Errorf("the lines add up to %v: %v", lines, answer["totals"])
	}
	if discounts, ok := answer["discounts"].(m); ok && answer["order"] == nil {
		s.ofDiscounts(discounts, out)
	}
	out["discounts"] = out["discount"] + out["items_discount"]
	return out
}

// ofDiscounts checks that the discounts with allocations are those of lines, and the others the rest.
func (s *offering) ofDiscounts(discounts m, of sums) {
	s.t.Helper()
	var allocated, rest int64
	applied, _ := discounts["applied"].(l)
	for _, entry := range applied {
		d := entry.(m)
		amount := int64(d["amount"].(float64))
		parts, _ := d["allocations"].(l)
		if len(parts) == 0 {
			rest += amount
			continue
		}
		var sum int64
		for _, part := range parts {
			sum += int64(part.(m)["amount"].(float64))
		}
		if sum != amount {
			s.t.Errorf("the allocations add up to %d: %v", sum, d)
		}
		allocated += amount
	}
	if allocated != of["items_discount"] || rest != of["discount"] {
		s.t.Errorf("%d allocated and %d not, the totals have %v: %v", allocated, rest, of, discounts)
	}
}

// ofACP returns the sums of an answer of ACP whose parts add up.
func (s *offering) ofACP(answer m) sums {
	s.t.Helper()
	out := s.entries(answer["totals"], 1)
	if out["items_base_amount"]-out["items_discount"] != out["subtotal"] || out["subtotal"]-out["discount"]+out["fulfillment"]+out["tax"] != out["total"] {
		s.t.Errorf("the entries do not add up: %v", answer["totals"])
	}
	lines := sums{}
	for _, entry := range answer["line_items"].(l) {
		line := entry.(m)
		each := s.entries(line["totals"], 1)
		if each["items_base_amount"]-each["items_discount"] != each["subtotal"] || each["total"] != each["subtotal"] ||
			int64(line["unit_amount"].(float64)*line["quantity"].(float64)) != each["items_base_amount"] {
			s.t.Errorf("line %v", line)
		}
		lines["base"] += each["items_base_amount"]
		lines["discount"] += each["items_discount"]
	}
	if lines["base"] != out["items_base_amount"] || lines["discount"] != out["items_discount"] {
		s.t.Errorf("the lines add up to %v: %v", lines, answer["totals"])
	}
	if answer["order"] == nil {
		var applied int64
		for _, d := range answer["discounts"].(m)["applied"].(l) {
			applied += int64(d.(m)["amount"].(float64))
		}
		if applied != out["discount"]+out["items_discount"] {
			s.t.Errorf("%d applied: %v %v", applied, answer["discounts"], answer["totals"])
		}
	}
	out["discounts"], out["subtotal"] = out["discount"]+out["items_discount"], out["items_base_amount"]
	return out
}

// visit lets a random buyer buy by both faces.
func (s *offering) visit(n int, made map[string]int) {
	s.t.Helper()
	s.Clock.Advance(time.Minute)
	first, w := s.wish(n), s.wish(n)
	if s.chance(50) {
		first = w
	}
	byUCP := s.call
	if first.overMCP = w.overMCP; w.overMCP {
		byUCP = s.callTool
	}
	status, ucp := byUCP("POST", "/ucp/checkout-sessions", s.byUCP(first))
	other, acp := s.call("POST", "/acp/checkout_sessions", s.byACP(first))
	if status != 201 || other != 201 || ucp["id"] == nil {
		s.t.Errorf("%d %v, %d %v", status, ucp, other, acp)
		return
	}
	atUCP, atACP := "/ucp/checkout-sessions/"+ucp["id"].(string), "/acp/checkout_sessions/"+acp["id"].(string)
	if first.n = w.n; fmt.Sprint(first) != fmt.Sprint(w) {
		_, ucp = byUCP("PUT", atUCP, s.byUCP(w))
		change := s.byACP(w)
		delete(change, "currency")
		if w.address == nil {
			change["fulfillment_details"] = nil
		}
		_, acp = s.call("POST", atACP, change)
	}
	s.same("UCP", w, s.ofUCP(ucp))
	s.same("ACP", w, s.ofACP(acp))
	for _, kind := range []string{"tax", "discount", "items_discount", "fulfillment", "included"} {
		if s.ofUCP(ucp)[kind] > 0 {
			made[kind]++
		}
	}
	if ucp["status"] != "ready_for_complete" || acp["status"] != "ready_for_payment" {
		made["not ready"]++
	}
	if w.missing && (ucp["status"] != "incomplete" || acp["status"] != "not_ready_for_payment") {
		s.t.Errorf("with an item that cannot be bought: %v %v", ucp["status"], acp["status"])
	}
	offline := m{"payment": m{"instruments": l{m{"id": "i", "handler_id": "manual", "type": "offline", "selected": true}}}}
	manual := m{"payment_data": m{"handler_id": "manual", "instrument": m{"type": "offline", "credential": m{"type": "none", "token": "none"}}}}
	if w.repriced = s.chance(20); w.repriced {
		s.OK("PUT", "/products/"+product(one(s.dice, s.goods...)), s.Owner, m{"item": m{"price": m{"price": s.below(3000)}}})
	}
	if ucp["status"] == "ready_for_complete" {
		s.buy("UCP", w, ucp, func() (int, m) { return byUCP("POST", atUCP+"/complete", offline) }, made)
	}
	if acp["status"] == "ready_for_payment" {
		s.buy("ACP", w, acp, func() (int, m) { return s.call("POST", atACP+"/complete", manual) }, made)
	}
}

func (s *offering) same(face string, w wish, got sums) {
	s.t.Helper()
	quote := s.quote(face, w)
	if want := s.quoted(quote); got.text() != want.text() {
		s.t.Errorf("%s: %s\nquote: %s\n%+v\n%v", face, got.text(), want.text(), w, quote)
	}
}

// buy completes a session that is ready.
func (s *offering) buy(face string, w wish, shown m, complete func() (int, m), made map[string]int) {
	s.t.Helper()
	read := s.ofUCP
	if face == "ACP" {
		read = s.ofACP
	}
	before := read(shown)["total"]
	status, done := complete()
	if status != 200 {
		s.t.Errorf("%s: %d %v", face, status, done)
		return
	}
	if done["status"] != "completed" {
		now := s.quoted(s.quote(face, w))
		text := fmt.Sprint(done["messages"])
		switch {
		case strings.Contains(text, "out_of_stock") && done["order"] == nil:
			made["out of stock"]++
			return
		case now["total"] == before || done["order"] != nil:
			s.t.Errorf("%s: it was not completed: %v", face, done)
			return
		}
		made["price changed"]++
		s.same(face, w, read(done))
		if status, done = complete(); done["status"] != "completed" {
			s.t.Errorf("%s: after another price: %d %v", face, status, done)
			return
		}
		shown = done
	}
	if made["ordered by "+face]++; face == "UCP" && w.overMCP {
		made["ordered over MCP"]++
	}
	id := fmt.Sprint(done["order"].(m)["id"])
	order := s.Result("GET", "/orders/"+id, s.Owner, nil)
	want := s.ordered(order).text()
	if got := read(done).text(); got != want || read(shown)["total"] != read(done)["total"] || !w.repriced && read(shown).text() != want {
		s.t.Errorf("%s: completed %s, before %s, the order %s", face, got, read(shown).text(), want)
	}
	letter := s.Result("GET", "/v1/shop/letters?page.limit=1&filter.name=order_made_buyer", s.Session(s.OwnerID), nil)["items"].(l)[0].(m)
	total := "Total: " + render.SumText(int64(order["grand_total"].(float64)), s.currency, s.digits, "en")
	if text := letter["text"].(string); !strings.Contains(text, total) || letter["to"] != s.email(w, strings.ToLower(face)) {
		s.t.Errorf("%s: %q is not in the letter to %v: %s", face, total, letter["to"], text)
	}
	if face == "UCP" {
		read := s.told
		if w.overMCP {
			read = s.toldOverMCP
		}
		if told := read(id); s.ofUCP(told).text() != want {
			s.t.Errorf("the platform is told of %v, the order has %s", told["totals"], want)
		}
	}
}

// told reads an order as its platform does.
func (s *offering) told(id string) m {
	s.t.Helper()
	request := s.signed(apitest.Request{Method: "GET", Path: "/ucp/orders/" + id, Header: map[string]string{"UCP-Agent": fmt.Sprintf("profile=%q", s.profile)}})
	maps.Copy(request.Header, s.ThroughStorefront())
	out := s.Send(request)
	schematest.Official(s.t).Fits(s.t, "ucp/schemas/shopping/order.json", out.Body)
	return out.JSON
}

func (s *offering) toldOverMCP(id string) m {
	s.t.Helper()
	_, order := s.tool("get_order", m{"meta": m{"ucp-agent": m{"profile": s.profile}}, "id": id}, s.signed)
	return order
}
