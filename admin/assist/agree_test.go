package assist_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/internal/httpsig"
	"vitrine/internal/shop"
	"vitrine/internal/store/company"
	"vitrine/render"
)

var (
	agreeSessions = flag.Int("agree.sessions", 120, "how many random sessions TestAllFacesAgreeOnEverySum makes")
	agreeSeed     = flag.Uint64("agree.seed", 1, "seed of its first shop; the next has the next one")
)

// sessionsOfAShop is how many sessions a random shop has.
const sessionsOfAShop = 15

// A random shop answers a random cart with the same sums in minor units by UCP, ACP and /cart/quote, and
// the order, the letter and the order as its platform reads it have them too. In each answer the entries
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
		for i := range sessionsOfAShop {
			if s.visit(i, made); t.Failed() {
				t.Fatalf("shop of the seed %d, session %d: repeat it with -agree.seed=%d -agree.sessions=1", seed, i, seed)
			}
		}
	}
	t.Logf("%v", made)
	for _, what := range []string{"ordered by UCP", "ordered by ACP", "price changed", "tax", "discount", "items_discount", "fulfillment", "included", "not ready"} {
		if made[what] == 0 && *agreeSessions >= 120 {
			t.Errorf("of %d sessions none has or is: %s", *agreeSessions, what)
		}
	}
}

// bazaar is a platform with random shops, and a program that buys in them.
type bazaar struct {
	*apitest.API
	t       *testing.T
	dice    *rand.Rand
	profile string // address of the program's profile
	key     httpsig.Private
}

func openBazaar(t *testing.T, change ...func(*admin.Config)) *bazaar {
	t.Helper()
	b := &bazaar{API: apitest.New(t, change...), t: t, dice: rand.New(rand.NewPCG(1, 0))}
	var err error
	if b.key, err = httpsig.NewKey(); err != nil {
		t.Fatal(err)
	}
	capabilities := m{}
	for _, name := range []string{"catalog.search", "catalog.lookup", "cart", "checkout", "order", "discount", "fulfillment"} {
		capabilities["dev.ucp.shopping."+name] = l{m{"version": "2026-04-08", "spec": "https://ucp.dev/x", "schema": "https://ucp.dev/y"}}
	}
	profile, err := json.Marshal(m{
		"ucp": m{"version": "2026-04-08", "services": m{}, "capabilities": capabilities, "payment_handlers": m{
			"com.google.pay": l{m{"id": "gpay", "version": "2026-01-23", "spec": "https://ucp.dev/x", "schema": "https://ucp.dev/y"}},
		}},
		"signing_keys": []httpsig.JWK{b.key.Public},
	})
	if err != nil {
		t.Fatal(err)
	}
	b.profile = newPlatform(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Write(profile) //nolint:errcheck // the client may be gone
	}).URL
	return b
}

// one returns one of some values.
func one[T any](dice *rand.Rand, of ...T) T { return of[dice.IntN(len(of))] }

func (b *bazaar) chance(percent int) bool { return b.dice.IntN(100) < percent }

// below returns a sum of at least 1 and below n.
func (b *bazaar) below(n int) int { return 1 + b.dice.IntN(n-1) }

// offering is a random shop.
type offering struct {
	*bazaar
	token    string // of ACP
	currency string
	digits   int
	included bool // taxes are part of the prices
	goods    []string
	missing  []string // items that cannot be bought
	codes    []string
	ways     []way
}

type way struct{ id, kind, point string }

func (b *bazaar) shop(n int) *offering {
	b.t.Helper()
	s := &offering{bazaar: b}
	money := one(b.dice, m{"currency": "EUR", "price_digits": 2}, m{"currency": "EUR", "price_digits": 0}, m{"currency": "JPY", "price_digits": 0}, m{"currency": "KWD", "price_digits": 0})
	slug := fmt.Sprint("shop-", n)
	money["slug"], money["name"] = slug, "Shop"
	s.currency, s.digits = money["currency"].(string), money["price_digits"].(int)
	b.OwnerID = b.Buyer(slug + "@people.test")
	b.Send(apitest.Request{Method: "POST", Path: "/v1/orgs", Key: b.Session(b.OwnerID), Body: money, Header: map[string]string{"X-Forwarded-For": fmt.Sprintf("10.%d.%d.1", n/250, n%250)}})
	var err error
	if b.Shop, err = company.CompanyBySlug(b.t.Context(), b.Store, slug); err != nil {
		b.t.Fatal(err)
	}
	b.Owner = b.Key(b.OwnerID, shop.Owner, shop.Prod)
	owner := b.Session(b.OwnerID)
	s.token = b.Result("POST", "/v1/shop/assistants/tokens", owner, m{"name": "Chat"})["token"].(string)
	b.OK("PUT", "/v1/shop/payment-methods/manual", owner, m{"title": "Transfer", "is_active": true})
	if b.chance(80) {
		s.included = b.chance(50)
		rate := func(country, class string, percent float64) m {
			return m{"country": country, "class": class, "name": "VAT " + country + class, "percent": percent}
		}
		b.OK("PUT", "/v1/shop/settings", owner, m{"tax": m{"included": s.included, "default_country": one(b.dice, "DE", "FR"), "rates": l{
			rate("DE", "standard", 19), rate("DE", "reduced", 7), rate("FR", "standard", 20), rate("FR", "reduced", 5.5), rate("FR", "zero", 0),
		}}})
	}
	s.sell()
	s.promote()
	s.deliver(owner)
	b.Clock.Advance(time.Minute)
	return s
}

// sell adds goods: simple ones, one in two sizes, a set, and what cannot be bought.
func (s *offering) sell() {
	s.t.Helper()
	add := func(fields m) string {
		item := m{"name": "Good", "price": m{"price": s.below(3000)}, "is_published": true, "weight_g": s.dice.IntN(900), "tax_class": one(s.dice, "standard", "standard", "reduced", "zero")}
		maps.Copy(item, fields)
		return fmt.Sprint(s.Result("POST", "/products", s.Owner, m{"item": item})["id"])
	}
	for range 3 {
		s.goods = append(s.goods, add(m{}))
	}
	s.goods = append(s.goods, add(m{"stock_quantity": s.below(60)}), add(m{"price": m{"price": 0}}))
	sized := add(m{})
	s.missing = []string{sized, add(m{"is_published": false}), "999999", "x"}
	answer := s.Result("PUT", "/products/"+sized+"/variants", s.Owner, m{"items": l{m{"title": "S", "price": s.below(900)}, m{"title": "L"}}})
	for _, v := range answer["variants"].(l) {
		s.goods = append(s.goods, fmt.Sprint(sized, "-", v.(m)["id"]))
	}
	s.goods = append(s.goods, add(m{"kind": "combo", "combo_discount": m{"percent": s.below(90)}, "combo_items": l{
		m{"product_id": s.goods[0], "quantity": s.below(4)}, m{"product_id": s.goods[1], "quantity": 1},
	}}))
}

// product returns the product of an item.
func product(item string) string {
	id, _, _ := strings.Cut(item, "-")
	return id
}

// promote adds quantity prices and promotions of all kinds.
func (s *offering) promote() {
	s.t.Helper()
	products := func(of ...string) (list l) {
		for _, item := range of {
			list = append(list, product(item))
		}
		return list
	}
	value := func() m {
		if s.chance(50) {
			return m{"percent": float64(s.below(6000)) / 100}
		}
		return m{"amount": s.below(900)}
	}
	if s.chance(50) {
		s.OK("POST", "/pricing-rules", s.Owner, m{"item": m{"name": "Many", "product_ids": products(s.goods[0], s.goods[5]), "count": one(s.dice, "line", "product", "rule"), "tiers": l{
			m{"from": s.below(4) + 1, "percent": s.below(30)}, m{"from": 9, "price": s.below(500)},
		}}})
	}
	for i := range s.dice.IntN(6) {
		kind := one(s.dice, "discount", "discount", "order_discount", "order_discount", "gift", "coupon", "coupon")
		p := m{"name": fmt.Sprint("Promotion ", i), "kind": kind, "value": value(), "priority": s.dice.IntN(3), "stacking": one(s.dice, "stack", "stack", "exclusive"), "is_active": true}
		switch kind {
		case "gift":
			p["value"] = m{"product_id": product(one(s.dice, s.goods[1], s.goods[3])), "quantity": s.below(3), "per_quantity": s.below(6)}
		case "coupon":
			p["code"] = fmt.Sprint("CODE", i)
			s.codes = append(s.codes, p["code"].(string))
		}
		conditions := m{}
		if s.chance(40) {
			conditions["product_ids"] = products(s.goods[s.dice.IntN(len(s.goods))], s.goods[2])
		}
		if s.chance(30) {
			conditions["min_total"] = s.below(4000)
		}
		if s.chance(20) {
			conditions["min_quantity"] = s.below(8)
		}
		p["conditions"] = conditions
		if s.chance(40) {
			p["limits"] = one(s.dice, m{"total": s.below(12)}, m{"budget": s.below(9000)}, m{"per_buyer": 1})
		}
		delete(p, "is_active")
		s.OK("POST", "/promotions", s.Owner, m{"item": p})
	}
}

// deliver adds free, paid and weighed deliveries and places of pick-up.
func (s *offering) deliver(owner string) {
	s.t.Helper()
	all := []m{
		{"name": "Free", "price": 0}, {"name": "Post", "price": s.below(900), "free_from": 5000, "needs_address": true},
		{"name": "Parcel", "needs_address": true, "rates": l{
			m{"countries": l{"DE"}, "max_weight_g": 2000, "price": s.below(300)}, m{"countries": l{"DE", "FR"}, "min_total": 100, "price": s.below(900), "days": 3},
		}},
		{"name": "Shop", "kind": "pickup", "price": s.dice.IntN(50), "points": l{m{"id": "north", "name": "North", "address": "Main St 1"}, m{"id": "south", "name": "South", "address": "Main St 9"}}},
	}
	for _, i := range s.dice.Perm(len(all))[:s.dice.IntN(len(all)+1)] {
		made := s.Result("POST", "/v1/shop/delivery-options", owner, all[i])
		w := way{id: fmt.Sprint(made["id"]), kind: made["kind"].(string)}
		if w.kind == "pickup" {
			w.point = one(s.dice, "north", "south")
		}
		s.ways = append(s.ways, w)
	}
}

// wish is what a buyer wants.
type wish struct {
	n       int // of the session in its shop
	items   []string
	units   map[string]int
	missing bool // an item cannot be bought
	codes   []string
	address m      // nil: not named
	near    string // country where the buyer is, without an address; only UCP has it
	way     *way

	repriced bool // the shop changes a price before the sessions are completed; the sum may stay
}

func (s *offering) wish(n int) (w wish) {
	w.n, w.units = n, map[string]int{}
	for _, i := range s.dice.Perm(len(s.goods))[:1+s.dice.IntN(4)] {
		w.items = append(w.items, s.goods[i])
		w.units[s.goods[i]] = one(s.dice, s.below(4), s.below(13), s.below(13), s.below(200))
	}
	if w.missing = s.chance(8); w.missing {
		item := one(s.dice, s.missing...)
		w.items = append(w.items, item)
		w.units[item] = 1
	}
	all := append([]string{"NOPE", " "}, s.codes...)
	for range one(s.dice, 0, 1, 1, 2, 3) {
		code := one(s.dice, all...)
		if len(s.codes) > 0 && s.chance(60) {
			code = one(s.dice, s.codes...)
		}
		w.codes = append(w.codes, one(s.dice, code, strings.ToLower(code)+" "))
	}
	if s.chance(85) {
		w.address = m{"country": one(s.dice, "DE", "DE", "FR", "US"), "street": "Rua 1", "city": "Lisboa", "postcode": "10115"}
	} else {
		w.near = one(s.dice, "", "DE", "FR", "US")
	}
	if len(s.ways) > 0 && s.chance(50) {
		w.way = &s.ways[s.dice.IntN(len(s.ways))]
	}
	return w
}

func (s *offering) email(w wish, face string) string {
	return fmt.Sprintf("%s-%d@%s.example", face, w.n, s.Shop.Slug)
}

// phone is another one for each session: limits of promotions are counted by it.
func (s *offering) phone(w wish, face string) string {
	return fmt.Sprintf("+4930%05d%03d%d", s.Shop.ID, w.n, face[0])
}

// byUCP is the wish as a program states it by UCP. Without a chosen way it names shipping.
func (s *offering) byUCP(w wish) m {
	lines := l{}
	for _, item := range w.items {
		lines = append(lines, m{"item": m{"id": item, "price": 1, "title": "Cheap"}, "quantity": w.units[item], "totals": l{m{"type": "total", "amount": 1}}})
	}
	body := m{
		"line_items": lines, "buyer": m{"first_name": "Ann", "last_name": "Lee", "email": s.email(w, "ucp"), "phone_number": s.phone(w, "ucp")},
		"discounts": m{"codes": w.codes, "applied": l{m{"title": "All of it", "amount": 1_000_000}}}, "totals": l{m{"type": "total", "amount": 1}},
	}
	if w.near != "" {
		body["context"] = m{"address_country": w.near}
	}
	methods := l{}
	if w.way != nil {
		method := m{"type": "shipping", "groups": l{m{"id": "g", "selected_option_id": w.way.id}}}
		if w.way.kind == "pickup" {
			method["type"], method["groups"] = "pickup", l{m{"id": "g", "selected_option_id": w.way.id + ":" + w.way.point}}
		}
		methods = append(methods, method)
	}
	if a := w.address; a != nil {
		shipping := m{"type": "shipping"}
		if len(methods) > 0 && w.way.kind != "pickup" {
			shipping = methods[0].(m)
		} else {
			methods = append(methods, shipping)
		}
		shipping["destinations"] = l{m{"address_country": a["country"], "street_address": a["street"], "address_locality": a["city"], "postal_code": a["postcode"]}}
	}
	if len(methods) > 0 {
		body["fulfillment"] = m{"methods": methods}
	}
	return body
}

// byACP is the wish as an assistant states it by ACP.
func (s *offering) byACP(w wish) m {
	lines := l{}
	for _, item := range w.items {
		lines = append(lines, m{"id": item, "quantity": w.units[item], "unit_amount": 1})
	}
	body := m{
		"line_items": lines, "currency": strings.ToLower(s.currency), "capabilities": m{"extensions": l{"discount"}},
		"buyer":     m{"first_name": "Ann", "last_name": "Lee", "email": s.email(w, "acp"), "phone_number": s.phone(w, "acp")},
		"discounts": m{"codes": w.codes}, "totals": l{m{"type": "total", "amount": 1}}, "selected_fulfillment_options": l{},
	}
	if a := w.address; a != nil {
		body["fulfillment_details"] = m{"address": m{"name": "Ann Lee", "line_one": a["street"], "city": a["city"], "state": "", "country": a["country"], "postal_code": a["postcode"]}}
	}
	if w.way != nil {
		option := m{"type": "shipping", "option_id": w.way.id, "item_ids": w.items}
		if w.way.kind == "pickup" {
			option["type"], option["option_id"] = "pickup", w.way.id+":"+w.way.point
		}
		body["selected_fulfillment_options"] = l{option}
	}
	return body
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

// call makes a call of one of the faces.
func (s *offering) call(method, path string, body any) (int, m) {
	s.t.Helper()
	out := s.Send(s.request(method, path, fmt.Sprint(s.dice.Uint64()), body))
	return out.Status, out.JSON
}

func (s *offering) request(method, path, key string, body any) apitest.Request {
	header := s.ThroughStorefront()
	header["Content-Type"], header["Idempotency-Key"] = "application/json", key
	if strings.HasPrefix(path, "/ucp") {
		header["UCP-Agent"] = fmt.Sprintf("profile=%q", s.profile)
	} else {
		header["Authorization"], header["API-Version"] = "Bearer "+s.token, "2026-04-17"
	}
	return apitest.Request{Method: method, Path: path, Header: header, Body: body}
}

// visit lets a random buyer buy by both faces.
func (s *offering) visit(n int, made map[string]int) {
	s.t.Helper()
	s.Clock.Advance(time.Minute)
	first, w := s.wish(n), s.wish(n)
	if s.chance(50) {
		first = w
	}
	status, ucp := s.call("POST", "/ucp/checkout-sessions", s.byUCP(first))
	other, acp := s.call("POST", "/acp/checkout_sessions", s.byACP(first))
	if status != 201 || other != 201 || ucp["id"] == nil {
		s.t.Errorf("%d %v, %d %v", status, ucp, other, acp)
		return
	}
	atUCP, atACP := "/ucp/checkout-sessions/"+ucp["id"].(string), "/acp/checkout_sessions/"+acp["id"].(string)
	if first.n = w.n; fmt.Sprint(first) != fmt.Sprint(w) {
		_, ucp = s.call("PUT", atUCP, s.byUCP(w))
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
		s.buy("UCP", w, ucp, func() (int, m) { return s.call("POST", atUCP+"/complete", offline) }, made)
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
	made["ordered by "+face]++
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
		if told := s.told(id); s.ofUCP(told).text() != want {
			s.t.Errorf("the platform is told of %v, the order has %s", told["totals"], want)
		}
	}
}

// told reads an order as its platform does.
func (s *offering) told(id string) m {
	s.t.Helper()
	header := map[string]string{"UCP-Agent": fmt.Sprintf("profile=%q", s.profile)}
	message := httpsig.Message{Method: "GET", Scheme: "https", Authority: "admin.test", Path: "/api/ucp/orders/" + id, Header: httpsig.Headers(header)}
	added, err := httpsig.Sign(message, s.key, s.Clock.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	maps.Copy(header, added)
	maps.Copy(header, s.ThroughStorefront())
	out := s.Send(apitest.Request{Method: "GET", Path: "/ucp/orders/" + id, Header: header})
	official(s.t, "ucp/schemas/shopping/order.json", out.Body)
	return out.JSON
}
