package main

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// mischief is text that would be markup if it were not escaped.
const mischief = `</title></script><script>alert(1)</script><img src=x onerror=alert(2)>"'` + "`" + `{{.}}` + "\u202e"

// Names and texts with markup are escaped on every page of every zone, both in visitors'
// input and in the shop's data.
func TestHostileNamesAreEscapedInTheZones(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	p.start()
	owner := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "tea@example.test", "password": "a long password"})["token"].(string)
	company := p.must(key, "GET", "/v1/orgs/current", nil)["id"]
	of := func(fields map[string]any) any {
		return p.must(key, "POST", "/products", map[string]any{"item": fields})["id"]
	}
	part := of(map[string]any{"name": "Part " + mischief, "is_published": true, "price": map[string]any{"price": 7, "old_price": 9}, "stock_quantity": 1})
	set := of(map[string]any{"name": "Set " + mischief, "sku": mischief, "is_published": true, "kind": "combo",
		"combo_items": []any{map[string]any{"product_id": part, "quantity": 1}}, "combo_discount": map[string]any{"percent": 10}})
	p.must(owner, "POST", "/v1/shop/delivery-options", map[string]any{"name": "Post " + mischief, "description": mischief, "price": 3})
	p.must(owner, "PUT", "/v1/shop/settings", map[string]any{"name": "Shop " + mischief})

	host := "tea.localhost:" + portOf(t, p.edge)
	session := ""
	ask := func(method, path string, form url.Values) (int, string) {
		t.Helper()
		r, err := http.NewRequest(method, "http://"+p.edge+path, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		if method == "POST" {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Origin", "http://"+host)
		}
		if session != "" {
			r.Header.Set("Cookie", session)
		}
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		if kept, _, ok := strings.Cut(answer.Header.Get("Set-Cookie"), ";"); ok {
			session = kept
		}
		return answer.StatusCode, string(body)
	}
	form := func(path string, fields map[string]string) {
		t.Helper()
		values := url.Values{}
		for name, value := range fields {
			values.Set(name, value)
		}
		if status, body := ask("POST", path, values); status != 303 {
			t.Fatalf("%s %v: %d %.800s", path, fields, status, body)
		}
	}
	seen := map[string]int{}
	look := func(path string) {
		t.Helper()
		status, body := ask("GET", path, nil)
		seen[path] = strings.Count(body, "&lt;script&gt;") + strings.Count(body, "&lt;/title&gt;")
		for _, raw := range []string{"<script>alert", "<img src=x", "</title></script>"} {
			if strings.Contains(body, raw) {
				t.Errorf("%s has %q", path, raw)
			}
		}
		if status != 200 {
			t.Errorf("%s: %d", path, status)
		}
	}
	form("/wishlist", map[string]string{"do": "add", "product_id": itoa(set)})
	form("/cart", map[string]string{"do": "add", "product_id": itoa(set), "quantity": "1"})
	for _, path := range []string{"/cart", "/cart/drawer", "/checkout", "/wishlist", "/deals", "/product/" + itoa(set), "/"} {
		look(path)
	}
	form("/checkout", map[string]string{"name": mischief, "phone": `+1 234 <>"'&{{.}}`, "email": "a@b.test", "comment": mischief, "street": mischief, "city": mischief})
	orders := p.must(key, "POST", "/orders", map[string]any{})["items"].([]any)
	order := "/orders/" + orders[0].(map[string]any)["id"].(string)
	form(order, map[string]string{"do": "write", "text": mischief})
	p.must(owner, "POST", order+"/messages", map[string]any{"text": mischief})
	look(order)
	look("/orders")
	form("/account", map[string]string{"do": "register", "name": mischief, "email": "ann@people.test", "password": "a long password"})
	form("/account", map[string]string{"do": "address-add", "street": mischief, "city": mischief})
	look("/account")
	look("/account/reset?token=" + url.QueryEscape(mischief))
	look("/account?done=" + url.QueryEscape(mischief) + "&next=" + url.QueryEscape(mischief))
	for _, path := range []string{"/cart", "/cart/drawer", "/checkout", "/wishlist", "/deals", order, "/account"} {
		if seen[path] == 0 {
			t.Errorf("%s does not show the name at all", path)
		}
	}
	if company == nil {
		t.Error("no shop")
	}
}
