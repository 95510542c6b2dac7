package redirect_test

import (
	"fmt"
	"testing"

	"vitrine/admin/api/apitest"
)

// journal is a shop whose entities are renamed.
type journal struct {
	*apitest.API
	t    *testing.T
	key  string // key used for renaming
	path string // path of the entities: /products/
	kind string
}

func (j *journal) rename(id any, slug string) {
	j.t.Helper()
	j.OK("PUT", j.path+fmt.Sprint(id), j.key, m{"item": m{"seo": m{"slug": slug}}})
}

// leads expects that an old slug resolves to an entity with its current slug, or with nil to
// nothing.
func (j *journal) leads(old string, id any, slug string) {
	j.t.Helper()
	got := j.Send(
		apitest.Request{Method: "GET", Path: fmt.Sprintf("/slug-redirects/resolve?company_id=%s&entity_type=%s&slug=%s", j.Shop.ID, j.kind, old)},
	)
	switch {
	case id == nil:
		if got.Status != 404 || apitest.Code(got.JSON) != "REDIRECT_NOT_FOUND" {
			j.t.Errorf("%s %s leads to %d %s", j.kind, old, got.Status, got.Body)
		}
	case got.Status != 200 || fmt.Sprint(got.JSON["entity_id"]) != fmt.Sprint(id) || got.JSON["current_slug"] != slug || got.JSON["entity_type"] != j.kind:
		j.t.Errorf("%s %s leads to %d %s, want %v %s", j.kind, old, got.Status, got.Body, id, slug)
	}
}

func (j *journal) add(slug string) any {
	j.t.Helper()
	switch j.kind {
	case "category":
		return section(j.API, slug, 0)
	case "product":
		return product(j.API, slug, 0)
	}
	item := m{"title": slug, "slug": slug, "is_published": true, "category_id": j.news()}
	return j.Result("POST", "/articles", j.Owner, m{"item": item})["id"]
}

func (j *journal) news() any {
	status, answer := j.Call("GET", "/categories/by-slug/the-news", j.Owner, nil)
	if status == 200 {
		return answer["result"].(m)["id"]
	}
	return j.Result("POST", "/categories", j.Owner, m{"item": m{"name": "N", "type": "news", "is_published": true, "seo": m{"slug": "the-news"}}})["id"]
}

func eachKind(t *testing.T, test func(t *testing.T, j *journal)) {
	for kind, path := range map[string]string{"category": "/categories/", "product": "/products/", "article": "/articles/"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			a := apitest.New(t)
			test(t, &journal{API: a, t: t, key: a.Owner, path: path, kind: kind})
		})
	}
}

func TestSeveralRenamesResolveToTheCurrentSlug(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, j *journal) {
		x := j.add("a")
		j.leads("a", nil, "") // its current slug is not a former one
		j.rename(x, "b")
		j.rename(x, "c")
		j.leads("a", x, "c")
		j.leads("b", x, "c")
		j.rename(x, "a") // renamed back
		j.leads("a", nil, "")
		j.leads("b", x, "a")
		j.leads("c", x, "a")

		y := j.add("b") // used by a live entity
		j.leads("b", nil, "")
		j.rename(y, "d")
		j.leads("b", y, "d")
		j.OK("DELETE", j.path+fmt.Sprint(y), j.Owner, nil)
		j.leads("b", nil, "")
		j.leads("d", nil, "")
		j.OK("DELETE", j.path+fmt.Sprint(x), j.Owner, nil)
		j.leads("c", nil, "")
	})
}

func TestTwoEntitiesSwapTheirSlugs(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, j *journal) {
		x, y := j.add("x"), j.add("y")
		j.rename(x, "aside")
		j.rename(y, "x")
		j.rename(x, "y")
		j.leads("x", nil, "")
		j.leads("y", nil, "")
		j.leads("aside", x, "y")
	})
}

// A slug that existed only in the draft is not a former slug: publishing records the change from
// the live slug to the new one (document 3, 4.5).
func TestSlugsOfTheDraftReachTheJournalOnPublish(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, j *journal) {
		x, y := j.add("a"), j.add("k")
		j.key = j.Dev
		j.rename(x, "b")
		j.rename(x, "c")
		j.leads("a", nil, "")
		j.leads("b", nil, "")
		j.rename(y, "a") // reuses the live slug of the other
		j.OK("POST", "/drafts/publish", j.Owner, m{"all": true})
		j.leads("a", nil, "")
		j.leads("b", nil, "")
		j.leads("k", y, "a")
		j.key = j.Owner
		j.rename(y, "z")
		j.leads("a", y, "z")
	})
}

func TestARestoredProductIsFoundAgain(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	j := &journal{API: a, t: t, key: a.Owner, path: "/products/", kind: "product"}
	x := j.add("a")
	j.rename(x, "b")
	j.OK("DELETE", j.path+fmt.Sprint(x), j.Owner, nil)
	j.leads("a", nil, "")
	j.OK("PUT", j.path+fmt.Sprint(x), j.Owner, m{"item": m{"is_deleted": false}})
	j.leads("a", x, "b")
	j.OK("PUT", j.path+fmt.Sprint(x), j.Owner, m{"item": m{"is_published": false}})
	j.leads("a", nil, "")
}

func TestWhoMayResolveASlug(t *testing.T) {
	t.Parallel()
	a := apitest.New(t)
	j := &journal{API: a, t: t, key: a.Owner, path: "/products/", kind: "product"}
	x := j.add("a")
	j.rename(x, "b")
	address := "/slug-redirects/resolve?entity_type=product&slug=a&company_id="
	a.Refused("GET", address+a.Other.ID.String(), "", nil, 404, "REDIRECT_NOT_FOUND")
	a.Refused("GET", address+a.Shop.ID.String(), a.Stranger, nil, 404, "REDIRECT_NOT_FOUND")
	a.Refused("GET", address+"999", "", nil, 404, "SHOP_NOT_FOUND")
	a.Refused("GET", address, "", nil, 403, "COMPANY_ID_PROBLEM")
	a.Refused("GET", address+"x", "", nil, 400, "INVALID_REQUEST")
	a.Refused("GET", "/slug-redirects/resolve?entity_type=page&slug=a&company_id="+a.Shop.ID.String(), "", nil, 400, "INVALID_REQUEST")
	a.Refused("GET", "/slug-redirects/resolve?entity_type=product&slug=%00&company_id="+a.Shop.ID.String(), "", nil, 400, "INVALID_REQUEST")
	a.OK("GET", address, a.Editor, nil)
	a.Close(true)
	a.Refused("GET", address+a.Shop.ID.String(), "", nil, 404, "SHOP_NOT_FOUND")
	a.OK("GET", address, a.Owner, nil)
}
