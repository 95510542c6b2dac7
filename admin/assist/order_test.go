package assist_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
	"vitrine/admin/assist"
	"vitrine/internal/await"
	"vitrine/internal/httpsig"
	"vitrine/internal/httpsig/httpsigtest"
	"vitrine/internal/schematest"
)

type (
	m = apitest.Map
	l = []any
)

// received is a request that a platform got.
type received struct {
	header http.Header
	uri    string
	body   []byte
}

// platform is a program that made orders and is told of them.
type platform struct {
	*httptest.Server
	mu     sync.Mutex
	visits []received
	answer func(n int, w http.ResponseWriter, r *http.Request) // n counts from 1
}

func newPlatform(t testing.TB, answer func(n int, w http.ResponseWriter, r *http.Request)) *platform {
	t.Helper()
	p := &platform{answer: answer}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) //nolint:errcheck // a truncated body is no order
		p.mu.Lock()
		p.visits = append(p.visits, received{r.Header.Clone(), r.RequestURI, body})
		n := len(p.visits)
		p.mu.Unlock()
		if p.answer != nil {
			p.answer(n, w, r)
		}
	}))
	t.Cleanup(p.Close)
	return p
}

// wait returns the requests once there are n.
func (p *platform) wait(t testing.TB, n int) []received {
	t.Helper()
	var seen []received
	if !await.Until(func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		seen = append([]received{}, p.visits...)
		return len(seen) >= n
	}) {
		t.Fatalf("%d of %d deliveries arrived", len(seen), n)
	}
	return seen
}

func (r received) order(t testing.TB) (o m) {
	t.Helper()
	if err := json.Unmarshal(r.body, &o); err != nil {
		t.Fatalf("%s: %v", r.body, err)
	}
	return o
}

// fixture is a shop in which a platform sells.
type fixture struct {
	*apitest.API
	t             testing.TB
	keys          *assist.Keys
	tea           string // product
	seller, buyer string // sessions
}

// keysOf returns the keys as a process of its own has them.
func keysOf(a *apitest.API) *assist.Keys {
	return assist.NewKeys(a.Store, a.Config().Sealer, a.Clock.Now)
}

func open(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{API: apitest.New(t), t: t}
	f.keys = keysOf(f.API)
	f.seller, f.buyer = f.Session(f.OwnerID), f.Session(f.Buyer("ann@people.test"))
	f.tea = fmt.Sprint(f.Result("POST", "/products", f.Owner, m{"item": m{"name": "Tea", "price": m{"price": 7}, "is_published": true}})["id"])
	return f
}

// send runs the worker that sends deliveries until the test ends or stop is called.
func (f *fixture) send() (stop func()) {
	ctx, cancel := context.WithCancel(f.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.Admin.Deliveries().Run(ctx, slog.New(slog.DiscardHandler))
	}()
	stop = func() { cancel(); await.Next(f.t, done) }
	f.t.Cleanup(stop)
	return stop
}

// order makes an order of three units through a platform.
func (f *fixture) order(protocol, name, webhook string) (id string) {
	f.t.Helper()
	session := "s-" + name
	_, err := f.Store.Pool.Exec(f.t.Context(), `
			WITH p AS (INSERT INTO assist_platform (company_id, protocol, name, webhook_url) VALUES ($1, $2, $3, $4)
				ON CONFLICT (company_id, name) WHERE protocol = 'ucp' DO UPDATE SET webhook_url = excluded.webhook_url RETURNING id)
			INSERT INTO assist_session (company_id, id, kind, platform_id, person_id, signed, input, state, created_at, updated_at, expires_at)
			SELECT $1, $5 || gen_random_uuid(), 'purchase', p.id, (SELECT id FROM person WHERE email = 'ann@people.test'), false,
				'{"attribution": {"utm_source": "chat"}}', 'handed_off', now(), now(), now() + interval '1 hour' FROM p`,
		f.Shop.ID, protocol, name, webhook, session)
	if err != nil {
		f.t.Fatal(err)
	}
	f.OK("POST", "/cart/items/"+f.tea+"/default", f.buyer, m{"company_id": f.Shop.ID, "quantity": 3})
	return fmt.Sprint(f.Result("POST", "/cart/confirm", f.buyer, m{
		"company_id": f.Shop.ID, "contact": m{"name": "Ann", "phone": "+1 202 555 0100", "email": "ann@people.test"},
		"address": m{"street": "Rua 1", "city": "Lisboa", "postcode": "1000", "country": "PT"},
	})["id"])
}

// publicKeys returns the keys that the shop publishes.
func (f *fixture) publicKeys() []httpsig.JWK {
	f.t.Helper()
	keys, err := f.keys.Public(f.t.Context(), f.Shop.ID)
	if err != nil {
		f.t.Fatal(err)
	}
	return keys
}

// Each change of an order becomes one delivery with the whole order, signed by the shop with all that
// names its sender, its receiver and the delivery; an independent implementation verifies it.
func TestAPlatformIsToldOfEachChangeOfItsOrders(t *testing.T) {
	t.Parallel()
	f := open(t)
	p := newPlatform(t, nil)
	f.send()
	id := f.order("ucp", "https://platform.example/profile", p.URL+"/hooks?shop=1")
	p.wait(t, 1)
	told := 1
	then := func(what, method, path string, body m) m {
		t.Helper()
		out := f.OK(method, "/orders/"+id+path, f.seller, body)
		told++
		p.wait(t, told)
		return out
	}
	then("paid", "POST", "/payment/confirm", m{})
	then("status", "PUT", "/status", m{"status": "processing"})
	shipped := then("shipped", "POST", "/shipments", m{"carrier": "ups", "number": "1Z9"})
	then("delivered", "PUT", fmt.Sprintf("/shipments/%v", shipped["result"].(m)["id"]), m{"delivered_at": f.Clock.Now().Add(time.Hour).Format(time.RFC3339)})
	then("refunded", "POST", "/refund", m{})
	then("cancelled", "PUT", "/status", m{"status": "cancelled"})
	seen := p.wait(t, told)
	key := f.publicKeys()[0]
	ids := map[string]bool{}
	for i, r := range seen {
		header := map[string]string{}
		for name := range r.header {
			header[name] = r.header.Get(name)
		}
		sent := httpsigtest.Message{Method: "POST", URL: p.URL + r.uri, Header: header, Body: r.body}
		if wrong := httpsigtest.Verify(t, sent, key, "@method", "@authority", "@path", "@query", "ucp-agent", "webhook-id", "webhook-timestamp", "idempotency-key", "content-digest", "content-type"); wrong != "" {
			t.Errorf("delivery %d: %s", i+1, wrong)
		}
		if got := header["Ucp-Agent"]; got != `profile="http://tea.shops.test/.well-known/ucp"` {
			t.Errorf("delivery %d is of %s", i+1, got)
		}
		if header["Webhook-Id"] != header["Idempotency-Key"] || ids[header["Webhook-Id"]] {
			t.Errorf("delivery %d has the id %s, and the key %s", i+1, header["Webhook-Id"], header["Idempotency-Key"])
		}
		ids[header["Webhook-Id"]] = true
		schematest.Official(t).Fits(t, "ucp/schemas/shopping/order.json", r.body)
	}
	first, last := seen[0].order(t), seen[len(seen)-1].order(t)
	quantity := func(o m) string { return fmt.Sprint(o["line_items"].(l)[0].(m)["quantity"]) }
	if got := quantity(first); got != "map[fulfilled:0 original:3 total:3]" {
		t.Errorf("at first: %s", got)
	}
	if got := quantity(last); got != "map[fulfilled:0 original:3 total:0]" {
		t.Errorf("at last: %s", got)
	}
	if got := quantity(seen[3].order(t)); got != "map[fulfilled:3 original:3 total:3]" {
		t.Errorf("shipped: %s", got)
	}
	if first["id"] != id || !strings.HasPrefix(fmt.Sprint(first["checkout_id"]), "s-https://platform.example") || first["attribution"].(m)["utm_source"] != "chat" {
		t.Errorf("%v", first)
	}
	if link := fmt.Sprint(first["permalink_url"]); !strings.HasPrefix(link, "http://tea.shops.test/orders/"+id+"?key=") {
		t.Errorf("the link is %s", link)
	}
	var sum, total float64
	for _, row := range last["totals"].(l) {
		if amount := row.(m)["amount"].(float64); row.(m)["type"] == "total" {
			total = amount
		} else {
			sum += amount
		}
	}
	if sum != total || total != 2100 {
		t.Errorf("the totals add up to %v, not %v", sum, total)
	}
	var events, adjustments []string
	for _, e := range last["fulfillment"].(m)["events"].(l) {
		events = append(events, fmt.Sprint(e.(m)["type"], " ", e.(m)["tracking_url"], " ", e.(m)["line_items"].(l)[0].(m)["quantity"]))
	}
	for _, a := range last["adjustments"].(l) {
		adjustments = append(adjustments, fmt.Sprint(a.(m)["type"], " ", a.(m)["status"], " ", a.(m)["totals"], " ", a.(m)["line_items"]))
	}
	if got := fmt.Sprint(events); got != "[shipped https://www.ups.com/track?tracknum=1Z9 3 delivered https://www.ups.com/track?tracknum=1Z9 3]" {
		t.Errorf("events: %s", got)
	}
	line := fmt.Sprint(first["line_items"].(l)[0].(m)["id"])
	if got := fmt.Sprint(adjustments); got != "[refund completed [map[amount:-2100 display_text:Refund type:total]] <nil> cancellation completed <nil> [map[id:"+line+" quantity:-3]]]" {
		t.Errorf("adjustments: %s", got)
	}
}

// Only the platform of an order is told of it; an order of the storefront, a platform without an address and
// one that is blocked make no delivery.
func TestOnlyThePlatformOfAnOrderIsTold(t *testing.T) {
	t.Parallel()
	f := open(t)
	one, other := newPlatform(t, nil), newPlatform(t, nil)
	f.send()
	f.order("ucp", "https://silent.example/", "")
	f.OK("POST", "/cart/items/"+f.tea+"/default", f.buyer, m{"company_id": f.Shop.ID, "quantity": 1})
	plain := fmt.Sprint(f.Result("POST", "/cart/confirm", f.buyer, m{"company_id": f.Shop.ID, "contact": m{"name": "Ann", "phone": "1"}})["id"])
	f.OK("PUT", "/orders/"+plain+"/status", f.seller, m{"status": "processing"})
	id := f.order("ucp", "https://one.example/", one.URL)
	second := f.order("ucp", "https://other.example/", other.URL)
	one.wait(t, 1)
	other.wait(t, 1)
	if _, err := f.Store.Pool.Exec(t.Context(), `UPDATE assist_platform SET blocked = true WHERE name = 'https://one.example/'`); err != nil {
		t.Fatal(err)
	}
	f.OK("PUT", "/orders/"+id+"/status", f.seller, m{"status": "processing"})
	f.OK("PUT", "/orders/"+second+"/status", f.seller, m{"status": "processing"})
	f.OK("PUT", "/orders/"+second+"/status", f.seller, m{"status": "processing"}) // no change
	f.OK("PUT", "/orders/"+second+"/status", f.seller, m{"status": "completed"})
	if seen := other.wait(t, 3); seen[0].order(t)["id"] != second || len(seen) != 3 {
		t.Errorf("%d deliveries, the first about %v, not %s", len(seen), seen[0].order(t)["id"], second)
	}
	var n int
	if err := f.Store.Pool.QueryRow(t.Context(), `SELECT count(*) FROM webhook_delivery`).Scan(&n); err != nil || n != 4 {
		t.Errorf("%d deliveries in total, %v", n, err)
	}
	if seen := one.wait(t, 1); seen[0].order(t)["id"] != id || len(seen) != 1 {
		t.Errorf("%d deliveries, the first about %v, not %s", len(seen), seen[0].order(t)["id"], id)
	}
	if list := f.OK("GET", "/webhooks", f.seller, nil)["result"].(l); len(list) != 0 {
		t.Errorf("platforms are listed as subscriptions: %v", list)
	}
}

// A delivery that fails is sent again with the same id and the order as it is then, in the journal of its
// platform; a platform that knows the key of a second attempt has got the first.
func TestADeliveryToAPlatformIsSentAgain(t *testing.T) {
	t.Parallel()
	f := open(t)
	var p *platform
	p = newPlatform(t, func(n int, w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		first := p.visits[0].header.Get("Webhook-Id")
		p.mu.Unlock()
		switch {
		case n == 1:
			w.WriteHeader(503)
		case r.Header.Get("Webhook-Id") == first:
			w.WriteHeader(409)
		}
	})
	stop := f.send()
	id := f.order("ucp", "https://platform.example/", p.URL)
	p.wait(t, 1)
	state := func() (all string) {
		if err := f.Store.Pool.QueryRow(t.Context(), `SELECT coalesce(string_agg(state, ' ' ORDER BY id), '') FROM webhook_delivery`).Scan(&all); err != nil {
			t.Fatal(err)
		}
		return all
	}
	if !await.Until(func() bool { return state() == "retrying" }) {
		t.Fatalf("it is %s", state())
	}
	stop()
	f.OK("PUT", "/orders/"+id+"/status", f.seller, m{"status": "processing"}) // queued while nothing sends
	f.Clock.Advance(time.Minute)
	f.send()
	seen := p.wait(t, 3)
	if !await.Until(func() bool { return state() == "delivered delivered" }) {
		t.Fatalf("they are %s", state())
	}
	again := 0
	for _, r := range seen[1:] {
		if r.header.Get("Webhook-Id") == seen[0].header.Get("Webhook-Id") {
			again++
		}
	}
	if again != 1 {
		t.Errorf("%d second attempts", again)
	}
	var hook int64
	if err := f.Store.Pool.QueryRow(t.Context(), `SELECT id FROM webhook WHERE platform_id IS NOT NULL`).Scan(&hook); err != nil {
		t.Fatal(err)
	}
	journal := f.OK("GET", fmt.Sprintf("/webhooks/%d/deliveries", hook), f.seller, nil)["result"].(m)["items"].(l)
	if len(journal) != 2 || journal[0].(m)["event"] != "assistant.order_status" || journal[1].(m)["event"] != "assistant.order_created" {
		t.Errorf("%v", journal)
	}
	f.OK("POST", fmt.Sprintf("/webhooks/%d/deliveries/%v/redeliver", hook, journal[0].(m)["id"]), f.seller, nil)
	p.wait(t, 4)
	for _, method := range []string{"PUT", "DELETE", "GET"} {
		f.Refused(method, fmt.Sprintf("/webhooks/%d", hook), f.seller, m{}, 404, "WEBHOOK_NOT_FOUND")
	}
}

// A platform that does not answer delays no other.
func TestASlowPlatformDelaysNoOther(t *testing.T) {
	t.Parallel()
	f := open(t)
	release := make(chan struct{})
	slow, quick := newPlatform(t, func(int, http.ResponseWriter, *http.Request) { <-release }), newPlatform(t, nil)
	t.Cleanup(func() { close(release) })
	f.send()
	for range 3 {
		f.order("ucp", "https://slow.example/", slow.URL)
	}
	slow.wait(t, 3)
	for n := range 3 {
		f.order("ucp", "https://quick.example/", quick.URL)
		quick.wait(t, n+1)
	}
}
