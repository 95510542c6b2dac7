package catalog_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vitrine/admin/api/apitest"
)

// Values of the right type for every field, mostly valid ones, so that unusual values reach the
// database.
var (
	text   = rapid.OneOf(rapid.StringN(1, 20, -1), rapid.SampledFrom([]string{"x", "\u0001", strings.Repeat("я", 5000)})).AsAny()
	number = rapid.OneOf(rapid.Int64Range(0, 5), rapid.Int64Range(0, 5), rapid.Int64Range(1<<31-2, 1<<31+2), rapid.Int64()).AsAny()
	flag   = rapid.Bool().AsAny()
	date   = rapid.SampledFrom(
		[]any{"2026-01-01T00:00:00Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59-23:59", "1969-12-31T23:59:59.999999999+14:00"},
	)
	none    = rapid.SampledFrom([]any{"", nil})
	anyName = rapid.SampledFrom([]string{"Tea", "🍵", "12 cups", "cart", "Чай"}).AsAny()
	words   = rapid.SliceOfN(text, 0, 4).AsAny()

	// twins are valid alternate-language pages.
	twins = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any {
		return m{
			"language": rapid.SampledFrom([]string{"de", "pt-BR", "x-default"}).Draw(t, "language"),
			"url":      "https://de.test/" + rapid.StringMatching(`[a-z;,|"?=&-]{0,12}`).Draw(t, "path"),
		}
	}), 0, 3).AsAny()

	// odd are generators for fields whose type alone does not produce useful values, by path;
	// nil for references, which are not drawn.
	odd = map[string]*rapid.Generator[any]{
		"name": anyName, "title": anyName, "slug": anyName, "seo.slug": anyName, "categories.parent_id": rapid.SampledFrom([]any{0, "0", nil}),
		"products.categories": rapid.Just[any](l{}), "categories.sidebar_config": nil, "gallery_ids": nil, "gallery_ids_replace": nil,
		"seo.alternates": rapid.OneOf(twins, rapid.Just[any](l{m{"language": "a b", "url": "javascript:1"}})),
		"category_id":    nil, "products.attributes": nil, "products.gallery": nil, "products.combo_items": nil, "products.combo_discount": nil,
		"products.variants": nil, "products.stock": nil,
	}
)

// drawn returns generators of every field of an item.
func (b bench) drawn(kind string) map[string]*rapid.Generator[any] {
	b.t.Helper()
	all := map[string]*rapid.Generator[any]{"unknown": text}
	for _, f := range b.itemFields("POST", "/"+kind) {
		if g := b.draw(kind, f.name, f); g != nil {
			all[f.name] = g
		}
	}
	return all
}

// draw returns a generator of values of a field's type, including its valid values.
func (b bench) draw(kind, path string, f itemField) *rapid.Generator[any] {
	b.t.Helper()
	for _, name := range []string{kind + "." + path, path} {
		if g, said := odd[name]; said {
			return g
		}
	}
	if values, _ := valuesOf(kind, path); len(values) > 0 && f.typ.Kind() == reflect.String {
		return rapid.OneOf(rapid.SampledFrom(values), rapid.SampledFrom(values), text)
	}
	switch t := f.typ; {
	case len(f.enum) > 0:
		return rapid.Map(rapid.SampledFrom(f.enum), func(s string) any { return s })
	case t.Name() == "optionalID", t.Name() == "UUID":
		return none
	case t.Name() == "optionalBool":
		return rapid.Map(rapid.SampledFrom([]any{true, false, nil}), func(v any) any { return v })
	case t.Name() == "OptionalTime":
		return date
	case t.Name() == "optionalCount", t.Name() == "optionalWeight", t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64:
		return number
	case t.Kind() == reflect.String:
		return text
	case t.Kind() == reflect.Bool:
		return flag
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String:
		return words
	case t.Kind() == reflect.Struct && !strings.HasPrefix(t.Name(), "optional"):
		inner := map[string]*rapid.Generator[any]{}
		for _, of := range fieldsOf(t) {
			inner[of.name] = b.draw(kind, path+"."+of.name, of)
		}
		return object(inner)
	}
	b.t.Fatalf("%s.%s: add a generator to odd", kind, path)
	return nil
}

// object draws some of the fields.
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

// A write is refused with a refusal, or the item can be read again, alone and in the list.
func TestWrittenValuesCanBeRead(t *testing.T) {
	b := open(t)
	rubric := b.section("news", "News")["id"]
	kinds := map[string]map[string]*rapid.Generator[any]{}
	for _, kind := range []string{"categories", "products", "articles"} {
		kinds[kind] = b.drawn(kind)
	}
	read := 0
	rapid.Check(t, func(t *rapid.T) {
		b.Clock.Advance(time.Minute)
		kind := rapid.SampledFrom(slices.Sorted(maps.Keys(kinds))).Draw(t, "kind")
		sent := object(kinds[kind]).Draw(t, "item").(m)
		made := b.add(kind, m{"name": "Tea", "title": "Tea", "category_id": categoryOf(kind, rubric)})
		answer := b.Send(apitest.Request{Method: "PUT", Path: at(kind, made), Key: b.Owner, Body: item(sent)})
		if answer.Status >= 500 {
			t.Fatalf("%d %s", answer.Status, answer.Body)
		}
		if answer.Status < 400 {
			read++
		}
		for _, path := range []string{at(kind, made), "/" + kind} {
			if status, body := b.Call("GET", path, b.Owner, nil); status != 200 {
				t.Fatalf("%s: %d %v", path, status, body)
			}
		}
		b.OK("DELETE", at(kind, made), b.Owner, nil)
	})
	if read == 0 {
		t.Error("no item was accepted: the generator is too unusual")
	}
}

func categoryOf(kind string, rubric any) any {
	if kind == "articles" {
		return rubric
	}
	return 0
}
