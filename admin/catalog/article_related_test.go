package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// related replaces the related articles of an article.
func (b bench) related(of m, ids ...any) []string {
	b.t.Helper()
	return names(b.OK("PUT", at("articles", of)+"/related", b.Owner, m{"ids": append(l{}, ids...)})["result"], "title")
}

func TestRelatedArticlesKeepTheirOrder(t *testing.T) {
	b := open(t)
	news := b.section("news", "News")
	post := func(title string, published bool) m {
		return b.add("articles", m{"title": title, "category_id": news["id"], "is_published": published})
	}
	a, one, two, draft := post("A", true), post("One", true), post("Two", true), post("Draft", false)
	if got := b.related(a, two["id"], draft["id"], id(one), two["id"]); !slices.Equal(got, []string{"Two", "Draft", "One"}) {
		t.Errorf("stored %v, want repeated ids at their first position", got)
	}
	mine := "?company_id=" + b.company()
	for _, c := range []struct{ path, key, want string }{
		{at("articles", a), b.Owner, "Two,Draft,One"},
		{"/articles/by-slug/a", b.Owner, "Two,Draft,One"},
		{"/articles/by-slug/a" + mine, "", "Two,One"},
		{"/articles/by-slug/a" + mine, b.Stranger, "Two,One"},
	} {
		if got := strings.Join(names(b.OK("GET", c.path, c.key, nil)["related"], "title"), ","); got != c.want {
			t.Errorf("%s shows %s, want %s", c.path, got, c.want)
		}
	}
	b.put("articles", a, m{"title": "A2"})
	b.OK("DELETE", at("articles", two), b.Owner, nil)
	if got := names(b.OK("GET", at("articles", a), b.Owner, nil)["related"], "title"); !slices.Equal(got, []string{"Draft", "One"}) {
		t.Errorf("an edit should keep them without the deleted one: %v", got)
	}
	b.put("articles", two, m{"is_deleted": false})
	if got := names(b.OK("GET", at("articles", a), b.Owner, nil)["related"], "title"); !slices.Equal(got, []string{"Two", "Draft", "One"}) {
		t.Errorf("restored: %v", got)
	}
	show(t, "replaced by nothing", b.OK("PUT", at("articles", a)+"/related", b.Owner, m{"ids": l{}}), l{}, "result")
	show(t, "none", b.OK("GET", at("articles", a), b.Owner, nil), l{}, "related")
}

func TestInvalidRelatedArticlesAreRefused(t *testing.T) {
	b := open(t)
	news := b.section("news", "News")
	var ids l
	for i := range 51 {
		ids = append(ids, b.add("articles", m{"title": fmt.Sprint("N", i), "category_id": news["id"]})["id"])
	}
	a := b.add("articles", m{"title": "A", "category_id": news["id"]})
	gone := b.add("articles", m{"title": "Gone", "category_id": news["id"]})
	b.OK("DELETE", at("articles", gone), b.Owner, nil)
	foreign := b.Result("POST", "/categories", b.Stranger, item(m{"name": "Foreign", "type": "news", "is_published": true}))
	alien := b.Result("POST", "/articles", b.Stranger, item(m{"title": "x", "category_id": foreign["id"], "is_published": true}))
	b.related(a, ids[0])
	path := at("articles", a) + "/related"
	for name, c := range map[string]struct {
		body   m
		status int
		code   string
	}{
		"itself":       {m{"ids": l{ids[0], a["id"]}}, 400, "SELF_RELATED"},
		"51":           {m{"ids": ids}, 400, "TOO_MANY_RELATED"},
		"missing":      {m{"ids": l{ids[0], 999999}}, 404, "ARTICLE_NOT_FOUND"},
		"foreign":      {m{"ids": l{alien["id"]}}, 404, "ARTICLE_NOT_FOUND"},
		"deleted":      {m{"ids": l{gone["id"]}}, 404, "ARTICLE_NOT_FOUND"},
		"zero":         {m{"ids": l{0}}, 404, "ARTICLE_NOT_FOUND"},
		"no list":      {m{}, 400, "INVALID_REQUEST"},
		"null":         {m{"ids": nil}, 400, "INVALID_REQUEST"},
		"words":        {m{"ids": l{"tea"}}, 400, "INVALID_REQUEST"},
		"out of range": {m{"ids": l{int64(1) << 40}}, 400, "INVALID_REQUEST"},
	} {
		t.Log(name)
		b.Refused("PUT", path, b.Owner, c.body, c.status, c.code)
	}
	if got := names(b.OK("GET", at("articles", a), b.Owner, nil)["related"], "title"); !slices.Equal(got, []string{"N0"}) {
		t.Errorf("a refused set changed something: %v", got)
	}
	if got := b.related(a, ids[:50]...); len(got) != 50 {
		t.Errorf("50 may be related, not %d", len(got))
	}
	for _, of := range []string{at("articles", alien), at("articles", gone), "/articles/999999"} {
		b.Refused("PUT", of+"/related", b.Owner, m{"ids": l{}}, 404, "ARTICLE_NOT_FOUND")
	}
	b.Refused("PUT", path, "", m{"ids": l{}}, 401, "UNAUTHENTICATED")
}

func TestRelatedArticlesHaveADraft(t *testing.T) {
	b := open(t)
	news := b.section("news", "News")
	a := b.add("articles", m{"title": "A", "category_id": news["id"], "is_published": true})
	other := b.Result("POST", "/articles", b.Dev, item(m{"title": "Other", "category_id": news["id"], "is_published": true}))
	b.OK("PUT", at("articles", a)+"/related", b.Dev, m{"ids": l{other["id"]}})
	show(t, "live", b.OK("GET", at("articles", a), b.Owner, nil), l{}, "related")
	if got := names(b.OK("GET", at("articles", a), b.Dev, nil)["related"], "title"); !slices.Equal(got, []string{"Other"}) {
		t.Errorf("the draft shows %v", got)
	}
	b.OK("POST", "/drafts/publish", b.Owner, m{"items": l{m{"kind": "article", "id": id(a)}}})
	show(t, "the related articles are still pending", b.OK("GET", at("articles", a), b.Owner, nil), l{}, "related")
	b.OK("POST", "/drafts/publish", b.Owner, m{"all": true})
	if got := names(b.OK("GET", at("articles", a), b.Owner, nil)["related"], "title"); !slices.Equal(got, []string{"Other"}) {
		t.Errorf("published: %v", got)
	}
}

func TestMembersSeeWhichArticlesHaveADraft(t *testing.T) {
	b := open(t)
	news := b.section("news", "News")
	add := func(title string) m {
		return b.add("articles", m{"title": title, "category_id": news["id"], "is_published": true})
	}
	clean, text, blocks, body := add("Clean"), add("Text"), add("Blocks"), add("Body")
	b.Result("PUT", at("articles", text), b.Dev, item(m{"announce": "new"}))
	b.OK("PUT", at("articles", blocks)+"/content-blocks", b.Dev, m{"items": l{}})
	own := b.OK("GET", at("articles", body), b.Owner, nil)["content_blocks"].(l)[1].(m)
	b.OK("PUT", "/content-blocks/"+own["id"].(string), b.Dev, item(m{"name": "Words"}))
	fresh := b.Result("POST", "/articles", b.Dev, item(m{"title": "Fresh", "category_id": news["id"]}))
	show(t, "a new one", fresh, true, "dev_dirty")
	for _, key := range []string{b.Owner, b.Editor, b.Dev} {
		for _, entry := range b.OK("GET", "/articles", key, nil)["result"].(l) {
			title := entry.(m)["title"].(string)
			show(t, title, entry.(m), title != "Clean", "dev_dirty")
			if title != "Fresh" || key == b.Dev {
				show(t, title, b.Result("GET", at("articles", entry.(m)), key, nil), title != "Clean", "dev_dirty")
			}
		}
	}
	show(t, "a live write shows it too", b.put("articles", text, m{"badge": "x"}), true, "dev_dirty")
	for _, key := range []string{"", b.Stranger} {
		for _, entry := range b.OK("GET", "/articles?company_id="+b.company(), key, nil)["result"].(l) {
			if _, told := entry.(m)["dev_dirty"]; told {
				t.Errorf("a visitor sees draft states: %v", entry)
			}
		}
	}
	b.Result("PUT", at("articles", text), b.Dev, item(m{"announce": ""}))
	b.OK("POST", "/drafts/publish", b.Owner, m{"all": true})
	for _, of := range []m{clean, text, blocks, body, fresh} {
		show(t, "nothing waits", b.Result("GET", at("articles", of), b.Owner, nil), false, "dev_dirty")
	}
}
