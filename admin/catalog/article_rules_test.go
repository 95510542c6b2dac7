package catalog_test

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/shop"
)

func TestAnAuthorWhoIsAMember(t *testing.T) {
	b := open(t)
	rubric := b.section("news", "News")["id"]
	with := func(author m) m { return m{"title": "x", "category_id": rubric, "author": author} }
	a := b.add("articles", with(m{"mode": "member", "user_id": b.EditorID, "name": "Ann"}))
	show(t, "named", a, int(b.EditorID), "author", "user_id")
	show(t, "named", a, "Ann", "author", "name")
	show(t, "the default is the caller", b.add("articles", with(m{"mode": "member"})), int(b.OwnerID), "author", "user_id")
	for _, mode := range []string{"member", "manual", "none"} {
		for _, person := range []shop.UserID{b.StrangerID, 999999, -1} {
			b.refused("POST", "/articles", with(m{"mode": mode, "user_id": person}), 400, "ARTICLE_AUTHOR_INVALID")
		}
	}
	show(t, "no author", b.put("articles", a, m{"author": m{"mode": "none"}}), 0, "author", "user_id")
	show(
		t, "as a string", b.put("articles", a, m{"author": m{"mode": "member", "user_id": b.EditorID.String()}}),
		int(b.EditorID), "author", "user_id",
	)
}

func TestTheDateOfAnArticleCanBeCleared(t *testing.T) {
	b := open(t)
	rubric := b.section("news", "News")["id"]
	a := b.add("articles", m{"title": "A", "category_id": rubric, "published_at": "2026-03-01T00:00:00Z"})
	for _, none := range []any{nil, ""} {
		b.put("articles", a, m{"published_at": "2026-03-01T00:00:00Z"})
		show(t, "cleared", b.put("articles", a, m{"published_at": none}), nil, "published_at")
	}
	for _, bad := range []any{5, l{}, "2026-13-01T00:00:00Z", "2026-03-01"} {
		b.refused("PUT", at("articles", a), m{"published_at": bad}, 400, "INVALID_REQUEST")
	}
}

func TestSlugsOfArticles(t *testing.T) {
	b := open(t)
	rubric := b.section("news", "News")["id"]
	with := func(fields m) m {
		full := m{"title": "Новый чай", "category_id": rubric}
		for name, value := range fields {
			full[name] = value
		}
		return full
	}
	for _, c := range []struct {
		fields m
		want   string
	}{
		{m{}, "novyy-chay"}, {m{}, "novyy-chay-2"}, {m{"slug": "", "seo": m{"slug": ""}}, "novyy-chay-3"},
		{m{"seo": m{"slug": "second"}}, "second"}, {m{"slug": "first", "seo": m{"slug": "other"}}, "first"},
		{m{"slug": "Большой чай"}, "bolshoy-chay"},
	} {
		show(t, "slug", b.add("articles", with(c.fields)), c.want, "slug")
	}
	a := b.add("articles", with(m{"slug": "mine"}))
	for slug, code := range map[string]string{"123": "SLUG_NUMERIC_FORBIDDEN", "9-tea": "SLUG_INVALID", "cart": "SLUG_RESERVED"} {
		b.refused("POST", "/articles", with(m{"slug": slug}), 400, code)
		b.refused("PUT", at("articles", a), m{"seo": m{"slug": slug}}, 400, code)
	}
	b.refused("POST", "/articles", with(m{"slug": "first"}), 409, "SLUG_TAKEN")
	b.refused("PUT", at("articles", a), m{"slug": "first"}, 409, "SLUG_TAKEN")
	show(t, "seo is replaced, the address stays", b.put("articles", a, m{"seo": m{"meta_title": "M"}}), "mine", "slug")
	b.put("articles", a, m{"slug": "moved", "is_published": true})
	former := b.OK("GET", "/slug-redirects/resolve?entity_type=article&slug=mine&company_id="+b.company(), "", nil)
	show(t, "the old slug leads there", former, "moved", "current_slug")

	b.OK("DELETE", at("articles", a), b.Owner, nil)
	b.add("articles", with(m{"slug": "moved"}))
	b.refused("PUT", at("articles", a), m{"is_deleted": false}, 409, "SLUG_TAKEN")
	show(t, "with another slug", b.put("articles", a, m{"is_deleted": false, "slug": "again"}), "again", "slug")
}

func TestRestoringAnArticleRequiresARubric(t *testing.T) {
	b := open(t)
	old, other := b.section("news", "Old"), b.section("news", "Other")
	a := b.add("articles", m{"title": "A", "category_id": old["id"]})
	b.OK("DELETE", at("articles", a), b.Owner, nil)
	b.OK("DELETE", at("categories", old), b.Owner, nil)
	b.refused("PUT", at("articles", a), m{"is_deleted": false}, 404, "CATEGORY_NOT_FOUND")
	show(t, "into another", b.put("articles", a, m{"is_deleted": false, "category_id": other["id"]}), "Other", "category_name")
}

func TestUnknownGalleriesAreRefused(t *testing.T) {
	b := open(t)
	rubric := b.section("news", "News")
	a := b.add("articles", m{"title": "A", "category_id": rubric["id"], "gallery_ids": l{}})
	for path, fields := range map[string]m{
		"/articles": {"title": "x", "category_id": rubric["id"]}, at("articles", a): {}, "/categories": {"name": "x"}, at("categories", rubric): {},
	} {
		method := map[bool]string{true: "POST", false: "PUT"}[strings.Count(path, "/") == 1]
		fields["gallery_ids"] = l{"1"}
		b.refused(method, path, fields, 404, "GALLERY_NOT_FOUND")
	}
	b.refused("PUT", at("articles", a), m{"gallery_ids": slices.Repeat(l{1}, 16)}, 400, "GALLERIES_TOO_MANY")
}

func TestSearchRanksBySimilarity(t *testing.T) {
	b := open(t)
	rubric := b.section("news", "News")["id"]
	for _, a := range []m{
		{"title": "A very long title that mentions ЧАЙ at last, after many words", "published_at": "2026-05-01T00:00:00Z"},
		{"title": "Чай", "published_at": "2020-01-01T00:00:00Z"},
		{"title": "Summer", "announce": "чай и мёд"},
		{"title": "Coffee", "announce": "no t_ea at all", "published_at": "2026-06-01T00:00:00Z"},
	} {
		a["category_id"], a["is_published"] = rubric, true
		b.add("articles", a)
	}
	for query, want := range map[string]int{"чай": 3, "ЧаЙ": 3, "_": 1, `\`: 0, "''": 0} {
		answer := b.OK("GET", "/articles?company_id="+b.company()+"&query="+queryOf(query), "", nil)
		show(t, query, answer, want, "total")
		if got := names(answer["result"], "title"); want == 3 && (got[0] != "Чай" || got[1] != "Summer") {
			t.Errorf("%q ranks %v", query, got)
		}
	}
	b.OK("GET", "/articles?query="+queryOf(strings.Repeat("ж", 100)), b.Owner, nil)
	b.Refused("GET", "/articles?query="+queryOf(strings.Repeat("ж", 101)), b.Owner, nil, 400, "INVALID_REQUEST")
}

// queryOf escapes every byte of a query value.
func queryOf(value string) string {
	var out strings.Builder
	for _, c := range []byte(value) {
		out.WriteString("%" + strconv.FormatInt(int64(c)+256, 16)[1:])
	}
	return out.String()
}

func TestPagesOfArticles(t *testing.T) {
	b := open(t)
	rubric := b.section("news", "News")["id"]
	for i := range 22 {
		b.add("articles", m{"title": "N" + strconv.Itoa(i), "category_id": rubric})
	}
	for query, want := range map[string][3]int{
		"": {20, 22, 1}, "page.limit=100": {22, 22, 1}, "page.number=2&page.limit=20": {2, 22, 2}, "page.number=3&page.limit=20": {0, 22, 3},
		"page.limit=1": {1, 22, 1}, "category_id=999999": {0, 0, 1},
	} {
		answer := b.OK("GET", "/articles?"+query, b.Owner, nil)
		if got := [3]int{len(answer["result"].(l)), int(answer["total"].(float64)), int(answer["current_page"].(float64))}; got != want {
			t.Errorf("%q: %v, want %v", query, got, want)
		}
	}
	for _, query := range []string{
		"page.limit=101", "page.limit=0", "page.limit=-1", "page.limit=x", "page.number=0&page.limit=5", "page.number=2", "include_subtree=perhaps", "category_id=tea",
	} {
		b.Refused("GET", "/articles?"+query, b.Owner, nil, 400, "INVALID_REQUEST")
	}
	for _, sort := range []string{"views", "Recent", "recent,popular"} {
		b.Refused("GET", "/articles?sort="+sort, b.Owner, nil, 400, "INVALID_SORT")
	}
}

// Articles below a hidden section have no address and are in no response to visitors.
func TestNothingBelowAHiddenSectionIsPublic(t *testing.T) {
	b := open(t)
	top := b.section("news", "Top")
	rubric := b.add("categories", m{"name": "Rubric", "type": "news", "parent_id": top["id"], "is_published": true})
	a := b.add("articles", m{"title": "A", "category_id": rubric["id"], "is_published": true})
	mine := "?company_id=" + b.company()
	paths := []string{"/articles/by-slug/a" + mine, "/categories/by-slug/rubric" + mine, at("categories", rubric) + mine}
	for _, path := range paths {
		b.OK("GET", path, "", nil)
	}
	b.put("categories", top, m{"is_published": false})
	for _, key := range []string{"", b.Stranger} {
		for i, path := range paths[:2] {
			b.Refused("GET", path, "", nil, 404, []string{"ARTICLE_NOT_FOUND", "CATEGORY_NOT_FOUND"}[i])
		}
		show(t, "list", b.OK("GET", "/articles"+mine, key, nil), 0, "total")
		show(t, "subtree", b.OK("GET", "/articles"+mine+"&include_subtree=true&category_id="+id(top), key, nil), 0, "total")
	}
	show(t, "tree", b.OK("GET", "/categories"+mine, "", nil), l{}, "result")
	b.OK("GET", at("articles", a), b.Owner, nil)
	b.OK("GET", "/categories/by-slug/rubric", b.Owner, nil)
}

func TestArticlesByIDAreForMembers(t *testing.T) {
	b := open(t)
	a := b.add("articles", m{"title": "A", "category_id": b.section("news", "News")["id"], "is_published": true})
	b.Refused("GET", at("articles", a)+"?company_id="+b.company(), "", nil, 401, "UNAUTHENTICATED")
	b.Refused("GET", at("articles", a), b.Scoped("storage:read"), nil, 403, "PAT_SCOPE_MISSING")
	show(
		t, "another shop's owner is a visitor",
		b.OK("GET", at("articles", a)+"?company_id="+b.company(), b.Stranger, nil)["result"].(m), nil, "created_by",
	)
	b.put("articles", a, m{"is_published": false})
	b.Refused("GET", at("articles", a)+"?company_id="+b.company(), b.Stranger, nil, 404, "ARTICLE_NOT_FOUND")
}

func TestEveryViewIsCounted(t *testing.T) {
	b := open(t)
	rubric := b.section("news", "News")["id"]
	a := b.add("articles", m{"title": "A", "category_id": rubric, "is_published": true})
	b.add("articles", m{"title": "B", "category_id": rubric, "is_published": true})
	var visitors sync.WaitGroup
	for range 8 {
		visitors.Go(func() {
			for range 5 {
				b.OK("GET", "/articles/by-slug/a?company_id="+b.company(), "", nil)
				b.OK("GET", "/articles", b.Editor, nil)
			}
		})
	}
	visitors.Wait()
	show(t, "views", b.Result("GET", at("articles", a), b.Owner, nil), "40", "views")
	show(t, "in the draft too", b.Result("GET", at("articles", a), b.Dev, nil), "40", "views")
	b.OK("GET", "/articles/by-slug/b?company_id="+b.company(), "", nil)
	first := b.OK("GET", "/articles?sort=popular&company_id="+b.company(), "", nil)["result"].(l)[1].(m)
	show(t, "a visitor's list is up to date where it is sorted by them", first, "1", "views")
	b.Refused("GET", "/articles/by-slug/c?company_id="+b.company(), "", nil, 404, "ARTICLE_NOT_FOUND")
}
