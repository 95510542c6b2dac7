package main

import (
	"strings"
	"testing"
)

// The pictures of a gallery stand on the pages of what links it: a change of the
// gallery is seen by the next visitor, one of its draft only once it is
// published.
func TestAGalleryStandsOnItsPages(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	key := p.shop("tea")
	draft := itoa(p.verb("key", "issue", "--shop", "tea", "--contour", "dev", "--scopes", "all")["key"])
	p.start()
	type fields = map[string]any
	one, two, three := p.picture(key), p.picture(key), p.picture(key)
	items := func(pictures ...string) (list []fields) {
		for _, id := range pictures {
			list = append(list, fields{"file": fields{"id": id}})
		}
		return list
	}
	add := func(path string, item fields) fields { return p.must(key, "POST", path, fields{"item": item}) }
	section := add("/categories", fields{"name": "Cups", "type": "product", "is_published": true, "is_show_menu": true})
	gallery := itoa(add("/galleries", fields{"name": "Cup", "items": items(one)})["id"])
	product := add("/products", fields{"name": "Cup", "category_id": section["id"], "is_published": true, "gallery_ids": []string{gallery}})
	rubric := add("/categories", fields{"name": "News", "type": "news", "is_published": true})
	article := add("/articles", fields{"title": "Harvest", "category_id": rubric["id"], "is_published": true, "gallery_ids": []string{gallery}})
	pages := map[string]string{
		"product": "/cups/" + itoa(product["slug"]), "listing": "/cups", "article": "/news/" + itoa(article["slug"]),
	}
	shows := func(what, picture string, want ...string) {
		t.Helper()
		for name, path := range pages {
			status, _, body := p.visit("tea", path)
			wanted := false
			for _, w := range want {
				wanted = wanted || w == name
			}
			if status != 200 || strings.Contains(body, picture) != wanted {
				t.Errorf("%s: %s answers %d, with the picture: %v", what, name, status, !wanted)
			}
		}
	}
	shows("linked", one, "product", "listing", "article")
	shows("linked", two)
	put := func(key string, pictures ...string) {
		t.Helper()
		p.must(key, "PUT", "/galleries/"+gallery, fields{"item": fields{"items": items(pictures...)}})
	}
	put(key, two, one)
	shows("another first", one, "product", "article")
	shows("another first", two, "product", "listing", "article")
	put(draft, three)
	shows("in the draft", three)
	p.must(key, "POST", "/drafts/publish", fields{"items": []fields{{"kind": "gallery", "id": gallery}}})
	shows("published", three, "product", "listing", "article")
	shows("published", two)
	p.must(key, "DELETE", "/v1/storages/files/"+three, nil)
	shows("a deleted file", three)
	put(key, one)
	p.must(key, "PUT", "/products/"+itoa(product["id"]), fields{"item": fields{"gallery_ids_replace": true}})
	shows("unlinked", one, "article")
}
