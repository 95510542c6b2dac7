package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// film stores a file of a type other than image.
func (b bench) film(kind string) string {
	b.t.Helper()
	return b.stored(b.Shop.ID, kind)
}

func image(file string) m { return m{"file": m{"id": file}} }

// album creates a gallery of pictures whose item keys are their files.
func (b bench) album(name string, files ...string) string {
	b.t.Helper()
	items := l{}
	for i, f := range files {
		items = append(items, m{"item_key": fmt.Sprint(name, i), "file": m{"id": f}, "caption": f[:4]})
	}
	return b.add("galleries", m{"name": name, "items": items})["id"].(string)
}

func repeat(n int, entry func(i int) any) l {
	list := l{}
	for i := range n {
		list = append(list, entry(i))
	}
	return list
}

func TestAGalleryIsStoredAsSent(t *testing.T) {
	b := open(t)
	picture, film, sound := b.picture(b.Shop.ID), b.film("video"), b.film("audio")
	sent := m{"name": "  Spring  ", "items": l{
		m{"item_key": "a", "file": m{"id": film}, "poster": m{"id": picture}, "caption": "Film"},
		m{"item_key": "b", "kind": "image", "file": m{"id": picture}, "html": "", "poster": nil},
		m{"kind": "html", "html": "<b>Words</b>", "file": nil},
		m{"item_key": "d", "file": m{"id": sound}},
	}}
	g := b.add("galleries", sent)
	show(t, "name", g, "Spring", "name")
	show(t, "source", g, "images", "source")
	show(t, "canvas", g, "0", "canvas_id")
	show(t, "total", g, 4, "items_total")
	items := g["items"].(l)
	if got := names(items, "kind"); !slices.Equal(got, []string{"video", "image", "html", "audio"}) {
		t.Errorf("kinds %v", got)
	}
	show(t, "film", items[0].(m), film, "file", "id")
	show(t, "poster", items[0].(m), "/files/content/"+picture+".webp", "poster", "url")
	show(t, "caption", items[0].(m), "Film", "caption")
	show(t, "no poster", items[1].(m), nil, "poster")
	show(t, "words", items[2].(m), "<b>Words</b>", "html")
	show(t, "no file", items[2].(m), nil, "file")
	if key := items[2].(m)["item_key"].(string); len(key) != 36 {
		t.Errorf("key %q", key)
	}
	// A response can be sent back unchanged, in both forms.
	path := "/galleries/" + g["id"].(string)
	for _, body := range []m{item(m{"items": items}), {"items": items}} {
		if again := b.Result("PUT", path, b.Owner, body); fmt.Sprint(again["items"]) != fmt.Sprint(items) {
			t.Errorf("sent back: %v, was %v", again["items"], items)
		}
	}
	show(t, "read", b.Result("GET", path, b.Owner, nil), g["items"], "items")
	b.Refused("GET", path, b.Stranger, nil, 404, "GALLERY_NOT_FOUND")
	b.Refused("GET", path, "", nil, 401, "UNAUTHENTICATED")
}

func TestInvalidGalleryItemsAreRefused(t *testing.T) {
	b := open(t)
	picture, film, model := b.picture(b.Shop.ID), b.film("video"), b.film("model")
	html := func(n int) m { return m{"kind": "html", "html": strings.Repeat("ä", n/2) + strings.Repeat("x", n%2)} }
	for what, c := range map[string]struct {
		items  l
		status int
		code   string
	}{
		"25 items":              {repeat(25, func(int) any { return html(2) }), 400, "GALLERY_TOO_MANY_ITEMS"},
		"a key twice":           {l{m{"item_key": "a", "file": m{"id": picture}}, m{"item_key": "a", "file": m{"id": film}}}, 400, "GALLERY_DUPLICATE_ITEM_KEY"},
		"film as image":         {l{m{"kind": "image", "file": m{"id": film}}}, 400, "GALLERY_ITEM_KIND_MISMATCH"},
		"image as html":         {l{m{"kind": "html", "html": "x", "file": m{"id": picture}}}, 400, "GALLERY_ITEM_KIND_MISMATCH"},
		"an unknown kind":       {l{m{"kind": "picture", "file": m{"id": picture}}}, 400, "GALLERY_ITEM_KIND_MISMATCH"},
		"a model":               {l{image(model)}, 400, "GALLERY_ITEM_KIND_MISMATCH"},
		"an image with html":    {l{m{"file": m{"id": picture}, "html": "x"}}, 400, "GALLERY_ITEM_KIND_MISMATCH"},
		"a film as poster":      {l{m{"file": m{"id": picture}, "poster": m{"id": film}}}, 400, "GALLERY_ITEM_KIND_MISMATCH"},
		"no file":               {l{m{"kind": "image"}}, 400, "GALLERY_ITEM_FILE_REQUIRED"},
		"nothing":               {l{m{}}, 400, "GALLERY_ITEM_FILE_REQUIRED"},
		"an empty file":         {l{m{"file": m{"id": ""}}}, 400, "GALLERY_ITEM_FILE_REQUIRED"},
		"html by its text only": {l{m{"html": "x"}}, 400, "GALLERY_ITEM_FILE_REQUIRED"},
		"empty html":            {l{m{"kind": "html"}}, 400, "GALLERY_ITEM_HTML_REQUIRED"},
		"64 KB and a byte":      {l{html(64<<10 + 1)}, 400, "GALLERY_ITEM_HTML_TOO_LONG"},
		"a missing file":        {l{image(missingFile)}, 404, "GALLERY_FILE_NOT_FOUND"},
		"a foreign file":        {l{image(b.picture(b.Other.ID))}, 404, "GALLERY_FILE_NOT_FOUND"},
		"a deleted file":        {l{image(b.gone())}, 404, "GALLERY_FILE_NOT_FOUND"},
		"a missing poster":      {l{m{"file": m{"id": picture}, "poster": m{"id": missingFile}}}, 404, "GALLERY_FILE_NOT_FOUND"},
		"a long key":            {l{m{"item_key": strings.Repeat("ä", 65), "file": m{"id": picture}}}, 400, "INVALID_REQUEST"},
		"a long caption":        {l{m{"caption": strings.Repeat("ä", 1001), "file": m{"id": picture}}}, 400, "INVALID_REQUEST"},
		"invalid uuid":          {l{image("x")}, 400, "INVALID_REQUEST"},
	} {
		t.Log(what)
		b.refused("POST", "/galleries", m{"name": "x", "items": c.items}, c.status, c.code)
	}
	// The maximum is accepted.
	full := b.add(
		"galleries",
		m{"name": "x", "items": append(repeat(22, func(int) any { return image(picture) }), html(64<<10-1), html(64<<10))},
	)
	show(t, "24 items", full, 24, "items_total")
	b.add(
		"galleries",
		m{"name": "x", "items": l{m{"item_key": strings.Repeat("ä", 64), "caption": strings.Repeat("ä", 1000), "file": m{"id": picture}}}},
	)
}

func TestNamesOfGalleries(t *testing.T) {
	b := open(t)
	for _, body := range []m{{}, {"name": ""}, {"name": " \n"}} {
		b.refused("POST", "/galleries", body, 400, "GALLERY_NAME_REQUIRED")
	}
	b.refused("POST", "/galleries", m{"name": strings.Repeat("я", 256)}, 400, "GALLERY_NAME_TOO_LONG")
	g := b.add("galleries", m{"name": strings.Repeat("я", 255)})
	b.refused("PUT", "/galleries/"+g["id"].(string), m{"name": ""}, 400, "GALLERY_NAME_REQUIRED")
	b.refused("PUT", "/galleries/999", m{"name": "x"}, 404, "GALLERY_NOT_FOUND")
	b.Refused("PUT", "/galleries/"+g["id"].(string), b.Stranger, m{"name": "x"}, 404, "GALLERY_NOT_FOUND")
}

func TestRemovingAllItemsRequiresTheFlag(t *testing.T) {
	b := open(t)
	path := "/galleries/" + b.album("A", b.picture(b.Shop.ID), b.picture(b.Shop.ID))
	put := func(fields m) m { return b.Result("PUT", path, b.Owner, item(fields)) }
	show(t, "a name alone", put(m{"name": "B"}), 2, "items_total")
	show(t, "an empty list alone", put(m{"items": l{}}), 2, "items_total")
	show(t, "null", put(m{"items": nil}), 2, "items_total")
	one := put(m{"items": l{m{"item_key": "new", "kind": "html", "html": "x"}}})
	if got := names(one["items"], "item_key"); !slices.Equal(got, []string{"new"}) {
		t.Errorf("a list replaces all: %v", got)
	}
	show(t, "the name stays", one, "B", "name")
	b.refused("PUT", path, m{"name": "C", "items": l{m{"kind": "html"}}}, 400, "GALLERY_ITEM_HTML_REQUIRED")
	show(t, "refused changes had no effect", b.Result("GET", path, b.Owner, nil), "B", "name")
	show(t, "cleared", put(m{"items": l{}, "items_replace": true}), l{}, "items")
}

func TestTheListOfGalleries(t *testing.T) {
	b := open(t)
	picture := b.picture(b.Shop.ID)
	var ids []string
	for i := range 53 {
		ids = append(ids, b.album(fmt.Sprint("G", i), picture))
	}
	slices.Reverse(ids)
	b.add("galleries", m{"name": "gone"})
	list := func(query string) m { return b.OK("GET", "/galleries"+query, b.Owner, nil) }
	b.OK("DELETE", "/galleries/"+list("")["result"].(l)[0].(m)["id"].(string), b.Owner, nil)
	for query, want := range map[string][]string{
		"": ids[:50], "?page.number=2&page.limit=20": ids[20:40], "?page.number=6&page.limit=10": ids[50:], "?page.limit=100": ids, "?page.number=9&page.limit=100": nil,
	} {
		page := list(query)
		if got := names(page["result"], "id"); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", query, got, want)
		}
		show(t, query, page, 53, "total")
	}
	show(t, "currentPage", list("?page.number=2&page.limit=20"), 2, "currentPage")
	show(t, "items", list("")["result"].(l)[3].(m)["items"].(l)[0].(m), picture, "file", "id")
	for _, query := range []string{"?page.limit=0", "?page.limit=101", "?page.number=0&page.limit=5", "?page.number=2"} {
		b.Refused("GET", "/galleries"+query, b.Owner, nil, 400, "INVALID_REQUEST")
	}
	if others := b.OK("GET", "/galleries", b.Stranger, nil); len(others["result"].(l)) != 0 {
		t.Errorf("another shop sees %v", others)
	}
}

func TestCanvasGalleriesKeepTheirStoredItems(t *testing.T) {
	b := open(t)
	canvas := b.add("html-documents", m{"name": "Canvas", "level": 3})["id"]
	look := b.add("content-blocks", m{"name": "Look", "group_type": "theme"})["id"].(string)
	b.OK(
		"POST", "/themes/"+look+"/site/releases", b.Owner,
		m{"base": "none", "files": l{m{"path": "index.html", "sha256": strings.Repeat("a", 64), "size": 1}}},
	)
	items := l{m{"item_key": "backup", "kind": "html", "html": "x"}}
	g := b.add("galleries", m{"name": "G", "source": "canvas", "canvas_id": canvas, "items": items})
	path := "/galleries/" + g["id"].(string)
	show(t, "source", g, "canvas", "source")
	show(t, "canvas", g, canvas, "canvas_id")
	show(t, "backup", g["items"].(l)[0].(m), "backup", "item_key")
	show(
		t, "sent items are the backup",
		b.Result("PUT", path, b.Owner, item(m{"items": append(items, m{"kind": "html", "html": "y"})})), 2, "items_total",
	)
	b.refused("PUT", path, m{"items": l{}, "items_replace": true}, 400, "GALLERY_MANAGED_BY_CANVAS")

	b.refused("POST", "/galleries", m{"name": "H", "canvas_id": canvas}, 400, "GALLERY_DUPLICATE_CANVAS")
	b.refused("POST", "/galleries", m{"name": "H", "canvas_id": 4711}, 404, "CANVAS_DOCUMENT_NOT_FOUND")
	b.refused("POST", "/galleries", m{"name": "H", "source": "canvas"}, 404, "CANVAS_DOCUMENT_NOT_FOUND")
	b.refused("POST", "/galleries", m{"name": "H", "source": "images", "canvas_id": canvas}, 400, "INVALID_REQUEST")
	b.refused("POST", "/galleries", m{"name": "H", "source": "film"}, 400, "INVALID_REQUEST")
	b.Refused("POST", "/galleries", b.Stranger, m{"name": "H", "canvas_id": canvas}, 404, "CANVAS_DOCUMENT_NOT_FOUND")
	b.refused("POST", "/galleries", m{"name": "H", "canvas_id": 2}, 400, "CANVAS_TYPE_MISMATCH") // the document of the layout

	show(t, "taken back", b.Result("PUT", path, b.Owner, item(m{"source": "images"})), "0", "canvas_id")
	b.add("galleries", m{"name": "H", "canvas_id": canvas})
	b.refused("PUT", path, m{"canvas_id": canvas}, 400, "GALLERY_DUPLICATE_CANVAS")
	show(t, "cleared", b.Result("PUT", path, b.Owner, item(m{"items_replace": true})), 0, "items_total")
}

func TestOnlyUnusedGalleriesCanBeDeleted(t *testing.T) {
	b := open(t)
	g := b.album("G", b.picture(b.Shop.ID))
	path := "/galleries/" + g
	tea := b.add("categories", m{"name": "Tea", "gallery_ids": l{g}})
	cup := b.add("products", m{"name": "Cup", "gallery_ids": l{g}})
	pot := b.add("products", m{"name": "Pot"})
	b.OK(
		"PUT", at("products", pot)+"/variants", b.Owner,
		m{"items": l{m{"sku": "P1", "title": "Small", "gallery_id": g}, m{"sku": "P2", "gallery_id": "0"}}},
	)
	news := b.add("articles", m{"title": "News", "category_id": b.section("news", "Journal")["id"], "gallery_ids": l{g}})

	usage := b.Result("GET", path+"/usage", b.Owner, nil)
	show(t, "usage", usage, 4, "total")
	show(t, "usage", usage, l{m{"id": cup["id"], "name": "Cup"}}, "products")
	show(t, "usage", usage, l{m{"id": tea["id"], "name": "Tea"}}, "categories")
	show(t, "usage", usage, l{m{"id": news["id"], "name": "News"}}, "articles")
	set := usage["variant_sets"].(l)[0].(m)
	show(t, "usage", set, "P1", "sku")
	show(t, "usage", set, pot["id"], "product_id")
	b.Refused("GET", path+"/usage", b.Stranger, nil, 404, "GALLERY_NOT_FOUND")

	answer := b.Refused("DELETE", path, b.Owner, nil, 400, "GALLERY_IN_USE")
	if text := fmt.Sprint(answer["error"]); !strings.HasSuffix(text, "GALLERY_IN_USE: used in 4 places") {
		t.Error(text)
	}
	b.put("categories", tea, m{"gallery_ids": l{}, "gallery_ids_replace": true})
	b.put("articles", news, m{"gallery_ids_replace": true})
	b.OK("PUT", at("products", pot)+"/variants", b.Owner, m{"items": l{m{"sku": "P1", "gallery_id": 0}}})
	b.Refused("DELETE", path, b.Owner, nil, 400, "GALLERY_IN_USE")
	b.OK("DELETE", at("products", cup), b.Owner, nil) // a deleted product does not count as a use
	b.Refused("DELETE", path, b.Stranger, nil, 404, "GALLERY_NOT_FOUND")
	b.OK("DELETE", path, b.Owner, nil)
	for _, call := range []string{"GET", "PUT", "DELETE"} {
		b.Refused(call, path, b.Owner, m{"name": "x"}, 404, "GALLERY_NOT_FOUND")
	}
	b.Refused("GET", path+"/usage", b.Owner, nil, 404, "GALLERY_NOT_FOUND")
	back := b.put("products", cup, m{"is_deleted": false})
	show(t, "it came back without", back, l{}, "gallery_ids")
	show(t, "it came back without", back, l{}, "galleries")
}

func TestScopesAndRolesOfGalleries(t *testing.T) {
	b := open(t)
	g := "/galleries/" + b.album("G")
	b.OK("PUT", g, b.Editor, item(m{"name": "H"}))
	reader := b.Scoped("catalog:read")
	b.OK("GET", g, reader, nil)
	b.Refused("PUT", g, reader, item(m{"name": "H"}), 403, "PAT_SCOPE_MISSING")
	b.Refused("DELETE", g, reader, nil, 403, "PAT_SCOPE_MISSING")
}
