package catalog_test

import (
	"strconv"
	"testing"
)

// A list needs the same number of statements for thirty rows as for one, and so does reading
// one row with its details.
func TestListsOfArticlesAndSectionsNeedConstantStatements(t *testing.T) {
	b := open(t)
	cover := b.picture(b.Shop.ID)
	top := b.section("news", "Top")
	first := b.add("articles", m{"title": "A", "category_id": top["id"], "is_published": true, "cover_id": cover})
	mine := "company_id=" + b.company()
	type read struct{ who, key, path string }
	reads := []read{{"owner", b.Owner, at("articles", first)}}
	for _, path := range []string{
		"/articles?" + mine, "/articles?sort=popular&" + mine, "/articles?query=a&" + mine, "/articles?include_subtree=true&category_id=" + id(top) + "&" + mine,
		"/articles/by-slug/a?" + mine, "/categories?" + mine, "/categories?view=menu&" + mine, "/categories/by-slug/top?" + mine, at("categories", top) + "?" + mine,
	} {
		reads = append(reads, read{"visitor", "", path}, read{"owner", b.Owner, path}, read{"draft", b.Dev, path})
	}
	cost := func() map[read]int {
		counts := map[read]int{}
		for _, r := range reads {
			b.OK("GET", r.path, r.key, nil) // stores pending views
			b.Sent.Take()
			b.OK("GET", r.path, r.key, nil)
			counts[r] = len(b.Sent.Take())
		}
		return counts
	}
	b.related(first, b.add("articles", m{"title": "Other", "category_id": top["id"], "is_published": true})["id"])
	before := cost()
	related := l{}
	for i := range 30 {
		n := strconv.Itoa(i)
		rubric := b.add("categories", m{"name": "R" + n, "type": "news", "parent_id": top["id"], "is_published": true, "preview_id": cover})
		a := b.add(
			"articles",
			m{"title": "A" + n, "category_id": rubric["id"], "is_published": true, "cover_id": cover, "author": m{"mode": "member"}},
		)
		b.Result("PUT", at("articles", a), b.Dev, item(m{"announce": "waits"}))
		related = append(related, a["id"])
	}
	b.related(first, related...)
	after := cost()
	for r, n := range before {
		if after[r] != n || n == 0 || n > 8 {
			t.Errorf("%s %s: %d statements for one row, %d for thirty", r.who, r.path, n, after[r])
		}
	}
}
