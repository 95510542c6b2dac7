package shop

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// maxAddressLines bounds the printed lines of an address, which has at most 8 KB.
const maxAddressLines = 200

// addressFields are the fields of an address that are printed without their name, in this order.
// The names are those of the address book.
var addressFields = []string{"name", "phone", "street", "city", "region", "postcode", "country", "comment"}

// AddressLines returns the lines of an address, whatever JSON a client has sent: the known
// fields of an object in their usual order, then all others with their names as they were
// sent, including lists and nested objects. A JSON string is split into its lines. The field
// country is printed as country returns it, unless country is nil: people read a name, programs
// a code.
func AddressLines(address []byte, country func(typed string) string) (lines []string) {
	d := json.NewDecoder(bytes.NewReader(address))
	d.UseNumber()
	var usual = map[string][]string{}
	var others []string
	a := addressReader{d}
	token, err := d.Token()
	if err != nil {
		return nil
	}
	if token != json.Delim('{') {
		a.value(token, "", func(line string) { lines = append(lines, line) })
		return lines[:min(len(lines), maxAddressLines)]
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil
		}
		name, _ := key.(string)
		token, err := d.Token()
		if err != nil {
			return nil
		}
		if slices.Contains(addressFields, name) {
			usual[name] = nil // of duplicate names the last one counts, as usual
			a.value(token, "", func(line string) {
				if name == "country" && country != nil {
					line = country(line)
				}
				usual[name] = append(usual[name], line)
			})
		} else {
			a.value(token, name, func(line string) { others = append(others, line) })
		}
	}
	for _, name := range addressFields {
		lines = append(lines, usual[name]...)
	}
	lines = append(lines, others...)
	return lines[:min(len(lines), maxAddressLines)]
}

type addressReader struct{ *json.Decoder }

// value adds the lines of the value that begins with a token. Its nesting is bounded by
// that of the request body.
func (a addressReader) value(token json.Token, name string, add func(string)) {
	switch v := token.(type) {
	case json.Delim:
		for a.More() {
			inner := name
			if v == '{' {
				key, err := a.Token()
				if err != nil {
					return
				}
				inner, _ = key.(string)
			}
			next, err := a.Token()
			if err != nil {
				return
			}
			a.value(next, inner, add)
		}
		_, _ = a.Token() // the closing delimiter, which More has found
	case string:
		for line := range strings.Lines(v) {
			if line = strings.TrimSpace(line); line != "" {
				add(named(name, line))
			}
		}
	case json.Number:
		add(named(name, v.String()))
	case bool:
		add(named(name, map[bool]string{true: "true", false: "false"}[v]))
	}
}

func named(name, line string) string {
	if name == "" {
		return line
	}
	return name + ": " + line
}

// HasAddress reports whether an address names a place: a street or a city, or a text.
func HasAddress(address []byte) bool {
	var text string
	if json.Unmarshal(address, &text) == nil {
		return strings.TrimSpace(text) != ""
	}
	var fields map[string]any
	if json.Unmarshal(address, &fields) != nil {
		return false
	}
	for _, name := range []string{"street", "city"} {
		if part, _ := fields[name].(string); strings.TrimSpace(part) != "" {
			return true
		}
	}
	return false
}
