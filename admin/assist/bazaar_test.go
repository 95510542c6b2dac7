package assist_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"vitrine/admin"
	"vitrine/admin/api/apitest"
	"vitrine/internal/httpsig"
	"vitrine/internal/pay/stripetest"
	"vitrine/internal/shop"
	"vitrine/internal/store/company"
)

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

// takesCards opens a shop that sells by both protocols for cards.
func takesCards(t *testing.T, stripe *stripetest.Server) *offering {
	t.Helper()
	b := openBazaar(t, func(cfg *admin.Config) { cfg.Pay.StripeURL = stripe.URL })
	owner := b.Session(b.OwnerID)
	s := &offering{bazaar: b, token: b.Result("POST", "/v1/shop/assistants/tokens", owner, m{"name": "Chat"})["token"].(string)}
	b.OK("PUT", "/v1/shop/payment-methods/stripe", owner, m{"title": "Card", "is_active": true, "settings": m{
		"secret_key": stripetest.SecretKey, "webhook_secret": "whsec_test", "publishable_key": "pk_test_1", "merchant_id": "acct_1",
	}})
	return s
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
	money := one(b.dice,
		m{"currency": "EUR", "price_digits": 2}, m{"currency": "EUR", "price_digits": 0}, m{"currency": "JPY", "price_digits": 0},
		m{"currency": "KWD", "price_digits": 0}, m{"currency": "BHD", "price_digits": 0},
	)
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

	overMCP  bool // the program speaks UCP over MCP, else over REST
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
	w.overMCP = s.chance(25)
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

// callTool makes the call of a checkout by UCP that has this method and path over REST as one of a tool
// over MCP.
func (s *offering) callTool(method, path string, body any) (int, m) {
	s.t.Helper()
	tool, id, completes := map[string]string{"POST": "create_checkout", "PUT": "update_checkout", "GET": "get_checkout"}[method], "", false
	if id = strings.Trim(strings.TrimPrefix(path, "/ucp/checkout-sessions"), "/"); method == "POST" && id != "" {
		if id, completes = strings.CutSuffix(id, "/complete"); !completes {
			s.t.Fatalf("no tool for %s %s", method, path)
		}
		tool = "complete_checkout"
	}
	arguments := m{"meta": m{"ucp-agent": m{"profile": s.profile}, "idempotency-key": fmt.Sprint(s.dice.Uint64())}}
	if id != "" {
		arguments["id"] = id
	}
	if body != nil {
		arguments["checkout"] = body
	}
	status, answer := s.tool(tool, arguments, nil)
	if status == 200 && tool == "create_checkout" {
		status = 201 // as over REST
	}
	return status, answer
}

// tool calls a tool, signed if sign is given, and returns its structured result, or what its error says.
func (s *offering) tool(name string, arguments m, sign func(apitest.Request) apitest.Request) (int, m) {
	s.t.Helper()
	body, err := json.Marshal(m{"jsonrpc": "2.0", "id": s.dice.Uint32(), "method": "tools/call", "params": m{"name": name, "arguments": arguments}})
	if err != nil {
		s.t.Fatal(err)
	}
	header := map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
	request := apitest.Request{Method: "POST", Path: "/ucp/mcp", Header: header, Body: string(body)}
	if sign != nil {
		request = sign(request)
	}
	maps.Copy(request.Header, s.ThroughStorefront())
	out := s.Send(request)
	if failed, ok := out.JSON["error"].(m); ok {
		data, _ := failed["data"].(m)
		return out.Status, data
	}
	result, _ := out.JSON["result"].(m)
	answer, _ := result["structuredContent"].(m)
	return out.Status, answer
}

// signed adds the signature of the program to a request.
func (s *offering) signed(r apitest.Request) apitest.Request {
	s.t.Helper()
	text, _ := r.Body.(string)
	added, err := httpsig.Sign(httpsig.Message{
		Method: r.Method, Scheme: "https", Authority: "admin.test", Path: "/api" + r.Path, Header: httpsig.Headers(r.Header), Body: []byte(text),
	}, s.key, s.Clock.Now())
	if err != nil {
		s.t.Fatal(err)
	}
	maps.Copy(r.Header, added)
	return r
}
