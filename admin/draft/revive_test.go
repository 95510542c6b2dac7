package draft_test

import (
	"fmt"
	"strings"
	"testing"
)

// An entity edited in the draft and deleted live is a conflict. A forced publish restores it with
// the draft's edit applied.
func TestAForcedPublishRestoresRowsDeletedLive(t *testing.T) {
	b := open(t)
	green := id(b.green)
	b.OK("PUT", "/products/"+green+"/variants", b.Owner, m{"items": l{m{"sku": "V1", "title": "one"}}})
	things := []struct{ kind, path, id, field string }{
		{"category", "categories", id(b.tea), "name"}, {"product", "products", green, "name"},
		{"article", "articles", id(b.article), "title"}, {"block", "content-blocks", b.block, "name"},
	}
	for _, x := range things {
		b.put(b.Dev, x.path, x.id, m{x.field: "Draft"})
	}
	for i := range things {
		x := things[len(things)-1-i]
		b.OK("DELETE", "/"+x.path+"/"+x.id, b.Owner, nil)
	}
	refused := b.Refused("POST", "/drafts/publish", b.Owner, all, 409, "DRAFT_CONFLICT")
	for _, x := range things {
		if c := fmt.Sprint(refused["conflicts"]); !strings.Contains(c, "field:is_deleted id:"+x.id+" kind:"+x.kind) {
			t.Errorf("%s: %s", x.kind, c)
		}
	}
	b.OK("POST", "/drafts/publish", b.Owner, m{"all": true, "force": true})
	for _, x := range things[:3] {
		b.sees(b.Owner, x.path, x.id, x.field, "Draft")
	}
	if page := fmt.Sprint(b.OK("GET", "/categories/"+id(b.tea), b.Owner, nil)["content_blocks"]); !strings.Contains(page, "name:Draft") {
		t.Errorf("the block: %s", page)
	}
	if n := len(b.Result("GET", "/products/"+green, b.Owner, nil)["variants"].(l)); n != 1 {
		t.Errorf("%d variants were restored", n)
	}
	b.Refused("PUT", "/products/"+id(b.add(b.Owner, "products", m{"name": "Other"}))+"/variants", b.Owner,
		m{"items": l{m{"sku": "V1", "title": "taken"}}}, 409, "already_exists")
	if len(b.pending()) != 0 {
		t.Errorf("still in the draft: %v", b.pending())
	}
}

// A forced restore must not break rules that a live write obeys: a slug or sku taken meanwhile,
// the product limit of the plan, a deleted section.
func TestRowsThatCannotBeRestoredAreConflicts(t *testing.T) {
	forced := m{"all": true, "force": true}
	t.Run("slug and sku", func(t *testing.T) {
		b := open(t)
		b.put(b.Dev, "products", id(b.green), m{"name": "Draft"})
		b.OK("DELETE", "/products/"+id(b.green), b.Owner, nil)
		b.add(b.Owner, "products", m{"name": "Thief", "sku": "G1", "seo": m{"slug": "green"}})
		codes := fmt.Sprint(b.Refused("POST", "/drafts/publish", b.Owner, forced, 409, "DRAFT_CONFLICT")["conflicts"])
		if !strings.Contains(codes, "SLUG_TAKEN") || !strings.Contains(codes, "already_exists") {
			t.Error(codes)
		}
	})
	t.Run("section", func(t *testing.T) {
		b := open(t)
		b.put(b.Dev, "products", id(b.green), m{"name": "Draft"})
		b.OK("DELETE", "/products/"+id(b.green), b.Owner, nil)
		b.OK("DELETE", "/categories/"+id(b.tea), b.Owner, nil)
		codes := fmt.Sprint(b.Refused("POST", "/drafts/publish", b.Owner, forced, 409, "DRAFT_CONFLICT")["conflicts"])
		if !strings.Contains(codes, "CATEGORY_NOT_FOUND") {
			t.Error(codes)
		}
	})
	t.Run("only lists", func(t *testing.T) {
		b := open(t)
		b.OK("PUT", "/articles/"+id(b.article)+"/content-blocks", b.Dev, m{"items": l{m{"block_id": b.block}}})
		b.OK("DELETE", "/articles/"+id(b.article), b.Owner, nil)
		codes := fmt.Sprint(b.Refused("POST", "/drafts/publish", b.Owner, forced, 409, "DRAFT_CONFLICT")["conflicts"])
		if !strings.Contains(codes, "ARTICLE_NOT_FOUND") {
			t.Error(codes)
		}
		b.OK("POST", "/drafts/discard", b.Dev, all)
	})
	t.Run("document", func(t *testing.T) {
		b := open(t)
		b.put(b.Dev, "html-documents", b.document, m{"name": "Draft"})
		b.OK("DELETE", "/html-documents/"+b.document, b.Owner, nil)
		codes := fmt.Sprint(b.Refused("POST", "/drafts/publish", b.Owner, forced, 409, "DRAFT_CONFLICT")["conflicts"])
		if !strings.Contains(codes, "HTML_DOCUMENT_NOT_FOUND") {
			t.Error(codes)
		}
	})
}

// Entities that a draft list refers to must exist live when the list is published.
func TestPublishedListsReferToExistingRows(t *testing.T) {
	b := open(t)
	extra := b.add(b.Owner, "categories", m{"name": "Cups", "is_published": true})
	b.put(b.Dev, "products", id(b.green), m{"categories": l{extra["id"]}})
	b.OK("PUT", "/categories/"+id(b.news)+"/content-blocks", b.Dev, m{"items": l{m{"block_id": b.block}}})
	b.OK("PUT", "/design/bindings/shop/0", b.Dev, m{"slots": m{"header": b.header}})
	b.OK("DELETE", "/categories/"+id(extra), b.Owner, nil)
	b.OK("DELETE", "/content-blocks/"+b.block, b.Owner, nil)
	b.OK("DELETE", "/content-blocks/"+b.header, b.Owner, nil)
	for _, force := range []bool{false, true} {
		found := map[string]any{}
		for _, c := range b.Refused("POST", "/drafts/publish", b.Owner, m{"all": true, "force": force}, 409, "DRAFT_CONFLICT")["conflicts"].(l) {
			found[c.(m)["field"].(string)] = c.(m)["code"]
		}
		if found["categories"] != "CATEGORY_NOT_FOUND" || found["content_blocks"] != "BLOCK_NOT_FOUND" || found["header"] != "BLOCK_NOT_FOUND" {
			t.Errorf("%v", found)
		}
	}
}
