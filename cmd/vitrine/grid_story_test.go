package main

import (
	"strings"
	"testing"
)

// The later pages of a grid of articles are reachable by address, on a text page and on a
// home page of that type. A number beyond the last page shows the first one.
func TestGridPagesOnTextAndHomePages(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	p.start()
	made := func(path string, item map[string]any) any {
		return p.must(key, "POST", path, map[string]any{"item": item})["id"]
	}
	news := made("/categories", map[string]any{"name": "News", "type": "news", "is_published": true, "seo": map[string]any{"slug": "news"}})
	for _, slug := range []string{"first", "second", "third"} {
		made("/articles", map[string]any{"title": "The " + slug, "category_id": news, "is_published": true, "slug": slug})
	}
	grid := made("/content-blocks", map[string]any{"name": "grid", "sections": []any{map[string]any{"type": "text", "payload": map[string]any{
		"v": 2, "kind": "articleGrid", "props": map[string]any{"articleGrid": map[string]any{"limit": 2, "categoryId": news}}}}}})
	for slug, home := range map[string]bool{"look": false, "start": true} {
		page := itoa(made("/categories", map[string]any{"name": slug, "type": "page", "is_published": true, "is_home": home, "seo": map[string]any{"slug": slug}}))
		p.must(key, "PUT", "/categories/"+page+"/content-blocks", map[string]any{"items": []any{map[string]any{"block_id": grid, "sort_order": 0}}})
	}
	for _, path := range []string{"/look", "/"} {
		for _, round := range []string{"cold", "from memory"} {
			for query, want := range map[string]string{"": "third second", "?page=1": "third second", "?page=2": "first", "?page=3": "third second", "?page=99999999": "third second"} {
				status, _, body := p.visit("tea", path+query)
				_, drawn, _ := strings.Cut(body, `<h2 class="v-sr">Articles</h2>`) // the home page has its own list above
				drawn, _, _ = strings.Cut(drawn, "</section>")
				var shown []string
				for _, slug := range []string{"third", "second", "first"} {
					if strings.Contains(drawn, "/news/"+slug) {
						shown = append(shown, slug)
					}
				}
				if got := strings.Join(shown, " "); status != 200 || got != want {
					t.Errorf("%s%s, %s: %d, shows %q, want %q", path, query, round, status, got, want)
				}
			}
		}
	}
}
