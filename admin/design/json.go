package design

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"vitrine/internal/shop"
)

// maxDepth is the deepest allowed nesting of the values of a section; widgets need six levels.
const maxDepth = 64

// plainJSON parses JSON sent by a caller for a column of type jsonb. It refuses what the database
// cannot store: values nested too deeply and numbers out of the range of a double. Numbers keep
// their digits.
func plainJSON(text []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, errBlockSections.At("sections").With("not JSON")
	}
	return value, checkPlain(value, 0)
}

func checkPlain(value any, depth int) error {
	if depth > maxDepth {
		return errBlockSections.At("sections").With("values are nested deeper than 64 levels")
	}
	switch v := value.(type) {
	case json.Number:
		n, err := strconv.ParseFloat(v.String(), 64)
		digits, _, _ := strings.Cut(strings.ToLower(v.String()), "e")
		if err != nil || n == 0 && strings.ContainsAny(digits, "123456789") {
			return errBlockSections.At("sections").With("the number " + shop.Shorten(v.String(), 40) + " is out of range")
		}
	case []any:
		for _, item := range v {
			if err := checkPlain(item, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, item := range v {
			if err := checkPlain(item, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}
