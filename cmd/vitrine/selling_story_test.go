package main

import (
	"fmt"
	"strings"
	"testing"
)

// Settings of the operator about selling: the decimals of prices, the currency, and whether a
// shop accepts orders.
func TestOperatorSettingsOfSelling(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.verb("shop", "create", "--slug", "tea", "--name", "Tea", "--currency", "EUR", "--price-digits", "2",
		"--owner-email", "owner@tea.test", "--owner-password", "a long password")
	key := p.verb("key", "issue", "--shop", "tea", "--scopes", "all")["key"].(string)
	p.start()
	passport := p.must(key, "GET", "/v1/account/token", nil)
	if store := passport["store"].(map[string]any); store["price_digits"] != 2.0 {
		t.Errorf("%v", store)
	}
	product := p.must(key, "POST", "/products", map[string]any{"item": map[string]any{
		"name": "Sencha", "price": map[string]any{"price": 1450}, "is_published": true}})
	at := "/product/" + itoa(product["id"])
	shows := func(texts ...string) bool {
		_, _, body := p.visit("tea", at)
		for _, text := range texts {
			if !strings.Contains(body, text) {
				return false
			}
		}
		return true
	}
	if !shows("€14.50", `"price":14.50`) {
		t.Error("the page shows whole euros")
	}
	p.must(key, "POST", "/site-files", map[string]any{
		"name": "prices.txt", "body": `{{range products}}{{.Price}} {{.Currency}}{{end}}`, "is_published": true})
	wait(t, "the feed is built", func() bool { _, _, body := p.visit("tea", "/prices.txt"); return body == "14.50 EUR" })

	owner := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "owner@tea.test", "password": "a long password"})["token"].(string)
	p.must(owner, "PUT", "/v1/shop/settings", map[string]any{"language": "ru", "name": "Чай"})
	wait(t, "the pages speak Russian", func() bool { return shows(`<html lang="ru"`, "Чай") })

	buyer := p.must("", "POST", "/v1/auth/register", map[string]any{"email": "ann@people.test", "password": "a long password"})["token"].(string)
	company := p.must(key, "GET", "/v1/orgs/current", nil)["id"]
	order := func() (int, map[string]any) {
		line := "/cart/items/" + itoa(product["id"]) + "/default"
		p.call(buyer, "PUT", line, map[string]any{"quantity": 1})
		p.call(buyer, "POST", line, map[string]any{"quantity": 1})
		return p.call(buyer, "POST", "/cart/confirm", map[string]any{"company_id": company, "contact": map[string]any{"name": "Ann", "phone": "1"}})
	}
	if p.verb("shop", "block", "--shop", "tea")["blocked"] != true {
		t.Error("not blocked")
	}
	if status, answer := order(); status != 400 || !strings.Contains(answer["error"].(string), "COMPANY_UNAVAILABLE") {
		t.Errorf("a blocked shop accepts an order: %d %v", status, answer)
	}
	if !shows("14,50\u00a0€") {
		t.Error("the pages of a blocked shop are gone")
	}
	p.verb("shop", "unblock", "--shop", "tea")
	if status, answer := order(); status != 200 {
		t.Errorf("%d %v", status, answer)
	}
	p.must(owner, "PUT", "/v1/shop/payment-methods/stripe", map[string]any{
		"title": "Card", "is_active": true, "settings": map[string]any{"secret_key": "sk", "webhook_secret": "whsec"}})
	if answer := p.verb("shop", "currency", "--shop", "tea", "--currency", "MGA"); fmt.Sprint(answer["payment_methods_off"]) != "[stripe]" ||
		!strings.Contains(answer["note"].(string), "stripe cannot charge MGA") {
		t.Errorf("%v", answer)
	}
	if answer := p.verb("shop", "currency", "--shop", "tea", "--currency", "USD"); fmt.Sprint(answer["payment_methods_off"]) != "[]" {
		t.Errorf("%v", answer)
	}
	wait(t, "the page is in dollars", func() bool { return shows("14,50\u00a0$", `"priceCurrency":"USD"`) })
	list := p.must(key, "POST", "/orders", map[string]any{})
	if items, ok := list["items"].([]any); !ok || len(items) != 1 || items[0].(map[string]any)["currency"] != "EUR" {
		t.Errorf("an order changed its currency: %v", list)
	}
	const create = "shop create --slug x --name x --owner-email x@x.test --owner-password 12345678 --currency "
	for line, want := range map[string]string{
		"shop currency --shop tea --currency euro": "CURRENCY_INVALID",
		"shop currency --shop tea --currency JPY":  "PRICE_DIGITS_INVALID", // its prices have two digits
		"shop block --shop none":                   "SHOP_NOT_FOUND",
		create + "EUR --price-digits 5":            "PRICE_DIGITS_INVALID",
		create + "EUR --price-digits 1":            "PRICE_DIGITS_INVALID",
		create + "JPY --price-digits 2":            "PRICE_DIGITS_INVALID",
		create + "KWD --price-digits 3":            "PRICE_DIGITS_INVALID",
	} {
		if _, stderr, err := p.run(strings.Fields(line)...); err == nil || !strings.Contains(stderr, want) {
			t.Errorf("vitrine %s: %s", line, stderr)
		}
	}
}
