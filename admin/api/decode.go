package api

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"vitrine/admin/api/body"
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
	text, err := c.readBody(c.endpoint.maxBody())
	if err != nil {
		return err
	}
	c.ignored, err = c.endpoint.Do.shape.Read(text, in, body.Rules{
		Refusals: c.endpoint.Errors, NotText: c.endpoint.NotText, Strict: c.endpoint.Strict, Whole: c.endpoint.Method == "PUT",
	})
	return err
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
				return false, shop.ErrNotFound.About(name)
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

// parameters lists the names of the path and query parameters.
func (e *Endpoint) parameters() []string {
	names := e.Query()
	for segment := range strings.SplitSeq(e.Path, "/") {
		if strings.HasPrefix(segment, "{") {
			names = append(names, strings.Trim(segment, "{}"))
		}
	}
	return names
}

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

// setQuery sets a field from a query parameter, within its bound.
func (c *Call) setQuery(name string, field reflect.StructField, v reflect.Value) error {
	values, bound := c.query(name), body.BoundOf(field)
	if v.Kind() == reflect.Slice {
		if err := bound.CheckCount(name, len(values), c.endpoint.Errors); err != nil {
			return err
		}
	}
	for i, text := range values {
		fitting, err := bound.Fit(name, text, c.endpoint.Errors)
		if err != nil {
			return err
		}
		values[i] = fitting
	}
	if err := setValues(v, values); err != nil {
		return shop.ErrInvalidRequest.At(name).With(err.Error())
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

func isText(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

func setText(v reflect.Value, text string) error {
	if !isText(text) {
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
