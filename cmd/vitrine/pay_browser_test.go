package main

import (
	"fmt"
	"testing"
)

// An order whose payment is refused, then paid from its page; and each fault simulated by the
// sandbox, after which the order is paid.
func TestPaymentThroughTheSandbox(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	owner, ok := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "owner@demo.example", "password": "tea-at-four"})["token"].(string)
	if !ok {
		t.Fatal("the owner got no token")
	}
	inEveryWindow(t, p, func(b *tab, name string, width int64, script bool) {
		id := b.refused(name, width)
		b.paysAgain(name, width)
		b.paidOnce(p, owner, id)
		for _, fault := range []string{"late", "twice", "out_of_order", "before"} {
			if name == "narrow" || fault == "late" {
				b.pays(p, owner, name, width, fault)
			}
		}
	})
}

// orders checks out a tea and goes to the sandbox.
func (b *tab) orders(name string, width int64) {
	b.t.Helper()
	b.open("/tea/black-tea/earl-grey-with-calabrian-bergamot", width)
	b.adds()
	b.open("/checkout", width)
	b.types("[name=name]", "Ines Baker")
	b.types("[name=phone]", "+351 912 345 678")
	b.types("[name=email]", name+"-pays@example.com")
	b.click("label:has([name=delivery_option_id]:not(.v-choice__sent))")
	b.is(`document.querySelector('[name=payment_method]:checked').value`, "sandbox")
	shoot(b.t, b.ctx, "/pay/"+name+"/checkout", width)
	b.click(".v-sum [type=submit]")
	b.until(`document.querySelector('button[value=refuse]')`)
}

// refused is refused by the provider and returns to the order.
func (b *tab) refused(name string, width int64) (id string) {
	b.t.Helper()
	b.orders(name, width)
	b.is(`document.querySelector('h1').textContent`, "12.00 EUR")
	shoot(b.t, b.ctx, "/pay/"+name+"/sandbox", width)
	b.click("button[value=refuse]")
	b.until(`location.pathname.startsWith('/orders/') && document.querySelector('.v-notice--bad')?.textContent.includes('failed')`)
	if name != "bare" {
		b.is(`document.querySelector('[data-v-cart-count]').hidden || document.querySelector('[data-v-cart-count]').textContent === '0'`, "true") // the cart is empty
	}
	shoot(b.t, b.ctx, "/pay/"+name+"/refused", width)
	return b.text(`location.pathname.split('/')[2]`)
}

// paysAgain pays from the page of the order.
func (b *tab) paysAgain(name string, width int64) {
	b.t.Helper()
	b.click("button[name=pay]")
	b.until(`document.querySelector('button[value=pay]')`)
	b.click("button[value=pay]")
	b.until(`location.pathname.startsWith('/orders/') && document.querySelector('main').textContent.includes('was received')`)
	b.is(`!!document.querySelector('button[name=pay]')`, "false")
	shoot(b.t, b.ctx, "/pay/"+name+"/paid", width)
}

// pays makes the provider fail in some way; the page polls until the order is paid.
func (b *tab) pays(p *program, owner, name string, width int64, fault string) {
	b.t.Helper()
	b.orders(name, width)
	b.click(fmt.Sprintf("button[value=%s]", fault))
	b.until(`location.pathname.startsWith('/orders/') && document.querySelector('.v-notice')`)
	if fault == "late" {
		b.is(`document.querySelector('main').textContent.includes('Waiting')`, "true")
		shoot(b.t, b.ctx, "/pay/"+name+"/waiting", width)
	}
	id := b.text(`location.pathname.split('/')[2]`)
	b.until(`document.querySelector('main').textContent.includes('was received')`)
	b.paidOnce(p, owner, id)
}

// paidOnce checks in the history of an order that it was paid once.
func (b *tab) paidOnce(p *program, owner, id string) {
	b.t.Helper()
	paid := 0
	_, history := p.call(owner, "GET", "/orders/"+id+"/history", nil)
	for _, e := range history["result"].([]any) {
		if entry := e.(map[string]any); entry["kind"] == "payment" && entry["body"].(map[string]any)["status"] == "paid" {
			paid++
		}
	}
	if paid != 1 {
		b.t.Errorf("order %s was paid %d times", id, paid)
	}
}
