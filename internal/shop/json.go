package shop

import (
	"encoding/json"
	"reflect"
)

// JSON is JSON that is read or made elsewhere, of the shape of T.
type JSON[T any] json.RawMessage

// Object is a JSON object whose fields are not known here, and Objects a list of them.
type (
	Object  = JSON[map[string]json.RawMessage]
	Objects = JSON[[]map[string]json.RawMessage]
)

// MarshalJSON returns the text.
func (j JSON[T]) MarshalJSON() ([]byte, error) { return json.RawMessage(j).MarshalJSON() }

// UnmarshalJSON keeps the text.
func (j *JSON[T]) UnmarshalJSON(text []byte) error {
	return (*json.RawMessage)(j).UnmarshalJSON(text)
}

// Shape returns T.
func (JSON[T]) Shape() reflect.Type { return reflect.TypeFor[T]() }
