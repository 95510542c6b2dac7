package main

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// A product and an article with a future publication date are invisible to visitors, and
// appear at that time without a write: on their own pages, the pages of their sections, in
// lists and feeds, the sitemap and the cart.
func TestFuturePublicationNeedsNoWrite(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	p := newProgram(t)
	key := p.shop("tea")
	p.start()
	section := func(slug, kind string) any {
		return p.must(key, "POST", "/categories", m{"item": m{"name": slug, "type": kind, "is_published": true, "seo": m{"slug": slug}}})["id"]
	}
	green, news := section("green", "product"), section("news", "news")
	p.must(key, "POST", "/site-files", m{"name": "all.txt", "body": "{{range products}}{{.Name}};{{end}}", "is_published": true})
	company := itoa(p.must(key, "GET", "/v1/orgs/current", nil)["id"])
	at := time.Now().Add(6 * time.Second)
	tea := p.must(key, "POST", "/products", m{"item": m{
		"name": "Sencha", "price": m{"price": 9}, "category_id": green, "is_published": true, "seo": m{"slug": "sencha"}, "published_at": at.Format(time.RFC3339Nano),
	}})
	p.must(key, "POST", "/articles", m{"item": m{
		"title": "Harvest", "category_id": news, "is_published": true, "slug": "harvest", "published_at": at.Format(time.RFC3339Nano),
	}})
	places := map[string]string{"/green": "Sencha", "/news": "Harvest", "/sitemap.xml": "/green/sencha", "/": "Sencha",
		"/api/products?filter.company_id=" + company: "Sencha", "/api/articles?company_id=" + company: "Harvest", "/all.txt": "Sencha"}
	pages := []string{"/green/sencha", "/news/harvest", "/api/articles/by-slug/harvest?company_id=" + company}
	seen := func() (list []string) {
		for _, path := range pages {
			if status, _, _ := p.visit("tea", path); status == http.StatusOK {
				list = append(list, path)
			}
		}
		for path, name := range places {
			if _, _, body := p.visit("tea", path); strings.Contains(body, name) {
				list = append(list, path)
			}
		}
		return list
	}
	before := seen()
	if late := time.Now(); late.Before(at) && len(before) > 0 {
		t.Errorf("before its publication date: %v", before)
	}
	wait(t, "both have appeared everywhere", func() bool { return time.Now().After(at) && len(seen()) == len(pages)+len(places) })
	if status, answer := p.call(key, "GET", "/products/"+itoa(tea["id"]), nil); status != 200 {
		t.Errorf("%v", answer)
	}
}
