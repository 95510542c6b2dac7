package draft_test

import (
	"fmt"
	"testing"
)

func words(text string) l { return l{m{"item_key": "one", "kind": "html", "html": text}} }

// text returns the gallery text of product green as seen with a key.
func (b *bench) text(key string) any {
	b.t.Helper()
	card := b.Result("GET", "/products/"+id(b.green), key, nil)
	return card["galleries"].(l)[0].(m)["items"].(l)[0].(m)["html"]
}

func TestGalleryItemsHaveADraft(t *testing.T) {
	b := open(t)
	b.put(b.Dev, "galleries", b.gallery, m{"name": "Draft", "items": words("draft")})
	if live, draft := b.text(b.Owner), b.text(b.Dev); live != "<i>live</i>" || draft != "draft" {
		t.Errorf("live %v, draft %v", live, draft)
	}
	pending := b.pending()
	if w := pending["gallery "+b.gallery]; len(pending) != 1 || w["name"] != "Draft" || w["change"] != "edited" {
		t.Errorf("pending %v", pending)
	}
	before := b.version()
	b.OK("POST", "/drafts/publish", b.Owner, one("gallery", b.gallery))
	if got := b.text(b.Owner); got != "draft" || b.version() == before {
		t.Errorf("published: %v", got)
	}
	b.sees(b.Owner, "galleries", b.gallery, "name", "Draft")
	b.put(b.Dev, "galleries", b.gallery, m{"items": words("again")})
	b.put(b.Dev, "galleries", b.gallery, m{"items": words("draft")})
	if pending := b.pending(); len(pending) != 0 {
		t.Errorf("still in the draft after a revert: %v", pending)
	}
	b.put(b.Dev, "galleries", b.gallery, m{"items": words("again")})
	b.OK("POST", "/drafts/discard", b.Dev, all)
	if got := b.text(b.Dev); got != "draft" {
		t.Errorf("discarded: %v", got)
	}
}

func TestADraftGalleryIsPublishedWithTheProductThatShowsIt(t *testing.T) {
	b := open(t)
	fresh := id(b.add(b.Dev, "galleries", m{"name": "Fresh", "items": words("fresh")}))
	other := id(b.add(b.Dev, "galleries", m{"name": "Other", "items": words("other")}))
	sets := id(b.add(b.Dev, "galleries", m{"name": "Sets", "items": words("sets")}))
	b.Refused("GET", "/galleries/"+fresh, b.Owner, nil, 404, "GALLERY_NOT_FOUND")
	b.put(b.Dev, "products", id(b.green), m{"gallery_ids": l{fresh, b.gallery}})
	b.OK("PUT", "/products/"+id(b.green)+"/variants", b.Dev, m{"items": l{m{"sku": "V", "gallery_id": sets}}})
	b.sees(b.Owner, "products", id(b.green), "gallery_ids", l{b.gallery})
	b.OK("POST", "/drafts/publish", b.Owner, one("product", id(b.green)))
	b.sees(b.Owner, "products", id(b.green), "gallery_ids", l{fresh, b.gallery})
	if got := b.text(b.Owner); got != "fresh" {
		t.Errorf("%v", got)
	}
	b.sees(b.Owner, "galleries", sets, "items_total", 1)
	if pending := b.pending(); len(pending) != 1 || pending["gallery "+other] == nil {
		t.Errorf("pending %v", pending)
	}
	lost := id(b.add(b.Dev, "galleries", m{"name": "Lost", "items": words("lost")}))
	b.put(b.Dev, "products", id(b.green), m{"gallery_ids": l{lost}})
	b.OK("POST", "/drafts/discard", b.Dev, one("product", id(b.green)))
	b.Refused("GET", "/galleries/"+lost, b.Dev, nil, 404, "GALLERY_NOT_FOUND")
	b.sees(b.Dev, "galleries", other, "items_total", 1)
}

func TestAGalleryDeletedMeanwhileIsAConflict(t *testing.T) {
	b := open(t)
	conflict := func(what string, selection m, kind, field, code string) {
		t.Helper()
		answer := b.Refused("POST", "/drafts/publish", b.Owner, m{"items": selection["items"], "force": true}, 409, "DRAFT_CONFLICT")
		got := answer["conflicts"].(l)[0].(m)
		if fmt.Sprint(got["kind"], " ", got["field"], " ", got["code"]) != kind+" "+field+" "+code {
			t.Errorf("%s: %v", what, got)
		}
		b.OK("POST", "/drafts/discard", b.Dev, all)
	}
	spare := id(b.add(b.Owner, "galleries", m{"name": "Spare"}))
	b.put(b.Dev, "products", id(b.green), m{"gallery_ids": l{spare}})
	b.OK("DELETE", "/galleries/"+spare, b.Owner, nil)
	conflict("linked in the draft, deleted live", one("product", id(b.green)), "product", "galleries", "GALLERY_NOT_FOUND")

	spare = id(b.add(b.Owner, "galleries", m{"name": "Spare"}))
	b.OK("PUT", "/products/"+id(b.green)+"/variants", b.Dev, m{"items": l{m{"sku": "V", "gallery_id": spare}}})
	b.OK("DELETE", "/galleries/"+spare, b.Owner, nil)
	conflict("shown by a set of the draft, deleted live", one("product", id(b.green)), "product", "variants", "GALLERY_NOT_FOUND")

	spare = id(b.add(b.Owner, "galleries", m{"name": "Spare"}))
	b.OK("DELETE", "/galleries/"+spare, b.Dev, nil)
	b.put(b.Owner, "articles", id(b.article), m{"gallery_ids": l{spare}})
	conflict("deleted in the draft, linked live", one("gallery", spare), "gallery", "is_deleted", "GALLERY_IN_USE")

	b.put(b.Owner, "articles", id(b.article), m{"gallery_ids_replace": true})
	b.put(b.Dev, "galleries", spare, m{"items": words("draft")})
	b.OK("DELETE", "/galleries/"+spare, b.Owner, nil)
	conflict("items in the draft, deleted live", one("gallery", spare), "gallery", "is_deleted", "GALLERY_NOT_FOUND")
}

func TestAGalleryIsDeletedWithTheDraftThatUnlinksIt(t *testing.T) {
	b := open(t)
	b.Refused("DELETE", "/galleries/"+b.gallery, b.Dev, nil, 400, "GALLERY_IN_USE")
	b.put(b.Dev, "products", id(b.green), m{"gallery_ids_replace": true})
	b.put(b.Dev, "categories", id(b.tea), m{"gallery_ids_replace": true})
	b.OK("DELETE", "/galleries/"+b.gallery, b.Dev, nil)
	b.sees(b.Owner, "galleries", b.gallery, "items_total", 1)
	b.Refused("DELETE", "/galleries/"+b.gallery, b.Owner, nil, 400, "GALLERY_IN_USE")
	b.OK("POST", "/drafts/publish", b.Owner, all)
	b.Refused("GET", "/galleries/"+b.gallery, b.Owner, nil, 404, "GALLERY_NOT_FOUND")
	b.sees(b.Owner, "products", id(b.green), "galleries", l{})
}
