package main

import (
	"testing"
)

// The hosts of a shop follow its owner's calls at once: opened, renamed, deleted and restored.
func TestTheLifeOfAShop(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.start()
	at := func(slug string, want int) {
		t.Helper()
		if status, _, body := p.storefront(slug, "/", nil, nil); status != want {
			t.Errorf("%s answers %d, want %d: %.200s", slug, status, want, body)
		}
	}
	at("cups", 404)
	p.must("", "POST", "/v1/auth/register", map[string]any{"email": "mei@example.test", "password": "a long password", "name": "Mei"})
	mei := p.must("", "POST", "/v1/auth/login", map[string]any{"email": "mei@example.test", "password": "a long password"})["token"].(string)
	p.must(mei, "POST", "/v1/orgs", map[string]any{"slug": "cups", "name": "Cups", "currency": "EUR"})
	at("cups", 200)
	p.must(mei, "PUT", "/v1/shop/state", map[string]any{"closed": true, "pin": "1234"})
	at("cups", 403)
	p.must(mei, "PUT", "/v1/shop/state", map[string]any{"closed": false})
	at("bowls", 404)
	p.must(mei, "PUT", "/v1/shop/slug", map[string]any{"slug": "bowls"})
	at("cups", 404)
	at("bowls", 200)
	p.must(mei, "DELETE", "/v1/shop", map[string]any{"slug": "bowls"})
	at("bowls", 404)
	if status, _, _ := p.storefront("bowls", "/api/products", nil, nil); status != 404 {
		t.Errorf("the API at the host of a deleted shop answers %d", status)
	}
	if _, _, err := p.run("shop", "close", "--shop", "bowls", "--pin", "1234"); err == nil {
		t.Error("the operator closed a deleted shop")
	}
	for _, s := range p.verb("shop", "list")["shops"].([]any) {
		if shop := s.(map[string]any); shop["slug"] == "bowls" && shop["deleted_at"] == nil {
			t.Errorf("%v", shop)
		}
	}
	p.must(mei, "POST", "/v1/shop/restore", nil)
	at("bowls", 200)
	p.must(mei, "DELETE", "/v1/shop", map[string]any{"slug": "bowls"})
	p.verb("shop", "restore", "--shop", "bowls")
	at("bowls", 200)
	if _, stderr, err := p.run("shop", "restore", "--shop", "bowls"); err == nil {
		t.Errorf("a shop that is not deleted was restored: %s", stderr)
	}
	p.must(mei, "DELETE", "/v1/shop", map[string]any{"slug": "bowls"})
	if gone := p.verb("shop", "delete", "--shop", "bowls", "--yes", "bowls"); gone["deleted"] != true {
		t.Errorf("%v", gone)
	}
	p.must(mei, "POST", "/v1/orgs", map[string]any{"slug": "bowls", "name": "Bowls", "currency": "EUR"})
	at("bowls", 200)
}
