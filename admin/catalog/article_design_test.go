package catalog_test

import (
	"strconv"
	"strings"
	"testing"
)

// block creates a content block of one section.
func (b bench) block(name, group string, payload m) string {
	b.t.Helper()
	return b.Result("POST", "/content-blocks", b.Owner, item(m{
		"name": name, "group_type": group, "sections": l{m{"type": "text", "payload": payload}},
	}))["id"].(string)
}

func (b bench) group(name, kind string, widgets ...string) string {
	b.t.Helper()
	return b.block(name, kind, m{"v": 2, "kind": "group", "props": m{"widgets": widgets}})
}

func listing(modal string) m {
	return m{"v": 2, "kind": "productListing", "props": m{"listing": m{"cardClick": "modal", "modalTpl": modal}}}
}

// shape formats groups as name(block block) name(…).
func shape(groups any) string {
	var out []string
	for _, g := range groups.(l) {
		out = append(out, g.(m)["name"].(string)+"("+strings.Join(names(g.(m)["blocks"], "name"), " ")+")")
	}
	return strings.Join(out, " ")
}

func TestAnArticleBySlugIncludesItsDesign(t *testing.T) {
	b := open(t)
	a := b.add("articles", m{"title": "A", "category_id": b.section("news", "News")["id"], "is_published": true})
	show(t, "nothing is bound", b.OK("GET", "/articles/by-slug/a", b.Owner, nil), m{}, "design", "resolved")
	card := b.group("card", "product", b.block("words", "", m{"kind": "text", "text": "x"}))
	inner := b.group("inner", "chrome", b.block("menu", "", m{"kind": "siteMenu"}))
	top := b.group("top", "chrome", inner, b.block("logo", "", m{"kind": "image"}))
	foot := b.group("foot", "chrome", b.block("shelf", "", listing(card)))
	b.OK("PUT", "/design/bindings/shop/0", b.Owner, m{"slots": m{"header": inner, "footer": foot, "body_article": inner}})
	b.OK("PUT", "/design/bindings/article/"+id(a), b.Owner, m{"slots": m{"header": top}})
	for _, key := range []string{"", b.Owner} {
		page := b.OK("GET", "/articles/by-slug/a?company_id="+b.company(), key, nil)
		for _, c := range []struct {
			want any
			path []string
		}{
			{top, []string{"header", "group_id"}},
			{"article", []string{"header", "source", "type"}},
			{id(a), []string{"header", "source", "id"}},
			{foot, []string{"footer", "group_id"}},
			{"shop", []string{"footer", "source", "type"}},
			{"0", []string{"footer", "source", "id"}},
			{inner, []string{"body_article", "group_id"}},
		} {
			show(t, "design", page["design"].(m)["resolved"].(m), c.want, c.path...)
		}
		if got := shape(page["design"].(m)["groups"]); got != "inner(menu) foot(shelf) top(inner logo menu)" {
			t.Errorf("groups %s", got)
		}
		if got := shape(page["modal_groups"]); got != "card(words)" {
			t.Errorf("modals %s", got)
		}
	}
	page := b.OK("GET", at("articles", a), b.Owner, nil)
	for _, name := range []string{"design", "modal_groups"} {
		if _, there := page[name]; there {
			t.Errorf("by id the answer lacks %s", name)
		}
	}
}

func TestModalsOfTheArticleItself(t *testing.T) {
	b := open(t)
	a := b.add("articles", m{"title": "A", "category_id": b.section("news", "News")["id"], "is_published": true})
	other := b.Result("POST", "/content-blocks", b.Stranger, item(m{"name": "foreign", "group_type": "product"}))
	second, first := b.group("second", "product"), b.group("first", "product")
	deep := b.group("deep", "article", b.block("in a group", "", listing(second)))
	gone := b.group("gone", "product")
	plain := b.block("no group", "", m{"kind": "text"})
	shelves := []string{deep}
	for _, modal := range []string{first, second, gone, plain, other["id"].(string), "999999", "0"} {
		shelves = append(shelves, b.block("shelf", "", listing(modal)))
	}
	shelves = append(shelves, b.block("broken", "", m{"kind": "productListing", "props": m{"listing": m{"modalTpl": "x"}}}))
	b.OK("DELETE", "/content-blocks/"+gone, b.Owner, nil)
	var items l
	for i, id := range shelves {
		items = append(items, m{"block_id": id, "sort_order": i})
	}
	b.OK("PUT", at("articles", a)+"/content-blocks", b.Owner, m{"items": items})
	if got := shape(b.OK("GET", "/articles/by-slug/a", b.Owner, nil)["modal_groups"]); got != "second() first()" {
		t.Errorf("modals %q, want only groups of the shop", got)
	}
}

func TestCyclicGroupsTerminate(t *testing.T) {
	b := open(t)
	a := b.add("articles", m{"title": "A", "category_id": b.section("news", "News")["id"], "is_published": true})
	one := b.group("one", "chrome")
	two := b.group("two", "chrome", one, one)
	n, err := strconv.Atoi(two)
	if err != nil {
		t.Fatal(err)
	}
	b.OK(
		"PUT", "/content-blocks/"+one, b.Owner,
		item(m{"sections": l{m{"type": "text", "payload": m{"kind": "group", "props": m{"widgets": l{n, one}}}}}}),
	)
	b.OK("PUT", "/design/bindings/article/"+id(a), b.Owner, m{"slots": m{"header": one, "footer": one}})
	if got := shape(b.OK("GET", "/articles/by-slug/a", b.Owner, nil)["design"].(m)["groups"]); got != "one(two)" {
		t.Errorf("groups %s", got)
	}
}
