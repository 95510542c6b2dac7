package draft_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/golden"
	"vitrine/internal/shop"
)

// widget creates a block with one widget in the draft.
func (b *bench) widget(kind string, props m) string {
	b.t.Helper()
	return id(b.add(b.Dev, "content-blocks", m{"name": kind, "sections": l{m{"type": "text", "payload": m{"v": 2, "kind": kind, "props": props}}}}))
}

// Publishing a draft page publishes everything that it shows, at any depth: a group, the cells of
// columns in it, the document and the card in those, and the product of the card with its
// section. A form has no draft; the block that shows it is published too.
func TestPublishingIncludesDependenciesAtAnyDepth(t *testing.T) {
	b := open(t)
	document := id(b.add(b.Dev, "html-documents", m{"name": "Deep", "level": 3}))
	release := b.release(b.Dev, document, "deep")
	section := id(b.add(b.Dev, "categories", m{"name": "Cups", "is_published": true}))
	cup := id(b.add(b.Dev, "products", m{"name": "Cup", "category_id": section, "is_published": true}))
	form := id(b.add(b.Owner, "forms", m{"name": "Ask", "fields": l{}}))
	html := b.widget("html", m{"html": m{"documentId": document}})
	card := b.widget("productCard", m{"card": m{"productId": cup}})
	asks := b.widget("form", m{"form": m{"formId": form}})
	columns := b.widget("columns", m{"columns": m{"cells": l{m{"widgets": l{html}}, m{"widgets": l{card, asks}}}}})
	group := b.widget("group", m{"group": m{"refs": l{columns}}})
	page := id(b.add(b.Dev, "categories", m{"name": "Deep page", "type": "page", "is_published": true}))
	b.OK("PUT", "/categories/"+page+"/content-blocks", b.Dev, m{"items": l{m{"block_id": group, "sort_order": 0}}})
	other := b.widget("text", m{"text": "unrelated"})

	answer := b.Result("POST", "/drafts/publish", b.Owner, one("category", page))
	var also []string
	for _, ref := range answer["also"].(l) {
		also = append(also, fmt.Sprint(ref.(m)["kind"], " ", ref.(m)["id"]))
	}
	golden.Rows(t, "also published", also, []string{
		"block " + html, "block " + card, "block " + asks, "block " + columns, "block " + group, "category " + section, "document " + document, "product " + cup,
	})
	if pending := b.pending(); len(pending) != 1 || pending["block "+other] == nil {
		t.Errorf("pending %v", pending)
	}
	b.sees(b.Owner, "html-documents", document, "active_release_id", release)
}

// Publishing never leaves a gap on a live page: an edit of its block also publishes the document
// that the block now shows, and is refused while that document has no live release.
func TestPublishingAnEditLeavesNoGapOnALivePage(t *testing.T) {
	b := open(t)
	show := func(document string) {
		b.put(b.Dev, "content-blocks", b.block, m{"name": "Words", "sections": l{m{"type": "text", "payload": m{"v": 2, "kind": "html", "props": m{"html": m{"documentId": document}}}}}})
	}
	empty := id(b.add(b.Dev, "html-documents", m{"name": "Empty", "level": 3}))
	show(empty)
	refused := b.Refused("POST", "/drafts/publish", b.Owner, one("block", b.block), 409, "DRAFT_CONFLICT")
	if c := refused["items"].(l)[0].(m); c["kind"] != "block" || c["id"] != b.block || c["code"] != "DOCUMENT_NOT_PUBLISHED" {
		t.Errorf("%v", refused)
	}
	b.release(b.Dev, b.document, "first") // a live document without a release yet
	show(b.document)
	if got := fmt.Sprint(b.Result("POST", "/drafts/publish", b.Owner, one("block", b.block))["also"]); got != fmt.Sprint(l{m{"kind": "document", "id": b.document}}) {
		t.Errorf("also %s", got)
	}
}

// A block that the draft removes from a page and deletes cannot be deleted alone: the live page
// would lose it without getting its replacement.
func TestABlockOfALivePageIsNotDeletedAlone(t *testing.T) {
	b := open(t)
	inner := id(b.add(b.Owner, "content-blocks", m{"name": "Inner"}))
	outer := id(b.add(b.Owner, "content-blocks", m{"name": "Outer", "sections": l{m{"type": "text", "payload": m{"v": 2, "kind": "group", "props": m{"group": m{"refs": l{inner}}}}}}}))
	b.put(b.Dev, "content-blocks", outer, m{"name": "Outer", "sections": l{}})
	b.OK("PUT", "/categories/"+id(b.tea)+"/content-blocks", b.Dev, m{"items": l{}})
	for _, path := range []string{"/content-blocks/" + b.block, "/content-blocks/" + inner} {
		b.OK("DELETE", path, b.Dev, nil)
	}
	for _, item := range []m{one("block", b.block), one("block", inner)} {
		refused := b.Refused("POST", "/drafts/publish", b.Owner, item, 409, "DRAFT_CONFLICT")
		if c := refused["items"].(l)[0].(m); c["code"] != "STILL_SHOWN" || c["kind"] != item["items"].(l)[0].(m)["kind"] {
			t.Errorf("%v", c)
		}
	}
	b.OK("POST", "/drafts/publish", b.Owner, m{"items": l{m{"kind": "block", "id": b.block}, m{"kind": "category", "id": id(b.tea)}}})
	b.OK("POST", "/drafts/publish", b.Owner, all)
}

// The conflicts listed by GET /drafts are exactly those that publishing refuses, with the same
// items and codes.
func TestListedConflictsMatchThoseOfPublishing(t *testing.T) {
	for name, set := range map[string]func(b *bench){
		"a stale field": func(b *bench) {
			b.put(b.Dev, "products", id(b.green), m{"name": "Black"})
			b.put(b.Owner, "products", id(b.green), m{"name": "White"})
		},
		"a slug and a sku taken meanwhile": func(b *bench) {
			b.add(b.Dev, "products", m{"name": "One", "sku": "S", "seo": m{"slug": "same"}})
			b.add(b.Owner, "products", m{"name": "Two", "sku": "S", "seo": m{"slug": "same"}})
		},
		"a sku of a variant taken meanwhile": func(b *bench) {
			b.OK("PUT", "/products/"+id(b.green)+"/variants", b.Dev, m{"items": l{m{"sku": "V1", "title": "50 g"}}})
			other := b.add(b.Owner, "products", m{"name": "Two"})
			b.OK("PUT", "/products/"+id(other)+"/variants", b.Owner, m{"items": l{m{"sku": "V1", "title": "50 g"}}})
		},
		"a deleted section": func(b *bench) {
			cups := b.add(b.Owner, "categories", m{"name": "Cups"})
			b.put(b.Dev, "products", id(b.green), m{"category_id": cups["id"]})
			b.OK("DELETE", "/categories/"+id(cups), b.Owner, nil)
		},
		"a deleted block": func(b *bench) {
			words := id(b.add(b.Owner, "content-blocks", m{"name": "More"}))
			b.OK("PUT", "/categories/"+id(b.tea)+"/content-blocks", b.Dev, m{"items": l{m{"block_id": words, "sort_order": 0}}})
			b.OK("DELETE", "/content-blocks/"+words, b.Owner, nil)
		},
		"a section that is not empty": func(b *bench) {
			cups := b.add(b.Owner, "categories", m{"name": "Cups"})
			b.OK("DELETE", "/categories/"+id(cups), b.Dev, nil)
			b.add(b.Owner, "categories", m{"name": "Mugs", "parent_id": cups["id"]})
		},
		"a document without a release": func(b *bench) {
			empty := id(b.add(b.Dev, "html-documents", m{"name": "Empty", "level": 3}))
			b.widget("html", m{"html": m{"documentId": empty}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := open(t)
			set(b)
			var listed []string
			for _, item := range b.pending() {
				for _, c := range item["conflicts"].(l) {
					listed = append(listed, fmt.Sprint(c))
				}
			}
			var refused []string
			for _, c := range b.Refused("POST", "/drafts/publish", b.Owner, all, 409, "DRAFT_CONFLICT")["items"].(l) {
				refused = append(refused, fmt.Sprint(c))
			}
			if len(refused) == 0 {
				t.Error("nothing is refused")
			}
			golden.Rows(t, "listed conflicts", listed, refused)
			before := len(b.pending())
			b.Refused("POST", "/drafts/publish", b.Owner, all, 409, "DRAFT_CONFLICT")
			if after := len(b.pending()); after != before {
				t.Errorf("%d changes were pending, then %d", before, after)
			}
		})
	}
}

// The list names fields as the other responses of the API do, and its times are UTC.
func TestTheListUsesTheNamesOfTheAPI(t *testing.T) {
	b := open(t)
	made := map[string]m{
		"category": b.add(b.Dev, "categories", m{"name": "Cups", "order": 7, "parent_id": b.tea["id"], "is_show_menu": true, "description": "d", "seo": m{"slug": "cups", "meta_title": "t"}}),
		"product": b.add(b.Dev, "products", m{"name": "Cup", "sku": "C", "brand": "B", "category_id": b.tea["id"], "is_published": true, "published_at": "2030-01-02T03:04:05+03:00",
			"price": m{"price": 5, "old_price": 7}, "tags": l{"a"}, "gallery_ids": l{b.gallery}}),
		"article":  b.add(b.Dev, "articles", m{"title": "Mint", "badge": "New", "category_id": b.news["id"], "is_published": true, "published_at": "2030-01-02T03:04:05+03:00"}),
		"document": b.add(b.Dev, "html-documents", m{"name": "Doc", "level": 3, "description": "d"}),
		"gallery":  b.add(b.Dev, "galleries", m{"name": "G", "items": l{m{"item_key": "k", "kind": "html", "html": "<i>x</i>"}}}),
	}
	b.OK("DELETE", "/articles/"+id(b.article), b.Dev, nil)
	paths := map[string]string{"category": "categories", "product": "products", "article": "articles", "document": "html-documents", "gallery": "galleries"}
	times := regexp.MustCompile(`\d{4}-\d\d-\d\dT[^ \]]*`)
	for key, item := range b.pending() {
		for _, at := range times.FindAllString(fmt.Sprint(item), -1) {
			if !strings.HasSuffix(at, "Z") {
				t.Errorf("%s: %s is not a time in UTC", key, at)
			}
		}
		kind := item["kind"].(string)
		if made[kind] == nil || item["id"] != id(made[kind]) {
			continue
		}
		whole := b.OK("GET", "/"+paths[kind]+"/"+id(made[kind]), b.Dev, nil)
		answer := whole["result"].(m)
		for _, f := range item["fields"].(l) {
			var value any = answer
			for _, name := range strings.Split(f.(m)["field"].(string), ".") {
				within, _ := value.(m)
				value = within[name]
			}
			if value == nil && whole[f.(m)["field"].(string)] == nil {
				t.Errorf("%s: its response has no field %v", key, f.(m)["field"])
			}
		}
	}
	deleted := b.pending()["article "+id(b.article)]
	if got := fmt.Sprint(deleted["change"], deleted["fields"]); got != "deleted[map[draft:true field:is_deleted live:false]]" {
		t.Errorf("a deletion: %s", got)
	}
}

// Every widget property that refers to an entity with a draft is followed.
func TestEveryWidgetReferenceToADraftKindIsFollowed(t *testing.T) {
	for prop, table := range shop.WidgetRefs {
		if !slices.Contains([]string{"category", "product", "article", "gallery", "document", "content_block", "form"}, table) {
			t.Errorf("%s refers to %s, which publishing does not include", prop, table)
		}
	}
}
