package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/await"
	"vitrine/internal/pay/stripetest"
)

// assistantShop is a program with a shop that takes cards, and a platform that sells in it.
type assistantShop struct {
	*program
	stripe  *stripetest.Server
	profile string
	owner   string // session
	tea     string // product
	db      *pgx.Conn
}

func newAssistantShop(t *testing.T, fault func(*http.Request) stripetest.Fault) (*assistantShop, *running) {
	t.Helper()
	s := &assistantShop{program: newProgram(t), stripe: stripetest.New(t)}
	s.stripe.Fault = fault
	profiles := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(payingProfile()) })) //nolint:errcheck // the client may be gone
	t.Cleanup(profiles.Close)
	s.profile = profiles.URL
	s.env = append(s.env, "VITRINE_OUTBOUND_ALLOW=127.0.0.0/8", "VITRINE_STRIPE_URL="+s.stripe.URL)
	key := s.shop("tea")
	serving := s.start()
	s.owner = s.must("", "POST", "/v1/auth/login", map[string]any{"email": "tea@example.test", "password": "a long password"})["token"].(string)
	s.must(s.owner, "PUT", "/v1/shop/payment-methods/stripe", map[string]any{"title": "Card", "is_active": true, "settings": map[string]any{
		"secret_key": stripetest.SecretKey, "webhook_secret": "whsec_test", "publishable_key": "pk_test_1", "merchant_id": "acct_1",
	}})
	s.must(s.owner, "PUT", "/v1/shop/payment-methods/manual", map[string]any{"title": "Cash", "is_active": true})
	s.tea = itoa(s.must(key, "POST", "/products", map[string]any{"item": map[string]any{"name": "Tea", "is_published": true, "price": map[string]any{"price": 7}, "stock_quantity": 100}})["id"])
	var err error
	if s.db, err = pgx.Connect(t.Context(), s.databaseURL()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.db.Close(t.Context()) }) //nolint:errcheck // the database goes with the test
	return s, serving
}

// ucp makes a call as the platform.
func (s *assistantShop) ucp(method, path, key string, body any) (status int, answer map[string]any, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	r, err := http.NewRequest(method, "http://"+s.edge+"/api/ucp"+path, bytes.NewReader(text))
	if err != nil {
		return 0, nil, err
	}
	r.Host = "tea.localhost"
	r.Header.Set("UCP-Agent", fmt.Sprintf("profile=%q", s.profile))
	if method != "GET" {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", key)
	}
	response, err := direct.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	return response.StatusCode, answer, json.NewDecoder(response.Body).Decode(&answer)
}

// checkout is a session of the platform that is ready.
type checkout struct{ path, link string }

func (s *assistantShop) begins(n int) checkout {
	s.t.Helper()
	status, made, err := s.ucp("POST", "/checkout-sessions", fmt.Sprint("create ", n), map[string]any{
		"line_items": []any{map[string]any{"item": map[string]any{"id": s.tea}, "quantity": 1}},
		"buyer":      map[string]any{"first_name": "Ann", "email": "ann@buyers.example", "phone_number": "+4930123456"},
	})
	if err != nil || status != 201 || made["status"] != "ready_for_complete" {
		s.t.Fatalf("%d %v %v", status, made, err)
	}
	_, link, _ := strings.Cut(strings.TrimPrefix(itoa(made["continue_url"]), "http://"), "/")
	return checkout{"/checkout-sessions/" + itoa(made["id"]), "/" + link}
}

// pays completes a checkout with Google Pay.
func (s *assistantShop) pays(c checkout, token string) (int, map[string]any, error) {
	return s.ucp("POST", c.path+"/complete", "complete with "+token, map[string]any{"payment": map[string]any{"instruments": []any{map[string]any{
		"id": "i", "handler_id": "stripe-gpay", "type": "card", "selected": true,
		"credential": map[string]any{"type": "PAYMENT_GATEWAY", "token": fmt.Sprintf(`{"id":%q}`, token)},
	}}}})
}

// state reads the status of a checkout with the codes of its messages.
func (s *assistantShop) state(c checkout) (text string) {
	s.t.Helper()
	_, answer, err := s.ucp("GET", c.path, "", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	text = itoa(answer["status"])
	messages, _ := answer["messages"].([]any)
	for _, m := range messages {
		text += " " + itoa(m.(map[string]any)["code"])
	}
	return text
}

func (s *assistantShop) exec(sql string) {
	s.t.Helper()
	if _, err := s.db.Exec(s.t.Context(), sql); err != nil {
		s.t.Fatal(err)
	}
}

func (s *assistantShop) count(sql string) (n int) {
	s.t.Helper()
	if err := s.db.QueryRow(s.t.Context(), sql).Scan(&n); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// orders places the order of the browser that has a cookie, and returns the status and the answer.
func (s *assistantShop) orders(cookie string) (int, string) {
	s.t.Helper()
	r, err := http.NewRequest("POST", "http://"+s.edge+"/api/cart/confirm", strings.NewReader(`{"contact":{"name":"Ann","phone":"+4930123456"},"payment_method":"manual"}`))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Host = "tea.localhost"
	r.Header.Set("Cookie", cookie)
	r.Header.Set("Content-Type", "application/json")
	response, err := direct.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(response.Body); err != nil {
		s.t.Fatal(err)
	}
	return response.StatusCode, text.String()
}

const aBrowser = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36"

// A link of a checkout is claimed by a person's browser alone: by no preview, at no other shop, not after
// its time, and not while the order is made. The last browser that opened it has the cart, and one order
// is made of it, whoever else tries.
func TestALinkOfACheckoutIsForOneBuyer(t *testing.T) {
	t.Parallel()
	s, _ := newAssistantShop(t, nil)
	s.shop("rival")
	opens := func(slug, link string, header map[string]string) (int, string) {
		t.Helper()
		all := map[string]string{"User-Agent": aBrowser}
		for name, value := range header {
			all[name] = value
		}
		status, cookie, _ := s.storefront(slug, link, all, nil)
		return status, cookie
	}

	c := s.begins(1)
	for name, header := range map[string]map[string]string{
		"Slack": {"User-Agent": "Slackbot-LinkExpanding 1.0"}, "WhatsApp": {"User-Agent": "WhatsApp/2.23"}, "Facebook": {"User-Agent": "facebookexternalhit/1.1"},
		"Telegram": {"User-Agent": "TelegramBot (like TwitterBot)"}, "a crawler": {"User-Agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"},
		"an assistant": {"User-Agent": "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ChatGPT-User/1.0; +https://openai.com/bot)"},
		"a prefetch":   {"Sec-Purpose": "prefetch;prerender"}, "Safari's preview": {"X-Purpose": "preview"},
	} {
		if status, cookie := opens("tea", c.link, header); status != 303 || cookie != "" {
			t.Errorf("%s: %d %q", name, status, cookie)
		}
	}
	head, err := http.NewRequest("HEAD", "http://"+s.edge+c.link, nil)
	if err != nil {
		t.Fatal(err)
	}
	head.Host = "tea.localhost"
	head.Header.Set("User-Agent", aBrowser)
	response, err := direct.Do(head)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != 303 || response.Header.Get("Set-Cookie") != "" {
		t.Errorf("HEAD: %d %q", response.StatusCode, response.Header.Get("Set-Cookie"))
	}
	for name, try := range map[string][2]string{"another shop": {"rival", c.link}, "another signature": {"tea", c.link[:len(c.link)-1] + "_"}, "no signature": {"tea", c.link[:strings.LastIndex(c.link, ".")]}} {
		if status, cookie := opens(try[0], try[1], nil); status != 410 || cookie != "" {
			t.Errorf("%s: %d %q", name, status, cookie)
		}
	}
	if got := s.state(c); got != "ready_for_complete" {
		t.Fatalf("before a person opened it: %s", got)
	}

	_, first := opens("tea", c.link, nil)
	if got := s.state(c); got != "requires_escalation handed_off" {
		t.Errorf("opened: %s", got)
	}
	if status, answer, err := s.pays(c, "tok_late"); err != nil || status != 200 || answer["status"] != "requires_escalation" || len(s.stripe.Intents()) != 0 {
		t.Errorf("the platform completes what a browser has: %d %v %v, %d charges", status, answer, err, len(s.stripe.Intents()))
	}
	_, second := opens("tea", c.link, nil)
	if first == "" || second == "" || first == second {
		t.Fatalf("two devices have the sessions %q and %q", first, second)
	}
	var both sync.WaitGroup
	for _, cookie := range []string{first, second} {
		both.Go(func() {
			status, text := s.orders(cookie)
			if (status == 200) != (cookie == second) {
				t.Errorf("the device with %s: %d %s", cookie, status, text)
			}
		})
	}
	both.Wait()
	if got, n := s.state(c), s.count(`SELECT count(*) FROM shop_order`); got != "completed" || n != 1 {
		t.Errorf("after the order: %s, %d orders", got, n)
	}
	if status, cookie := opens("tea", c.link, nil); status != 410 || cookie != "" {
		t.Errorf("after the order: %d %q", status, cookie)
	}

	// While the platform completes, and after that.
	c = s.begins(2)
	paid := make(chan string, 1)
	go func() {
		status, answer, err := s.pays(c, "tok_slow")
		paid <- fmt.Sprint(status, " ", answer["status"], " ", err)
	}()
	wait(t, "the charge is at Stripe", func() bool { return len(s.stripe.Intents()) == 1 })
	if status, cookie := opens("tea", c.link, nil); status != 409 || cookie != "" || s.state(c) != "complete_in_progress" {
		t.Errorf("while it is completed: %d %q, %s", status, cookie, s.state(c))
	}
	s.stripe.Release()
	if got := await.Next(t, paid); got != "200 completed <nil>" {
		t.Errorf("completed: %s", got)
	}
	if status, cookie := opens("tea", c.link, nil); status != 410 || cookie != "" {
		t.Errorf("after it was completed: %d %q", status, cookie)
	}

	c = s.begins(3)
	s.exec(`UPDATE assist_session SET expires_at = now() WHERE state = 'open'`)
	if status, cookie := opens("tea", c.link, nil); status != 410 || cookie != "" || s.state(c) != "canceled" {
		t.Errorf("after its time: %d %q, %s", status, cookie, s.state(c))
	}

	// A buyer with an account gets the goods in the own cart.
	c = s.begins(4)
	r := s.register()
	if status, _ := opens("tea", c.link, map[string]string{"Cookie": r}); status != 303 {
		t.Errorf("a buyer who is signed in: %d", status)
	}
	if status, text := s.orders(r); status != 200 || s.state(c) != "completed" {
		t.Errorf("a buyer who is signed in: %d %s, %s", status, text, s.state(c))
	}
}

// register makes an account at the shop and returns the cookie of its session.
func (s *assistantShop) register() string {
	s.t.Helper()
	r, err := http.NewRequest("POST", "http://"+s.edge+"/api/v1/auth/register", strings.NewReader(`{"email":"ines@people.test","password":"a long password"}`))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Host = "tea.localhost"
	r.Header.Set("Content-Type", "application/json")
	response, err := direct.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	response.Body.Close()
	cookie, _, _ := strings.Cut(response.Header.Get("Set-Cookie"), ";")
	return cookie
}

// The program is killed when it has reserved money, and when it is about to take it. Started again, it
// gives back what has no order and takes what has one; the platform completes the checkout that was
// left with another token.
func TestAKilledProgramLeavesNothingReserved(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var end string
	var serving *running
	s, serving := newAssistantShop(t, func(r *http.Request) stripetest.Fault {
		mu.Lock()
		defer mu.Unlock()
		if end == "" || !strings.HasSuffix(r.URL.Path, end) {
			return stripetest.None
		}
		end = ""
		serving.kill()
		return stripetest.Lost // what was asked for has happened
	})
	for n, at := range []string{"/payment_intents", "/capture"} {
		s.stripe.Reset()
		c := s.begins(n)
		mu.Lock()
		end = at
		mu.Unlock()
		if status, answer, err := s.pays(c, fmt.Sprint("tok_", n)); err == nil {
			t.Errorf("%s: the call was answered: %d %v", at, status, answer)
		}
		mu.Lock()
		serving = s.start()
		mu.Unlock()
		s.exec(`UPDATE charge SET look_at = now() WHERE look_at IS NOT NULL`) // the worker would wait for its caller
		s.exec(`UPDATE assist_session SET updated_at = updated_at - interval '2 minutes' WHERE state = 'completing'`)
		s.exec(`UPDATE payment SET look_at = now() WHERE look_at IS NOT NULL`)
		wait(t, "nothing is reserved after a kill at "+at, func() bool { return s.stripe.States()["requires_capture"] == 0 })
		want := 0
		if at == "/capture" {
			want = 1
			wait(t, "the order is paid", func() bool { return s.count(`SELECT count(*) FROM payment WHERE status = 'paid'`) == 2 })
		}
		if got := s.stripe.States()["succeeded"]; got != want {
			t.Errorf("%s: %d charges are taken: %v", at, got, s.stripe.States())
		}
		if at == "/capture" {
			if got := s.state(c); got != "completed" {
				t.Errorf("%s: %s", at, got)
			}
			continue
		}
		status, answer, err := s.pays(c, "tok_again")
		if err != nil || status != 200 || answer["status"] != "completed" {
			t.Errorf("%s: another token: %d %v %v", at, status, answer, err)
		}
	}
	if n := s.count(`SELECT count(*) FROM shop_order`); n != 2 {
		t.Errorf("%d orders", n)
	}
}
