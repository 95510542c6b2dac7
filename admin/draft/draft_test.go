package draft_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"vitrine/admin/api/apitest"
	"vitrine/internal/shop"
	"vitrine/internal/store"
	"vitrine/internal/store/company"
	"vitrine/internal/store/storetest"
)

func TestADraftEditIsLiveOnlyOncePublished(t *testing.T) {
	b := open(t)
	green := id(b.green)
	b.put(b.Dev, "products", green, m{"name": "Black", "price": m{"price": 7}, "seo": m{"slug": "black"}})
	b.sees(b.Dev, "products", green, "name", "Black")
	b.sees(b.Owner, "products", green, "name", "Green")
	b.sees("", "products", green+"?company_id="+b.Shop.ID.String(), "name", "Green")

	session := apitest.Request{
		Method: "GET", Path: "/products/" + green, Key: b.Session(b.OwnerID),
		Header: map[string]string{"X-Service-Contour": "dev"},
	}
	if name := b.Send(session).JSON["result"].(m)["name"]; name != "Black" {
		t.Errorf("a session in the draft contour sees %v", name)
	}
	session.Header = nil
	if name := b.Send(session).JSON["result"].(m)["name"]; name != "Green" {
		t.Errorf("a session in the live contour sees %v", name)
	}

	item := b.pending()["product "+green]
	if item["change"] != "edited" || item["name"] != "Black" || len(item["conflicts"].(l)) != 0 {
		t.Fatalf("%v", item)
	}
	fields := map[string]string{}
	for _, f := range item["fields"].(l) {
		fields[f.(m)["field"].(string)] = fmt.Sprint(f.(m)["live"], " -> ", f.(m)["draft"])
	}
	for field, want := range map[string]string{"name": "Green -> Black", "price": "5 -> 7", "slug": "green -> black"} {
		if fields[field] != want {
			t.Errorf("%s: %q, want %q (of %v)", field, fields[field], want, fields)
		}
	}

	version, told := b.version(), len(b.events("product.updated"))
	b.OK("POST", "/drafts/publish", b.Owner, one("product", green))
	b.sees(b.Owner, "products", green, "name", "Black")
	if len(b.pending()) != 0 {
		t.Errorf("still in the draft: %v", b.pending())
	}
	was := b.OK("GET", "/slug-redirects/resolve?entity_type=product&slug=green&company_id="+b.Shop.ID.String(), "", nil)
	if was["current_slug"] != "black" {
		t.Errorf("journal: %v", was)
	}
	keys, _, _, err := b.Store.Shop(b.Shop.ID).Changes(t.Context(), version)
	if err != nil || !strings.Contains(fmt.Sprint(keys), "product-"+green) || !strings.Contains(fmt.Sprint(keys), "journal") ||
		!strings.Contains(fmt.Sprint(keys), "category-"+id(b.tea)) {
		t.Errorf("changed %v, %v", keys, err)
	}
	if got := b.events("product.updated")[told:]; len(got) != 1 || got[0]["product_id"] != b.green["id"] {
		t.Errorf("events %v", got)
	}
}

// version returns the version of the live shop.
func (b *bench) version() int64 {
	b.t.Helper()
	info, err := company.Info(b.t.Context(), b.Store.Shop(b.Shop.ID))
	if err != nil {
		b.t.Fatal(err)
	}
	return info.Version
}

func (b *bench) events(name string) (bodies []m) {
	b.t.Helper()
	list := storetest.Events(b.t, b.Store.Pool, int(b.Shop.ID))
	for _, e := range list {
		var body m
		if err := json.Unmarshal(e.Body, &body); err != nil {
			b.t.Fatal(err)
		}
		if e.Name == name {
			bodies = append(bodies, body)
		}
	}
	return bodies
}

func TestDiscardRemovesDraftChanges(t *testing.T) {
	b := open(t)
	green := id(b.green)
	b.put(b.Dev, "products", green, m{"name": "Black", "categories": l{b.tea["id"]}})
	mint := b.add(b.Dev, "articles", m{"title": "Mint", "category_id": b.news["id"]})
	if n := len(b.pending()); n != 4 { // the article has two blocks
		t.Fatalf("%d changes are pending: %v", n, b.pending())
	}
	b.OK("POST", "/drafts/discard", b.Dev, one("article", id(mint)))
	if n := len(b.pending()); n != 1 {
		t.Errorf("%d changes are pending: %v", n, b.pending())
	}
	b.Refused("GET", "/articles/"+id(mint), b.Dev, nil, 404, "ARTICLE_NOT_FOUND")
	b.OK("POST", "/drafts/discard", b.Dev, all)
	b.sees(b.Dev, "products", green, "name", "Green")
	b.sees(b.Dev, "products", green, "categories", "[]")
	b.Refused("POST", "/drafts/discard", b.Dev, one("product", green), 404, "DRAFT_NOT_FOUND")
}

func TestPublishingSomeItemsKeepsTheOthersInTheDraft(t *testing.T) {
	b := open(t)
	section := b.add(b.Dev, "categories", m{"name": "Cups", "is_published": true})
	cup := b.add(b.Dev, "products", m{"name": "Cup", "category_id": section["id"], "is_published": true})
	bowl := b.add(b.Dev, "products", m{"name": "Bowl", "category_id": section["id"], "is_published": true})
	b.Refused("GET", "/products/"+id(cup), b.Owner, nil, 404, "PRODUCT_NOT_FOUND")

	answer := b.Result("POST", "/drafts/publish", b.Owner, one("product", id(cup)))
	if got := fmt.Sprint(answer["also"]); got != fmt.Sprint(l{m{"kind": "category", "id": id(section)}}) {
		t.Errorf("also %s", got)
	}
	b.sees("", "products", id(cup)+"?company_id="+b.Shop.ID.String(), "name", "Cup")
	b.Refused("GET", "/products/"+id(bowl), b.Owner, nil, 404, "PRODUCT_NOT_FOUND")
	if pending := b.pending(); len(pending) != 1 || pending["product "+id(bowl)] == nil {
		t.Errorf("pending %v", pending)
	}
	b.OK("POST", "/drafts/publish", b.Owner, one("product", id(bowl)))
}

func TestAnArticleIsPublishedWithItsBlocks(t *testing.T) {
	b := open(t)
	made := b.add(b.Dev, "articles", m{"title": "Mint", "category_id": b.news["id"], "is_published": true})
	answer := b.Result("POST", "/drafts/publish", b.Owner, one("article", id(made)))
	if answer["total"] != 3.0 {
		t.Errorf("%v", answer)
	}
	if blocks := b.OK("GET", "/articles/"+id(made), b.Owner, nil)["content_blocks"].(l); len(blocks) != 2 {
		t.Errorf("blocks %v", blocks)
	}
}

func TestAFieldThatChangedOnBothSidesIsAConflict(t *testing.T) {
	b := open(t)
	green := id(b.green)
	b.put(b.Dev, "products", green, m{"name": "Black"})
	b.put(b.Owner, "products", green, m{"name": "White", "description": "leaves"})
	if c := b.pending()["product "+green]["conflicts"].(l); len(c) != 1 || c[0].(m)["field"] != "name" {
		t.Errorf("%v", c)
	}
	refused := b.Refused("POST", "/drafts/publish", b.Owner, all, 409, "DRAFT_CONFLICT")
	c := refused["conflicts"].(l)[0].(m)
	if c["field"] != "name" || c["base"] != "Green" || c["live"] != "White" || c["draft"] != "Black" || c["code"] != "DRAFT_STALE" {
		t.Errorf("%v", c)
	}
	b.sees(b.Owner, "products", green, "name", "White")
	b.OK("POST", "/drafts/publish", b.Owner, m{"all": true, "force": true})
	b.sees(b.Owner, "products", green, "name", "Black")
	b.sees(b.Owner, "products", green, "description", "leaves") // the draft does not change it
}

func TestASlugOrSKUTakenMeanwhileIsAConflict(t *testing.T) {
	b := open(t)
	first := b.add(b.Dev, "products", m{"name": "One", "sku": "S", "seo": m{"slug": "same"}})
	b.Refused("POST", "/products", b.Dev, m{"item": m{"name": "Two", "seo": m{"slug": "same"}}}, 409, "SLUG_TAKEN")
	b.Refused("POST", "/products", b.Dev, m{"item": m{"name": "Two", "sku": "S"}}, 409, "already_exists")
	b.add(b.Owner, "products", m{"name": "Two", "sku": "S", "seo": m{"slug": "same"}})
	for _, force := range []bool{false, true} {
		refused := b.Refused("POST", "/drafts/publish", b.Owner, m{"all": true, "force": force}, 409, "DRAFT_CONFLICT")
		codes := fmt.Sprint(refused["conflicts"])
		if !strings.Contains(codes, "SLUG_TAKEN") || !strings.Contains(codes, "already_exists") {
			t.Errorf("%s", codes)
		}
	}
	b.put(b.Dev, "products", id(first), m{"sku": "S2", "seo": m{"slug": "other"}})
	b.OK("POST", "/drafts/publish", b.Owner, all)
}

// Two drafts exchange a slug: the first frees it, the second uses it. Publishing only the second
// is refused, publishing both succeeds.
func TestDraftsThatExchangeASlugPublishTogether(t *testing.T) {
	b := open(t)
	green := id(b.green)
	b.put(b.Dev, "products", green, m{"seo": m{"slug": "leaf"}})
	next := b.add(b.Dev, "products", m{"name": "Next", "seo": m{"slug": "green"}})
	b.Refused("POST", "/drafts/publish", b.Owner, one("product", id(next)), 409, "DRAFT_CONFLICT")
	b.OK("POST", "/drafts/publish", b.Owner, all)
	b.sees(b.Owner, "products", id(next), "slug", "green")

	b.put(b.Dev, "products", green, m{"seo": m{"slug": "tmp"}})
	b.put(b.Dev, "products", id(next), m{"seo": m{"slug": "leaf"}})
	b.put(b.Dev, "products", green, m{"seo": m{"slug": "green"}})
	b.OK("POST", "/drafts/publish", b.Owner, all)
	b.sees(b.Owner, "products", id(next), "slug", "leaf")
	b.sees(b.Owner, "products", green, "slug", "green")
}

func TestADraftDeletionIsLiveOnlyOncePublished(t *testing.T) {
	b := open(t)
	green := id(b.green)
	b.OK("DELETE", "/products/"+green, b.Dev, nil)
	b.OK("DELETE", "/categories/"+id(b.tea), b.Dev, nil)
	b.OK("DELETE", "/content-blocks/"+b.block, b.Dev, nil)
	b.Refused("GET", "/products/"+green, b.Dev, nil, 404, "PRODUCT_NOT_FOUND")
	b.sees(b.Owner, "products", green, "name", "Green")
	b.sees(b.Owner, "categories", id(b.tea), "is_home", true)
	for kind, of := range map[string]string{"product": green, "category": id(b.tea), "block": b.block} {
		if change := b.pending()[kind+" "+of]["change"]; change != "deleted" {
			t.Errorf("%s: %v", kind, change)
		}
	}
	b.add(b.Owner, "categories", m{"name": "Late", "parent_id": b.tea["id"]})
	refused := b.Refused("POST", "/drafts/publish", b.Owner, all, 409, "DRAFT_CONFLICT")
	if !strings.Contains(fmt.Sprint(refused["conflicts"]), "CATEGORY_NOT_EMPTY") {
		t.Errorf("%v", refused)
	}
	b.OK("POST", "/drafts/publish", b.Owner, one("product", green))
	b.Refused("GET", "/products/"+green, b.Owner, nil, 404, "PRODUCT_NOT_FOUND")
}

func TestTheProductLimitAppliesToTheDraft(t *testing.T) {
	b := open(t)
	b.add(b.Dev, "products", m{"name": "Two"})
	b.Limit(company.Limits{store.LimitProducts: 2})
	b.Refused("POST", "/products", b.Dev, m{"item": m{"name": "Three"}}, 429, "PRODUCT_LIMIT_REACHED")
	b.add(b.Owner, "products", m{"name": "Three"})
	b.Refused("POST", "/drafts/publish", b.Owner, all, 429, "PRODUCT_LIMIT_REACHED")
}

func TestTheHomePageCanChangeInTheDraft(t *testing.T) {
	b := open(t)
	next := b.add(b.Dev, "categories", m{"name": "Next", "is_home": true})
	b.sees(b.Dev, "categories", id(b.tea), "is_home", false)
	b.sees(b.Owner, "categories", id(b.tea), "is_home", true)
	b.OK("POST", "/drafts/publish", b.Owner, one("category", id(next)))
	b.sees(b.Owner, "categories", id(b.tea), "is_home", false)
	b.sees(b.Owner, "categories", id(next), "is_home", true)
}

func TestBindingsBlocksAndPlacesHaveADraft(t *testing.T) {
	b := open(t)
	b.OK("PUT", "/design/bindings/shop/0", b.Dev, m{"slots": m{"header": b.header}})
	fresh := b.add(b.Dev, "content-blocks", m{"name": "New"})["id"].(string)
	b.OK("PUT", "/categories/"+id(b.tea)+"/content-blocks", b.Dev, m{"items": l{m{"block_id": fresh, "sort_order": 1}}})
	b.put(b.Dev, "content-blocks", b.block, m{"sections": l{m{"type": "text", "payload": m{"text": "draft"}}}})
	if n := len(b.events("design.changed")); n != 0 {
		t.Errorf("%d events of a draft", n)
	}
	items := b.pending()
	for _, name := range []string{"binding shop:0", "block " + fresh, "block " + b.block, "category " + id(b.tea)} {
		if items[name] == nil {
			t.Errorf("%s is not in the draft: %v", name, items)
		}
	}
	if blocks := fmt.Sprint(b.OK("GET", "/categories/"+id(b.tea), b.Owner, nil)["content_blocks"]); !strings.Contains(blocks, "live") {
		t.Errorf("live page: %s", blocks)
	}
	b.OK("POST", "/drafts/publish", b.Owner, all)
	if blocks := b.OK("GET", "/categories/"+id(b.tea), b.Owner, nil)["content_blocks"].(l); len(blocks) != 1 || blocks[0].(m)["id"] != fresh {
		t.Errorf("published page: %v", blocks)
	}
	if got := b.events("design.changed"); len(got) != 1 || fmt.Sprint(got[0]["slots"]) != "[header]" || got[0]["resource_type"] != "shop" {
		t.Errorf("events: %v", got)
	}
}

func TestARevertedEditLeavesNoDraftChange(t *testing.T) {
	b := open(t)
	green := id(b.green)
	b.put(b.Owner, "products", green, m{"description": "leaves"})
	b.put(b.Dev, "products", green, m{"name": "Black"})
	b.put(b.Dev, "products", green, m{"name": "Green"})
	if items := b.pending(); len(items) != 0 {
		t.Errorf("%v", items)
	}
}

func TestOtherShopsAndVisitorsSeeNoDraft(t *testing.T) {
	b := open(t)
	b.put(b.Dev, "articles", id(b.article), m{"title": "Secret"})
	path := "/articles/by-slug/harvest?company_id=" + b.Shop.ID.String()
	dev := b.Key(b.OwnerID, shop.Owner, shop.Dev, "catalog:write")
	for _, key := range []string{"", b.Stranger, dev} {
		if title := b.Result("GET", path, key, nil)["title"]; title != "Harvest" {
			t.Errorf("%q sees %v", key, title)
		}
	}
	if n := b.OK("GET", "/drafts", b.Stranger, nil)["total"]; n != 0.0 {
		t.Errorf("a stranger sees %v drafts", n)
	}
	b.Refused("POST", "/drafts/publish", b.Stranger, one("article", id(b.article)), 404, "DRAFT_NOT_FOUND")
}

func TestWhoMayPublish(t *testing.T) {
	b := open(t)
	b.put(b.Dev, "products", id(b.green), m{"name": "Black"})
	b.Refused("POST", "/drafts/publish", b.Scoped("catalog:read", "catalog:write"), all, 403, "PAT_SCOPE_MISSING")
	b.Refused("POST", "/drafts/publish", b.Session(b.EditorID), all, 403, "ROLE_REQUIRED")
	b.Refused("POST", "/drafts/publish", b.Owner, m{}, 400, "INVALID_REQUEST")
	b.Refused("POST", "/drafts/publish", b.Owner, one("order", "1"), 400, "INVALID_REQUEST")
	b.OK("POST", "/drafts/publish", b.Session(b.OwnerID), all)
	b.sees(b.Owner, "products", id(b.green), "name", "Black")
}

// A change that is valid in the draft and in the live shop may be invalid once both are merged:
// the depth of sections is checked again when they are published.
func TestPublishingChecksTheDepthOfSections(t *testing.T) {
	b := open(t)
	deep := func(key string, parent any, names ...string) (last m) {
		for _, name := range names {
			last = b.add(key, "categories", m{"name": name, "parent_id": parent})
			parent = last["id"]
		}
		return last
	}
	six := deep(b.Owner, "0", "a1", "a2", "a3", "a4", "a5", "a6")
	top := deep(b.Owner, "0", "b1")
	bottom := deep(b.Owner, top["id"], "b2", "b3", "b4", "b5", "b6")
	b.put(b.Dev, "categories", id(top), m{"parent_id": six["id"]})
	b.Refused("POST", "/categories", b.Dev, m{"item": m{"name": "b8", "parent_id": bottom["id"]}}, 400, "CATEGORY_TOO_DEEP")
	live := deep(b.Owner, bottom["id"], "c7")
	refused := b.Refused("POST", "/drafts/publish", b.Owner, one("category", id(top)), 409, "DRAFT_CONFLICT")
	if c := refused["conflicts"].(l); len(c) != 1 || c[0].(m)["code"] != "CATEGORY_TOO_DEEP" || c[0].(m)["id"] != id(top) {
		t.Errorf("conflicts %v", c)
	}
	b.OK("DELETE", "/categories/"+id(live), b.Owner, nil)
	b.OK("POST", "/drafts/publish", b.Owner, one("category", id(top)))
}
