package main

import (
	"net/url"
	"strings"
	"testing"
)

// Each step of the address resolution order is tested, and the check reports the same step
// (document 3, 4.5).
func TestEveryStepOfTheResolutionOrder(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	p.start()
	section := p.must(
		key, "POST", "/categories",
		map[string]any{"item": map[string]any{"name": "Tea", "type": "product", "is_published": true, "seo": map[string]any{"slug": "tea"}}},
	)
	green := p.must(
		key, "POST", "/categories",
		map[string]any{
			"item": map[string]any{
				"name": "Green", "type": "product", "is_published": true, "parent_id": section["id"],
				"seo": map[string]any{"slug": "green"},
			},
		},
	)
	product := p.must(
		key, "POST", "/products",
		map[string]any{
			"item": map[string]any{"name": "Sencha", "is_published": true, "category_id": green["id"], "seo": map[string]any{"slug": "sencha"}},
		},
	)
	p.must(key, "PUT", "/products/"+itoa(product["id"]), map[string]any{"item": map[string]any{"seo": map[string]any{"slug": "sencha-one"}}})
	for _, rule := range []map[string]any{
		{"from_path": "/sale", "to_target": "/tea", "code": 302, "override_live": true},
		{"from_path": "/tea/green", "to_target": "/tea", "query_match": "old=1", "override_live": true},
		{"from_path": "/page.html", "to_target": "/tea/green", "code": 302},
		{"from_path": "/old", "to_target": "/tea?from=old#top"},
		{"from_path": "/cat-*", "to_target": "/tea/$1"},
		{"from_path": "/archive/**", "to_target": "/tea/$1"},
		{"from_path": "/goods/*", "to_target": "/tea"},
		{"from_path": "/away", "to_target": "https://other.example/x", "external": true},
		{"from_path": "/drop", "to_target": "/tea", "drop_query": true},
		{"from_path": "/one", "to_target": "/two"},
		{"from_path": "/two", "to_target": "/tea"},
		{"from_path": "/off", "to_target": "/tea", "enabled": false},
	} {
		if _, given := rule["enabled"]; !given {
			rule["enabled"] = true
		}
		p.must(key, "POST", "/storefront-redirects", map[string]any{"item": rule})
	}
	for _, c := range []struct {
		address  string
		status   int
		location string
		by       string
	}{
		{"/sale?a=1", 302, "/tea?a=1", "rule"},
		{"/tea/green?old=1", 301, "/tea?old=1", "rule"},
		{"/tea/green?old=2", 200, "", ""},
		{"/page.html", 302, "/tea/green", "rule"},
		{"/tea/green.html?x=1", 308, "/tea/green?x=1", "html"},
		{"/tea/green/sencha-one", 200, "", ""},
		{"/nowhere/sencha-one", 308, "/tea/green/sencha-one", "canonical"},
		{"/tea/green/", 308, "/tea/green", "canonical"},
		{"/tea/green/sencha?q=1", 308, "/tea/green/sencha-one?q=1", "slug-journal"},
		{"/old?from=x&b=2", 308, "/tea?from=old&b=2#top", "rule"},
		{"/OLD/", 308, "/tea?from=old#top", "rule"},
		{"/cat-Green", 308, "/tea/Green", "rule"},
		{"/archive/a/b%20c", 308, "/tea/a/b%20c", "rule"},
		{"/goods/x/y?z=1", 308, "/tea/x/y?z=1", "rule"},
		{"/away", 308, "https://other.example/x", "rule"},
		{"/drop?a=1&utm_source=s&gclid=g", 308, "/tea?utm_source=s&gclid=g", "rule"},
		{"/one", 308, "/two", "rule"},
		{"/tea/gone-thing?a=1", 308, "/tea?a=1", "fallback"},
		{"/TEA", 308, "/tea", "fallback"},
		{"/tea/feed.xml", 404, "", ""},
		{"/off", 404, "", ""},
		{"/no/such/page", 404, "", ""},
		{"/a/../old", 404, "", ""},
		{"/%zz", 400, "", ""},
		{"/a%00b", 400, "", ""},
		{"//evil.example", 404, "", ""},
		{"/" + strings.Repeat("a", 9000), 414, "", ""},
	} {
		status, header, _ := p.visit("tea", c.address)
		by, _, _ := strings.Cut(header.Get("X-Redirect-By"), ":")
		if status != c.status || header.Get("Location") != c.location || by != c.by {
			t.Errorf("%.60s: %d %q by %q; want %d %q by %q", c.address, status, header.Get("Location"), by, c.status, c.location, c.by)
		}
		if c.status == 400 || c.status == 414 {
			continue
		}
		check := p.must(key, "GET", "/storefront-redirects/check?url="+url.QueryEscape(c.address), nil)
		steps, _ := check["steps"].([]any)
		if (c.location != "") != (len(steps) > 0) || check["reason"] == "" {
			t.Errorf("%s: the check reports %v", c.address, check)
		} else if len(steps) > 0 {
			if first := steps[0].(map[string]any); first["to"] != c.location || first["sent_code"] != float64(c.status) {
				t.Errorf("%s: the check's first step is %v", c.address, first)
			}
		}
	}
	for from, code := range map[string]string{"/two/": "REDIRECT_DUPLICATE", "/cart": "REDIRECT_RESERVED_PATH", "no-slash": "REDIRECT_INVALID_SOURCE", "/tea-x?y=1": "REDIRECT_INVALID_SOURCE"} {
		status, answer := p.call(
			key, "POST", "/storefront-redirects",
			map[string]any{"item": map[string]any{"from_path": from, "to_target": "/x", "enabled": true}},
		)
		if text, _ := answer["error"].(string); !strings.Contains(text, " desc = "+code) {
			t.Errorf("%s: %d %v, want %s", from, status, answer, code)
		}
	}
	_, answer := p.call(
		key, "POST", "/storefront-redirects",
		map[string]any{"item": map[string]any{"from_path": "/x1", "to_target": "/x1/", "enabled": true}},
	)
	if text, _ := answer["error"].(string); !strings.Contains(text, "REDIRECT_LOOP") {
		t.Errorf("a rule onto itself: %v", answer)
	}
	wait(t, "the 404 log and the hits are flushed", func() bool {
		_, answer := p.call(key, "GET", "/storefront-redirects/misses", nil)
		list, _ := answer["result"].([]any)
		for _, m := range list {
			if m.(map[string]any)["path"] == "/no/such/page" {
				return true
			}
		}
		return false
	})
}

// A section moves with all its subsections; old addresses redirect to the new ones.
func TestMovingASection(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	p.start()
	make := func(name string, parent any) any {
		return p.must(key, "POST", "/categories", map[string]any{"item": map[string]any{"name": name, "type": "product", "is_published": true, "parent_id": parent, "seo": map[string]any{"slug": name}}})["id"]
	}
	tea := make("tea", 0)
	green := make("green", tea)
	gifts := make("gifts", 0)
	p.must(
		key, "POST", "/products",
		map[string]any{
			"item": map[string]any{"name": "Sencha", "is_published": true, "category_id": green, "seo": map[string]any{"slug": "sencha"}},
		},
	)
	move := map[string]any{"from_id": green, "to_id": gifts, "type": "inside", "dry_run": true, "pin_rules": true}
	dry := p.must(key, "POST", "/categories/move", move)
	if dry["categories_affected"] != 1.0 || dry["products_affected"] != 1.0 {
		t.Errorf("dry run: %v", dry)
	}
	if status, _, _ := p.visit("tea", "/tea/green/sencha"); status != 200 {
		t.Errorf("a dry run moves nothing: %d", status)
	}
	move["dry_run"] = false
	real := p.must(key, "POST", "/categories/move", move)
	if itoa(real) != itoa(dry) {
		t.Errorf("the move did %v, the dry run promised %v", real, dry)
	}
	if status, header, _ := p.visit("tea", "/tea/green/sencha?a=1"); status != 308 || header.Get("Location") != "/gifts/green/sencha?a=1" {
		t.Errorf("the old address: %d %v", status, header)
	}
	for name, bad := range map[string]map[string]any{
		"CATEGORY_CYCLE":             {"from_id": gifts, "to_id": green, "type": "inside"},
		"CATEGORY_NOT_FOUND":         {"from_id": 999, "to_id": green, "type": "inside"},
		"CATEGORY_MOVE_TYPE_UNKNOWN": {"from_id": gifts, "to_id": tea, "type": "beside"},
	} {
		if _, answer := p.call(key, "POST", "/categories/move", bad); !strings.Contains(itoa(answer["error"]), name) {
			t.Errorf("%v: %v", bad, answer)
		}
	}
	p.must(key, "POST", "/categories/move", map[string]any{"from_id": gifts, "to_id": tea, "type": "before"})
	if _, _, body := p.visit("tea", "/"); strings.Index(body, `href="/gifts"`) > strings.Index(body, `href="/tea"`) {
		t.Error("gifts is not before tea in the menu")
	}
}
