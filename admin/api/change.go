package api

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// Change is a field that a dry run of a bulk edit would change.
type Change struct {
	Field  string          `json:"field"`
	Before json.RawMessage `json:"before" doc:"as a read answers the field"`
	After  json.RawMessage `json:"after"`
}

// ChangesOf returns the fields that differ between two views of an object, by name; updated_at is
// left out.
func ChangesOf(before, after any) ([]Change, error) {
	was, err := fieldsOf(before)
	if err != nil {
		return nil, err
	}
	is, err := fieldsOf(after)
	if err != nil {
		return nil, err
	}
	changes := []Change{}
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if name != "updated_at" && !bytes.Equal(was[name], is[name]) {
			changes = append(changes, Change{name, was[name], is[name]})
		}
	}
	return changes, nil
}

func fieldsOf(view any) (fields map[string]json.RawMessage, err error) {
	text, err := encode(view)
	if err != nil {
		return nil, err
	}
	return fields, json.Unmarshal(text, &fields)
}
