package catalog_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"vitrine/internal/golden"
)

// The fields of view=menu, listed in document 1, 4.3.
var menuFields = []string{
	"id", "name", "seo", "parent_id", "order", "type", "is_published", "is_show_menu", "is_home", "is_deleted", "preview", "count_articles", "sidebar_config",
}

func TestTheMenuViewReturnsOnlyItsFields(t *testing.T) {
	b := open(t)
	file := b.picture(b.Shop.ID)
	top := b.section("news", "Top")
	c := b.add("categories", m{
		"name": "Rubric", "type": "news", "parent_id": top["id"], "is_published": true, "is_home": true, "preview_id": file, "description": "d",
		"page_template": "p", "comments_enabled": "true", "questions_enabled": "false",
		"seo": m{"slug": "rubric", "page_title": "P", "meta_title": "M", "meta_description": "D", "meta_keywords": l{"k"}, "og_image_id": file, "noindex": true},
	})
	b.add("articles", m{"title": "A", "category_id": c["id"]})
	for i, view := range []string{"", "full", "menu"} {
		list := b.OK("GET", "/categories?view="+view, b.Owner, nil)["result"].(l)
		entry := list[slices.IndexFunc(list, func(e any) bool { return e.(m)["name"] == "Rubric" })].(m)
		filled := map[string]bool{}
		for name, value := range entry {
			filled[name] = !slices.Contains([]any{nil, "", "0", 0.0, false}, scalar(value))
		}
		want := []string{"id", "name", "seo", "parent_id", "type", "is_published", "is_show_menu", "is_home", "preview", "count_articles"}
		if i < 2 {
			want = append(want, "root_id", "company_id", "description", "page_template", "preview_id", "created_at", "updated_at",
				"created_by", "updated_by", "comments_enabled", "questions_enabled")
		}
		maps.DeleteFunc(filled, func(_ string, is bool) bool { return !is })
		golden.Rows(t, "filled in view="+view, slices.Sorted(maps.Keys(filled)), want)
		for _, name := range menuFields {
			if _, there := entry[name]; !there {
				t.Errorf("view=%s has no %s", view, name)
			}
		}
		if view == "menu" {
			show(t, "menu", entry, m{
				"slug": "rubric", "page_title": "", "meta_title": "", "meta_description": "", "meta_keywords": l{}, "og_image_id": nil, "og_image_url": "",
				"noindex": false, "nofollow": false, "alternates": l{},
			}, "seo")
		}
	}
}

// A menu has the sections of the full view in the same order, for every reader, with the same values in
// its fields.
func TestTheMenuShowsWhatTheFullViewShows(t *testing.T) {
	b := open(t)
	file := b.picture(b.Shop.ID)
	pictured := b.album("pictured", b.picture(b.Shop.ID))
	news := b.section("news", "Новости <b>\"&\"</b> \u2028")
	for i, fields := range []m{
		{"preview_id": file}, {"gallery_ids": l{pictured}}, {"gallery_ids": l{pictured}, "preview_id": file}, {"gallery_ids": l{b.album("bare"), pictured}},
		{"sidebar_config": l{m{"type": "menu"}}}, {"is_show_menu": true, "is_published": false}, {"seo": m{"slug": "own", "meta_keywords": l{"k"}}},
	} {
		c := b.add("categories", m{"name": fmt.Sprint("Rubric ", i), "type": "news", "is_published": true})
		b.put("categories", c, fields)
		b.add("articles", m{"title": "A", "category_id": c["id"], "is_published": i%2 == 0})
		b.add("categories", m{"name": "Below", "type": "news", "parent_id": c["id"], "is_published": true})
	}
	b.OK("DELETE", at("categories", news), b.Owner, nil)
	b.OK("DELETE", at("categories", b.section("page", "Page")), b.Owner, nil)
	b.Result("POST", "/categories", b.Dev, item(m{"name": "Draft", "type": "news", "preview_id": file}))

	pictures := 0
	for _, key := range []string{b.Owner, b.Dev, ""} {
		for _, query := range []string{"", "&filter.is_deleted=true"} {
			full := b.OK("GET", "/categories?company_id="+b.company()+query, key, nil)["result"].(l)
			menu := b.OK("GET", "/categories?view=menu&company_id="+b.company()+query, key, nil)["result"].(l)
			if len(full) == 0 || len(menu) != len(full) {
				t.Fatalf("%q%s: %d sections, %d in the menu", key, query, len(full), len(menu))
			}
			for i := range full {
				want, got := menuOf(full[i].(m)), menuOf(menu[i].(m))
				if want["preview"] != nil {
					pictures++
				}
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%q%s: %v in the menu, want %v", key, query, got, want)
				}
			}
		}
	}
	if pictures == 0 {
		t.Error("no section has a picture")
	}
}

// menuOf returns what a menu shows of a section.
func menuOf(section m) m {
	menu := m{}
	for _, name := range menuFields {
		menu[name] = section[name]
	}
	menu["seo"] = section["seo"].(m)["slug"]
	if preview, there := section["preview"].(m); there {
		menu["preview"] = preview["url"]
	}
	return menu
}

// scalar returns a comparable value; it returns true for non-empty lists and objects.
func scalar(v any) any {
	switch v := v.(type) {
	case l:
		return len(v) > 0
	case m:
		return true
	}
	return v
}
