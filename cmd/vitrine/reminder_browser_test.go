package main

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
)

var cartLink = regexp.MustCompile(`http://\S+(/cart\?open=\S+)`)

// A visitor types an address at the checkout, agrees to a reminder and leaves. The letter's link opens
// the cart on another device, and its other link ends the reminders.
func TestACartIsOpenedOnAnotherDevice(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.env = append(p.env, "VITRINE_TEST_CLOCK=25h")
	p.start()
	owner := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "owner@demo.example", "password": "tea-at-four"})["token"].(string)
	p.must(owner, "PUT", "/v1/shop/settings", map[string]any{"cart_reminder": map[string]any{"after_hours": 24, "ask_consent": true}})
	first := func(path string) (row map[string]any) {
		if items := p.must(owner, "GET", path, nil)["items"].([]any); len(items) > 0 {
			row = items[0].(map[string]any)
		}
		return row
	}
	mine := func() map[string]any { return first("/carts")["contact"].(map[string]any) }

	b := demoTab(t, p)
	b.open("/tea/black-tea/earl-grey-with-calabrian-bergamot", 1280)
	b.adds()
	b.open("/checkout", 1280)
	b.is(`document.querySelector('[name=agreed]').checked`, "false")
	b.types("[name=email]", "ines@buyers.example")
	wait(t, "the address is stored", func() bool { return mine()["email"] == "i***@buyers.example" })
	b.click("label:has([name=agreed])")
	wait(t, "the consent is stored", func() bool { return mine()["email"] == "ines@buyers.example" && mine()["agreed"] == true })
	shoot(t, b.ctx, "/reminder/checkout", 1280)
	b.open("/checkout", 390) // restored from the server
	b.is(`document.querySelector('[name=agreed]').checked + document.querySelector('[name=email]').value`, "trueines@buyers.example")
	shoot(t, b.ctx, "/reminder/checkout", 390)

	var letter map[string]any
	wait(t, "the letter", func() bool {
		letter = first("/v1/shop/letters?filter.name=cart_left_buyer")
		return letter != nil
	})
	text := letter["text"].(string)
	link := cartLink.FindStringSubmatch(text)
	if link == nil || letter["to"] != "ines@buyers.example" || !strings.Contains(text, "Earl Grey") {
		t.Fatalf("%v", letter)
	}

	other := demoTab(t, p)
	for range 2 { // the second click adds nothing
		other.open(link[1], 390)
		other.until(`location.pathname + location.search === '/cart'`)
		other.is(`[...document.querySelectorAll('.v-line__name')].length + document.querySelector('.v-line [name=quantity]').value`, "11")
		other.is(`document.documentElement.textContent.includes('ines@')`, "false")
	}
	shoot(t, other.ctx, "/reminder/opened", 390)
	other.open("/checkout", 1280)
	other.is(`document.querySelector('[name=email]').value`, "")
	other.open("/cart?open=1.99999999999.aaaa", 1280)
	other.until(`document.querySelector('.v-notice--bad').textContent.includes('expired')`)

	refusal, err := url.Parse(regexp.MustCompile(`http://\S+/_vitrine/unsubscribe/\S+`).FindString(text))
	if err != nil || refusal.Path == "" {
		t.Fatalf("no refusal in %s: %v", text, err)
	}
	for _, width := range []int64{1280, 390} {
		other.open(refusal.Path, width)
		other.is(`document.documentElement.scrollWidth <= innerWidth`, "true")
		shoot(t, other.ctx, "/reminder/refusal", width)
	}
	other.click("form[action^='/_vitrine/unsubscribe/'] button")
	other.until(`document.querySelector('.v-formpage [role=status]')?.textContent.includes('no more reminders')`)
	shoot(t, other.ctx, "/reminder/refused", 390)
	one := url.Values{"List-Unsubscribe": {"One-Click"}} // as mail programs post it: without a cookie or an origin
	if status, _, _ := p.storefront("demo", refusal.Path, map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, one); status != 200 {
		t.Errorf("one click: %d", status)
	}
	if status, _, _ := p.storefront("demo", refusal.Path+"x", nil, one); status != 404 {
		t.Errorf("a changed key: %d", status)
	}
	for _, fault := range other.complaints() {
		if !strings.Contains(fault, "404") { // the invalid link
			t.Error(fault)
		}
	}
}

func TestTheClockOfRemindersMovesOnlyInADemo(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.env = append(p.env, "VITRINE_TEST_CLOCK=25h")
	if _, stderr, err := p.run("serve"); err == nil || !strings.Contains(stderr, "VITRINE_TEST_CLOCK") {
		t.Errorf("%v: %s", err, stderr)
	}
	d := newDemo(t)
	d.env = append(d.env, "VITRINE_TEST_CLOCK=tomorrow")
	if _, stderr, err := d.run("serve"); err == nil || !strings.Contains(stderr, "VITRINE_TEST_CLOCK") {
		t.Errorf("%v: %s", err, stderr)
	}
}
