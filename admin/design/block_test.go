package design_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/admin/api/apitest"
)

type (
	m = apitest.Map
	l = []any
)

func text(s string) m { return m{"type": "text", "payload": m{"v": 2, "text": s}} }

func newBlock(a *apitest.API, item m) string {
	return a.Result("POST", "/content-blocks", a.Owner, m{"item": item})["id"].(string)
}

func newPage(a *apitest.API, slug string) string {
	page := a.Result("POST", "/categories", a.Owner, m{"item": m{"name": slug, "type": "page", "is_published": true, "seo": m{"slug": slug}}})
	return fmt.Sprint(page["id"])
}

func newArticle(a *apitest.API) string {
	rubric := a.Result("POST", "/categories", a.Owner, m{"item": m{"name": "News", "type": "news", "is_published": true}})
	article := a.Result("POST", "/articles", a.Owner, m{"item": m{"title": "First", "category_id": rubric["id"]}})
	return fmt.Sprint(article["id"])
}

func TestBlocksAreStoredAsSent(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	sections := l{
		m{
			"type":    "text",
			"payload": m{"v": 2, "kind": "productListing", "props": m{"listing": m{"limit": 12345678901234567}, "unknown": l{nil, "ы<&>"}}},
		},
	}
	b := a.Result("POST", "/content-blocks", a.Owner, m{"item": m{"name": "Wall", "group_type": "category", "sections": sections}})
	if b["name"] != "Wall" || b["group_type"] != "category" {
		t.Errorf("created: %v", b)
	}
	raw := a.Send(apitest.Request{Method: "GET", Path: "/content-blocks", Key: a.Owner})
	if !strings.Contains(string(raw.Body), `"limit":12345678901234567`) || !strings.Contains(string(raw.Body), `ы<&>`) {
		t.Errorf("stored: %s", raw.Body)
	}

	id := b["id"].(string)
	b = a.Result("PUT", "/content-blocks/"+id, a.Owner, m{"id": id, "item": m{"sections": l{text("a"), text("b")}}})
	if b["name"] != "Wall" || b["group_type"] != "category" || len(b["sections"].(l)) != 2 {
		t.Errorf("sections are replaced, name and group_type stay: %v", b)
	}
	if b = a.Result("PUT", "/content-blocks/"+id, a.Owner, m{"item": m{"name": "New"}}); b["name"] != "New" || len(b["sections"].(l)) != 0 {
		t.Errorf("an item without sections does not empty them: %v", b)
	}
	a.OK("DELETE", "/content-blocks/"+id, a.Owner, nil)
	a.Refused("DELETE", "/content-blocks/"+id, a.Owner, nil, 404, "BLOCK_NOT_FOUND")
	a.Refused("PUT", "/content-blocks/"+id, a.Owner, m{"item": m{"name": "x"}}, 404, "BLOCK_NOT_FOUND")
	if list := a.OK("GET", "/content-blocks", a.Owner, nil)["result"].(l); len(list) != 0 {
		t.Errorf("a deleted block is listed: %v", list)
	}
}

// A deleted block can be restored within 30 days, unchanged and in its former places on pages and
// in slots (document 3, 2.1).
func TestARestoredBlockReturnsToItsPlaces(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	page, article := newPage(a, "about"), newArticle(a)
	id := newBlock(a, m{"name": "Words", "sections": l{text("a")}})
	top := newBlock(a, m{"name": "Top", "group_type": "chrome", "sections": l{}})
	a.OK("PUT", "/categories/"+page+"/content-blocks", a.Owner, m{"items": l{m{"block_id": id, "sort_order": 3}}})
	a.OK("PUT", "/articles/"+article+"/content-blocks", a.Owner, m{"items": l{m{"block_id": id, "sort_order": 1}}})
	a.OK("PUT", "/design/bindings/shop/0", a.Owner, m{"slots": m{"header": top}})
	edited := regexp.MustCompile(`updated_at:\S+`) // a restored block has been edited
	places := func() string {
		return edited.ReplaceAllString(fmt.Sprint(
			a.OK("GET", "/categories/"+page, a.Owner, nil)["content_blocks"],
			a.OK("GET", "/articles/"+article, a.Owner, nil)["content_blocks"],
			a.OK("GET", "/design/bindings/shop/0", a.Owner, nil),
		), "")
	}
	before := places()
	for _, block := range []string{id, top} {
		a.OK("DELETE", "/content-blocks/"+block, a.Owner, nil)
		a.Refused("PUT", "/content-blocks/"+block, a.Stranger, m{"item": m{"is_deleted": false}}, 404, "BLOCK_NOT_FOUND")
	}
	if places() == before {
		t.Error("a deleted block is still in its places")
	}
	a.Clock.Advance(30*24*time.Hour - time.Minute)
	back := a.Result("PUT", "/content-blocks/"+id, a.Owner, m{"item": m{"is_deleted": false}})
	if back["name"] != "Words" || len(back["sections"].(l)) != 1 {
		t.Errorf("restored as %v", back)
	}
	a.Result("PUT", "/content-blocks/"+top, a.Owner, m{"item": m{"is_deleted": false, "sections": l{}}})
	if got := places(); got != before {
		t.Errorf("is in the places\n%s, was in\n%s", got, before)
	}
	a.OK("DELETE", "/content-blocks/"+id, a.Owner, nil)
	a.Clock.Advance(30*24*time.Hour + time.Minute)
	a.Refused("PUT", "/content-blocks/"+id, a.Owner, m{"item": m{"is_deleted": false}}, 400, "RESTORE_WINDOW_OVER")
}

// A block restored in the draft appears only in the draft until that is published.
func TestABlockIsRestoredInTheDraft(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	id := newBlock(a, m{"name": "Words", "sections": l{text("a")}})
	a.OK("DELETE", "/content-blocks/"+id, a.Owner, nil)
	count := func(key string) int { return len(a.OK("GET", "/content-blocks", key, nil)["result"].(l)) }
	a.Result("PUT", "/content-blocks/"+id, a.Dev, m{"item": m{"is_deleted": false}})
	if count(a.Dev) != 1 || count(a.Owner) != 0 {
		t.Errorf("%d in the draft, %d live", count(a.Dev), count(a.Owner))
	}
	a.OK("POST", "/drafts/publish", a.Owner, m{"all": true})
	if count(a.Owner) != 1 {
		t.Errorf("%d live after publishing", count(a.Owner))
	}
}

func TestInvalidBlocksAreRefused(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	long := strings.Repeat("é", 256)
	deep := strings.Repeat(`[`, 80) + strings.Repeat(`]`, 80)
	for _, c := range []struct{ name, item, code string }{
		{"name missing", `{"sections": []}`, "BLOCK_NAME_INVALID"},
		{"blank name", `{"name": "  "}`, "BLOCK_NAME_INVALID"},
		{"256 characters", `{"name": "` + long + `"}`, "BLOCK_NAME_INVALID"},
		{"unknown group", `{"name": "n", "group_type": "menu"}`, "BLOCK_GROUP_TYPE_INVALID"},
		{"sections not a list", `{"name": "n", "sections": {"type": "text"}}`, "BLOCK_SECTIONS_INVALID"},
		{"section not an object", `{"name": "n", "sections": [1]}`, "BLOCK_SECTIONS_INVALID"},
		{"type missing", `{"name": "n", "sections": [{}]}`, "BLOCK_SECTION_TYPE_INVALID"},
		{"unknown type", `{"name": "n", "sections": [{"type": "html"}]}`, "BLOCK_SECTION_TYPE_INVALID"},
		{"51 sections", `{"name": "n", "sections": [` + strings.TrimSuffix(strings.Repeat(`{"type":"text"},`, 51), ",") + `]}`, "BLOCK_SECTIONS_INVALID"},
		{"more than 64 KB", `{"name": "n", "sections": [{"type":"text","payload":{"text":"` + strings.Repeat("x", 65536) + `"}}]}`, "BLOCK_TOO_LARGE"},
		{"nested too deeply", `{"name": "n", "sections": [{"type":"text","payload":` + deep + `}]}`, "BLOCK_SECTIONS_INVALID"},
		{"number out of range", `{"name": "n", "sections": [{"type":"text","n":1e99999}]}`, "BLOCK_SECTIONS_INVALID"},
		{"number too close to zero", `{"name": "n", "sections": [{"type":"text","n":1e-99999}]}`, "BLOCK_SECTIONS_INVALID"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a.Refused("POST", "/content-blocks", a.Owner, `{"item": `+c.item+`}`, 400, c.code)
		})
	}
	// Values at the limits, and values that only the database would reject.
	newBlock(a, m{"name": strings.Repeat("é", 255), "sections": slices.Repeat(l{text("x")}, 50)})
	a.OK("POST", "/content-blocks", a.Owner, `{"item": {"name": "n", "sections": [{"type":"text","t":"\ud800 \\u0000"}]}}`)
}

func TestBlocksOfAPage(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	one, two := newBlock(a, m{"name": "one"}), newBlock(a, m{"name": "two"})
	for _, path := range []string{"/categories/" + newPage(a, "about"), "/articles/" + newArticle(a)} {
		blocks := path + "/content-blocks"
		a.OK("PUT", blocks, a.Owner, m{"items": l{m{"block_id": one, "sort_order": 2}, m{"block_id": two, "sort_order": 1}}})
		var names []any
		for _, b := range a.OK("GET", path, a.Owner, nil)["content_blocks"].(l) {
			names = append(names, b.(m)["name"])
		}
		if fmt.Sprint(names) != "[two one]" {
			t.Errorf("%s: blocks are not ordered by sort_order: %v", path, names)
		}
		a.Refused("PUT", blocks, a.Owner, m{"items": l{m{"block_id": one}, m{"block_id": one}}}, 400, "DUPLICATE_BLOCK_IN_SET")
		a.Refused("PUT", blocks, a.Owner, m{"items": l{m{"block_id": "999"}}}, 404, "BLOCK_NOT_FOUND")
		a.Refused("PUT", blocks, a.Owner, m{"items": slices.Repeat(l{m{"block_id": one}}, 51)}, 400, "TOO_MANY_BLOCKS")
		a.Refused("PUT", blocks, a.Owner, m{"items": l{m{"block_id": one, "sort_order": 1 << 40}}}, 400, "INVALID_REQUEST")
		if left := a.OK("GET", path, a.Owner, nil)["content_blocks"].(l); len(left) != 2 {
			t.Errorf("%s: a refused set changed the blocks: %v", path, left)
		}
		a.OK("PUT", blocks, a.Owner, m{"items": l{m{"block_id": one}}})
		if left := a.OK("GET", path, a.Owner, nil)["content_blocks"].(l); len(left) != 1 {
			t.Errorf("%s: items did not replace the set: %v", path, left)
		}
	}
	a.Refused("PUT", "/categories/999/content-blocks", a.Owner, m{"items": l{}}, 404, "CATEGORY_NOT_FOUND")
	a.Refused("PUT", "/articles/999/content-blocks", a.Owner, m{"items": l{}}, 404, "ARTICLE_NOT_FOUND")
}

func TestBlocksOfAnotherShopDoNotExist(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	id, page := newBlock(a, m{"name": "ours", "group_type": "chrome"}), newPage(a, "about")
	a.Refused("PUT", "/content-blocks/"+id, a.Stranger, m{"item": m{"name": "x"}}, 404, "BLOCK_NOT_FOUND")
	a.Refused("DELETE", "/content-blocks/"+id, a.Stranger, nil, 404, "BLOCK_NOT_FOUND")
	a.Refused("PUT", "/categories/"+page+"/content-blocks", a.Stranger, m{"items": l{}}, 404, "CATEGORY_NOT_FOUND")
	a.Refused("PUT", "/design/bindings/shop/0", a.Stranger, m{"slots": m{"header": id}}, 404, "BLOCK_NOT_FOUND")
	a.Refused("GET", "/design/bindings/category/"+page, a.Stranger, nil, 404, "CATEGORY_NOT_FOUND")
}

func TestWhoMayChangeTheDesign(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	item := m{"item": m{"name": "n"}}
	a.OK("POST", "/content-blocks", a.Editor, item)
	a.OK("GET", "/content-blocks", a.Dev, nil)
	a.OK("POST", "/content-blocks", a.Dev, item)
	a.OK("PUT", "/design/bindings/shop/0", a.Dev, m{"slots": m{}})
	a.Refused("GET", "/content-blocks", "", nil, 401, "UNAUTHENTICATED")
	answer := a.Refused("POST", "/content-blocks", a.Scoped("catalog:read"), item, 403, "PAT_SCOPE_MISSING")
	if answer["required_scope"] != "catalog:write" {
		t.Errorf("required_scope: %v", answer)
	}
}
