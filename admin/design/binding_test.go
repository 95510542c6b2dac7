package design_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store/storetest"
)

func group(a *apitest.API, kind string) string {
	return newBlock(a, m{"name": kind, "group_type": kind})
}

// bind binds groups to the slots of a resource.
func bind(a *apitest.API, resource string, slots m) m {
	return a.Result("PUT", "/design/bindings/"+resource, a.Owner, m{"slots": slots})
}

// sources returns, for each slot of a resource, where it is inherited from: "header=shop/0".
func sources(a *apitest.API, resource string) string {
	view := a.Result("GET", "/design/bindings/"+resource, a.Owner, nil)
	from := map[string]string{}
	for slot, v := range view["resolved"].(m) {
		source := v.(m)["source"].(m)
		from[slot] = fmt.Sprint(source["type"], "/", source["id"])
	}
	text, _ := json.Marshal(from) // cannot fail: a map of strings
	return string(text)
}

func TestSlotsAreInheritedFromTheNearestResource(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	section := func(name string, parent any) string {
		c := a.Result("POST", "/categories", a.Owner, m{"item": m{"name": name, "parent_id": parent}})
		return fmt.Sprint(c["id"])
	}
	top := section("Top", "0")
	sub := section("Sub", top)
	product := fmt.Sprint(a.Result("POST", "/products", a.Owner, m{"item": m{"name": "Tea", "category_id": json.Number(sub)}})["id"])
	chrome, body := group(a, "chrome"), group(a, "product")

	bind(a, "shop/0", m{"header": chrome, "footer": chrome})
	bind(a, "category_children/"+top, m{"body": body, "footer": chrome})
	for _, c := range []struct{ resource, want string }{
		{"product/" + product, `{"body":"category_children/` + top + `","footer":"category_children/` + top + `","header":"shop/0"}`},
		{"category/" + sub, `{"footer":"shop/0","header":"shop/0"}`},
		{"shop/0", `{"footer":"shop/0","header":"shop/0"}`},
	} {
		if got := sources(a, c.resource); got != c.want {
			t.Errorf("%s: %s, want %s", c.resource, got, c.want)
		}
	}
	bind(a, "category_children/"+sub, m{"body": body})
	bind(a, "product/"+product, m{"header": chrome})
	want := `{"body":"category_children/` + sub + `","footer":"category_children/` + top + `","header":"product/` + product + `"}`
	if got := sources(a, "product/"+product); got != want {
		t.Errorf("nearer bindings: %s, want %s", got, want)
	}

	bind(a, "product/"+product, m{})
	if view := a.Result("GET", "/design/bindings/product/"+product, a.Owner, nil); len(view["slots"].(m)) != 0 {
		t.Errorf("{} unbinds: %v", view)
	}
	a.OK("DELETE", "/content-blocks/"+body, a.Owner, nil)
	if got := sources(a, "product/"+product); got != `{"footer":"category_children/`+top+`","header":"shop/0"}` {
		t.Errorf("a deleted group is still inherited: %s", got)
	}
}

func TestInvalidBindingsAreRefused(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	chrome, plain, page := group(a, "chrome"), newBlock(a, m{"name": "plain"}), newPage(a, "about")
	theme := group(a, "theme")
	for _, c := range []struct {
		resource string
		body     m
		status   int
		code     string
	}{
		{"menu/1", m{"slots": m{}}, 400, "BINDING_TYPE_UNKNOWN"},
		{"shop/1", m{"slots": m{}}, 400, "BINDING_RESOURCE_INVALID"},
		{"shop/0", m{}, 400, "INVALID_REQUEST"},
		{"shop/0", m{"slots": m{"sidebar": chrome}}, 400, "BINDING_SLOT_UNKNOWN"},
		{"category/" + page, m{"slots": m{"body_news": chrome}}, 400, "BINDING_SLOT_UNKNOWN"},
		{"shop/0", m{"slots": m{"header": "999"}}, 404, "BLOCK_NOT_FOUND"},
		{"shop/0", m{"slots": m{"header": "0"}}, 404, "BLOCK_NOT_FOUND"},
		{"shop/0", m{"slots": m{"header": plain}}, 400, "BLOCK_NOT_GROUP"},
		{"category/999", m{"slots": m{}}, 404, "CATEGORY_NOT_FOUND"},
		{"category/4294967297", m{"slots": m{}}, 404, "CATEGORY_NOT_FOUND"},
		{"category_children/999", m{"slots": m{}}, 404, "CATEGORY_NOT_FOUND"},
		{"product/999", m{"slots": m{}}, 404, "PRODUCT_NOT_FOUND"},
		{"article/999", m{"slots": m{}}, 404, "ARTICLE_NOT_FOUND"},
		{"theme/" + chrome, m{"slots": m{}}, 404, "BLOCK_NOT_FOUND"},
		{"system/-1", m{"slots": m{}}, 400, "BINDING_RESOURCE_INVALID"},
		{"shop/x", m{"slots": m{}}, 404, "NOT_FOUND"},
	} {
		a.Refused("PUT", "/design/bindings/"+c.resource, a.Owner, c.body, c.status, c.code)
	}
	for _, resource := range []string{"shop/0", "theme/" + theme, "article/" + newArticle(a)} {
		bind(a, resource, m{"body_news": chrome, "body_article": chrome})
	}
	bind(a, "system/0", m{"header": chrome})
}

func TestChangedChromeIsReportedAsAnEvent(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	one, two, page := group(a, "chrome"), group(a, "chrome"), newPage(a, "about")
	bind(a, "shop/0", m{"header": one, "footer": one, "body": one}) // both
	bind(a, "shop/0", m{"header": one, "footer": one})              // the body is not chrome
	bind(a, "shop/0", m{"header": two, "footer": one})              // the header
	bind(a, "category/"+page, m{"footer": two})
	bind(a, "category/"+page, m{})
	events := storetest.Events(t, a.Store.Pool, int(a.Shop.ID))
	var got []string
	for _, e := range events {
		got = append(got, e.Name+" "+string(e.Body))
	}
	event := func(kind, id, slots string) string {
		return fmt.Sprintf(
			`design.changed {"slots": [%s], "company_id": %d, "resource_id": "%s", "resource_type": "%s"}`, slots, a.Shop.ID, id,
			kind,
		)
	}
	want := []string{
		event("shop", "0", `"footer", "header"`), event("shop", "0", `"header"`),
		event("category", page, `"footer"`), event("category", page, `"footer"`),
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("events:\n%v\nwant\n%v", got, want)
	}
}
