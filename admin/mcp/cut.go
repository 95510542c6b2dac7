package mcp

import (
	"encoding/json"
	"fmt"
	"slices"

	"vitrine/admin/api"
)

// shorten removes entries from the end of the longest list of a JSON object until it has at most
// size bytes. It looks for lists on the first two levels, where all lists of the API are. The
// sentence says what is missing and how to get it.
func shorten(body json.RawMessage, size int, row *api.Endpoint) (shorter json.RawMessage, sentence string, ok bool) {
	var root map[string]json.RawMessage
	if json.Unmarshal(body, &root) != nil {
		var list []json.RawMessage
		if json.Unmarshal(body, &list) != nil {
			return nil, "", false
		}
		kept := prefix(list, size-len("[]"))
		shorter, err := api.EncodeJSON(list[:kept])
		return shorter, missing("the list", kept, len(list), row), err == nil && kept > 0
	}
	name, inner, list := longest(root)
	if list == nil {
		return nil, "", false
	}
	whole := root[name]
	if inner != "" {
		whole = fieldsOf(root[name])[inner]
	}
	kept := prefix(list, size-(len(body)-len(whole))-len("[]"))
	if kept == 0 {
		return nil, "", false
	}
	cut, err := api.EncodeJSON(list[:kept])
	if err != nil {
		return nil, "", false
	}
	label := name
	if inner == "" {
		root[name] = cut
	} else {
		middle := fieldsOf(root[name])
		middle[inner] = cut
		if root[name], err = api.EncodeJSON(middle); err != nil {
			return nil, "", false
		}
		label += "." + inner
	}
	shorter, err = api.EncodeJSON(root)
	return shorter, missing(label, kept, len(list), row), err == nil && len(shorter) <= size
}

// longest returns the longest list on the first two levels of an object.
func longest(root map[string]json.RawMessage) (name, inner string, list []json.RawMessage) {
	most := 0
	consider := func(outer, in string, value json.RawMessage) {
		var entries []json.RawMessage
		if len(value) > most && value[0] == '[' && json.Unmarshal(value, &entries) == nil {
			most, name, inner, list = len(value), outer, in, entries
		}
	}
	for key, value := range root {
		consider(key, "", value)
		for second, value := range fieldsOf(value) {
			consider(key, second, value)
		}
	}
	return name, inner, list
}

// fieldsOf reads a value as an object; it is nil for any other value.
func fieldsOf(value json.RawMessage) (fields map[string]json.RawMessage) {
	if len(value) > 0 && value[0] == '{' && json.Unmarshal(value, &fields) != nil {
		return nil
	}
	return fields
}

// prefix returns how many entries fit into size bytes with a comma behind each.
func prefix(list []json.RawMessage, size int) (kept int) {
	for _, entry := range list {
		if size -= len(entry) + 1; size < 0 {
			break
		}
		kept++
	}
	return kept
}

func missing(list string, kept, all int, row *api.Endpoint) string {
	sentence := fmt.Sprintf("The first %d of %d entries of %s are shown.", kept, all, list)
	if row == nil {
		return sentence
	}
	names := row.Query()
	switch {
	case slices.Contains(names, "page.limit"):
		return sentence + fmt.Sprintf(" Read the next ones with page.limit=%d and page.number=2, 3 and so on.", kept)
	case slices.Contains(names, "limit"):
		return sentence + fmt.Sprintf(" Ask for fewer with limit=%d.", kept)
	case len(names) > 0:
		return sentence + " Narrow the call with its parameters."
	}
	return sentence + " The call has no pages: the whole response is available over HTTP."
}
