package api

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vitrine/internal/shop"
)

const defaultMaxBody = 1 << 20

// decode sets the fields of a request struct from the path, the query and the JSON body.
func (c *Call) decode(in any) error {
	v := reflect.ValueOf(in).Elem()
	hasBody, err := c.decodeAddress(v)
	if err != nil || !hasBody {
		return err
	}
	body, err := c.readBody(c.endpoint.maxBody())
	if err != nil {
		return err
	}
	return c.decodeJSON(body, in)
}

// decodeAddress sets the path and query fields and reports whether other fields are left for
// the body.
func (c *Call) decodeAddress(v reflect.Value) (hasBody bool, err error) {
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		if field.Anonymous && field.Type.Kind() == reflect.Struct {
			sub, err := c.decodeAddress(value)
			if err != nil {
				return false, err
			}
			hasBody = hasBody || sub
			continue
		}
		name, inPath := field.Tag.Lookup("path")
		if inPath {
			if err := setText(value, c.path(name)); err != nil {
				// An invalid id cannot name anything.
				return false, shop.ErrNotFound
			}
			continue
		}
		if name, ok := field.Tag.Lookup("query"); ok {
			if err := c.setQuery(name, field, value); err != nil {
				return false, err
			}
			continue
		}
		if field.Tag.Get("json") != "-" {
			hasBody = true
		}
	}
	return hasBody, nil
}

// maxBody returns the maximum size of a JSON body.
func (e *Endpoint) maxBody() int64 {
	if e.MaxBody != 0 {
		return e.MaxBody
	}
	return defaultMaxBody
}

// TakesJSON reports whether the request has fields that come from the body.
func (e *Endpoint) TakesJSON() bool { return hasBody(e.Do.In) }

// Query lists the names of the query parameters in the order of the request
// type.
func (e *Endpoint) Query() []string { return queryOf(e.Do.In) }

func queryOf(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		if name, ok := f.Tag.Lookup("query"); ok {
			names = append(names, name)
		} else if f.Anonymous && f.Type.Kind() == reflect.Struct {
			names = append(names, queryOf(f.Type)...)
		}
	}
	return names
}

func hasBody(t reflect.Type) bool {
	for i := range t.NumField() {
		f := t.Field(i)
		_, inPath := f.Tag.Lookup("path")
		_, inQuery := f.Tag.Lookup("query")
		switch {
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			if hasBody(f.Type) {
				return true
			}
		case !inPath && !inQuery && f.Tag.Get("json") != "-":
			return true
		}
	}
	return false
}

// decodeJSON checks the body against the bounds of the request type before decoding it, so that
// a body out of bounds is never held in another form.
func (c *Call) decodeJSON(body []byte, in any) error {
	if len(bytes.TrimSpace(body)) == 0 {
		body = []byte("{}")
	}
	if !utf8.Valid(body) || hasNUL(body) {
		if refusal := c.endpoint.notText(body); refusal != nil {
			return refusal
		}
		return shop.ErrInvalidRequest.With("the body is not UTF-8 text without NUL")
	}
	within, unread, err := walkOver(body, c.endpoint.Do.shape, c.endpoint.Errors)
	c.ignored = unread
	if refusal, ok := shop.AsRefusal(err); ok {
		return refusal
	}
	if err != nil {
		return notJSON(body, err)
	}
	if c.endpoint.Strict && len(unread.places) > 0 {
		return shop.ErrInvalidRequest.With("invalid request body: " + unread.places[0])
	}
	if err := json.Unmarshal(within, in); err != nil {
		return refuseBody(err, in, within)
	}
	if c.endpoint.Method == "PUT" {
		return requireList(reflect.ValueOf(in).Elem())
	}
	return nil
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
		return shop.ErrInvalidRequest.At(name).With("send the whole list; [] empties it")
	}
	return nil
}

// notJSON describes what is wrong with a text in the words of encoding/json, which callers
// know.
func notJSON(body []byte, fault error) error {
	var value json.RawMessage
	if err := json.NewDecoder(bytes.NewReader(body)).Decode(&value); err != nil {
		fault = err
	}
	return shop.ErrInvalidRequest.With(jsonFault(fault, ""))
}

// jsonFault describes what is wrong with a body in terms of the request, with the place if it
// is known.
func jsonFault(err error, place string) string {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		expected := jsonKind(kind.Type)
		if number, ok := strings.CutPrefix(kind.Value, "number "); ok && expected == wholeNumber && !strings.ContainsAny(number, ".eE") {
			expected = "a smaller number"
		}
		return fmt.Sprintf("%s: expected %s, got %s", cmp.Or(place, fieldOf(kind.Field)), expected, kind.Value)
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "the body is not JSON: " + err.Error()
	}
	if place != "" {
		return place + ": " + err.Error()
	}
	return err.Error()
}

// fieldOf returns the place of a field in the body. The decoder also reports embedded structs;
// they have capitalized Go names, which no field of a body has.
func fieldOf(place string) string {
	if place == "" {
		return "the body"
	}
	names := slices.DeleteFunc(strings.Split(place, "."), func(name string) bool { return name != "" && name[0] >= 'A' && name[0] <= 'Z' })
	return strings.Join(names, ".")
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

// notText returns the endpoint's own refusal for a body that is not valid text, by the
// offending field; nil if the endpoint has no such refusal.
func (e *Endpoint) notText(body []byte) *shop.Refusal {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return e.NotText[""]
	}
	for _, name := range slices.Sorted(maps.Keys(e.NotText)) {
		if value := fields[name]; name != "" && (!utf8.Valid(value) || hasNUL(value)) {
			return e.NotText[name]
		}
	}
	return e.NotText[""]
}

// setQuery sets a field from a query parameter, within its bound.
func (c *Call) setQuery(name string, field reflect.StructField, v reflect.Value) error {
	values, bound := c.query(name), BoundOf(field)
	if len(values) > bound.Max && v.Kind() == reflect.Slice {
		return bound.tooMany(name, c.endpoint.Errors)
	}
	for i, text := range values {
		fitting, err := bound.Fit(name, text, c.endpoint.Errors)
		if err != nil {
			return err
		}
		values[i] = fitting
	}
	if err := setValues(v, values); err != nil {
		return shop.ErrInvalidRequest.With(name + ": " + err.Error())
	}
	return nil
}

func setValues(v reflect.Value, values []string) error {
	if len(values) == 0 {
		return nil
	}
	if v.Kind() == reflect.Slice {
		for _, text := range values {
			item := reflect.New(v.Type().Elem()).Elem()
			if err := setText(item, text); err != nil {
				return err
			}
			v.Set(reflect.Append(v, item))
		}
		return nil
	}
	if values[0] == "" && v.Kind() != reflect.String {
		return nil // forms send empty fields too: treat them as missing
	}
	return setText(v, values[0])
}

func setText(v reflect.Value, text string) error {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return errors.New("not UTF-8 text without NUL")
	}
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(text))
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("expected true or false")
		}
		v.SetBool(b)
	case reflect.Int, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, v.Type().Bits())
		if err != nil {
			return errors.New("expected an integer")
		}
		v.SetInt(n)
	default:
		return fmt.Errorf("no parameter of type %s", v.Type())
	}
	return nil
}
