package body

import (
	"encoding"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/shop"
)

// refuseBody returns the refusal of a body that could not be decoded into its request type,
// with the place in the body. The errors of a type with its own unmarshaler, such as an id, do
// not contain their place, and the decoder does not count entries of lists.
func refuseBody(err error, in any, body []byte) error {
	place := faultyPlace(reflect.TypeOf(in).Elem(), body)
	if refusal, ok := shop.AsRefusal(err); ok {
		if place == "" || strings.HasPrefix(refusal.Message(), place) {
			return refusal
		}
		return refusal.At(place)
	}
	return shop.ErrInvalidRequest.With(jsonFault(err, place))
}

// Locate completes the place of a refusal to a path of the request: rules name places within
// an item and do not know that the body wraps it in "item". A place that is neither in the body
// nor a query parameter, because the rule found it in stored data, is removed.
func (s *Shape) Locate(err error, query []string) error {
	refusal, ok := err.(*shop.Refusal)
	if !ok || refusal.Place == "" {
		return err
	}
	head := headOf(refusal.Place)
	if s.member(head) != nil || slices.ContainsFunc(query, func(name string) bool { return headOf(name) == head }) {
		return err
	}
	if item := s.member("item"); item != nil && item.member(head) != nil {
		return refusal.At("item")
	}
	placeless := *refusal
	placeless.Place = ""
	return &placeless
}

// headOf returns the field that a place begins with.
func headOf(place string) string { return place[:strings.IndexAny(place+".", ".[")] }

var (
	readsJSON = reflect.TypeFor[json.Unmarshaler]()
	readsText = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// faultyPlace returns the place of the first value that its type does not accept, such as
// item.gallery[0].id; "" for the body itself. Each level decodes its values once more, and the
// nesting is limited by the type.
func faultyPlace(t reflect.Type, raw json.RawMessage) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if own := reflect.PointerTo(t); own.Implements(readsJSON) || own.Implements(readsText) {
		return ""
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		var entries []json.RawMessage
		if json.Unmarshal(raw, &entries) != nil {
			return ""
		}
		for i, entry := range entries {
			if refused(t.Elem(), entry) {
				return "[" + strconv.Itoa(i) + "]" + joined(faultyPlace(t.Elem(), entry))
			}
		}
	case reflect.Map, reflect.Struct:
		var values map[string]json.RawMessage
		if json.Unmarshal(raw, &values) != nil {
			return ""
		}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			value := values[name]
			if of := typeOfValue(t, name); of != nil && refused(of, value) {
				return plainName(name) + joined(faultyPlace(of, value))
			}
		}
	}
	return ""
}

func refused(t reflect.Type, raw json.RawMessage) bool {
	return json.Unmarshal(raw, reflect.New(t).Interface()) != nil
}

// joined puts a dot before a place, unless the place is an entry of a list.
func joined(place string) string {
	if place == "" || place[0] == '[' {
		return place
	}
	return "." + place
}

// typeOfValue returns the type that the value of a name is decoded into, or nil if the name is
// unknown.
func typeOfValue(t reflect.Type, name string) (found reflect.Type) {
	if t.Kind() == reflect.Map {
		return t.Elem()
	}
	for _, f := range reflect.VisibleFields(t) {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || tag == "-" || f.Anonymous && tag == "" {
			continue
		}
		if tag == "" {
			tag = f.Name
		}
		if tag == name {
			return f.Type
		}
		if found == nil && strings.EqualFold(tag, name) {
			found = f.Type
		}
	}
	return found
}
