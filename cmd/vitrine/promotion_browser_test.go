package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// Reduced cards and a product page with prices by quantity; a gift that is added and removed
// with the quantity; promo codes that work and codes that are refused, each with its reason;
// a promotion that ends between checkout and order; and a coupon in the account.
func TestPromotionsInABrowser(t *testing.T) {
	t.Parallel()
	p := newDemo(t)
	p.start()
	owner, ok := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "owner@demo.example", "password": "tea-at-four"})["token"].(string)
	if !ok {
		t.Fatal("the owner got no token")
	}
	reasons := codesThatFail(p, owner)
	inEveryWindow(t, p, func(b *tab, name string, width int64, _ bool) {
		b.reduced(name, width)
		b.given(name, width)
		b.coded(name, width, reasons)
		b.outrun(p, owner, name, width)
		b.repeats(name, width)
		b.rewarded(name, width)
	})
}

// codesThatFail creates a coupon for each reason of refusal, and returns the expected texts
// on the page.
func codesThatFail(p *program, owner string) map[string]string {
	made := func(code string, more map[string]any) {
		item := map[string]any{"name": code, "kind": "coupon", "code": code, "value": map[string]any{"percent": 10}}
		for k, v := range more {
			item[k] = v
		}
		p.must(owner, "POST", "/promotions", map[string]any{"item": item})
	}
	made("EARLY", map[string]any{"starts_at": "2090-01-01T00:00:00Z"})
	made("LARGE", map[string]any{"conditions": map[string]any{"min_total": 5000}})
	made("DOZEN", map[string]any{"conditions": map[string]any{"min_quantity": 500}})
	stool := p.must(owner, "GET", "/products/by-slug/three-legged-stool-in-oiled-oak", nil)["id"]
	made("STOOLS", map[string]any{"conditions": map[string]any{"product_ids": []any{stool}}})
	made("ONEEACH", map[string]any{"limits": map[string]any{"per_buyer": 1}})
	made("SMALLCHANGE", map[string]any{"limits": map[string]any{"budget": 1}})
	return map[string]string{
		"NOSUCH": "no such code", "EARLY": "not valid yet", "SUMMER": "has expired", "OPENING": "has been used up", "LARGE": "too small",
		"DOZEN": "needs more goods", "STOOLS": "does not apply", "SMALLCHANGE": "has ended",
	}
}

// reduced checks the effect of a discount on cards and on the prices by quantity of a page.
func (b *tab) reduced(name string, width int64) {
	b.t.Helper()
	b.open("/living/candles", width)
	b.is(`document.querySelectorAll('.v-card__promo').length > 2`, "true")
	b.is(`document.querySelector('.v-card__promo').textContent`, "Candle week")
	shoot(b.t, b.ctx, "/promo/"+name+"/cards", width)
	b.click(".v-card__name a")
	b.until(`document.querySelector('.v-promo')?.textContent === 'Candle week' && document.querySelector('.v-price__old')`)
	b.open("/tea/black-tea/earl-grey-with-calabrian-bergamot", width)
	b.is(`[...document.querySelectorAll('.v-levels li')].map((e) => e.textContent.trim()).join()`, "from 3€11,from 6€10")
	shoot(b.t, b.ctx, "/promo/"+name+"/levels", width)
}

// given puts enough tea into the cart to get a gift, and removes it again.
func (b *tab) given(name string, width int64) {
	b.t.Helper()
	b.adds()
	b.open("/cart", width)
	b.until(`document.querySelector('.v-missing')?.textContent.includes('A scoop with your tea')`)
	b.types(".v-qty [name=quantity]", "6")
	b.presses(kb.Enter)
	b.until(`document.querySelector('.v-line__sum')?.textContent === '€60'`)
	b.until(`[...document.querySelectorAll('.v-line')].some((e) => e.textContent.includes('A scoop with your tea') && e.textContent.includes('Free'))`)
	shoot(b.t, b.ctx, "/promo/"+name+"/gift", width)
	b.click(".v-qty [name=less]")
	b.until(`document.querySelectorAll('.v-line').length === 1 && document.querySelector('.v-missing')`)
	b.click(".v-qty [name=more]")
	b.until(`document.querySelectorAll('.v-line').length === 2`)
}

// adds puts the product of the page into the cart.
func (b *tab) adds() {
	b.t.Helper()
	b.click("[data-v-add=cart]")
	b.until(`document.querySelector('.v-drawer[open]') || location.pathname === '/cart'`)
}

// coded enters codes, the refused ones first.
func (b *tab) coded(name string, width int64, reasons map[string]string) {
	b.t.Helper()
	for code, reason := range reasons {
		b.types("#v-code", code)
		b.click("[value=code]")
		b.until(fmt.Sprintf(`document.querySelector('.v-code .v-error')?.textContent.includes(%q)`, reason))
		if code == "LARGE" {
			shoot(b.t, b.ctx, "/promo/"+name+"/rejected", width)
		}
		if code == "LARGE" { // the others are entered into the same field
			b.click("[value=drop-code]")
			b.until(`!document.querySelector('.v-code .v-error') && document.querySelector('#v-code')`)
		}
	}
	b.types("#v-code", " welcome10 ")
	b.click("[value=code]")
	b.until(`document.querySelector('.v-code .v-good') && document.querySelector('.v-sum__row strong').textContent === '€54'`)
	shoot(b.t, b.ctx, "/promo/"+name+"/code", width)
}

// phoneOf is the buyer's phone number in a window, so that codes limited per buyer work in
// each window.
func phoneOf(name string, width int64) string {
	return fmt.Sprintf("+351 9%08d", (width*1000+int64(len(name)))%100_000_000)
}

// outrun is at the checkout when the promotion ends: the buyer is told and accepts the new
// price.
func (b *tab) outrun(p *program, owner, name string, width int64) {
	b.t.Helper()
	b.click("a[href='/checkout']")
	b.until(`location.pathname === '/checkout' && document.querySelector('[name=phone]')`)
	b.types("[name=name]", "Ines Baker")
	b.types("[name=phone]", phoneOf(name, width))
	b.click("label:has([name=delivery_option_id]:not(.v-choice__sent))")
	b.click("label:has([value=manual])")
	welcome := ""
	list := p.must(owner, "GET", "/promotions?filter.query=WELCOME10", nil)
	for _, one := range list["items"].([]any) {
		welcome = "/promotions/" + itoa(one.(map[string]any)["id"])
	}
	p.must(owner, "POST", welcome+"/deactivate", nil)
	b.click(".v-sum [type=submit]")
	b.until(`document.querySelector('.v-notice--bad')?.textContent.includes('€60')`)
	b.is(`document.querySelector('[name=name]').value`, "Ines Baker")
	shoot(b.t, b.ctx, "/promo/"+name+"/changed", width)
	b.click(".v-sum [type=submit]")
	b.until(`location.pathname.startsWith('/orders/') && document.querySelector('.v-notice')`)
	b.is(`document.querySelector('.v-lines--order').textContent.includes('Free')`, "true")
	shoot(b.t, b.ctx, "/promo/"+name+"/order", width)
	p.must(owner, "POST", welcome+"/activate", nil)
}

// repeats uses a code that is valid once per buyer, and tries it again.
func (b *tab) repeats(name string, width int64) {
	b.t.Helper()
	for turn, shown := range []string{`document.querySelector('.v-code .v-good')`, `document.querySelector('.v-code .v-error')?.textContent.includes('already')`} {
		b.open("/tea/black-tea/earl-grey-with-calabrian-bergamot", width)
		b.adds()
		b.open("/cart", width)
		b.types("#v-code", "ONEEACH")
		b.click("[value=code]")
		b.until(shown)
		if turn == 1 {
			shoot(b.t, b.ctx, "/promo/"+name+"/used", width)
			return
		}
		b.click("a[href='/checkout']")
		b.until(`location.pathname === '/checkout' && document.querySelector('[name=phone]')`)
		b.types("[name=name]", "Ines Baker")
		b.types("[name=phone]", phoneOf(name, width))
		b.click("label:has([name=delivery_option_id]:not(.v-choice__sent))")
		b.click("label:has([value=manual])")
		b.click(".v-sum [type=submit]")
		b.until(`location.pathname.startsWith('/orders/') && document.querySelector('.v-notice')`)
	}
}

// rewarded signs in as a buyer with a coupon, and uses it.
func (b *tab) rewarded(name string, width int64) {
	b.t.Helper()
	b.open("/account", width)
	b.types("form:has([value=login]) [name=email]", "buyer@demo.example")
	b.types("form:has([value=login]) [name=password]", "tea-at-four")
	b.click("[value=login]")
	b.until(`document.querySelector('.v-coupon')?.textContent.includes('THANKS-')`)
	shoot(b.t, b.ctx, "/promo/"+name+"/coupons", width)
	b.click(".v-coupon [type=submit]")
	b.until(`location.pathname === '/cart'`)
	b.open("/tea/black-tea/earl-grey-with-calabrian-bergamot", width) // the coupon requires more than the gift's products
	b.types(".v-buyform [name=quantity]", "4")
	b.adds()
	b.open("/cart", width)
	b.until(`document.querySelector('.v-code')?.textContent.includes('THANKS-') && [...document.querySelectorAll('.v-sum__line')].some((e) => e.textContent.includes('Thank you'))`)
	shoot(b.t, b.ctx, "/promo/"+name+"/coupon", width)
	if strings.Contains(b.text(`document.body.textContent`), "undefined") {
		b.t.Error("the page contains the text undefined")
	}
}
