package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/pay/stripetest"
)

// rush is a crowd that buys through two processes: every tenth buyer in the storefront, which needs no
// second call, the others by UCP with Google Pay and by ACP with shared payment tokens.
type rush struct {
	*crowd
	processes []*program
	platforms string   // address of the profiles
	tokens    []string // of assistants
	sessions  []string // of those who buy by UCP and ACP
}

const assistantsOfRush = 8 // calls are counted for each

// face returns the path of the face that a buyer buys by; empty: the storefront.
func (r *rush) face(i int) string {
	switch {
	case i%10 == 9:
		return ""
	case i%2 == 0:
		return "/api/ucp"
	}
	return "/api/acp"
}

// process returns the process that a buyer buys through at first.
func (r *rush) process(i int) int { return i / 10 % 2 }

// ask makes a call of a face of a process.
func (r *rush) ask(process, i int, path, key string, body any) (status int, answer map[string]any, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	request, err := http.NewRequest("POST", "http://"+r.processes[process].edge+r.face(i)+path, bytes.NewReader(text))
	if err != nil {
		return 0, nil, err
	}
	request.Host = "tea.localhost"
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", key)
	request.Header.Set("X-Forwarded-For", fmt.Sprintf("10.%d.%d.7", i/250, i%250))
	if r.face(i) == "/api/ucp" {
		request.Header.Set("UCP-Agent", fmt.Sprintf("profile=\"%s/%d\"", r.platforms, i/2%assistantsOfRush))
	} else {
		request.Header.Set("API-Version", "2026-04-17")
		request.Header.Set("Authorization", "Bearer "+r.tokens[i/2%assistantsOfRush])
	}
	response, err := direct.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	if text, err = io.ReadAll(response.Body); err == nil {
		err = json.Unmarshal(text, &answer)
	}
	return response.StatusCode, answer, err
}

// begins creates the session of a buyer, or fills the cart.
func (r *rush) begins(i int, product string) {
	buyer := map[string]any{"first_name": "Ann", "email": fmt.Sprintf("b%d@buyers.example", i), "phone_number": fmt.Sprintf("+4930%06d", i)}
	line := map[string]any{"item": map[string]any{"id": product}, "quantity": 1}
	body, path := map[string]any{"line_items": []any{line}, "buyer": buyer}, "/checkout-sessions"
	switch r.face(i) {
	case "/api/acp":
		path = "/checkout_sessions"
		body["currency"], body["capabilities"] = "eur", map[string]any{}
	case "":
		if status, text, err := r.send(i, "POST", "/cart/items/"+product+"/default", map[string]any{"quantity": 1}); err != nil || status != 200 {
			r.t.Errorf("%d %s %v", status, text, err)
		}
		return
	}
	status, made, err := r.ask(r.process(i), i, path, fmt.Sprint("create ", i), body)
	if err != nil || status != 201 || !strings.HasPrefix(itoa(made["status"]), "ready") {
		r.t.Errorf("%d %v %v", status, made, err)
		return
	}
	r.sessions[i] = itoa(made["id"])
}

// buys orders what a buyer has begun, through a process. Without an error the order has an id, or there is
// a reason why none was made.
func (r *rush) buys(process, i int) (order, reason string, err error) {
	if r.face(i) == "" {
		p := *r.crowd
		p.program = r.processes[process]
		_, text, err := p.send(i, "POST", "/cart/confirm", map[string]any{"company_id": r.company, "contact": map[string]any{"name": "Ann", "phone": "1"}, "payment_method": "manual"})
		var answer struct {
			Result struct{ ID string }
			Code   string
		}
		if err == nil {
			err = json.Unmarshal(text, &answer)
		}
		return answer.Result.ID, answer.Code, err
	}
	path := "/checkout-sessions/" + r.sessions[i] + "/complete"
	body := map[string]any{"payment": map[string]any{"instruments": []any{map[string]any{
		"id": "i", "handler_id": "stripe-gpay", "type": "card", "selected": true,
		"credential": map[string]any{"type": "PAYMENT_GATEWAY", "token": fmt.Sprintf(`{"id":"tok_%d"}`, i)},
	}}}}
	if r.face(i) == "/api/acp" {
		path = "/checkout_sessions/" + r.sessions[i] + "/complete"
		body = map[string]any{"payment_data": map[string]any{"handler_id": "card_tokenized", "instrument": map[string]any{
			"type": "card", "credential": map[string]any{"type": "spt", "token": fmt.Sprint("spt_", i)},
		}}}
	}
	_, answer, err := r.ask(process, i, path, fmt.Sprint("complete ", i), body)
	if err != nil {
		return "", "", err
	}
	if made, ok := answer["order"].(map[string]any); ok {
		return itoa(made["id"]), "", nil
	}
	if code, ok := answer["code"].(string); ok {
		return "", code, nil
	}
	list, _ := answer["messages"].([]any)
	for _, m := range list {
		reason += itoa(m.(map[string]any)["code"]) + " "
	}
	return "", strings.TrimSpace(reason), nil
}

// A thousand buyers complete checkouts of ten units at once, by UCP, by ACP and in the storefront, through
// two processes, of which one is killed while it takes money, and is started again. Ten units are
// sold: each order that a program made has one charge, which is captured, and nothing else is taken
// or stays reserved.
func TestThousandCompletesOfTenUnits(t *testing.T) {
	t.Parallel()
	stripe := stripetest.New(t)
	profiles := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(payingProfile()) })) //nolint:errcheck // the client may be gone
	t.Cleanup(profiles.Close)
	calls := make(chan struct{}, 10_000)
	stripe.Fault = func(*http.Request) stripetest.Fault {
		calls <- struct{}{}
		return stripetest.None
	}
	processes := sharing(t, 2)
	for _, p := range processes {
		p.env = append(p.env, "VITRINE_OUTBOUND_ALLOW=127.0.0.0/8", "VITRINE_STRIPE_URL="+stripe.URL, "VITRINE_TRUSTED_PROXIES=127.0.0.1/32")
	}
	p := processes[0]
	key := p.shop("tea")
	serving := p.start()
	processes[1].start()
	company := p.must(key, "GET", "/v1/orgs/current", nil)["id"]
	owner := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "tea@example.test", "password": "a long password"})["token"].(string)
	p.must(owner, "PUT", "/v1/shop/payment-methods/manual", map[string]any{"title": "Cash", "is_active": true})
	p.must(owner, "PUT", "/v1/shop/payment-methods/stripe", map[string]any{"title": "Card", "is_active": true, "settings": map[string]any{
		"secret_key": stripetest.SecretKey, "webhook_secret": "whsec_test", "publishable_key": "pk_test_1", "merchant_id": "acct_1",
	}})
	product := itoa(p.must(key, "POST", "/products", map[string]any{"item": map[string]any{
		"name": "Tea", "is_published": true, "price": map[string]any{"price": 7}, "stock_quantity": 10,
	}})["id"])
	r := &rush{crowd: p.gather(company, 1000), processes: processes, platforms: profiles.URL, sessions: make([]string, 1000)}
	for i := range assistantsOfRush {
		r.tokens = append(r.tokens, p.must(owner, "POST", "/v1/shop/assistants/tokens", map[string]any{"name": fmt.Sprint("Chat ", i)})["token"].(string))
	}
	r.each(func(i int) { r.begins(i, product) })
	if t.Failed() {
		return
	}
	down := make(chan struct{})
	var killed sync.WaitGroup
	killed.Go(func() {
		for range 4 {
			<-calls
		}
		serving.kill()
		serving = p.start()
		close(down)
	})
	var lost atomic.Int64
	var acknowledged sync.Map
	reasons := sync.Map{}
	r.each(func(i int) {
		order, reason, err := r.buys(r.process(i), i)
		if err != nil && r.process(i) == 0 { // the response was cut off: the buyer tries again at the other process
			lost.Add(1)
			<-down
			order, reason, err = r.buys(1, i)
		}
		if err != nil {
			t.Errorf("buyer %d: %v", i, err)
			return
		}
		if order != "" {
			acknowledged.Store(order, true)
			return
		}
		n, _ := reasons.LoadOrStore(reason, &atomic.Int64{})
		n.(*atomic.Int64).Add(1)
	})
	killed.Wait()
	reasons.Range(func(reason, n any) bool {
		t.Logf("%d times: %s", n.(*atomic.Int64).Load(), reason)
		switch reason {
		case "out_of_stock":
		case "CART_EMPTY", "idempotency_in_flight", "idempotency_in_progress": // the first call was cut off
			if n.(*atomic.Int64).Load() > lost.Load() {
				t.Errorf("%d calls ended with %s, %d were cut off", n.(*atomic.Int64).Load(), reason, lost.Load())
			}
		default:
			t.Errorf("no order: %s", reason)
		}
		return true
	})
	conn, err := pgx.Connect(t.Context(), p.databaseURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(t.Context()) }) //nolint:errcheck // the database goes with the test
	var unsettled int
	wait(t, "nothing is reserved", func() bool {
		// The worker lets those who died have two minutes.
		if _, err := conn.Exec(t.Context(), `UPDATE charge SET look_at = now() WHERE state IN ('begun', 'authorised', 'voiding') AND look_at > now()`); err != nil {
			t.Fatal(err)
		}
		if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM payment WHERE status = 'pending' AND provider_ref LIKE 'pi_%'`).Scan(&unsettled); err != nil {
			t.Fatal(err)
		}
		return stripe.States()["requires_capture"] == 0 && unsettled == 0
	})
	p.allSold(owner, product, 10, nil)
	var orders, charged, paid int
	err = conn.QueryRow(t.Context(), `SELECT count(*), count(*) FILTER (WHERE payment_method = 'stripe'),
		(SELECT count(*) FROM payment WHERE status = 'paid' AND provider_ref LIKE 'pi_%') FROM shop_order`).Scan(&orders, &charged, &paid)
	if err != nil {
		t.Fatal(err)
	}
	states := stripe.States()
	if orders != 10 || charged != paid || states["succeeded"] != paid || paid == 0 {
		t.Errorf("%d orders, %d of them by card, %d payments, at Stripe %v", orders, charged, paid, states)
	}
	acknowledged.Range(func(id, _ any) bool {
		if got := p.must(owner, "GET", "/orders/"+id.(string), nil); got["status"] != "new" {
			t.Errorf("acknowledged order %s: %v", id, got)
		}
		return true
	})
	t.Logf("%d orders, %d of them by card; at Stripe %v; %d responses were lost", orders, charged, states, lost.Load())
}

// payingProfile is platformProfile of a program that has Google Pay.
func payingProfile() []byte {
	var profile map[string]map[string]any
	if err := json.Unmarshal(platformProfile(), &profile); err != nil {
		panic(err)
	}
	profile["ucp"]["payment_handlers"] = map[string]any{"com.google.pay": []any{map[string]any{"id": "gpay", "version": "2026-01-23", "spec": "https://ucp.dev/x", "schema": "https://ucp.dev/y"}}}
	text, err := json.Marshal(profile)
	if err != nil {
		panic(err)
	}
	return text
}
