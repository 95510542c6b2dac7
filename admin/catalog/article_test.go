package catalog_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
)

func TestAnswersHaveTheTypesOfAnArticle(t *testing.T) {
	b := open(t)
	rubric := b.section("news", "News")
	cover := b.picture(b.Shop.ID)
	a := b.add("articles", m{
		"title": "Harvest", "category_id": id(rubric), "cover_id": cover, "badge": "new", "announce": "Soon",
		"author": m{"mode": "manual", "name": "Ann"}, "published_at": "2026-03-01T12:00:00+03:00",
	})
	for _, c := range []struct {
		want any
		path []string
	}{
		{"harvest", []string{"slug"}},
		{"News", []string{"category_name"}},
		{rubric["id"], []string{"category_id"}},
		{cover, []string{"cover", "id"}},
		{"manual", []string{"author", "mode"}},
		{nil, []string{"author", "photo_id"}},
		{"0", []string{"views"}},
		{false, []string{"is_published"}},
		{"2026-03-01T09:00:00Z", []string{"published_at"}},
		{int(b.OwnerID), []string{"created_by"}},
	} {
		show(t, "article", a, c.want, c.path...)
	}
	bare := b.add("articles", m{"title": "Bare", "category_id": rubric["id"], "is_published": true})
	show(t, "publishing sets no date", bare, nil, "published_at")
	show(t, "no author", bare, "none", "author", "mode")
}

func TestANewArticleHasItsTwoBlocks(t *testing.T) {
	b := open(t)
	a := b.add("articles", m{"title": "Harvest", "category_id": b.section("news", "News")["id"]})
	blocks := b.OK("GET", at("articles", a), b.Owner, nil)["content_blocks"].(l)
	if len(blocks) != 2 {
		t.Fatalf("%d blocks, want the manifest and a text", len(blocks))
	}
	manifest, text := blocks[0].(m), blocks[1].(m)
	show(t, "manifest", manifest, "__page:top", "name")
	refs := manifest["sections"].(l)[0].(m)["payload"].(m)["props"].(m)["refs"]
	if !slices.Equal(refs.(l), l{text["id"]}) {
		t.Errorf("refs %v, want the text %v", refs, text["id"])
	}
	show(t, "text", text["sections"].(l)[0].(m), "builder", "payload", "origin")
}

func TestInvalidArticlesAreRefused(t *testing.T) {
	b := open(t)
	rubric, product := b.section("news", "News")["id"], b.section("product", "Tea")["id"]
	foreign := b.Result("POST", "/categories", b.Stranger, item(m{"name": "Foreign", "type": "news"}))
	a := b.add("articles", m{"title": "A", "category_id": rubric})
	with := func(fields m) m {
		full := m{"title": "x", "category_id": rubric}
		for name, value := range fields {
			full[name] = value
		}
		return full
	}
	for name, c := range map[string]struct {
		fields m
		status int
		code   string
	}{
		"no title":        {with(m{"title": " "}), 400, "ARTICLE_TITLE_REQUIRED"},
		"no rubric":       {with(m{"category_id": 0}), 404, "CATEGORY_NOT_FOUND"},
		"product section": {with(m{"category_id": product}), 404, "CATEGORY_NOT_FOUND"},
		"foreign rubric":  {with(m{"category_id": foreign["id"]}), 404, "CATEGORY_NOT_FOUND"},
		"long badge":      {with(m{"badge": strings.Repeat("я", 49)}), 400, "ARTICLE_BADGE_TOO_LONG"},
		"author's mode":   {with(m{"author": m{"mode": "ghost"}}), 400, "ARTICLE_AUTHOR_INVALID"},
		"author's name":   {with(m{"author": m{"mode": "manual", "name": strings.Repeat("я", 256)}}), 400, "ARTICLE_AUTHOR_INVALID"},
		"author's text":   {with(m{"author": m{"mode": "manual", "description": strings.Repeat("я", 501)}}), 400, "ARTICLE_AUTHOR_INVALID"},
		"author's photo":  {with(m{"author": m{"mode": "manual", "photo_id": missingFile}}), 404, "ARTICLE_FILE_NOT_FOUND"},
		"cover":           {with(m{"cover_id": b.picture(b.Other.ID)}), 404, "ARTICLE_FILE_NOT_FOUND"},
		"deleted cover":   {with(m{"cover_id": b.gone()}), 404, "ARTICLE_FILE_NOT_FOUND"},
		"share picture":   {with(m{"seo": m{"og_image_id": missingFile}}), 404, "ARTICLE_FILE_NOT_FOUND"},
		"no date":         {with(m{"published_at": "yesterday"}), 400, "INVALID_REQUEST"},
		"late date":       {with(m{"published_at": "9999-12-31T23:59:59-01:00"}), 400, "INVALID_REQUEST"},
		"early date":      {with(m{"published_at": "0001-01-01T00:00:00+01:00"}), 400, "INVALID_REQUEST"},
	} {
		t.Log(name)
		b.refused("POST", "/articles", c.fields, c.status, c.code)
		b.refused("PUT", at("articles", a), c.fields, c.status, c.code)
	}
	b.refused("POST", "/articles", m{"title": "x"}, 404, "CATEGORY_NOT_FOUND")
	b.add("articles", with(m{
		"badge": strings.Repeat("я", 48), "author": m{"mode": "member", "name": strings.Repeat("я", 255), "description": strings.Repeat("я", 500)},
	}))
	alien := b.Result("POST", "/articles", b.Stranger, item(m{"title": "x", "category_id": foreign["id"], "is_published": true}))
	for _, path := range []string{at("articles", alien), "/articles/999999"} {
		b.Refused("GET", path, b.Owner, nil, 404, "ARTICLE_NOT_FOUND")
		b.refused("PUT", path, m{"title": "y"}, 404, "ARTICLE_NOT_FOUND")
		b.Refused("DELETE", path, b.Owner, nil, 404, "ARTICLE_NOT_FOUND")
	}
}

func TestOnlySentFieldsOfAnArticleChange(t *testing.T) {
	b := open(t)
	cover := b.picture(b.Shop.ID)
	rubric := b.section("news", "News")
	a := b.add("articles", m{
		"title": "A", "category_id": rubric["id"], "badge": "new", "cover_id": cover,
		"author": m{"mode": "manual", "name": "Ann", "photo_id": cover}, "published_at": "2026-03-01T00:00:00Z",
	})
	a = b.put("articles", a, m{"announce": "x"})
	show(t, "untouched", a, "new", "badge")
	show(t, "untouched", a, "Ann", "author", "name")
	show(t, "untouched", a, "2026-03-01T00:00:00Z", "published_at")
	a = b.put("articles", a, m{"badge": "", "cover_id": "", "author": m{"photo_id": ""}})
	show(t, "cleared", a, "", "badge")
	show(t, "cleared", a, nil, "cover")
	show(t, "cleared", a, "none", "author", "mode")
	b.OK("DELETE", at("categories", rubric), b.Owner, nil)
	show(t, "its rubric is gone", b.put("articles", a, m{"title": "B"}), "B", "title")
}

func TestADeletedArticleCanBeRestoredForThirtyDays(t *testing.T) {
	b := open(t)
	a := b.add("articles", m{"title": "A", "category_id": b.section("news", "News")["id"]})
	b.OK("DELETE", at("articles", a), b.Owner, nil)
	b.Refused("DELETE", at("articles", a), b.Owner, nil, 404, "ARTICLE_NOT_FOUND")
	b.Refused("GET", at("articles", a), b.Owner, nil, 404, "ARTICLE_NOT_FOUND")
	b.refused("PUT", at("articles", a), m{"title": "B"}, 404, "ARTICLE_NOT_FOUND")
	b.Clock.Advance(30 * 24 * time.Hour)
	show(t, "restored", b.put("articles", a, m{"is_deleted": false}), false, "is_deleted")
	b.OK("DELETE", at("articles", a), b.Owner, nil)
	b.Clock.Advance(30*24*time.Hour + time.Second)
	b.refused("PUT", at("articles", a), m{"is_deleted": false}, 400, "RESTORE_WINDOW_OVER")
}

// press creates a tree of two rubrics with articles of all kinds.
func (b bench) press() (news, tea m) {
	news = b.section("news", "News")
	tea = b.add("categories", m{"name": "Tea news", "type": "news", "parent_id": news["id"], "is_published": true})
	for _, a := range []m{
		{"title": "Old", "category_id": news["id"], "is_published": true, "published_at": "2020-01-01T00:00:00Z"},
		{"title": "Undated", "category_id": news["id"], "is_published": true},
		{"title": "Undated too", "category_id": tea["id"], "is_published": true, "announce": "about TEA 5%"},
		{"title": "Fresh tea", "category_id": tea["id"], "is_published": true, "published_at": "2026-01-01T00:00:00Z"},
		{"title": "Draft", "category_id": tea["id"], "published_at": "2025-01-01T00:00:00Z"},
	} {
		b.add("articles", a)
	}
	return news, tea
}

func TestArticlesAreListedNewestFirst(t *testing.T) {
	b := open(t)
	news, tea := b.press()
	for range 2 {
		b.OK("GET", "/articles/by-slug/old?company_id="+b.company(), "", nil)
	}
	const all = "Fresh tea,Draft,Old,Undated too,Undated"
	for query, want := range map[string]string{
		"":                                  all,
		"sort=recent":                       all,
		"include_subtree=true":              all,
		"filter.category_id=" + id(news):    all,
		"sort=popular":                      "Old,Fresh tea,Draft,Undated too,Undated",
		"category_id=" + id(news):           "Old,Undated",
		"category_id=" + id(tea):            "Fresh tea,Draft,Undated too",
		"category_id=999999":                "",
		"query=TEA":                         "Fresh tea,Undated too",
		"query=5%25":                        "Undated too",
		"query=%25":                         "Undated too",
		"query=" + strings.Repeat("y", 100): "",
		"include_subtree=true&category_id=" + id(news): all,
	} {
		answer := b.OK("GET", "/articles?"+query, b.Owner, nil)
		if got := strings.Join(names(answer["result"], "title"), ","); got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
	b.Refused("GET", "/articles?sort=views", b.Owner, nil, 400, "INVALID_SORT")
	b.Refused("GET", "/articles?query="+strings.Repeat("y", 101), b.Owner, nil, 400, "INVALID_REQUEST")
}

func TestVisitorsReadPublishedArticles(t *testing.T) {
	b := open(t)
	_, tea := b.press()
	mine := "?company_id=" + b.company()
	for name, key := range map[string]string{"anonymous": "", "another shop's owner": b.Stranger} {
		answer := b.OK("GET", "/articles"+mine, key, nil)
		if got := names(answer["result"], "title"); !slices.Equal(got, []string{"Fresh tea", "Old", "Undated too", "Undated"}) {
			t.Errorf("%s sees %v", name, got)
		}
		b.Refused("GET", "/articles/by-slug/draft"+mine, key, nil, 404, "ARTICLE_NOT_FOUND")
		article := b.Result("GET", "/articles/by-slug/old"+mine, key, nil)
		if article["created_by"] != nil || article["updated_by"] != nil {
			t.Errorf("%s sees the authors: %v", name, article)
		}
	}
	show(t, "views", b.Result("GET", "/articles/by-slug/old", b.Owner, nil), "2", "views")
	show(t, "an owner's read is not counted", b.Result("GET", "/articles/by-slug/old", b.Owner, nil), "2", "views")
	b.OK("GET", "/articles/by-slug/draft", b.Owner, nil)

	b.put("categories", tea, m{"is_published": false})
	b.Refused("GET", "/articles/by-slug/fresh-tea"+mine, "", nil, 404, "ARTICLE_NOT_FOUND")
	if got := names(b.OK("GET", "/articles"+mine, "", nil)["result"], "title"); !slices.Equal(got, []string{"Old", "Undated"}) {
		t.Errorf("with a hidden rubric a visitor sees %v", got)
	}
	b.OK("DELETE", at("categories", tea), b.Owner, nil)
	b.Refused("GET", "/articles/by-slug/fresh-tea"+mine, "", nil, 404, "ARTICLE_NOT_FOUND")

	answer := b.Send(apitest.Request{Method: "GET", Path: "/articles?company_id=" + b.Other.ID.String(), Header: b.ThroughStorefront()})
	show(t, "the host names the shop", answer.JSON, 2, "total")
}
