// Package body decodes the JSON bodies of requests into Go types. The tags of a type say how much
// each field may hold; a body beyond that is refused before it is decoded.
package body

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"vitrine/internal/shop"
)

// Rules say how the body of an endpoint is read.
type Rules struct {
	Refusals []*shop.Refusal // of the endpoint; bounds name theirs by code

	// NotText are refusals of a body that is not UTF-8 text without NUL, by field; "" is for the
	// body as a whole.
	NotText map[string]*shop.Refusal

	Strict bool // unknown fields are refused
	Whole  bool // a body that consists of one list replaces it, and must contain it
}

// Read decodes a body into a pointer to a value of the type, and returns the fields that nothing
// read. It checks the body against the bounds of the type before decoding it, so that a body out
// of bounds is never held in another form. An empty body is {}.
func (s *Shape) Read(text []byte, into any, rules Rules) (Ignored, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}")
	}
	if !utf8.Valid(text) || hasNUL(text) {
		return Ignored{}, alone(rules.notText(text))
	}
	within, unread, err := walkOver(text, s, rules.Refusals)
	if refusal, ok := shop.AsRefusal(err); ok {
		return unread, s.allFaults(text, rules, refusal)
	}
	if err != nil {
		return unread, alone(notJSON(text, err))
	}
	if rules.Strict && len(unread.places) > 0 {
		return unread, s.allFaults(within, rules, unknown(unread.places[0]))
	}
	if err := json.Unmarshal(within, into); err != nil {
		return unread, s.allFaults(within, rules, nil)
	}
	if rules.Whole {
		return unread, requireList(reflect.ValueOf(into).Elem())
	}
	return unread, nil
}

// unknown refuses a field that nothing reads (document 3, 4.5).
func unknown(place string) *shop.Refusal {
	return shop.ErrInvalidRequest.With("invalid request body: " + place).About(place)
}

// Decode decodes a JSON text into a value within the bounds of its type, for types with their
// own unmarshaler; refusals are those that its tags name. The caller reports the error.
func Decode(text []byte, into any, refusals []*shop.Refusal) error {
	within, _, err := walkOver(text, ShapeOf(reflect.TypeOf(into)), refusals)
	if err != nil {
		return err
	}
	return json.Unmarshal(within, into)
}

// requireList refuses the body of a PUT that consists of one list and lacks it: a misspelled
// name or an empty body must not empty a list that is replaced as a whole. Sending [] empties
// it.
func requireList(in reflect.Value) error {
	name, list, others := "", reflect.Value{}, 0
	for field, value := range in.Fields() {
		if field.Anonymous {
			continue // path and query fields
		}
		if written, _, _ := strings.Cut(field.Tag.Get("json"), ","); written != "-" {
			name, list = written, value
			others++
		}
	}
	if others == 1 && list.Kind() == reflect.Slice && list.IsNil() {
		return alone(shop.ErrInvalidRequest.At(name).With("send the whole list; [] empties it"))
	}
	return nil
}

// notJSON describes what is wrong with a text in the words of encoding/json, which callers
// know.
func notJSON(body []byte, fault error) *shop.Refusal {
	var value json.RawMessage
	if err := json.NewDecoder(bytes.NewReader(body)).Decode(&value); err != nil {
		fault = err
	}
	return shop.ErrInvalidRequest.With("the body is not JSON: " + fault.Error())
}

// notOfType describes a value that its type does not accept. Errors of a type with its own
// unmarshaler are refusals, or say what is wrong.
func notOfType(err error) *shop.Refusal {
	if refusal, ok := shop.AsRefusal(err); ok {
		return refusal
	}
	var kind *json.UnmarshalTypeError
	if !errors.As(err, &kind) {
		return shop.ErrInvalidRequest.With(err.Error())
	}
	expected := jsonKind(kind.Type)
	if number, ok := strings.CutPrefix(kind.Value, "number "); ok && expected == wholeNumber && !strings.ContainsAny(number, ".eE") {
		expected = "a smaller number"
	}
	return shop.ErrInvalidRequest.With("expected " + expected + ", got " + kind.Value)
}

const wholeNumber = "a whole number"

func jsonKind(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return wholeNumber
}

// hasNUL finds the escape \u0000, which PostgreSQL cannot store. An escaped backslash as in
// "\\u0000" does not count.
func hasNUL(body []byte) bool {
	for rest := body; ; {
		i := bytes.Index(rest, []byte(`\u0000`))
		if i < 0 {
			return bytes.IndexByte(body, 0) >= 0
		}
		slashes := 1
		for j := i - 1; j >= 0 && rest[j] == '\\'; j-- {
			slashes++
		}
		if slashes%2 == 1 {
			return true
		}
		rest = rest[i+6:]
	}
}

// notText returns the refusal of a body that is not valid text: that of the offending field, if
// it has one.
func (r Rules) notText(text []byte) *shop.Refusal {
	refusal := cmp.Or(r.NotText[""], shop.ErrInvalidRequest.With("the body is not UTF-8 text without NUL"))
	var fields map[string]json.RawMessage
	if json.Unmarshal(text, &fields) != nil {
		return refusal
	}
	for _, name := range slices.Sorted(maps.Keys(r.NotText)) {
		if value := fields[name]; name != "" && (!utf8.Valid(value) || hasNUL(value)) {
			return r.NotText[name]
		}
	}
	return refusal
}
