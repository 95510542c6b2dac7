package openapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"vitrine/admin/api"
	"vitrine/admin/api/body"
	"vitrine/internal/shop"
)

// schema is the subset of JSON Schema 2020-12 that Go types need.
type schema struct {
	Ref                  string             `json:"$ref,omitempty"`
	Description          string             `json:"description,omitempty"`
	Type                 any                `json:"type,omitempty"` // a name, or a list with "null"
	Format               string             `json:"format,omitempty"`
	Pattern              string             `json:"pattern,omitempty"`
	MediaType            string             `json:"contentMediaType,omitempty"`
	Enum                 []any              `json:"enum,omitempty"`
	Minimum              *float64           `json:"minimum,omitempty"`
	Maximum              *float64           `json:"maximum,omitempty"`
	MinLength            int                `json:"minLength,omitempty"`
	MaxLength            int                `json:"maxLength,omitempty"`
	MaxItems             int                `json:"maxItems,omitempty"`
	MaxProperties        int                `json:"maxProperties,omitempty"`
	Items                *schema            `json:"items,omitempty"`
	Properties           map[string]*schema `json:"properties,omitempty"`
	Required             []string           `json:"required,omitempty"`
	AdditionalProperties any                `json:"additionalProperties,omitempty"` // a schema, or false
	AnyOf                []*schema          `json:"anyOf,omitempty"`
	AllOf                []*schema          `json:"allOf,omitempty"`
}

func number(f float64) *float64 { return &f }

// types converts Go types to schemas. Named structs become components, so that recursion ends;
// input selects the request or the response schema of a type.
type types struct {
	*builder
	input  bool
	method string // of the request whose body this is; empty inside of components, which several share
}

// shaped is JSON that the endpoint passes on as it is, described by a type.
type shaped interface{ Shape() reflect.Type }

// readsJSON reports whether a type has its own form of JSON.
func readsJSON(g reflect.Type) bool {
	return reflect.PointerTo(g).Implements(reflect.TypeFor[json.Unmarshaler]())
}

// closed is a kind of text with a fixed set of values.
type closed interface{ Values() []string }

func enum(values []string) []any {
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = v
	}
	return list
}

func (t types) of(g reflect.Type) *schema {
	if g.Kind() == reflect.Pointer {
		return nullable(t.of(g.Elem()))
	}
	if g == reflect.TypeFor[shop.Percent]() {
		return &schema{Type: "number", Minimum: number(0), Maximum: number(100)}
	}
	if bits, ok := isID(g); ok {
		return t.id(g, bits)
	}
	if of, ok := reflect.Zero(g).Interface().(closed); ok {
		return &schema{Type: "string", Enum: enum(of.Values())}
	}
	switch {
	case g == reflect.TypeFor[api.None]():
		return &schema{Type: "object", AdditionalProperties: false}
	case g == reflect.TypeFor[time.Time]():
		return &schema{Type: "string", Format: "date-time"}
	case g == reflect.TypeFor[uuid.UUID]():
		return &schema{Type: "string", Format: "uuid"}
	case g == reflect.TypeFor[json.RawMessage](), g.Kind() == reflect.Interface:
		return &schema{}
	case g.Implements(reflect.TypeFor[shaped]()):
		return t.of(reflect.Zero(g).Interface().(shaped).Shape())
	case g.Kind() == reflect.String && g.Implements(reflect.TypeFor[json.Marshaler]()): // a number, or a string such as a date
		return &schema{Type: []string{"string", "number"}}
	case t.input && readsItself(g):
		return t.pointed(g)
	case t.input && g.Kind() == reflect.String && reflect.PointerTo(g).Implements(reflect.TypeFor[json.Unmarshaler]()):
		return &schema{Type: []string{"string", "integer"}}
	case t.input && g.Kind() == reflect.Slice && reflect.PointerTo(g).Implements(reflect.TypeFor[json.Unmarshaler]()):
		return &schema{AnyOf: []*schema{t.of(g.Elem()), nullable(t.plain(g))}} // a list that may be sent as its only entry
	}
	if k := g.Kind(); t.input && (k == reflect.Slice || k == reflect.Map) {
		return nullable(t.plain(g)) // null is treated as absent
	}
	return t.plain(g)
}

// plain returns the schema of a kind.
func (t types) plain(g reflect.Type) *schema {
	switch g.Kind() {
	case reflect.String:
		return &schema{Type: "string"}
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.Float64, reflect.Float32:
		return &schema{Type: "number"}
	case reflect.Int64, reflect.Uint64:
		return &schema{Type: "integer", Format: "int64"}
	case reflect.Slice, reflect.Array:
		if g.Elem().Kind() == reflect.Uint8 {
			return &schema{Type: "string"}
		}
		return &schema{Type: "array", Items: t.of(g.Elem())}
	case reflect.Map:
		return &schema{Type: "object", AdditionalProperties: t.of(g.Elem())}
	case reflect.Struct:
		return t.object(g)
	}
	return &schema{Type: "integer", Format: "int32"}
}

// isID detects integers that JSON accepts as number or string, and returns their size in bits.
func isID(g reflect.Type) (bits int, ok bool) {
	if g.Kind() != reflect.Int32 && g.Kind() != reflect.Int64 {
		return 0, false
	}
	return g.Bits(), reflect.PointerTo(g).Implements(reflect.TypeFor[json.Unmarshaler]())
}

// id returns the schema of an id or a 64-bit count (document 1, conventions).
func (t types) id(g reflect.Type, bits int) *schema {
	format := "int32"
	if bits == 64 {
		format = "int64"
	}
	switch {
	case t.input:
		return &schema{Type: []string{"integer", "string"}, Format: format, Pattern: `^(-?[0-9]+)?$`}
	case g.Implements(reflect.TypeFor[json.Marshaler]()):
		return &schema{Type: "string", Format: format, Pattern: `^-?[0-9]+$`}
	}
	return &schema{Type: "integer", Format: format}
}

// readsItself detects structs with their own UnmarshalJSON and no JSON fields, such as a file id
// that can be cleared.
func readsItself(g reflect.Type) bool {
	if g.Kind() != reflect.Struct || !reflect.PointerTo(g).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return false
	}
	for i := range g.NumField() {
		if jsonName(g.Field(i)) != "" {
			return false
		}
	}
	return true
}

// pointed returns the schema of what the pointer field of such a struct points to, or null; a
// file id and a date may be empty as well.
func (t types) pointed(g reflect.Type) *schema {
	for i := range g.NumField() {
		if f := g.Field(i); f.Type.Kind() == reflect.Pointer {
			switch f.Type.Elem() {
			case reflect.TypeFor[time.Time]():
				return &schema{AnyOf: []*schema{t.of(f.Type.Elem()), {Enum: []any{"", nil}}}, Description: "Empty or null clears"}
			case reflect.TypeFor[uuid.UUID]():
				return &schema{
					Type: []string{"string", "null"}, Pattern: `^([0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})?$`,
					Description: "A UUID; empty or null clears",
				}
			}
			return t.of(f.Type)
		}
	}
	return &schema{}
}

// nullable allows null in addition to the type; a component is wrapped.
func nullable(s *schema) *schema {
	null := *s
	switch kind := s.Type.(type) {
	case string:
		null.Type = []string{kind, "null"}
	case []string:
		if slices.Contains(kind, "null") {
			return s
		}
		null.Type = append(slices.Clone(kind), "null")
	default:
		if s.Ref == "" && s.AllOf == nil {
			return s // already allows anything
		}
		return &schema{AnyOf: []*schema{s, {Type: "null"}}}
	}
	if len(s.Enum) > 0 {
		null.Enum = append(slices.Clone(s.Enum), nil)
	}
	return &null
}

// object returns the schema of a struct. Generic wrappers such as Result have no name that is
// useful to clients, so they are inlined.
func (t types) object(g reflect.Type) *schema {
	name := t.component(g)
	if name == "" {
		s := &schema{Type: "object", Properties: map[string]*schema{}}
		t.properties(g, s, false)
		return s
	}
	switch t.named[name] {
	case g:
	case nil:
		t.named[name] = g
		s := &schema{Type: "object", Properties: map[string]*schema{}}
		t.doc.Components.Schemas[name] = s
		types{t.builder, t.input, ""}.properties(g, s, false)
	default: // two types whose names differ only in case or package
		t.clash = errors.Join(t.clash, fmt.Errorf("%s and %s are both named %s", g, t.named[name], name))
	}
	ref := &schema{Ref: "#/components/schemas/" + name}
	if needed := t.neededBy(g); len(needed) > 0 {
		return &schema{AllOf: []*schema{ref}, Required: needed}
	}
	return ref
}

// neededBy lists the fields that only requests with the method of t must have.
func (t types) neededBy(g reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(g) {
		if t.method != "" && f.Tag.Get("required") == t.method {
			names = append(names, jsonName(f))
		}
	}
	return names
}

// properties adds the fields of a struct. All fields of a response are required, unless they are
// omitted when empty or are in an embedded pointer (maybe). Fields of a request are required if their
// tag says so.
func (t types) properties(g reflect.Type, into *schema, maybe bool) {
	for i := range g.NumField() {
		f := g.Field(i)
		if f.Anonymous && f.Tag.Get("json") == "" {
			inner := f.Type
			pointer := inner.Kind() == reflect.Pointer
			if pointer {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct {
				t.properties(inner, into, maybe || pointer)
				continue
			}
		}
		_, inPath := f.Tag.Lookup("path")
		_, inQuery := f.Tag.Lookup("query")
		name := jsonName(f)
		if name == "" || inPath || inQuery {
			continue
		}
		_, shadowed := into.Properties[name]
		needed := !maybe && !strings.Contains(f.Tag.Get("json"), ",omit")
		of := f.Type
		if t.input {
			tag := f.Tag.Get("required")
			needed = tag == "always" || tag != "" && tag == t.method
			if needed && of.Kind() == reflect.Pointer {
				of = of.Elem()
			}
		}
		if needed && !shadowed {
			into.Required = append(into.Required, name)
		}
		shown := t.of(of)
		if k := of.Kind(); t.input && needed && (k == reflect.Slice || k == reflect.Map) && !readsJSON(of) {
			shown = t.plain(of)
		}
		if t.input {
			shown = bounded(shown, body.BoundOf(f))
		}
		into.Properties[name] = t.tagged(f, shown)
	}
}

// bounded adds the bound of a field to its schema: to a list and its strings, to a map and its
// strings, to a string. Components have their own bounds.
func bounded(s *schema, b body.Bound) *schema {
	c := *s
	switch {
	case s.Items != nil:
		c.MaxItems, c.Items = b.Max, bounded(s.Items, b)
	case s.isOf("object") && s.Properties == nil:
		c.MaxProperties = b.Max
		if of, ok := s.AdditionalProperties.(*schema); ok {
			c.AdditionalProperties = bounded(of, b)
		}
	case s.isOf("string") && s.Format == "" && s.Pattern == "" && s.Enum == nil && b.Len != body.NoLen:
		c.MaxLength = b.Len
	}
	return &c
}

// isOf reports whether kind is the first type of a schema.
func (s *schema) isOf(kind string) bool {
	kinds, _ := s.Type.([]string)
	return s.Type == kind || len(kinds) > 0 && kinds[0] == kind
}

// tagged adds the description and the values of a field's tags.
func (t types) tagged(f reflect.StructField, s *schema) *schema {
	doc, values, blank := f.Tag.Get("doc"), f.Tag.Get("enum"), f.Tag.Get("blank") != ""
	if doc == "" && values == "" && !blank {
		return s
	}
	c := *s
	if doc != "" {
		c.Description = doc
	}
	if values != "" {
		c.Enum = enum(strings.Split(values, ","))
		if kinds, ok := c.Type.([]string); ok && kinds[len(kinds)-1] == "null" {
			c.Enum = append(c.Enum, nil)
		}
	}
	if blank {
		c.Enum = append([]any{""}, c.Enum...)
	}
	return &c
}

// jsonName returns the name of a field in JSON, or "" if it is not encoded.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" || !f.IsExported() {
		return ""
	}
	if name == "" {
		return f.Name
	}
	return name
}
