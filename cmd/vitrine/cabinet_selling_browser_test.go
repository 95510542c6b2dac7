package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// acp makes a call of the demo shop as an assistant with a token.
func (p *program) acp(token, key, path string, body any) (status int, answer map[string]any) {
	p.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	r, err := http.NewRequest("POST", "http://"+p.edge+"/api/acp"+path, bytes.NewReader(text))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Host = "demo.localhost"
	for name, value := range map[string]string{"Authorization": "Bearer " + token, "API-Version": "2026-04-17", "Idempotency-Key": key, "Content-Type": "application/json"} {
		r.Header.Set(name, value)
	}
	response, err := direct.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		p.t.Fatal(err)
	}
	return response.StatusCode, answer
}

// isFitInBoth is screenIsFit with a picture in dark as well.
func (b *tab) isFitInBoth(core, name string, width int64) {
	b.t.Helper()
	b.screenIsFit(core, name, width)
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
		b.t.Fatal(err)
	}
	b.until(`document.documentElement.dataset.mantineColorScheme === 'dark'`)
	shoot(b.t, b.ctx, "/cabinet/"+name+"-dark", width)
	media.Features[0].Value = "light"
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
		b.t.Fatal(err)
	}
}

// An owner gives a token to an assistant, which buys and is told of its orders; the cabinet shows what it
// sold, its orders and what it was told. Blocked, it sells nothing more.
func TestOwnerSeesWhatAnAssistantSells(t *testing.T) {
	cabinetTeam(t, func(t *testing.T, p *program, b *tab, width int64) {
		core := axeCore(t)
		var told atomic.Int64
		receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { told.Add(1) }))
		t.Cleanup(receiver.Close)
		p.must(p.token("owner@demo.example"), "PUT", "/v1/shop/payment-methods/manual", map[string]any{"title": "By agreement", "is_active": true})
		b.open("/cabinet/demo/integrations/selling", width)
		b.shows("No assistant has begun a cart yet.")
		b.fills("Name", "Parlour")
		b.fills("Webhook address", "http://10.0.0.1/")
		b.pushes("Make a token")
		b.shows("Enter an https address on the public internet")
		b.isFitInBoth(core, "selling-refused", width)
		b.fills("Webhook address", receiver.URL+"/events")
		b.pushes("Make a token")
		b.shows("I have kept it")
		b.isFitInBoth(core, "selling-token", width)
		token := b.text(`document.querySelector('[role=alert] input').value`)
		b.pushes("I have kept it")
		for n := range 2 {
			key := fmt.Sprint(n, " of ", width)
			status, made := p.acp(token, key+" create", "/checkout_sessions", map[string]any{
				"currency": "eur", "capabilities": map[string]any{}, "line_items": []any{map[string]any{"id": "21", "quantity": 1 + n}},
				"buyer": map[string]any{"first_name": "Ines", "last_name": "Duarte", "email": "ines@buyers.example", "phone_number": "+49 30 123456"},
				"fulfillment_details": map[string]any{"address": map[string]any{
					"name": "Ines Duarte", "line_one": "Rua do Alecrim 12", "city": "Lisboa", "state": "", "country": "PT", "postal_code": "1200-018",
				}},
			})
			if status != 201 || made["status"] != "ready_for_payment" {
				t.Fatalf("%d %v", status, made)
			}
			if status, made = p.acp(token, key+" complete", "/checkout_sessions/"+itoa(made["id"])+"/complete", map[string]any{"payment_data": map[string]any{"handler_id": "manual"}}); status != 200 || made["status"] != "completed" {
				t.Fatalf("%d %v", status, made)
			}
		}
		b.reloads()
		b.until(`document.querySelector('[aria-label="Orders: 2, Parlour"]')`)
		b.until(`document.querySelector('[aria-label="Journal of 90 days: Parlour"]')`)
		b.until(`(e => e.scrollWidth <= e.clientWidth)(document.querySelector('[aria-label="Revoke: Parlour"]'))`)
		b.isFitInBoth(core, "selling", width)
		b.pushes("Journal of 90 days: Parlour")
		b.shows("2 deliveries")
		b.shows("assistant.order_created")
		if told.Load() == 0 {
			t.Error("the assistant was told nothing")
		}
		b.isFitInBoth(core, "selling-told", width)
		b.open("/cabinet/demo/integrations/selling", width)
		b.pushes("Orders: 2, Parlour")
		b.shows("Through Parlour")
		b.shows("2 orders")
		b.isFitInBoth(core, "orders-of-an-assistant", width)
		b.open("/cabinet/demo/orders?source=assistant", width)
		b.shows("2 orders")
		b.open("/cabinet/demo/orders?source=manual", width)
		b.shows("No order matches.")
		b.open("/cabinet/demo/statistics", width)
		b.shows("Assistants by revenue")
		b.shows("Orders through assistants")
		b.isFitInBoth(core, "statistics-of-assistants", width)
		b.open("/cabinet/demo/integrations/selling", width)
		b.until(`document.querySelector('[aria-label="May sell: Parlour"]')`)
		b.click(`[aria-label="May sell: Parlour"]`)
		b.shows("The assistant is blocked.")
		b.isFitInBoth(core, "selling-blocked", width)
		if status, answer := p.acp(token, "late", "/checkout_sessions", map[string]any{}); status != 403 || answer["code"] != "profile_not_trusted" {
			t.Errorf("%d %v", status, answer)
		}
		b.click(`[aria-label="May sell: Parlour"]`)
		b.shows("The assistant may sell again.")
		b.quiet("400")
	})
}
