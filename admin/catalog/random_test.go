package catalog_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vitrine/admin/api/apitest"
)

// Values of the right types for every field, mostly ones that are taken, so that
// what is odd about them reaches the database.
var (
	text    = rapid.OneOf(rapid.StringN(1, 20, -1), rapid.SampledFrom([]string{"x", "\u0001", strings.Repeat("я", 5000)})).AsAny()
	number  = rapid.OneOf(rapid.Int64Range(0, 5), rapid.Int64Range(0, 5), rapid.Int64Range(1<<31-2, 1<<31+2), rapid.Int64()).AsAny()
	flag    = rapid.Bool().AsAny()
	state   = rapid.SampledFrom([]any{"", "true", "false"})
	date    = rapid.SampledFrom([]any{"2026-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59-23:59", "1969-12-31T23:59:59.999999999+14:00"})
	none    = rapid.SampledFrom([]any{"", nil})
	anyName = rapid.SampledFrom([]string{"Tea", "🍵", "12 cups", "cart", "Чай"}).AsAny()
	seo     = object(map[string]*rapid.Generator[any]{
		"slug": anyName, "meta_title": text, "og_image_id": none, "noindex": flag, "meta_keywords": rapid.SliceOfN(text, 0, 3).AsAny(),
	})
	common = map[string]*rapid.Generator[any]{
		"is_published": flag, "is_deleted": flag, "seo": seo, "preview_id": none, "comments_enabled": state, "questions_enabled": state,
		"description": text, "unknown": text,
	}
	kinds = map[string]map[string]*rapid.Generator[any]{
		"categories": {"name": anyName, "parent_id": rapid.SampledFrom([]any{0, "0", nil}), "is_home": flag, "order": number, "page_template": text},
		"products": {
			"name": anyName, "sku": text, "gtin": text, "brand": text, "tags": rapid.SliceOfN(text, 0, 4).AsAny(), "catalog_hidden": state, "stock_quantity": number,
			"stock_low_threshold": number, "price": object(map[string]*rapid.Generator[any]{"price": number, "old_price": number}),
			"kind": rapid.SampledFrom([]any{"standard", "combo", "multi"}), "categories": rapid.Just[any](l{}), "categories_replace": flag,
		},
		"articles": {
			"title": anyName, "slug": anyName, "badge": text, "announce": text, "published_at": date, "cover_id": none,
			"author": object(map[string]*rapid.Generator[any]{"mode": rapid.Just[any]("member"), "user_id": number, "name": text, "photo_id": none}),
		},
	}
)

// object has some of the fields.
func object(fields map[string]*rapid.Generator[any]) *rapid.Generator[any] {
	names := slices.Sorted(maps.Keys(fields))
	return rapid.Custom(func(t *rapid.T) any {
		out := m{}
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 5, rapid.ID[string]).Draw(t, "fields") {
			out[name] = fields[name].Draw(t, name)
		}
		return out
	})
}

// What is written is refused in the caller's words or can be read again, alone
// and in the list.
func TestWhatIsTakenCanBeRead(t *testing.T) {
	b := open(t)
	rubric := b.section("news", "News")["id"]
	taken := 0
	rapid.Check(t, func(t *rapid.T) {
		b.Clock.Advance(time.Minute)
		kind := rapid.SampledFrom(slices.Sorted(maps.Keys(kinds))).Draw(t, "kind")
		fields := maps.Clone(kinds[kind])
		maps.Copy(fields, common)
		sent := object(fields).Draw(t, "item").(m)
		made := b.add(kind, m{"name": "Tea", "title": "Tea", "category_id": categoryOf(kind, rubric)})
		answer := b.Send(apitest.Request{Method: "PUT", Path: at(kind, made), Key: b.Owner, Body: item(sent)})
		if answer.Status >= 500 {
			t.Fatalf("%d %s", answer.Status, answer.Body)
		}
		if answer.Status < 400 {
			taken++
		}
		for _, path := range []string{at(kind, made), "/" + kind} {
			if status, body := b.Call("GET", path, b.Owner, nil); status != 200 {
				t.Fatalf("%s: %d %v", path, status, body)
			}
		}
		b.OK("DELETE", at(kind, made), b.Owner, nil)
	})
	if taken == 0 {
		t.Error("no item was taken: the generator is too odd")
	}
}

func categoryOf(kind string, rubric any) any {
	if kind == "articles" {
		return rubric
	}
	return 0
}
