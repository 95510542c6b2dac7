package catalog_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"vitrine/admin/api/body"
)

// itemField is a field of a request item.
type itemField struct {
	name  string
	typ   reflect.Type // without pointers
	enum  []string
	bound body.Bound
}

// itemFields returns the fields of the item of an endpoint, or of an entry of its items.
func (b bench) itemFields(method, path string) []itemField {
	b.t.Helper()
	for _, row := range b.Admin.Table() {
		if row.Method != method || row.Path != path {
			continue
		}
		for _, f := range fieldsOf(row.Do.In) {
			switch f.name {
			case "item":
				return fieldsOf(f.typ)
			case "items":
				return fieldsOf(f.typ.Elem())
			}
		}
	}
	b.t.Fatalf("%s %s has no item", method, path)
	return nil
}

// fieldsOf returns the fields of a request struct; of equal names the outermost counts, as in
// encoding/json.
func fieldsOf(t reflect.Type) (fields []itemField) {
	var embedded []itemField
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			embedded = append(embedded, fieldsOf(plain(f.Type))...)
		case f.IsExported() && name != "-":
			of := itemField{name: name, typ: plain(f.Type), bound: body.BoundOf(f)}
			if enum := f.Tag.Get("enum"); enum != "" {
				of.enum = strings.Split(enum, ",")
			}
			fields = append(fields, of)
		}
	}
	for _, e := range embedded {
		if !slices.ContainsFunc(fields, func(f itemField) bool { return f.name == e.name }) {
			fields = append(fields, e)
		}
	}
	return fields
}

func plain(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// validValues are values of fields that do not accept every value of their type, by the path of
// the field. The first value must differ from the default. A new field with validation needs an
// entry here; tests that generate items fail without it.
var validValues = map[string]l{
	"gtin":                      {"96385074", "4006381333931", ""},
	"weight_g":                  {1200, 0, 10_000_000, nil},
	"products.stock_by":         {"product"},
	"products.kind":             {"multi", "combo", "standard"},
	"products.catalog_hidden":   {"true", "false", ""},
	"products.price.currency":   {"EUR", ""},
	"categories.type":           {"product"},
	"articles.author.mode":      {"member"},
	"articles.published_at":     {"2026-01-02T03:04:05Z"},
	"products.published_at":     {"2026-01-02T03:04:05Z", nil},
	"swatch":                    {"#a1b2c3", ""},
	"tax_class":                 {"reduced", "zero", "standard"},
	"country_of_origin":         {"PT", "cn", ""},
	"comments_enabled":          {"true", "false", ""},
	"questions_enabled":         {"false", "true", ""},
	"seo.og_image_url":          {"https://pictures.test/1.jpg"},
	"seo.alternates":            {l{m{"language": "de", "url": "https://de.test/tee,a;b|c"}, m{"language": "x-default", "url": "https://x.test/"}}},
	"attributes.filterable":     {false, true},
	"categories.is_show_menu":   {false, true},
	"attributes.kind":           {"option"},
	"attributes.options":        {l{m{"value": "deep", "label": "Deep blue"}}},
	"categories.sidebar_config": {l{}},
	"categories_replace":        {true},
	"gallery_ids_replace":       {true},
	"products.configurable":     {true, false, nil},
	"is_deleted":                {false},
}

// valuesOf returns the listed values of a field; ok is false if the field accepts every value
// of its type.
func valuesOf(kind, path string) (values l, ok bool) {
	if values, ok = validValues[kind+"."+path]; !ok {
		values, ok = validValues[path]
	}
	return values, ok
}

// filler creates items in which every field is set.
type filler struct {
	t    testing.TB
	kind string
	n    int    // number of the item, used in fields that must be unique
	file string // a picture of the shop
	refs m      // targets of references, by path
}

// item sets all fields.
func (f filler) item(fields []itemField) m {
	out := m{}
	for _, field := range fields {
		out[field.name] = f.value(field, field.name)
	}
	return out
}

func (f filler) value(field itemField, path string) any {
	if ref, ok := f.refs[path]; ok {
		return ref
	}
	if values, ok := valuesOf(f.kind, path); ok && len(values) > 0 {
		return values[0]
	}
	if len(field.enum) > 0 {
		return field.enum[len(field.enum)-1]
	}
	switch t := field.typ; {
	case t.Name() == "optionalBool":
		return true
	case t.Name() == "optionalCount", t.Name() == "optionalPrice":
		return 7
	case t.Name() == "optionalID", t.Name() == "UUID":
		return f.file
	case t.Kind() == reflect.String:
		return f.text(field)
	case t.Kind() == reflect.Bool:
		return true
	case t.Kind() == reflect.Int, t.Kind() == reflect.Int32, t.Kind() == reflect.Int64:
		return 7
	case t.Kind() == reflect.Slice:
		entry := field
		entry.typ = plain(t.Elem())
		return l{f.value(entry, path)}
	case t.Kind() == reflect.Map && t.Elem().Kind() == reflect.String:
		return m{"a": f.text(field)}
	case t.Kind() == reflect.Struct && !strings.HasPrefix(t.Name(), "optional"):
		out := m{}
		for _, inner := range fieldsOf(t) {
			out[inner.name] = f.value(inner, path+"."+inner.name)
		}
		return out
	}
	f.t.Fatalf("%s.%s: add the values that it accepts to validValues", f.kind, path)
	return nil
}

// text returns a text with the names of its field and item, within the bound.
func (f filler) text(field itemField) string {
	runes := []rune(fmt.Sprint(field.name, "-", f.n))
	if field.bound.Len > 0 && len(runes) > field.bound.Len {
		runes = runes[:field.bound.Len]
	}
	return strings.ReplaceAll(string(runes), "_", "-")
}
