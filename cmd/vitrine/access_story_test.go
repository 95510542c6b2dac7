package main

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// storefront requests a path of a shop's host with header fields and an optional form.
func (p *program) storefront(slug, path string, header map[string]string, form url.Values) (status int, cookie, body string) {
	p.t.Helper()
	request, err := http.NewRequest("GET", "http://"+p.edge+path, nil)
	if form != nil {
		request, err = http.NewRequest("POST", "http://"+p.edge+path, strings.NewReader(form.Encode()))
	}
	if err != nil {
		p.t.Fatal(err)
	}
	request.Host = slug + ".localhost"
	for name, value := range header {
		request.Header.Set(name, value)
	}
	response, err := direct.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	cookie, _, _ = strings.Cut(response.Header.Get("Set-Cookie"), ";")
	return response.StatusCode, cookie, string(text)
}

// Members have the access that the operator gave them, visitors of a closed shop enter with
// its PIN, and the shop's previous PIN does not work.
func TestAccessToAShop(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	owner := p.shop("tea")
	p.verb("member", "add", "--shop", "tea", "--email", "ann@example.test", "--password", "a long password", "--role", "admin")
	key := p.verb("key", "issue", "--shop", "tea", "--scopes", "leads:read,catalog:read", "--role", "admin")["key"].(string)
	p.start()
	p.must(owner, "POST", "/products", map[string]any{"item": map[string]any{"name": "Sencha", "is_published": true}})
	p.must(key, "GET", "/v1/account/token", nil)
	p.verb("member", "role", "--shop", "tea", "--email", "ann@example.test", "--role", "editor")
	if status, _ := p.call(key, "GET", "/v1/account/token", nil); status != 401 {
		t.Errorf("a sensitive key of an admin demoted to editor: %d", status)
	}
	if p.verb("member", "remove", "--shop", "tea", "--email", "ann@example.test")["removed"] != true {
		t.Error("not removed")
	}

	company := itoa(p.must(owner, "GET", "/v1/orgs/current", nil)["id"])
	products := func(cookie string) int {
		status, _, body := p.storefront("tea", "/api/products", map[string]string{"Cookie": cookie}, nil)
		if (status == 200) != strings.Contains(body, "Sencha") {
			t.Errorf("%d shows %s", status, body)
		}
		return status
	}
	if status := products(""); status != 200 {
		t.Errorf("an open shop: %d", status)
	}
	enter := func(pin string) string {
		_, cookie, _ := p.storefront(
			"tea", "/_vitrine/pin", map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
			url.Values{"pin": {pin}, "next": {"/"}},
		)
		return cookie
	}
	p.verb("shop", "close", "--shop", "tea", "--pin", "1234")
	wait(t, "the edge closed the shop", func() bool { return products("") == 404 && enter("1234") != "" })
	if status, _ := p.call("", "GET", "/products?filter.company_id="+company, nil); status != 404 {
		t.Errorf("the admin address shows a closed shop: %d", status)
	}
	old := enter("1234")
	if status := products(old); status != 200 {
		t.Errorf("with the PIN: %d", status)
	}
	p.verb("shop", "close", "--shop", "tea", "--pin", "987654")
	wait(t, "the old cookie ended", func() bool { return products(old) == 404 })
	if enter("1234") != "" {
		t.Error("the old PIN still opens the shop")
	}
	if status := products(enter("987654")); status != 200 {
		t.Errorf("with the new PIN: %d", status)
	}
	if status, _, body := p.storefront("tea", "/api/v1/auth/logout", map[string]string{"Origin": "https://evil.test"}, url.Values{}); status != 403 ||
		!strings.Contains(body, "CROSS_ORIGIN") {
		t.Errorf("another site can sign a visitor out: %d %s", status, body)
	}
}
