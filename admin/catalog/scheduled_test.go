package catalog_test

import (
	"slices"
	"strings"
	"testing"
)

// Visitors see things with a future date neither in lists nor at their address, while their
// owner does. A past or cleared date hides nothing.
func TestVisitorsDoNotSeeThingsWithAFutureDate(t *testing.T) {
	b := open(t)
	rubric := b.add("categories", m{"name": "News", "type": "news", "is_published": true})
	for kind, item := range map[string]m{
		"articles": {"title": "Later", "category_id": rubric["id"], "is_published": true, "slug": "later"},
		"products": {"name": "Later", "is_published": true, "seo": m{"slug": "later"}},
	} {
		list := "/" + kind + "?company_id=" + b.company() + "&filter.company_id=" + b.company()
		count := func(key string) int {
			rows := b.OK("GET", list, key, nil)["result"]
			if page, paged := rows.(m); paged {
				rows = page["items"]
			}
			return len(rows.(l))
		}
		one := "/" + kind + "/by-slug/later?company_id=" + b.company()
		gone := map[string]string{"articles": "ARTICLE_NOT_FOUND", "products": "PRODUCT_NOT_FOUND"}[kind]
		made := b.add(kind, item)
		if n := count(""); n != 1 {
			t.Fatalf("%s: visitors see %d without a date", kind, n)
		}
		show(t, kind, b.put(kind, made, m{"published_at": "2999-01-02T03:04:05+01:00"}), "2999-01-02T02:04:05Z", "published_at")
		if owner, visitor := count(b.Owner), count(""); owner != 1 || visitor != 0 {
			t.Errorf("%s with a future date: its owner sees %d, visitors %d", kind, owner, visitor)
		}
		b.Refused("GET", one, "", nil, 404, gone)
		b.OK("GET", one, b.Owner, nil)
		for _, past := range []any{"2020-01-01T00:00:00Z", nil, ""} {
			b.put(kind, made, m{"published_at": "2999-01-01T00:00:00Z"})
			b.put(kind, made, m{"published_at": past})
			if n := count(""); n != 1 {
				t.Errorf("%s at %v: visitors see %d", kind, past, n)
			}
			b.OK("GET", one, "", nil)
		}
		for _, wrong := range []any{"soon", 12, "2026-02-30T00:00:00Z", "10000-01-01T00:00:00Z", "2026-01-01", m{}, true} {
			b.refused("PUT", at(kind, made), m{"published_at": wrong}, 400, "INVALID_REQUEST")
		}
	}
	if row := b.imported("name,published_at\nCup,tomorrow\n")[0]; row != "error IMPORT_CELL_INVALID" {
		t.Errorf("a cell with an invalid date: %s", row)
	}
}

// Swatches are six hexadecimal digits after #, so they cannot end a style.
func TestASwatchIsAColour(t *testing.T) {
	b := open(t)
	p := b.add("products", m{"name": "Cup", "is_published": true})
	put := func(swatch any) m { return m{"items": l{m{"sku": "A", "swatch": swatch}}} }
	for _, wrong := range []any{"red", "#fff", "#12345g", "#1234567", "url(x)", "#12345;", "#aabbcc\"", 7, l{}} {
		if status, answer := b.Call("PUT", at("products", p)+"/variants", b.Owner, put(wrong)); status != 400 {
			t.Errorf("%v: %d %v", wrong, status, answer)
		}
	}
	sets := b.Result("PUT", at("products", p)+"/variants", b.Owner, put("#A1B2C3"))["variants"].(l)
	show(t, "in lower case", sets[0].(m), "#a1b2c3", "swatch")
	sets = b.Result("PUT", at("products", p)+"/variants", b.Owner, m{"items": l{m{"sku": "A"}}})["variants"].(l)
	show(t, "unsaid, it stays", sets[0].(m), "#a1b2c3", "swatch")
}

// Members list articles by what visitors see of them, and by their dates.
func TestArticlesByStateAndDate(t *testing.T) {
	b := open(t)
	rubric := b.add("categories", m{"name": "News", "type": "news", "is_published": true})
	for title, item := range map[string]m{
		"undated": {"is_published": true}, "past": {"is_published": true, "published_at": "2020-01-01T00:00:00Z"},
		"ahead": {"is_published": true, "published_at": "2999-01-01T00:00:00Z"}, "draft": {"published_at": "2998-01-01T00:00:00Z"},
	} {
		item["title"], item["category_id"] = title, rubric["id"]
		b.add("articles", item)
	}
	for query, want := range map[string]string{
		"filter.state=published": "past undated", "filter.state=scheduled": "ahead", "filter.state=hidden": "draft",
		"filter.since=2020-01-01T00:00:00Z": "ahead draft past", "filter.until=2998-01-01T00:00:00Z": "past",
		"filter.since=2020-01-02T00:00:00Z&filter.until=2998-06-01T00:00:00Z&filter.state=hidden": "draft",
	} {
		var titles []string
		for _, row := range b.OK("GET", "/articles?"+query, b.Owner, nil)["result"].(l) {
			titles = append(titles, row.(m)["title"].(string))
		}
		slices.Sort(titles)
		if got := strings.Join(titles, " "); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	if rows := b.OK("GET", "/articles?filter.state=hidden&company_id="+b.company(), "", nil)["result"].(l); len(rows) != 2 {
		t.Errorf("a visitor sees %d hidden articles", len(rows)-2)
	}
	for _, wrong := range []string{"filter.state=gone", "filter.since=yesterday"} {
		b.refused("GET", "/articles?"+wrong, nil, 400, "INVALID_REQUEST")
	}
}
