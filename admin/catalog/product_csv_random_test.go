package catalog_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vitrine/admin/api/apitest"
	"vitrine/internal/store/catalog"
)

// fixtures are the sections and attributes of a shop that random products refer to.
type fixtures struct{ sections, attributes []any }

func (b bench) fixtures(key string) (f fixtures) {
	b.t.Helper()
	result := func(path string, fields m) any { return b.Result("POST", path, key, item(fields))["id"] }
	for _, name := range []string{"Tea", "Чай", "More"} {
		f.sections = append(f.sections, result("/categories", m{"name": name, "type": "product"}))
	}
	f.attributes = l{
		result("/attributes", m{"name": "Colour", "options": l{m{"value": "red", "label": "Red | dark"}, m{"value": "blue", "label": "=Blue"}}}),
		result("/attributes", m{"name": "Weight, g", "kind": "number"}),
		result("/attributes", m{"name": "Note\" x", "kind": "text"}),
	}
	return f
}

var cellText = rapid.OneOf(
	rapid.StringMatching(`[a-zа-я0-9 ,;|"'\\]{0,12}`), rapid.SampledFrom([]string{"=1+1", "'=x", "-5", "a\r\nb", "a\rb\n", "@", "\t", "null", "[]", " x "}),
)

// product draws the fields of a product that a CSV transfers to another shop.
func (f fixtures) product(t *rapid.T, all []itemField, sku string) m {
	words := rapid.Custom(func(t *rapid.T) any {
		list := l{}
		for _, w := range rapid.SliceOfN(rapid.StringMatching(`[a-z|\\=, ]{0,3}[a-z]`), 0, 3).Draw(t, "words") {
			list = append(list, w)
		}
		return list
	})
	number := rapid.Int64Range(0, 2_000_000_000).AsAny()
	fields := m{
		"name": "Tea " + strings.Trim(sku, "S=С a|b\"") + rapid.StringMatching(` [a-zа-я=;,"]{0,8}`).Draw(t, "name"),
		"sku":  sku, "attributes": f.values(t), "seo": seoCells(t, words),
	}
	drawn := map[string]*rapid.Generator[any]{
		"tags": words, "price": rapid.Map(number, func(n any) any { return m{"price": n, "old_price": n} }),
		"category_id": rapid.SampledFrom(f.sections), "categories": rapid.Map(rapid.SampledFrom(f.sections), func(id any) any { return l{id} }),
		"stock_quantity": number, "stock_low_threshold": number,
		"gallery": nil, "preview": nil, "preview_id": nil, "combo_items": nil, "combo_discount": nil, // pictures and products belong to one shop
	}
	for _, field := range all {
		g, said := drawn[field.name]
		if _, done := fields[field.name]; done || ignoredFields[""][field.name] != "" || ignoredFields["CSV import"][field.name] != "" {
			continue
		}
		if !said {
			g = cellOf(t, field)
		}
		if g != nil && rapid.Bool().Draw(t, "has "+field.name) {
			fields[field.name] = g.Draw(t, field.name)
		}
	}
	return fields
}

// cellOf draws values of a field by its type.
func cellOf(t *rapid.T, field itemField) *rapid.Generator[any] {
	values, _ := valuesOf("products", field.name)
	switch {
	case len(values) > 0:
		return rapid.SampledFrom(values)
	case field.typ.Kind() == reflect.String:
		return cellText.AsAny()
	case field.typ.Kind() == reflect.Bool:
		return rapid.Bool().AsAny()
	}
	t.Fatalf("products.%s: add values to validValues or a generator here", field.name)
	return nil
}

func seoCells(t *rapid.T, words *rapid.Generator[any]) m {
	seo := m{}
	for _, field := range fieldsOf(reflect.TypeFor[catalog.SEO]()) {
		var g *rapid.Generator[any]
		switch {
		case field.name == "slug" || field.name == "og_image_id": // belongs to one shop
			continue
		case field.name == "meta_keywords":
			g = words
		case field.name == "alternates":
			g = twins
		default:
			g = cellOf(t, itemField{name: field.name, typ: field.typ})
		}
		if rapid.Bool().Draw(t, "has "+field.name) {
			seo[field.name] = g.Draw(t, field.name)
		}
	}
	return seo
}

func (f fixtures) values(t *rapid.T) l {
	values := l{}
	if options := rapid.SliceOfDistinct(rapid.SampledFrom([]any{"red", "blue"}), rapid.ID[any]).Draw(t, "options"); len(options) > 0 {
		values = append(values, m{"attribute_id": f.attributes[0], "values": options})
	}
	if rapid.Bool().Draw(t, "has a number") {
		values = append(values, m{"attribute_id": f.attributes[1], "number": rapid.Float64Range(-1e18, 1e18).Draw(t, "number")})
	}
	return append(values, m{"attribute_id": f.attributes[2], "text": cellText.Draw(t, "text")})
}

func variantsOf(t *rapid.T, sku string) l {
	list := l{}
	for n := range rapid.IntRange(0, 3).Draw(t, "variants") {
		v := m{
			"sku": fmt.Sprint(sku, "-", n), "title": cellText.Draw(t, "title"),
			"options": m{"colour": cellText.Draw(t, "option")}, "is_active": rapid.Bool().Draw(t, "active"),
		}
		if rapid.Bool().Draw(t, "has a price") {
			v["price"] = rapid.IntRange(0, 100).Draw(t, "price")
		}
		list = append(list, v)
	}
	return list
}

// Importing an export changes nothing, and importing it into another shop with the same
// sections and attributes creates the same products.
func TestImportingAnExportIsTheIdentity(t *testing.T) {
	b := open(t)
	f, n := b.fixtures(b.Owner), 0
	b.fixtures(b.Stranger)
	all := b.itemFields("POST", "/products")
	rapid.Check(t, func(t *rapid.T) {
		b.clear(b.Owner)
		b.clear(b.Stranger)
		b.Clock.Advance(time.Minute)
		var made []string
		for range rapid.IntRange(1, 4).Draw(t, "products") {
			n++
			sku := rapid.SampledFrom([]string{"S", "=S", "С ", "a|b", `"`}).Draw(t, "sku") + fmt.Sprint(n)
			p := b.Result("POST", "/products", b.Owner, item(f.product(t, all, sku)))
			made = append(made, at("products", p))
			b.OK("PUT", at("products", p)+"/variants", b.Owner, m{"items": variantsOf(t, sku)})
			if rapid.IntRange(0, 3).Draw(t, "without an address") == 0 {
				b.OK("PUT", at("products", p), b.Owner, item(m{"seo": m{"meta_title": "x"}}))
			}
		}
		export := b.exportOf(b.Owner)
		text := rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "mark") + string(export)
		report := b.Result("POST", "/products/import", b.Owner, m{"text": text})
		if report["unchanged"] != float64(len(made)) || len(report["rows"].(l)) != len(made) {
			t.Fatalf("%v\n%s", report, export)
		}
		if again := b.exportOf(b.Owner); string(again) != string(export) {
			t.Fatalf("%s\nis now\n%s", export, again)
		}
		report = b.Result("POST", "/products/import", b.Stranger, m{"text": text})
		if report["created"] != float64(len(made)) {
			t.Fatalf("%v\n%s", report, export)
		}
		mine, theirs := b.shown(b.Owner), b.shown(b.Stranger)
		if mine != theirs {
			t.Fatalf("mine   %s\ntheirs %s", mine, theirs)
		}
	})
}

func (b bench) exportOf(key string) []byte {
	b.t.Helper()
	answer := b.Send(apitest.Request{Method: "GET", Path: "/products/export", Key: key})
	if answer.Status != 200 {
		b.t.Fatalf("%d %s", answer.Status, answer.Body)
	}
	return answer.Body
}

// shown returns all products of a shop as JSON, without data that differs between shops: ids,
// times, and addresses that an import generated.
func (b bench) shown(key string) string {
	b.t.Helper()
	var all l
	for _, p := range b.Result("GET", "/products?page.number=1&page.limit=100", key, nil)["items"].(l) {
		card := b.Result("GET", at("products", p.(m)), key, nil)
		for _, name := range []string{"id", "company_id", "created_at", "updated_at", "category_id", "slug", "active_variant_id"} {
			delete(card, name)
		}
		card["categories"] = len(card["categories"].(l))
		delete(card["seo"].(m), "slug")
		for _, list := range []string{"variants", "attributes"} {
			for _, v := range card[list].(l) {
				for _, name := range []string{"id", "attribute_id", "option_ids"} {
					delete(v.(m), name)
				}
			}
		}
		all = append(all, card)
	}
	out, err := json.Marshal(all)
	if err != nil {
		b.t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func (b bench) clear(key string) {
	b.t.Helper()
	for _, p := range b.Result("GET", "/products?page.number=1&page.limit=100", key, nil)["items"].(l) {
		b.OK("DELETE", at("products", p.(m)), key, nil)
	}
}
