package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
)

func TestAnswersHaveTheTypesOfASection(t *testing.T) {
	b := open(t)
	root := b.add("categories", m{"name": "  Tea "})
	child := b.add("categories", m{"name": "Green", "parent_id": root["id"], "type": "page"})
	leaf := b.add("categories", m{"name": "Sencha", "parent_id": id(child)})
	for _, c := range []struct {
		in   m
		want any
		path []string
	}{
		{root, "Tea", []string{"name"}},
		{root, "product", []string{"type"}},
		{root, "0", []string{"parent_id"}},
		{root, id(root), []string{"root_id"}},
		{root, false, []string{"is_published"}},
		{root, false, []string{"is_deleted"}},
		{root, l{}, []string{"seo", "meta_keywords"}},
		{root, l{}, []string{"sidebar_config"}},
		{root, nil, []string{"preview"}},
		{leaf, id(child), []string{"parent_id"}},
		{leaf, id(root), []string{"root_id"}},
		{leaf, int(b.OwnerID), []string{"created_by"}},
	} {
		show(t, "section", c.in, c.want, c.path...)
	}
	b.Refused("GET", at("categories", root), "", nil, 403, "COMPANY_ID_PROBLEM")
	show(t, "content blocks", b.OK("GET", at("categories", root), b.Owner, nil), l{}, "content_blocks")
}

// The list finds the tops of branches in another way than a section alone, deleted branches too.
func TestListAndSectionNameTheSameRoot(t *testing.T) {
	b := open(t)
	var parent any = "0"
	for i := range 5 {
		c := b.add("categories", m{"name": fmt.Sprint("Section ", i), "parent_id": parent})
		b.add("categories", m{"name": fmt.Sprint("Sibling ", i), "parent_id": parent})
		parent = id(c)
	}
	compare := func(path string, roots map[any]any) {
		list := b.OK("GET", path, b.Owner, nil)["result"].(l)
		if len(list) != len(roots) {
			t.Fatalf("%s: %d sections, want %d", path, len(list), len(roots))
		}
		for _, c := range list {
			show(t, path, c.(m), roots[c.(m)["id"]], "root_id")
		}
	}
	roots := map[any]any{}
	for _, c := range b.OK("GET", "/categories", b.Owner, nil)["result"].(l) {
		roots[c.(m)["id"]] = b.Result("GET", at("categories", c.(m)), b.Owner, nil)["root_id"]
	}
	compare("/categories", roots)
	for _, c := range b.OK("GET", "/categories", b.Owner, nil)["result"].(l) {
		if c.(m)["parent_id"] == "0" {
			b.OK("DELETE", at("categories", c.(m)), b.Owner, nil)
		}
	}
	compare("/categories?filter.is_deleted=true", roots)
}

func TestInvalidSectionsAreRefused(t *testing.T) {
	b := open(t)
	tea := b.section("product", "Tea")
	foreign := b.Result("POST", "/categories", b.Stranger, item(m{"name": "Foreign"}))
	bad := map[string]struct {
		fields m
		status int
		code   string
	}{
		"no name":        {m{"name": " "}, 400, "CATEGORY_NAME_REQUIRED"},
		"foreign parent": {m{"name": "x", "parent_id": foreign["id"]}, 404, "CATEGORY_NOT_FOUND"},
		"unknown parent": {m{"name": "x", "parent_id": "999999"}, 404, "CATEGORY_NOT_FOUND"},
		"wrapped parent": {m{"name": "x", "parent_id": int64(1)<<32 + int64(tea["id"].(float64))}, 404, "CATEGORY_NOT_FOUND"},
		"parent as word": {m{"name": "x", "parent_id": "tea"}, 400, "INVALID_REQUEST"},
		"unknown file":   {m{"name": "x", "preview_id": missingFile}, 404, "CATEGORY_FILE_NOT_FOUND"},
		"foreign file":   {m{"name": "x", "preview_id": b.picture(b.Other.ID)}, 404, "CATEGORY_FILE_NOT_FOUND"},
		"deleted file":   {m{"name": "x", "seo": m{"og_image_id": b.gone()}}, 404, "CATEGORY_FILE_NOT_FOUND"},
		"nil file":       {m{"name": "x", "preview_id": "00000000-0000-0000-0000-000000000000"}, 404, "CATEGORY_FILE_NOT_FOUND"},
		"invalid uuid":   {m{"name": "x", "preview_id": "x"}, 400, "INVALID_REQUEST"},
		"invalid switch": {m{"name": "x", "comments_enabled": "yes"}, 400, "INVALID_REQUEST"},
		"sidebar":        {m{"name": "x", "sidebar_config": "x"}, 400, "INVALID_REQUEST"},
		"long sidebar":   {m{"name": "x", "sidebar_config": slices.Repeat(l{m{"type": "a"}}, 21)}, 400, "INVALID_REQUEST"},
	}
	for name, c := range bad {
		t.Log(name)
		b.refused("POST", "/categories", c.fields, c.status, c.code)
		b.refused("PUT", at("categories", tea), c.fields, c.status, c.code)
	}
	b.refused("POST", "/categories", m{"name": "x", "type": "shop"}, 400, "CATEGORY_TYPE_INVALID")
	for _, path := range []string{at("categories", foreign), "/categories/999999", "/categories/0", "/categories/-1"} {
		b.Refused("GET", path, b.Owner, nil, 404, "CATEGORY_NOT_FOUND")
		b.refused("PUT", path, m{"name": "y"}, 404, "CATEGORY_NOT_FOUND")
		b.Refused("DELETE", path, b.Owner, nil, 404, "CATEGORY_NOT_FOUND")
	}
	show(t, "the sidebar is dropped", b.put("categories", tea, m{"sidebar_config": l{m{"type": "menu"}}}), l{}, "sidebar_config")
}

func TestOnlySentFieldsOfASectionChange(t *testing.T) {
	b := open(t)
	file := b.picture(b.Shop.ID)
	tea := b.add(
		"categories",
		m{"name": "Tea", "description": "d", "preview_id": file, "seo": m{"slug": "tea", "meta_title": "M", "og_image_id": file}},
	)
	tea = b.put("categories", tea, m{"name": "Teas"})
	for path, want := range map[string]any{"name": "Teas", "description": "d", "preview_id": file} {
		show(t, "untouched", tea, want, path)
	}
	show(t, "untouched", tea, "M", "seo", "meta_title")
	if url := tea["preview"].(m)["url"].(string); !strings.HasPrefix(url, "/files/") {
		t.Errorf("preview url %q", url)
	}
	tea = b.put("categories", tea, m{"preview_id": "", "seo": m{"og_image_id": ""}, "is_published": true})
	for _, path := range []string{"preview_id", "preview"} {
		show(t, "cleared", tea, nil, path)
	}
	show(t, "a section keeps its address", tea, "tea", "seo", "slug")
	show(t, "seo is replaced", tea, "", "seo", "meta_title")
	show(t, "cleared", tea, nil, "seo", "og_image_id")

	b.OK("DELETE", "/v1/storages/files/"+file, b.Owner, nil)
	b.put("categories", tea, m{"name": "only sent files are checked"})
}

func TestANewSectionIsTheLastWhateverItsOrder(t *testing.T) {
	b := open(t)
	root := b.section("product", "Root")
	for _, name := range []string{"one", "two", "three"} {
		b.add("categories", m{"name": name, "parent_id": root["id"], "order": -5})
	}
	b.put("categories", root, m{"order": 99})
	var order []string
	for _, entry := range b.OK("GET", "/categories", b.Owner, nil)["result"].(l) {
		if entry.(m)["parent_id"] == id(root) {
			order = append(order, entry.(m)["name"].(string))
		}
	}
	if !slices.Equal(order, []string{"one", "two", "three"}) {
		t.Errorf("order %v", order)
	}
	show(t, "order is the move's", b.Result("GET", at("categories", root), b.Owner, nil), 0, "order")
}

func TestASectionCannotBeInsideItself(t *testing.T) {
	b := open(t)
	a := b.section("product", "A")
	c := b.add("categories", m{"name": "C", "parent_id": a["id"]})
	d := b.add("categories", m{"name": "D", "parent_id": c["id"]})
	for _, under := range []m{a, c, d} {
		b.refused("PUT", at("categories", a), m{"parent_id": under["id"]}, 400, "CATEGORY_CYCLE")
	}
	show(t, "up to the root", b.put("categories", d, m{"parent_id": "0"}), id(d), "root_id")
}

func TestThereIsOneHome(t *testing.T) {
	b := open(t)
	first := b.add("categories", m{"name": "First", "type": "page", "is_home": true})
	second := b.add("categories", m{"name": "Second", "type": "page", "is_home": true})
	show(t, "second", second, true, "is_home")
	show(t, "first", b.Result("GET", at("categories", first), b.Owner, nil), false, "is_home")
	b.put("categories", first, m{"is_home": true})
	show(t, "second", b.Result("GET", at("categories", second), b.Owner, nil), false, "is_home")
	b.OK("DELETE", at("categories", first), b.Owner, nil)
	show(t, "a deleted home page is not home", b.put("categories", second, m{"is_home": true}), true, "is_home")
}

func TestDeletingASectionDeletesItsSubtreeAndCanBeUndone(t *testing.T) {
	b := open(t)
	root := b.section("product", "Root")
	child := b.add("categories", m{"name": "Child", "parent_id": root["id"]})
	early := b.add("categories", m{"name": "Early", "parent_id": root["id"]})
	b.OK("DELETE", at("categories", early), b.Owner, nil)
	b.OK("DELETE", at("categories", root), b.Owner, nil)
	for _, c := range []m{root, child, early} {
		b.Refused("GET", at("categories", c), b.Owner, nil, 404, "CATEGORY_NOT_FOUND")
		b.Refused("DELETE", at("categories", c), b.Owner, nil, 404, "CATEGORY_NOT_FOUND")
	}
	b.refused("PUT", at("categories", root), m{"name": "x"}, 404, "CATEGORY_NOT_FOUND")
	b.refused("PUT", at("categories", child), m{"is_deleted": false}, 404, "CATEGORY_NOT_FOUND")
	b.Refused("PUT", at("categories", root), b.Stranger, item(m{"is_deleted": false}), 404, "CATEGORY_NOT_FOUND")

	show(t, "restored", b.put("categories", root, m{"is_deleted": false}), false, "is_deleted")
	b.OK("GET", at("categories", child), b.Owner, nil)
	b.Refused("GET", at("categories", early), b.Owner, nil, 404, "CATEGORY_NOT_FOUND")

	b.OK("DELETE", at("categories", child), b.Owner, nil)
	b.section("product", "Child")
	b.refused("PUT", at("categories", child), m{"is_deleted": false}, 409, "SLUG_TAKEN")
	b.Clock.Advance(31 * 24 * time.Hour)
	b.refused("PUT", at("categories", early), m{"is_deleted": false}, 400, "RESTORE_WINDOW_OVER")
}

func TestTheTreeHasTwoViews(t *testing.T) {
	b := open(t)
	file := b.picture(b.Shop.ID)
	b.add("categories", m{"name": "Tea", "description": "long", "preview_id": file, "seo": m{"meta_title": "M"}, "is_published": true})
	b.add("categories", m{"name": "Hidden"})
	full := b.OK("GET", "/categories?view=full", b.Owner, nil)["result"].(l)
	menu := b.OK("GET", "/categories?view=menu", b.Owner, nil)["result"].(l)
	if len(full) != 2 || len(menu) != 2 {
		t.Fatalf("%d and %d sections, want all 2", len(full), len(menu))
	}
	show(t, "full", full[0].(m), "long", "description")
	for path, want := range map[string]any{"name": "Tea", "description": "", "root_id": "0", "is_published": true} {
		show(t, "menu", menu[0].(m), want, path)
	}
	show(t, "menu", menu[0].(m), full[0].(m)["preview"].(m)["url"], "preview", "url")
	show(t, "menu", menu[0].(m), "", "seo", "meta_title")
	show(t, "menu", menu[0].(m), "tea", "seo", "slug")
	b.Refused("GET", "/categories?view=tree", b.Owner, nil, 400, "CATEGORIES_VIEW_UNKNOWN")

	anonymous := b.OK("GET", "/categories?company_id="+b.company(), "", nil)["result"]
	if got := names(anonymous, "name"); !slices.Equal(got, []string{"Tea"}) {
		t.Errorf("a visitor sees %v", got)
	}
}

// A deleted home page is home again when it is restored, unless another section has become
// home; is_deleted: true deletes nothing, and the response reports it as ignored.
func TestARestoredHomePageIsHomeAgain(t *testing.T) {
	b := open(t)
	first := b.add("categories", m{"name": "First", "type": "page", "is_home": true})
	got := b.Send(apitest.Request{Method: "PUT", Path: at("categories", first), Key: b.Owner, Body: item(m{"is_deleted": true})})
	if got.Status != 200 || got.Header.Get("X-Ignored-Fields") != "item.is_deleted" {
		t.Errorf("%d %v", got.Status, got.Header)
	}
	b.OK("DELETE", at("categories", first), b.Owner, nil)
	show(t, "restored", b.put("categories", first, m{"is_deleted": false}), true, "is_home")
	b.OK("DELETE", at("categories", first), b.Owner, nil)
	b.add("categories", m{"name": "Second", "type": "page", "is_home": true})
	show(t, "restored behind another", b.put("categories", first, m{"is_deleted": false}), false, "is_home")
}
