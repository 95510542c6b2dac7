package api

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

// refuseBody is what the caller is told of a body that its request type did not take,
// with the place in the body. What a type that reads itself refuses with, an id say,
// does not know where it stands, and the decoder counts no entries of lists.
func refuseBody(err error, in any, body []byte) error {
	place := faultyPlace(reflect.TypeOf(in).Elem(), body)
	if refusal, ok := shop.AsRefusal(err); ok {
		if place == "" || strings.HasPrefix(refusal.Told(), place) {
			return refusal
		}
		return refusal.At(place)
	}
	return shop.ErrInvalidRequest.With(jsonFault(err, place))
}

// located completes the place of a refusal to one in the request: a rule says where
// something stands in an item, and knows not that the body wraps it in "item". A place
// that the request does not have, since what the rule found was there before, is not
// told.
func (e *Endpoint) located(err error) error {
	refusal, ok := err.(*shop.Refusal)
	if !ok || refusal.Place == "" {
		return err
	}
	head := headOf(refusal.Place)
	if e.Do.shape.member(head) != nil || slices.ContainsFunc(e.Query(), func(name string) bool { return headOf(name) == head }) {
		return err
	}
	if item := e.Do.shape.member("item"); item != nil && item.member(head) != nil {
		return refusal.At("item")
	}
	placeless := *refusal
	placeless.Place = ""
	return &placeless
}

// headOf is the field that a place begins with.
func headOf(place string) string { return place[:strings.IndexAny(place+".", ".[")] }

var (
	readsJSON = reflect.TypeFor[json.Unmarshaler]()
	readsText = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// faultyPlace is where the first value stands that its type does not take, such as
// item.gallery[0].id; "" for the body itself. Each level reads its values once more, and
// types nest no deeper than they are written.
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

// joined puts a dot before a place, unless it is an entry of a list.
func joined(place string) string {
	if place == "" || place[0] == '[' {
		return place
	}
	return "." + place
}

// typeOfValue is the type that a name of an object is read as, nil for one that nothing reads.
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
