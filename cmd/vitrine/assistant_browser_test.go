package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// platformProfile is the profile of a program that can do everything.
func platformProfile() []byte {
	capabilities := map[string]any{}
	for _, name := range []string{"catalog.search", "catalog.lookup", "cart", "checkout", "order", "discount", "fulfillment"} {
		capabilities["dev.ucp.shopping."+name] = []any{map[string]any{"version": "2026-04-08", "spec": "https://ucp.dev/x", "schema": "https://ucp.dev/y"}}
	}
	text, err := json.Marshal(map[string]any{"ucp": map[string]any{
		"version": "2026-04-08", "services": map[string]any{}, "capabilities": capabilities, "payment_handlers": map[string]any{},
	}})
	if err != nil {
		panic(err)
	}
	return text
}

// An assistant fills a checkout. Previews of its link claim nothing; the buyer opens it, finds everything
// filled in and places the order, which the assistant then sees. The link has ended.
func TestACheckoutOfAnAssistantIsFinishedInABrowser(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.env = append(p.env, "VITRINE_OUTBOUND_ALLOW=127.0.0.0/8")
	p.start()
	profiles := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(platformProfile()) })) //nolint:errcheck // the client may be gone
	t.Cleanup(profiles.Close)
	say := func(method, path string, body any) (out map[string]any) {
		t.Helper()
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequest(method, "http://"+p.edge+"/api/ucp"+path, bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "demo.localhost"
		r.Header.Set("UCP-Agent", fmt.Sprintf("profile=%q", profiles.URL))
		if method != "GET" {
			r.Header.Set("Content-Type", "application/json")
		}
		answer, err := direct.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if err := json.NewDecoder(answer.Body).Decode(&out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	filled := map[string]any{
		"line_items": []any{map[string]any{"item": map[string]any{"id": "21"}, "quantity": 2}},
		"buyer":      map[string]any{"first_name": "Ines", "last_name": "Duarte", "email": "ines@buyers.example", "phone_number": "+49 30 123456"},
		"fulfillment": map[string]any{"methods": []any{map[string]any{"type": "shipping", "destinations": []any{map[string]any{
			"street_address": "Rua do Alecrim 12", "address_locality": "Berlin", "postal_code": "10115", "address_country": "DE",
		}}}}},
	}
	for _, width := range []int64{1280, 390} {
		made := say("POST", "/checkout-sessions", filled)
		address := fmt.Sprint(made["continue_url"])
		_, link, _ := strings.Cut(strings.TrimPrefix(address, "http://"), "/")
		link = "/" + link
		session := "/checkout-sessions/" + fmt.Sprint(made["id"])
		if status, cookie, _ := p.storefront("demo", link, map[string]string{"User-Agent": "Slackbot-LinkExpanding 1.0"}, nil); status != 303 || cookie != "" {
			t.Errorf("a preview: %d %q", status, cookie)
		}
		if status, cookie, _ := p.storefront("demo", link, map[string]string{"Sec-Purpose": "prefetch"}, nil); status != 303 || cookie != "" {
			t.Errorf("a prefetch: %d %q", status, cookie)
		}
		if got := say("GET", session, nil)["status"]; got != "ready_for_complete" {
			t.Fatalf("before it is opened: %v", got)
		}

		b := demoTab(t, p)
		b.open(link, width)
		b.until(`location.pathname + location.search === '/checkout'`)
		b.is(`['name', 'phone', 'email', 'street', 'city'].map((n) => document.querySelector('[name=' + n + ']').value).join('|')`,
			"Ines Duarte|+49 30 123456|ines@buyers.example|Rua do Alecrim 12|Berlin")
		b.is(`document.documentElement.scrollWidth <= innerWidth`, "true")
		shoot(t, b.ctx, "/assistant/checkout", width)
		changed := say("PUT", session, map[string]any{"line_items": []any{map[string]any{"item": map[string]any{"id": "21"}, "quantity": 9}}})
		if changed["status"] != "requires_escalation" || !strings.Contains(fmt.Sprint(changed["messages"]), "handed_off") {
			t.Errorf("an update after it was opened: %v %v", changed["status"], changed["messages"])
		}
		b.click("label:has([name=payment_method][value=sandbox])")
		b.click(".v-sum [type=submit]")
		b.until(`document.querySelector('button[value=pay]')`)
		b.click("button[value=pay]")
		b.until(`location.pathname.startsWith('/orders/') && document.querySelector('main').textContent.includes('was received')`)
		shoot(t, b.ctx, "/assistant/order", width)
		done := say("GET", session, nil)
		if done["status"] != "completed" || fmt.Sprint(done["order"]) == "<nil>" {
			t.Errorf("after the order: %v %v", done["status"], done["order"])
		}
		if status, _, body := p.storefront("demo", link, nil, nil); status != 410 || !strings.Contains(body, "no longer valid") {
			t.Errorf("the link after the order: %d", status)
		}
		for _, fault := range b.complaints() {
			t.Error(fault)
		}
	}
}
