package catalog_test

import (
	"fmt"
	"slices"
	"testing"

	"vitrine/admin/api/apitest"
)

// linkers creates one of each thing that links galleries, with the maximum number of links.
func (b bench) linkers() map[string]m {
	rubric := b.section("news", "Journal")
	return map[string]m{
		"products":   b.add("products", m{"name": "Cup", "is_published": true}),
		"categories": b.section("product", "Tea"),
		"articles":   b.add("articles", m{"title": "News", "category_id": rubric["id"], "is_published": true}),
	}
}

func TestGalleriesAreLinkedByReplacingTheSet(t *testing.T) {
	b := open(t)
	one, two, three := b.album("one"), b.album("two"), b.album("three")
	b.OK("DELETE", "/galleries/"+three, b.Owner, nil)
	foreign := b.Result("POST", "/galleries", b.Stranger, m{"name": "x"})["id"].(string)
	for kind, of := range b.linkers() {
		linked := func(what string, fields m, want ...string) {
			t.Helper()
			card := b.put(kind, of, fields)
			if got := card["gallery_ids"].(l); len(got) != len(want) || fmt.Sprint(card["gallery_ids"]) != fmt.Sprint(want) {
				t.Errorf("%s, %s: %v, want %v", kind, what, card["gallery_ids"], want)
			}
			if got := names(card["galleries"], "id"); !slices.Equal(got, want) {
				t.Errorf("%s, %s: galleries %v, want %v", kind, what, got, want)
			}
			if read := b.Result("GET", at(kind, of), b.Owner, nil); fmt.Sprint(read["galleries"]) != fmt.Sprint(card["galleries"]) {
				t.Errorf("%s, %s: read %v", kind, what, read["galleries"])
			}
		}
		linked("in the given order", m{"gallery_ids": l{two, one}}, two, one)
		linked("not sent", m{}, two, one)
		linked("empty without the flag", m{"gallery_ids": l{}}, two, one)
		linked("another order", m{"gallery_ids": l{one, two}}, one, two)
		linked("a list with the flag", m{"gallery_ids": l{two}, "gallery_ids_replace": true}, two)
		for what, c := range map[string]struct {
			ids    l
			status int
			code   string
		}{
			"twice":   {l{one, one}, 400, "GALLERY_DUPLICATE_LINK"},
			"missing": {l{one, 4711}, 404, "GALLERY_NOT_FOUND"},
			"foreign": {l{foreign}, 404, "GALLERY_NOT_FOUND"},
			"deleted": {l{three}, 404, "GALLERY_NOT_FOUND"},
			"none":    {l{0}, 404, "GALLERY_NOT_FOUND"},
		} {
			t.Log(kind, what)
			b.refused("PUT", at(kind, of), m{"gallery_ids": c.ids}, c.status, c.code)
		}
		linked("the flag alone", m{"gallery_ids_replace": true})
	}
}

func TestTheNumberOfLinkedGalleriesIsLimited(t *testing.T) {
	b := open(t)
	albums := repeat(16, func(i int) any { return b.album(fmt.Sprint(i)) })
	for kind, of := range b.linkers() {
		most := map[string]int{"products": 10, "categories": 10, "articles": 15}[kind]
		for _, n := range []int{most - 1, most} {
			if got := b.put(kind, of, m{"gallery_ids": albums[:n]})["gallery_ids"].(l); len(got) != n {
				t.Errorf("%s: %d of %d", kind, len(got), n)
			}
		}
		b.refused("PUT", at(kind, of), m{"gallery_ids": albums[:most+1]}, 400, "GALLERIES_TOO_MANY")
	}
	b.refused("POST", "/products", m{"name": "x", "gallery_ids": albums[:11]}, 400, "GALLERIES_TOO_MANY")
	b.refused("POST", "/categories", m{"name": "x", "gallery_ids": l{albums[0], albums[0]}}, 400, "GALLERY_DUPLICATE_LINK")
}

func TestGalleriesOfACard(t *testing.T) {
	b := open(t)
	pictures := func(n int) (files []string) {
		for range n {
			files = append(files, b.picture(b.Shop.ID))
		}
		return files
	}
	one, two, red, off := b.album(
		"one",
		pictures(2)...), b.album(
		"two",
		pictures(3)...), b.album(
		"red",
		pictures(2)...), b.album(
		"off",
		pictures(2)...)
	p := b.add("products", m{"name": "Cup", "seo": m{"slug": "cup"}, "gallery_ids": l{two, one}, "is_published": true})
	sets := b.Result("PUT", at("products", p)+"/variants", b.Owner, m{"items": l{
		m{"sku": "OFF", "gallery_id": off, "is_active": false}, m{"sku": "PLAIN"}, m{"sku": "RED", "gallery_id": red}, m{"sku": "ONE", "gallery_id": one},
	}})["variants"].(l)
	shown := func(key, query string) (got []string) {
		card := b.Result("GET", "/products/by-slug/cup?company_id="+b.company()+query, key, nil)
		for _, g := range card["galleries"].(l) {
			got = append(got, fmt.Sprintf("%s %d of %v", g.(m)["name"], len(g.(m)["items"].(l)), g.(m)["items_total"]))
		}
		return got
	}
	redID := sets[2].(m)["id"].(string)
	for query, want := range map[string][]string{
		"":                                   {"two 3 of 3", "one 2 of 2", "off 2 of 2", "red 2 of 2"},
		"&galleries=full":                    {"two 3 of 3", "one 2 of 2", "off 2 of 2", "red 2 of 2"},
		"&galleries=cover":                   {"two 1 of 3", "one 1 of 2", "off 1 of 2", "red 1 of 2"},
		"&galleries=active":                  {"two 3 of 3", "one 1 of 2", "off 1 of 2", "red 1 of 2"}, // the first active set has no gallery, so the first linked one is shown
		"&galleries=active&variant=RED":      {"two 1 of 3", "one 1 of 2", "off 1 of 2", "red 2 of 2"},
		"&galleries=active&variant=" + redID: {"two 1 of 3", "one 1 of 2", "off 1 of 2", "red 2 of 2"},
		"&galleries=active&variant=ONE":      {"two 1 of 3", "one 2 of 2", "off 1 of 2", "red 1 of 2"},
		"&galleries=active&variant=OFF":      {"two 3 of 3", "one 1 of 2", "off 1 of 2", "red 1 of 2"},
		"&galleries=active&variant=nothing":  {"two 3 of 3", "one 1 of 2", "off 1 of 2", "red 1 of 2"},
		"&galleries=cover&variant=RED":       {"two 1 of 3", "one 1 of 2", "off 1 of 2", "red 1 of 2"},
	} {
		if got := shown(b.Owner, query); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", query, got, want)
		}
	}
	if got := shown("", ""); !slices.Equal(got, []string{"two 3 of 3", "one 2 of 2", "red 2 of 2"}) {
		t.Errorf("a visitor sees %v", got)
	}
	card := b.Result("GET", at("products", p), b.Owner, nil)
	show(t, "links alone", card, l{two, one}, "gallery_ids")
	show(t, "a full gallery", b.Result("GET", "/galleries/"+two, b.Owner, nil), 3, "items_total")
}

func TestListsHaveAComputedPreviewAndNoGalleries(t *testing.T) {
	b := open(t)
	first, second, own := b.picture(b.Shop.ID), b.picture(b.Shop.ID), b.picture(b.Shop.ID)
	pictures := b.album("pictures", first, second)
	b.Result(
		"PUT", "/galleries/"+pictures, b.Owner,
		m{"items": l{m{"kind": "html", "html": "x"}, image(b.film("video")), image(first), image(second)}},
	)
	words := b.add("galleries", m{"name": "words", "items": l{m{"kind": "html", "html": "x"}}})["id"]
	for kind, fields := range map[string]m{
		"bare": {}, "computed": {"gallery_ids": l{pictures}}, "no picture": {"gallery_ids": l{words, pictures}},
		"preview": {"gallery_ids": l{pictures}, "preview": m{"id": own}, "preview_id": own},
		"photo":   {"gallery_ids": l{pictures}, "gallery": l{image(own)["file"]}},
	} {
		fields["name"], fields["is_published"] = kind, true
		b.add("products", fields)
		delete(fields, "gallery")
		b.add("categories", fields)
	}
	file := func(id string) any { return m{"id": id, "url": "/files/content/" + id + ".webp"} }
	want := map[string]any{"bare": nil, "computed": file(first), "no picture": nil, "preview": file(own), "photo": file(own)}
	products := b.OK("GET", "/products?filter.company_id="+b.company(), "", nil)["result"].(m)["items"].(l)
	for _, p := range products {
		name := p.(m)["name"].(string)
		show(t, name, p.(m), want[name], "preview")
		show(t, name, p.(m), name == "computed", "preview_auto")
		show(t, "the card", b.Result("GET", at("products", p.(m)), b.Owner, nil), want[name], "preview")
		if _, there := p.(m)["galleries"]; there {
			t.Error("a list contains galleries")
		}
	}
	want["photo"] = file(first) // sections have no photos
	for _, view := range []string{"full", "menu"} {
		categories := b.OK("GET", "/categories?view="+view, b.Owner, nil)["result"].(l)
		for _, c := range categories {
			name := c.(m)["name"].(string)
			if want := want[name]; want != nil {
				show(t, view+" "+name, c.(m), want.(m)["url"], "preview", "url")
			} else {
				show(t, view+" "+name, c.(m), nil, "preview")
			}
		}
		if len(products) != 5 || len(categories) != 5 {
			t.Errorf("%d products, %d sections", len(products), len(categories))
		}
	}
	b.OK("DELETE", "/v1/storages/files/"+first, b.Owner, nil)
	for _, p := range products {
		if p.(m)["name"] == "computed" {
			show(t, "after the file", b.Result("GET", at("products", p.(m)), b.Owner, nil), file(second), "preview")
		}
	}
	show(t, "the gallery without it", b.Result("GET", "/galleries/"+pictures, b.Owner, nil), 3, "items_total")
}

func TestABatchLinksGalleries(t *testing.T) {
	b := open(t)
	one, two := b.album("one"), b.album("two")
	created := b.OK("POST", "/products/batch", b.Owner, m{"items": l{
		m{"name": "A", "gallery_ids": l{two, one}}, m{"name": "B", "gallery_ids": l{4711}}, m{"name": "C"}, m{"name": "D", "gallery_ids": l{one}},
	}})["results"].(l)
	show(t, "B", created[1].(m), "GALLERY_NOT_FOUND", "error")
	ids := l{created[0].(m)["id"], created[2].(m)["id"], created[3].(m)["id"]}
	show(t, "A", b.Result("GET", at("products", created[0].(m)), b.Owner, nil), l{two, one}, "gallery_ids")
	b.OK("PATCH", "/products/batch", b.Owner, m{"ids": ids, "item": m{"gallery_ids": l{two}}})
	for _, of := range []any{created[0], created[2], created[3]} {
		show(t, "edited", b.Result("GET", at("products", of.(m)), b.Owner, nil), l{two}, "gallery_ids")
	}
}

// If two lists of items are sent concurrently, one of them is stored as a whole.
func TestConcurrentListsOfItemsAreNotMixed(t *testing.T) {
	b := open(t)
	path := "/galleries/" + b.album("G")
	list := func(mark string) m {
		return m{"items": repeat(12, func(i int) any { return m{"item_key": fmt.Sprint(i), "kind": "html", "html": mark} })}
	}
	for range 10 {
		for _, a := range b.AtOnce(
			apitest.Request{Method: "PUT", Path: path, Key: b.Owner, Body: list("a")}, apitest.Request{Method: "PUT", Path: path, Key: b.Editor, Body: list("b")},
		) {
			if a.Status != 200 {
				t.Fatalf("%d %s", a.Status, a.Body)
			}
		}
		g := b.Result("GET", path, b.Owner, nil)
		if words := names(g["items"], "html"); len(slices.Compact(words)) != 1 || len(g["items"].(l)) != 12 {
			t.Fatalf("mixed: %v", g["items"])
		}
	}
}

// If a gallery is deleted while it is being linked, one of the two calls is refused, and no
// link is dangling.
func TestConcurrentDeletionAndLinking(t *testing.T) {
	b := open(t)
	nouns := b.linkers()
	outcomes := map[string]int{}
	for round := range 8 {
		for kind, of := range nouns {
			g := b.album(fmt.Sprint(round))
			answers := b.AtOnce(
				apitest.Request{Method: "DELETE", Path: "/galleries/" + g, Key: b.Owner},
				apitest.Request{Method: "PUT", Path: at(kind, of), Key: b.Editor, Body: item(m{"gallery_ids": l{g}})},
				apitest.Request{Method: "PUT", Path: at("products", nouns["products"]) + "/variants", Key: b.Editor, Body: m{"items": l{m{"gallery_id": g}}}},
			)
			gone, linked, set := answers[0].Status == 200, answers[1].Status == 200, answers[2].Status == 200
			if gone == (linked || set) {
				t.Errorf("%s: deleted %v, linked %v, set %v: %s", kind, gone, linked, set, answers[0].Body)
			}
			outcomes[fmt.Sprint(gone)]++
			b.put(kind, of, m{"gallery_ids_replace": true})
			b.OK("PUT", at("products", nouns["products"])+"/variants", b.Owner, m{"items": l{}})
		}
	}
	t.Log(outcomes)
}
